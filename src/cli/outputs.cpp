#include "cli/outputs.h"

#include <algorithm>
#include <array>

#include "api/json_schema.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "cli/command_table.h"

namespace svc::cli {
namespace {

// `shape` is the name of an operation, for commands that show its answer; or members of our own, "name[:type][?]",
// separated by blanks. A type is text (if none is said), integer, boolean, object, list or any; "?" may be null, "-"
// before the name: may be absent. "[]" before them: a list of such records. "*": whatever the server sends.
struct Output {
  std::string_view command;
  std::string_view shape;
};

constexpr std::array outputs{
#include "cli/outputs.def"
};

const Output* find_output(std::string_view command) {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) { return one.command == command; });
  return found == outputs.end() ? nullptr : &*found;
}

struct Member {
  std::string_view name;
  std::string_view type;
  bool nullable = false;
  bool required = true;
};

std::vector<Member> members_of(std::string_view shape) {
  std::vector<Member> members;
  while (!shape.empty()) {
    const auto blank = shape.find(' ');
    std::string_view word = shape.substr(0, blank);
    shape = blank == std::string_view::npos ? std::string_view{} : shape.substr(blank + 1);
    Member member{.name = {}, .type = "text"};
    if (word.starts_with('-')) {
      member.required = false;
      word.remove_prefix(1);
    }
    if (word.ends_with('?')) {
      member.nullable = true;
      word.remove_suffix(1);
    }
    const auto colon = word.find(':');
    member.name = word.substr(0, colon);
    if (colon != std::string_view::npos) member.type = word.substr(colon + 1);
    members.push_back(member);
  }
  return members;
}

std::string_view json_type(std::string_view type) {
  if (type == "text") return "string";
  if (type == "list") return "array";
  return type;
}

std::string own_schema(std::string_view shape) {
  const bool list = shape.starts_with("[]");
  if (list) shape.remove_prefix(std::min<std::size_t>(3, shape.size()));
  std::string properties;
  std::string required;
  for (const Member& member : members_of(shape)) {
    const std::string comma = properties.empty() ? "" : ",";
    const std::string type = "\"" + std::string(json_type(member.type)) + "\"";
    properties +=
        comma + quoted(member.name) + ":" +
        (member.type == "any" ? "{}" : "{\"type\":" + (member.nullable ? "[" + type + ",\"null\"]" : type) + "}");
    if (member.required) required += (required.empty() ? "" : ",") + quoted(member.name);
  }
  const std::string record =
      "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required + "]}";
  return list ? "{\"type\":\"array\",\"items\":" + record + "}" : record;
}

std::string data_schema(std::string_view shape) {
  if (shape == "*") return "{}";
  if (const api::OperationEntry* entry = api::find_operation(shape)) {
    return api::schema_of(entry->response(), {.direction = api::Direction::response});
  }
  return own_schema(shape);
}

// The subset of JSON Schema that the schemas above use.
std::optional<std::string> mismatch(const Json& value, const Json& schema, const std::string& path) {
  const auto is_type = [&](std::string_view type) {
    switch (value.kind()) {
      case Json::Kind::null: return type == "null";
      case Json::Kind::boolean: return type == "boolean";
      case Json::Kind::number:
        return type == "number" || (type == "integer" && value.text().find_first_of(".eE") == std::string::npos);
      case Json::Kind::string: return type == "string";
      case Json::Kind::array: return type == "array";
      case Json::Kind::object: return type == "object";
    }
    return false;
  };
  if (const Json* type = schema.find("type")) {
    bool fits = type->is(Json::Kind::string) && is_type(type->text());
    std::string expected = type->text();
    for (const Json& one : type->items()) {
      fits = fits || is_type(one.text());
      expected += (expected.empty() ? "" : " or ") + one.text();
    }
    if (!fits) return path + ": expected " + expected + ", not " + value.dump();
  }
  if (const Json* any = schema.find("anyOf")) {
    const bool fits = std::any_of(any->items().begin(), any->items().end(),
                                  [&](const Json& one) { return !mismatch(value, one, path); });
    if (!fits) return path + ": fits none of its forms: " + value.dump();
  }
  if (value.is(Json::Kind::array)) {
    const Json* items = schema.find("items");
    for (std::size_t i = 0; items != nullptr && i < value.items().size(); ++i) {
      if (auto wrong = mismatch(value.items()[i], *items, path + "[" + std::to_string(i) + "]")) return wrong;
    }
  }
  if (!value.is(Json::Kind::object)) return std::nullopt;
  if (const Json* required = schema.find("required")) {
    for (const Json& name : required->items()) {
      if (value.find(name.text()) == nullptr) return path + ": lacks " + name.text();
    }
  }
  if (const Json* properties = schema.find("properties")) {
    for (std::size_t i = 0; i < value.keys().size(); ++i) {
      const Json* property = properties->find(value.keys()[i]);
      if (property == nullptr) return path + "." + value.keys()[i] + ": is not in the schema";
      if (auto wrong = mismatch(value.items()[i], *property, path + "." + value.keys()[i])) return wrong;
    }
  }
  if (const Json* others = schema.find("additionalProperties"); others != nullptr && others->is(Json::Kind::object)) {
    for (std::size_t i = 0; i < value.keys().size(); ++i) {
      const Json* known = schema.at("properties");
      if (known != nullptr && known->find(value.keys()[i]) != nullptr) continue;
      if (auto wrong = mismatch(value.items()[i], *others, path + "." + value.keys()[i])) return wrong;
    }
  }
  return std::nullopt;
}

constexpr std::string_view error_schema =
    R"({"type":["object","null"],"properties":{"code":{"type":"string"},"category":{"type":"string"},)"
    R"("message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_ms":{"type":["integer","null"]},)"
    R"("details":{"type":["object","null"]},"actions":{"type":"array","items":{"type":"string"}}},)"
    R"("required":["code","category","message","retryable","retry_after_ms","details","actions"]})";

}  // namespace

std::string output_schema(const CommandRow& row) {
  const Output* output = find_output(row.path);
  std::string name = "svc." + std::string(row.path) + "/" + std::to_string(row.schema_version);
  std::replace(name.begin(), name.end(), ' ', '.');
  const std::string data = data_schema(output == nullptr ? "*" : output->shape);
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":)" + quoted(name) +
         R"(,"type":"object","properties":{"schema":{"const":)" + quoted(name) +
         R"(},"ok":{"type":"boolean"},"network":{"type":["string","null"]},"account":{"type":["string","null"]},"data":)" +
         (data == "{}" ? data : R"({"anyOf":[)" + data + R"(,{"type":"null"}]})") +
         R"(,"warnings":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},)" +
         R"("message":{"type":"string"}},"required":["code","message"]}},"error":)" + std::string(error_schema) +
         R"(,"meta":{"type":"object"}},"required":["schema","ok","network","account","data","warnings","error","meta"]})";
}

std::optional<std::string> check_output(const CommandRow& row, const Json& data) {
  const auto schema = parse_json(output_schema(row));
  SVC_ASSERT(schema.has_value());
  const Json* expected = schema->at("properties.data");
  SVC_ASSERT(expected != nullptr);
  const Json* forms = expected->find("anyOf");
  return mismatch(data, forms == nullptr ? *expected : forms->items().front(), "data");
}

std::vector<std::string_view> commands_without_output() {
  std::vector<std::string_view> missing;
  for (const std::string_view path : command_paths()) {
    if (find_output(path) == nullptr) missing.push_back(path);
  }
  return missing;
}

}  // namespace svc::cli
