// One request, addressed, signed and ready to leave; and what was signed, for those who want to see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/http_message.h"
#include "base/result.h"
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

// A wallet about to sign for one network: its key, and what its signatures are bound to.
//
// Nothing is guessed: without the network's signing domain and deployment text nothing is signed, and neither is where
// what is published and what is configured contradict each other. Keys that everybody knows sign on local only.
// (API: Networks, rule 6; D-638)

struct SigningTerms {
  signing::Domain domain;  // unsalted: of actions, withdrawals and transfers
  std::string deployment;
};

// Why nothing can be signed for this network, with a code.
struct TermsUnknown {
  std::string code;
  std::string reason;
};
// Of actions, withdrawals and transfers: version 1 and chain id 20056 are the API's, the name is published or configured.
// What is published has to agree with that, unless name and chain id are both configured: then exactly those are signed.
[[nodiscard]] Result<SigningTerms, TermsUnknown> signing_terms(const ServerFacts& facts, const Network& network);

// Of registrations: name, version, chain id and salt as they are published. A chain id that is published as null may be
// configured along with the name.
[[nodiscard]] Result<signing::Domain, TermsUnknown> registration_terms(const ServerFacts& facts, const Network& network);

// The name in the text that is signed to log in.
[[nodiscard]] Result<std::string, TermsUnknown> domain_name(const ServerFacts& facts, const Network& network);

// The deployment text, published or configured.
[[nodiscard]] Result<std::string, TermsUnknown> deployment_text(const ServerFacts& facts, const Network& network);

// As exit 14 says it.
[[nodiscard]] Failure nothing_signed(const TermsUnknown& why, const Network& network);

// --signer, else the wallet of the current session, else the only one filed for the network.
[[nodiscard]] Result<std::string, Failure> choose_wallet(Context& context, const Network& network);

// What the wallet itself signed, for --print-canonical: lines on standard error, before the request's own.

// A struct, and under which of the two domains it is.
[[nodiscard]] std::string explain_struct(std::string_view type, const signing::Domain& domain,
                                         const signing::Hash32& digest, const Address& signer);

// Tells of it, if that was asked for, and signs.
[[nodiscard]] Result<signing::Signature, Failure> sign_struct(Context& context, const Signer& signer,
                                                              const signing::Domain& domain, const TypedText& typed);
[[nodiscard]] Result<signing::Signature, Failure> sign_text(Context& context, const Signer& signer,
                                                            const std::string& text);

}  // namespace svc::cli
