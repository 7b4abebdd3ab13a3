#include "sim/gateway/gateway.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/contract/orders.h"
#include "api/error_catalog.h"
#include "api/header_names.h"
#include "api/operation_list.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/json_text.h"
#include "base/text.h"
#include "signing/action_request.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;

// Operations that are charged before authentication: all without key, agent, session or the operator's secret.
bool pays_by_address(const api::Operation& operation) {
  using enum api::Auth;
  return !operation.auth.has(hmac) && !operation.auth.has(agent) && !operation.auth.has(bearer) &&
         !operation.auth.has(admin);
}

// The retired addresses of the API: they answer 410. (D-229)
constexpr std::string_view retired_host = "legacy.localhost";
constexpr std::string_view retired_base = "/legacy";

constexpr std::uint64_t refused_credential_cost = 1;

GatewayOptions with_dates(GatewayOptions options, TimestampMs now_ms) {
  options.versions = sim::with_dates(std::move(options.versions), now_ms);
  return options;
}

// Pages of every origin may call: credentials travel in headers that a page must set itself, never in cookies, so
// restricting origins would protect nothing. (D-230)

std::string headers_of(api::SentBy by) {
  std::string names;
  for (const api::HeaderInfo& one : api::header_table)
    if (one.by == by) names.append(names.empty() ? "" : ", ").append(one.name);
  return names;
}

constexpr const char* preflight_lifetime_s = "600";

api::HttpResponse preflight_response(const std::string& allow) {
  return {.status = 204,
          .headers = {{"Allow", allow},
                      {"Access-Control-Allow-Methods", allow},
                      {"Access-Control-Allow-Headers", "Content-Type, " + headers_of(api::SentBy::client)},
                      {"Access-Control-Max-Age", preflight_lifetime_s}},
          .body = {}};
}

void add_note(RequestNote& log, std::string_view note, std::string_view between = "; ") {
  if (!log.note.empty()) log.note += between;
  log.note += note;
}

// Lets the page read the answer, our headers included. Does nothing for requests that do not come from a page.
void allow_origin(const api::Headers& request_headers, api::HttpResponse& response) {
  if (!request_headers.contains("Origin")) return;
  response.headers.set("Access-Control-Allow-Origin", "*");
  static const std::string exposed = headers_of(api::SentBy::server);
  response.headers.set("Access-Control-Expose-Headers", exposed);
}

}  // namespace

// The way of one request through the gateway.
struct Gateway::Passage {
  enum class Step : std::uint8_t { proceed, answered };
  using StageResult = Result<Step, ApiError>;
  using Stage = StageResult (Passage::*)();
  static const Stage stages[];

  const Gateway& gateway;
  RequestContext& context;

  // Discovery, and a handshake, which is never blocked.
  bool is_version_exempt() {
    const bool handshake = context.operation->opens_stream() && is_websocket_upgrade(context.request.headers);
    return handshake || api::is_discovery(context.logical_path);
  }

  // When to retry after a refusal that is not the budget's, as far as it depends on the clock alone.
  std::int64_t come_again_after_ms(ErrorCode code) {
    if (context.retry_at_ms) return *context.retry_at_ms - context.now_ms;
    switch (code) {
      case ErrorCode::daily_limit_exceeded: return day_ms - context.now_ms % day_ms;
      case ErrorCode::faucet_cooldown:
      case ErrorCode::faucet_cap_reached: return limits::faucet_cooldown_ms;
      default: return second_ms;
    }
  }

  void note_refusal(std::string_view rule, std::string note = {}) {
    context.log.rule = rule;
    context.log.note = std::move(note);
  }

  Unexpected<ApiError> refused_by(std::string_view rule, ApiError error, std::string note = {}) {
    note_refusal(rule, std::move(note));
    return unexpected(std::move(error));
  }

  void note_fault(std::uint64_t id, std::string_view what) {
    std::string met = "fault " + std::to_string(id) + ": ";
    met.append(what);
    add_note(context.log, met);
    context.faults_met.push_back(std::move(met));
  }

  void run();

  // Whether the path is that of a stream, whatever the method.
  [[nodiscard]] bool is_stream(const api::RouteMatch& match, std::string_view logical) const {
    if (match.operation != nullptr) return match.operation->opens_stream();
    const auto opened = context.network->router().match(to_string(api::Method::get), logical);
    return opened && opened->operation != nullptr && opened->operation->opens_stream();
  }

