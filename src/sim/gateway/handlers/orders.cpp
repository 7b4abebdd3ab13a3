// Orders, their history, and fills.
#include <set>

#include "api/contract/orders.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/random.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {

std::optional<engine::OrderId> parse_order_id(std::string_view text) {
  const auto counter = parse_uuid(UuidKind::order, text);
  if (!counter || *counter == 0) return std::nullopt;
  return engine::OrderId{*counter};
}

namespace {

using namespace api;

RowText order_id_text(engine::OrderId id) {
  return {&write_uuid<UuidKind::order>, id.value};
}

engine::MeasuredPrice measured_price(const engine::MarketSpec& spec, const DecimalText& price) {
  const auto value = parse_decimal(price.text);
  return value ? engine::measure_price(spec, *value) : engine::MeasuredPrice{.value = {}, .grid = engine::Grid::beyond};
}

engine::MeasuredLots measured_lots(const engine::MarketSpec& spec, const DecimalText& quantity) {
  const auto value = parse_decimal(quantity.text);
  return value ? engine::measure_lots(spec, *value) : engine::MeasuredLots{.value = {}, .grid = engine::Grid::beyond};
}

// The wire's modes and statuses are the engine's without the first, as their spellings are (api/contract/orders.h).
static_assert(static_cast<int>(engine::StpMode::decrement_and_cancel) ==
              static_cast<int>(StpMode::decrement_and_cancel) + 1);
static_assert(static_cast<int>(engine::OrderStatus::rejected) == static_cast<int>(OrderStatus::rejected) + 1);

engine::StpMode stp_of(const std::optional<StpMode>& mode) {
  return mode ? static_cast<engine::StpMode>(static_cast<std::uint8_t>(*mode) + 1) : engine::StpMode::none;
}

std::optional<StpMode> stp_of(engine::StpMode mode) {
  if (mode == engine::StpMode::none) return std::nullopt;
  return static_cast<StpMode>(static_cast<std::uint8_t>(mode) - 1);
}

OrderStatus wire_status(engine::OrderStatus status) {
  if (status == engine::OrderStatus::untriggered) return OrderStatus::open;
  return static_cast<OrderStatus>(static_cast<std::uint8_t>(status) - 1);
}

std::optional<CancellationReason> reason_of(const engine::OrderRecord& order) {
  const auto word = [](std::string_view text) { return CancellationReason{std::string(text), std::nullopt}; };
  const auto self_trade = [](StpMode mode) { return CancellationReason{{}, mode}; };
  switch (order.cancel_reason) {
    case engine::CancelReason::none: return std::nullopt;
    case engine::CancelReason::stp_cancel_newest: return self_trade(StpMode::cancel_newest);
    case engine::CancelReason::stp_cancel_oldest: return self_trade(StpMode::cancel_oldest);
    case engine::CancelReason::stp_decrement_and_cancel: return self_trade(StpMode::decrement_and_cancel);
    case engine::CancelReason::rejected_at_trigger: return word(to_string(order.reject));
    default: return word(to_string(order.cancel_reason));
  }
}

// As order history tells it.
std::optional<RowText> history_reason_of(const engine::OrderRecord& order) {
  using enum engine::CancelReason;
  if (order.cancel_reason == none) return std::nullopt;
  if (order.cancel_reason == rejected_at_trigger) return to_string(order.reject);
  static const auto texts = [] {
    std::array<std::string, std::size(trade::cancel_reason_texts)> all;
    for (std::size_t i = 1; i < all.size(); ++i)
      all[i] = history_text(*reason_of({.cancel_reason = static_cast<engine::CancelReason>(i)}));
    return all;
  }();
  return texts[static_cast<std::size_t>(order.cancel_reason)];
}

std::optional<RowText> client_id_text(const engine::ClientId& id) {
  if (id.empty()) return std::nullopt;
  return id.text();
}

std::optional<std::uint32_t> bps_of(const std::optional<std::int32_t>& bps) {
  if (!bps) return std::nullopt;
  return static_cast<std::uint32_t>(*bps);
}

std::optional<TimestampMs> triggered_at(const engine::OrderRecord& order) {
  if (order.triggered_ms == 0) return std::nullopt;
  return order.triggered_ms;
}

// Larger offsets are invalid in every market; clamping them lets the engine's check refuse them.
std::optional<std::int32_t> bps_of(const std::optional<std::uint32_t>& bps) {
  if (!bps) return std::nullopt;
  constexpr auto beyond = static_cast<std::uint32_t>(limits::bps_max) + 1;
  return static_cast<std::int32_t>(std::min(*bps, beyond));
}

std::optional<Decimal> price_of(const engine::MarketSpec& spec, const std::optional<Ticks>& price) {
  if (!price) return std::nullopt;
  return engine::price_of(spec, *price);
}

engine::MeasuredPrice measured(const engine::MarketSpec& spec, const std::optional<DecimalText>& price) {
  return price ? measured_price(spec, *price) : engine::MeasuredPrice{};
}

// As an order, or as a row of a list of them.
template <class Form>
Form order_as(const MarketTable& markets, const engine::OrderRecord& order) {
  const engine::MarketSpec& spec = markets.spec(order.market);
  return {.id = order_id_text(order.id),
          .market_id = spec.id,
          .account_id = order.account,
          .side = order.side,
          .order_type = order.type,
          .price = engine::price_of(spec, order.price),
          .quantity = engine::size_of(spec, order.quantity),
          .filled_qty = engine::size_of(spec, order.filled),
          .status = wire_status(order.status),
          .cancellation_reason = reason_of(order),
          .time_in_force = order.time_in_force,
          .limit_offset_bps = bps_of(order.limit_offset_bps),
          .stp = stp_of(order.stp),
          .max_slippage_bps = bps_of(order.max_slippage_bps),
          .created_at = order.created_ms,
          .updated_at = order.updated_ms,
          .client_id = client_id_text(order.client_id),
          .reduce_only = order.reduce_only,
          .trigger_price = price_of(spec, order.trigger),
          .trailing_offset_bps = bps_of(order.trailing_offset_bps),
          .triggered_at = triggered_at(order)};
}

template <class Form>
Form fill_as(const MarketTable& markets, const OwnFill& own) {
  const engine::Fill& fill = own.fill;
  const engine::MarketSpec& spec = markets.spec(fill.market);
  const bool pays_liquidation_fee = fill.is_liquidation && !fill.is_maker;
  return {.id = RowText(&write_uuid<UuidKind::fill>, fill.id.value),
          .order_id = order_id_text(fill.order),
          .market_id = spec.id,
          .side = fill.side,
          .price = engine::price_of(spec, fill.price),
          .size = engine::size_of(spec, fill.quantity),
          .fee = in_usdx(fill.fee),
          .liquidation_fee = pays_liquidation_fee ? std::optional(in_usdx(fill.liquidation_fee)) : std::nullopt,
          .taker_or_maker = fill.is_maker ? api::Liquidity::maker : api::Liquidity::taker,
          .timestamp = own.at_ms,
          .is_liquidation = fill.is_liquidation,
          .client_id = client_id_text(fill.client_id)};
}

OrderHistoryEntry::Row history_row(const MarketTable& markets, const engine::OrderRecord& order) {
  const engine::MarketSpec& spec = markets.spec(order.market);
  // 0 is the engine's value for "no limit price".
  const auto limit = order.price == Ticks{} ? std::nullopt : std::optional(order.price);
  return {.id = order_id_text(order.id),
          .market_id = spec.id,
          .side = order.side,
          .order_type = order.type,
          .price = price_of(spec, limit),
          .size = engine::size_of(spec, order.quantity),
          .filled_qty = engine::size_of(spec, order.filled),
          .status = wire_status(order.status),
          .cancellation_reason = history_reason_of(order),
          .created_at_ms = order.created_ms,
          .completed_at_ms = order.updated_ms,
          .client_id = client_id_text(order.client_id),
          .triggered_at_ms = triggered_at(order)};
}

}  // namespace

