// Equity samples, compared with the engine's figures at the same instants.
#include <gtest/gtest.h>

#include <map>

#include "base/archive.h"
#include "base/random.h"
#include "sim/account_of.h"
#include "sim/engine/engine.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs noon = 1'700'000'000'000 / hour_ms * hour_ms;

class PortfolioTest : public ::testing::Test {
 protected:
  using Body = decltype(engine::Command::body);

  void apply(TimestampMs at_ms, Body body) {
    engine::EventLog events;
    const auto sequence = engine_.apply({at_ms, std::move(body)}, events).sequence;
    const Stamp stamp{.sequence = sequence, .at_ms = at_ms};
    view_.pass(stamp);
    for (const engine::Event& event : events.events()) view_.fold(stamp, event);
  }

  void price(TimestampMs at_ms, std::int64_t ticks) {
    apply(at_ms, engine::OracleTick{{{.market = {}, .index = Ticks{ticks}, .mark = Ticks{ticks}}}});
  }

  void order(TimestampMs at_ms, std::uint8_t account, engine::Side side, std::int64_t ticks, std::int64_t lots) {
    engine::PlaceOrder place{.account = account_of(account), .params = {}};
    place.params.side = side;
    place.params.price = {.value = Ticks{ticks}, .grid = engine::Grid::on};
    place.params.quantity = {.value = Lots{lots}, .grid = engine::Grid::on};
    apply(at_ms, place);
  }

  void fund(TimestampMs at_ms, std::uint8_t account, std::int64_t usdx) {
    apply(at_ms, engine::Deposit{.account = account_of(account), .amount = Usdx{usdx * usdx_one}});
  }

