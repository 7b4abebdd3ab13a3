// Rules for all records, checked on generated samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/codec.h"
#include "api/operation_table.h"
#include "base/json_text.h"

namespace svc::api {
namespace SVC_FILE {

std::string sample(const TypeInfo& type, const FieldInfo& field);

struct Member {
  const FieldInfo* field;
  std::string json;
};

std::vector<Member> members_of(const TypeInfo& record) {
  std::vector<Member> members;
  for (const FieldInfo& field : record.fields) {
    if (field.in == In::body) members.push_back({&field, sample(field.type(), field)});
  }
  return members;
}

std::string object_of(const std::vector<Member>& members) {
  std::string json = "{";
  for (const Member& member : members) {
    if (json.size() > 1) json += ',';
    append_json_string(json, member.field->name);
    json += ':' + member.json;
  }
  return json + '}';
}

std::string array_of(const std::vector<Member>& members) {
  std::string json = "[";
  for (const Member& member : members) json += (json.size() > 1 ? "," : "") + member.json;
  return json + ']';
}

// Samples of types with a custom form.
const std::map<std::string_view, std::string> own_forms = {
    {"CancellationReason", R"({"Stp":"CancelOldest"})"},
    {"StreamSequence", "7"},
    {"WithdrawalAmount", R"("1.50")"},
    {"WithdrawalNonce", "7"},
};

std::string sample(const TypeInfo& type, const FieldInfo& field) {
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: return R"("té\"xt")";
    case Kind::boolean: return "true";
    case Kind::int64: return "-7";
    case Kind::uint64: return "18446744073709551615";
    case Kind::uint32: return "7";
    case Kind::decimal: return R"("-1.50")";
    case Kind::number: return "2.5";
    case Kind::json_object: return R"({"a":1})";
    case Kind::address: return R"("0x1111111111111111111111111111111111111111")";
    case Kind::market_id: return R"("BTC-USDX-PERP")";
    case Kind::enumeration: {
      std::string json;
      append_json_string(json, (field.spelling != nullptr ? field.spelling : type.names)->texts.back());
      return json;
    }
    case Kind::custom: return own_forms.at(type.name);
    case Kind::optional: return sample(type.element(), field);
    case Kind::list: return '[' + sample(type.element(), field) + ',' + sample(type.element(), field) + ']';
    case Kind::map: return R"({"k":)" + sample(type.element(), field) + '}';
    case Kind::record: break;
  }
  if (const FieldInfo* body = whole_body_of(type)) return sample(body->type(), *body);
  return type.as_array ? array_of(members_of(type)) : object_of(members_of(type));
}

std::string sample(const TypeInfo& type) {
  return sample(type, FieldInfo{});
}

template <class F>
void for_every_record(F&& f) {
  const auto both = [&]<class Op>() {
    f.template operator()<typename Op::Request>(Op::op.name);
    f.template operator()<typename Op::Response>(Op::op.name);
  };
  AllOps::for_each(both);
  LegacyOps::for_each(both);
}

TEST(EveryRecord, RoundTrips) {
  for_every_record([]<class T>(std::string_view operation) {
    const std::string json = sample(type_of<T>());
    const auto value = decode_json<T>(json);
    ASSERT_TRUE(value) << operation << ": " << to_string(value.error()) << "\n" << json;
    EXPECT_EQ(to_json(*value), json) << operation;
  });
}

TEST(EveryRecord, RefusesAnUnknownFieldByName) {
  for_every_record([]<class T>(std::string_view operation) {
    const TypeInfo& type = type_of<T>();
    if (whole_body_of(type) != nullptr || type.as_array) return;
    std::string json = sample(type);
    json.insert(1, std::string(R"("zzz":[{"a":null}])") + (json.size() > 2 ? "," : ""));
    const auto value = decode_json<T>(json);
    ASSERT_FALSE(value) << operation;
    EXPECT_EQ(to_string(value.error()), "unknown field zzz") << operation;
    DecodeReport report;
    EXPECT_TRUE(decode_json<T>(json, lenient, &report)) << operation;
    EXPECT_EQ(report.unknown_fields, std::vector<std::string>{"zzz"}) << operation;
  });
}

