#include "cli/exchange/wallet_signer.h"

#include <charconv>

#include "base/hex.h"
#include "cli/exchange/credentials.h"
#include "cli/secrets/session.h"
#include "cli/secrets/wallet_store.h"

namespace svc::cli {

namespace {

std::optional<std::string> text_in(const Json* document, std::string_view member) {
  const auto text = document == nullptr ? std::nullopt : document->string_at(member);
  return text && !text->empty() ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<std::uint64_t> chain_id_in(const Json* document) {
  const auto chain_id = document == nullptr ? std::nullopt : document->integer_at("chain_id");
  return chain_id && *chain_id >= 0 ? std::optional(static_cast<std::uint64_t>(*chain_id)) : std::nullopt;
}

std::optional<std::uint64_t> configured_chain_id(const Network& network) {
  const std::string digits = network.config.chain_id.value_or("");
  std::uint64_t chain_id = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), chain_id);
  const bool whole = !digits.empty() && error == std::errc{} && stop == digits.data() + digits.size();
  return whole ? std::optional(chain_id) : std::nullopt;
}

// Both or neither: a name alone says nothing of a chain.
bool whole_domain_is_configured(const Network& network) {
  return network.config.domain_name && configured_chain_id(network);
}

TermsUnknown unknown_domain(const Network& network, std::string_view why) {
  return {"domain_unknown", "the signing domain of network " + network.name + " is not known (" + std::string(why) + ")"};
}

TermsUnknown contradicted(std::string_view code, const Network& network, std::string_view what,
                          const std::string& published, const std::string& expected) {
  return {std::string(code), network.origin() + " publishes the " + std::string(what) + " " + published + ", and " + expected};
}

// What a domain says that we have no place for; nullopt if there is nothing. It would be missing from what is signed.
std::optional<std::string_view> unsignable_in(const Json* domain) {
  const auto has = [&](std::string_view member) {
    const Json* value = domain == nullptr ? nullptr : domain->find(member);
    return value != nullptr && !value->is(Json::Kind::null) ? value : nullptr;
  };
  if (has("verifyingContract") != nullptr || has("verifying_contract") != nullptr)
    return "it names a verifying contract, which no struct of the API is signed under";
  if (const Json* version = has("version"); version != nullptr && !version->is(Json::Kind::string))
    return "its version is no text";
  return std::nullopt;
}

}  // namespace

Result<std::string, TermsUnknown> domain_name(const ServerFacts& facts, const Network& network) {
  if (const auto why = unsignable_in(facts.signing_domain(network))) return unexpected(unknown_domain(network, *why));
  const auto published = text_in(facts.signing_domain(network), "name");
  const auto& configured = network.config.domain_name;
  if (published && configured && *published != *configured) {
    return unexpected(contradicted("domain_contradicted", network, "signing domain", "\"" + *published + "\"",
                                   "\"" + *configured + "\"" + " is configured"));
  }
  if (!published && !configured) {
    return unexpected(unknown_domain(network, signing::to_string(signing::DomainError::name_unknown)));
  }
  return published ? *published : *configured;
}

Result<std::string, TermsUnknown> deployment_text(const ServerFacts& facts, const Network& network) {
  const auto published = text_in(&facts.metadata, "deployment");
  const auto& configured = network.config.deployment;
  if (published && configured && *published != *configured) {
    return unexpected(contradicted("deployment_contradicted", network, "deployment text", "\"" + *published + "\"",
                                   "\"" + *configured + "\"" + " is configured"));
  }
  if (!published && !configured) {
    return unexpected(
        TermsUnknown{"deployment_unknown", "the deployment text of network " + network.name + " is not known"});
  }
  return published ? *published : *configured;
}

