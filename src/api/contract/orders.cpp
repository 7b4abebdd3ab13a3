#include "api/contract/orders.h"

#include "base/json_text.h"

namespace svc::api {
namespace {

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
  if (!reason.stp) {
    append_json_string(out, reason.word);
    return;
  }
  out += "{\"Stp\":";
  append_json_string(out, to_string(*reason.stp));
  out += '}';
}

}  // namespace

std::string history_text(const CancellationReason& reason) {
  return reason.stp ? "Stp(" + std::string(to_string(*reason.stp)) + ')' : reason.word;
}

constinit const CustomForm CancellationReason::form{
    .read = &read_reason,
    .write = &write_reason,
    .expected = "a string or {\"Stp\": mode}",
    .schema = R"({"oneOf":[{"type":"string"},{"type":"object","required":["Stp"],"properties":{"Stp":)"
              R"({"type":"string","enum":["CancelNewest","CancelOldest","DecrementAndCancel"]}}}]})"};

}  // namespace svc::api
