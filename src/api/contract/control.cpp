#include "api/contract/control.h"

#include "api/describe.h"
#include "base/json_text.h"

namespace svc::api::control {
namespace {

bool read_typed_decimal(JsonReader& reader, void* value) {
  return reader.text_or_number(static_cast<TypedDecimal*>(value)->text);
}

void write_typed_decimal(std::string& out, const void* value) {
  append_json_string(out, static_cast<const TypedDecimal*>(value)->text);
}

bool read_any_json(JsonReader& reader, void* value) {
  std::string_view text;
  if (!reader.any(text)) return false;
  static_cast<AnyJson*>(value)->text = text;
  return true;
}

void write_any_json(std::string& out, const void* value) {
  out += static_cast<const AnyJson*>(value)->text;
}

constexpr auto entries = entries_of(AllOps{});

}  // namespace

constinit const CustomForm TypedDecimal::form{
    .read = &read_typed_decimal,
    .write = &write_typed_decimal,
    .expected = "a decimal, as a string or a number",
    .schema = R"({"anyOf":[{"type":"string","format":"decimal"},{"type":"number"}]})"};

constinit const CustomForm AnyJson::form{
    .read = &read_any_json, .write = &write_any_json, .expected = "a JSON value", .schema = "{}"};

std::span<const OperationEntry> all_operations() {
  return entries;
}

}  // namespace svc::api::control

namespace svc::api {

template const TypeInfo& type_of<control::ReadyReport>();
template const TypeInfo& type_of<control::StreamWatch>();

}  // namespace svc::api