api::Order order_record(const MarketTable& markets, const engine::OrderRecord& order) {
  return order_as<api::Order>(markets, order);
}

api::Fill fill_record(const MarketTable& markets, const OwnFill& own) {
  return fill_as<api::Fill>(markets, own);
}

namespace {

// What a client may say of an order and what the engine takes: a new member has to be named below.
static_assert(std::size(OrderRequest::fields) == 14 && boost::pfr::tuple_size_v<engine::OrderParams> == 14);

// The engine's parameters of an API order, measured on the market's grid. Off-grid values are passed on: the engine
// refuses them in its own order of checks. Refused here: a malformed market (of a batch item), an unknown one, a
// client id that the wire cannot carry, a trailing or limit offset beyond limits::bps_max.
Result<engine::OrderParams, ApiError> order_params(const MarketTable& markets, const OrderRequest& request) {
  if (!is_market_id(request.market_id.text))
    return refused(ErrorCode::invalid_market_id,
                   "market_id takes upper-case letters and digits in parts joined by single hyphens");
  const auto market = SVC_TRY(market_named(markets, request.market_id.text));
  const engine::MarketSpec& spec = markets.spec(market);

  engine::OrderParams params;
  params.market = market;
  params.side = request.side;
  params.type = request.order_type;
  params.time_in_force = request.time_in_force;
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
      return refused(ErrorCode::invalid_client_id,
                     "client_id takes 1 to " + std::to_string(limits::client_id_chars_max) + " bytes");
    params.client_id = *id;
  }
  return params;
}

