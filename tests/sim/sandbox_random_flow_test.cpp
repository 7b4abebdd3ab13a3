// A thousand random requests by five traders, over the API alone: the ledger stays exact, the views
// agree with the engine, and the same seed gives the same exchange.

#include <gtest/gtest.h>

#include "base/random.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr std::uint64_t default_seed = 20'260'921;
constexpr int steps = 1'000;

class RandomFlow {
 public:
  explicit RandomFlow(std::uint64_t seed) : prng_(seed, "random flow") {
    for (std::size_t i = 0; i < 5; ++i) traders_.emplace_back(exchange_, i);
  }

  void run() {
    for (int step = 0; step < steps; ++step) {
      one_step();
      if (step % 50 != 0) continue;
      const Json violations = exchange_.violations();
      ASSERT_EQ(violations, Json::array()) << "after step " << step;
    }
  }

  [[nodiscard]] std::string state_hash() { return exchange_.get("/_svc/status").body["state_hash"]; }
  [[nodiscard]] std::uint64_t trades() { return exchange_.get("/markets/summary").body[0]["trade_count"]; }
  [[nodiscard]] int internal_errors() const { return internal_errors_; }

 private:
  void one_step() {
    const Trader& trader = traders_[prng_.below(traders_.size())];
    switch (prng_.below(12)) {
      case 0: return note(trader.del("/orders"));
      case 1: return amend(trader);
      case 2: return note(trader.post("/orders/batch", Json::array({order(), order(), order()})));
      case 3: return note(trader.post("/leverage", {{"market_id", market()}, {"leverage", prng_.between(1, 25)}}));
      case 4: return move_price();
      case 5: return note(exchange_.control("/time", {{"advance_ms", prng_.between(1, minute_ms)}}));
      default: return note(trader.post("/orders", order()));
    }
  }

  void amend(const Trader& trader) {
    const Json open = trader.get("/orders").body;
    if (open.empty()) return;
    const Json& chosen = open[prng_.below(open.size())];
    note(trader.patch("/orders/" + chosen["id"].get<std::string>(), {{"size", size()}}));
  }

  void move_price() {
    mark_ += prng_.between(-200, 200);
    note(exchange_.control("/prices", {{"BTC-USDX-PERP", std::to_string(mark_)}}));
  }

  Json order() {
    static constexpr const char* types[] = {"Limit", "Limit", "Limit", "Market", "StopMarket", "TakeProfitLimit"};
    static constexpr const char* terms[] = {"GTC", "IOC", "FOK", "PostOnly"};
    static constexpr const char* modes[] = {"CancelNewest", "CancelOldest", "DecrementAndCancel"};
    Json order{{"market_id", market()},
               {"side", prng_.below(2) == 0 ? "Buy" : "Sell"},
               {"order_type", types[prng_.below(std::size(types))]},
               {"quantity", size()},
               {"price", std::to_string(mark_ + prng_.between(-300, 300))},
               {"trigger_price", std::to_string(mark_ + prng_.between(-300, 300))},
               {"time_in_force", terms[prng_.below(std::size(terms))]},
               {"reduce_only", prng_.below(8) == 0}};
    if (prng_.below(3) == 0) order["stp"] = modes[prng_.below(std::size(modes))];
    return order;
  }

  std::string market() { return prng_.below(10) == 0 ? "ETH-USDX-PERP" : "BTC-USDX-PERP"; }
  std::string size() { return "0." + std::to_string(prng_.between(1, 9)) + std::to_string(prng_.below(10)); }
  void note(const Reply& reply) { internal_errors_ += reply.status >= 500 ? 1 : 0; }

  TestExchange exchange_;
  std::vector<Trader> traders_;
  Prng prng_;
  std::int64_t mark_ = 60'000;
  int internal_errors_ = 0;
};

TEST(RandomFlow, KeepsEveryInvariantAndIsReproducible) {
  RandomFlow first(default_seed);
  first.run();
  if (HasFatalFailure()) return;
  EXPECT_EQ(first.internal_errors(), 0);
  EXPECT_GT(first.trades(), 100u);
  RandomFlow second(default_seed);
  second.run();
  EXPECT_EQ(second.state_hash(), first.state_hash());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
