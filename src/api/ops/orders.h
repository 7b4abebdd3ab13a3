// Orders, fills and order history. Writes are charged to the order budget, deletions to the cancel
// budget; six of them read a signed action.
#pragma once

#include "api/operation.h"
#include "api/records/orders.h"

namespace svc::api::ops {

// Refusals of a new order; where the action differs a status is named.
inline constexpr OperationError order_errors[] = {
    ErrorCode::invalid_market_id,
    ErrorCode::unknown_market,
    ErrorCode::market_halted,
    ErrorCode::oracle_stale,
    ErrorCode::invalid_lot_size,
    ErrorCode::invalid_quantity,
    ErrorCode::invalid_tick_size,
    ErrorCode::invalid_price,
    ErrorCode::invalid_trigger_price,
    ErrorCode::invalid_time_in_force,
    ErrorCode::invalid_client_id,
    ErrorCode::min_notional,
    ErrorCode::client_id_taken,
    ErrorCode::account_in_liquidation,
    ErrorCode::reduce_only_would_increase,
    ErrorCode::price_band_exceeded,
    ErrorCode::would_take_liquidity,
    ErrorCode::insufficient_liquidity,
    ErrorCode::open_interest_cap_exceeded,
    ErrorCode::insufficient_margin,
    ErrorCode::too_many_open_orders,
    ErrorCode::restricted_jurisdiction,
    ErrorCode::us_restricted,
    ErrorCode::geo_unresolved,
};

struct PlaceOrder {
  using Request = OrderRequest;
  using Response = OrderResponse;
  static constexpr Operation op{
      .name = "place_order",
      .group = "orders",
      .method = Method::post,
      .path = "/orders",
      .summary = "Submit an order",
      .detail =
          "A `client_id` makes an order safe to repeat: the same order sent again while the first one is open is "
          "answered with the order that exists; after its end the id stays taken. Conditional orders are open from the "
          "start and rest unseen until the mark price fires them.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .action = Action::place_order,
      .rate = RateClass::order,
      .success = 201,
      .envelope = Envelope::trading,
      .errors = order_errors};
};

// Refusals of single orders are items of the 201.
struct PlaceOrders {
  using Request = OrderBatchRequest;
  using Response = List<OrderResult>;
  static constexpr OperationError errors[] = {ErrorCode::empty_batch,       ErrorCode::batch_too_large,
                                              ErrorCode::invalid_market_id, ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,     ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "place_orders",
                                .group = "orders",
                                .method = Method::post,
                                .path = "/orders/batch",
                                .summary = "Submit several orders",
                                .detail =
                                    "Placed one after the other: a refusal does not stop the rest, and each order has "
                                    "its result in its place. Single refusals are items of the 201.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .action = Action::place_orders,
                                .rate = RateClass::order,
                                .weight = {.base = 1, .orders_per_extra_token = 40},
                                .success = 201,
                                .envelope = Envelope::trading,
                                .errors = errors};
};

// A would-be refusal is a successful answer.
struct PreviewOrder {
  using Request = OrderRequest;
  using Response = PreviewResponse;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::invalid_client_id};
  static constexpr Operation op{
      .name = "preview_order",
      .group = "orders",
      .method = Method::post,
      .path = "/orders/preview",
      .summary = "Preview an order",
      .detail =
          "Nothing is placed. A refusal that a placement would meet is a successful answer with `accepted` false.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .rate = RateClass::order,
      .envelope = Envelope::trading,
      .errors = errors};
};