// Names what was sent and what was expected, where useful.
ApiError named_refusal(engine::Reject reject, const engine::MarketSpec& spec, std::string_view quantity_name,
                       const std::optional<DecimalText>& quantity, std::string_view price_name,
                       const std::optional<DecimalText>& price) {
  const auto named = [](std::string_view name, const DecimalText& value) {
    return std::string(name) + ' ' + value.text;
  };
  if (reject == engine::Reject::invalid_lot_size && quantity)
    return ApiError(ErrorCode::invalid_lot_size,
                    named(quantity_name, *quantity) + " is not a multiple of the lot " + format_decimal(spec.lot_size));
  if (reject == engine::Reject::invalid_quantity && quantity)
    return ApiError(ErrorCode::invalid_quantity, named(quantity_name, *quantity) + " is not between " +
                                                     engine::format_lots(spec, spec.min_order_size) + " and " +
                                                     engine::format_lots(spec, spec.max_order_size));
  if (reject == engine::Reject::invalid_tick_size && price)
    return ApiError(ErrorCode::invalid_tick_size,
                    named(price_name, *price) + " is not a multiple of the tick " + format_decimal(spec.tick_size));
  if (reject == engine::Reject::min_notional)
    return ApiError(ErrorCode::min_notional, "the order's value is below " + format_usdx(spec.min_notional) + " USDX");
  return refusal_of(reject);
}

ApiError order_refusal(engine::Reject reject, const engine::MarketSpec& spec, const OrderRequest& request) {
  if (reject == engine::Reject::invalid_batch_size)
    return ApiError(ErrorCode::batch_too_large,
                    "the orders before it met too many makers in vain: send it in another batch");
  // Offsets have no error code of their own, so the message names their bound.
  using enum engine::Reject;
  const struct {
    bool is_used;
    engine::Reject reject;
    std::string_view name;
    std::optional<std::uint32_t> bps;
    std::int64_t most;
  } offsets[] = {
      {trade::is_trailing(request.order_type), invalid_trigger_price, "trailing_offset_bps",
       request.trailing_offset_bps, limits::bps_max},
      {request.order_type == OrderType::trailing_limit, invalid_price, "limit_offset_bps", request.limit_offset_bps,
       limits::basis_points - 1},
      {trade::is_market_family(request.order_type), invalid_price, "max_slippage_bps", request.max_slippage_bps,
       limits::bps_max},
  };
  for (const auto& one : offsets)
    if (one.is_used && reject == one.reject && one.bps && *one.bps > one.most)
      return ApiError(refusal_of(reject).code, std::string(one.name) + " is at most " + std::to_string(one.most));
  const bool is_price = reject == engine::Reject::invalid_tick_size && request.price &&
                        trade::needs_price(request.order_type) &&
                        measured_price(spec, *request.price).grid == engine::Grid::off;
  const auto& trigger = request.trigger_price ? request.trigger_price : request.stop_price;
  return named_refusal(reject, spec, "quantity", request.quantity, is_price ? "price" : "trigger price",
                       is_price ? request.price : trigger);
}

