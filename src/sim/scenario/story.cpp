#include "sim/scenario/story.h"

#include <limits>
#include <set>

#include "sim/scenario/difference.h"
#include "sim/scenario/json_fields.h"
#include "sim/scenario/spelling.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

template <class T>
std::vector<std::string> accounts_named(const T& step) {
  if constexpr (requires { step.to; }) return {step.account, step.to};
  if constexpr (requires { step.account; }) return {step.account};
  return {};
}

// quote / quantity in USDX per base unit: a decimal if that is exact to 1e-6, else the fraction. (D-181)
std::string unit_price(const MarketSpec& spec, Usdx quote, Lots lots) {
  // lots * lot_size = lots * coefficient / 10^scale
  i128 num = quote.value;
  for (int i = 0; i < spec.lot_size.scale; ++i) num *= 10;
  const i128 den = static_cast<i128>(lots.value) * spec.lot_size.coefficient;
  const Usdx rounded{narrow(div_round(num, den, Rounding::half_up))};
  constexpr i128 term_max = std::numeric_limits<std::int64_t>::max();
  const bool fits = num <= term_max && num >= -term_max && den <= term_max / usdx_one;
  if (num % den == 0 || !fits) return format_usdx(rounded);
  const Rational exact = reduced({narrow(num), narrow(den * usdx_one)});
  return format_scaled(exact.num, 0) + "/" + format_scaled(exact.den, 0);
}

json null_if_empty(std::string_view text) {
  return text.empty() ? json(nullptr) : json(text);
}

}  // namespace

Story::Story(const Scenario& scenario) : scenario_(scenario), engine_({.markets = scenario.markets}) {
  name_accounts(scenario);
  // A story tells the index, and the mark is the same. Injected marks would never go stale.
  for (const MarketSpec& market : scenario.markets) {
    engine_.apply({now_ms_, SetPriceMode{market_of(market.id), PriceMode::index_only}}, events_);
  }
}

// Ties are broken by address, and among the people of a story by name: addresses are handed out in name order.
void Story::name_accounts(const Scenario& scenario) {
  std::set<std::string> names;
  for (const Step& step : scenario.steps) {
    for (std::string& name : std::visit([](const auto& s) { return accounts_named(s); }, step))
      names.insert(std::move(name));
  }
  std::uint32_t rank = 0;
  for (const std::string& name : names) {
    Address address;
    ++rank;
    for (int byte = 0; byte < 4; ++byte) {
      address.bytes[static_cast<std::size_t>(19 - byte)] = static_cast<std::uint8_t>(rank >> (8 * byte));
    }
    addresses_[name] = address;
    names_[address] = name;
  }
}

MarketIndex Story::market_of(const std::string& id) const {
  const auto market = engine_.find_market(id);
  if (!market) throw FieldError{place_of(step_, scenario_.lines) + ": no market " + id};
  return *market;
}

// What a client may get wrong is the engine's to refuse.
MarketIndex Story::market_or_unknown(const std::string& id) const {
  constexpr MarketIndex unknown{UINT16_MAX};
  return engine_.find_market(id).value_or(unknown);
}

void Story::tell() {
  for (const Step& step : scenario_.steps) {
    ++step_;
    std::visit([this](const auto& s) { tell(s); }, step);
    for (const std::string& violation : engine_.violations()) {
      violations_.push_back("invariant (" + place_of(step_, scenario_.lines) + "): " + violation);
    }
  }
}

const Outcome& Story::apply(const decltype(Command::body)& body) {
  events_.clear();
  const Outcome& outcome = engine_.apply({now_ms_, body}, events_);
  for (const Event& event : events_.events()) note(event);
  if (!outcome.ok()) rejects_.push_back({{"step", step_}, {"error", to_string(outcome.reject)}});
  return outcome;
}

void Story::tell(const DepositStep& step) {
  apply(Deposit{address_of(step.account), step.amount});
}
void Story::tell(const WithdrawStep& step) {
  apply(Withdraw{address_of(step.account), step.amount});
}
void Story::tell(const FundInsuranceStep& step) {
  apply(FundInsurance{step.amount});
}

void Story::tell(const TransferStep& step) {
  apply(Transfer{address_of(step.account), address_of(step.to), step.amount});
}

void Story::tell(const SetMarksStep& step) {
  OracleTick tick;
  for (const auto& [id, price] : step.marks) {
    const MarketIndex market = market_of(id);
    tick.prices.push_back({market, nearest_tick(spec(market), price), std::nullopt});
  }
  apply(tick);
}

