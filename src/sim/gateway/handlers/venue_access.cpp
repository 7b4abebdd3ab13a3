#include "sim/gateway/handlers/venue_access.h"

#include <charconv>
#include <utility>

#include "base/assert.h"
#include "base/decimal.h"
#include "sim/gateway/handlers/orders.h"

namespace svc::sim {
namespace {

constexpr char cursor_mark = 'b';  // "before"

// The operation's error for a write that was not logged. Nothing happened.
api::ApiError not_recorded(WriteRefusal refusal, const api::Operation& operation) {
  using enum api::ErrorCode;
  for (const api::OperationError& error : operation.errors) {
    const bool has_own_error = error.code == isolated_margin_not_recorded || error.code == transfer_engine_unavailable;
    if (has_own_error) return api::ApiError(error.code);
  }
  return refusal_of(refusal);
}

}  // namespace

Result<engine::MarketIndex, api::ApiError> VenueAccess::market(const api::MarketId& id) const {
  const auto index = markets.find(id.text);
  if (!index) return unexpected(api::ApiError(api::ErrorCode::unknown_market, "no market " + id.text));
  return *index;
}

Result<std::optional<engine::MarketIndex>, api::ApiError> VenueAccess::market_if_named(
    const std::optional<api::MarketId>& id) const {
  if (!id) return std::optional<engine::MarketIndex>{};
  const auto index = SVC_TRY(market(*id));
  return std::optional(index);
}

Result<Applied, api::ApiError> VenueAccess::submit(RequestContext& context, CommandBody command) const {
  if (context.refuse_write) {
    context.records_if_applied.clear();
    return unexpected(not_recorded(WriteRefusal::not_logged, *context.operation));
  }
  auto applied = sequencer.submit(std::move(command), std::exchange(context.records, {}),
                                  std::exchange(context.records_if_applied, {}));
  if (!applied) return unexpected(not_recorded(applied.error(), *context.operation));
  if (!applied->outcome.ok() && applied->outcome.orders.empty()) return unexpected(refusal_of(applied->outcome.reject));
  return std::move(*applied);
}

std::string cursor_text(std::uint64_t before) {
  return cursor_mark + std::to_string(before);
}

std::optional<std::uint64_t> parse_cursor(const std::optional<std::string>& text) {
  if (!text || text->size() < 2 || text->front() != cursor_mark) return std::nullopt;
  std::uint64_t before = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data() + 1, end, before);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return before;
}

using api::ApiError;
using api::DecimalText;
using api::ErrorCode;
using engine::Reject;

namespace {

ApiError off_tick(const engine::MarketSpec& spec, const char* what, const DecimalText& price) {
  return ApiError(ErrorCode::invalid_tick_size, std::string(what) + ' ' + price.text +
                                                    " is not a multiple of the tick " + format_decimal(spec.tick_size));
}

ApiError off_lot(const engine::MarketSpec& spec, const char* what, const DecimalText& quantity) {
  return ApiError(ErrorCode::invalid_lot_size, std::string(what) + ' ' + quantity.text +
                                                   " is not a multiple of the lot " + format_decimal(spec.lot_size));
}

ApiError out_of_bounds(const engine::MarketSpec& spec, const char* what, const DecimalText& quantity) {
  return ApiError(ErrorCode::invalid_quantity, std::string(what) + ' ' + quantity.text + " is not between " +
                                                   engine::format_lots(spec, spec.min_order_size) + " and " +
                                                   engine::format_lots(spec, spec.max_order_size));
}

ApiError below_minimum(const engine::MarketSpec& spec) {
  return ApiError(ErrorCode::min_notional, "the order's value is below " + format_usdx(spec.min_notional) + " USDX");
}

}  // namespace