struct OrderFilter {
  std::optional<engine::MarketIndex> market;
  std::optional<engine::Side> side;
  TimeRange time;

  [[nodiscard]] bool keeps(engine::MarketIndex in, engine::Side of, TimestampMs at_ms) const {
    return (!market || *market == in) && (!side || *side == of) && time.contains(at_ms);
  }
};

// The filters of a history. (D-283)
template <class Request>
Result<OrderFilter, ApiError> filter_of(const ViewRead<Request>& on) {
  const auto market = SVC_TRY(on.venue.market_if_named(on.request.market_id));
  const auto time = SVC_TRY(time_range(on.request.start_time, on.request.end_time));
  return OrderFilter{.market = market, .side = on.request.side, .time = time};
}

// The account's order; an order of another account, or in another market than the named one, does not exist for
// the caller. (API: Errors, ownership failures)
Result<engine::OrderRecord, ApiError> own_order(const RequestContext& context, const std::string& id_text,
                                                const std::optional<MarketId>& market_id) {
  if (!market_id && context.network->settings.strict_market_ids)
    return refused(ErrorCode::invalid_market_id, "market_id is required here");
  const VenueAccess& venue = context.venue();
  const auto not_found = [&] { return refused(ErrorCode::order_not_found, "no order " + id_text); };
  const auto id = parse_order_id(id_text);
  if (!id) return not_found();
  const auto found = venue.views.read([&](const VenueView& view) -> std::optional<engine::OrderRecord> {
    const engine::OrderRecord* order = view.account(context.account()).order(*id);
    if (order == nullptr) return std::nullopt;
    return *order;
  });
  if (!found) return not_found();
  if (market_id && market_id->text != venue.markets.spec(found->market).id) return not_found();
  return *found;
}

// All that the order has filled: what it took in this command, and what a liquidation in the same instant took from it.
// An order that was placed by an earlier request has its fills in the account's history, those before an amend under
// the id of the order that it replaced.
std::vector<OwnFill> fills_of(const VenueAccess& venue, const Applied& applied, const engine::OrderOutcome& item) {
  std::vector<OwnFill> fills;
  Lots told{};
  const auto tell = [&](const OwnFill& row) {
    told += row.fill.quantity;
    fills.push_back(row);
  };
  for (const engine::Fill& fill : applied.outcome.fills_of(item)) tell({.fill = fill, .at_ms = applied.at_ms});
  if (told == item.order.filled) return fills;
  fills.clear();
  told = {};
  venue.views.read([&](const VenueView& view) {
    const AccountView& account = view.account(item.order.account);
    std::vector<engine::OrderId> ids;
    for (const engine::OrderRecord* order = &item.order; order != nullptr; order = account.order(order->replaces))
      ids.push_back(order->id);
    const auto page = account.fills().page(
        {}, limits::fills_max, [&](const OwnFill& row) { return std::ranges::find(ids, row.fill.order) != ids.end(); });
    for (auto row = page.rows.rbegin(); row != page.rows.rend() && told < item.order.filled; ++row) tell(**row);
  });
  return fills;
}

