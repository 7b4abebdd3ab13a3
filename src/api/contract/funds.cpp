#include "api/contract/funds.h"

#include "base/integer_text.h"
#include "base/json_text.h"

namespace svc::api {
namespace {

bool read_amount(JsonReader& reader, void* value) {
  return reader.text_or_number(static_cast<WithdrawalAmount*>(value)->text);
}

void write_amount(std::string& out, const void* value) {
  append_json_string(out, static_cast<const WithdrawalAmount*>(value)->text);
}

bool read_nonce(JsonReader& reader, void* value) {
  std::string text;
  if (!reader.text_or_number(text)) return false;
  const auto nonce = parse_integer<std::uint64_t>(text);
  if (!nonce || std::to_string(*nonce) != text) return false;
  static_cast<WithdrawalNonce*>(value)->value = *nonce;
  return true;
}

void write_nonce(std::string& out, const void* value) {
  out += std::to_string(static_cast<const WithdrawalNonce*>(value)->value);
}

}  // namespace

constinit const CustomForm WithdrawalAmount::form{.read = &read_amount,
                                                  .write = &write_amount,
                                                  .expected = "a decimal as text, or a number",
                                                  .schema = R"({"oneOf":[{"type":"string"},{"type":"number"}]})"};
constinit const CustomForm WithdrawalNonce::form{
    .read = &read_nonce,
    .write = &write_nonce,
    .expected = "an integer of 64 bits, as a number or as text",
    .schema = R"({"oneOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]})"};

}  // namespace svc::api
