#include "sim/control/control_body.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

TEST(ControlBody, KeepsMembersInOrderAndNumbersAsTheyWereWritten) {
  const auto body = ControlBody::parse(R"({"b":"60000","a":0.10,"n":-7})");
  ASSERT_TRUE(body.has_value());
  ASSERT_EQ(body->members().size(), 3u);
  EXPECT_EQ(body->members()[0].first, "b");
  EXPECT_EQ(*body->decimal("b"), "60000");
  EXPECT_EQ(*body->decimal("a"), "0.10");
  EXPECT_EQ(*body->integer("n"), -7);
}

TEST(ControlBody, SaysWhatIsWrong) {
  const struct {
    const char* json;
    const char* error;
  } rows[] = {
      {"", "the body is not JSON (at byte 1)"},
      {"{", "the body is not JSON (at byte 2)"},
      {"[]", "the body must be a JSON object"},
      {"7", "the body must be a JSON object"},
      {R"({"a":1,"a":2})", "member \"a\" occurs twice"},
      {R"({"a":{}})", "member \"a\" must not be an object"},
      {R"({"a":[1]})", "member \"a\" must not be an array"},
      {R"({"a":1} x)", "the body is not JSON (at byte 9)"},
  };
  for (const auto& row : rows) {
    const auto body = ControlBody::parse(row.json);
    ASSERT_FALSE(body.has_value()) << row.json;
    EXPECT_EQ(body.error(), row.error) << row.json;
  }
}

TEST(ControlBody, TypesAreNotConverted) {
  const auto body = ControlBody::parse(R"({"t":"7","f":1.5,"b":true,"z":null})");
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->integer("t").error(), "member \"t\" must be an integer");
  EXPECT_EQ(body->integer("f").error(), "member \"f\" must be an integer");
  EXPECT_EQ(body->text("b").error(), "member \"b\" must be a string");
  EXPECT_FALSE(body->decimal("z").has_value());
  EXPECT_EQ(body->text("missing").error(), "member \"missing\" must be a string");
}

TEST(ControlBody, AMemberThatNobodyAskedForIsNamed) {
  const auto body = ControlBody::parse(R"({"amount":"1","acount":"0x"})");
  EXPECT_EQ(body->only({"amount", "account"}).error(), "unknown member \"acount\"");
  EXPECT_TRUE(body->only({"amount", "acount"}).has_value());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