void Story::tell(const PlaceStep& step) {
  OrderParams params;
  params.market = market_or_unknown(step.market);
  params.side = step.side;
  params.type = step.type;
  params.time_in_force = step.time_in_force;
  params.stp = step.stp;
  params.reduce_only = step.reduce_only;
  if (engine_.find_market(step.market)) {
    const MarketSpec& market = spec(params.market);
    params.quantity = measure_lots(market, step.quantity);
    if (step.price) params.price = measure_price(market, *step.price);
    if (step.trigger) params.trigger = measure_price(market, *step.trigger);
  }
  params.trailing_offset_bps = step.trailing_offset_bps;
  params.limit_offset_bps = step.limit_offset_bps;
  params.max_slippage_bps = step.max_slippage_bps;
  const auto client_id = ClientId::from(step.client_id);
  if (!client_id) throw FieldError{place_of(step_, scenario_.lines) + ": client_id is too long"};
  params.client_id = *client_id;
  const OrderOutcome& item = apply(PlaceOrder{address_of(step.account), params}).orders.front();
  if (item.reject == Reject::none) {
    label(step.label, item.order);
  } else if (!step.label.empty() && !labelled_.contains(step.label)) {
    refused_[step.label] = {{"step", step_},
                            {"status", spell(OrderStatus::rejected)},
                            {"filled", "0"},
                            {"quantity", format_decimal(step.quantity)},
                            {"reason", to_string(item.reject)},
                            {"price", step.price ? json(format_decimal(*step.price)) : json(nullptr)}};
  }
}

void Story::tell(const AmendStep& step) {
  AmendOrder command;
  if (const auto known = labelled_.find(step.order); known != labelled_.end()) {
    const MarketSpec& market = spec(known->second.market);
    command.order = known->second.id;
    command.account = known->second.account;
    if (step.price) command.price = measure_price(market, *step.price);
    if (step.size) command.size = measure_lots(market, *step.size);
  }
  const OrderOutcome& item = apply(command).orders.front();
  if (item.reject == Reject::none) label(step.label, item.order);
}

void Story::tell(const CancelStep& step) {
  const auto known = labelled_.find(step.order);
  apply(known == labelled_.end() ? CancelOrder{} : CancelOrder{known->second.account, known->second.id});
}

void Story::tell(const CancelAllStep& step) {
  CancelAll command{.account = address_of(step.account)};
  if (step.market) command.market = market_or_unknown(*step.market);
  apply(command);
}
void Story::tell(const DisconnectStep& step) {
  apply(CancelAll{.account = address_of(step.account),
                  .market = std::nullopt,
                  .scope = CancelScope::resting_orders,
                  .reason = CancelReason::cancel_on_disconnect});
}

void Story::tell(const SetLeverageStep& step) {
  apply(SetLeverage{address_of(step.account), market_or_unknown(step.market), step.leverage});
}

void Story::tell(const SetMarginModeStep& step) {
  apply(SetMarginMode{address_of(step.account), market_or_unknown(step.market), step.mode});
}

void Story::tell(const MarginStep& step) {
  apply(AdjustMargin{address_of(step.account), market_or_unknown(step.market), step.amount, step.direction});
}

void Story::tell(const FundingStep& step) {
  const MarketIndex market = market_of(step.market);
  apply(InjectFunding{market, step.rate, nearest_tick(spec(market), step.index)});
}

void Story::tell(const AdvanceStep& step) {
  now_ms_ += step.ms;
  apply(PassTime{});
}

void Story::tell(const HaltStep& step) {
  apply(HaltMarket{market_of(step.market), "told"});
}
void Story::tell(const SettleStep& step) {
  const MarketIndex market = market_of(step.market);
  apply(SettleMarket{market, nearest_tick(spec(market), step.price)});
}
void Story::tell(const ResumeStep& step) {
  apply(ResumeMarket{market_of(step.market), step.inject});
}
void Story::tell(const SnapshotStep& step) {
  snapshots_[step.name] = ledger();
  snapshots_[step.name]["books"] = books();
}

void Story::label(const std::string& name, const OrderRecord& order) {
  if (!name.empty()) labelled_[name] = order;
}

void Story::note(const Event& event) {
  std::visit([this](const auto& e) { note(e); }, event);
}

void Story::note(const OrderChanged& changed) {
  orders_[changed.order.id] = {changed.order, step_};
}
void Story::note(const PositionChanged& changed) {
  positions_[{changed.account, changed.market}] = changed;
}

void Story::note(const Trade& trade) {
  const MarketSpec& market = spec(trade.market);
  trades_.push_back({{"step", step_},
                     {"market", market.id},
                     {"price", format_price(market, trade.price)},
                     {"quantity", format_lots(market, trade.quantity)},
                     {"taker_side", trade.taker_side == Side::buy ? "buy" : "sell"},
                     {"taker", name_of(trade.taker)},
                     {"maker", name_of(trade.maker)},
                     {"is_liquidation", trade.is_liquidation}});
}

