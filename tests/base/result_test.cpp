#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace svc {
namespace SVC_FILE {

using Text = std::string;

Result<std::unique_ptr<int>, Text> positive(int value) {
  if (value <= 0) return unexpected(Text("not positive"));
  return std::make_unique<int>(value);
}

Result<void, Text> check(int value) {
  SVC_TRY(positive(value));
  return {};
}

// An error constructed from another: propagation converts it.
struct Wrapped {
  Wrapped(Text text) : text(std::move(text)) {}
  Text text;
};

Result<int, Wrapped> sum(int first, int second, int& reached) {
  SVC_TRY(check(first));
  reached = 1;
  const auto kept = SVC_TRY(positive(second));
  reached = 2;
  return *kept + *SVC_TRY(positive(*SVC_TRY(positive(first))));
}

TEST(Try, GivesTheValueMovedOutOfTheResult) {
  int reached = 0;
  const auto total = sum(3, 4, reached);
  ASSERT_TRUE(total.has_value());
  EXPECT_EQ(*total, 7);
}

TEST(Try, ReturnsTheErrorAtOnceConvertedToThatOfTheFunction) {
  int reached = 0;
  EXPECT_EQ(sum(0, 4, reached).error().text, "not positive");
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(sum(3, 0, reached).error().text, "not positive");
  EXPECT_EQ(reached, 1);
}

TEST(Try, LeavesAResultThatHasANameAsItWas) {
  const Result<Text, Text> named = Text("kept");
  const auto copied = [&]() -> Result<Text, Text> { return SVC_TRY(named) + SVC_TRY(named); }();
  EXPECT_EQ(*copied, "keptkept");
  EXPECT_EQ(*named, "kept");
}

}  // namespace SVC_FILE
}  // namespace svc
