// A wallet about to sign for one network: its key, and what its signatures are bound to.
//
// Nothing is guessed: without the network's signing domain and deployment text nothing is signed. Keys
// that everybody knows sign on local only. (API: Networks, rule 6)
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
[[nodiscard]] Result<SigningTerms, TermsUnknown> signing_terms(const ServerFacts& facts, const Network& network);

// --signer, else the wallet of the current session, else the only one filed for the network.
[[nodiscard]] Result<std::string, Failure> choose_wallet(Context& context, const Network& network);

}  // namespace svc::cli
