#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

using Shared = std::shared_ptr<int>;

TEST(Result, EachSideIsDestroyedOnceWhateverIsAssigned) {
  const Shared value = std::make_shared<int>(1);
  const Shared error = std::make_shared<int>(2);
  const auto references = [&] { return std::pair(value.use_count(), error.use_count()); };
  {
    Result<Shared, Shared> good = value;
    Result<Shared, Shared> bad = unexpected(error);
    EXPECT_EQ(references(), std::pair(2L, 2L));
    const Result<Shared, Shared> copy = good;
    EXPECT_EQ(references(), std::pair(3L, 2L));
    good = bad;  // from a value to an error
    EXPECT_FALSE(good);
    EXPECT_EQ(references(), std::pair(2L, 3L));
    bad = copy;  // and back
    EXPECT_EQ(*bad, value);
    EXPECT_EQ(references(), std::pair(3L, 2L));
    const Result<Shared, Shared>& itself = bad;
    bad = itself;
    EXPECT_EQ(*bad, value);
    const Result<Shared, Shared> moved = std::move(bad);
    EXPECT_EQ(*moved, value);
    EXPECT_EQ(references(), std::pair(3L, 2L));
  }
  EXPECT_EQ(references(), std::pair(1L, 1L));
}

TEST(Result, IsCopiedOnlyIfBothSidesAreAndStaysTrivialIfTheyAre) {
  static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>, Text>>);
  static_assert(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>, Text>>);
  static_assert(std::is_trivially_copy_constructible_v<Result<int, char>>);
  static_assert(std::is_trivially_destructible_v<Result<int, char>>);
  static_assert(Result<int, char>(7).value() == 7);
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
