#include "cli/output_shape.h"

#include <algorithm>
#include <array>
#include <vector>

#include "api/json_schema.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

struct Record {
  std::string_view name;
  std::string_view members;
};

// Records of our own that stand inside others.
constexpr std::array records{
    Record{"argument", "names:[text] value? positional:boolean required:boolean choices:[text]? doc"},
    Record{"hypothesis", "hypothesis verdict evidence"},
    Record{"signed_action", "type signer nonce digest"},
    Record{"journal_intent",
           "version:integer type=intent id time time_ms:integer command operation method target? account? "
           "client_ids:[text]? nonce? body_sha256? body:any -look_for:any -unknown:boolean -carried:boolean"},
    Record{"journal_outcome",
           "version:integer type=outcome id time time_ms:integer status:integer? code? outcome exit:integer "
           "-open:boolean"},
    Record{"journal_reconciled",
           "version:integer type=reconciled id time time_ms:integer verdict evidence? -open:boolean"},
    Record{"account_key", "index:integer address private_key balance"},
    Record{"served_network", "network url host deployment domain_name"},
};

std::string schema_of_record(std::string_view record);

std::string schema_of_type(std::string_view type) {
  if (type == "any") return "{}";
  if (type.starts_with('['))
    return R"({"type":"array","items":)" + schema_of_type(type.substr(1, type.size() - 2)) + "}";
  for (const Record& one : records) {
    if (one.name == type) return schema_of_record(one.members);
  }
  if (api::find_operation(type) != nullptr) return schema_of_record(type);
  const std::string_view name = type == "text" ? "string" : type == "list" ? "array" : type;
  return "{\"type\":\"" + std::string(name) + "\"}";
}

std::string or_null(const std::string& schema) {
  constexpr std::string_view plain = R"({"type":")";
  const bool one_word = schema.starts_with(plain) && schema.find(',') == std::string::npos;
  if (!one_word) return R"({"anyOf":[)" + schema + R"(,{"type":"null"}]})";
  return R"({"type":[)" + schema.substr(plain.size() - 1, schema.size() - plain.size()) + R"(,"null"]})";
}

struct Member {
  std::string name;
  std::string schema;
  bool required = true;
};

Member member_of(std::string_view word) {
  Member member;
  if (word.starts_with('-')) {
    member.required = false;
    word.remove_prefix(1);
  }
  const bool nullable = word.ends_with('?');
  if (nullable) word.remove_suffix(1);
  const auto sign = word.find_first_of(":=");
  member.name = word.substr(0, sign);
  const std::string_view rest = sign == std::string_view::npos ? "text" : word.substr(sign + 1);
  member.schema = sign != std::string_view::npos && word[sign] == '=' ? "{\"const\":" + quoted_json(rest) + "}"
                                                                      : schema_of_type(rest);
  if (nullable && member.schema != "{}") member.schema = or_null(member.schema);
  return member;
}

std::string schema_of_record(std::string_view record) {
  if (const api::OperationEntry* entry = api::find_operation(record)) {
    return api::schema_of(entry->response(), {.direction = api::Direction::response});
  }
  if (record.ends_with("[]")) {
    const auto list = parse_json(schema_of_record(record.substr(0, record.size() - 2)));
    const Json* items = list ? list->find("items") : nullptr;
    SVC_ASSERT(items != nullptr);
    return items->dump();
  }
  std::string properties;
  std::string required;
  while (!record.empty()) {
    const auto blank = record.find(' ');
    const Member member = member_of(record.substr(0, blank));
    record = blank == std::string_view::npos ? std::string_view{} : record.substr(blank + 1);
    properties += (properties.empty() ? "" : ",") + quoted_json(member.name) + ":" + member.schema;
    if (member.required) required += (required.empty() ? "" : ",") + quoted_json(member.name);
  }
  return "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required + "]}";
}

}  // namespace

std::string schema_of_shape(std::string_view shape) {
  constexpr std::string_view list = "[] ";
  constexpr std::string_view either = " | ";
  if (shape == "*") return "{}";
  if (shape.starts_with(list)) {
    return R"({"type":"array","items":)" + schema_of_shape(shape.substr(list.size())) + "}";
  }
  if (shape.find(either) == std::string_view::npos) return schema_of_record(shape);
  std::string forms;
  for (bool more = true; more;) {
    const auto end = shape.find(either);
    more = end != std::string_view::npos;
    const std::string_view form = shape.substr(0, end);
    forms += (forms.empty() ? "" : ",") + schema_of_shape(form);
    shape.remove_prefix(more ? end + either.size() : shape.size());
  }
  return R"({"anyOf":[)" + forms + "]}";
}

}  // namespace svc::cli
