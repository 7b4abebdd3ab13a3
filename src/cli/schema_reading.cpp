#include "cli/schema_reading.h"

#include <algorithm>

namespace svc::cli {
namespace {

bool is_type(const Json& value, std::string_view type) {
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
}

std::optional<std::string> wrong_kind(const Json& value, const Json& schema, const std::string& path) {
  if (const Json* word = schema.find("const"); word != nullptr && word->dump() != value.dump()) {
    return path + ": expected " + word->dump() + ", not " + value.dump();
  }
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
  const bool fits = std::any_of(any->items().begin(), any->items().end(),
                                [&](const Json& one) { return !mismatch(value, one, path); });
  if (fits) return std::nullopt;
  return path + ": fits none of its forms: " + value.dump();
}

// The records behind lists and the absence of any.
const Json& record_schema(const Json& schema) {
  const Json* inner = &schema;
  while (const Json* items = inner->find("items")) inner = items;
  return *inner;
}

}  // namespace

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

std::vector<std::string> member_names(const Json& schema) {
  const Json& record = record_schema(schema);
  std::vector<std::string> names;
  if (const Json* properties = record.find("properties")) names = properties->keys();
  if (const Json* any = record.find("anyOf")) {
    for (const Json& form : any->items()) {
      for (std::string& name : member_names(form)) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
      }
    }
  }
  return names;
}

const Json& form_of(const Json& record, const Json& schema) {
  const Json& forms = record_schema(schema);
  const Json* any = forms.find("anyOf");
  if (any == nullptr) return forms;
  for (const Json& form : any->items()) {
    if (!mismatch(record, form, "")) return form;
  }
  return forms;
}

bool may_have(const Json& schema, std::string_view path) {
  const Json& record = record_schema(schema);
  if (path.empty()) return true;
  if (const Json* any = record.find("anyOf")) {
    return std::any_of(any->items().begin(), any->items().end(), [&](const Json& one) { return may_have(one, path); });
  }
  const auto dot = path.find('.');
  const std::string_view rest = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  if (const Json* properties = record.find("properties")) {
    if (const Json* member = properties->find(path.substr(0, dot))) return may_have(*member, rest);
    const Json* others = record.find("additionalProperties");
    return others != nullptr && others->is(Json::Kind::object);
  }
  // Of an object that is not described anything may be asked; of a text nothing.
  const Json* type = record.find("type");
  if (type == nullptr) return record.find("const") == nullptr;
  if (type->is(Json::Kind::string)) return type->text() == "object";
  return std::any_of(type->items().begin(), type->items().end(), [](const Json& one) { return one.text() == "object"; });
}

}  // namespace svc::cli