std::vector<Fill::Row> rows_of(const MarketTable& markets, const std::vector<OwnFill>& fills) {
  std::vector<Fill::Row> rows;
  rows.reserve(fills.size());
  for (const OwnFill& fill : fills) rows.push_back(fill_as<Fill::Row>(markets, fill));
  return rows;
}

OrderResult::Row refused_item(const ApiError& refusal) {
  return {.outcome = api::Outcome::err, .error = spelling(refusal.code), .message = refusal.message};
}

Answer<ops::PlaceOrder> place_order(RequestContext& context, const OrderRequest& request) {
  const MarketTable& markets = context.venue().markets;
  const auto params = SVC_TRY(order_params(markets, request));
  const auto applied = SVC_TRY(submit(context, engine::PlaceOrder{.account = context.account(), .params = params}));
  const engine::OrderOutcome& item = applied.outcome.orders.front();
  if (item.reject != engine::Reject::none)
    return unexpected(order_refusal(item.reject, markets.spec(params.market), request));
  const auto fills = fills_of(context.venue(), applied, item);
  return WrittenRecord(
      OrderResponse::Row{.order = order_as<Order::Row>(markets, item.order), .fills = rows_of(markets, fills)});
}

Answer<ops::PlaceOrders> place_orders(RequestContext& context, const OrderBatchRequest& request) {
  const MarketTable& markets = context.venue().markets;
  if (request.orders.empty()) return unexpected(ErrorCode::empty_batch);
  // Items that cannot be passed to the engine do not affect the others, which go in one command.
  engine::PlaceBatch batch{.account = context.account(), .orders = {}};
  std::vector<std::optional<ApiError>> refused(request.orders.size());
  for (std::size_t i = 0; i < request.orders.size(); ++i) {
    auto params = order_params(markets, request.orders[i]);
    if (params)
      batch.orders.push_back(std::move(*params));
    else
      refused[i] = params.error();
  }
  std::optional<Applied> applied;
  if (!batch.orders.empty()) applied = SVC_TRY(submit(context, std::move(batch)));
  WrittenList<OrderResult::Row> results;
  std::set<engine::OrderId> told;
  std::size_t next = 0;
  for (std::size_t i = 0; i < request.orders.size(); ++i) {
    if (refused[i]) {
      results.rows.add(refused_item(*refused[i]));
      continue;
    }
    const engine::OrderOutcome& item = applied->outcome.orders[next++];
    if (item.reject == engine::Reject::none) {
      // An answer tells the fills of an order once, however many copies of the order the batch has. (D-977)
      const bool is_first = told.insert(item.order.id).second;
      const auto fills = is_first ? fills_of(context.venue(), *applied, item) : std::vector<OwnFill>();
      results.rows.add({.order = order_as<Order::Row>(markets, item.order), .fills = rows_of(markets, fills)});
      continue;
    }
    const auto market = markets.find(request.orders[i].market_id.text);
    results.rows.add(refused_item(order_refusal(item.reject, markets.spec(*market), request.orders[i])));
  }
  return results;
}

Answer<ops::PreviewOrder> preview_order(RequestContext& context, const OrderRequest& request) {
  const VenueAccess& venue = context.venue();
  const auto params = SVC_TRY(order_params(venue.markets, request));
  const engine::MarketSpec& spec = venue.markets.spec(params.market);
  const auto preview = venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    return engine.preview({.account = context.account(), .params = params}, now_ms);
  });
  PreviewResponse response;
  response.accepted = preview.reject == engine::Reject::none;
  if (!response.accepted) response.reject_reason = std::string(spelling(error_code_of(preview.reject)));
  response.required_initial_margin = usdx_text(preview.required_initial_margin);
  response.projected_post_trade_equity = usdx_text(preview.equity);
  if (preview.liquidation_price)
    response.projected_post_trade_liquidation_price = price_text(spec, *preview.liquidation_price);
  // The leverage of an account without equity is undefined; 0 stands for "not meaningful". (D-266)
  if (preview.equity > Usdx{})
    response.projected_post_trade_leverage = DecimalText(ratio_text(preview.projected_notional, preview.equity));
  if (preview.fill_lots != Lots{})
    response.expected_fill_vwap = average_price_text(spec, preview.fill_quote.value, preview.fill_lots.value);
  response.projected_fees = usdx_text(preview.fees);
  return response;
}

