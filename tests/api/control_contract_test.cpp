// The table of the control surface, and body types that only it uses.
#include <gtest/gtest.h>

#include "api/codec.h"
#include "api/contract/control.h"
#include "api/openapi.h"
#include "api/operation_table.h"
#include "base/json_text.h"

namespace svc::api::control {
namespace SVC_FILE {

constexpr bool is_sound(const Operation* operation) {
  const auto is_named_so = [&](const Operation* other) { return other->name == operation->name; };
  constexpr auto& others = svc::api::AllOps::operations;
  return operation->path.starts_with(base_path) && std::ranges::none_of(others, is_named_so) &&
         std::ranges::count_if(AllOps::operations, is_named_so) == 1;
}
static_assert(std::ranges::all_of(AllOps::operations, is_sound), "names are unique in both tables");

TEST(TypedDecimal, IsAStringOrANumberAndKeepsItsDigits) {
  EXPECT_EQ(decode_json<InsuranceGrant>(R"({"amount":"0.10"})")->amount.text, "0.10");
  EXPECT_EQ(decode_json<InsuranceGrant>(R"({"amount":0.10})")->amount.text, "0.10");
  EXPECT_EQ(to_string(decode_json<InsuranceGrant>(R"({"amount":true})").error()),
            "amount: expected a decimal, as a string or a number");
  EXPECT_EQ(to_json(InsuranceGrant{TypedDecimal("7")}), R"({"amount":"7"})");
}

TEST(Members, KeepTheirOrderAndOccurOnce) {
  const auto prices = decode_json<Prices>(R"({"B":"1","A":2})");
  ASSERT_TRUE(prices);
  EXPECT_EQ(prices->by_market[0].first, "B");
  EXPECT_EQ(prices->by_market[1].second.text, "2");
  EXPECT_EQ(to_json(*prices), R"({"B":"1","A":"2"})");
  EXPECT_EQ(to_string(decode_json<Prices>(R"({"A":1,"A":2})").error()), "duplicate field A");
}

TEST(JoinedFields, AreInWireOrderAndMayBeInherited) {
  Restored restored;
  restored.now_ms = 7;
  restored.name = "one";
  EXPECT_EQ(to_json(restored), R"({"name":"one","now_ms":7,"sequence":0})");
  EXPECT_EQ(decode_json<Restored>(R"({"sequence":9,"now_ms":7})")->sequence, 9u);
}

TEST(ControlDocument, IsTheSameEachTime) {
  EXPECT_EQ(control_document(), control_document());
}

TEST(JsonString, ReplacesInvalidUtf8) {
  std::string out;
  append_json_string(out, "a\xff\"\xc3\xa4\n");
  EXPECT_EQ(out, "\"a\xef\xbf\xbd\\\"\xc3\xa4\\n\"");
}

}  // namespace SVC_FILE
}  // namespace svc::api::control
