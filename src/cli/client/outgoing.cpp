#include "cli/client/outgoing.h"

#include "api/http/http_client.h"
#include "api/network.h"
#include "api/operation_list.h"
#include "base/encoding.h"
#include "cli/client/redaction.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/action_request.h"
#include "signing/hmac.h"
#include "signing/typed_data.h"

namespace svc::cli {
namespace {

signing::RequestParts parts_of(const Outgoing& outgoing) {
  return {.method = outgoing.request.method,
          .path = outgoing.signed_path,
          .query = outgoing.request.query(),
          .body = outgoing.request.body};
}

Result<void> sign_request(Outgoing& outgoing, const Credential& credential, TimestampMs timestamp_ms,
                          std::uint64_t agent_nonce) {
  api::Headers& headers = outgoing.request.headers;
  if (const auto* bearer = std::get_if<BearerCredential>(&credential.how)) {
    headers.add("Authorization", "Bearer " + std::string(bearer->token.reveal()));
  }
  if (const auto* hmac = std::get_if<HmacCredential>(&credential.how)) {
    outgoing.canonical = signing::hmac_canonical(parts_of(outgoing), timestamp_ms);
    headers.add("X-API-Key", hmac->key_id);
    headers.add("X-Timestamp", std::to_string(timestamp_ms));
    headers.add("X-Signature", hmac->key->sign_hex(*outgoing.canonical));
  }
  if (const auto* agent = std::get_if<AgentCredential>(&credential.how)) {
    outgoing.canonical = signing::agent_canonical(parts_of(outgoing), timestamp_ms, agent_nonce);
    outgoing.canonical_of = "agent key, keccak-256";
    headers.add("x-agent", to_string(agent->address));
    headers.add("x-timestamp", std::to_string(timestamp_ms));
    headers.add("x-nonce", std::to_string(agent_nonce));
    const auto signature = SVC_TRY(agent->signer->sign_digest(signing::agent_request_digest(*outgoing.canonical)));
    headers.add("x-signature", signing::to_string(signature));
  }
  return {};
}

Result<void> sign_action(Outgoing& outgoing, const signing::ActionForm& form, const ActionSigner& signer,
                         TimestampMs timestamp_ms) {
  const signing::ActionContext context{.account = signer.account,
                                       .domain = signer.terms.deployment,
                                       .timestamp_ms = static_cast<std::uint64_t>(timestamp_ms),
                                       .nonce = signer.nonce};
  const auto action = form.read(parts_of(outgoing), context);
  if (!action) return usage_error("the request cannot be signed as an action: " + action.error().why);
  const signing::Domain& domain = signer.terms.domain;
  const auto digest = signing::typed_data_digest(signing::separator(domain), signing::struct_hash(*action));
  const auto signature = SVC_TRY(
      signer.signer.sign({.digest = digest, .document = [&] { return signing::typed_data_text(domain, *action); }}));
  api::Headers& headers = outgoing.request.headers;
  headers.add("x-action-signature", signing::to_string(signature));
  headers.add("x-action-timestamp", std::to_string(timestamp_ms));
  headers.add("x-action-nonce", std::to_string(signer.nonce));
  if (signer.names_account) headers.add("x-acting-account", to_string(signer.account));
  outgoing.action = SignedAction{.type = std::string(form.name),
                                 .terms = signer.terms,
                                 .digest = digest,
                                 .signer = signer.signer.address(),
                                 .nonce = signer.nonce};
  return {};
}

// Names the struct, and which of the two domains it is signed under.
std::string explain_struct(std::string_view type, const signing::Domain& domain, const signing::Hash32& digest,
                           const Address& signer) {
  return concat(type, ", EIP-712 under the ", domain.salt ? "registration domain (salted)" : "action domain (no salt)",
                ": name \"", domain.name, "\", version ", domain.version, ", chainId ", domain.chain_id, ", signer ",
                to_string(signer), "\ndigest ", to_hex_0x(digest), "\n");
}

std::optional<std::uint64_t> chain_id_in(const Json* document) {
  const auto chain_id = document == nullptr ? std::nullopt : document->integer_at("chain_id");
  return chain_id && *chain_id >= 0 ? std::optional(static_cast<std::uint64_t>(*chain_id)) : std::nullopt;
}

Failure unknown_domain(const Network& network, std::string_view why) {
  return guard("domain_unknown", "the signing domain of network ", network.name, " is not known (", why, ")");
}

// A member that nothing fills in: who cannot determine the signing domain of a network refuses to sign for it.
Failure unknown_member(const Network& network, std::string_view member) {
  return unknown_domain(network, concat("the ", member, " of the network's signing domain is not known"));
}

Failure contradicted(std::string code, const Network& network, std::string_view what, const std::string& published,
                     const std::string& expected) {
  return guard(std::move(code), network.origin(), " publishes the ", what, " ", published, ", and ", expected);
}

// The published or the configured text, which must not contradict each other; nullopt if there is neither.
Result<std::optional<std::string>> agreed_text(const Network& network, std::string_view what,
                                               const std::optional<std::string>& published,
                                               const std::optional<std::string>& configured,
                                               std::string contradiction_code) {
  if (!published || !configured || *published == *configured) return published ? published : configured;
  return contradicted(std::move(contradiction_code), network, what, "\"" + *published + "\"",
                      "\"" + *configured + "\" is configured");
}

// A member of the published domain that our signatures do not cover; nullopt if there is none.
std::optional<std::string_view> unsignable_in(const Json* domain) {
  if (domain == nullptr) return std::nullopt;
  if (domain->find_value("verifyingContract") != nullptr || domain->find_value("verifying_contract") != nullptr)
    return "it names a verifying contract, which no struct of the API is signed under";
  if (const Json* version = domain->find_value("version"); version != nullptr && !version->is(Json::Kind::string))
    return "its version is no text";
  return std::nullopt;
}

Result<signing::Domain> domain_of_actions(const ServerFacts& facts, const Network& network) {
  const auto name = SVC_TRY(domain_name(facts, network));
  if (whole_domain_is_configured(network)) return signing::action_domain(name, *configured_chain_id(network));
  const signing::Domain of_actions = signing::action_domain(name);
  const Json* published = facts.signing_domain(network);
  if (published == nullptr) return of_actions;
  const auto chain_id = chain_id_in(published);
  if (!chain_id) return unknown_member(network, "chain id");
  const std::string version = filled_text_at(published, "version").value_or(of_actions.version);
  if (version != of_actions.version || *chain_id != of_actions.chain_id) {
    return contradicted("domain_contradicted", network, "signing domain",
                        "version " + version + ", chain id " + std::to_string(*chain_id),
                        "actions, withdrawals and transfers are signed under version " + of_actions.version +
                            ", chain id " + std::to_string(of_actions.chain_id));
  }
  return of_actions;
}

}  // namespace

std::string logical_path(std::string path) {
  for (const std::string_view base : {"/v1/", "/indexer/"})
    if (path.starts_with(base)) path = path.substr(base.size() - 1);
  return path;
}

Result<Addressed> address(const Call& call, const Network& network, Surface surface) {
  const std::string query = call.query.empty() ? "" : "?" + call.query;
  const api::Operation& operation = *call.operation;
  if (call.raw_path) {
    // A base path that the user typed is not part of the signed path.
    const std::string logical = logical_path(call.path);
    const bool rooted = logical != call.path || logical.starts_with("/api/v1/") || logical.starts_with("/_svc") ||
                        operation.base == api::PathBase::edge;
    return Addressed{(rooted ? "" : network.rest.prefix) + call.path + query, logical};
  }
  if (operation.base != api::PathBase::versioned) return Addressed{call.path + query, call.path};
  if (surface == Surface::v1) return Addressed{network.rest.prefix + call.path + query, call.path};
  if (!operation.twin) {
    return usage_error("--surface direct: ", api::to_string(operation.method), " ", operation.path,
                       " has no twin under /api/v1");
  }
  const std::string path = std::string(api::twin_prefix) + call.path;
  return Addressed{path + query, path};
}

std::string_view bucket_of(const api::Operation& operation) {
  if (operation.rate == api::RateClass::request && operation.auth.is_public()) return "ip";
  return api::to_string(operation.rate);
}

bool is_signed_with_time(const Call& call, const Credential& credential) {
  return std::holds_alternative<HmacCredential>(credential.how) ||
         std::holds_alternative<AgentCredential>(credential.how) || call.is_of_owner();
}

Result<Outgoing> prepare(const Call& call, const Addressed& where, const Credential& credential,
                         const std::optional<ActionSigner>& signer, TimestampMs timestamp_ms,
                         std::string_view api_version, std::uint64_t agent_nonce) {
  Outgoing outgoing;
  outgoing.request.method = std::string(api::to_string(call.operation->method));
  outgoing.request.target = where.target;
  outgoing.request.body = call.body;
  outgoing.signed_path = where.signed_path;
  outgoing.signed_at_ms = timestamp_ms;
  api::Headers& headers = outgoing.request.headers;
  headers.add("Accept", "application/json");
  if (!call.body.empty()) headers.add("Content-Type", "application/json");
  headers.add("X-Svc-Api-Version", api_version);
  for (const api::Header& header : call.headers) headers.add(header.name, header.value);
  if (const std::string fault = api::fault_of(outgoing.request); !fault.empty()) return usage_error(fault);
  SVC_TRY(sign_request(outgoing, credential, timestamp_ms, agent_nonce));
  if (signer) SVC_TRY(sign_action(outgoing, *call.operation->action, *signer, timestamp_ms));
  return outgoing;
}

Json describe(const Outgoing& outgoing, const Call& call, std::string_view scheme, const Network& network) {
  Json headers = Json::object();
  for (const api::Header& header : outgoing.request.headers) {
    headers.set(header.name, shown_header(header.name, header.value, Mask::size));
  }
  Json action;
  if (outgoing.action) {
    const signing::Domain& domain = outgoing.action->terms.domain;
    action = Json::object({{"type", outgoing.action->type},
                           {"domain", Json::object({{"kind", "action, without salt"},
                                                    {"name", domain.name},
                                                    {"version", domain.version},
                                                    {"chain_id", domain.chain_id}})},
                           {"deployment", outgoing.action->terms.deployment},
                           {"digest", to_hex_0x(outgoing.action->digest)},
                           {"signer", to_string(outgoing.action->signer)},
                           {"nonce", std::to_string(outgoing.action->nonce)}});
  }
  return Json::object({{"dry_run", true},
                       {"operation", call.operation->name},
                       {"method", outgoing.request.method},
                       {"url", network.origin() + shown_target(outgoing.request.target, Mask::size)},
                       {"headers", std::move(headers)},
                       {"body", redacted(call.document.value_or(Json()), Mask::size)},
                       {"auth", scheme},
                       {"signed_path", outgoing.signed_path},
                       {"canonical", outgoing.canonical},
                       {"action", std::move(action)},
                       {"client_ids", Json::list(call.client_ids)},
                       {"cost", Json::object({{"bucket", bucket_of(*call.operation)},
                                              {"weight", call.operation->weight.of(call.orders)}})},
                       {"curl", curl_command(outgoing.request, network.origin(),
                                             call.admin_secret ? "$SVC_ADMIN_SECRET" : "$SVC_TOKEN")}});
}

std::string explain_signatures(const Outgoing& outgoing) {
  std::string out;
  if (outgoing.canonical) out += "canonical string (" + outgoing.canonical_of + "):\n" + *outgoing.canonical + "\n";
  if (outgoing.action) {
    const SignedAction& action = *outgoing.action;
    out += "action " + explain_struct(action.type, action.terms.domain, action.digest, action.signer) + "deployment " +
           action.terms.deployment + ", nonce " + std::to_string(action.nonce) + "\n";
  }
  if (out.empty()) out = "the request itself bears no signature\n";
  return out;
}

Result<std::string> domain_name(const ServerFacts& facts, const Network& network) {
  if (const auto why = unsignable_in(facts.signing_domain(network))) return unknown_domain(network, *why);
  const auto name = SVC_TRY(agreed_text(network, "signing domain", facts.published_name(network),
                                        network.config.domain_name, "domain_contradicted"));
  if (!name) return unknown_member(network, "name");
  // For some structs the domain name is the only sign of their network.
  if (const std::string* other = owner_of_name(facts, network)) {
    return contradicted("domain_contradicted", network, "signing domain", "\"" + *name + "\"",
                        "network " + *other + " has that name");
  }
  return *name;
}

constexpr std::string_view deployment_unknown = "deployment_unknown";

Result<std::string> deployment_text(const ServerFacts& facts, const Network& network) {
  const auto deployment = SVC_TRY(agreed_text(network, "deployment text", facts.published_deployment(),
                                              network.config.deployment, "deployment_contradicted"));
  // Of two networks with one domain, the text alone tells whose action it is.
  if (const std::string* other = owner_of_deployment(facts, network)) {
    return contradicted("deployment_contradicted", network, "deployment text", "\"" + *deployment + "\"",
                        "network " + *other + " has that text");
  }
  if (deployment) return *deployment;
  return guard(std::string(deployment_unknown), "the deployment text of network ", network.name, " is not known");
}

Result<signing::Domain> withdrawal_terms(const ServerFacts& facts, const Network& network) {
  const auto deployment = deployment_text(facts, network);
  if (!deployment && deployment.error().code != deployment_unknown) return unexpected(deployment.error());
  return domain_of_actions(facts, network);
}

Result<SigningTerms> signing_terms(const ServerFacts& facts, const Network& network) {
  auto deployment = SVC_TRY(deployment_text(facts, network));
  return SigningTerms{.domain = SVC_TRY(domain_of_actions(facts, network)), .deployment = std::move(deployment)};
}

Result<signing::Domain> registration_terms(const ServerFacts& facts, const Network& network) {
  const auto name = SVC_TRY(domain_name(facts, network));
  const Json* published = facts.signing_domain(network);
  auto chain_id = chain_id_in(published);
  if (!chain_id && published != nullptr && whole_domain_is_configured(network)) chain_id = configured_chain_id(network);
  const Json* salt = published == nullptr ? nullptr : published->find_value("salt");
  const bool salted = salt != nullptr;
  const auto salt_bytes = salted ? from_hex_exact<32>(strip_0x(salt->text())) : std::nullopt;
  if (salted && !salt_bytes) return unknown_domain(network, "its salt is no 32 bytes in hex");
  const std::string serving = facts.serves(network).value_or(network.name);
  for (const std::string_view other : api::network_texts) {
    if (other == serving || !salted || *salt_bytes != signing::network_salt(other)) continue;
    return contradicted("domain_contradicted", network, "salt", "of network " + std::string(other),
                        "it serves " + serving);
  }
  const auto version = filled_text_at(published, "version");
  if (name.empty()) return unknown_member(network, "name");
  if (!version) return unknown_member(network, "version");
  if (!chain_id) return unknown_member(network, "chain id");
  return signing::Domain{.name = name, .version = *version, .chain_id = *chain_id, .salt = salt_bytes};
}

Failure nothing_signed(Failure why, const Network& network) {
  why.message += ", so nothing is signed for it";
  why.actions = {"svc -n " + network.name + " network discover",
                 "svc network add " + network.name + " --domain-name TEXT --chain-id N --deployment TEXT"};
  return why;
}

Result<std::string> choose_wallet(Context& context, const Network& network) {
  const Globals& globals = context.globals();
  const auto of_key = SVC_TRY(account_in_place_of_session(context, network));
  if (globals.signer && !of_key) return *globals.signer;
  const auto paths = SVC_TRY(context.paths());
  const auto sessions = SVC_TRY(load_sessions(*paths, network.name, context.now_ms()));
  const auto wallets = SVC_TRY(list_wallets(*paths, network.name));
  if (const auto& account = of_key ? of_key : globals.account) {
    if (const Session* session = sessions.find(*account)) return session->wallet;
    const auto filed = std::ranges::find(wallets, account, &WalletInfo::address);
    if (filed != wallets.end()) return filed->name;
    return failed("no_wallet_of_account", "the wallet of account ", to_string(*account), " is not filed under network ",
                  network.name, ", and no other signs for it; nothing was sent")
        .to_try({"svc -n " + network.name + " keystore list"});
  }
  if (const Session* session = current_session_of(context, sessions)) return session->wallet;
  if (const auto kept = context.session().get()) return kept->wallet;
  return only_wallet(wallets, network.name);
}

Result<signing::Signature> sign_struct(Context& context, const Signer& signer, const signing::Domain& domain,
                                       const signing::OwnerSigned& asked) {
  const TypedText typed{.digest = signing::typed_data_digest(signing::separator(domain), asked.hash),
                        .document = [&] { return asked.document(domain); }};
  if (context.globals().print_canonical)
    context.environment().err(escaped(explain_struct(asked.name, domain, typed.digest, signer.address()), "\n"));
  return signer.sign(typed);
}

Result<signing::Signature> sign_text(Context& context, const Signer& signer, const std::string& text) {
  if (context.globals().print_canonical) {
    context.environment().err(escaped(
        concat("text, EIP-191 (personal_sign), signer ", to_string(signer.address()), ":\n", text, "\n"), "\n"));
  }
  return signer.sign_message(text);
}

}  // namespace svc::cli
