// The EIP-712 domain: for which deployment a struct is signed.
//
// Three domains occur. Actions, withdrawals and transfers sign under the action domain (no salt);
// agent registrations under the same fields plus a salt made of the network's name, or, from old
// clients, without it. verifyingContract never occurs. (API: Signed trading actions)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "signing/hash.h"

namespace svc::signing {

inline constexpr std::uint64_t action_chain_id = 20056;

struct Domain {
  std::string name;
  std::string version = "1";
  std::uint64_t chain_id = action_chain_id;
  std::optional<Hash32> salt{};  // part of the domain's type only if present

  bool operator==(const Domain&) const = default;
};

// Name and type of each, in the order in which they are hashed.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> members_of(const Domain& domain);
[[nodiscard]] std::string type_string(const Domain& domain);
// The hash that names the domain in a digest. Worth keeping: it does not change from message to message.
[[nodiscard]] Hash32 separator(const Domain& domain);

// keccak256(0x1901, separator, struct hash): what is signed. Without a struct the domain alone is signed.
[[nodiscard]] Hash32 typed_data_digest(const Hash32& separator, const std::optional<Hash32>& struct_hash);

// keccak256 of the network's lower-case name: "testnet", "mainnet", "local".
[[nodiscard]] Hash32 network_salt(std::string_view network);

[[nodiscard]] Domain action_domain(std::string name, std::uint64_t chain_id = action_chain_id);
[[nodiscard]] Domain registration_domain(std::string name, std::uint64_t chain_id, std::string_view network);
// As of old clients.
[[nodiscard]] inline Domain plain_registration_domain(std::string name, std::uint64_t chain_id) {
  return action_domain(std::move(name), chain_id);
}

}  // namespace svc::signing
