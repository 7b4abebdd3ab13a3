// HMAC API keys of this user: one file each, the secret sealed under the ring key of its account.
//
// The ring key is random and renewed at each login of a wallet on a network. It is stored sealed under a key that only
// that wallet can derive, and an open session holds it. So API secrets outlive the session, are useless without session
// or wallet, and cannot be moved to another network. The keys copied from an ended session open nothing that is stored
// now.
#pragma once

#include "base/address.h"
#include "base/clock.h"
#include "base/secret.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/machine/private_file.h"
#include "cli/store/signer.h"
#include "cli/terminal/failure.h"
#include "signing/keystore.h"

namespace svc::cli {

inline constexpr std::string_view key_file_damaged_code = "key_file_damaged";

struct ApiKeyRecord {
  std::string name;  // of its file; the key's id unless the user chose another
  std::string key_id;
  std::string network;
  Address account;
  std::optional<std::string> label;
  TimestampMs created_at_ms = 0;
};

// Newest first. There is more than one only while they are renewed, or after a renewal was interrupted.
using Rings = std::vector<signing::SealKey>;

// The ring keys of the wallet on that network; none before its first login.
Result<Rings> open_rings(const Paths& paths, std::string_view network, const Signer& wallet);

// Makes a new ring key and seals the account's API keys under it. `keep` gets the ring keys that the session has to
// hold: first the older ones too, because nothing is sealed under the new one yet, and at the end the new one alone.
// Whenever this is interrupted, the ring keys kept last open every API key.
Result<void> renew_rings(const Paths& paths, std::string_view network, const Signer& wallet,
                         const Environment& environment, const std::function<Result<void>(const Rings&)>& keep);

// To be held while renewing ring keys and while storing a key: none may be sealed under a ring key that is dropped.
Result<FileLock> lock_rings(const Paths& paths, std::string_view network, const Address& account);

// Exit 2 for a name that cannot name a file, exit 6 for one that is taken.
Result<void> check_api_key_name(const Paths& paths, std::string_view network, const std::string& name);

// Whether the disk has room for one more key: asked before there is one whose secret could not be kept.
Result<void> check_room_for_key(const Paths& paths, std::string_view network);
// Stores the key under the record's name or, if that is taken or cannot name a file, under the next free one: the
// server shows a secret only once, and no other secret may be overwritten. Returns the name.
Result<std::string> store_api_key(const Paths& paths, const ApiKeyRecord& record, const Secret& secret,
                                  const signing::SealKey& ring);
// Oldest first; and the reasons why others cannot be read. One damaged file does not hide the other keys.
struct ApiKeys {
  std::vector<ApiKeyRecord> records;
  std::vector<Failure> unreadable;
};
[[nodiscard]] ApiKeys list_api_keys(const Paths& paths, std::string_view network);
Result<Secret> open_api_key(const Paths& paths, const ApiKeyRecord& record, const Rings& rings);
// The newest of that name or id: two sandboxes with the same seed make keys with the same id.
[[nodiscard]] std::optional<ApiKeyRecord> find_api_key(const Paths& paths, std::string_view network,
                                                       std::string_view name_or_id);
// True if the key was stored here.
Result<bool> forget_api_key(const Paths& paths, const ApiKeyRecord& record);

// What is known here of agent keys: the account for which they trade, and their expiry. The keys themselves are wallets
// of the key store. One file per agent and network.

struct AgentRecord {
  Address address;
  std::string wallet;                          // its name in the key store; empty if the key is not stored here
  std::optional<Address> account{};            // once registered
  std::optional<TimestampMs> expires_at_ms{};  // once registered
  std::optional<std::int64_t> lifetime_ms{};   // asked for when the key was made
};

Result<std::vector<AgentRecord>> list_agents(const Paths& paths, std::string_view network);
// Replaces the record of that address.
Result<void> store_agent(const Paths& paths, std::string_view network, const AgentRecord& record);
// nullopt if nothing is known of it as an agent.
Result<std::optional<AgentRecord>> find_agent(const Paths& paths, std::string_view network, const Address& address);
// False if there was no record.
Result<bool> forget_agent(const Paths& paths, std::string_view network, const Address& address);

}  // namespace svc::cli