TEST(EveryRecord, RefusesAMissingFieldByNameUnlessItMayBeAbsent) {
  for_every_record([]<class T>(std::string_view operation) {
    const std::vector<Member> members = members_of(type_of<T>());
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto rest = members;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const auto value = decode_json<T>(object_of(rest));
      const FieldInfo& field = *members[i].field;
      const bool may = may_be_absent(field) || field.type().kind == Kind::optional;
      ASSERT_EQ(static_cast<bool>(value), may) << operation << ' ' << field.name;
      if (value) continue;
      EXPECT_EQ(value.error().failure, DecodeFailure::missing_field);
      EXPECT_EQ(value.error().field, field.name) << operation;
    }
  });
}

TEST(EveryRecord, RefusesAWrongTypeByName) {
  for_every_record([]<class T>(std::string_view operation) {
    const std::vector<Member> members = members_of(type_of<T>());
    for (std::size_t i = 0; i < members.size(); ++i) {
      // Only a boolean is written as a boolean.
      auto wrong = members;
      wrong[i].json = members[i].json == "true" ? "5" : "true";
      const auto value = decode_json<T>(object_of(wrong));
      ASSERT_FALSE(value) << operation << ' ' << members[i].field->name;
      EXPECT_EQ(value.error().failure, DecodeFailure::wrong_type) << operation;
      EXPECT_EQ(value.error().field, members[i].field->name) << operation;
    }
  });
}

TEST(EveryRecord, RefusesAFieldTwice) {
  for_every_record([]<class T>(std::string_view operation) {
    const std::vector<Member> members = members_of(type_of<T>());
    for (const Member& member : members) {
      auto twice = members;
      twice.push_back(member);
      const auto value = decode_json<T>(object_of(twice));
      ASSERT_FALSE(value) << operation << ' ' << member.field->name;
      EXPECT_EQ(value.error().failure, DecodeFailure::duplicate_field) << operation;
    }
  });
}

// All records, nested ones included, each once.
std::set<const TypeInfo*> all_records() {
  std::set<const TypeInfo*> records;
  const auto visit = [&records](const auto& self, const TypeInfo& type) -> void {
    if (type.element != nullptr) self(self, type.element());
    if (type.kind != Kind::record || !records.insert(&type).second) return;
    for (const FieldInfo& field : type.fields) self(self, field.type());
  };
  for_every_record([&]<class T>(std::string_view) { visit(visit, type_of<T>()); });
  return records;
}

TEST(EveryRecord, NamesEachFieldOnceAndDescribesIt) {
  for (const TypeInfo* type : all_records()) {
    std::set<std::string_view> names;
    EXPECT_FALSE(type->name.empty());
    EXPECT_LE(type->fields.size(), 64u);
    for (const FieldInfo& field : type->fields) {
      EXPECT_TRUE(names.insert(field.name).second) << type->name << ' ' << field.name;
      EXPECT_FALSE(field.doc.empty() || field.doc.ends_with('.')) << type->name << ' ' << field.name;
      EXPECT_FALSE(field.maximum != 0 && field.in != In::query) << "page sizes are query parameters";
    }
  }
}

TEST(EveryEnumeration, HasATextForEachValueAndNoTextTwice) {
  std::set<const std::string_view*> seen;
  for (const TypeInfo* record : all_records()) {
    for (const FieldInfo& field : record->fields) {
      const TypeInfo* type = &field.type();
      while (type->element != nullptr) type = &type->element();
      if (type->kind != Kind::enumeration) continue;
      const EnumNames& names = field.spelling != nullptr ? *field.spelling : *type->names;
      const std::set<std::string_view> texts(names.texts.begin(), names.texts.end());
      EXPECT_EQ(texts.size(), names.texts.size()) << field.name;
      EXPECT_EQ(names.texts.size(), type->names->texts.size()) << field.name;
      seen.insert(names.texts.data());
    }
  }
  EXPECT_TRUE(seen.contains(trade::side_texts) && seen.contains(trade::side_lower_texts.data()) &&
              seen.contains(trade::order_type_snake_texts.data()) && seen.contains(tier_texts));
}

}  // namespace SVC_FILE
}  // namespace svc::api
