#pragma once

#include "api/contract/declaration.h"
#include "trade/words.h"

// Orders, fills and order history, and their enumerations.

namespace svc::trade {

constexpr api::EnumNames enum_names(Side) {
  return {"Side", side_texts};
}
constexpr api::EnumNames enum_names(OrderType) {
  return {"OrderType", order_type_texts};
}
constexpr api::EnumNames enum_names(TimeInForce) {
  return {"TimeInForce", time_in_force_texts};
}

}  // namespace svc::trade

namespace svc::api {

using trade::OrderType;
using trade::Side;
using trade::TimeInForce;
inline constexpr EnumNames side_lower{"SideLower", trade::side_lower_texts};
inline constexpr EnumNames order_type_snake{"OrderTypeSnake", trade::order_type_snake_texts};

// Absent: the account may trade with itself.
enum class StpMode : std::uint8_t { cancel_newest, cancel_oldest, decrement_and_cancel };
inline constexpr std::span<const std::string_view> stp_mode_texts = std::span(trade::stp_mode_texts).subspan(1);
constexpr EnumNames enum_names(StpMode) {
  return {"StpMode", stp_mode_texts};
}

enum class OrderStatus : std::uint8_t { open, partially_filled, filled, cancelled, expired, rejected };
inline constexpr std::span<const std::string_view> order_status_texts = std::span(trade::order_status_texts).subspan(1);
constexpr EnumNames enum_names(OrderStatus) {
  return {"OrderStatus", order_status_texts};
}

enum class Liquidity : std::uint8_t { taker, maker };
SVC_WIRE_TEXTS(Liquidity, "taker", "maker");

// Why an order ended early: a word of an open set ("User", "Liquidation"), or self-trade prevention with its mode,
// which is the object {"Stp": mode} on the wire.
struct CancellationReason {
  std::string word{};  // empty when stp is set
  std::optional<StpMode> stp{};

  bool operator==(const CancellationReason&) const = default;
};

struct CustomForm;
extern const CustomForm cancellation_reason_form;
constexpr const CustomForm* custom_form(const CancellationReason*) {
  return &cancellation_reason_form;
}

// The text in order history: the word, or "Stp(CancelNewest)".
[[nodiscard]] std::string history_text(const CancellationReason& reason);

// The engine checks which fields a type requires: a limit type needs `price`, a stop or take-profit `trigger_price`
// (or the older `stop_price`; trigger_price wins), a trailing one its offsets.
struct OrderRequest {
  MarketId market_id{};
  Side side = Side::buy;
  OrderType order_type = OrderType::limit;
  DecimalText quantity{};
  TimeInForce time_in_force = TimeInForce::gtc;
  std::optional<DecimalText> price{};
  bool reduce_only = false;
  std::optional<DecimalText> trigger_price{}, stop_price{};
  std::optional<std::uint32_t> trailing_offset_bps{}, limit_offset_bps{};
  std::optional<StpMode> stp{};
  std::optional<std::uint32_t> max_slippage_bps{};
  std::optional<std::string> client_id{};

  static constexpr FieldInfo fields[] = {
      field<&OrderRequest::market_id>("Market"),
      field<&OrderRequest::side>("Side"),
      field<&OrderRequest::order_type>("Type"),
      field<&OrderRequest::quantity>("Size in base units, a multiple of the lot"),
      field<&OrderRequest::time_in_force>("How long it stands"),
      field<&OrderRequest::price>("Limit price, a multiple of the tick").omit_when_empty(),
      field<&OrderRequest::reduce_only>("May only shrink a position").defaulted(),
      field<&OrderRequest::trigger_price>("Mark price that fires it").omit_when_empty(),
      field<&OrderRequest::stop_price>("Older name of trigger_price").omit_when_empty(),
      field<&OrderRequest::trailing_offset_bps>("Retracement that fires it").omit_when_empty(),
      field<&OrderRequest::limit_offset_bps>("Limit of a fired TrailingLimit").omit_when_empty(),
      field<&OrderRequest::stp>("Self-trade prevention").omit_when_empty(),
      field<&OrderRequest::max_slippage_bps>("Bound of the average price around the mid").omit_when_empty(),
      field<&OrderRequest::client_id>("The caller's own id, unique per account").omit_when_empty()};
};

struct OrderBatchRequest {
  std::vector<OrderRequest> orders{};

