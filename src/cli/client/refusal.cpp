#include "cli/client/refusal.h"

#include "api/operation_list.h"
#include "cli/client/client_id.h"

namespace svc::cli {
namespace {

using api::Category;
using api::ErrorCode;

std::string first_text_at(const Json& body, std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths)
    if (const auto text = body.string_at(path)) return std::string(*text);
  return {};
}

std::string code_in(const Json& body) {
  return first_text_at(body, {"code", "error", "error.code"});
}

// All other members of the body: allowances, buckets, supported versions.
Json details_in(const Json& body) {
  Json details;
  if (const Json* nested = body.at("error.details")) return *nested;
  for (const auto& [key, member] : body.members())
    if (key != "code" && key != "message" && key != "error") details.set(key, member);
  return details;
}

// Refusals that tell the service's state: nothing happened.
bool proves_no_effect(const api::Operation& operation, ErrorCode code) {
  if (code == ErrorCode::service_unavailable || code == ErrorCode::not_implemented) return true;
  const bool is_declared = is_among(code, operation.errors, &api::OperationError::code);
  return is_declared && code != ErrorCode::bad_gateway && api::info(code).category == Category::unavailable;
}

// Statuses that a server sends before acting on a request; for unknown operations.
constexpr std::array refusing_statuses{400, 401, 402, 403, 404, 405, 407, 409, 410, 411, 413,
                                       414, 415, 417, 421, 422, 426, 428, 429, 431, 451};

template <ErrorCode... codes>
bool is_one_of(ErrorCode code) {
  return ((code == codes) || ...);
}

bool is_unauthorized(ErrorCode code) {
  return code == ErrorCode::unauthorized || code == ErrorCode::signer_mismatch || code == ErrorCode::signature_invalid;
}

// Errors that any request can get, before its content is read. A 408 is no proof: a proxy may send it after it has
// passed the request on.
bool is_generic_refusal(ErrorCode code) {
  using enum ErrorCode;
  return is_unauthorized(code) ||
         is_one_of<bad_request, method_not_allowed, gone, body_too_large, uri_too_long, header_too_large,
                   upgrade_required, api_version_unsupported, rate_limit_exceeded, account_id_header_unsupported,
                   restricted_jurisdiction, us_restricted, geo_unresolved, early_access_required>(code);
}

// Whether the operation declares this code with a status of the same class (4xx or 5xx).
bool declares(const api::OperationEntry& entry, ErrorCode code, int status) {
  return std::ranges::any_of(api::declared_errors(entry), [&](const api::OperationError& error) {
    return error.code == code && error.status / 100 == status / 100;
  });
}

// False if the answer proves that the operation refused the write. An internal error, an answer from a proxy, and a
// code that the operation does not declare prove nothing. (D-620)
bool leaves_outcome_open(const Call& call, int status, std::optional<ErrorCode> code) {
  if (!call.operation->changes_something()) return false;
  if (code && api::info(*code).category == Category::ambiguous) return false;  // its exit code says so
  if (status >= 500) return !code || !proves_no_effect(*call.operation, *code);
  if (status < 400) return true;
  const api::OperationEntry* entry = api::find_operation(call.operation->name);
  if (entry == nullptr) return !code && !is_among(status, refusing_statuses);
  if (!code) return status != 401;  // a 401 is looked up like a refusal: may_follow_acceptance
  return !is_generic_refusal(*code) && !declares(*entry, *code, status);
}

Failure outcome_unknown(const Call& call, std::string message, Json details,
                        std::optional<std::string> raw = std::nullopt) {
  if (call.client_ids.size() == 1) details.set("client_id", call.client_ids.front());
  if (call.client_ids.size() > 1) details.set("client_ids", Json::list(call.client_ids));
  return {.exit = ExitCode::outcome_unknown,
          .code = "outcome_unknown",
          .message = std::move(message),
          .details = std::move(details),
          .actions = call.look_up,
          .raw = std::move(raw)};
}

}  // namespace

bool may_leave_write_open(ErrorCode code) {
  const api::ErrorInfo& info = api::info(code);
  if (info.status < 500) return code == ErrorCode::request_timeout;
  return info.category != Category::ambiguous &&
         std::ranges::none_of(api::every_operation(), [&](const api::OperationEntry& entry) {
           return proves_no_effect(*entry.operation, code);
         });
}

bool may_follow_acceptance(const Call& call, const api::HttpResponse& response, bool meets_first_copy,
                           bool was_repeated) {
  if (!call.operation->changes_something() || api::find_operation(call.operation->name) == nullptr) return false;
  const auto code = api::find_error(code_in(json_or_null(response.body)));
  if (!code) return response.status == 401;
  if (is_unauthorized(*code) || is_busy(response.status)) return true;
  if (was_repeated && api::info(*code).category == Category::not_found) return true;
  // Nobody else can have an id that we made.
  const bool is_our_id = *code == ErrorCode::client_id_taken && !call.client_ids.empty() && are_ours(call.client_ids);
  // What the second copy meets because of the first.
  using enum ErrorCode;
  const bool is_own_trace =
      is_one_of<client_id_taken, order_not_found, invalid_amend, insufficient_balance, too_many_keys, faucet_cooldown,
                faucet_cap_reached, daily_limit_exceeded, nonce_used>(*code);
  return is_our_id || (meets_first_copy && is_own_trace);
}

bool nothing_was_sent(const Failure& failure) {
  return failure.code == "not_sent" && !failure.raw;
}

