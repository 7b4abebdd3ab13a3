#include "sim/gateway/authenticator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/header_names.h"
#include "api/secret_names.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/text.h"
#include "signing/action_request.h"
#include "signing/domain.h"
#include "signing/typed_data.h"
#include "sim/gateway/network_instance.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

namespace header = api::header;

constexpr std::array<std::uint8_t, 32> decoy_secret{};

bool is_present(const api::Headers& headers, std::string_view name) {
  return single_header(headers, name).state != SingleHeader::State::absent;
}

bool has_any(const api::Headers& headers, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return is_present(headers, name); });
}

Unexpected<AuthRefusal> refused(AuthFault fault, std::string note = {}) {
  return unexpected(AuthRefusal{fault, std::move(note)});
}

// After recovering a signature: that work is charged to the caller's address. (D-648)
Unexpected<AuthRefusal> refused_at_cost(AuthFault fault, std::string note = {}) {
  return unexpected(AuthRefusal{fault, std::move(note), true});
}

Unexpected<AuthRefusal> expecting(std::string expected, Unexpected<AuthRefusal> refusal) {
  refusal.error.expected = std::move(expected);
  return refusal;
}

Result<std::string_view, AuthRefusal> required_header(const api::Headers& headers, std::string_view name) {
  const SingleHeader found = single_header(headers, name);
  switch (found.state) {
    case SingleHeader::State::present: return found.value;
    case SingleHeader::State::absent: return refused(AuthFault::missing_credential, "no " + std::string(name));
    case SingleHeader::State::unusable: break;
  }
  return refused(AuthFault::repeated_or_empty_header, std::string(name));
}

// A number of a signed text: in the one spelling that everybody signs. (D-918)
Result<std::uint64_t, AuthRefusal> number_of(const api::Headers& headers, std::string_view name, AuthFault malformed) {
  const auto text = SVC_TRY(required_header(headers, name));
  const auto value = parse_integer<std::uint64_t>(text);
  if (!value || (text.size() > 1 && text.front() == '0')) return refused(malformed, std::string(name));
  return *value;
}

Result<std::uint64_t, AuthRefusal> nonce_of(const api::Headers& headers, std::string_view name) {
  return number_of(headers, name, AuthFault::malformed_nonce);
}

Result<signing::Signature, AuthRefusal> signature_of(const api::Headers& headers, std::string_view name) {
  const auto text = SVC_TRY(required_header(headers, name));
  const auto signature = signing::parse_signature(text);
  if (!signature) return refused(AuthFault::malformed_signature, std::string(name));
  return *signature;
}

// The token of `Authorization: Bearer TOKEN`; empty if the header is absent or names another scheme.
Result<std::string_view, AuthRefusal> bearer_token(const api::Headers& headers) {
  constexpr std::string_view scheme = "Bearer ";
  const SingleHeader found = single_header(headers, header::authorization);
  if (found.state == SingleHeader::State::absent) return std::string_view{};
  if (found.state == SingleHeader::State::unusable)
    return refused(AuthFault::repeated_or_empty_header, std::string(header::authorization));
  if (!api::same_header_name(found.value.substr(0, scheme.size()), scheme)) return std::string_view{};
  std::string_view token = found.value.substr(scheme.size());
  while (token.starts_with(' ')) token.remove_prefix(1);
  if (token.empty() || token.find(' ') != std::string_view::npos) return refused(AuthFault::malformed_session_token);
  return token;
}

// A larger batch is not hashed to find its signer. One that is only a little too large is, so that its sender is told.
constexpr std::size_t hashed_orders_max = 2 * limits::batch_orders_max;

}  // namespace

bool bears_credential(const api::Headers& headers) {
  return has_any(headers, {header::authorization, header::api_key, header::agent, header::signature});
}

Entitlements Authentication::entitlements() const {
  Entitlements all;
  if (caller && caller->key) all.push_back({.account = caller->account, .by = caller->key->id});
  if (caller && caller->agent) all.push_back({.account = caller->account, .by = *caller->agent});
  if (action && action->signer != action->account) all.push_back({.account = action->account, .by = action->signer});
  return all;
}

// A verified credential, and what is still to be done with it.
struct Authenticator::Credential {
  Authentication proven = {};
  SpentNonces nonces = {};  // verified, not spent yet
  bool action_is_credential = false;
};

