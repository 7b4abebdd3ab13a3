#include "sim/views/candle_series.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

TEST(StepSeries, AValueHoldsUntilTheNextStep) {
  StepSeries<int> series;
  EXPECT_EQ(series.first(), std::nullopt);
  series.put(5, 1, 100);
  series.put(9, 2, 100);
  EXPECT_EQ(series.first(), 5);
  EXPECT_EQ(series.at(5), 1);
  EXPECT_EQ(series.at(8), 1);
  EXPECT_EQ(series.at(9), 2);
  EXPECT_EQ(series.at(1'000), 2);
}

TEST(StepSeries, AnUnchangedValueIsNotStored) {
  StepSeries<int> series;
  for (int i = 0; i < 1'000; ++i) series.put(i, 7, 10);
  EXPECT_EQ(series.steps(), 1u);
  EXPECT_EQ(series.at(0), 7);
}

TEST(StepSeries, KeepsTheStepInEffectAtTheOldestPointAndNoneBefore) {
  StepSeries<int> series;
  series.put(0, 1, 10);
  series.put(4, 2, 10);
  series.put(12, 3, 10);  // points 3 to 12 remain; 3 is in the first step
  EXPECT_EQ(series.steps(), 3u);
  EXPECT_EQ(series.at(3), 1);
  series.put(13, 4, 10);
  EXPECT_EQ(series.steps(), 3u);
  EXPECT_EQ(series.at(4), 2);
  for (int i = 14; i < 1'000; ++i) series.put(i, i, 10);
  EXPECT_EQ(series.steps(), 10u);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
