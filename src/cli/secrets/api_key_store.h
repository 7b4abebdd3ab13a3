// HMAC API keys of this user: one file each, the secret sealed under the ring key of its account.
//
// The ring key is random, made at the first login of a wallet on a network, and kept sealed under a
// key that only that wallet can derive. A session holds it while it is open. So API secrets outlive
// the session, are useless without session or wallet, and cannot be moved to another network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/files/paths.h"
#include "cli/secrets/signer.h"
#include "signing/sealed_box.h"

namespace svc::cli {

struct ApiKeyRecord {
  std::string name;  // of its file here; the key's id unless the user chose another
  std::string key_id;
  std::string network;
  Address account;
  std::optional<std::string> label;
  TimestampMs created_at_ms = 0;
};

// The ring key of the wallet on that network; made if there is none yet.
[[nodiscard]] Result<signing::SealKey, Failure> open_ring(const Paths& paths, std::string_view network,
                                                          const Signer& wallet, const Environment& environment);

// Exit 2 for a name that cannot be a file's, 6 for one that is taken.
[[nodiscard]] Result<void, Failure> check_api_key_name(const Paths& paths, std::string_view network,
                                                       const std::string& name);

[[nodiscard]] Result<void, Failure> store_api_key(const Paths& paths, const ApiKeyRecord& record, const Secret& secret,
                                                  const signing::SealKey& ring);
// Oldest first.
[[nodiscard]] Result<std::vector<ApiKeyRecord>, Failure> list_api_keys(const Paths& paths, std::string_view network);
[[nodiscard]] Result<Secret, Failure> open_api_key(const Paths& paths, const ApiKeyRecord& record,
                                                   const signing::SealKey& ring);
// The one of that name or id.
[[nodiscard]] Result<std::optional<ApiKeyRecord>, Failure> find_api_key(const Paths& paths, std::string_view network,
                                                                        std::string_view name_or_id);
// True if it was stored here.
[[nodiscard]] Result<bool, Failure> forget_api_key(const Paths& paths, const ApiKeyRecord& record);

}  // namespace svc::cli
