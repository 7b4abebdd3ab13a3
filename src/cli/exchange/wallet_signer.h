// A wallet about to sign for one network: its key, and what its signatures are bound to.
//
// Nothing is guessed: without the network's signing domain and deployment text nothing is signed, and neither is where
// what is published and what is configured contradict each other. Keys that everybody knows sign on local only.
// (API: Networks, rule 6; D-638)
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "cli/exchange/server_facts.h"
#include "signing/domain.h"
#include "signing/key.h"

namespace svc::cli {

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

}  // namespace svc::cli