  StageResult route() {
    const std::string host = host_name(context.request.headers);
    const std::string_view path = context.request.path();
    context.logical_path = path;  // until the network is known
    if (host == retired_host || path == retired_base || api::lies_under(path, retired_base))
      return refused_by("retired_base", ErrorCode::gone);
    context.network = gateway.network_of(host);
    if (context.network == nullptr)
      return refused_by("unknown_host", ApiError(ErrorCode::not_found, "No network is served under this host name"),
                        host);
    const auto logical = api::logical_path(path, context.network->settings.id);
    context.logical_path = logical.value_or(path);
    auto match = logical ? context.network->router().match(context.request.method, *logical) : std::nullopt;
    if (!match)
      return refused_by(logical ? "unknown_path" : "unknown_base",
                        ApiError(ErrorCode::not_found, "No operation has this path"));
    // No network serves streams at the bare root. (API: What the service does, networks, rule 5; D-729)
    if (logical->size() == path.size() && !gateway.options_.bare_streams && is_stream(*match, *logical))
      return refused_by("unknown_base", ApiError(ErrorCode::not_found, "Streams are served under /v1"));
    if (context.request.is("OPTIONS")) {
      context.response = preflight_response("OPTIONS, " + match->allow);
      return Step::answered;
    }
    if (match->operation == nullptr) {
      context.response.headers.set("Allow", "OPTIONS, " + match->allow);
      return refused_by("method", ErrorCode::method_not_allowed);
    }
    context.operation = match->operation;
    context.path_parameters = std::move(match->parameters);
    context.is_twin = context.operation->twin && api::lies_under(context.logical_path, api::twin_prefix);
    context.log.operation = context.operation->name;
    context.note_query();
    return Step::proceed;
  }

  StageResult check_version() {
    const api::Headers& headers = context.request.headers;
    const bool exempt = is_version_exempt();
    // A handshake passes, but it tells that the version will end.
    if (exempt && !context.operation->opens_stream()) return Step::proceed;
    using enum api::VersionVerdict;
    const VersionTerms& terms = gateway.options_.versions;
    const auto named = headers.find(api::version_header);
    const auto verdict = api::judge(named, policy_at(terms, context.now_ms));
    if (!exempt && (verdict == refused || (verdict == silent && terms.header_required))) {
      return refused_by("version", refuse_version(headers, terms, context.now_ms, context.response.headers),
                        std::string(named.value_or("none")));
    }
    context.version_deprecated = verdict == deprecated;
    if (exempt && context.version_deprecated) add_deprecation(terms, context.response.headers);
    if (verdict == silent && named) context.log.note = "unreadable API version " + std::string(*named);
    return Step::proceed;
  }

  StageResult check_size() {
    if (context.request.body.size() <= gateway.options_.body_bytes_max) return Step::proceed;
    return refused_by("body_size", ErrorCode::body_too_large, std::to_string(context.request.body.size()) + " bytes");
  }

  StageResult charge_client() {
    const api::Operation& operation = *context.operation;
    if (pays_by_address(operation)) return charge_address();
    return Authenticator::recovers(operation, context.request.headers) ? admit_recovery() : Step::proceed;
  }

  // Whether the address has failed so seldom that one more signature is looked at.
  StageResult admit_recovery() {
    const api::Operation& operation = *context.operation;
    const auto admitted = context.network->limiter.may_recover(
        context.client_address, operation.rate, operation.weight.of(context.order_count), context.now_ms);
    if (!admitted) return refused_by("budget", add_exhausted(admitted.error()));
    return Step::proceed;
  }

  // Every order of a batch is hashed to see who signed it.
  StageResult admit_signed_batch() {
    if (context.order_count == 0) return Step::proceed;  // or the body is no batch that can be read
    return Authenticator::recovers(*context.operation, context.request.headers) ? admit_recovery() : Step::proceed;
  }

  StageResult charge_address() {
    const api::Operation& operation = *context.operation;
    // Reading one's own budget is free, but guessing credentials is not.
    const std::uint64_t cost = pays_by_address(operation) ? operation.weight.of(0) : refused_credential_cost;
    context.log.cost = cost;
    return paid(context.network->limiter.charge_client(context.client_address, operation.rate, cost, context.now_ms));
  }

