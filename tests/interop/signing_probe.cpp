// Our signing behind one line of JSON per question, for programs in other languages: each line of
// stdin is {"op": ..., arguments}, each line of stdout the answer. What cannot be done answers
// {"error": text}; a question that is not understood ends the program.
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "api/operation_list.h"
#include "base/encoding.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hmac.h"
#include "signing/key.h"
#include "signing/keystore.h"
#include "signing/mnemonic.h"
#include "signing/typed_data.h"

namespace {

using namespace svc;
using namespace svc::signing;
using nlohmann::json;

std::string text(const json& question, const char* name) {
  return question.at(name).get<std::string>();
}
std::uint64_t number(const json& question, const char* name) {
  return std::stoull(text(question, name));
}
Address address(const json& question, const char* name) {
  return parse_address(text(question, name)).value();
}
Bytes bytes(const json& question, const char* name) {
  return from_hex(strip_0x(text(question, name))).value();
}
PrivateKey key(const json& question) {
  return PrivateKey::from_hex(text(question, "key")).value();
}

Hash32 hash(const json& question, const char* name) {
  return from_hex_exact<32>(strip_0x(text(question, name))).value();
}

json answer_of(std::string_view type, const Domain& domain, const Hash32& struct_hash) {
  const Hash32 domain_separator = separator(domain);
  return {{"type", type},
          {"domain_separator", to_hex_0x(domain_separator)},
          {"struct_hash", to_hex_0x(struct_hash)},
          {"digest", to_hex_0x(typed_data_digest(domain_separator, struct_hash))}};
}

Domain domain_of(const json& question) {
  const std::string name = text(question, "name");
  const std::uint64_t chain_id = number(question, "chain_id");
  return question.contains("network") ? registration_domain(name, chain_id, text(question, "network"))
                                      : action_domain(name, chain_id);
}

json action(const json& question) {
  const std::string method = text(question, "method"), path = text(question, "path"), query = text(question, "query"),
                    body = text(question, "body");
  const auto built =
      api::action_at({method, path, query, body}, {address(question, "account"), text(question, "deployment"),
                                                   number(question, "timestamp_ms"), number(question, "nonce")});
  if (!built) return {{"error", built.error()}};
  return answer_of(type_string(*built), domain_of(question), struct_hash(*built));
}

json register_agent(const json& question) {
  const RegisterAgent registration{address(question, "agent"), number(question, "expires_at_ms"),
                                   number(question, "nonce")};
  return answer_of(type_string<RegisterAgent>(), domain_of(question), struct_hash(registration));
}

json withdraw(const json& question) {
  const WithdrawIntent intent{parse_uint256(text(question, "amount")).value(), address(question, "asset"),
                              number(question, "nonce")};
  return answer_of(type_string<WithdrawIntent>(), domain_of(question), struct_hash(intent));
}

json enroll(const json& question) {
  const EnrollTransferAccount enrolment{address(question, "account"), text(question, "deployment"),
                                        number(question, "timestamp_ms"), number(question, "nonce")};
  return answer_of(type_string<EnrollTransferAccount>(), domain_of(question), struct_hash(enrolment));
}

json transfer(const json& question) {
  const TransferIntent intent{
      address(question, "account"), text(question, "deployment"),         address(question, "recipient"),
      text(question, "amount"),     text(question, "client_transfer_id"), number(question, "timestamp_ms"),
      number(question, "nonce")};
  return answer_of(type_string<TransferIntent>(), domain_of(question), struct_hash(intent));
}

json list_transfers(const json& question) {
  const ListTransfers request{address(question, "account"), text(question, "deployment"), text(question, "limit"),
                              text(question, "cursor"), number(question, "timestamp_ms")};
  return answer_of(type_string<ListTransfers>(), domain_of(question), struct_hash(request));
}

json read_transfer(const json& question) {
  const ReadTransfer request{address(question, "account"), text(question, "deployment"), text(question, "transfer_id"),
                             number(question, "timestamp_ms")};
  return answer_of(type_string<ReadTransfer>(), domain_of(question), struct_hash(request));
}

json typed(const json& question) {
  const auto hashes = hash_typed_data(text(question, "document"));
  if (!hashes) return {{"error", hashes.error()}};
  return {{"type", hashes->type},
          {"domain_separator", to_hex_0x(hashes->domain_separator)},
          {"struct_hash", hashes->struct_hash ? json(to_hex_0x(*hashes->struct_hash)) : json()},
          {"digest", to_hex_0x(hashes->digest)}};
}

json sign(const json& question) {
  const PrivateKey signer = key(question);
  return {{"signature", to_string(signer.sign(hash(question, "digest")))}, {"address", to_string(signer.address())}};
}

json recover_address(const json& question) {
  const auto signature = parse_signature(text(question, "signature"));
  if (!signature) return {{"error", "not a signature"}};
  const auto signer = recover(hash(question, "digest"), *signature);
  if (!signer) return {{"error", "nobody's signature"}};
  return {{"address", to_string(*signer)}};
}

json message(const json& question) {
  return {{"digest", to_hex_0x(personal_message_digest(text(question, "text")))}};
}

json digests(const json& question) {
  const Bytes input = bytes(question, "bytes");
  return {{"keccak256", to_hex_0x(keccak256(input))}, {"sha256", to_hex_0x(sha256(input))}};
}

json checksum(const json& question) {
  return {{"address", checksum_address(address(question, "address"))}};
}

json hmac_request(const json& question) {
  const std::string method = text(question, "method"), path = text(question, "path"), query = text(question, "query"),
                    body = text(question, "body");
  const auto canonical =
      hmac_canonical({method, path, query, body}, static_cast<TimestampMs>(number(question, "timestamp_ms")));
  return {{"canonical", canonical},
          {"signature", HmacKey::from_hex(text(question, "secret")).value().sign_hex(canonical)}};
}

json agent_request(const json& question) {
  const std::string method = text(question, "method"), path = text(question, "path"), query = text(question, "query"),
                    body = text(question, "body");
  const auto canonical =
      agent_canonical({method, path, query, body}, static_cast<TimestampMs>(number(question, "timestamp_ms")),
                      number(question, "nonce"));
  return {{"canonical", canonical}, {"digest", to_hex_0x(agent_request_digest(canonical))}};
}

json seal_key(const json& question) {
  SealEntropy entropy;
  const Bytes chance = bytes(question, "entropy");
  std::copy_n(chance.begin(), 32, entropy.salt.begin());
  std::copy_n(chance.begin() + 32, 16, entropy.iv.begin());
  std::copy_n(chance.begin() + 48, 16, entropy.id.begin());
  return {{"file", write_keystore(key(question), Secret(text(question, "password")),
                                  {.n = number(question, "n"), .r = 8, .p = 1}, entropy)}};
}

json open_key(const json& question) {
  const auto opened = read_keystore(text(question, "file"), Secret(text(question, "password")));
  if (!opened) return {{"error", keystore_text(opened.error())}};
  return {{"key", opened->to_hex().reveal()}};
}

json phrase_of(const json& question) {
  return {{"phrase", mnemonic_of(bytes(question, "entropy")).reveal()}};
}

json derive(const json& question) {
  const auto seed = mnemonic_seed(text(question, "phrase"), text(question, "passphrase"));
  if (!seed) return {{"error", to_string(seed.error())}};
  const auto derived = derive_account(*seed, static_cast<std::uint32_t>(number(question, "index")));
  if (!derived) return {{"error", to_string(derived.error())}};
  return {{"key", derived->to_hex().reveal()}, {"address", to_string(derived->address())}};
}

const std::map<std::string, std::function<json(const json&)>> operations = {
    {"action", action},
    {"agent_request", agent_request},
    {"checksum", checksum},
    {"derive", derive},
    {"digests", digests},
    {"enroll", enroll},
    {"hmac_request", hmac_request},
    {"list_transfers", list_transfers},
    {"message", message},
    {"open_key", open_key},
    {"phrase_of", phrase_of},
    {"read_transfer", read_transfer},
    {"recover", recover_address},
    {"register_agent", register_agent},
    {"seal_key", seal_key},
    {"sign", sign},
    {"transfer", transfer},
    {"typed", typed},
    {"withdraw", withdraw},
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const json question = json::parse(line);
    std::cout << operations.at(question.at("op").get<std::string>())(question).dump() << '\n' << std::flush;
  }
  return EXIT_SUCCESS;
}
