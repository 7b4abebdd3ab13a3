// Histories that cannot have happened are found out, and those that can are not.

#include "cluster/order_history.h"

#include <gtest/gtest.h>

namespace svc::cluster {
namespace SVC_FILE {

using enum Answer;
using Found = std::multimap<std::string, std::string>;

// The only violation; empty if there is none.
std::string violation(const OrderHistory& history) {
  const auto all = history.violations();
  EXPECT_LE(all.size(), 1u);
  return all.empty() ? "" : all.front();
}

OrderHistory placed_and_amended() {
  OrderHistory history;
  history.write("o", "100", {10, 20}, acknowledged);
  history.write("o", "101", {30, 40}, acknowledged);
  return history;
}

TEST(OrderHistory, ReadsFindEachVersionFromItsAnswerUntilTheNextIsAnswered) {
  OrderHistory history = placed_and_amended();
  history.write("o", "", {50, 60}, acknowledged);
  history.read({1, 9}, {}, "at a");
  history.read({12, 14}, {}, "at a");
  history.read({15, 17}, {{"o", "100"}}, "at a");
  history.read({21, 29}, {{"o", "100"}}, "at b");
  history.read({31, 33}, {{"o", "100"}}, "at b");
  history.read({34, 36}, {{"o", "101"}}, "at a");
  history.read({41, 49}, {{"o", "101"}}, "at b");
  history.read({51, 53}, {{"o", "101"}}, "at b");
  history.read({54, 56}, {}, "at b");
  history.read({61, 69}, {}, "at a");
  EXPECT_EQ(violation(history), "");
}

TEST(OrderHistory, ReadsAtTheSameTimeMayDiffer) {
  OrderHistory history = placed_and_amended();
  history.read({31, 39}, {{"o", "101"}}, "at a");
  history.read({32, 38}, {{"o", "100"}}, "at b");
  EXPECT_EQ(violation(history), "");
}

TEST(OrderHistory, AnAcknowledgedOrderThatIsNotFoundIsLost) {
  OrderHistory history;
  history.write("o", "100", {10, 20}, acknowledged);
  history.read({21, 29}, {}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds nothing, though 100 had been acknowledged");
}

TEST(OrderHistory, AnOldPriceAfterAnAcknowledgedAmendIsFound) {
  OrderHistory history = placed_and_amended();
  history.read({41, 49}, {{"o", "100"}}, "at b");
  EXPECT_EQ(violation(history), "o: a read at b finds 100, though 101 had been acknowledged");
}

TEST(OrderHistory, ACancelledOrderIsNotThereAgain) {
  OrderHistory history = placed_and_amended();
  history.write("o", "", {50, 60}, acknowledged);
  history.read({61, 69}, {{"o", "101"}}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds 101, though its cancel had been acknowledged");
}

TEST(OrderHistory, NoReadGoesBack) {
  OrderHistory history;
  history.write("o", "100", {10, 90}, acknowledged);
  history.read({20, 30}, {{"o", "100"}}, "at a");
  history.read({31, 40}, {}, "at b");
  EXPECT_EQ(violation(history), "o: a read at b finds nothing, though an earlier read found a newer state");
}

TEST(OrderHistory, ARefusedWriteIsNeverThere) {
  OrderHistory history = placed_and_amended();
  history.write("o", "102", {50, 60}, refused);
  history.read({51, 52}, {{"o", "101"}}, "at a");
  history.read({61, 69}, {{"o", "102"}}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds 102, which was refused");
}

TEST(OrderHistory, NothingIsFoundBeforeItWasSent) {
  OrderHistory history = placed_and_amended();
  history.read({21, 29}, {{"o", "101"}}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds 101, which had not been sent");
}

TEST(OrderHistory, AnOrderThatNobodySentIsFoundOut) {
  OrderHistory history;
  history.read({1, 2}, {{"o", "100"}}, "at a");
  EXPECT_EQ(violation(history), "o: found at a, and was never sent");
}

TEST(OrderHistory, AnOrderIsThereOnce) {
  OrderHistory history = placed_and_amended();
  history.read({41, 49}, {{"o", "101"}, {"o", "101"}}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds it 2 times");
}

TEST(OrderHistory, AWriteWithoutAnAnswerMayHappenLateOrNever) {
  OrderHistory history;
  history.write("late", "100", {10, 20}, unknown);
  history.write("never", "100", {10, 20}, unknown);
  history.read({21, 29}, {}, "at a");
  history.read({31, 39}, {{"late", "100"}}, "at b");
  EXPECT_EQ(violation(history), "");
}

TEST(OrderHistory, AWriteWithoutAnAnswerStaysOnceItWasFound) {
  OrderHistory history;
  history.write("o", "100", {10, 20}, unknown);
  history.read({21, 29}, {{"o", "100"}}, "at a");
  history.read({31, 39}, {}, "at b");
  EXPECT_EQ(violation(history), "o: a read at b finds nothing, though an earlier read found a newer state");
}

TEST(OrderHistory, ACancelWithoutAnAnswerIsNotTakenBack) {
  OrderHistory history = placed_and_amended();
  history.write("o", "", {50, 60}, unknown);
  history.read({61, 69}, {{"o", "101"}}, "at a");
  history.read({71, 79}, {}, "at b");
  EXPECT_EQ(violation(history), "");
  history.read({81, 89}, {{"o", "101"}}, "at a");
  EXPECT_EQ(violation(history), "o: a read at a finds 101, though an earlier read found a newer state");
}

TEST(OrderHistory, OpenEndsAreOrdersThatMayStillAppear) {
  OrderHistory history;
  history.write("found", "100", {10, 20}, unknown);
  history.write("open", "100", {10, 20}, unknown);
  history.write("known", "100", {10, 20}, acknowledged);
  history.read({21, 29}, {{"found", "100"}, {"known", "100"}}, "at a");
  OrderHistory rest = history.open_ends();
  rest.read({31, 39}, {{"open", "100"}}, "at a");
  EXPECT_EQ(violation(rest), "");
  rest.read({41, 49}, {{"open", "100"}, {"found", "100"}}, "at a");
  EXPECT_EQ(violation(rest), "found: found at a, and was never sent");
}

}  // namespace SVC_FILE
}  // namespace svc::cluster