  StageResult paid(const Charge& charge) {
    if (!charge) return refused_by("budget", add_exhausted(charge.error()));
    context.meter = *charge;
    return Step::proceed;
  }

  StageResult parse() {
    const std::string_view body = context.request.body;
    if (!context.operation->reads_body() || is_blank_text(body)) return Step::proceed;
    JsonReader reader(body, limits::record_json_depth_max);
    std::string_view value;
    if (reader.peek() == JsonReader::Next::array && reader.open_array()) {
      while (reader.next_element() && reader.any(value)) ++context.order_count;
    } else {
      context.body_is_json = reader.any(value);
    }
    context.body_is_json = context.body_is_json && !reader.failed() && reader.at_end();
    if (context.body_is_json) return Step::proceed;
    context.order_count = 0;
    context.broken_body = std::string(reader.failed() ? reader.problem() : "something follows the value") +
                          " at byte " + std::to_string(reader.offset());
    return Step::proceed;
  }

  StageResult be_current() {
    const NetworkInstance& network = *context.network;
    if (!network.is_current) return Step::proceed;
    // A read without a credential is refused in any case.
    const bool is_bare = !context.operation->is_write() && !bears_credential(context.request.headers);
    // What an owner signs tells of his money.
    const bool is_public =
        pays_by_address(*context.operation) && !context.operation->auth.has(api::Auth::owner_signature);
    if (is_bare || is_public || is_for_log_to_decide() || network.is_current()) return Step::proceed;
    return refused_by("not_current",
                      ApiError(ErrorCode::service_unavailable, "this node cannot show that it is up to date"));
  }

  // The log decides about an order: its entry comes after all that was answered before, and whether its key stands is
  // looked up there. So a node passes it on without being current, but refuses it only if it is. (D-1150)
  bool is_for_log_to_decide() {
    const api::Operation& operation = *context.operation;
    if (operation.orders != api::OrderWrite::places || Authenticator::recovers(operation, context.request.headers) ||
        !context.network->hears_writer())
      return false;
    auto proven = look_who_calls();
    if (proven) context.authentication = std::move(*proven);
    return proven.has_value();
  }

  Result<Authentication, AuthRefusal> look_who_calls() {
    const AuthRequest request{.operation = *context.operation,
                              .parts = {.method = context.request.method,
                                        .path = context.logical_path,
                                        .query = context.request.query(),
                                        .body = context.request.body},
                              .headers = context.request.headers,
                              .now_ms = context.now_ms + context.clock_skew_ms,
                              .body_is_json = context.body_is_json,
                              .order_count = context.order_count};
    return context.network->authenticator.authenticate(request, context.nonces);
  }

  StageResult authenticate() {
    const bool asks = Authenticator::asks_for_proof(*context.operation);
    if (!asks || context.authentication.proven()) return Step::proceed;
    auto proven = look_who_calls();
    if (proven) {
      context.authentication = std::move(*proven);
      // The operator sees the address's bucket but is not charged. (D-231)
      if (context.authentication.operator_secret)
        context.meter = context.network->limiter.peek_client(context.client_address, context.now_ms);
      return Step::proceed;
    }
    note_refusal(to_string(proven.error().fault), proven.error().note);
    context.authentication.expected = proven.error().expected;
    // Guesses are charged to the bucket of the address, or to its bucket for costly guesses; verified callers never
    // wait for either. (D-224, D-231, D-648)
    if (proven.error().recovered)
      context.network->limiter.charge_failed_signature(context.client_address, context.operation->rate,
                                                       context.operation->weight.of(context.order_count),
                                                       context.now_ms);
    else if (!pays_by_address(*context.operation))  // the others have paid it already
      SVC_TRY(charge_address());
    const bool admin = context.operation->auth.has(api::Auth::admin);
    return unexpected(admin ? ErrorCode::forbidden : ErrorCode::unauthorized);
  }

