#include "api/contract/control.h"

#include <algorithm>

#include "api/describe.h"
#include "api/operation_table.h"
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

constexpr bool is_sound(const Operation* operation) {
  const auto is_named_so = [&](const Operation* other) { return other->name == operation->name; };
  constexpr auto& others = svc::api::AllOps::operations;
  return operation->path.starts_with(base_path) && std::ranges::none_of(others, is_named_so) &&
         std::ranges::count_if(AllOps::operations, is_named_so) == 1;
}
static_assert(std::ranges::all_of(AllOps::operations, is_sound), "names are unique in both tables");

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
