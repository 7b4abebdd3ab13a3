#pragma once

#include "api/contract/declaration.h"
#include "trade/words.h"

// Orders, fills and order history, and their enumerations.

namespace svc::api {

using trade::OrderType;
using trade::Side;
using trade::TimeInForce;
inline constexpr EnumNames side_lower{trade::side_lower_texts};
inline constexpr EnumNames order_type_snake{trade::order_type_snake_texts};

// Absent: the account may trade with itself.
enum class StpMode : std::uint8_t { cancel_newest, cancel_oldest, decrement_and_cancel };
inline constexpr std::span<const std::string_view> stp_mode_texts = std::span(trade::stp_mode_texts).subspan(1);
SVC_WIRE_NAMES(StpMode, stp_mode_texts);

enum class OrderStatus : std::uint8_t { open, partially_filled, filled, cancelled, expired, rejected };
inline constexpr std::span<const std::string_view> order_status_texts = std::span(trade::order_status_texts).subspan(1);
SVC_WIRE_NAMES(OrderStatus, order_status_texts);

enum class Liquidity : std::uint8_t { taker, maker };
SVC_WIRE_TEXTS(Liquidity, "taker", "maker");

// Why an order ended early: a word of an open set ("User", "Liquidation"), or self-trade prevention with its mode,
// which is the object {"Stp": mode} on the wire.
struct CancellationReason {
  std::string word{};  // empty when stp is set
  std::optional<StpMode> stp{};