  StageResult charge_caller() {
    if (!context.authentication.caller) return Step::proceed;
    const api::Operation& operation = *context.operation;
    // An unreadable batch is charged the base unit; only for a caller is it read to see that. (API: Limits, rule 2)
    const bool is_read =
        is_batch() && api::decode_json<api::OrderBatchRequest>(context.request.body, context.decode_options);
    const std::uint64_t cost = operation.weight.of(is_read ? context.order_count : 0);
    context.log.cost = cost;
    const Payer payer = context.network->payer_of(*context.authentication.caller, context.client_address);
    return paid(context.network->limiter.charge(payer, operation.rate, cost, context.now_ms));
  }

  [[nodiscard]] bool is_batch() const { return context.operation->weight.orders_per_extra_token != 0; }
  [[nodiscard]] bool is_batch_too_large() const { return is_batch() && context.order_count > limits::batch_orders_max; }

  StageResult check_body() {
    if (is_batch_too_large())
      return refused_by("batch_size",
                        ApiError(ErrorCode::batch_too_large,
                                 "a batch holds at most " + std::to_string(limits::batch_orders_max) + " orders"));
    if (!context.body_is_json)
      return refused_by("malformed_json",
                        ApiError(ErrorCode::invalid_json, "The body is not JSON: " + context.broken_body),
                        context.broken_body);
    if (const auto& unformed = context.authentication.unformed_action) {
      const api::Operation& operation = *context.operation;
      const bool is_of_body = operation.reads_body() && !unformed->of_target;
      const ErrorCode code = is_of_body ? operation.refused_body : ErrorCode::invalid_parameter;
      return refused_by("action_not_formed", ApiError(code, "The signed action cannot be formed: " + unformed->why),
                        unformed->why);
    }
    return Step::proceed;
  }

  StageResult check_query() {
    if (context.unknown_parameters.empty() || !gateway.options_.strict_query) return Step::proceed;
    const std::string known = svc::joined(query_parameters(*context.operation));
    return refused(ErrorCode::invalid_parameter, "unknown query parameter " + context.unknown_parameters +
                                                     "; the operation takes " + (known.empty() ? "none" : known));
  }

  StageResult answer() {
    const api::Operation& operation = *context.operation;
    context.response.status = operation.success;
    const Handler* handler = context.network->handlers.find(operation);
    if (handler == nullptr) return unexpected(ErrorCode::not_implemented);
    if (!operation.opens_stream()) context.response.headers.set("Content-Type", "application/json");
    SVC_TRY((*handler)(context));
    return Step::answered;
  }

  // Whose budget paid; without an account the tier every account starts with.
  [[nodiscard]] api::Tier paying_tier() const {
    if (context.token_tier) return *context.token_tier;
    const auto& caller = context.authentication.caller;
    return caller ? context.network->payer_of(*caller, context.client_address).tier : BudgetRefusal{}.tier;
  }

  // The error of a 429; its header fields are added.
  ApiError add_exhausted(const BudgetRefusal& refusal) {
    const Meter& meter = refusal.meter;
    context.meter = meter;
    api::Headers& headers = context.response.headers;
    const std::int64_t reset_s = narrow(div_round(meter.full_at_ms, second_ms, Rounding::up));
    headers.set(api::header::limit, std::to_string(meter.limit));
    headers.set(api::header::remaining, std::to_string(meter.remaining));
    headers.set(api::header::reset, std::to_string(reset_s));
    headers.set(api::header::bucket, to_string(meter.bucket));
    headers.set(api::header::retry_after, std::to_string(refusal.retry_after_s));
    return ApiError(ErrorCode::rate_limit_exceeded, "The " + std::string(to_string(meter.bucket)) + " budget of " +
                                                        std::to_string(meter.limit) + " per second is spent")
        .with("bucket", to_string(meter.bucket))
        .with("tier", api::to_string(refusal.tier));
  }

  // Refusals unrelated to a budget, such as a cooldown, have the headers of budget refusals: the bucket that paid, its
  // tier, and when to retry. (API: Rate-limit headers, rule 2)
  void complete_too_many(ApiError& error) {
    if (context.response.headers.contains(api::header::bucket)) return;
    RateLimiter& limiter = context.network->limiter;
    BudgetRefusal refusal{
        .meter = context.meter ? *context.meter : limiter.peek_client(context.client_address, context.now_ms),
        .tier = paying_tier()};
    const std::int64_t again_after_ms = come_again_after_ms(error.code);
    refusal.meter.full_at_ms = std::max(refusal.meter.full_at_ms, context.now_ms + again_after_ms);
    refusal.retry_after_s = narrow(div_round(again_after_ms, second_ms, Rounding::up));
    add_exhausted(refusal);
    error.with("bucket", to_string(refusal.meter.bucket)).with("tier", api::to_string(refusal.tier));
  }

