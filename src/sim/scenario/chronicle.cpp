#include "sim/scenario/chronicle.h"

#include <limits>
#include <utility>

#include "base/containers.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

// quote / quantity in USDX per base unit: a decimal if that is exact to 1e-6, else the fraction. (D-181)
std::string unit_price(const MarketSpec& spec, Usdx quote, Lots lots) {
  // lots * lot_size = lots * coefficient / 10^scale
  i128 num = quote.value;
  for (int i = 0; i < spec.lot_size.scale; ++i) num *= 10;
  const i128 den = static_cast<i128>(lots.value) * spec.lot_size.coefficient;
  const Usdx rounded{narrow(div_round(num, den, Rounding::half_up))};
  if (num % den == 0) return format_usdx(rounded);
  const i128 usdx_den = den * usdx_one;
  i128 divisor = usdx_den;
  for (i128 rest = num < 0 ? -num : num; rest != 0;) divisor = std::exchange(rest, divisor % rest);
  const i128 above = num / divisor, below = usdx_den / divisor;
  constexpr i128 term_max = std::numeric_limits<std::int64_t>::max();
  if (above > term_max || above < -term_max || below > term_max) return format_usdx(rounded);
  return format_scaled(narrow(above), 0) + "/" + format_scaled(narrow(below), 0);
}

json null_if_empty(std::string_view text) {
  return text.empty() ? json(nullptr) : json(text);
}

// The row of an event of a kind that stories show; null if they do not show this one.
struct EventRow {
  const StoryNames& names;
  const MarketSpec& spec(MarketIndex market) const { return names.specs.at(market.value); }
  const std::string& name(const Address& account) const { return names.accounts.at(account); }

  json operator()(const Trade& trade) const {
    return {{"market", spec(trade.market).id},
            {"price", format_price(spec(trade.market), trade.price)},
            {"quantity", format_lots(spec(trade.market), trade.quantity)},
            {"taker_side", trade::side_lower_texts[static_cast<std::size_t>(trade.taker_side)]},
            {"taker", name(trade.taker)},
            {"maker", name(trade.maker)},
            {"is_liquidation", trade.is_liquidation}};
  }
  json operator()(const InsuranceChanged& changed) const {
    if (changed.cause != FundCause::shortfall) return nullptr;
    return {{"kind", "insurance_draw"},
            {"account", name(changed.account)},
            {"market", spec(changed.market).id},
            {"amount", format_usdx(-changed.delta)}};
  }
  json operator()(const Deleveraged& event) const {
    // For a resume, a story shows what was closed or paid.
    if (event.by_resume && event.closures.empty() && event.absorbed_by_fund == Usdx{}) return nullptr;
    const MarketSpec& market = spec(event.market);
    json closures = json::array();
    for (const AdlClosure& closure : event.closures)
      closures.push_back({{"account", name(closure.account)},
                          {"position_closed", format_lots(market, closure.quantity)},
                          {"settlement_amount", format_usdx(closure.settlement_amount)}});
    return {{"kind", event.by_resume ? "adl_resume" : "adl"},
            {"market", market.id},
            {"target", name(event.target)},
            {event.by_resume ? "price" : "bankruptcy_price",
             unit_price(market, event.bankruptcy_quote, event.bankruptcy_lots)},
            {"bad_debt_absorbed_by_fund", format_usdx(event.absorbed_by_fund)},
            {"closures", closures}};
  }
  json operator()(const MarketStatusChanged& changed) const {
    if (changed.reason != HaltReason::adl_exhausted) return nullptr;
    const MarketSpec& market = spec(changed.market);
    return {{"kind", "halt"}, {"market", market.id}, {"residual", format_lots(market, changed.residual)}};
  }
};

json with_step(json row, std::size_t step) {
  if (step != 0) row["step"] = step;
  return row;
}

}  // namespace