  static constexpr FieldInfo fields[] = {
      field<&OrderBatchRequest::orders>("Placed one after the other, not atomically").whole_body()};
};

// Reads also name the market.
struct OrderAtMarket {
  std::string order_id{};
  MarketId market_id{};

  static constexpr FieldInfo fields[] = {field<&OrderAtMarket::order_id>("Order id").path(),
                                         field<&OrderAtMarket::market_id>("Market of the order").query()};
};

// `market_id` is an additional condition; the id alone finds the order (D-121).
struct OrderRef {
  std::string order_id{};
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&OrderRef::order_id>("Order id").path(),
                                         field<&OrderRef::market_id>("Market of the order").query()};
};

struct AmendOrderRequest {
  std::string order_id{};
  std::optional<MarketId> market_id{};
  std::optional<DecimalText> price{}, size{};

  static constexpr FieldInfo fields[] = {
      field<&AmendOrderRequest::order_id>("Order id").path(),
      field<&AmendOrderRequest::market_id>("Market of the order").query(),
      field<&AmendOrderRequest::price>("New price").omit_when_empty(),
      field<&AmendOrderRequest::size>("New total size, what is filled included").omit_when_empty()};
};

struct OrdersRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&OrdersRequest::market_id>("Only orders of this market").query()};
};
using CancelAllOrdersRequest = OrdersRequest;

struct Order {
  std::string id{}, market_id{};
  Address account_id{};
  Side side = Side::buy;
  OrderType order_type = OrderType::limit;
  DecimalText price{}, quantity{}, filled_qty{};
  OrderStatus status = OrderStatus::open;
  std::optional<CancellationReason> cancellation_reason{};
  TimeInForce time_in_force = TimeInForce::gtc;
  std::optional<std::uint32_t> limit_offset_bps{};
  std::optional<StpMode> stp{};
  std::optional<std::uint32_t> max_slippage_bps{};
  TimestampMs created_at = 0, updated_at = 0;
  std::optional<std::string> client_id{};
  std::optional<bool> reduce_only{};
  std::optional<DecimalText> trigger_price{};
  std::optional<std::uint32_t> trailing_offset_bps{};
  std::optional<TimestampMs> triggered_at{};

  static constexpr FieldInfo fields[] = {
      field<&Order::id>("Order id"),
      field<&Order::market_id>("Market"),
      field<&Order::account_id>("Owner"),
      field<&Order::side>("Side"),
      field<&Order::order_type>("Type"),
      field<&Order::price>("Limit price; 0 where there is none"),
      field<&Order::quantity>("Size"),
      field<&Order::filled_qty>("Of which filled"),
      field<&Order::status>("Status"),
      field<&Order::cancellation_reason>("Why it ended early"),
      field<&Order::time_in_force>("How long it stands"),
      field<&Order::limit_offset_bps>("Limit offset of a TrailingLimit"),
      field<&Order::stp>("Self-trade prevention"),
      field<&Order::max_slippage_bps>("Bound of the average price"),
      field<&Order::created_at>("Unix milliseconds"),
      field<&Order::updated_at>("Unix milliseconds"),
      field<&Order::client_id>("The caller's own id"),
      field<&Order::reduce_only>("May only shrink a position"),
      field<&Order::trigger_price>("Mark price that fires it"),
      field<&Order::trailing_offset_bps>("Retracement that fires it"),
      field<&Order::triggered_at>(
          "When a conditional order fired, Unix milliseconds; null while it waits, and for other orders")};
};

struct Fill {
  std::string id{}, order_id{}, market_id{};
  Side side = Side::buy;
  DecimalText price{}, size{}, fee{};
  std::optional<DecimalText> liquidation_fee{};
  Liquidity taker_or_maker = Liquidity::taker;
  TimestampMs timestamp = 0;
  bool is_liquidation = false;
  std::optional<std::string> client_id{};

