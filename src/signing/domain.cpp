#include "signing/domain.h"

#include "base/encoding.h"
#include "signing/signed_struct.h"

namespace svc::signing {
namespace {

bool is_missing(const std::optional<std::string>& text) {
  return !text || text->empty();
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> members_of(const Domain& domain) {
  std::vector<std::pair<std::string_view, std::string_view>> members{
      {"name", "string"}, {"version", "string"}, {"chainId", "uint256"}};
  if (domain.salt) members.emplace_back("salt", "bytes32");
  return members;
}

std::string type_string(const Domain& domain) {
  std::string text = "EIP712Domain(";
  for (const auto& [name, type] : members_of(domain))
    text.append(text.back() == '(' ? "" : ",").append(type).append(" ").append(name);
  return text + ")";
}

Hash32 separator(const Domain& domain) {
  StructEncoder encoder(keccak256(type_string(domain)));
  encoder.add(domain.name).add(domain.version).add(domain.chain_id);
  if (domain.salt) encoder.word(*domain.salt);
  return encoder.finish();
}

Hash32 typed_data_digest(const Hash32& separator, const Hash32& struct_hash) {
  Keccak256 hash;
  hash.update(as_bytes("\x19\x01"));
  hash.update(separator);
  hash.update(struct_hash);
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

Domain plain_registration_domain(std::string name, std::uint64_t chain_id) {
  return {.name = std::move(name), .chain_id = chain_id};
}

const char* to_string(DomainError error) {
  switch (error) {
    case DomainError::name_unknown: return "the name of the network's signing domain is not known";
    case DomainError::version_unknown: return "the version of the network's signing domain is not known";
    case DomainError::chain_id_unknown: return "the chain id of the network's signing domain is not known";
  }
  return "";
}

Result<Domain, DomainError> determine_domain(const PublishedDomain& published) {
  if (is_missing(published.name)) return unexpected(DomainError::name_unknown);
  if (is_missing(published.version)) return unexpected(DomainError::version_unknown);
  if (!published.chain_id) return unexpected(DomainError::chain_id_unknown);
  return Domain{*published.name, *published.version, *published.chain_id, std::nullopt};
}

}  // namespace svc::signing