void Chronicle::note(std::span<const Event> events, std::size_t step) {
  for (const Event& event : events) {
    if (const auto* order = std::get_if<OrderChanged>(&event)) {
      orders_[order->order.id] = {order->order, step};
    } else if (const auto* position = std::get_if<PositionChanged>(&event)) {
      positions_[{position->account, position->market}] = *position;
    } else if (std::visit([]<class E>(const E&) { return std::is_invocable_v<EventRow, const E&>; }, event)) {
      told_.emplace_back(event, step);
    }
  }
}

json Chronicle::rows(const StoryNames& names, bool trades) const {
  json rows = json::array();
  for (const auto& [event, step] : told_) {
    if (std::holds_alternative<Trade>(event) != trades) continue;
    json row;
    const auto tell = [&]<class E>(const E& one) {
      if constexpr (std::is_invocable_v<EventRow, const E&>) row = EventRow{names}(one);
    };
    std::visit(tell, event);
    if (!row.is_null()) rows.push_back(with_step(std::move(row), step));
  }
  return rows;
}

json Chronicle::order(const StoryNames& names, OrderId id) const {
  const auto told = orders_.find(id);
  if (told == orders_.end()) return nullptr;
  const auto& [order, step] = told->second;
  const MarketSpec& market = names.specs.at(order.market.value);
  const bool fell = order.cancel_reason == CancelReason::rejected_at_trigger;
  return with_step({{"status", to_string(order.status)},
                    {"filled", format_lots(market, order.filled)},
                    {"quantity", format_lots(market, order.quantity)},
                    {"reason", null_if_empty(fell ? to_string(order.reject) : to_string(order.cancel_reason))},
                    {"price", order.price == Ticks{} ? json(nullptr) : json(format_price(market, order.price))}},
                   step);
}

json Chronicle::books(const StoryNames& names, const Engine& engine) {
  json books = json::object();
  for (const std::size_t place : names.markets) {
    const MarketSpec& market = names.specs[place];
    const auto side = [&](Side of) {
      json rows = json::array();
      for (const OrderRecord& order : engine.resting_orders({static_cast<std::uint16_t>(place)}, of))
        rows.push_back({{"price", format_price(market, order.price)},
                        {"remaining", format_lots(market, order.remaining())},
                        {"account", names.accounts.at(order.account)}});
      return rows;
    };
    books[market.id] = {{"bids", side(Side::buy)}, {"asks", side(Side::sell)}};
  }
  return books;
}

json Chronicle::ledger(const StoryNames& names, const Engine& engine, TimestampMs now_ms) const {
  const VenueFigures venue = engine.venue();
  json ledger = {{"accounts", json::object()},
                 {"insurance_fund", format_usdx(venue.insurance_fund)},
                 {"fee_treasury", format_usdx(venue.fee_treasury)}};
  for (const auto& [address, name] : names.accounts) {
    const AccountFigures figures = engine.account(address);
    ledger["accounts"][name] = {{"balance", format_usdx(figures.balance)},
                                {"equity", format_usdx(figures.equity)},
                                {"available_margin", format_usdx(figures.available)}};
  }
  for (const std::size_t place : names.markets) {
    const MarketIndex index{static_cast<std::uint16_t>(place)};
    const MarketSpec& market = names.specs[place];
    const MarketFigures figures = engine.market(index, now_ms);
    ledger["markets"][market.id] = {{"status", to_string(figures.status)},
                                    {"halt_reason", null_if_empty(to_string(figures.halt_reason))}};
    for (const auto& [address, name] : names.accounts) {
      const PositionChanged totals = value_in(positions_, {address, index}).value_or(PositionChanged{});
      Usdx unrealized{};
      for (const PositionRow& row : engine.positions(address))
        if (row.market == index) unrealized = row.unrealized_pnl;
      ledger["accounts"][name]["positions"][market.id] = {
          {"size", format_lots(market, totals.size)},           {"open_notional", format_usdx(totals.cost)},
          {"realized_pnl", format_usdx(totals.realized_total)}, {"fees", format_usdx(totals.fees_total)},
          {"funding", format_usdx(totals.funding_total)},       {"unrealized_pnl", format_usdx(unrealized)},
          {"isolated_margin", format_usdx(totals.isolated)}};
    }
  }
  return ledger;
}

}  // namespace svc::sim::scenario
