// The types of the wire with a form of their own.
#include "api/contract/control.h"
#include "api/contract/funds.h"
#include "api/contract/streams.h"
#include "base/json_text.h"
#include "base/text.h"

namespace svc::api {
namespace {

template <class T>
bool read_text_or_number(JsonReader& reader, void* value) {
  return reader.text_or_number(static_cast<T*>(value)->text);
}

template <class T>
void write_as_text(std::string& out, const void* value) {
  append_json_string(out, static_cast<const T*>(value)->text);
}

// As a number or as text; `canonical`: without leading zeros.
template <class T, bool canonical>
bool read_whole_number(JsonReader& reader, void* value) {
  std::string text;
  if (!reader.text_or_number(text)) return false;
  const auto number = parse_integer<std::uint64_t>(text);
  if (!number || (canonical && std::to_string(*number) != text)) return false;
  static_cast<T*>(value)->value = *number;
  return true;
}

template <class T>
void write_whole_number(std::string& out, const void* value) {
  out += std::to_string(static_cast<const T*>(value)->value);
}

constexpr std::string_view whole_number_schema =
    R"({"oneOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]})";

// "User" or {"Stp":"CancelNewest"}
bool read_reason(JsonReader& reader, void* value) {
  auto& reason = *static_cast<CancellationReason*>(value);
  if (reader.peek() == JsonReader::Next::string) return reader.string(reason.word);
  if (reader.peek() != JsonReader::Next::object || !reader.open_object()) return false;
  std::string name;
  std::string mode;
  if (!reader.next_member(name) || name != "Stp" || reader.peek() != JsonReader::Next::string || !reader.string(mode))
    return false;
  reason.stp = parse<StpMode>(mode);
  return reason.stp.has_value() && !reader.next_member(name) && !reader.failed();
}

void write_reason(std::string& out, const void* value) {
  const auto& reason = *static_cast<const CancellationReason*>(value);
  if (!reason.stp) return append_json_string(out, reason.word);
  JsonWriter(out).begin_object().key("Stp").text(to_string(*reason.stp)).end_object();
}

bool read_any_json(JsonReader& reader, void* value) {
  std::string_view text;
  if (!reader.any(text)) return false;
  static_cast<control::AnyJson*>(value)->text = text;
  return true;
}

void write_any_json(std::string& out, const void* value) {
  out += static_cast<const control::AnyJson*>(value)->text;
}

}  // namespace

constinit const CustomForm CancellationReason::form{
    .read = &read_reason,
    .write = &write_reason,
    .expected = "a string or {\"Stp\": mode}",
    .schema = R"({"oneOf":[{"type":"string"},{"type":"object","required":["Stp"],"properties":{"Stp":)"
              R"({"type":"string","enum":["CancelNewest","CancelOldest","DecrementAndCancel"]}}}]})"};

constinit const CustomForm WithdrawalAmount::form{.read = &read_text_or_number<WithdrawalAmount>,
                                                  .write = &write_as_text<WithdrawalAmount>,
                                                  .expected = "a decimal as text, or a number",
                                                  .schema = R"({"oneOf":[{"type":"string"},{"type":"number"}]})"};

constinit const CustomForm WithdrawalNonce::form{.read = &read_whole_number<WithdrawalNonce, true>,
                                                 .write = &write_whole_number<WithdrawalNonce>,
                                                 .expected = "an integer of 64 bits, as a number or as text",
                                                 .schema = whole_number_schema};

constinit const CustomForm StreamSequence::form{.read = &read_whole_number<StreamSequence, false>,
                                                .write = &write_whole_number<StreamSequence>,
                                                .expected = "a whole number from 0 on",
                                                .schema = whole_number_schema};

constinit const CustomForm control::TypedDecimal::form{
    .read = &read_text_or_number<control::TypedDecimal>,
    .write = &write_as_text<control::TypedDecimal>,
    .expected = "a decimal, as a string or a number",
    .schema = R"({"anyOf":[{"type":"string","format":"decimal"},{"type":"number"}]})"};

constinit const CustomForm control::AnyJson::form{
    .read = &read_any_json, .write = &write_any_json, .expected = "a JSON value", .schema = "{}"};

}  // namespace svc::api
