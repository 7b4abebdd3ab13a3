#include "cli/exchange/outgoing.h"

#include "base/hex.h"
#include "cli/exchange/redaction.h"
#include "cli/exchange/signed_note.h"
#include "signing/action_request.h"
#include "signing/canonical_request.h"
#include "signing/typed_data_text.h"

namespace svc::cli {
namespace {

constexpr std::string_view twin_prefix = "/api/v1";

signing::RequestParts parts_of(const Outgoing& outgoing) {
  return {.method = outgoing.request.method,
          .path = outgoing.signed_path,
          .query = outgoing.request.query(),
          .body = outgoing.request.body};
}

Result<void, Failure> sign_request(Outgoing& outgoing, const Credential& credential, TimestampMs timestamp_ms,
                                   std::uint64_t agent_nonce) {
  api::Headers& headers = outgoing.request.headers;
  if (const auto* bearer = std::get_if<BearerCredential>(&credential.how)) {
    headers.add("Authorization", "Bearer " + std::string(bearer->token.reveal()));
  }
  if (const auto* hmac = std::get_if<HmacCredential>(&credential.how)) {
    outgoing.canonical = signing::hmac_canonical(parts_of(outgoing), timestamp_ms);
    headers.add("X-API-Key", hmac->key_id);
    headers.add("X-Timestamp", std::to_string(timestamp_ms));
    headers.add("X-Signature", hmac->key.sign_hex(*outgoing.canonical));
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

Result<void, Failure> sign_action(Outgoing& outgoing, const ActionSigner& signer, TimestampMs timestamp_ms) {
  const signing::ActionContext context{.account = signer.account,
                                       .domain = signer.deployment,
                                       .timestamp_ms = static_cast<std::uint64_t>(timestamp_ms),
                                       .nonce = signer.nonce};
  const auto action = signing::action_of(parts_of(outgoing), context);
  if (!action) return unexpected(usage_error("the request cannot be signed as an action: " + action.error()));
  const auto digest = signing::typed_data_digest(signing::separator(signer.domain), signing::struct_hash(*action));
  const auto signature = SVC_TRY(signer.signer.sign(
      {.digest = digest, .document = [&] { return signing::typed_data_text(signer.domain, *action); }}));
  api::Headers& headers = outgoing.request.headers;
  headers.add("x-action-signature", signing::to_string(signature));
  headers.add("x-action-timestamp", std::to_string(timestamp_ms));
  headers.add("x-action-nonce", std::to_string(signer.nonce));
  if (signer.names_account) headers.add("x-acting-account", to_string(signer.account));
  const std::string_view type = signing::type_string(*action);
  outgoing.action = SignedAction{.type = std::string(type.substr(0, type.find('('))),
                                 .domain = signer.domain,
                                 .deployment = signer.deployment,
                                 .digest = digest,
                                 .signer = signer.signer.address(),
                                 .nonce = signer.nonce};
  return {};
}

Json describe_domain(const signing::Domain& domain) {
  return Json::object({{"kind", domain.salt ? "registration, salted" : "action, without salt"},
                       {"name", domain.name},
                       {"version", domain.version},
                       {"chain_id", domain.chain_id}});
}

}  // namespace

Result<Addressed, Failure> address(const Call& call, const Network& network, Surface surface) {
  const std::string query = call.query.empty() ? "" : "?" + call.query;
  const api::Operation& operation = *call.operation;
  if (call.raw_path) {
    // Typed by the user: a base they wrote themselves is theirs to leave out of the signature.
    std::string logical = call.path;
    for (const std::string_view base : {"/v1/", "/indexer/"}) {
      if (logical.starts_with(base)) logical = logical.substr(base.size() - 1);
    }
    const bool rooted = logical != call.path || logical.starts_with("/api/v1/") || logical.starts_with("/_svc") ||
                        operation.base == api::PathBase::edge;
    return Addressed{(rooted ? "" : network.rest.prefix) + call.path + query, logical};
  }
  if (operation.base == api::PathBase::host_root || operation.base == api::PathBase::edge) {
    return Addressed{call.path + query, call.path};
  }
  if (surface == Surface::v1) return Addressed{network.rest.prefix + call.path + query, call.path};
  if (!operation.twin) {
    return unexpected(usage_error("--surface direct: " + std::string(api::to_string(operation.method)) + " " +
                                  std::string(operation.path) + " has no twin under /api/v1"));
  }
  const std::string path = std::string(twin_prefix) + call.path;
  return Addressed{path + query, path};
}

std::string_view bucket_of(const api::Operation& operation) {
  switch (operation.rate) {
    case api::RateClass::order: return "order";
    case api::RateClass::cancel: return "cancel";
    case api::RateClass::login: return "login";
    case api::RateClass::request: return operation.auth.is_public() ? "ip" : "request";
  }
  return {};
}

Result<Outgoing, Failure> prepare(const Call& call, const Addressed& where, const Credential& credential,
                                  const std::optional<ActionSigner>& signer, TimestampMs timestamp_ms,
                                  std::string_view api_version, std::uint64_t agent_nonce) {
  Outgoing outgoing;
  outgoing.request.method = std::string(api::to_string(call.operation->method));
  outgoing.request.target = where.target;
  outgoing.request.body = call.body;
  outgoing.signed_path = where.signed_path;
  outgoing.signed_at_ms = timestamp_ms;
  outgoing.bucket = std::string(bucket_of(*call.operation));
  outgoing.weight = call.operation->weight.of(call.orders);
  api::Headers& headers = outgoing.request.headers;
  headers.add("Accept", "application/json");
  if (!call.body.empty()) headers.add("Content-Type", "application/json");
  headers.add("X-Svc-Api-Version", std::string(api_version));
  for (const api::Header& header : call.headers) headers.add(header.name, header.value);
  SVC_TRY(sign_request(outgoing, credential, timestamp_ms, agent_nonce));
  if (signer) {
    SVC_TRY(sign_action(outgoing, *signer, timestamp_ms));
  }
  return outgoing;
}

Json describe(const Outgoing& outgoing, const Call& call, std::string_view scheme, const Network& network) {
  Json headers = Json::object();
  for (const api::Header& header : outgoing.request.headers) {
    headers.set(header.name, shown_header(header.name, header.value, Stand::size));
  }
  Json client_ids = Json::array();
  for (const std::string& id : call.client_ids) client_ids.push(id);
  const auto body = parse_json(shown_body(outgoing.request.body, Stand::size));
  Json action;
  if (outgoing.action) {
    action = Json::object({{"type", outgoing.action->type},
                           {"domain", describe_domain(outgoing.action->domain)},
                           {"deployment", outgoing.action->deployment},
                           {"digest", to_hex_0x(outgoing.action->digest)},
                           {"signer", to_string(outgoing.action->signer)},
                           {"nonce", std::to_string(outgoing.action->nonce)}});
  }
  return Json::object({{"dry_run", true},
                       {"operation", call.operation->name},
                       {"method", outgoing.request.method},
                       {"url", network.origin() + outgoing.request.target},
                       {"headers", std::move(headers)},
                       {"body", body ? *body : Json()},
                       {"auth", scheme},
                       {"signed_path", outgoing.signed_path},
                       {"canonical", outgoing.canonical},
                       {"action", std::move(action)},
                       {"client_ids", std::move(client_ids)},
                       {"cost", Json::object({{"bucket", outgoing.bucket}, {"weight", outgoing.weight}})},
                       {"curl", curl_command(outgoing.request, network.origin(),
                                             call.admin_secret ? "$SVC_ADMIN_SECRET" : "$SVC_TOKEN")}});
}

std::string explain_signatures(const Outgoing& outgoing) {
  std::string out;
  if (outgoing.canonical) out += "canonical string (" + outgoing.canonical_of + "):\n" + *outgoing.canonical + "\n";
  if (outgoing.action) {
    const SignedAction& action = *outgoing.action;
    out += "action " + explain_struct(action.type, action.domain, action.digest, action.signer) + "deployment " +
           action.deployment + ", nonce " + std::to_string(action.nonce) + "\n";
  }
  if (out.empty()) out = "the request itself bears no signature\n";
  return out;
}

}  // namespace svc::cli