ErrorCode error_code_of(Reject reject) {
  switch (reject) {
    case Reject::none: break;
    case Reject::unknown_market: return ErrorCode::unknown_market;
    case Reject::order_not_found: return ErrorCode::order_not_found;
    case Reject::invalid_amend: return ErrorCode::invalid_amend;
    case Reject::market_halted: return ErrorCode::market_halted;
    case Reject::oracle_stale: return ErrorCode::oracle_stale;
    case Reject::invalid_lot_size: return ErrorCode::invalid_lot_size;
    case Reject::invalid_quantity: return ErrorCode::invalid_quantity;
    case Reject::invalid_tick_size: return ErrorCode::invalid_tick_size;
    case Reject::invalid_price: return ErrorCode::invalid_price;
    case Reject::invalid_trigger_price: return ErrorCode::invalid_trigger_price;
    case Reject::invalid_time_in_force: return ErrorCode::invalid_time_in_force;
    case Reject::min_notional: return ErrorCode::min_notional;
    case Reject::client_id_taken: return ErrorCode::client_id_taken;
    case Reject::account_in_liquidation: return ErrorCode::account_in_liquidation;
    case Reject::reduce_only_would_increase: return ErrorCode::reduce_only_would_increase;
    case Reject::price_band_exceeded: return ErrorCode::price_band_exceeded;
    case Reject::would_take_liquidity: return ErrorCode::would_take_liquidity;
    case Reject::insufficient_liquidity: return ErrorCode::insufficient_liquidity;
    case Reject::open_interest_cap_exceeded: return ErrorCode::open_interest_cap_exceeded;
    case Reject::insufficient_margin: return ErrorCode::insufficient_margin;
    case Reject::invalid_amount: return ErrorCode::invalid_amount;
    case Reject::invalid_leverage: return ErrorCode::invalid_leverage;
    case Reject::margin_mode_locked: return ErrorCode::margin_mode_locked;
    case Reject::margin_mode_not_isolated: return ErrorCode::margin_mode_not_isolated;
    case Reject::no_open_position: return ErrorCode::no_open_position;
    case Reject::insufficient_balance: return ErrorCode::insufficient_balance;
    case Reject::account_not_flat: return ErrorCode::transfer_outflow_blocked;
    case Reject::funds_limit_exceeded: return ErrorCode::invalid_amount;
    case Reject::market_not_halted: return ErrorCode::market_not_halted;
    case Reject::insufficient_recapitalization: return ErrorCode::insufficient_recapitalization;
    case Reject::invalid_batch_size: return ErrorCode::batch_too_large;
    case Reject::duplicate_market: return ErrorCode::invalid_market_id;
    case Reject::too_many_open_orders: return ErrorCode::too_many_open_orders;
  }
  SVC_ASSERT(false);
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
      return ApiError(ErrorCode::service_unavailable, "the journal does not take writes; nothing happened");
  }
  SVC_ASSERT(false);
}

ApiError order_refusal(Reject reject, const engine::MarketSpec& spec, const api::OrderRequest& request) {
  switch (reject) {
    case Reject::invalid_lot_size: return off_lot(spec, "quantity", request.quantity);
    case Reject::invalid_quantity: return out_of_bounds(spec, "quantity", request.quantity);
    case Reject::invalid_tick_size: {
      const auto& trigger = request.trigger_price ? request.trigger_price : request.stop_price;
      const bool is_price = request.price && measured_price(spec, *request.price).grid == engine::Grid::off;
      if (is_price) return off_tick(spec, "price", *request.price);
      if (trigger) return off_tick(spec, "trigger price", *trigger);
      break;
    }
    case Reject::min_notional: return below_minimum(spec);
    default: break;
  }
  return refusal_of(reject);
}

ApiError amend_refusal(Reject reject, const engine::MarketSpec& spec, const api::AmendOrderRequest& request) {
  switch (reject) {
    case Reject::invalid_lot_size:
      if (request.size) return off_lot(spec, "size", *request.size);
      break;
    case Reject::invalid_quantity:
      if (request.size) return out_of_bounds(spec, "size", *request.size);
      break;
    case Reject::invalid_tick_size:
      if (request.price) return off_tick(spec, "price", *request.price);
      break;
    case Reject::min_notional: return below_minimum(spec);
    default: break;
  }
  return refusal_of(reject);
}

Result<TimeRange, api::ApiError> time_range(std::optional<TimestampMs> start, std::optional<TimestampMs> end) {
  TimeRange range;
  if (start) range.from_ms = *start;
  if (end) range.until_ms = *end;
  if (range.from_ms > range.until_ms)
    return unexpected(api::ApiError(api::ErrorCode::invalid_window, "startTime is after endTime"));
  return range;
}

}  // namespace svc::sim
