#include <gtest/gtest.h>

#include "sim/views/views.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs noon = 1'700'000'000'000 / hour_ms * hour_ms;

TEST(VenueTotals, AMissingCommandIsCountedAsAGap) {
  VenueView view(engine::standard_markets());
  view.pass({.sequence = {1}, .at_ms = noon});
  view.pass({.sequence = {2}, .at_ms = noon + 1});
  EXPECT_EQ(view.totals().gaps, 0u);
  view.pass({.sequence = {5}, .at_ms = noon + 2});
  EXPECT_EQ(view.totals().gaps, 2u);
  EXPECT_EQ(view.totals().sequence.value, 5u);
  EXPECT_EQ(view.totals().since_ms, noon);
}

engine::OrderChanged ended_order(const Address& account, std::uint64_t id) {
  engine::OrderChanged changed;
  changed.order.id = {id};
  changed.order.account = account;
  changed.order.status = engine::OrderStatus::cancelled;
  return changed;
}

TEST(EndedOrders, BeyondABoundOfAllTheAccountsWithMostLoseTheirOldest) {
  VenueView view(engine::standard_markets(), 160);
  const Address most{{1}};
  const Address fewer{{2}};
  const Address fewest{{3}};
  std::uint64_t id = 0;
  const auto end = [&](const Address& account, int count) {
    for (int i = 0; i < count; ++i) view.fold({}, ended_order(account, ++id));
  };
  const auto kept = [&](const Address& account) { return view.account(account).ended_orders().rows().size(); };
  end(most, 100);
  end(fewer, 50);
  end(fewest, 10);
  EXPECT_EQ(kept(most), 100u);
  end(fewest, 1);
  EXPECT_EQ(kept(most), 89u);
  EXPECT_EQ(kept(fewer), 50u);
  EXPECT_EQ(kept(fewest), 11u);
  EXPECT_EQ(view.account(most).order({11}), nullptr);
  EXPECT_NE(view.account(most).order({12}), nullptr);

  VenueView restored = view.empty_like();
  ArchiveReader(to_archive(view))(restored);
  for (VenueView* each : {&view, &restored}) {
    for (std::uint64_t i = 0; i < 11; ++i) each->fold({}, ended_order(fewest, 1'000 + i));
    EXPECT_EQ(each->account(most).ended_orders().rows().size(), 78u);
    EXPECT_EQ(each->account(fewest).ended_orders().rows().size(), 22u);
  }
}

TEST(ThroughputWindow, HoldsTheActiveSecondsOfAnHour) {
  ThroughputWindow window;
  for (std::int64_t second = 0; second < 10'000; ++second) window.at(noon + second * second_ms).fills += 1;
  // The running second, and the hour before it.
  EXPECT_EQ(window.granules().size(), limits::throughput_samples_max + 1);
  const TimestampMs now = noon + 9'999 * second_ms;
  EXPECT_EQ(window.sums(now).fills, limits::throughput_samples_max + 1);
  EXPECT_EQ(window.sums(now + hour_ms).fills, 1u);
  EXPECT_EQ(window.sums(now + hour_ms + second_ms).fills, 0u);
  EXPECT_EQ(window.sums_from((now - 9 * second_ms) / second_ms).fills, 10u);
}

TEST(MonthWindow, IsTheRunningHourAndThe719BeforeIt) {
  MonthWindow<TradedVolume> window;
  window.at(noon + 1).quote += 7;
  window.at(noon + hour_ms).quote += 5;
  EXPECT_TRUE(window.sums(noon + 30 * day_ms - 1).quote == 12);
  EXPECT_TRUE(window.sums(noon + 30 * day_ms).quote == 5);
  EXPECT_TRUE(window.sums(noon + 30 * day_ms + hour_ms).quote == 0);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