  static constexpr FieldInfo fields[] = {
      field<&Fill::id>("Fill id"),
      field<&Fill::order_id>("Order"),
      field<&Fill::market_id>("Market"),
      field<&Fill::side>("Side").spelled(side_lower),
      field<&Fill::price>("Price"),
      field<&Fill::size>("Size"),
      field<&Fill::fee>("USDX for trading; negative is a rebate"),
      field<&Fill::liquidation_fee>(
          "USDX to the insurance fund, of the position that a liquidation closed; absent otherwise")
          .omit_when_empty(),
      field<&Fill::taker_or_maker>("Role"),
      field<&Fill::timestamp>("Unix milliseconds"),
      field<&Fill::is_liquidation>("Part of a liquidation"),
      field<&Fill::client_id>("The order's client id")};
};

struct OrderResponse {
  Order order{};
  std::vector<Fill> fills{};

  static constexpr FieldInfo fields[] = {field<&OrderResponse::order>("The order after its first walk of the book"),
                                         field<&OrderResponse::fills>("What it traded at once")};
};

enum class Outcome : std::uint8_t { ok, err };
SVC_WIRE_TEXTS(Outcome, "ok", "err");

// One item of a batch: with `ok` an order and its fills, with `err` a code and a text.
struct OrderResult {
  Outcome outcome = Outcome::ok;
  std::optional<Order> order{};
  std::optional<std::vector<Fill>> fills{};
  std::optional<std::string> error{}, message{};

  [[nodiscard]] static OrderResult placed(OrderResponse response) {
    return {.order = std::move(response.order), .fills = std::move(response.fills), .error = {}, .message = {}};
  }
  [[nodiscard]] static OrderResult refused(const ApiError& refusal) {
    return {.outcome = Outcome::err,
            .order = {},
            .fills = {},
            .error = std::string(spelling(refusal.code)),
            .message = refusal.message};
  }

  static constexpr FieldInfo fields[] = {field<&OrderResult::outcome>("Whether the item was accepted"),
                                         field<&OrderResult::order>("The order").omit_when_empty(),
                                         field<&OrderResult::fills>("What it traded at once").omit_when_empty(),
                                         field<&OrderResult::error>("Error code").omit_when_empty(),
                                         field<&OrderResult::message>("Diagnostic text").omit_when_empty()};
};

struct PreviewResponse {
  bool accepted = false;
  std::optional<std::string> reject_reason{};
  DecimalText required_initial_margin{}, projected_post_trade_equity{};
  std::optional<DecimalText> projected_post_trade_liquidation_price{};
  DecimalText projected_post_trade_leverage{};
  std::optional<DecimalText> expected_fill_vwap{};
  DecimalText projected_fees{};

  static constexpr FieldInfo fields[] = {
      field<&PreviewResponse::accepted>("Whether it would be accepted now"),
      field<&PreviewResponse::reject_reason>("Error code if not"),
      field<&PreviewResponse::required_initial_margin>("USDX"),
      field<&PreviewResponse::projected_post_trade_equity>("USDX"),
      field<&PreviewResponse::projected_post_trade_liquidation_price>("Null if it cannot be liquidated"),
      field<&PreviewResponse::projected_post_trade_leverage>("Notional over equity"),
      field<&PreviewResponse::expected_fill_vwap>("Average price of the whole walk, without slippage cap"),
      field<&PreviewResponse::projected_fees>("USDX")};
};

// A filter does not change the order of the list or the meaning of its cursor. (D-283)
struct OrderHistoryRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};
  std::optional<MarketId> market_id{};
  std::optional<Side> side{};
  std::optional<TimestampMs> start_time{}, end_time{};

  static constexpr FieldInfo fields[] = {
      field<&OrderHistoryRequest::limit>("Rows").page_of_at_most(500),
      field<&OrderHistoryRequest::cursor>("From X-Next-Cursor of the page before").query(),
      field<&OrderHistoryRequest::market_id>("Only orders of this market").query(),
      field<&OrderHistoryRequest::side>("Only orders of this side").query().spelled(side_lower),
      field<&OrderHistoryRequest::start_time>("startTime",
                                              "Only orders that ended at or after this instant, Unix milliseconds")
          .query(),
      field<&OrderHistoryRequest::end_time>("endTime",
                                            "Only orders that ended at or before this instant, Unix milliseconds")
          .query()};
};

