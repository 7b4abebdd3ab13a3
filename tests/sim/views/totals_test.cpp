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
