// A whole sandbox in one process with a manual clock, and traders who use it like real clients: they sign in with
// their wallet, mint a key and sign each request with it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "signing/hmac.h"
#include "signing/key.h"
#include "sim/sim.h"

namespace svc::sim {

using Json = nlohmann::json;

inline constexpr TimestampMs test_start_ms = 1'700'000'000'000;

struct Reply {
  int status = 0;
  Json body;
  api::Headers headers;

  [[nodiscard]] std::string code() const { return body.is_object() ? body.value("code", "") : ""; }
};

// Limits are off and the clock is manual, unless a test says otherwise.
[[nodiscard]] SandboxOptions test_options();

class TestExchange {
 public:
  explicit TestExchange(SandboxOptions options = test_options(), TimestampMs machine_ms = test_start_ms)
      : machine(machine_ms), sandbox(std::move(options), machine) {}

  // Without credentials.
  [[nodiscard]] Reply get(std::string_view target) { return send("GET", target, ""); }
  [[nodiscard]] Reply post(std::string_view target, const Json& body) { return send("POST", target, body.dump()); }
  [[nodiscard]] Reply send(std::string_view method, std::string_view target, std::string body,
                           api::Headers headers = {});

  // For the network that `host` names: the domain name that its wallets sign.
  [[nodiscard]] std::string domain_name() const;

  // Control surface.
  Reply control(std::string_view path, const Json& body);
  // The whole state, as a document.
  [[nodiscard]] std::string state() {
    return sandbox.handle({.method = "GET", .target = "/_svc/state", .headers = {}, .body = {}}).body;
  }
  [[nodiscard]] Json violations() { return get("/_svc/invariants").body["violations"]; }

  std::string host;  // of every later request; empty: none is sent
  ManualClock machine;
  Sandbox sandbox;
};

class Trader {
 public:
  // Signs in and mints a key.
  Trader(TestExchange& exchange, const signing::PrivateKey& wallet);
  // Development account number `index`.
  Trader(TestExchange& exchange, std::size_t index);

  [[nodiscard]] Reply get(std::string_view target) const { return send("GET", target, ""); }
  Reply post(std::string_view target, const Json& body) const { return send("POST", target, body.dump()); }
  Reply post(std::string_view target) const { return send("POST", target, ""); }
  // With additional headers that are not signed.
  Reply post_with(std::string_view target, const Json& body, api::Headers headers) const {
    return send("POST", target, body.dump(), std::move(headers));
  }
  Reply put(std::string_view target, const Json& body) const { return send("PUT", target, body.dump()); }
  Reply patch(std::string_view target, const Json& body) const { return send("PATCH", target, body.dump()); }
  Reply del(std::string_view target) const { return send("DELETE", target, ""); }
  Reply del_with(std::string_view target, std::string body) const { return send("DELETE", target, std::move(body)); }

  // POST /orders for a GTC limit order; returns the order in the answer.
  Json limit(std::string_view side, std::string_view quantity, std::string_view price,
             std::string_view market = "BTC-USDX-PERP") const;

  [[nodiscard]] std::string account() const { return to_string(wallet_.address()); }
  [[nodiscard]] const std::string& session() const { return session_; }
  [[nodiscard]] const std::string& key_id() const { return key_id_; }

 private:
  [[nodiscard]] Reply send(std::string_view method, std::string_view target, std::string body,
                           api::Headers headers = {}) const;

  TestExchange& exchange_;
  signing::PrivateKey wallet_;
  std::string session_;
  std::string key_id_;
  std::string secret_;
};

[[nodiscard]] Json limit_order(std::string_view side, std::string_view quantity, std::string_view price,
                               std::string_view market = "BTC-USDX-PERP");

}  // namespace svc::sim