Authenticator::Authenticator(const Services& services, const AccountProbe& has_money, const NetworkSettings& settings)
    : services_(services),
      has_money_(has_money),
      settings_(settings),
      action_separator_(signing::separator(signing::action_domain(settings.domain_name))),
      decoy_key_(decoy_secret) {}

std::optional<Address> Signers::of(const signing::Hash32& digest, const signing::Signature& signature) {
  const Signed one{digest, signature};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(one); found != known_.end()) return found->second;
  }
  const auto signer = recover_(digest, signature);
  if (!signer) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (!known_.emplace(one, *signer).second) return signer;
  oldest_first_.push_back(one);
  if (oldest_first_.size() <= limits::recent_signers_max) return signer;
  known_.erase(oldest_first_.front());
  oldest_first_.pop_front();
  return signer;
}

bool Authenticator::recovers(const api::Operation& operation, const api::Headers& headers) {
  const bool by_agent = operation.auth.has(api::Auth::agent) && is_present(headers, header::agent);
  return by_agent || (operation.action != nullptr && is_present(headers, header::action_signature));
}

bool Authenticator::knows(const Address& account, TimestampMs now_ms) const {
  if (has_money_ && has_money_(account)) return true;
  const auto state = services_.look();
  return !state->keys.of(account).empty() || !state->agents.of(account, now_ms).empty();
}

Result<TimestampMs, AuthRefusal> Authenticator::timestamp_of(const AuthRequest& request, std::string_view name) const {
  const auto value = SVC_TRY(number_of(request.headers, name, AuthFault::malformed_timestamp));
  if (value > static_cast<std::uint64_t>(limits::clock_ms_max))
    return refused(AuthFault::malformed_timestamp, std::string(name));
  const auto timestamp_ms = static_cast<TimestampMs>(value);
  if (settings_.auth == AuthStyle::lenient) return timestamp_ms;
  const std::int64_t ahead_ms = timestamp_ms - request.now_ms;
  if (ahead_ms > limits::auth_window_ms)
    return refused(AuthFault::timestamp_outside_window, std::to_string(ahead_ms) + " ms ahead of the server");
  if (ahead_ms < -limits::auth_window_ms)
    return refused(AuthFault::timestamp_outside_window, std::to_string(-ahead_ms) + " ms behind the server");
  return timestamp_ms;
}

Result<Authentication, AuthRefusal> Authenticator::authenticate(const AuthRequest& request, SpentNonces& spent) const {
  const api::AuthSet listed = request.operation.auth;
  if (!asks_for_proof(request.operation)) return Authentication{};
  if (listed.has(api::Auth::admin)) return prove_admin(request);
  if (listed.has(api::Auth::wallet_signature) || listed.has(api::Auth::owner_signature)) {
    // Keys and sessions are ignored here, but agents are refused. (API: Authentication, rule 2)
    if (is_present(request.headers, header::agent)) return refused(AuthFault::unlisted_credential, "agent");
    if (listed.has(api::Auth::owner_signature)) return read_owner_signature(request);
    return Authentication{.credential = "wallet_signature"};
  }
  return prove_caller(request, spent);
}

Result<Authentication, AuthRefusal> Authenticator::prove_caller(const AuthRequest& request, SpentNonces& spent) const {
  const api::AuthSet listed = request.operation.auth;
  const bool agent = is_present(request.headers, header::agent);
  if (agent && !listed.has(api::Auth::agent)) return refused(AuthFault::unlisted_credential, "agent");

  // Keys and sessions count where they are listed and are ignored elsewhere. (D-226)
  const bool brings_key = is_present(request.headers, header::api_key);
  const bool key = brings_key && listed.has(api::Auth::hmac);
  const auto token = bearer_token(request.headers);
  const bool brings_session = !token || !token->empty();
  // Clients of older contracts send their session to POST /ws/token; no operation declares it. (D-228)
  const bool as_before = settings_.session_mints_stream_tokens && request.operation.path == "/ws/token";
  const bool reads_session = listed.has(api::Auth::bearer) || (as_before && !agent && !key);
  if (reads_session && !token) return unexpected(token.error());
  const bool session = brings_session && reads_session;

  if (agent + key + session > 1) return refused(AuthFault::ambiguous_credential);
  if (agent + key + session == 0) {
    if (brings_key) return refused(AuthFault::unlisted_credential, "API key");
    if (brings_session) return refused(AuthFault::unlisted_credential, "session token");
    return refused(AuthFault::missing_credential);
  }

  auto credential = SVC_TRY(agent ? prove_agent(request) : key ? prove_hmac(request) : prove_session(request));
  const auto action = verify_action(request, credential);

  // A nonce is spent once its signature is verified, whatever else is wrong with the request. (D-233)
  for (const SpentNonce& nonce : credential.nonces)
    if (services_.look()->nonces.is_fresh(nonce)) spent.push_back(nonce);
  const bool nonces_fresh = spent.size() == credential.nonces.size();
  SVC_TRY(action);
  if (!nonces_fresh) return expecting(std::move(credential.proven.expected), refused(AuthFault::nonce_not_increasing));
  return std::move(credential.proven);
}

