#include "signing/domain.h"

#include "base/encoding.h"
#include "base/text.h"
#include "signing/signed_struct.h"

namespace svc::signing {

std::vector<std::pair<std::string_view, std::string_view>> members_of(const Domain& domain) {
  std::vector<std::pair<std::string_view, std::string_view>> members{
      {"name", "string"}, {"version", "string"}, {"chainId", "uint256"}};
  if (domain.salt) members.emplace_back("salt", "bytes32");
  return members;
}

std::string type_string(const Domain& domain) {
  const auto typed = [](const auto& member) { return std::string(member.second).append(" ").append(member.first); };
  return "EIP712Domain(" + joined(members_of(domain), typed, ",") + ")";
}

Hash32 separator(const Domain& domain) {
  StructEncoder encoder(keccak256(type_string(domain)));
  encoder.add(domain.name).add(domain.version).add(domain.chain_id);
  if (domain.salt) encoder.word(*domain.salt);
  return encoder.finish();
}

Hash32 typed_data_digest(const Hash32& separator, const std::optional<Hash32>& struct_hash) {
  Keccak256 hash;
  hash.update(as_bytes("\x19\x01"));
  hash.update(separator);
  if (struct_hash) hash.update(*struct_hash);
  return hash.finish();
}

Hash32 network_salt(std::string_view network) {
  return keccak256(network);
}

Domain action_domain(std::string name, std::uint64_t chain_id) {
  return {.name = std::move(name), .chain_id = chain_id};
}

Domain registration_domain(std::string name, std::uint64_t chain_id, std::string_view network) {
  return {.name = std::move(name), .chain_id = chain_id, .salt = network_salt(network)};
}

}  // namespace svc::signing
