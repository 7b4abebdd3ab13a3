// Expectations rewritten with what came.

#include <gtest/gtest.h>

#include "sim/scenario/scenario_file.h"

namespace svc::sim::scenario {
namespace SVC_FILE {

// The market, and money for two.
const std::string beginning =
    "topic update\n"
    "market X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0\n"
    "deposit alice 1000   # play money\ndeposit bob 1000\nmark X 12\n\n"
    "= U-1 a trade\n";

std::string updated(const std::string& story) {
  const auto text = update_story_text(beginning + story);
  EXPECT_TRUE(text.has_value()) << (text ? "" : text.error());
  return text ? text->substr(beginning.size()) : "";
}

TEST(StoryUpdate, KeepsQuotedKeysCommentsAndLineEnds) {
  const std::string story =
      "deposit \"al ice\" 500\r\n"
      "bob sells 1 @ 12.5\r\n"
      "accounts\n"
      "  name      balance  # what each has\n"
      "  # in between\n"
      "  \"al ice\"  1   # her money\n"
      "  carol     5\n"
      "  bob       1\n";
  EXPECT_EQ(updated(story),
            "deposit \"al ice\" 500\r\n"
            "bob sells 1 @ 12.5 -> InvalidTickSize\r\n"
            "accounts\n"
            "  name      balance # what each has\n"
            "  # in between\n"
            "  \"al ice\"  500 # her money\n"
            "  carol     5\n"
            "  bob       1000\n");
}

TEST(StoryUpdate, WritesClosuresOfAnyAccountSoThatTheyAreReadAgain) {
  const std::string text =
      "market X tick 1 lot 1 tiers 0:0.1:0.05 max_leverage 10 maker_ppm 0 taker_ppm 0 band 0.9 liq_fee_ppm 0\n"
      "deposit al 20\ndeposit \"b b\" 100\ndeposit c:c,c 100\n= E-1 adl\nmark X 100\n\"b b\" buys 1 @ 100\n"
      "c:c,c buys 1 @ 100\nal sells 2 @ 100\nmark X 150\nevents\n";
  const auto updated = update_story_text(text);
  ASSERT_TRUE(updated.has_value()) << updated.error();
  EXPECT_NE(updated->find(R"(closures "b\u0020b":1:40,"c\u003ac\u002cc":1:40)"), updated->npos) << *updated;
  const auto report = run_scenarios(*updated);
  ASSERT_TRUE(report.has_value()) << report.error();
  EXPECT_EQ(report->count(Verdict::passed), 1u) << *updated;
}

TEST(StoryUpdate, LeavesACommonStepThatEndsOtherwiseElsewhere) {
  std::string before = beginning;
  before.insert(before.find("= U-1"), "bob sells 1 @ 12.5\n");
  const std::string text = before + "trades\n\n= U-2 a finer market\nmarket X tick 0.5 lot 1 tiers 0:0.1:0.05 " +
                           "max_leverage 10 maker_ppm 0 taker_ppm 0\ntrades\n";
  const auto after = update_story_text(text);
  ASSERT_TRUE(after.has_value()) << after.error();
  EXPECT_NE(after->find("bob sells 1 @ 12.5\n"), std::string::npos) << *after;
}

TEST(StoryUpdate, RewritesTheRefusalsOfTheCommonSteps) {
  std::string before = beginning;
  before.insert(before.find("= U-1"), "bob sells 1 @ 12.5\n");
  const auto text = update_story_text(before + "trades\n\n= U-2 another\ntrades\n");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("bob sells 1 @ 12.5 -> InvalidTickSize\n"), std::string::npos) << *text;
}

TEST(StoryUpdate, RewritesWhatDiffersAndNothingElse) {
  const std::string wrong =
      "bob sells 3 @ 12 as b\n"
      "bob sells 2 @ 13          # rests\n"
      "alice buys 4 @ 12 as a -> InvalidTickSize   # not refused\n"
      "alice buys 1 @ 12.5\n"
      "book\n"
      "    14 | 9 bob\n"
      "    ------\n"
      "orders\n"
      "  label status quantity\n"
      "  a     Filled .\n"
      "  b     Filled 3\n"
      "accounts\n"
      "  name   balance\n"
      "  alice  1.00\n"
      "  bob    1000.0\n"
      "trades\n";
  const std::string right =
      "bob sells 3 @ 12 as b\n"
      "bob sells 2 @ 13          # rests\n"
      "alice buys 4 @ 12 as a # not refused\n"
      "alice buys 1 @ 12.5 -> InvalidTickSize\n"
      "book\n"
      "    13 | 2 bob\n"
      "    --------\n"
      "    12 | 1 alice\n"
      "orders\n"
      "  label  status           quantity\n"
      "  a      PartiallyFilled  .\n"
      "  b      Filled           3\n"
      "accounts\n"
      "  name   balance\n"
      "  alice  1000\n"
      "  bob    1000.0\n"
      "trades\n"
      "  taker_side  quantity  price  taker  maker\n"
      "  buy         3         12     alice  bob\n";
  EXPECT_EQ(updated(wrong), right);
  EXPECT_EQ(updated(right), right);
  const auto report = run_scenarios(beginning + right);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->count(Verdict::passed), 1u);
}

TEST(StoryUpdate, OfWhatCannotBeToldIsAnError) {
  EXPECT_FALSE(update_story_text("{\"vectors\": []}").has_value());
  EXPECT_FALSE(update_story_text("market X tick 1 lot 1\n= A b\nnonsense\n").has_value());
}

}  // namespace SVC_FILE
}  // namespace svc::sim::scenario
