#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace svc {
namespace SVC_FILE {

bool is_json(std::string_view text, std::size_t depth_max = 16) {
  JsonReader reader(text, depth_max);
  std::string_view value;
  return reader.any(value) && reader.at_end();
}

TEST(JsonReader, AcceptsWhatTheGrammarAllows) {
  for (const char* text : {"null", " true ", "false", "0", "-0", "10.25", "-1e9", "1E+2", "1.5e-3", "\"\"",
                           "\"\\u00e9\\n\"", "\"\\ud83d\\ude00\"", "[]", "[ ]", "{}", "{ }", "[1,2]",
                           "{\"a\":[{}],\"b\":null}", "\t\r\n{\"a\" : 1 , \"b\" : 2}\n"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
}

TEST(JsonReader, RefusesWhatTheGrammarDoesNot) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "True",
                           "tru",
                           "01",
                           "-",
                           "-01",
                           "+1",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "0x1",
                           "NaN",
                           "Infinity",
                           "1 2",
                           "'a'",
                           "\"",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\ud83d\"",
                           "\"\\ud83dx\"",
                           "\"\\ud83d\\u0041\"",
                           "\"\\ude00\"",
                           "\"\n\"",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{",
                           "}",
                           "{a:1}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{,}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":1]",
                           "[1}",
                           "{} {}",
                           "[] x",
                           "// c\n1",
                           "[1/*c*/]",
                           "\xef\xbb\xbf{}"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(JsonReader, RefusesBytesThatAreNotUtf8) {
  for (const char* text : {"\"\x80\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xe0\x80\xaf\"", "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xff\""}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
  EXPECT_TRUE(is_json("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""));
}

TEST(JsonReader, DepthIsBoundedAtTheEdge) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(is_json(nested(16), 16));
  EXPECT_FALSE(is_json(nested(17), 16));
  EXPECT_FALSE(is_json(std::string(100'000, '['), 16));
}

TEST(JsonReader, EscapesAndPlainTextGiveTheSameString) {
  JsonReader reader(R"(["é😀/\"\\", "\u00e9\ud83d\ude00\/\"\\"])", 4);
  std::string plain;
  std::string escaped;
  ASSERT_TRUE(reader.open_array() && reader.next_element() && reader.string(plain) && reader.next_element() &&
              reader.string(escaped) && !reader.next_element() && reader.at_end());
  EXPECT_EQ(plain, escaped);
  EXPECT_EQ(plain, "é😀/\"\\");
}

TEST(JsonReader, ValueTextIsReturnedUnchanged) {
  JsonReader reader(R"({"a": [1, {"b" :2.50}] ,"c":3})", 4);
  std::string name;
  std::string_view value;
  ASSERT_TRUE(reader.open_object() && reader.next_member(name) && reader.any(value));
  EXPECT_EQ(value, R"([1, {"b" :2.50}])");
  ASSERT_TRUE(reader.next_member(name) && reader.number(value));
  EXPECT_EQ(name, "c");
  EXPECT_EQ(value, "3");
  EXPECT_FALSE(reader.next_member(name));
  EXPECT_FALSE(reader.failed());
}

TEST(JsonWriter, WritesNestedValuesInOrder) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("z").text("a\"b").key("a").begin_array().integer(-1).null().boolean(true).end_array();
  json.key("o").begin_object().end_object().key("raw").raw("1.50").end_object();
  EXPECT_EQ(out, R"({"z":"a\"b","a":[-1,null,true],"o":{},"raw":1.50})");
}

TEST(JsonWriter, EveryByteRoundTrips) {
  std::string text;
  for (char c = 0; c < 0x7f; ++c) text += c;
  text += "\x7f é €";
  std::string json;
  append_json_string(json, text);
  for (const char c : json) EXPECT_GE(static_cast<unsigned char>(c), 0x20);

  JsonReader reader(json, 1);
  std::string back;
  ASSERT_TRUE(reader.string(back) && reader.at_end());
  EXPECT_EQ(back, text);
}

}  // namespace SVC_FILE
}  // namespace svc