struct AmendOrder {
  using Request = AmendOrderRequest;
  using Response = Order;
  static constexpr OperationError errors[] = {ErrorCode::order_not_found,
                                              ErrorCode::invalid_amend,
                                              ErrorCode::invalid_market_id,
                                              {ErrorCode::market_halted, 409},
                                              {ErrorCode::oracle_stale, 409},
                                              ErrorCode::invalid_lot_size,
                                              ErrorCode::invalid_quantity,
                                              ErrorCode::invalid_tick_size,
                                              ErrorCode::invalid_price,
                                              ErrorCode::min_notional,
                                              ErrorCode::account_in_liquidation,
                                              ErrorCode::reduce_only_would_increase,
                                              ErrorCode::price_band_exceeded,
                                              ErrorCode::would_take_liquidity,
                                              ErrorCode::insufficient_liquidity,
                                              ErrorCode::insufficient_margin,
                                              ErrorCode::open_interest_cap_exceeded,
                                              ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,
                                              ErrorCode::geo_unresolved};
  static constexpr Operation op{
      .name = "amend_order",
      .group = "orders",
      .method = Method::patch,
      .path = "/orders/{order_id}",
      .summary = "Amend an order; its replacement has a new id",
      .detail =
          "At least one of price and size is needed. The replacement has a new id and loses its place in the queue; "
          "the old order ends as Cancelled with AmendReplace. Without `market_id` the id alone finds the order; with "
          "that of another market it is not found.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .action = Action::amend_order,
      .rate = RateClass::order,
      .envelope = Envelope::trading,
      .errors = errors};
};

struct CancelOrder {
  using Request = OrderRef;
  using Response = Order;
  static constexpr OperationError errors[] = {ErrorCode::order_not_found, ErrorCode::invalid_market_id};
  static constexpr Operation op{
      .name = "cancel_order",
      .group = "orders",
      .method = Method::del,
      .path = "/orders/{order_id}",
      .summary = "Cancel an order",
      .detail = "Without `market_id` the id alone finds the order; with that of another market it is not found.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .action = Action::cancel_order,
      .rate = RateClass::cancel,
      .envelope = Envelope::trading,
      .errors = errors};
};

struct CancelAllOrders {
  using Request = CancelAllOrdersRequest;
  using Response = List<Order>;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market};
  static constexpr Operation op{.name = "cancel_all_orders",
                                .group = "orders",
                                .method = Method::del,
                                .path = "/orders",
                                .summary = "Cancel all orders, or those of one market",
                                .detail = "Answers with the orders that it cancelled.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .action = Action::cancel_all_orders,
                                .rate = RateClass::cancel,
                                .envelope = Envelope::trading,
                                .errors = errors};
};

struct ListOrders {
  using Request = OrdersRequest;
  using Response = List<Order>;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market};
  static constexpr Operation op{.name = "list_orders",
                                .group = "orders",
                                .method = Method::get,
                                .path = "/orders",
                                .summary = "List open orders",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .errors = errors};
};

struct GetOrder {
  using Request = OrderAtMarket;
  using Response = Order;
  static constexpr OperationError errors[] = {ErrorCode::order_not_found, ErrorCode::invalid_market_id};
  static constexpr Operation op{.name = "get_order",
                                .group = "orders",
                                .method = Method::get,
                                .path = "/orders/{order_id}",
                                .summary = "Get an order by id",
                                .detail = "An order that has ended is found as long as the history remembers it.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .envelope = Envelope::trading,
                                .errors = errors};
};

struct ListOrderHistory {
  using Request = OrderHistoryRequest;
  using Response = Page<OrderHistoryEntry>;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::invalid_window};
  static constexpr Operation op{.name = "list_order_history",
                                .group = "orders",
                                .method = Method::get,
                                .path = "/orders/history",
                                .summary = "List ended orders, newest first",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .weight = {5},
                                .errors = errors};
};

struct ListFills {
  using Request = FillsRequest;
  using Response = Page<Fill>;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::invalid_window};
  static constexpr Operation op{.name = "list_fills",
                                .group = "orders",
                                .method = Method::get,
                                .path = "/fills",
                                .summary = "List own fills, newest first",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent,
                                .weight = {5},
                                .errors = errors};
};

}  // namespace svc::api::ops
