// One request, addressed, signed and ready to be sent; and an account of what was signed.
#pragma once

#include "api/http/http_message.h"
#include "cli/arguments/globals.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/client/server_facts.h"
#include "cli/client/signers.h"
#include "cli/store/network.h"
#include "signing/domain.h"
#include "signing/key.h"

namespace svc::cli {

// Where a call goes and which path its signature covers.
struct Addressed {
  std::string target;       // as sent: prefix, path and query
  std::string signed_path;  // the part that gateways leave (API: Base paths and the signed path)
};

// A path without the transport prefixes, which gateways remove and nobody signs.
[[nodiscard]] std::string logical_path(std::string path);

// Exit 2 for --surface direct if the operation has no direct path.
Result<Addressed> address(const Call& call, const Network& network, Surface surface);

struct SigningTerms {
  signing::Domain domain;  // unsalted; for actions, withdrawals and transfers
  std::string deployment;
};

// What it takes to sign an action.
struct ActionSigner {
  const Signer& signer;
  SigningTerms terms;
  Address account;             // the acting account
  bool names_account = false;  // send that account in a header
  std::uint64_t nonce = 0;
};

struct SignedAction {
  std::string type;
  SigningTerms terms;
  signing::Hash32 digest{};
  Address signer;
  std::uint64_t nonce = 0;
};

struct Outgoing {
  api::HttpRequest request;
  std::string signed_path;
  TimestampMs signed_at_ms = 0;              // by the server's clock, as far as known
  TimestampMs began_ms = 0;                  // by our clock, before it was signed
  std::optional<std::string> canonical;      // the text under the HMAC or the agent's signature
  std::string canonical_of = "HMAC-SHA256";  // how `canonical` is signed
  std::optional<SignedAction> action;
};

// True if the request is signed with a time, outside of which it is refused.
[[nodiscard]] bool is_signed_with_time(const Call& call, const Credential& credential);

// Exit 4 if the signer refuses.
Result<Outgoing> prepare(const Call& call, const Addressed& where, const Credential& credential,
                         const std::optional<ActionSigner>& signer, TimestampMs timestamp_ms,
                         std::string_view api_version, std::uint64_t agent_nonce);

// For --dry-run: everything that may be shown of the request.
[[nodiscard]] Json describe(const Outgoing& outgoing, const Call& call, std::string_view scheme,
                            const Network& network);
// For --print-canonical: lines for standard error.
[[nodiscard]] std::string explain_signatures(const Outgoing& outgoing);

// The rate limit bucket of an operation: "order", "cancel", "request", "login", "ip".
[[nodiscard]] std::string_view bucket_of(const api::Operation& operation);

// What a wallet's signatures are bound to on one network.
//
// Nothing is guessed: nothing is signed if the network's signing domain or deployment text is not known, or if the
// published and the configured values contradict each other. Keys that everybody knows sign on local only.
// (API: Networks, rule 6; D-638)

// For actions and transfers. The API fixes version 1 and chain id 20056; the name is published or configured. A
// published domain has to agree, unless both name and chain id are configured: then those are signed.
Result<SigningTerms> signing_terms(const ServerFacts& facts, const Network& network);

// The domain alone, for withdrawals, which do not contain the deployment text. Exit 14 if the text is contradicted:
// this is another deployment then.
Result<signing::Domain> withdrawal_terms(const ServerFacts& facts, const Network& network);

// For registrations: the published name, version, chain id and salt. If the chain id is published as null, it may be
// configured together with the name.
Result<signing::Domain> registration_terms(const ServerFacts& facts, const Network& network);

// The name in the login message.
Result<std::string> domain_name(const ServerFacts& facts, const Network& network);

// The deployment text, published or configured. Exit 14 if it is known here as that of another network with real funds.
Result<std::string> deployment_text(const ServerFacts& facts, const Network& network);

// One of these failures as the end of a command, with what helps.
[[nodiscard]] Failure nothing_signed(Failure why, const Network& network);

// The wallet to sign with: --signer, else that of the account that -a or SVC_ACCOUNT names, else that of the current
// session, else the only one stored for the network.
Result<std::string> choose_wallet(Context& context, const Network& network);

// What the wallet itself signs, for --print-canonical: shown on standard error before the request's own lines.

// Shows it if --print-canonical was given, then signs.
Result<signing::Signature> sign_struct(Context& context, const Signer& signer, const signing::Domain& domain,
                                       const signing::OwnerSigned& asked);
Result<signing::Signature> sign_text(Context& context, const Signer& signer, const std::string& text);

}  // namespace svc::cli
