#include "sim/views/bounded_log.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

using Rows = std::vector<int>;

Rows values(const LogPage<int>& page) {
  Rows values;
  for (const int* row : page.rows) values.push_back(*row);
  return values;
}

TEST(BoundedLog, PagesNewestFirstUntilTheOldestRow) {
  BoundedLog<int> log(10);
  for (int row = 1; row <= 5; ++row) log.add(row);
  const auto first = log.page({}, 2);
  EXPECT_EQ(values(first), (Rows{5, 4}));
  const auto second = log.page(first.next, 2);
  EXPECT_EQ(values(second), (Rows{3, 2}));
  const auto last = log.page(second.next, 2);
  EXPECT_EQ(values(last), (Rows{1}));
  EXPECT_FALSE(last.next.has_value());
}

TEST(BoundedLog, AFullLastPageHasNoNext) {
  BoundedLog<int> log(10);
  for (int row = 1; row <= 4; ++row) log.add(row);
  const auto second = log.page(log.page({}, 2).next, 2);
  EXPECT_EQ(values(second), (Rows{2, 1}));
  EXPECT_FALSE(second.next.has_value());
}

TEST(BoundedLog, RowsAddedBetweenPagesDoNotShiftThem) {
  BoundedLog<int> log(10);
  for (int row = 1; row <= 4; ++row) log.add(row);
  const auto next = log.page({}, 2).next;
  log.add(5);
  EXPECT_EQ(values(log.page(next, 2)), (Rows{2, 1}));
}

TEST(BoundedLog, KeepsTheLatestRowsAndContinuesAtTheNearestKeptOne) {
  BoundedLog<int> log(3);
  for (int row = 1; row <= 3; ++row) log.add(row);
  const auto next = log.page({}, 1).next;  // continues at row 2
  log.add(4);
  EXPECT_EQ(values(log.page(next, 5)), (Rows{2}));
  log.add(5);
  EXPECT_EQ(values(log.page(next, 5)), (Rows{}));
  EXPECT_EQ(values(log.page({}, 5)), (Rows{5, 4, 3}));
}

TEST(BoundedLog, ARowIsFoundByItsNumberUntilItIsDropped) {
  BoundedLog<int> log(2);
  EXPECT_EQ(log.add(1), std::nullopt);
  EXPECT_EQ(log.add(2), std::nullopt);
  EXPECT_EQ(log.newest_number(), 1u);
  EXPECT_EQ(log.add(3), 1);
  EXPECT_EQ(log.row(log.newest_number()), 3);
  EXPECT_EQ(log.row(1), 2);
}

TEST(BoundedLog, AnUnknownPositionReadsTheFirstPage) {
  BoundedLog<int> log(3);
  log.add(1);
  EXPECT_EQ(values(log.page(99, 5)), (Rows{1}));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
