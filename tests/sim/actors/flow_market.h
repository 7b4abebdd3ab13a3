// A sandbox with bots and a manual clock, and its public data.
#pragma once

#include <string>

#include "sim/sandbox_exchange.h"

namespace svc::sim {

inline SandboxOptions lively_options() {
  SandboxOptions options = test_options();
  options.flow = FlowKind::bots;
  return options;
}

class FlowMarket {
 public:
  explicit FlowMarket(SandboxOptions options = lively_options(), TimestampMs machine_ms = test_start_ms)
      : exchange(std::move(options), machine_ms) {}

  void pass(std::int64_t ms) { exchange.control("/time", {{"advance_ms", ms}}); }
  Reply flow(const Json& body) { return exchange.control("/flow", body); }
  [[nodiscard]] Json get(const std::string& target) { return exchange.get(target).body; }
  [[nodiscard]] std::string hash() { return get("/_svc/status")["state_hash"]; }
  [[nodiscard]] std::int64_t now_ms() { return get("/_svc/time")["now_ms"]; }
  [[nodiscard]] Json book(const std::string& market = "BTC-USDX-PERP") {
    return get("/markets/" + market + "/orderbook");
  }
  [[nodiscard]] Json price(const std::string& market = "BTC-USDX-PERP") {
    return get("/markets/" + market + "/mark-price");
  }
  [[nodiscard]] double mark(const std::string& market = "BTC-USDX-PERP") {
    return std::stod(price(market)["mark_price"].get<std::string>());
  }
  [[nodiscard]] Json index(const std::string& market = "BTC-USDX-PERP") {
    return get("/markets/" + market + "/ticker")["indexPrice"];
  }
  [[nodiscard]] std::size_t trades(const std::string& market = "BTC-USDX-PERP") {
    return get("/markets/" + market + "/trades?limit=1000").size();
  }
  [[nodiscard]] std::string market_status(const std::string& market = "BTC-USDX-PERP") {
    return get("/markets/" + market + "/status")["status"];
  }

  TestExchange exchange;
};

}  // namespace svc::sim
