#include "cli/exchange/wallet_signer.h"

#include "cli/exchange/credentials.h"
#include "cli/secrets/session.h"
#include "cli/secrets/wallet_store.h"

namespace svc::cli {

Result<SigningTerms, TermsUnknown> signing_terms(const ServerFacts& facts, const Network& network) {
  const auto deployment = facts.deployment(network);
  if (!deployment)
    return unexpected(
        TermsUnknown{"deployment_unknown", "the deployment text of network " + network.name + " is not known"});
  const auto domain = signing::determine_domain(facts.domain(network));
  if (!domain)
    return unexpected(TermsUnknown{"domain_unknown", "the signing domain of network " + network.name +
                                                         " is not known (" + signing::to_string(domain.error()) + ")"});
  return SigningTerms{.domain = signing::action_domain(domain->name), .deployment = *deployment};
}

Result<std::string, Failure> choose_wallet(Context& context, const Network& network) {
  if (context.globals().signer) return *context.globals().signer;
  const auto paths = context.paths();
  if (!paths) return unexpected(paths.error());
  const auto sessions = load_sessions(**paths, network.name, context.now_ms());
  if (!sessions) return unexpected(sessions.error());
  if (const auto& account = context.globals().account)
    if (const Session* session = sessions->find(*account)) return session->wallet;
  if (const auto pinned = pinned_session(context)) return pinned->wallet;
  if (const Session* session = sessions->current_session()) return session->wallet;
  const auto wallets = list_wallets(**paths, network.name);
  if (!wallets) return unexpected(wallets.error());
  if (wallets->size() == 1) return wallets->front().name;
  Failure failure =
      usage_error(wallets->empty() ? "no wallet is filed under network " + network.name
                                   : "several wallets are filed under network " + network.name + "; say which");
  failure.actions = {"svc -n " + network.name + (wallets->empty() ? " keystore new NAME" : " keystore list")};
  return unexpected(failure);
}

}  // namespace svc::cli