Result<Authenticator::Credential, AuthRefusal> Authenticator::prove_hmac(const AuthRequest& request) const {
  const auto timestamp_ms = SVC_TRY(timestamp_of(request, header::timestamp));
  const auto id = SVC_TRY(required_header(request.headers, header::api_key));
  const auto signature = SVC_TRY(required_header(request.headers, header::signature));

  // An unknown key costs the same work as a known one, so that timing does not reveal which keys exist.
  auto key = services_.look()->keys.find(id);
  std::string canonical = signing::hmac_canonical(request.parts, timestamp_ms);
  const bool genuine = (key ? key->hmac : decoy_key_).verify(canonical, signature);
  const std::string_view told = api::has_form_of_secret(id) ? "a text of 64 hex digits, such as a secret" : id;
  if (!key) return expecting(std::move(canonical), refused(AuthFault::unknown_key, std::string(told)));
  if (!genuine) return expecting(std::move(canonical), refused(AuthFault::signature_mismatch));

  return Credential{.proven = {.credential = "hmac",
                               .caller = Caller{.account = key->account, .key = key},
                               .expected = std::move(canonical)}};
}

Result<Authenticator::Credential, AuthRefusal> Authenticator::prove_agent(const AuthRequest& request) const {
  const auto agent_text = SVC_TRY(required_header(request.headers, header::agent));
  const bool signs_request = has_any(request.headers, {header::signature, header::timestamp, header::nonce});
  const bool action_alone =
      !signs_request && request.operation.action != nullptr && has_any(request.headers, {header::action_signature});

  const auto timestamp_ms = SVC_TRY(timestamp_of(request, action_alone ? header::action_timestamp : header::timestamp));
  const auto address = parse_address(agent_text);
  if (!address) return refused(AuthFault::malformed_agent);

  const auto agent = services_.look()->agents.find(*address, request.now_ms);
  if (action_alone) {
    if (!agent) return refused(AuthFault::unknown_agent, to_string(*address));
    return Credential{
        .proven = {.credential = "action", .caller = Caller{.account = agent->account, .agent = *address}},
        .action_is_credential = true};
  }

  const auto nonce = SVC_TRY(nonce_of(request.headers, header::nonce));
  const auto signature = SVC_TRY(signature_of(request.headers, header::signature));
  std::string canonical = signing::agent_canonical(request.parts, timestamp_ms, nonce);
  const auto signer = signers_.of(signing::agent_request_digest(canonical), signature);
  if (!agent) return expecting(std::move(canonical), refused_at_cost(AuthFault::unknown_agent, to_string(*address)));
  if (signer != *address) return expecting(std::move(canonical), refused_at_cost(AuthFault::signature_mismatch));

  Credential credential{.proven = {.credential = "agent",
                                   .caller = Caller{.account = agent->account, .agent = *address},
                                   .expected = std::move(canonical)}};
  if (request.operation.is_write()) credential.nonces.push_back({NonceSequence::requests, *address, nonce});
  return credential;
}

Result<Authenticator::Credential, AuthRefusal> Authenticator::prove_session(const AuthRequest& request) const {
  const auto token = bearer_token(request.headers);
  SVC_ASSERT(token);
  const auto account = services_.look()->sessions.find(*token, request.now_ms);
  if (!account) return refused(AuthFault::unknown_session);
  return Credential{.proven = {.credential = "bearer", .caller = Caller{.account = *account}}};
}

