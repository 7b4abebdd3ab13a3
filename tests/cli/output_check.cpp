#include "cli/output_check.h"

#include <algorithm>
#include <array>

#include "cli/commands/output_shape.h"

namespace svc::cli {
namespace SVC_FILE {

bool is_type(const Json& value, std::string_view type) {
  constexpr std::array<std::string_view, 6> names{"null", "boolean", "number", "string", "array", "object"};
  if (type == "integer") return value.is(Json::Kind::number) && value.text().find_first_of(".eE") == std::string::npos;
  return type == names[static_cast<std::size_t>(value.kind())];
}

std::optional<std::string> mismatch(const Json& value, const Json& schema, const std::string& path);

std::optional<std::string> wrong_kind(const Json& value, const Json& schema, const std::string& path) {
  if (const Json* word = schema.find("const"); word != nullptr && word->dump() != value.dump())
    return path + ": expected " + word->dump() + ", not " + value.dump();
  if (const Json* type = schema.find("type")) {
    bool fits = type->is(Json::Kind::string) && is_type(value, type->text());
    std::string expected = type->text();
    for (const Json& one : type->items()) {
      fits = fits || is_type(value, one.text());
      expected += (expected.empty() ? "" : " or ") + one.text();
    }
    if (!fits) return path + ": expected " + expected + ", not " + value.dump();
  }
  const Json* any = schema.find("anyOf");
  if (any == nullptr) return std::nullopt;
  if (std::ranges::any_of(any->items(), [&](const Json& one) { return !mismatch(value, one, path); })) return {};
  return path + ": fits none of its forms: " + value.dump();
}

// What is wrong with the value, as "path: what was expected"; nullopt if nothing is.
std::optional<std::string> mismatch(const Json& value, const Json& schema, const std::string& path) {
  if (auto wrong = wrong_kind(value, schema, path)) return wrong;
  if (value.is(Json::Kind::array)) {
    const Json* items = schema.find("items");
    for (std::size_t i = 0; items != nullptr && i < value.items().size(); ++i) {
      if (auto wrong = mismatch(value.items()[i], *items, path + "[" + std::to_string(i) + "]")) return wrong;
    }
  }
  if (!value.is(Json::Kind::object)) return std::nullopt;
  if (const Json* required = schema.find("required")) {
    for (const Json& name : required->items())
      if (value.find(name.text()) == nullptr) return path + ": lacks " + name.text();
  }
  const Json* properties = schema.find("properties");
  const Json* others = schema.find("additionalProperties");
  if (properties == nullptr && (others == nullptr || !others->is(Json::Kind::object))) return std::nullopt;
  for (std::size_t i = 0; i < value.keys().size(); ++i) {
    const std::string place = path + "." + value.keys()[i];
    const Json* member = properties == nullptr ? others : properties->find(value.keys()[i]);
    if (member == nullptr) return place + ": is not in the schema";
    if (auto wrong = mismatch(value.items()[i], *member, place)) return wrong;
  }
  return std::nullopt;
}

}  // namespace SVC_FILE

std::optional<std::string> check_output(std::string_view command, const Json& data) {
  return SVC_FILE::mismatch(data, data_schema(command), "data");
}

}  // namespace svc::cli