  static const CustomForm form;
  bool operator==(const CancellationReason&) const = default;
};

// The text in order history: the word, or "Stp(CancelNewest)".
[[nodiscard]] inline std::string history_text(const CancellationReason& reason) {
  return reason.stp ? "Stp(" + std::string(to_string(*reason.stp)) + ')' : reason.word;
}

// The engine checks which fields a type requires: a limit type needs `price`, a stop or take-profit `trigger_price`
// (or the older `stop_price`; trigger_price wins), a trailing one its offsets.
SVC_RECORD(OrderRequest,
    (MarketId, market_id, {}, "Market")
    (Side, side, = Side::buy, "Side")
    (OrderType, order_type, = OrderType::limit, "Type")
    (DecimalText, quantity, {}, "Size in base units, a multiple of the lot")
    (TimeInForce, time_in_force, = TimeInForce::gtc, "How long it stands")
    (std::optional<DecimalText>, price, {}, "Limit price, a multiple of the tick", .omit_when_empty())
    (bool, reduce_only, = false, "May only shrink a position", .defaulted())
    (std::optional<DecimalText>, trigger_price, {}, "Mark price that fires it", .omit_when_empty())
    (std::optional<DecimalText>, stop_price, {}, "Older name of trigger_price", .omit_when_empty())
    (std::optional<std::uint32_t>, trailing_offset_bps, {}, "Retracement that fires it",
     .omit_when_empty().within(0, limits::bps_max))
    (std::optional<std::uint32_t>, limit_offset_bps, {}, "Limit of a fired TrailingLimit",
     .omit_when_empty().within(0, limits::basis_points - 1))
    (std::optional<StpMode>, stp, {}, "Self-trade prevention", .omit_when_empty())
    (std::optional<std::uint32_t>, max_slippage_bps, {},
     "Bound of the average price around the mid",
     .omit_when_empty().within(0, limits::bps_max))
    (std::optional<std::string>, client_id, {}, "The caller's own id, unique per account",
     .omit_when_empty().within(1, limits::client_id_chars_max)));

SVC_RECORD(OrderBatchRequest,
    (std::vector<OrderRequest>, orders, {}, "Placed one after the other, not atomically",
     .whole_body().within(1, limits::batch_orders_max)));

// Reads also name the market.
SVC_RECORD(OrderAtMarket,
    (std::string, order_id, {}, "Order id", .path())
    (MarketId, market_id, {}, "Market of the order", .query()));

// `market_id` is an additional condition; the id alone finds the order (D-121).
SVC_RECORD(OrderRef,
    (std::string, order_id, {}, "Order id", .path())
    (std::optional<MarketId>, market_id, {}, "Market of the order", .query()));

SVC_RECORD(AmendOrderRequest,
    (std::string, order_id, {}, "Order id", .path())
    (std::optional<MarketId>, market_id, {}, "Market of the order", .query())
    (std::optional<DecimalText>, price, {}, "New price", .omit_when_empty())
    (std::optional<DecimalText>, size, {}, "New total size, what is filled included", .omit_when_empty()));

SVC_RECORD(OrdersRequest, (std::optional<MarketId>, market_id, {}, "Only orders of this market", .query()));
using CancelAllOrdersRequest = OrdersRequest;

SVC_LISTED_RECORD(Order,
    (std::string, id, {}, "Order id")
    (std::string, market_id, {}, "Market")
    (Address, account_id, {}, "Owner")
    (Side, side, = Side::buy, "Side")
    (OrderType, order_type, = OrderType::limit, "Type")
    (DecimalText, price, {}, "Limit price; 0 where there is none")
    (DecimalText, quantity, {}, "Size")
    (DecimalText, filled_qty, {}, "Of which filled")
    (OrderStatus, status, = OrderStatus::open, "Status")
    (std::optional<CancellationReason>, cancellation_reason, {}, "Why it ended early")
    (TimeInForce, time_in_force, = TimeInForce::gtc, "How long it stands")
    (std::optional<std::uint32_t>, limit_offset_bps, {}, "Limit offset of a TrailingLimit")
    (std::optional<StpMode>, stp, {}, "Self-trade prevention")
    (std::optional<std::uint32_t>, max_slippage_bps, {}, "Bound of the average price")
    (TimestampMs, created_at, = 0, "Unix milliseconds")
    (TimestampMs, updated_at, = 0, "Unix milliseconds")
    (std::optional<std::string>, client_id, {}, "The caller's own id")
    (std::optional<bool>, reduce_only, {}, "May only shrink a position")
    (std::optional<DecimalText>, trigger_price, {}, "Mark price that fires it")
    (std::optional<std::uint32_t>, trailing_offset_bps, {}, "Retracement that fires it")
    (std::optional<TimestampMs>, triggered_at, {},
     "When a conditional order fired, Unix milliseconds; null while it waits, and for other orders"));

SVC_LISTED_RECORD(Fill,
    (std::string, id, {}, "Fill id")
    (std::string, order_id, {}, "Order")
    (std::string, market_id, {}, "Market")
    (Side, side, = Side::buy, "Side", .spelled(side_lower))
    (DecimalText, price, {}, "Price")
    (DecimalText, size, {}, "Size")
    (DecimalText, fee, {}, "USDX for trading; negative is a rebate")
    (std::optional<DecimalText>, liquidation_fee, {},
     "USDX to the insurance fund, of the position that a liquidation closed; absent otherwise", .omit_when_empty())
    (Liquidity, taker_or_maker, = Liquidity::taker, "Role")
    (TimestampMs, timestamp, = 0, "Unix milliseconds")
    (bool, is_liquidation, = false, "Part of a liquidation")
    (std::optional<std::string>, client_id, {}, "The order's client id"));

SVC_LISTED_RECORD(OrderResponse,
    (Order, order, {}, "The order after its first walk of the book")
    (std::vector<Fill>, fills, {}, "What it traded at once"));

enum class Outcome : std::uint8_t { ok, err };
SVC_WIRE_TEXTS(Outcome, "ok", "err");

// One item of a batch: with `ok` an order and its fills, with `err` a code and a text.
SVC_LISTED_RECORD(OrderResult,
    (Outcome, outcome, = Outcome::ok, "Whether the item was accepted")
    (std::optional<Order>, order, {}, "The order", .omit_when_empty())
    (std::optional<std::vector<Fill>>, fills, {}, "What it traded at once", .omit_when_empty())
    (std::optional<std::string>, error, {}, "Error code", .omit_when_empty())
    (std::optional<std::string>, message, {}, "Diagnostic text", .omit_when_empty()));

SVC_RECORD(PreviewResponse,
    (bool, accepted, = false, "Whether it would be accepted now")
    (std::optional<std::string>, reject_reason, {}, "Error code if not")
    (DecimalText, required_initial_margin, {}, "USDX")
    (DecimalText, projected_post_trade_equity, {}, "USDX")
    (std::optional<DecimalText>, projected_post_trade_liquidation_price, {}, "Null if it cannot be liquidated")
    (DecimalText, projected_post_trade_leverage, {}, "Notional over equity")
    (std::optional<DecimalText>, expected_fill_vwap, {}, "Average price of the whole walk, without slippage cap")
    (DecimalText, projected_fees, {}, "USDX"));

// A filter does not change the order of the list or the meaning of its cursor. (D-283)
SVC_RECORD(OrderHistoryRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(500))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query())
    (std::optional<MarketId>, market_id, {}, "Only orders of this market", .query())
    (std::optional<Side>, side, {}, "Only orders of this side", .query().spelled(side_lower))
    (std::optional<TimestampMs>, start_time, {},
     "Only orders that ended at or after this instant, Unix milliseconds", .named("startTime").query())
    (std::optional<TimestampMs>, end_time, {},
     "Only orders that ended at or before this instant, Unix milliseconds", .named("endTime").query()));