Result<Authentication, AuthRefusal> Authenticator::prove_admin(const AuthRequest& request) const {
  const auto token = SVC_TRY(bearer_token(request.headers));
  if (token.empty()) return refused(AuthFault::missing_credential);
  // If no secret is set, none matches, as the token is not empty.
  if (!equal_constant_time(token, settings_.admin_secret.reveal())) return refused(AuthFault::wrong_admin_secret);
  return Authentication{.credential = "admin", .operator_secret = true};
}

Result<Authentication, AuthRefusal> Authenticator::read_owner_signature(const AuthRequest& request) const {
  const auto timestamp_ms = SVC_TRY(timestamp_of(request, header::timestamp));
  const auto signature = SVC_TRY(signature_of(request.headers, header::signature));
  OwnerSignature owner{.signature = signature, .timestamp_ms = timestamp_ms};
  if (request.operation.is_write()) owner.nonce = SVC_TRY(nonce_of(request.headers, header::nonce));
  return Authentication{.credential = "owner_signature", .owner = owner};
}

Result<void, AuthRefusal> Authenticator::verify_action(const AuthRequest& request, Credential& credential) const {
  if (request.operation.action == nullptr) return {};
  const api::Headers& headers = request.headers;
  if (!has_any(headers,
               {header::action_signature, header::action_timestamp, header::action_nonce, header::acting_account})) {
    if (settings_.require_action) return refused(AuthFault::action_required);
    return {};
  }
  // An acting account without a signature would be an unproven claim. (D-234)
  if (!is_present(headers, header::action_signature) || !is_present(headers, header::action_timestamp) ||
      !is_present(headers, header::action_nonce))
    return refused(AuthFault::action_incomplete);

  const auto timestamp_ms = SVC_TRY(timestamp_of(request, header::action_timestamp));
  const auto nonce = SVC_TRY(nonce_of(headers, header::action_nonce));
  const auto signature = SVC_TRY(signature_of(headers, header::action_signature));

  Address account = credential.proven.caller->account;
  if (is_present(headers, header::acting_account)) {
    const auto text = SVC_TRY(required_header(headers, header::acting_account));
    const auto acting = parse_address_lenient(text);
    if (!acting) return refused(AuthFault::malformed_acting_account);
    account = *acting;
  }

  // A caller verified by other means is told what is wrong with the body; a caller with only the action is not
  // verified yet. (D-235)
  signing::Unformed reason("the body is not JSON");
  std::optional<signing::ActionStruct> action;
  if (request.order_count > hashed_orders_max) {
    reason.why = "a batch of " + std::to_string(request.order_count) + " orders is not hashed";
  } else if (request.body_is_json) {
    auto formed =
        request.operation.action->read(request.parts, {.account = account,
                                                       .domain = settings_.deployment,
                                                       .timestamp_ms = static_cast<std::uint64_t>(timestamp_ms),
                                                       .nonce = nonce});
    if (formed)
      action = std::move(*formed);
    else
      reason = formed.error();
  }
  if (!action) {
    if (credential.action_is_credential) return refused(AuthFault::action_not_formed, std::move(reason.why));
    credential.proven.unformed_action = std::move(reason);
    return {};
  }

  const auto signer =
      signers_.of(signing::typed_data_digest(action_separator_, signing::struct_hash(*action)), signature);
  // Any signature recovers to somebody: if it is the wrong one, something else was signed.
  const auto refuse_action = [&](AuthFault fault, std::string note) {
    return expecting(signing::typed_data_text(signing::action_domain(settings_.domain_name), *action),
                     refused_at_cost(fault, std::move(note)));
  };
  if (!signer) return refuse_action(AuthFault::signature_mismatch, "action");
  if (credential.action_is_credential && signer != credential.proven.caller->agent)
    return refuse_action(AuthFault::signature_mismatch, "action");
  if (*signer != account) {
    const auto agent = services_.look()->agents.find(*signer, request.now_ms);
    if (!agent || agent->account != account)
      return refuse_action(AuthFault::signer_not_entitled, "action signed by " + to_string(*signer));
  } else if (account != credential.proven.caller->account && !knows(account, request.now_ms)) {
    return refuse_action(AuthFault::signer_not_entitled, to_string(account) + " has no account here");
  }
  credential.nonces.push_back({NonceSequence::requests, *signer, nonce});
  credential.proven.action = VerifiedAction{.account = account, .signer = *signer};
  return {};
}

}  // namespace svc::sim
