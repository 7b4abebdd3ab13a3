// Orders, their history, and fills.

#include "api/ops/orders.h"

#include "base/limits.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/order_translation.h"
#include "sim/gateway/handlers/refusal_translation.h"
#include "sim/gateway/handlers/time_range.h"

namespace svc::sim {
namespace {

using namespace api;

class OrderHandlers {
 public:
  explicit OrderHandlers(VenueAccess venue) : venue_(venue) {}

  Answer<ops::PlaceOrder> place(RequestContext& context, const OrderRequest& request) const {
    const auto params = SVC_TRY(order_params(venue_.markets, request));
    const auto applied =
        SVC_TRY(venue_.submit(context, engine::PlaceOrder{.account = context.account(), .params = params}));
    const engine::OrderOutcome& item = applied.outcome.orders.front();
    if (item.reject != engine::Reject::none)
      return unexpected(order_refusal(item.reject, venue_.markets.spec(params.market), request));
    return response_of(applied, item);
  }

  Answer<ops::PlaceOrders> place_batch(RequestContext& context, const OrderBatchRequest& request) const {
    if (request.orders.empty()) return unexpected(ApiError(ErrorCode::empty_batch));
    if (request.orders.size() > limits::batch_orders_max)
      return unexpected(ApiError(ErrorCode::batch_too_large,
                                 "a batch holds at most " + std::to_string(limits::batch_orders_max) + " orders"));
    // What cannot be put to the engine has no effect on its neighbours; the rest goes in one command.
    engine::PlaceBatch batch{.account = context.account(), .orders = {}};
    std::vector<std::optional<ApiError>> refused(request.orders.size());
    for (std::size_t i = 0; i < request.orders.size(); ++i) {
      auto params = order_params(venue_.markets, request.orders[i]);
      if (params)
        batch.orders.push_back(std::move(*params));
      else
        refused[i] = params.error();
    }
    std::optional<Applied> applied;
    if (!batch.orders.empty()) {
      auto done = SVC_TRY(venue_.submit(context, std::move(batch)));
      applied = std::move(done);
    }
    List<OrderResult> results;
    std::size_t next = 0;
    for (std::size_t i = 0; i < request.orders.size(); ++i) {
      if (refused[i]) {
        results.rows.push_back(OrderResult::refused(*refused[i]));
        continue;
      }
      const engine::OrderOutcome& item = applied->outcome.orders[next++];
      if (item.reject == engine::Reject::none) {
        results.rows.push_back(OrderResult::placed(response_of(*applied, item)));
        continue;
      }
      const auto market = venue_.markets.find(request.orders[i].market_id.text);
      results.rows.push_back(
          OrderResult::refused(order_refusal(item.reject, venue_.markets.spec(*market), request.orders[i])));
    }
    return results;
  }

  Answer<ops::PreviewOrder> preview(RequestContext& context, const OrderRequest& request) const {
    const auto params = SVC_TRY(order_params(venue_.markets, request));
    const engine::MarketSpec& spec = venue_.markets.spec(params.market);
    const auto preview = venue_.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
      return engine.preview({.account = context.account(), .params = params}, now_ms);
    });
    PreviewResponse response;
    response.accepted = preview.reject == engine::Reject::none;
    if (!response.accepted) response.reject_reason = std::string(spelling(error_code_of(preview.reject)));
    response.required_initial_margin = usdx_text(preview.required_initial_margin);
    response.projected_post_trade_equity = usdx_text(preview.equity);
    if (preview.liquidation_price)
      response.projected_post_trade_liquidation_price = price_text(spec, *preview.liquidation_price);
    // Leverage of an account without equity means nothing; 0 stands for "not meaningful". (D-266)
    if (preview.equity > Usdx{})
      response.projected_post_trade_leverage = DecimalText(ratio_text(preview.projected_notional, preview.equity));
    if (preview.fill_lots != Lots{})
      response.expected_fill_vwap = average_price_text(spec, preview.fill_quote, preview.fill_lots);
    response.projected_fees = usdx_text(preview.fees);
    return response;
  }

  Answer<ops::AmendOrder> amend(RequestContext& context, const AmendOrderRequest& request) const {
    const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
    if (!request.price && !request.size)
      return unexpected(ApiError(ErrorCode::invalid_amend, "an amend needs a price, a size or both"));
    const engine::MarketSpec& spec = venue_.markets.spec(order.market);
    engine::AmendOrder command{.account = context.account(), .order = order.id, .price = {}, .size = {}};
    if (request.price) command.price = measured_price(spec, *request.price);
    if (request.size) command.size = measured_lots(spec, *request.size);
    const auto applied = SVC_TRY(venue_.submit(context, command));
    const engine::OrderOutcome& item = applied.outcome.orders.front();
    if (item.reject != engine::Reject::none) return unexpected(amend_refusal(item.reject, spec, request));
    return order_record(spec, item.order);
  }

  Answer<ops::CancelOrder> cancel(RequestContext& context, const OrderRef& request) const {
    const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
    const auto applied =
        SVC_TRY(venue_.submit(context, engine::CancelOrder{.account = context.account(), .order = order.id}));
    const engine::OrderOutcome& item = applied.outcome.orders.front();
    if (item.reject != engine::Reject::none) return unexpected(refusal_of(item.reject));
    return order_record(venue_.markets.spec(item.order.market), item.order);
  }

  Answer<ops::CancelAllOrders> cancel_all(RequestContext& context, const CancelAllOrdersRequest& request) const {
    engine::CancelAll command{.account = context.account(), .market = std::nullopt};
    if (request.market_id) {
      const auto market = SVC_TRY(venue_.market(*request.market_id));
      command.market = market;
    }
    const auto applied = SVC_TRY(venue_.submit(context, command));
    List<Order> cancelled;
    for (const engine::OrderOutcome& item : applied.outcome.orders)
      cancelled.rows.push_back(order_record(venue_.markets.spec(item.order.market), item.order));
    return cancelled;
  }