void Story::note(const InsuranceChanged& changed) {
  if (changed.cause != FundCause::shortfall) return;
  risk_events_.push_back({{"step", step_},
                          {"kind", "insurance_draw"},
                          {"account", name_of(changed.account)},
                          {"market", spec(changed.market).id},
                          {"amount", format_usdx(-changed.delta)}});
}

void Story::note(const Deleveraged& event) {
  // A story tells of a resume what it closed.
  if (event.by_resume && event.closures.empty()) return;
  const MarketSpec& market = spec(event.market);
  json closures = json::array();
  for (const AdlClosure& closure : event.closures) {
    closures.push_back({{"account", name_of(closure.account)},
                        {"position_closed", format_lots(market, closure.quantity)},
                        {"settlement_amount", format_usdx(closure.settlement_amount)}});
  }
  const std::string price = unit_price(market, event.bankruptcy_quote, event.bankruptcy_lots);
  risk_events_.push_back({{"step", step_},
                          {"kind", event.by_resume ? "adl_resume" : "adl"},
                          {"market", market.id},
                          {"target", name_of(event.target)},
                          {event.by_resume ? "price" : "bankruptcy_price", price},
                          {"bad_debt_absorbed_by_fund", format_usdx(event.absorbed_by_fund)},
                          {"closures", closures}});
}

void Story::note(const MarketStatusChanged& changed) {
  if (changed.reason != HaltReason::adl_exhausted) return;
  const MarketSpec& market = spec(changed.market);
  risk_events_.push_back(
      {{"step", step_}, {"kind", "halt"}, {"market", market.id}, {"residual", format_lots(market, changed.residual)}});
}

json Story::outcome() const {
  json orders = refused_;
  for (const auto& [name, record] : labelled_) orders[name] = order(name);
  return {{"trades", trades_},           {"rejects", rejects_}, {"orders", orders},       {"books", books()},
          {"risk_events", risk_events_}, {"final", ledger()},   {"snapshots", snapshots_}};
}

json Story::books() const {
  json books = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketIndex index = market_of(market.id);
    books[market.id] = {{"bids", book(index, Side::buy)}, {"asks", book(index, Side::sell)}};
  }
  return books;
}

json Story::order(const std::string& name) const {
  const auto& [record, step] = orders_.at(labelled_.at(name).id);
  const MarketSpec& market = spec(record.market);
  const json price = record.price == Ticks{} ? json(nullptr) : json(format_price(market, record.price));
  return {{"step", step},
          {"status", spell(record.status)},
          {"filled", format_lots(market, record.filled)},
          {"quantity", format_lots(market, record.quantity)},
          {"reason", null_if_empty(spell_reason(record))},
          {"price", price}};
}

json Story::book(MarketIndex market, Side side) const {
  json rows = json::array();
  for (const OrderRecord& record : engine_.resting_orders(market, side)) {
    rows.push_back({{"price", format_price(spec(market), record.price)},
                    {"remaining", format_lots(spec(market), record.remaining())},
                    {"account", name_of(record.account)}});
  }
  return rows;
}

json Story::account(const Address& address) const {
  const AccountFigures figures = engine_.account(address);
  json positions = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketIndex index = market_of(market.id);
    PositionChanged totals;
    if (const auto told = positions_.find({address, index}); told != positions_.end()) totals = told->second;
    Usdx unrealized{};
    for (const PositionRow& row : engine_.positions(address)) {
      if (row.market == index) unrealized = row.unrealized_pnl;
    }
    positions[market.id] = {
        {"size", format_lots(market, totals.size)},           {"open_notional", format_usdx(totals.cost)},
        {"realized_pnl", format_usdx(totals.realized_total)}, {"fees", format_usdx(totals.fees_total)},
        {"funding", format_usdx(totals.funding_total)},       {"unrealized_pnl", format_usdx(unrealized)},
        {"isolated_margin", format_usdx(totals.isolated)}};
  }
  return {{"balance", format_usdx(figures.balance)},
          {"equity", format_usdx(figures.equity)},
          {"available_margin", format_usdx(figures.available)},
          {"positions", positions}};
}

json Story::ledger() const {
  json accounts = json::object();
  for (const auto& [name, address] : addresses_) accounts[name] = account(address);
  json markets = json::object();
  for (const MarketSpec& market : scenario_.markets) {
    const MarketFigures figures = engine_.market(market_of(market.id), now_ms_);
    markets[market.id] = {{"status", spell(figures.status)},
                          {"halt_reason", null_if_empty(spell(figures.halt_reason))}};
  }
  const VenueFigures venue = engine_.venue();
  return {{"step", step_},
          {"accounts", accounts},
          {"insurance_fund", format_usdx(venue.insurance_fund)},
          {"fee_treasury", format_usdx(venue.fee_treasury)},
          {"markets", markets}};
}

}  // namespace svc::sim::scenario