  void refuse(const ApiError& reason) {
    const api::Operation* operation = context.operation;
    ApiError error = reason;
    constexpr int too_many = 429;
    if (operation != nullptr && status_of(error, *operation) == too_many) complete_too_many(error);
    const bool bridge = operation == nullptr && api::lies_under(context.logical_path, "/api/v1/bridge");
    const api::Envelope envelope = operation != nullptr ? operation->envelope
                                   : bridge             ? api::Envelope::bridge
                                                        : api::Envelope::flat;
    context.response.status = operation != nullptr ? status_of(error, *operation) : status_of(error);
    context.response.headers.set("Content-Type", "application/json");
    context.response.body = render(error, envelope);
    context.log.code = api::spelling(error.code);
    if (context.log.rule.empty()) note_refusal("operation", error.message);
  }

  // Spends nonces that no command included. The answer waits until they are spent for good.
  void spend_nonces() {
    if (context.nonces.empty() || context.network->venue == nullptr) return;
    const auto spent = context.venue().sequencer.submit({.nonces = std::exchange(context.nonces, {})});
    if (!spent) return refuse(ApiError(ErrorCode::service_unavailable));
    if (!spent->nonces_fresh) refuse(context.refuse_credential(AuthFault::nonce_not_increasing));
  }

  void add_headers() {
    api::Headers& headers = context.response.headers;
    // A 401 reveals nothing, not even whose signature was genuine. (API: Errors)
    const bool opaque = context.response.status == api::info(ErrorCode::unauthorized).status;
    const bool known = context.authentication.proven() && !opaque;
    if (context.meter && known) {
      headers.set(api::header::limit, std::to_string(context.meter->limit));
      headers.set(api::header::remaining, std::to_string(context.meter->remaining));
    }
    if (!context.unknown_parameters.empty() && !opaque)
      headers.set(api::header::unknown_query, context.unknown_parameters);
    if (context.version_deprecated) add_deprecation(gateway.options_.versions, headers);
    allow_origin(context.request.headers, context.response);
  }

  // Faults act on the way in, before a request is handled, and on the way out. (fault_book.h) An error is the one that
  // the real service would send, with its body, status and header fields.

  FaultSubject subject_of() {
    const auto& caller = context.authentication.caller;
    return {.operation = *context.operation,
            .path = context.logical_path,
            .account = caller ? std::optional(caller->account) : std::nullopt,
            .query = context.request.query(),
            .body = context.request.body,
            .version_exempt = is_version_exempt(),
            .bears_credential = bears_credential(context.request.headers)};
  }

  StageResult arrive() {
    if (gateway.faults_.empty()) return Step::proceed;
    const ArrivalFaults met = gateway.faults_.arriving(subject_of());
    if (met.skewed_by != 0) {
      context.clock_skew_ms = met.skew_ms;
      note_fault(met.skewed_by, "clock off by " + std::to_string(met.skew_ms) + " ms");
    }
    if (met.lost_by == 0) return Step::proceed;
    context.log.rule = "fault";
    note_fault(met.lost_by, "lost before it was handled");
    context.answer_late_ms = met.latency_ms;
    context.response = no_answer();
    return Step::answered;
  }

  StageResult meet_fault() {
    if (gateway.faults_.empty()) return Step::proceed;
    const auto fault = gateway.faults_.erring(subject_of());
    if (!fault) return Step::proceed;
    const ErrorCode code = fault->rule.code;
    context.answer_late_ms += fault->rule.latency_ms;
    if (refuses_write(code) && declares(*context.operation, code)) {
      context.refuse_write = true;
      note_fault(fault->id, "the write is not recorded");
      return Step::proceed;
    }
    if (happens_first(code, *context.operation)) {
      context.denied_by = fault;
      return Step::proceed;
    }
    context.log.rule = "fault";
    note_fault(fault->id, "answered before it was handled");
    return unexpected(fault_error(fault->rule));
  }