  Answer<ops::ListOrders> list(RequestContext& context, const OrdersRequest& request) const {
    const auto only = SVC_TRY(venue_.market_if_named(request.market_id));
    return venue_.views.read([&](const VenueView& view) {
      List<Order> open;
      for (const auto& [id, order] : view.account(context.account()).open_orders())
        if (!only || order.market == *only) open.rows.push_back(order_record(venue_.markets.spec(order.market), order));
      return open;
    });
  }

  Answer<ops::GetOrder> get(RequestContext& context, const OrderAtMarket& request) const {
    const auto order = SVC_TRY(own_order(context, request.order_id, request.market_id));
    return order_record(venue_.markets.spec(order.market), order);
  }

  Answer<ops::ListOrderHistory> history(RequestContext& context, const OrderHistoryRequest& request) const {
    const auto filter = SVC_TRY(filter_of(request));
    return venue_.views.read([&](const VenueView& view) {
      const auto page = view.account(context.account())
                            .ended_orders()
                            .page(parse_cursor(request.cursor), request.limit, [&](const engine::OrderRecord& order) {
                              return filter.keeps(order.market, order.side, order.updated_ms);
                            });
      Page<OrderHistoryEntry> entries;
      for (const engine::OrderRecord* order : page.rows)
        entries.rows.push_back(history_record(venue_.markets.spec(order->market), *order));
      if (page.next) entries.next_cursor = cursor_text(*page.next);
      return entries;
    });
  }

  Answer<ops::ListFills> fills(RequestContext& context, const FillsRequest& request) const {
    const auto filter = SVC_TRY(filter_of(request));
    return venue_.views.read([&](const VenueView& view) {
      const auto page = view.account(context.account())
                            .fills()
                            .page(parse_cursor(request.cursor), request.limit, [&](const OwnFill& row) {
                              return filter.keeps(row.fill.market, row.fill.side, row.at_ms);
                            });
      api::Page<Fill> fills;
      for (const OwnFill* fill : page.rows)
        fills.rows.push_back(fill_record(venue_.markets.spec(fill->fill.market), *fill));
      if (page.next) fills.next_cursor = cursor_text(*page.next);
      return fills;
    });
  }

 private:
  struct Filter {
    std::optional<engine::MarketIndex> market;
    std::optional<engine::Side> side;
    TimeRange time;

    [[nodiscard]] bool keeps(engine::MarketIndex in, engine::Side of, TimestampMs at_ms) const {
      return (!market || *market == in) && (!side || *side == of) && time.contains(at_ms);
    }
  };

  // What a history is narrowed to. (D-283)
  template <class Request>
  Result<Filter, ApiError> filter_of(const Request& request) const {
    const auto market = SVC_TRY(venue_.market_if_named(request.market_id));
    const auto time = SVC_TRY(time_range(request.start_time, request.end_time));
    Filter filter{.market = market, .side = std::nullopt, .time = time};
    if (request.side) filter.side = *request.side == api::Side::buy ? engine::Side::buy : engine::Side::sell;
    return filter;
  }

  // The account's order; one that is somebody else's, or in another market than the one named, does not
  // exist for the caller. (API: Errors, ownership failures)
  Result<engine::OrderRecord, ApiError> own_order(const RequestContext& context, const std::string& id_text,
                                                  const std::optional<MarketId>& market_id) const {
    if (!market_id && context.network->settings.strict_market_ids)
      return unexpected(ApiError(ErrorCode::invalid_market_id, "market_id is required here"));
    const auto not_found = [&] { return unexpected(ApiError(ErrorCode::order_not_found, "no order " + id_text)); };
    const auto id = parse_order_id(id_text);
    if (!id) return not_found();
    const auto found = venue_.views.read([&](const VenueView& view) -> std::optional<engine::OrderRecord> {
      const engine::OrderRecord* order = view.account(context.account()).order(*id);
      if (order == nullptr) return std::nullopt;
      return *order;
    });
    if (!found) return not_found();
    if (market_id && market_id->text != venue_.markets.spec(found->market).id) return not_found();
    return *found;
  }

  OrderResponse response_of(const Applied& applied, const engine::OrderOutcome& item) const {
    const engine::MarketSpec& spec = venue_.markets.spec(item.order.market);
    OrderResponse response{.order = order_record(spec, item.order), .fills = {}};
    for (const engine::Fill& fill : applied.outcome.fills_of(item))
      response.fills.push_back(fill_record(spec, {.fill = fill, .at_ms = applied.at_ms}));
    return response;
  }

  VenueAccess venue_;
};

}  // namespace

void bind_orders(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const OrderHandlers>(venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::PlaceOrder>(&OrderHandlers::place);
  bind.operator()<ops::PlaceOrders>(&OrderHandlers::place_batch);
  bind.operator()<ops::PreviewOrder>(&OrderHandlers::preview);
  bind.operator()<ops::AmendOrder>(&OrderHandlers::amend);
  bind.operator()<ops::CancelOrder>(&OrderHandlers::cancel);
  bind.operator()<ops::CancelAllOrders>(&OrderHandlers::cancel_all);
  bind.operator()<ops::ListOrders>(&OrderHandlers::list);
  bind.operator()<ops::GetOrder>(&OrderHandlers::get);
  bind.operator()<ops::ListOrderHistory>(&OrderHandlers::history);
  bind.operator()<ops::ListFills>(&OrderHandlers::fills);
}

}  // namespace svc::sim
