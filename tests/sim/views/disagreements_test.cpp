#include "sim/views/views.h"

#include <gtest/gtest.h>

#include "sim/account_of.h"

namespace svc::sim {
namespace SVC_FILE {

engine::Command at(TimestampMs now_ms, decltype(engine::Command::body) body) {
  return {now_ms, std::move(body)};
}

engine::PlaceOrder order(std::uint8_t account, engine::Side side, std::int64_t price, std::int64_t lots) {
  engine::PlaceOrder place{.account = account_of(account), .params = {}};
  place.params.side = side;
  place.params.price = {.value = Ticks{price}, .grid = engine::Grid::on};
  place.params.quantity = {.value = Lots{lots}, .grid = engine::Grid::on};
  return place;
}

class Disagreements : public ::testing::Test {
 protected:
  Disagreements() {
    apply(engine::OracleTick{{{.market = {}, .index = Ticks{120'000}, .mark = std::nullopt}}});
    for (const std::uint8_t account : {std::uint8_t{1}, std::uint8_t{2}})
      apply(engine::Deposit{.account = account_of(account), .amount = Usdx{100'000 * usdx_one}});
    apply(order(1, engine::Side::buy, 120'000, 300));
    apply(order(2, engine::Side::sell, 120'000, 100));
  }

  // The view never gets events for which `is_seen` is false.
  template <class F>
  void apply(decltype(engine::Command::body) body, F is_seen) {
    engine::EventLog events;
    const auto sequence = engine_.apply(at(1'700'000'000'000, std::move(body)), events).sequence;
    for (const engine::Event& event : events.events())
      if (is_seen(event)) view_.fold({.sequence = sequence, .at_ms = 1'700'000'000'000}, event);
  }
  void apply(decltype(engine::Command::body) body) {
    apply(std::move(body), [](const engine::Event&) { return true; });
  }
  [[nodiscard]] std::vector<std::string> found() const { return disagreements(engine_, view_, 1'700'000'000'000); }

  engine::Engine engine_{engine::EngineConfig{}};
  VenueView view_{engine::standard_markets()};
};

TEST_F(Disagreements, ThereAreNoneWhenEveryEventWasFolded) {
  EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(Disagreements, AMissedBookLevelIsNoticed) {
  apply(order(1, engine::Side::buy, 119'000, 1),
        [](const engine::Event& event) { return !std::holds_alternative<engine::BookLevelChanged>(event); });
  EXPECT_EQ(found(), (std::vector<std::string>{"views: BTC-USDX-PERP: bid side differs from the engine's",
                                               "views: BTC-USDX-PERP: book nonce differs from the engine's"}));
}

TEST_F(Disagreements, AMissedOrderAndAMissedTradeAreNoticed) {
  apply(order(2, engine::Side::sell, 120'000, 50), [](const engine::Event& event) {
    return !std::holds_alternative<engine::OrderChanged>(event) && !std::holds_alternative<engine::Trade>(event);
  });
  EXPECT_EQ(found(), (std::vector<std::string>{
                         "views: BTC-USDX-PERP: number of trades differs from the engine's",
                         "views: BTC-USDX-PERP: volume differs from the engine's",
                         "views: open orders of 0x0000000000000000000000000000000000000001 differ from the engine's"}));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
