#include "cli/terminal/json.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc::cli {
namespace SVC_FILE {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Json, KeepsADocumentAsItWasReceived) {
  for (const std::string text :
       {R"({"b":1,"a":0.10,"":null})", "[-0,1e400,12345678901234567890123,true,{},[]]", R"("\u20ac")", "7"}) {
    const auto document = parse_json(text);
    ASSERT_TRUE(document.has_value()) << text << ": " << document.error();
    EXPECT_EQ(document->dump(), text == R"("\u20ac")" ? "\"\xe2\x82\xac\"" : text);
  }
  EXPECT_EQ(parse_json("\xEF\xBB\xBF[1]")->dump(), "[1]");
  EXPECT_TRUE(parse_json(nested(limits::json_depth_max)).has_value());
}

std::string zeros(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += "0,";
  text.back() = ']';
  return text;
}

TEST(Json, OfTooManyValuesIsNotRead) {
  ASSERT_TRUE(parse_json(zeros(limits::json_values_max - 1)).has_value()) << "with the array itself it is the most";
  const auto document = parse_json(zeros(limits::json_values_max));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error(), "the JSON has more than 2000000 values");
}

TEST(Json, AMalformedTextIsToldWithItsPlaceAndReason) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "malformed JSON at byte 0: a value is due"},
      {"{\"a\":.5}", "malformed JSON at byte 5: a value is due"},
      {"[1,]", "malformed JSON at byte 3: a value is due"},
      {R"({"b":1,"b":2})", "malformed JSON at byte 11: the member b stands twice"},
      {"{} x", "malformed JSON at byte 3: something follows the value"},
      {"\xEF\xBB\xBF[", "malformed JSON at byte 4: the text ends early"},
      {"\"\xff\"", "malformed JSON at byte 1: a string is not UTF-8"},
      {nested(limits::json_depth_max + 1), "malformed JSON at byte 64: nested too deeply"},
  };
  for (const auto& [text, error] : rows) {
    const auto document = parse_json(text);
    ASSERT_FALSE(document.has_value()) << text;
    EXPECT_EQ(document.error(), error);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