// Terminal orders only; newest first.
struct OrderHistoryEntry {
  std::string id{}, market_id{};
  Side side = Side::buy;
  OrderType order_type = OrderType::limit;
  std::optional<DecimalText> price{};
  DecimalText size{}, filled_qty{};
  OrderStatus status = OrderStatus::filled;
  std::optional<std::string> cancellation_reason{};
  TimestampMs created_at_ms = 0, completed_at_ms = 0;
  std::optional<std::string> client_id{};
  std::optional<TimestampMs> triggered_at_ms{};

  static constexpr FieldInfo fields[] = {
      field<&OrderHistoryEntry::id>("Order id"),
      field<&OrderHistoryEntry::market_id>("Market"),
      field<&OrderHistoryEntry::side>("Side").spelled(side_lower),
      field<&OrderHistoryEntry::order_type>("Type").spelled(order_type_snake),
      field<&OrderHistoryEntry::price>("Limit price"),
      field<&OrderHistoryEntry::size>("Size"),
      field<&OrderHistoryEntry::filled_qty>("Of which filled"),
      field<&OrderHistoryEntry::status>("Filled, Cancelled, Expired or Rejected"),
      field<&OrderHistoryEntry::cancellation_reason>("Why it ended early; Stp(mode) for self-trades"),
      field<&OrderHistoryEntry::created_at_ms>("Unix milliseconds"),
      field<&OrderHistoryEntry::completed_at_ms>("Unix milliseconds"),
      field<&OrderHistoryEntry::client_id>("The caller's own id"),
      field<&OrderHistoryEntry::triggered_at_ms>(
          "When a conditional order fired, Unix milliseconds; null if it never did, and for other orders")};
};

// Filters as in OrderHistoryRequest. (D-283)
struct FillsRequest {
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};
  std::optional<MarketId> market_id{};
  std::optional<Side> side{};
  std::optional<TimestampMs> start_time{}, end_time{};

  static constexpr FieldInfo fields[] = {
      field<&FillsRequest::limit>("Rows").page_of_at_most(1000),
      field<&FillsRequest::cursor>("From X-Next-Cursor of the page before").query(),
      field<&FillsRequest::market_id>("Only fills in this market").query(),
      field<&FillsRequest::side>("Only fills of this side").query().spelled(side_lower),
      field<&FillsRequest::start_time>("startTime", "Only fills at or after this instant, Unix milliseconds").query(),
      field<&FillsRequest::end_time>("endTime", "Only fills at or before this instant, Unix milliseconds").query()};
};

}  // namespace svc::api

// Orders, fills and order history. Writes are charged to the order budget, deletions to the cancel
// budget; six of them read a signed action.