  ApiError fault_error(const FaultRule& fault) {
    ApiError error(fault.code);
    // Except for codes of older deployments there is one 401. (API: Errors)
    const int unauthorized = status_of(ErrorCode::unauthorized);
    if (fault.status == unauthorized && status_of(error) != unauthorized) return ErrorCode::unauthorized;
    api::Headers& headers = context.response.headers;
    if (fault.code == ErrorCode::restricted_jurisdiction || fault.code == ErrorCode::us_restricted ||
        fault.code == ErrorCode::geo_unresolved)
      headers.set(api::header::block_reason, api::spelling(fault.code));
    if (fault.code == ErrorCode::rate_limit_exceeded) {
      // The bucket that paid, as if it were empty. (API: Rate-limit headers)
      BudgetRefusal refusal{
          .meter = context.meter.value_or(Meter{.bucket = Bucket::ip, .limit = limits::client_reads_per_second}),
          .tier = paying_tier()};
      refusal.meter.remaining = 0;
      refusal.meter.full_at_ms = context.now_ms + second_ms;
      error = add_exhausted(refusal);
    }
    if (fault.code == ErrorCode::api_version_unsupported)
      error = refuse_version(context.request.headers, gateway.options_.versions, context.now_ms, headers);
    if (fault.code == ErrorCode::daily_limit_exceeded) {
      const std::string limit = format_usdx(limits::credit_daily_limit);
      error.with("credited_today", limit).with("daily_limit", limit);
    }
    if (fault.code == ErrorCode::upgrade_required) headers.set("Upgrade", "websocket");
    error.status = fault.status;
    return error;
  }

  void depart() {
    if (context.operation == nullptr || is_no_answer(context.response)) return;
    if (context.denied_by && context.log.code.empty()) {
      note_fault(context.denied_by->id, "handled, then denied");
      context.log.rule = "fault";
      refuse(fault_error(context.denied_by->rule));
    }
    if (gateway.faults_.empty()) return;
    const DepartureFaults met = gateway.faults_.leaving(subject_of());
    if (met.delayed_by != 0) note_fault(met.delayed_by, "held back " + std::to_string(met.latency_ms) + " ms");
    context.answer_late_ms += met.latency_ms;
    if (met.unanswered_by == 0) return;
    note_fault(met.unanswered_by,
               "handled with status " + std::to_string(context.response.status) + ", the answer dropped");
    if (context.log.rule.empty()) context.log.rule = "fault";
    context.response = no_answer();
  }
};

// The order in which a request is processed. (API: Authentication, Limits, Versioning)
const Gateway::Passage::Stage Gateway::Passage::stages[] = {
    &Passage::route,          // host and path to network and operation
    &Passage::arrive,         // faults: lost on the way, a skewed clock
    &Passage::check_version,  // 426 before anything is spent
    &Passage::check_size,
    &Passage::charge_client,  // callers without an account pay first
    &Passage::parse,          // remembers a broken body, refuses nothing yet
    &Passage::admit_signed_batch,
    &Passage::be_current,     // what other nodes answered counts for accounts and their credentials
    &Passage::authenticate,   // request or action
    &Passage::charge_caller,  // a broken body is charged one unit as well
    &Passage::check_body,     // refuses a broken one
    &Passage::check_query,    // unknown parameters, where they are refused
    &Passage::meet_fault,     // for a request that would have been handled
    &Passage::answer,         // decode, handler, encode
};

void Gateway::Passage::run() {
  for (const Stage stage : stages) {
    const auto step = (this->*stage)();
    if (!step) return refuse(step.error());
    if (*step == Step::answered) return;
  }
}

Gateway::Gateway(const Clock& clock, GatewayOptions options, std::vector<NetworkInstance*> networks)
    : clock_(clock),
      options_(with_dates(std::move(options), clock.now_ms())),
      networks_(std::move(networks)),
      faults_(options_.seed),
      latency_chance_(options_.seed, "latency") {
  SVC_ASSERT(!networks_.empty());
}

