// Views restored from an image show the same, and continue in the same way.
#include <gtest/gtest.h>

#include "base/archive.h"
#include "base/random.h"
#include "sim/account_of.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace SVC_FILE {

// A venue of two markets with its views.
class Followed {
 public:
  void apply(const engine::Command& command) {
    events_.clear();
    const auto sequence = engine_.apply(command, events_).sequence;
    views.follow({.sequence = sequence, .at_ms = engine_.now_ms()}, events_.events());
  }
  [[nodiscard]] std::vector<std::string> disagreements() const {
    return views.read([&](const VenueView& view) { return sim::disagreements(engine_, view, engine_.now_ms()); });
  }
  [[nodiscard]] auto accounts() const { return engine_.accounts(); }
  [[nodiscard]] std::string bytes() const {
    return views.read([](const VenueView& view) { return to_archive(view); });
  }
  void restore(const Followed& other) {
    ASSERT_TRUE(engine_.restore(other.engine_.image()));
    auto view = views.view_of(other.views.image());
    ASSERT_TRUE(view);
    views.replace(std::move(*view));
  }

  Views views{engine::standard_markets()};

 private:
  engine::Engine engine_{engine::EngineConfig{}};
  engine::EventLog events_;
};

// A day of trading around a moving price.
class Trading {
 public:
  engine::Command next() {
    now_ms_ += prng_.between(0, 300'000);
    const Address account = account_of(1 + prng_.below(5));
    switch (prng_.below(12)) {
      case 0: return at(engine::Deposit{.account = account, .amount = Usdx{10'000 * usdx_one}});
      case 1: {
        const Ticks price{120'000 + prng_.between(-4'000, 4'000)};
        return at(engine::OracleTick{{{.market = {}, .index = price, .mark = price}}});
      }
      case 2: return at(engine::CancelAll{account, std::nullopt});
      case 3: return at(engine::SampleFunding{});
      case 4: return at(engine::SettleFunding{});
      default: {
        engine::PlaceOrder place{.account = account, .params = {}};
        place.params.side = prng_.below(2) == 0 ? engine::Side::buy : engine::Side::sell;
        place.params.price = {.value = Ticks{120'000 + prng_.between(-3'000, 3'000)}, .grid = engine::Grid::on};
        place.params.quantity = {.value = Lots{prng_.between(1, 500)}, .grid = engine::Grid::on};
        return at(place);
      }
    }
  }

 private:
  engine::Command at(decltype(engine::Command::body) body) const { return {now_ms_, std::move(body)}; }

  Prng prng_{3, "trading"};
  TimestampMs now_ms_ = 1'700'000'000'000;
};

TEST(ViewsImage, RestoredViewsShowTheSameAndContinueAlike) {
  Trading trading;
  Followed original;
  for (int step = 0; step < 600; ++step) original.apply(trading.next());
  Followed restored;
  restored.restore(original);
  ASSERT_TRUE(restored.bytes() == original.bytes());
  for (int step = 0; step < 300; ++step) {
    const engine::Command command = trading.next();
    original.apply(command);
    restored.apply(command);
    if (step % 60 != 59) continue;
    ASSERT_TRUE(restored.bytes() == original.bytes()) << "step " << step;
    ASSERT_EQ(restored.disagreements(), std::vector<std::string>{});
  }
}

TEST(ViewsImage, EndedOrdersAreFoundAfterRestoring) {
  Trading trading;
  Followed original;
  for (int step = 0; step < 300; ++step) original.apply(trading.next());
  Followed restored;
  restored.restore(original);
  const auto ended = original.views.read([&](const VenueView& view) {
    std::vector<engine::OrderRecord> orders;
    for (const Address& address : original.accounts()) {
      const auto& rows = view.account(address).ended_orders().rows();
      orders.insert(orders.end(), rows.begin(), rows.end());
    }
    return orders;
  });
  EXPECT_GT(ended.size(), 10u);
  for (const engine::OrderRecord& order : ended) {
    const auto found_id = restored.views.read([&](const VenueView& view) {
      const engine::OrderRecord* found = view.account(order.account).order(order.id);
      return found == nullptr ? engine::OrderId{} : found->id;
    });
    EXPECT_EQ(found_id, order.id);
  }
}

TEST(ViewsImage, AnImageThatDoesNotFitTheMarketsIsRefused) {
  Trading trading;
  Followed original;
  for (int step = 0; step < 100; ++step) original.apply(trading.next());
  const std::string before = original.bytes();
  EXPECT_FALSE(original.views.view_of(before.substr(0, before.size() / 2)));
  EXPECT_FALSE(original.views.view_of(before + "x"));
  Views other{std::vector<engine::MarketSpec>(1, engine::standard_markets().front())};
  EXPECT_FALSE(original.views.view_of(other.image()));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