namespace svc::api::ops {

inline constexpr Area orders{"orders"};

// Refusals of a new order; a status is given where it differs from the catalogue's.
inline constexpr auto& order_errors =
    refuses<invalid_market_id, unknown_market, market_halted, oracle_stale, invalid_lot_size, invalid_quantity,
            invalid_tick_size, invalid_price, invalid_trigger_price, invalid_time_in_force, invalid_client_id,
            min_notional, client_id_taken, account_in_liquidation, reduce_only_would_increase, price_band_exceeded,
            would_take_liquidity, insufficient_liquidity, open_interest_cap_exceeded, insufficient_margin,
            too_many_open_orders, restricted_jurisdiction, us_restricted, geo_unresolved>;

struct PlaceOrder : Records<OrderRequest, OrderResponse> {
  static constexpr Operation op =
      orders(post, "place_order", "/orders", "Submit an order",
             "A `client_id` makes an order safe to repeat: the same order sent again while the first one is open is "
             "answered with the order that exists; after its end the id stays taken. Conditional orders are open from "
             "the start and rest unseen until the mark price fires them.",
             twin, key_or_agent, &signing::form_of<signing::PlaceOrder>, RateClass::order, Success::created,
             Envelope::trading, order_errors, Effect::costly);
};

// Refusals of single orders are items of the 201.
struct PlaceOrders : Records<OrderBatchRequest, List<OrderResult>> {
  static constexpr Operation op = orders(
      post, "place_orders", "/orders/batch", "Submit several orders",
      "Placed one after the other: a refusal does not stop the rest, and each order has its result in its place. "
      "Single refusals are items of the 201.",
      twin, key_or_agent, &signing::form_of<signing::PlaceOrders>, RateClass::order,
      Weight{.base = 1, .orders_per_extra_token = 40}, Success::created, Envelope::trading,
      refuses<empty_batch, batch_too_large, invalid_market_id, restricted_jurisdiction, us_restricted, geo_unresolved>,
      Effect::costly);
};

// A preview that is refused is still a successful answer.
struct PreviewOrder : Records<OrderRequest, PreviewResponse> {
  static constexpr Operation op =
      orders(post, "preview_order", "/orders/preview", "Preview an order",
             "Nothing is placed. A refusal that a placement would meet is a successful answer with `accepted` false.",
             twin, key_or_agent, RateClass::order, Envelope::trading,
             refuses<invalid_market_id, unknown_market, invalid_client_id>, Effect::passing);
};

struct AmendOrder : Records<AmendOrderRequest, Order> {
  static constexpr Operation op =
      orders(patch, "amend_order", "/orders/{order_id}", "Amend an order; its replacement has a new id",
             "At least one of price and size is needed. The replacement has a new id and loses its place in the queue; "
             "the old order ends as Cancelled with AmendReplace. Without `market_id` the id alone finds the order; "
             "with that of another market it is not found.",
             twin, key_or_agent, &signing::form_of<signing::AmendOrder>, RateClass::order, Envelope::trading,
             refuses<order_not_found, invalid_amend, invalid_market_id, OperationError(market_halted, 409),
                     OperationError(oracle_stale, 409), invalid_lot_size, invalid_quantity, invalid_tick_size,
                     invalid_price, min_notional, account_in_liquidation, reduce_only_would_increase,
                     price_band_exceeded, would_take_liquidity, insufficient_liquidity, insufficient_margin,
                     open_interest_cap_exceeded, restricted_jurisdiction, us_restricted, geo_unresolved>);
};

struct CancelOrder : Records<OrderRef, Order> {
  static constexpr Operation op =
      orders(del, "cancel_order", "/orders/{order_id}", "Cancel an order",
             "Without `market_id` the id alone finds the order; with that of another market it is not found.", twin,
             key_or_agent, &signing::form_of<signing::CancelOrder>, RateClass::cancel, Envelope::trading,
             refuses<order_not_found, invalid_market_id>);
};

struct CancelAllOrders : Records<CancelAllOrdersRequest, List<Order>> {
  static constexpr Operation op = orders(
      del, "cancel_all_orders", "/orders", "Cancel all orders, or those of one market",
      "Answers with the orders that it cancelled.", twin, key_or_agent, &signing::form_of<signing::CancelAllOrders>,
      RateClass::cancel, Envelope::trading, refuses<invalid_market_id, unknown_market>);
};

struct ListOrders : Records<OrdersRequest, List<Order>> {
  static constexpr Operation op = orders(get, "list_orders", "/orders", "List open orders", twin, key_or_agent,
                                         refuses<invalid_market_id, unknown_market>);
};

struct GetOrder : Records<OrderAtMarket, Order> {
  static constexpr Operation op = orders(get, "get_order", "/orders/{order_id}", "Get an order by id",
                                         "An order that has ended is found as long as the history remembers it.", twin,
                                         key_or_agent, Envelope::trading, refuses<order_not_found, invalid_market_id>);
};

struct ListOrderHistory : Records<OrderHistoryRequest, Page<OrderHistoryEntry>> {
  static constexpr Operation op =
      orders(get, "list_order_history", "/orders/history", "List ended orders, newest first", twin, key_or_agent,
             Weight{5}, refuses<invalid_market_id, unknown_market, invalid_window>);
};

struct ListFills : Records<FillsRequest, Page<Fill>> {
  static constexpr Operation op =
      orders(get, "list_fills", "/fills", "List own fills, newest first", twin, key_or_agent, Weight{5},
             refuses<invalid_market_id, unknown_market, invalid_window>);
};

}  // namespace svc::api::ops
