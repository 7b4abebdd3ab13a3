#include "api/contract/funds.h"

#include <charconv>

#include "api/describe.h"
#include "api/json_text.h"

namespace svc::api {
namespace {

// The content of a string, or a number unchanged.
bool read_token(JsonReader& reader, std::string& text) {
  if (reader.peek() == JsonReader::Next::string) return reader.string(text);
  std::string_view token;
  if (reader.peek() != JsonReader::Next::number || !reader.number(token)) return false;
  text = token;
  return true;
}

bool read_amount(JsonReader& reader, void* value) {
  return read_token(reader, static_cast<WithdrawalAmount*>(value)->text);
}

void write_amount(std::string& out, const void* value) {
  append_json_string(out, static_cast<const WithdrawalAmount*>(value)->text);
}

bool read_nonce(JsonReader& reader, void* value) {
  std::string text;
  if (!read_token(reader, text)) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, static_cast<WithdrawalNonce*>(value)->value);
  return error == std::errc{} && stop == end && std::to_string(static_cast<WithdrawalNonce*>(value)->value) == text;
}

void write_nonce(std::string& out, const void* value) {
  out += std::to_string(static_cast<const WithdrawalNonce*>(value)->value);
}

}  // namespace

constinit const CustomForm withdrawal_amount_form{.read = &read_amount,
                                                  .write = &write_amount,
                                                  .expected = "a decimal as text, or a number",
                                                  .schema = R"({"oneOf":[{"type":"string"},{"type":"number"}]})"};
constinit const CustomForm withdrawal_nonce_form{
    .read = &read_nonce,
    .write = &write_nonce,
    .expected = "an integer of 64 bits, as a number or as text",
    .schema = R"({"oneOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]})"};

template const TypeInfo& type_of<WithdrawalAmount>();
template const TypeInfo& type_of<WithdrawalNonce>();

template const TypeInfo& type_of<DepositCollateralRequest>();
template const TypeInfo& type_of<BalanceResponse>();
template const TypeInfo& type_of<SubmitDepositRequest>();
template const TypeInfo& type_of<DepositReceipt>();
template const TypeInfo& type_of<DepositsRequest>();
template const TypeInfo& type_of<FundsEntry>();
template const TypeInfo& type_of<SubmitWithdrawalRequest>();
template const TypeInfo& type_of<Withdrawal>();
template const TypeInfo& type_of<WithdrawalsRequest>();
template const TypeInfo& type_of<FaucetClaim>();
template const TypeInfo& type_of<CreditRequest>();
template const TypeInfo& type_of<CreditResponse>();
template const TypeInfo& type_of<DepositTarget>();
template const TypeInfo& type_of<List<FundsEntry>>();
template const TypeInfo& type_of<List<Withdrawal>>();

}  // namespace svc::api
