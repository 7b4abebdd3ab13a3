// Requests that the sandbox signs for its development accounts, whose keys everybody knows. The console sends these:
// the page itself holds no key.
//
// The sandbox signs as a client would, with an API key and, where the operation takes an action, an agent. Both are its
// own, labelled "console" and made when they are first needed: nonces are counted per signer, and those of a wallet
// belong to the client that has it. (D-823)

#include <algorithm>

#include "api/header_names.h"
#include "api/version.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "signing/domain.h"
#include "sim/control/control_handlers.h"

namespace svc::sim {
namespace {

namespace header = api::header;

constexpr std::string_view label = "console";

// Of an answer; the others concern the connection.
constexpr std::string_view headers_told[] = {header::limit,        header::remaining,   header::reset,
                                             header::bucket,       header::retry_after, header::next_cursor,
                                             header::unknown_query};

Result<DevAccount, ApiError> dev_account(const ControlledVenue& venue, const Address& address) {
  const auto accounts = venue.report().accounts;
  const auto account = std::ranges::find(accounts, address, &DevAccount::address);
  if (account == accounts.end()) return not_found(to_string(address) + " is not a development account");
  return *account;
}

Result<std::string, ApiError> target_of(const control::AskedRequest& asked) {
  const std::string target = asked.query ? asked.path + "?" + *asked.query : asked.path;
  const auto is_sent_plainly = [](char c) { return is_printable(c) && c != '#'; };
  if (!target.starts_with('/') || !std::ranges::all_of(target, is_sent_plainly))
    return bad_body("path begins with a slash, and other characters than those of a URL are encoded");
  if (target.size() > limits::http_request_line_bytes_max) return bad_body("path and query are too long");
  return target;
}

// The account's key of the console.
Result<std::shared_ptr<const ApiKey>, ApiError> key_of(const ControlledVenue& venue, const Address& account) {
  const auto known = [&]() -> std::shared_ptr<const ApiKey> {
    for (auto& key : venue.network.services.look()->keys.of(account))
      if (key->label == label) return std::move(key);
    return nullptr;
  };
  if (auto key = known()) return key;
  SVC_TRY(serve_control(venue, CreateKey{.account = account,
                                         .label = std::string(label),
                                         .drawn = key_drawn_before(venue.network.settings.secrets)}));
  return known();
}

// The account's session of the console: the same one until it ends.
Result<Secret, ApiError> session_of(const ControlledVenue& venue, const Address& account) {
  Secret& kept = venue.signing.sessions[account];
  if (venue.network.services.look()->sessions.find(kept.reveal(), venue.clock.now_ms()) == account) return kept;
  auto token = drawn_before(venue.network.settings.secrets, session_token_bytes);
  auto opened = SVC_TRY(serve_control(venue, OpenSession{.account = account, .drawn = token_hash(token)}));
  return kept = token ? std::move(*token) : std::move(opened.value);
}

// The account's agent of the console. Its key follows from that of the account, so it is found again after a restart.
Result<signing::PrivateKey, ApiError> agent_of(const ControlledVenue& venue, const DevAccount& account) {
  const auto key = signing::PrivateKey::from_bytes(signing::keccak256("svc console " + account.private_key));
  SVC_ASSERT(key);
  const TimestampMs now_ms = venue.clock.now_ms();
  if (venue.network.services.look()->agents.find(key->address(), now_ms)) return *key;
  const auto added = serve_control(venue, RegisterAgent{.agent = key->address(),
                                                        .account = account.address,
                                                        .label = std::string(label),
                                                        .expires_at_ms = now_ms + limits::agent_lifetime_max_ms});
  // Another request may have been faster.
  if (!added && added.error().code != api::ErrorCode::duplicate_agent) return unexpected(added.error());
  return *key;
}

// How the operation of a request wants it proven.
struct Proof {
  std::shared_ptr<const ApiKey> key{};
  Secret session{};
  const signing::ActionForm* action = nullptr;
  std::optional<signing::PrivateKey> agent{};
};

Result<Proof, ApiError> proof_of(const ControlledVenue& venue, const DevAccount& account,
                                 const api::Operation& operation) {
  using enum api::Auth;
  Proof proof;
  if (operation.auth.is_public() || operation.auth.has(ws_token)) return proof;
  const std::unique_lock one_at_a_time(venue.signing.gate);  // or two would make a key each
  if (operation.auth.has(hmac)) {
    proof.key = SVC_TRY(key_of(venue, account.address));
    proof.action = operation.action;
    if (proof.action != nullptr) proof.agent = SVC_TRY(agent_of(venue, account));
    return proof;
  }
  if (operation.auth.has(bearer)) {
    proof.session = SVC_TRY(session_of(venue, account.address));
    return proof;
  }
  return not_possible(std::string(operation.name) +
                      " takes neither an API key nor a session, and nothing else is signed here");
}

void sign(const ControlledVenue& venue, const Address& account, const Proof& proof, std::string_view signed_path,
          api::HttpRequest& request) {
  const TimestampMs now_ms = venue.clock.now_ms();
  const signing::RequestParts parts{
      .method = request.method, .path = signed_path, .query = request.query(), .body = request.body};
  api::Headers& headers = request.headers;
  const auto add = [&](std::string_view name, std::string value) { headers.add(name, value); };
  if (!proof.session.empty()) add(header::authorization, "Bearer " + std::string(proof.session.reveal()));
  if (proof.key == nullptr) return;
  add(header::api_key, proof.key->id);
  add(header::timestamp, std::to_string(now_ms));
  add(header::signature, proof.key->hmac.sign_hex(signing::hmac_canonical(parts, now_ms)));
  if (!proof.agent) return;
  const std::uint64_t nonce =
      venue.network.services.look()->nonces.highest(NonceSequence::requests, proof.agent->address()).value_or(0) + 1;
  const auto action = proof.action->read(parts, {.account = account,
                                                 .domain = venue.network.settings.deployment,
                                                 .timestamp_ms = static_cast<std::uint64_t>(now_ms),
                                                 .nonce = nonce});
  if (!action) return;  // the exchange says what is wrong with the body
  const auto separator = signing::separator(signing::action_domain(venue.network.settings.domain_name));
  add(header::action_signature,
      signing::to_string(proof.agent->sign(signing::typed_data_digest(separator, signing::struct_hash(*action)))));
  add(header::action_timestamp, std::to_string(now_ms));
  add(header::action_nonce, std::to_string(nonce));
}

control::AnyJson json_of(const std::string& body) {
  if (body.empty()) return {};
  JsonReader reader(body, limits::record_json_depth_max);
  std::string_view value;
  if (reader.any(value) && reader.at_end()) return control::AnyJson(std::string(value));
  control::AnyJson text("");
  append_json_string(text.text, body);
  return text;
}

control::AnsweredRequest answer_of(const api::HttpResponse& response) {
  control::AnsweredRequest answer{.status = response.status, .headers = {}, .body = json_of(response.body)};
  for (const std::string_view name : headers_told)
    if (const auto value = response.headers.find(name)) answer.headers.emplace(name, *value);
  return answer;
}

Result<ControlHandlers::Reply, ApiError> send_request(const ControlledVenue& venue, const api::RequestParts& parts) {
  const auto asked = SVC_TRY(api::decode_request<control::SendRequest>(parts, control_bodies));
  const auto account = SVC_TRY(dev_account(venue, asked.address));
  auto target = SVC_TRY(target_of(asked));
  api::HttpRequest request{.method = std::string(api::to_string(asked.method)),
                           .target = std::move(target),
                           .headers = {{"Accept", "application/json"}, {api::version_header, api::client_version}},
                           .body = asked.body ? asked.body->text : ""};
  if (!request.body.empty()) request.headers.add("Content-Type", "application/json");
  if (asked.idempotency_key) request.headers.add("Idempotency-Key", *asked.idempotency_key);
  const NetworkSettings& settings = venue.network.settings;
  if (!settings.hosts.empty()) request.headers.add("Host", settings.hosts.front());
  // A path that nothing is at is sent as well: the exchange answers.
  const auto logical = api::logical_path(request.path(), settings.id);
  const auto route = logical ? venue.network.router().match(request.method, *logical) : std::nullopt;
  const std::string signed_path(logical.value_or(std::string_view()));
  Proof proof;
  if (route && route->operation != nullptr) proof = SVC_TRY(proof_of(venue, account, *route->operation));
  return ControlHandlers::Reply{.later = [&venue, account = account.address, proof, signed_path,
                                          request](std::function<void(std::string)> tell) {
    const auto here = venue.turnstile.share();
    std::unique_lock<Gate> in_order(venue.signing.gate, std::defer_lock);
    if (proof.agent) in_order.lock();
    api::HttpRequest sent = request;
    sign(venue, account, proof, signed_path, sent);
    venue.send(std::move(sent), [tell](const api::HttpResponse& response) { tell(api::to_json(answer_of(response))); });
  }};
}

}  // namespace

Result<std::string, ApiError> read_as(const ControlledVenue& venue, const api::HttpRequest& request,
                                      const std::optional<Address>& account) {
  const NetworkInstance& network = venue.network;
  const auto logical = api::logical_path(request.path(), network.settings.id);
  auto route = logical ? network.router().match(request.method, *logical) : std::nullopt;
  const Handler* handler = route && route->operation != nullptr ? network.handlers.find(*route->operation) : nullptr;
  if (handler == nullptr) return not_found("nothing to watch at " + std::string(request.path()));
  const api::Operation& operation = *route->operation;
  if (!operation.auth.is_public()) {
    if (!operation.auth.has(api::Auth::hmac))
      return not_possible(std::string(operation.name) + " takes no API key, so it cannot be watched");
    if (!account) return not_possible(std::string(operation.name) + " cannot be watched without an account");
    SVC_TRY(dev_account(venue, *account));
  }
  RequestContext context(request, venue.clock.now_ms());
  context.network = &venue.network;
  context.logical_path = *logical;
  context.operation = &operation;
  context.path_parameters = std::move(route->parameters);
  if (account) context.authentication.caller = Caller{.account = *account};
  SVC_TRY((*handler)(context));
  return std::move(context.response.body);
}

void bind_control_requests(ControlHandlers& handlers) {
  handlers.add(control::SendRequest::op, {.answer = [&venue = handlers.venue()](const api::RequestParts& parts) {
                 return send_request(venue, parts);
               }});
}

}  // namespace svc::sim
