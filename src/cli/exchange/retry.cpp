#include "cli/exchange/retry.h"

#include "api/error_catalog.h"

namespace svc::cli {
namespace {

bool carries_idempotency_key(const Call& call) {
  for (const api::Header& header : call.headers) {
    if (api::same_header_name(header.name, "Idempotency-Key")) return true;
  }
  return false;
}

bool left_not_a_byte(const Failure& failure) {
  return failure.code == "not_sent" && !failure.raw;
}

bool was_rolled_back(const Failure& failure) {
  return api::find_error(failure.code) == api::ErrorCode::isolated_margin_not_recorded;
}

}  // namespace

Again may_follow(const Call& call, const Failure& failure) {
  if (failure.exit == ExitCode::rate_limited) {
    return failure.retryable && failure.retry_after_ms ? Again::after_header : Again::no;
  }
  if (left_not_a_byte(failure)) return Again::after_pause;
  if (!call.operation->is_write()) {
    return failure.exit == ExitCode::unavailable && failure.retryable ? Again::after_pause : Again::no;
  }
  if (was_rolled_back(failure)) return Again::after_pause;
  const bool lost = failure.exit == ExitCode::outcome_unknown;
  return lost && carries_idempotency_key(call) ? Again::after_pause : Again::no;
}

}  // namespace svc::cli
