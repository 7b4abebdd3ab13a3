#include "sim/gateway/handlers/venue_access.h"

#include "base/assert.h"
#include "base/text.h"

namespace svc::sim {

using api::ApiError;
using api::ErrorCode;
using engine::Reject;

namespace {

constexpr char cursor_mark = 'b';  // "before"

// The operation's error for a write that was not logged. In a cluster another node may be able to write, so the error
// there is a 503.
ApiError not_recorded(WriteRefusal refusal, RequestContext& context) {
  using enum ErrorCode;
  if (refusal == WriteRefusal::unusual || refusal == WriteRefusal::unknown) return refusal_of(refusal);
  const bool is_internal = refusal == WriteRefusal::not_logged && !context.venue().sequencer.is_shared();
  for (const api::OperationError& error : context.operation->errors) {
    const bool has_own_error = error.code == isolated_margin_not_recorded ||
                               error.code == transfer_engine_unavailable ||
                               (error.code == internal_error && is_internal);
    if (has_own_error) return ApiError(error.code);
  }
  return refusal_of(refusal);
}

// Codes of orders are spelled like the engine's reasons.
ErrorCode code_spelled_like(Reject reject) {
  switch (reject) {
    case Reject::account_not_flat: return ErrorCode::transfer_outflow_blocked;
    case Reject::funds_limit_exceeded: return ErrorCode::invalid_amount;
    case Reject::invalid_batch_size: return ErrorCode::batch_too_large;
    case Reject::duplicate_market: return ErrorCode::invalid_market_id;
    default: break;
  }
  const auto code = api::find_error(to_string(reject));
  SVC_ASSERT(code);
  return *code;
}

}  // namespace

Result<engine::MarketIndex, ApiError> market_named(const MarketTable& markets, const std::string& id) {
  const auto index = markets.find(id);
  if (!index) return refused(ErrorCode::unknown_market, "no market " + id);
  return *index;
}

Result<std::optional<engine::MarketIndex>, ApiError> VenueAccess::market_if_named(
    const std::optional<api::MarketId>& id) const {
  if (!id) return std::optional<engine::MarketIndex>{};
  const auto index = SVC_TRY(market(*id));
  return std::optional(index);
}

Result<Applied, ApiError> submit(RequestContext& context, UnitBody command) {
  if (context.refuse_write) return unexpected(not_recorded(WriteRefusal::not_logged, context));
  auto applied = context.venue().sequencer.submit(Unit{.nonces = std::exchange(context.nonces, {}),
                                                       .body = std::move(command),
                                                       .by = context.authentication.entitlements()});
  if (!applied && applied.error() == WriteRefusal::revoked)
    return unexpected(context.refuse_credential(AuthFault::revoked_meanwhile));
  if (!applied) return unexpected(not_recorded(applied.error(), context));
  if (!applied->nonces_fresh) return unexpected(context.refuse_credential(AuthFault::nonce_not_increasing));
  if (!applied->outcome.ok() && applied->outcome.orders.empty()) return unexpected(refusal_of(applied->outcome.reject));
  if (!applied->value) return unexpected(std::move(applied->value.error()));
  return std::move(*applied);
}

std::string cursor_text(std::uint64_t before) {
  return cursor_mark + std::to_string(before);
}

std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text) {
  if (!text || text->size() < 2 || text->front() != cursor_mark) return std::nullopt;
  return parse_integer<std::uint64_t>(std::string_view(*text).substr(1));
}

ErrorCode error_code_of(Reject reject) {
  SVC_ASSERT(reject != Reject::none);
  // Looked up once: a maker may be refused many times a second.
  static const auto codes = [] {
    std::array<ErrorCode, std::size(engine::reject_texts)> all{};
    for (std::size_t i = 1; i < all.size(); ++i) all[i] = code_spelled_like(static_cast<Reject>(i));
    return all;
  }();
  return codes[static_cast<std::size_t>(reject)];
}

ApiError refusal_of(Reject reject) {
  if (reject == Reject::funds_limit_exceeded)
    return ApiError(ErrorCode::invalid_amount, "the venue cannot hold that much money");
  return ApiError(error_code_of(reject));
}

ApiError refusal_of(WriteRefusal refusal) {
  switch (refusal) {
    case WriteRefusal::queue_full:
      return ApiError(ErrorCode::service_unavailable, "too many writes are waiting; nothing happened");
    case WriteRefusal::not_logged:
      return ApiError(ErrorCode::service_unavailable,
                      "no write can be logged now (svc local status says why); nothing happened");
    case WriteRefusal::revoked: return ErrorCode::unauthorized;
    case WriteRefusal::unknown:
      return ApiError(ErrorCode::internal_error, "this node cannot tell what became of this; look it up");
    case WriteRefusal::unusual:
      return ApiError(ErrorCode::invalid_parameter, "a number or a text is out of bounds; nothing happened");
  }
  SVC_ASSERT(false);
}

Result<TimeRange, ApiError> time_range(std::optional<TimestampMs> start, std::optional<TimestampMs> end) {
  TimeRange range;
  range.from_ms = start.value_or(range.from_ms);
  range.until_ms = end.value_or(range.until_ms);
  if (range.from_ms > range.until_ms) return refused(ErrorCode::invalid_window, "startTime is after endTime");
  return range;
}

void bind_operations(NetworkInstance& network, const VenueAccess& venue) {
  network.venue = std::make_shared<const VenueAccess>(venue);
  for (const auto bind : {bind_account, bind_auth, bind_bridge, bind_funds, bind_markets, bind_orders, bind_positions,
                          bind_transfers, bind_venue})
    bind(network.handlers);
}

}  // namespace svc::sim