// Terminal orders only; newest first.
SVC_LISTED_RECORD(OrderHistoryEntry,
    (std::string, id, {}, "Order id")
    (std::string, market_id, {}, "Market")
    (Side, side, = Side::buy, "Side", .spelled(side_lower))
    (OrderType, order_type, = OrderType::limit, "Type", .spelled(order_type_snake))
    (std::optional<DecimalText>, price, {}, "Limit price")
    (DecimalText, size, {}, "Size")
    (DecimalText, filled_qty, {}, "Of which filled")
    (OrderStatus, status, = OrderStatus::filled, "Filled, Cancelled, Expired or Rejected")
    (std::optional<std::string>, cancellation_reason, {}, "Why it ended early; Stp(mode) for self-trades")
    (TimestampMs, created_at_ms, = 0, "Unix milliseconds")
    (TimestampMs, completed_at_ms, = 0, "Unix milliseconds")
    (std::optional<std::string>, client_id, {}, "The caller's own id")
    (std::optional<TimestampMs>, triggered_at_ms, {},
     "When a conditional order fired, Unix milliseconds; null if it never did, and for other orders"));

// Filters as in OrderHistoryRequest. (D-283)
SVC_RECORD(FillsRequest,
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(1000))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query())
    (std::optional<MarketId>, market_id, {}, "Only fills in this market", .query())
    (std::optional<Side>, side, {}, "Only fills of this side", .query().spelled(side_lower))
    (std::optional<TimestampMs>, start_time, {},
     "Only fills at or after this instant, Unix milliseconds", .named("startTime").query())
    (std::optional<TimestampMs>, end_time, {},
     "Only fills at or before this instant, Unix milliseconds", .named("endTime").query()));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area orders{"orders"};

// Refusals of a new order; a status is given where it differs from the catalogue's.
inline constexpr auto& order_errors =
    refuses<unknown_market, market_halted, oracle_stale, invalid_lot_size, invalid_quantity, invalid_tick_size,
            invalid_price, invalid_trigger_price, invalid_time_in_force, invalid_client_id, min_notional,
            client_id_taken, account_in_liquidation, reduce_only_would_increase, price_band_exceeded,
            would_take_liquidity, insufficient_liquidity, open_interest_cap_exceeded, insufficient_margin,
            too_many_open_orders, us_restricted, geo_unresolved>;

