// One request, addressed, signed and ready to leave; and what was signed, for those who want to see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/http_message.h"
#include "base/result.h"
#include "cli/config/network.h"
#include "cli/exchange/call.h"
#include "cli/exchange/credentials.h"
#include "cli/globals.h"
#include "cli/secrets/signer.h"
#include "signing/domain.h"

namespace svc::cli {

// Where a call goes and which path its signature covers.
struct Addressed {
  std::string target;       // as sent: prefix, path and query
  std::string signed_path;  // what gateways leave of it (API: Base paths and the signed path)
};

// Exit 2 for --surface direct where there is no twin.
[[nodiscard]] Result<Addressed, Failure> address(const Call& call, const Network& network, Surface surface);

// What it takes to sign an action.
struct ActionSigner {
  const Signer& signer;
  signing::Domain domain;
  std::string deployment;
  Address account;             // acted for
  bool names_account = false;  // say in a header for whom
  std::uint64_t nonce = 0;
};

struct SignedAction {
  std::string type;
  signing::Domain domain;
  std::string deployment;
  signing::Hash32 digest{};
  Address signer;
  std::uint64_t nonce = 0;
};

struct Outgoing {
  api::HttpRequest request;
  std::string signed_path;
  TimestampMs signed_at_ms = 0;  // by the server's clock, as far as it is known
  std::string bucket;            // "order", "cancel", "request", "login", "ip"
  std::uint64_t weight = 0;
  std::optional<std::string> canonical;      // the text under the HMAC or the agent's signature
  std::string canonical_of = "HMAC-SHA256";  // how it is signed
  std::optional<SignedAction> action;
};

// Exit 4 if whoever signs refuses.
[[nodiscard]] Result<Outgoing, Failure> prepare(const Call& call, const Addressed& where, const Credential& credential,
                                                const std::optional<ActionSigner>& signer, TimestampMs timestamp_ms,
                                                std::string_view api_version, std::uint64_t agent_nonce = 0);

// For --dry-run: everything about the request that may be shown.
[[nodiscard]] Json describe(const Outgoing& outgoing, const Call& call, std::string_view scheme,
                            const Network& network);
// For --print-canonical: lines for standard error.
[[nodiscard]] std::string explain_signatures(const Outgoing& outgoing);

// "bucket" and "weight" of a call.
[[nodiscard]] std::string_view bucket_of(const api::Operation& operation);

}  // namespace svc::cli