  // The latest samples as "number of periods after noon: equity in USDX".
  [[nodiscard]] std::map<std::int64_t, std::int64_t> samples(std::uint8_t account, TimestampMs now_ms,
                                                             Cadence cadence = Cadence::seconds_5) const {
    std::map<std::int64_t, std::int64_t> result;
    const auto page = view_.portfolio_history(account_of(account), cadence, now_ms, std::nullopt, 10'000);
    for (const auto& point : page.points)
      result[(point.at_ms - noon) / terms_of(cadence).period_ms] =
          static_cast<std::int64_t>(point.figures.equity / usdx_one);
    return result;
  }

  engine::Engine engine_{engine::EngineConfig{}};
  VenueView view_{engine::standard_markets()};
};

using Samples = std::map<std::int64_t, std::int64_t>;

TEST_F(PortfolioTest, AStrangerHasNoHistory) {
  price(noon, 120'000);
  EXPECT_EQ(samples(1, noon + minute_ms), Samples{});
}

TEST_F(PortfolioTest, ASampleIncludesEventsUpToItsInstantOnly) {
  fund(noon + 1, 1, 100);
  EXPECT_EQ(samples(1, noon + 4'999), Samples{});
  EXPECT_EQ(samples(1, noon + 5'000), (Samples{{1, 100}}));
  fund(noon + 10'000, 1, 11);
  fund(noon + 10'001, 1, 20);
  EXPECT_EQ(samples(1, noon + 10'001), (Samples{{1, 100}, {2, 111}}));
  EXPECT_EQ(samples(1, noon + 20'000), (Samples{{1, 100}, {2, 111}, {3, 131}, {4, 131}}));
}

TEST_F(PortfolioTest, AHolderIsSampledWhenOnlyThePriceMoves) {
  price(noon, 120'000);
  fund(noon, 1, 10'000);
  fund(noon, 2, 10'000);
  order(noon, 1, engine::Side::buy, 120'000, 100);  // a tenth of a coin at 60,000
  order(noon, 2, engine::Side::sell, 120'000, 100);
  price(noon + 6'000, 120'200);
  price(noon + 11'000, 119'800);
  price(noon + 12'000, 120'400);
  // The buyer was the maker and got a rebate of 1.2; the seller paid 3.
  EXPECT_EQ(samples(1, noon + 15'000), (Samples{{0, 10'001}, {1, 10'001}, {2, 10'011}, {3, 10'021}}));
  EXPECT_EQ(samples(2, noon + 15'000), (Samples{{0, 9'997}, {1, 9'997}, {2, 9'987}, {3, 9'977}}));
}

TEST_F(PortfolioTest, ALongJumpFillsEveryPointAndKeepsItsBounds) {
  fund(noon, 1, 100);
  fund(noon + 400 * day_ms, 1, 1);
  const TimestampMs now = noon + 400 * day_ms + 7'000;
  for (std::size_t i = 0; i < cadences.size(); ++i) {
    const auto& [period_ms, kept] = cadences[i];
    const auto page =
        view_.portfolio_history(account_of(1), static_cast<Cadence>(i), now, std::nullopt, limits::equity_points_max);
    ASSERT_EQ(static_cast<std::int64_t>(page.points.size()), kept);
    for (std::int64_t k = 0; k < kept; ++k) {
      const auto& point = page.points[static_cast<std::size_t>(k)];
      ASSERT_EQ(point.at_ms, (now / period_ms - kept + 1 + k) * period_ms);
      ASSERT_TRUE(point.figures.equity == (point.at_ms < noon + 400 * day_ms ? 100 : 101) * usdx_one);
    }
  }
}

TEST_F(PortfolioTest, PagesHaveNoGapsOrRepeats) {
  fund(noon, 1, 100);
  const TimestampMs now = noon + 50'000;
  std::vector<std::int64_t> seen;
  std::optional<std::uint64_t> before;
  do {
    const auto page = view_.portfolio_history(account_of(1), Cadence::seconds_5, now, before, 4);
    for (auto point = page.points.rbegin(); point != page.points.rend(); ++point)
      seen.push_back((point->at_ms - noon) / 5'000);
    before = page.next;
  } while (before);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(PortfolioTest, EverySampleEqualsTheFiguresOfTheEngineAtItsInstant) {
  Prng prng(7);
  std::map<std::pair<std::uint8_t, TimestampMs>, i128> expected;
  price(noon, 120'000);
  for (std::uint8_t account = 1; account <= 4; ++account) fund(noon, account, 50'000);
  TimestampMs now = noon;
  for (int step = 0; step < 600; ++step) {
    const TimestampMs next = now + static_cast<std::int64_t>(prng.below(9'000));
    // Nothing happens in between: the engine's state is constant.
    for (TimestampMs at = (now + 4'999) / 5'000 * 5'000; at < next; at += 5'000)
      for (std::uint8_t account = 1; account <= 4; ++account)
        expected[{account, at}] = engine_.account(account_of(account)).equity.value;
    now = next;
    const auto account = static_cast<std::uint8_t>(1 + prng.below(4));
    if (prng.below(3) == 0)
      price(now, 120'000 + prng.between(-3'000, 3'000));
    else if (prng.below(40) == 0)
      apply(now, engine::SettleFunding{});
    else
      order(now, account, prng.below(2) == 0 ? engine::Side::buy : engine::Side::sell,
            120'000 + prng.between(-2'000, 2'000), prng.between(1, 400));
    if (step % 100 != 99) continue;
    for (std::uint8_t who = 1; who <= 4; ++who) {
      const auto page = view_.portfolio_history(account_of(who), Cadence::seconds_5, now - 1, std::nullopt, 720);
      for (const auto& point : page.points) {
        const bool same = point.figures.equity == expected.at({who, point.at_ms});
        ASSERT_TRUE(same) << "account " << int{who} << " at " << point.at_ms;
      }
    }
  }
}

TEST_F(PortfolioTest, ARestoredViewContinuesLikeTheOriginal) {
  price(noon, 120'000);
  fund(noon, 1, 10'000);
  fund(noon, 2, 10'000);
  order(noon + 1, 1, engine::Side::buy, 120'000, 100);
  order(noon + 2, 2, engine::Side::sell, 120'000, 100);
  const std::string bytes = to_archive(view_);
  VenueView copy{engine::standard_markets()};
  ArchiveReader reader(bytes);
  reader(copy);
  ASSERT_TRUE(reader.done());
  price(noon + 6'000, 121'000);
  const auto original = samples(1, noon + 10'000);
  std::swap(view_, copy);
  engine::EventLog nothing;
  view_.pass({.sequence = {engine_.sequence().value}, .at_ms = noon + 6'000});
  view_.fold({.sequence = {engine_.sequence().value}, .at_ms = noon + 6'000},
             engine::MarkChanged{.market = {}, .index = Ticks{121'000}, .mark = Ticks{121'000}});
  EXPECT_EQ(samples(1, noon + 10'000), original);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