Answer<ops::AmendOrder> amend_order(RequestContext& context, const AmendOrderRequest& request) {
  const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
  if (!request.price && !request.size)
    return refused(ErrorCode::invalid_amend, "an amend needs a price, a size or both");
  const engine::MarketSpec& spec = context.venue().markets.spec(order.market);
  engine::AmendOrder command{.account = context.account(), .order = order.id, .price = {}, .size = {}};
  if (request.price) command.price = measured_price(spec, *request.price);
  if (request.size) command.size = measured_lots(spec, *request.size);
  const auto applied = SVC_TRY(submit(context, command));
  const engine::OrderOutcome& item = applied.outcome.orders.front();
  if (item.reject != engine::Reject::none)
    return unexpected(named_refusal(item.reject, spec, "size", request.size, "price", request.price));
  return WrittenRecord(order_as<Order::Row>(context.venue().markets, item.order));
}

Answer<ops::CancelOrder> cancel_order(RequestContext& context, const OrderRef& request) {
  const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
  const auto applied = SVC_TRY(submit(context, engine::CancelOrder{.account = context.account(), .order = order.id}));
  const engine::OrderOutcome& item = applied.outcome.orders.front();
  if (item.reject != engine::Reject::none) return unexpected(refusal_of(item.reject));
  return WrittenRecord(order_as<Order::Row>(context.venue().markets, item.order));
}

Answer<ops::CancelAllOrders> cancel_all_orders(RequestContext& context, const CancelAllOrdersRequest& request) {
  const VenueAccess& venue = context.venue();
  const auto only = SVC_TRY(venue.market_if_named(request.market_id));
  const auto applied = SVC_TRY(submit(context, engine::CancelAll{.account = context.account(), .market = only}));
  return list_of(applied.outcome.orders,
                 [&](const engine::OrderOutcome& item) { return order_as<Order::Row>(venue.markets, item.order); });
}

Answer<ops::ListOrders> list_orders(const ViewRead<OrdersRequest>& on) {
  const auto only = SVC_TRY(on.venue.market_if_named(on.request.market_id));
  const auto& orders = on.own().open_orders();
  WrittenList<Order::Row> open;
  open.rows.expect(orders.size());
  for (const auto& [id, order] : orders)
    if (!only || order.market == *only) open.rows.add(order_as<Order::Row>(on.venue.markets, order));
  return open;
}

Answer<ops::GetOrder> get_order(RequestContext& context, const OrderAtMarket& request) {
  const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
  return WrittenRecord(order_as<Order::Row>(context.venue().markets, order));
}

Answer<ops::ListOrderHistory> list_order_history(const ViewRead<OrderHistoryRequest>& on) {
  const auto filter = SVC_TRY(filter_of(on));
  return page_of(
      on.own().ended_orders(), on.request,
      [&](const engine::OrderRecord& order) { return history_row(on.venue.markets, order); },
      [&](const engine::OrderRecord& order) { return filter.keeps(order.market, order.side, order.updated_ms); });
}

Answer<ops::ListFills> list_fills(const ViewRead<FillsRequest>& on) {
  const auto filter = SVC_TRY(filter_of(on));
  return page_of(
      on.own().fills(), on.request, [&](const OwnFill& row) { return fill_as<Fill::Row>(on.venue.markets, row); },
      [&](const OwnFill& row) { return filter.keeps(row.fill.market, row.fill.side, row.at_ms); });
}

}  // namespace

void bind_orders(HandlerTable& handlers) {
  handlers.bind_all(place_order, place_orders, preview_order, amend_order, cancel_order, cancel_all_orders, get_order,
                    list_orders, list_order_history, list_fills);
}

}  // namespace svc::sim