void Gateway::pass(const api::HttpRequest& request, const std::string* head, const Peer& peer, const SendReply& reply,
                   const std::function<void(StreamOpened)>& accept) {
  RequestContext context(request, clock_.now_ms());
  context.upgrade_head = head;
  context.client_address = client_address(request.headers, peer.address, options_.client_ip_header);
  context.decode_options.collect_unknown_fields = options_.unknown_fields == UnknownFields::accept;
  Passage passage{*this, context};
  passage.run();
  passage.spend_nonces();
  passage.depart();
  passage.add_headers();
  write_log(context);
  const std::int64_t late_ms = context.answer_late_ms + draw_latency_ms();
  const bool opens = context.opened && context.response.status == context.operation->success;
  if (!opens) return send(std::move(context.response), reply, late_ms);
  if (late_ms <= 0 || !options_.after_ms) return accept(std::move(context.opened));
  options_.after_ms(late_ms, [accept, opened = std::move(context.opened)] { accept(opened); });
}

std::int64_t Gateway::draw_latency_ms() {
  const auto [base_ms, jitter_ms] = options_.latency;
  if (jitter_ms == 0) return base_ms;
  const std::lock_guard lock(latency_mutex_);
  return latency_chance_.between(base_ms - jitter_ms, base_ms + jitter_ms);
}

void Gateway::write_log(RequestContext& context) {
  RequestNote& log = context.log;
  log.received_at_ms = context.now_ms;
  if (context.network != nullptr) log.network = api::to_string(context.network->settings.id);
  log.method = context.request.method;
  log.path = context.request.path();
  log.credential = context.authentication.credential;
  if (context.authentication.caller) log.account = context.authentication.caller->account;
  if (context.meter) log.bucket = to_string(context.meter->bucket);
  log.status = context.response.status;
  if (!context.unknown_parameters.empty()) add_note(log, "unknown query parameters: " + context.unknown_parameters);
  // No cancel is refused for it. (D-1102)
  const std::string_view body = context.request.body;
  if (context.operation != nullptr && !context.operation->reads_body() && !is_blank_text(body) && body != "{}")
    add_note(log, "the body was not read: " + context.request.method + " takes none");
  for (const std::string& field : context.decoded.unknown_fields)
    add_note(log, log.note.empty() ? "ignored unknown fields: " + field : field, ", ");
  if (context.operation != nullptr && context.operation->group != "document")
    coverage_.add(*context.operation, context.is_twin, context.response.status, log.code);
  // A request for no network is told where requests without a host name go.
  const NetworkInstance& told = context.network != nullptr ? *context.network : *networks_.front();
  if (told.witness != nullptr) told.witness->request_ended(context);
  log_.add(log);
}

NetworkInstance* Gateway::network_of(std::string_view host) const {
  NetworkInstance* any_host = nullptr;
  for (NetworkInstance* network : networks_) {
    if (network->settings.hosts.empty())
      any_host = network;
    else if (network->settings.has_host(host))
      return network;
  }
  return any_host;
}

api::HttpResponse Gateway::refuse(TransportRefusal refusal) {
  const auto error_of = [](TransportRefusal reason) -> ApiError {
    switch (reason) {
      case TransportRefusal::malformed_request: return ErrorCode::bad_request;
      case TransportRefusal::expectation_failed:
        return ApiError(ErrorCode::bad_request, "The only expectation that is met is 100-continue");
      case TransportRefusal::request_timeout: return ErrorCode::request_timeout;
      case TransportRefusal::body_too_large: return ErrorCode::body_too_large;
      case TransportRefusal::request_line_too_long: return ErrorCode::uri_too_long;
      case TransportRefusal::header_too_large: return ErrorCode::header_too_large;
      case TransportRefusal::no_reply: return ErrorCode::internal_error;
      case TransportRefusal::not_implemented:
        return ApiError(ErrorCode::not_implemented, "This method or transfer coding is not offered");
      case TransportRefusal::too_many_connections: return ErrorCode::service_unavailable;
    }
    SVC_ASSERT(false);
  };
  return {.status = status_of(refusal),
          .headers = {{"Content-Type", "application/json"}},
          .body = render(error_of(refusal), api::Envelope::flat)};
}

void Gateway::send(api::HttpResponse&& response, const SendReply& reply, std::int64_t late_ms) const {
  if (late_ms <= 0 || !options_.after_ms) return reply(std::move(response));
  options_.after_ms(
      late_ms, [reply, kept = std::make_shared<api::HttpResponse>(std::move(response))] { reply(std::move(*kept)); });
}

}  // namespace svc::sim
