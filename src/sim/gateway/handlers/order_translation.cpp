#include "sim/gateway/handlers/order_translation.h"

#include "base/assert.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "sim/gateway/handlers/amounts.h"

namespace svc::sim {
namespace {

using api::ApiError;
using api::ErrorCode;

engine::Side side_of(api::Side side) {
  return side == api::Side::buy ? engine::Side::buy : engine::Side::sell;
}
api::Side side_of(engine::Side side) {
  return side == engine::Side::buy ? api::Side::buy : api::Side::sell;
}

// The enumerations of both sides list the same terms in the same order.
static_assert(static_cast<int>(engine::OrderType::trailing_limit) == static_cast<int>(api::OrderType::trailing_limit));
static_assert(static_cast<int>(engine::OrderType::take_profit_limit) ==
              static_cast<int>(api::OrderType::take_profit_limit));
static_assert(static_cast<int>(engine::TimeInForce::post_only) == static_cast<int>(api::TimeInForce::post_only));
static_assert(static_cast<int>(engine::TimeInForce::fok) == static_cast<int>(api::TimeInForce::fok));

engine::OrderType type_of(api::OrderType type) {
  return static_cast<engine::OrderType>(type);
}
api::OrderType type_of(engine::OrderType type) {
  return static_cast<api::OrderType>(type);
}
engine::TimeInForce time_in_force_of(api::TimeInForce tif) {
  return static_cast<engine::TimeInForce>(tif);
}
api::TimeInForce time_in_force_of(engine::TimeInForce tif) {
  return static_cast<api::TimeInForce>(tif);
}

engine::StpMode stp_of(const std::optional<api::StpMode>& mode) {
  if (!mode) return engine::StpMode::none;
  switch (*mode) {
    case api::StpMode::cancel_newest: return engine::StpMode::cancel_newest;
    case api::StpMode::cancel_oldest: return engine::StpMode::cancel_oldest;
    case api::StpMode::decrement_and_cancel: return engine::StpMode::decrement_and_cancel;
  }
  SVC_ASSERT(false);
}

std::optional<api::StpMode> stp_of(engine::StpMode mode) {
  switch (mode) {
    case engine::StpMode::none: return std::nullopt;
    case engine::StpMode::cancel_newest: return api::StpMode::cancel_newest;
    case engine::StpMode::cancel_oldest: return api::StpMode::cancel_oldest;
    case engine::StpMode::decrement_and_cancel: return api::StpMode::decrement_and_cancel;
  }
  SVC_ASSERT(false);
}

api::OrderStatus status_of(engine::OrderStatus status) {
  switch (status) {
    case engine::OrderStatus::untriggered:
    case engine::OrderStatus::open: return api::OrderStatus::open;
    case engine::OrderStatus::partially_filled: return api::OrderStatus::partially_filled;
    case engine::OrderStatus::filled: return api::OrderStatus::filled;
    case engine::OrderStatus::cancelled: return api::OrderStatus::cancelled;
    case engine::OrderStatus::expired: return api::OrderStatus::expired;
    case engine::OrderStatus::rejected: return api::OrderStatus::rejected;
  }
  SVC_ASSERT(false);
}

std::optional<api::CancellationReason> reason_of(const engine::OrderRecord& order) {
  const auto word = [](std::string text) { return api::CancellationReason{std::move(text), std::nullopt}; };
  const auto self_trade = [](api::StpMode mode) { return api::CancellationReason{{}, mode}; };
  switch (order.cancel_reason) {
    case engine::CancelReason::none: return std::nullopt;
    case engine::CancelReason::user: return word("User");
    case engine::CancelReason::slippage_cap: return word("SlippageCap");
    case engine::CancelReason::liquidation: return word("Liquidation");
    case engine::CancelReason::expired: return word("Expired");
    case engine::CancelReason::market_halt: return word("MarketHalt");
    case engine::CancelReason::amend_replace: return word("AmendReplace");
    case engine::CancelReason::insufficient_liquidity: return word("InsufficientLiquidity");
    case engine::CancelReason::price_band_exceeded: return word("PriceBandExceeded");
    case engine::CancelReason::stp_cancel_newest: return self_trade(api::StpMode::cancel_newest);
    case engine::CancelReason::stp_cancel_oldest: return self_trade(api::StpMode::cancel_oldest);
    case engine::CancelReason::stp_decrement_and_cancel: return self_trade(api::StpMode::decrement_and_cancel);
    case engine::CancelReason::reduce_only: return word("ReduceOnly");
    case engine::CancelReason::margin_breach: return word("MarginBreach");
    case engine::CancelReason::adl: return word("Adl");
    case engine::CancelReason::cancel_on_disconnect: return word("CancelOnDisconnect");
    case engine::CancelReason::rejected_at_trigger: return word(std::string(engine::to_string(order.reject)));
  }
  SVC_ASSERT(false);
}

std::optional<std::string> client_id_text(const engine::ClientId& id) {
  if (id.empty()) return std::nullopt;
  return std::string(id.text());
}

std::optional<std::uint32_t> bps_of(const std::optional<std::int32_t>& bps) {
  if (!bps) return std::nullopt;
  return static_cast<std::uint32_t>(*bps);
}

std::optional<TimestampMs> triggered_at(const engine::OrderRecord& order) {
  if (order.triggered_ms == 0) return std::nullopt;
  return order.triggered_ms;
}

// Larger offsets mean nothing in any market; clamping them keeps the engine's check the one that refuses.
std::optional<std::int32_t> bps_of(const std::optional<std::uint32_t>& bps) {
  if (!bps) return std::nullopt;
  constexpr auto beyond = static_cast<std::uint32_t>(limits::bps_max) + 1;
  return static_cast<std::int32_t>(std::min(*bps, beyond));
}

engine::MeasuredPrice measured(const engine::MarketSpec& spec, const std::optional<api::DecimalText>& price) {
  return price ? measured_price(spec, *price) : engine::MeasuredPrice{};
}

}  // namespace

engine::MeasuredPrice measured_price(const engine::MarketSpec& spec, const api::DecimalText& price) {
  const auto value = parse_decimal(price.text);
  if (!value) return {.value = {}, .grid = engine::Grid::beyond};
  return engine::measure_price(spec, *value);
}

engine::MeasuredLots measured_lots(const engine::MarketSpec& spec, const api::DecimalText& quantity) {
  const auto value = parse_decimal(quantity.text);
  if (!value) return {.value = {}, .grid = engine::Grid::beyond};
  return engine::measure_lots(spec, *value);
}

Result<engine::OrderParams, ApiError> order_params(const MarketTable& markets, const api::OrderRequest& request) {
  if (!api::is_market_id(request.market_id.text))
    return unexpected(ApiError(ErrorCode::invalid_market_id,
                               "market_id takes upper-case letters and digits in parts joined by single hyphens"));
  const auto market = markets.find(request.market_id.text);
  if (!market) return unexpected(ApiError(ErrorCode::unknown_market, "no market " + request.market_id.text));
  const engine::MarketSpec& spec = markets.spec(*market);

  engine::OrderParams params;
  params.market = *market;
  params.side = side_of(request.side);
  params.type = type_of(request.order_type);
  params.time_in_force = time_in_force_of(request.time_in_force);
  params.stp = stp_of(request.stp);
  params.reduce_only = request.reduce_only;
  params.quantity = measured_lots(spec, request.quantity);
  params.price = measured(spec, request.price);
  params.trigger = measured(spec, request.trigger_price ? request.trigger_price : request.stop_price);
  params.trailing_offset_bps = bps_of(request.trailing_offset_bps);
  params.limit_offset_bps = bps_of(request.limit_offset_bps);
  params.max_slippage_bps = bps_of(request.max_slippage_bps);
  if (request.client_id) {
    const auto id = engine::ClientId::from(*request.client_id);
    if (!id || id->empty())
      return unexpected(ApiError(ErrorCode::invalid_client_id,
                                 "client_id takes 1 to " + std::to_string(limits::client_id_chars_max) + " bytes"));
    params.client_id = *id;
  }
  return params;
}

api::Order order_record(const engine::MarketSpec& spec, const engine::OrderRecord& order) {
  api::Order record;
  record.id = order_id_text(order.id);
  record.market_id = spec.id;
  record.account_id = order.account;
  record.side = side_of(order.side);
  record.order_type = type_of(order.type);
  record.price = price_text(spec, order.price);
  record.quantity = lots_text(spec, order.quantity);
  record.filled_qty = lots_text(spec, order.filled);
  record.status = status_of(order.status);
  record.cancellation_reason = reason_of(order);
  record.time_in_force = time_in_force_of(order.time_in_force);
  record.limit_offset_bps = bps_of(order.limit_offset_bps);
  record.stp = stp_of(order.stp);
  record.max_slippage_bps = bps_of(order.max_slippage_bps);
  record.created_at = order.created_ms;
  record.updated_at = order.updated_ms;
  record.client_id = client_id_text(order.client_id);
  record.reduce_only = order.reduce_only;
  if (order.trigger) record.trigger_price = price_text(spec, *order.trigger);
  record.trailing_offset_bps = bps_of(order.trailing_offset_bps);
  record.triggered_at = triggered_at(order);
  return record;
}

api::OrderHistoryEntry history_record(const engine::MarketSpec& spec, const engine::OrderRecord& order) {
  api::OrderHistoryEntry record;
  record.id = order_id_text(order.id);
  record.market_id = spec.id;
  record.side = side_of(order.side);
  record.order_type = type_of(order.type);
  // No order rests at 0: it is the engine's word for "no limit price".
  if (order.price != Ticks{}) record.price = price_text(spec, order.price);
  record.size = lots_text(spec, order.quantity);
  record.filled_qty = lots_text(spec, order.filled);
  record.status = status_of(order.status);
  if (const auto reason = reason_of(order)) record.cancellation_reason = api::history_text(*reason);
  record.created_at_ms = order.created_ms;
  record.completed_at_ms = order.updated_ms;
  record.client_id = client_id_text(order.client_id);
  record.triggered_at_ms = triggered_at(order);
  return record;
}

api::Fill fill_record(const engine::MarketSpec& spec, const OwnFill& own) {
  const engine::Fill& fill = own.fill;
  api::Fill record;
  record.id = make_uuid(UuidKind::fill, fill.id.value);
  record.order_id = order_id_text(fill.order);
  record.market_id = spec.id;
  record.side = side_of(fill.side);
  record.price = price_text(spec, fill.price);
  record.size = lots_text(spec, fill.quantity);
  record.fee = usdx_text(fill.fee);
  if (fill.is_liquidation && !fill.is_maker) record.liquidation_fee = usdx_text(fill.liquidation_fee);
  record.taker_or_maker = fill.is_maker ? api::Liquidity::maker : api::Liquidity::taker;
  record.timestamp = own.at_ms;
  record.is_liquidation = fill.is_liquidation;
  record.client_id = client_id_text(fill.client_id);
  return record;
}

std::string order_id_text(engine::OrderId id) {
  return make_uuid(UuidKind::order, id.value);
}

std::optional<engine::OrderId> parse_order_id(std::string_view text) {
  const auto counter = parse_uuid(UuidKind::order, text);
  if (!counter || *counter == 0) return std::nullopt;
  return engine::OrderId{*counter};
}

}  // namespace svc::sim