SVC_OPERATIONS(OrderOperations,
    (PlaceOrder, OrderRequest, OrderResponse, orders, post, "place_order", "/orders", "Submit an order",
     "A `client_id` makes an order safe to repeat: the same order sent again while the first one is open is "
     "answered with the order that exists; after its end the id stays taken. Conditional orders are open from "
     "the start and rest unseen until the mark price fires them.", twin, key_or_agent,
     &signing::form_of<signing::PlaceOrder>, RateClass::order, Success::created, Envelope::trading, order_errors,
     Effect::costly, OrderWrite::places)
    // Refusals of single orders are items of the 201.
    (PlaceOrders, OrderBatchRequest, List<OrderResult>, orders, post, "place_orders", "/orders/batch",
     "Submit several orders",
     "Placed one after the other: a refusal does not stop the rest, and each order has its result in its place. "
     "Single refusals are items of the 201. Once the orders have met 10,000 makers without trading, those behind are "
     "refused with `BatchTooLarge`.", twin, key_or_agent, &signing::form_of<signing::PlaceOrders>,
     RateClass::order, Weight{.base = 1, .orders_per_extra_token = 40}, Success::created, Envelope::trading,
     refuses<empty_batch, batch_too_large, us_restricted, geo_unresolved>, Effect::costly, OrderWrite::places)
    // A preview that is refused is still a successful answer.
    (PreviewOrder, OrderRequest, PreviewResponse, orders, post, "preview_order", "/orders/preview", "Preview an order",
     "Nothing is placed. A refusal that a placement would meet is a successful answer with `accepted` false.", twin,
     key_or_agent, RateClass::order, Envelope::trading, refuses<unknown_market, invalid_client_id>, Effect::passing)
    (AmendOrder, AmendOrderRequest, Order, orders, patch, "amend_order", "/orders/{order_id}",
     "Amend an order; its replacement has a new id",
     "At least one of price and size is needed. The replacement has a new id. It keeps its place in the queue only if "
     "the price stays and the size does not grow. The old order ends as Cancelled with AmendReplace. Without "
     "`market_id` the id alone finds the order; with that of another market it is not found.", twin, key_or_agent,
     &signing::form_of<signing::AmendOrder>, RateClass::order, Envelope::trading, refuses<order_not_found,
     invalid_amend, OperationError(market_halted, 409), oracle_stale, invalid_lot_size, invalid_quantity,
     invalid_tick_size, invalid_price, min_notional, account_in_liquidation, reduce_only_would_increase,
     price_band_exceeded, would_take_liquidity, insufficient_liquidity, insufficient_margin, open_interest_cap_exceeded,
     us_restricted, geo_unresolved>, OrderWrite::amends)
    (CancelOrder, OrderRef, Order, orders, del, "cancel_order", "/orders/{order_id}", "Cancel an order",
     "Without `market_id` the id alone finds the order; with that of another market it is not found.", twin,
     key_or_agent, &signing::form_of<signing::CancelOrder>, RateClass::cancel, Envelope::trading,
     refuses<order_not_found>, OrderWrite::cancels)
    (CancelAllOrders, CancelAllOrdersRequest, List<Order>, orders, del, "cancel_all_orders", "/orders",
     "Cancel all orders, or those of one market", "Answers with the orders that it cancelled.", twin, key_or_agent,
     &signing::form_of<signing::CancelAllOrders>, RateClass::cancel, Envelope::trading, refuses<unknown_market>,
     OrderWrite::cancels)
    (ListOrders, OrdersRequest, List<Order>, orders, get, "list_orders", "/orders", "List open orders", twin,
     key_or_agent, refuses<unknown_market>)
    (GetOrder, OrderAtMarket, Order, orders, get, "get_order", "/orders/{order_id}", "Get an order by id",
     "An order that has ended is found as long as the history remembers it.", twin, key_or_agent, Envelope::trading,
     refuses<order_not_found>)
    (ListOrderHistory, OrderHistoryRequest, Page<OrderHistoryEntry>, orders, get, "list_order_history",
     "/orders/history", "List ended orders, newest first", twin, key_or_agent, Weight{5}, refuses<unknown_market,
     invalid_window>)
    (ListFills, FillsRequest, Page<Fill>, orders, get, "list_fills", "/fills", "List own fills, newest first", twin,
     key_or_agent, Weight{5}, refuses<unknown_market, invalid_window>));

static_assert(limits::batch_makers_max == 10'000, "the text of place_orders says it");

}  // namespace svc::api::ops