bool is_busy(int status) {
  return status == 429 || status == 503;
}

Failure doubted(const Call& call, const Failure& refused) {
  return outcome_unknown(
      call, "the write was sent and refused with " + refused.code + ", as the second copy of an accepted request is",
      Json::object({{"code", refused.code}}), refused.raw);
}

ExitCode exit_of(api::Category category) {
  switch (category) {
    case Category::auth: return ExitCode::authentication;
    case Category::not_found: return ExitCode::not_found;
    case Category::conflict: return ExitCode::conflict;
    case Category::invalid: return ExitCode::invalid;
    case Category::forbidden: return ExitCode::forbidden;
    case Category::rate_limited: return ExitCode::rate_limited;
    case Category::unavailable: return ExitCode::unavailable;
    case Category::ambiguous: return ExitCode::outcome_unknown;
    case Category::insufficient: return ExitCode::insufficient_funds;
    case Category::halted: return ExitCode::market_halted;
    case Category::version: return ExitCode::version;
    case Category::internal: return ExitCode::internal;
  }
  SVC_ASSERT(false);
}

Failure failure_of(const Call& call, const api::HttpResponse& response, std::string_view network) {
  const auto parsed = parse_json(response.body);
  const Json body = parsed ? *parsed : Json();
  const std::string spelled = code_in(body);
  const auto known = api::find_error(spelled);
  std::string message = first_text_at(body, {"message", "error.message"});
  if (leaves_outcome_open(call, response.status, known)) {
    Json details = Json::object({{"status", response.status}});
    if (!spelled.empty()) details.set("code", spelled);
    return outcome_unknown(call,
                           "the write was sent and the answer was " + std::to_string(response.status) +
                               ", which does not say what became of it",
                           std::move(details), response.body);
  }
  // The API answers with JSON: a proxy between does not know whether there is such an order.
  const bool is_of_proxy = !parsed && !response.body.empty() && response.status < 500 && !is_busy(response.status);
  const Category category = known         ? api::info(*known).category
                            : is_of_proxy ? Category::unavailable
                                          : api::category_of_status(response.status);
  if (is_of_proxy) {
    message = concat("the answer ", response.status, " is none of this API, such as the page of a proxy");
  } else if (message.empty()) {
    message = known ? std::string(api::info(*known).meaning) : "the server answered " + std::to_string(response.status);
  }
  Failure failure{.exit = exit_of(category),
                  .code = spelled.empty() ? "http_" + std::to_string(response.status) : spelled,
                  .message = std::move(message),
                  .retryable = category == Category::rate_limited || category == Category::unavailable,
                  .retry_after_ms = api::retry_after_ms(response.headers),
                  .details = details_in(body),
                  .raw = response.body};
  if (known && api::info(*known).retry == api::Retry::soon) failure.retryable = true;
  if (known && api::info(*known).retry == api::Retry::never) failure.retryable = false;
  if (response.status == 401) {
    failure.message += " (it may be the key, the signature, the clock, the network or the path)";
    failure.actions = {"svc -n " + std::string(network) + " why",
                       "the same command with --print-canonical shows what was signed"};
  }
  return failure;
}

Failure nothing_happened(std::string_view code, std::string cause) {
  return {.exit = ExitCode::unavailable,
          .code = std::string(code),
          .message = cause + "; nothing happened",
          .cause = std::move(cause),
          .retryable = true};
}

Failure unanswered_read(const api::TransportError& error) {
  if (error.is_interrupted) return failed("interrupted", "interrupted; nothing happened");
  return nothing_happened(error.delivery == api::Delivery::not_sent ? "not_sent" : "no_answer", error.reason);
}

Failure failure_of(const Call& call, const api::TransportError& error, TimestampMs sent_at_ms) {
  if (error.delivery != api::Delivery::unknown || !call.operation->changes_something()) return unanswered_read(error);
  return outcome_unknown(call, "no answer after the request was sent: " + error.reason,
                         Json::object({{"sent_at_ms", sent_at_ms}}));
}

Failure unreadable(const Call& call, TimestampMs sent_at_ms) {
  if (call.operation->changes_something()) {
    return outcome_unknown(call, "the write was sent, and its answer cannot be read or tells of something else",
                           Json::object({{"sent_at_ms", sent_at_ms}}));
  }
  return failed("unreadable_answer", "the answer is not the JSON that was expected").as_retryable();
}

Failure unreadable_member(std::string_view member, std::string_view of_what) {
  return failed("unreadable_answer", "the ", member, " of ", of_what, " cannot be read").as_retryable();
}

ExitCode exit_of_code(std::string_view code) {
  const auto known = api::find_error(code);
  return known ? exit_of(api::info(*known).category) : ExitCode::invalid;
}

Retry allowed_retry(const Call& call, const Failure& failure) {
  if (failure.exit == ExitCode::rate_limited) {
    return failure.retryable && failure.retry_after_ms ? Retry::after_header : Retry::no;
  }
  if (nothing_was_sent(failure)) return Retry::after_pause;
  if (!call.operation->is_write()) {
    return failure.exit == ExitCode::unavailable && failure.retryable ? Retry::after_pause : Retry::no;
  }
  const bool was_rolled_back = api::find_error(failure.code) == ErrorCode::isolated_margin_not_recorded;
  const bool may_repeat = was_rolled_back || (failure.exit == ExitCode::outcome_unknown && has_idempotency_key(call));
  return may_repeat ? Retry::after_pause : Retry::no;
}

}  // namespace svc::cli