Result<SigningTerms, TermsUnknown> signing_terms(const ServerFacts& facts, const Network& network) {
  const auto deployment = SVC_TRY(deployment_text(facts, network));
  const auto name = SVC_TRY(domain_name(facts, network));
  if (whole_domain_is_configured(network)) {
    return SigningTerms{.domain = signing::action_domain(name, *configured_chain_id(network)),
                        .deployment = deployment};
  }
  const signing::Domain of_actions = signing::action_domain(name);
  const Json* published = facts.signing_domain(network);
  if (published == nullptr) return SigningTerms{.domain = of_actions, .deployment = deployment};
  const auto chain_id = chain_id_in(published);
  if (!chain_id) return unexpected(unknown_domain(network, signing::to_string(signing::DomainError::chain_id_unknown)));
  const std::string version = text_in(published, "version").value_or(of_actions.version);
  if (version != of_actions.version || *chain_id != of_actions.chain_id) {
    return unexpected(contradicted("domain_contradicted", network, "signing domain",
                                   "version " + version + ", chain id " + std::to_string(*chain_id),
                                   "actions, withdrawals and transfers are signed under version " + of_actions.version +
                                       ", chain id " + std::to_string(of_actions.chain_id)));
  }
  return SigningTerms{.domain = of_actions, .deployment = deployment};
}

Result<signing::Domain, TermsUnknown> registration_terms(const ServerFacts& facts, const Network& network) {
  const auto name = SVC_TRY(domain_name(facts, network));
  const Json* published = facts.signing_domain(network);
  auto chain_id = chain_id_in(published);
  if (!chain_id && published != nullptr && whole_domain_is_configured(network)) chain_id = configured_chain_id(network);
  const Json* salt = published == nullptr ? nullptr : published->find("salt");
  const bool salted = salt != nullptr && !salt->is(Json::Kind::null);
  const auto salt_bytes = salted ? from_hex_exact<32>(strip_0x(salt->text())) : std::nullopt;
  if (salted && !salt_bytes) return unexpected(unknown_domain(network, "its salt is no 32 bytes in hex"));
  const std::string serving = facts.serves(network).value_or(network.name);
  for (const std::string_view other : {"testnet", "mainnet", "local"}) {
    if (other == serving || !salted || *salt_bytes != signing::network_salt(other)) continue;
    return unexpected(contradicted("domain_contradicted", network, "salt", "of network " + std::string(other),
                                   "it serves " + serving));
  }
  auto domain =
      signing::determine_domain({.name = name, .version = text_in(published, "version"), .chain_id = chain_id});
  if (domain) domain->salt = salt_bytes;
  if (!domain) return unexpected(unknown_domain(network, signing::to_string(domain.error())));
  return std::move(*domain);
}

Failure nothing_signed(const TermsUnknown& why, const Network& network) {
  Failure failure = guard(why.code, why.reason + ", so nothing is signed for it");
  failure.actions = {"svc -n " + network.name + " network discover",
                     "svc network add " + network.name + " --domain-name TEXT --chain-id N --deployment TEXT"};
  return failure;
}

Result<std::string, Failure> choose_wallet(Context& context, const Network& network) {
  if (context.globals().signer) return *context.globals().signer;
  const auto paths = SVC_TRY(context.paths());
  const auto sessions = SVC_TRY(load_sessions(*paths, network.name, context.now_ms()));
  if (const auto& account = context.globals().account)
    if (const Session* session = sessions.find(*account)) return session->wallet;
  if (const auto pinned = pinned_session(context)) return pinned->wallet;
  if (const Session* session = sessions.current_session()) return session->wallet;
  const auto wallets = SVC_TRY(list_wallets(*paths, network.name));
  if (wallets.size() == 1) return wallets.front().name;
  Failure failure =
      usage_error(wallets.empty() ? "no wallet is filed under network " + network.name
                                  : "several wallets are filed under network " + network.name + "; say which");
  failure.actions = {"svc -n " + network.name + (wallets.empty() ? " keystore new NAME" : " keystore list")};
  return unexpected(failure);
}

}  // namespace svc::cli
