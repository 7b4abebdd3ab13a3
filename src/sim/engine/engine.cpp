#include "sim/engine/engine.h"

#include <algorithm>

#include "base/checks.h"
#include "sim/engine/admission.h"
#include "sim/engine/liquidation.h"
#include "sim/engine/order_entry.h"
#include "sim/engine/plan.h"
#include "sim/engine/prices.h"
#include "sim/engine/state.h"
#include "sim/engine/step.h"

namespace svc::engine {

CommandBody::CommandBody() = default;
CommandBody::CommandBody(const CommandBody& other) = default;
CommandBody::CommandBody(CommandBody&& other) noexcept = default;
CommandBody& CommandBody::operator=(const CommandBody& other) = default;
CommandBody& CommandBody::operator=(CommandBody&& other) noexcept = default;
CommandBody::~CommandBody() = default;

namespace {

// A command that names its market is refused first of all if there is none.
template <class C>
Reject perform_known(Step& step, const C& command) {
  if constexpr (requires(const C& of) {
                  { of.market } -> std::same_as<const MarketIndex&>;
                }) {
    if (command.market.value >= step.state.markets.size()) return Reject::unknown_market;
  }
  return perform(step, command);
}

std::optional<Ticks> price_or_none(Ticks price) {
  if (price == Ticks{}) return std::nullopt;
  return price;
}

void begin(State& state, TimestampMs now_ms) {
  state.now_ms = std::max(state.now_ms, now_ms);
  state.sequence.value += 1;
  Outcome& outcome = state.outcome;
  outcome.orders.clear();
  outcome.fills.clear();
  outcome.sequence = state.sequence;
  outcome.reject = Reject::none;
  outcome.amount = outcome.balance = {};
}

void end(Step& step) {
  step.answer_watched();
  step.report_order_margins();
  Outcome& outcome = step.state.outcome;
  // A single order's refusal is the command's.
  if (outcome.orders.size() == 1 && outcome.reject == Reject::none) outcome.reject = outcome.orders.front().reject;
  if (checks_are_on) [[unlikely]] {
    for (const std::string& violation : broken_invariants(step.state))
      assert_failed(violation.c_str(), __FILE__, __LINE__);
  }
}

}  // namespace

Engine::Engine(EngineConfig config) : state_(std::make_unique<State>()) {
  SVC_ASSERT(!config.markets.empty() && config.markets.size() <= limits::markets_max);
  state_->open_orders_max = config.open_orders_max;
  state_->markets.reserve(config.markets.size());
  for (MarketSpec& spec : config.markets) {
    SVC_ASSERT(check_listing(spec) && !find_market(spec.id));
    state_->markets.emplace_back(MarketIndex{static_cast<std::uint16_t>(state_->markets.size())}, std::move(spec));
  }
  state_->accounts.push_back({.address = {}, .holdings = std::vector<Holding>(state_->markets.size())});
  SVC_ASSERT(config.insurance_seed >= Usdx{} && config.insurance_seed.value <= limits::funds_venue_max);
  state_->ledger.insurance = state_->ledger.net_deposits = config.insurance_seed;
}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

const Outcome& Engine::apply(const Command& command, EventLog& log) {
  begin(*state_, command.now_ms);
  Step step(*state_, log);
  expire_orders(step);
  state_->outcome.reject = std::visit([&](const auto& body) { return perform_known(step, body); }, command.body);
  run_liquidations(step);
  end(step);
  return state_->outcome;
}

std::size_t Engine::market_count() const {
  return state_->markets.size();
}

std::uint32_t Engine::open_orders_max() const {
  return state_->open_orders_max;
}

const MarketSpec& Engine::spec(MarketIndex market) const {
  return state_->market(market).spec;
}

std::optional<MarketIndex> Engine::find_market(std::string_view id) const {
  for (const Market& market : state_->markets) {
    if (market.spec.id == id) return market.index;
  }
  return std::nullopt;
}

MarketFigures Engine::market(MarketIndex index, TimestampMs now_ms) const {
  const Market& market = state_->market(index);
  return {.status = market.status,
          .halt_reason = market.halt_reason,
          .halted_ms = market.halted_ms,
          .oracle_stale = market.stale(now_ms),
          .price_mode = market.price_mode,
          .index = price_or_none(market.index_price),
          .mark = price_or_none(market.mark),
          .best_bid = market.book.best(Side::buy),
          .best_ask = market.book.best(Side::sell),
          .open_interest = market.open_interest,
          .trade_count = market.trade_count,
          .volume_total = market.volume,
          .adl_event_count = market.adl_events,
          .book_nonce = market.book_nonce,
          .funding_rate = funding_rate(market.spec, market.premium_sum, market.premium_samples).rate};
}

std::vector<BookLevel> Engine::book(MarketIndex market, Side side, std::size_t depth) const {
  const OrderBook& book = state_->market(market).book;
  std::vector<BookLevel> levels;
  for (auto price = book.best(side); price && levels.size() < depth; price = book.worse(side, *price)) {
    const Level& level = book.level(*price);
    levels.push_back({*price, {level.lots}, level.orders});
  }
  return levels;
}

std::vector<OrderRecord> Engine::resting_orders(MarketIndex market, Side side) const {
  std::vector<OrderRecord> records;
  const OrderBook& book = state_->market(market).book;
  for (Slot slot = book.first(side); slot != no_slot; slot = book.after(slot))
    records.push_back(record_of(*state_, slot));
  return records;
}

AccountFigures Engine::account(const Address& address) const {
  AccountFigures figures;
  const State& state = *state_;
  const Account& account = state.account(state.known_or_stranger(address));
  i128 collateral = account.balance.value;
  i128 unrealized = 0;
  i128 initial = 0;
  i128 maintenance = 0;
  i128 reserved = 0;
  for (const Market& market : state.markets) {
    const Holding& holding = account.holdings[market.index.value];
    const Position& position = holding.position;
    reserved += order_margin(market, holding);
    figures.open_orders += static_cast<std::uint32_t>(holding.open_orders());
    if (!holding.has_position()) continue;
    ++figures.open_positions;
    collateral += position.isolated.value;
    unrealized += holding.valuation.unrealized;
    initial += holding.valuation.initial;
    maintenance += holding.valuation.maintenance;
  }
  figures.balance = account.balance;
  figures.collateral = saturated(collateral);
  figures.unrealized_pnl = saturated(unrealized);
  figures.equity = saturated(collateral + unrealized);
  figures.initial_margin = saturated(initial);
  figures.maintenance_margin = saturated(maintenance);
  figures.order_margin = saturated(reserved);
  figures.available = saturated(available(state, account));
  figures.withdrawable = withdrawable(state, account);
  figures.in_liquidation = in_liquidation(account);
  return figures;
}

std::vector<PositionRow> Engine::positions(const Address& address) const {
  std::vector<PositionRow> rows;
  const State& state = *state_;
  const Account& account = state.account(state.known_or_stranger(address));
  const Health cross = cross_health(account);
  for (const Market& market : state.markets) {
    const Holding& holding = account.holdings[market.index.value];
    if (!holding.has_position()) continue;
    const Position& position = holding.position;
    const bool isolated = holding.mode == MarginMode::isolated;
    const i128 unrealized = holding.valuation.unrealized;
    const i128 maintenance = holding.valuation.maintenance;
    const i128 collateral =
        isolated ? position.isolated.value : cross.equity - unrealized - (cross.maintenance - maintenance);
    PositionRow& row = rows.emplace_back();
    describe(account, market, row);
    row.leverage = market.terms(holding).leverage;
    row.mark = market.mark;
    row.notional = saturated(market.notional(position));
    row.unrealized_pnl = saturated(unrealized);
    row.initial_margin = saturated(holding.valuation.initial);
    row.maintenance_margin = saturated(maintenance);
    row.order_margin = saturated(order_margin(market, holding));
    row.liquidation_price = liquidation_price(market, position, collateral);
  }
  return rows;
}

MarginTerms Engine::settings(const Address& account, MarketIndex market) const {
  return state_->market(market).terms(state_->holding(state_->known_or_stranger(account), market));
}

std::optional<OrderRecord> Engine::order(OrderId id) const {
  const Slot slot = state_->orders.find(id);
  if (!id.exists() || slot == no_slot) return std::nullopt;
  return record_of(*state_, slot);
}

std::vector<OrderRecord> Engine::open_orders(const Address& account) const {
  std::vector<OrderRecord> records;
  const Account& owner = state_->account(state_->known_or_stranger(account));
  for (const Slot slot : live_orders(*state_, owner, std::nullopt, CancelScope::everything))
    records.push_back(record_of(*state_, slot));
  return records;
}

std::optional<OrderRecord> Engine::order_by_client_id(const Address& account, const ClientId& id) const {
  const auto used_by = state_->client_ids.find(state_->known_or_stranger(account), id);
  return used_by ? order(*used_by) : std::nullopt;
}

Preview Engine::preview(const PlaceOrder& order, TimestampMs now_ms) const {
  return preview_order(*state_, state_->plan, order, std::max(now_ms, state_->now_ms));
}

std::optional<Outcome> Engine::refused(const PlaceBatch& batch, TimestampMs now_ms) const {
  return refused_batch(*state_, batch, std::max(now_ms, state_->now_ms));
}

Lots Engine::filled_ahead(OrderId order, const Address& taker, Lots lots) const {
  const Slot slot = state_->orders.find(order);
  SVC_ASSERT(slot != no_slot && !state_->orders[slot].waiting);
  const Order& resting = state_->orders[slot];
  Plan& plan = state_->plan;
  make_plan(*state_, state_->market(resting.market),
            {.account = state_->known_or_stranger(taker),
             .side = opposite(resting.side),
             .lots = lots,
             .limit = Ticks{resting.price}},
            plan);
  Lots filled{};
  for (const PlanStep& step : plan.steps) {
    if (step.maker == slot) break;
    filled += step.lots;
  }
  return filled;
}

VenueFigures Engine::venue() const {
  return {.insurance_fund = state_->ledger.insurance,
          .fee_treasury = state_->ledger.fee_treasury,
          .net_deposits = state_->ledger.net_deposits,
          .accounts = static_cast<std::uint32_t>(state_->accounts.size() - 1),
          .open_orders = state_->orders.size()};
}

std::vector<Address> Engine::accounts() const {
  std::vector<Address> addresses;
  addresses.reserve(state_->accounts.size());
  for (std::size_t i = stranger.value + 1; i < state_->accounts.size(); ++i) {
    addresses.push_back(state_->accounts[i].address);
  }
  return addresses;
}

Sequence Engine::sequence() const {
  return state_->sequence;
}

TimestampMs Engine::now_ms() const {
  return state_->now_ms;
}

std::optional<TimestampMs> Engine::next_timer_ms() const {
  std::optional<TimestampMs> next = next_cooldown_ms(*state_);
  if (const auto due = state_->expiries.first()) next = std::min(next.value_or(INT64_MAX), due->first);
  return next;
}

std::vector<std::string> Engine::violations() const {
  return broken_invariants(*state_);
}

std::vector<std::string> Engine::violations(std::span<const Event> changes) const {
  return broken_invariants(*state_, changes);
}

std::uint64_t Engine::state_hash() const {
  return digest_of(bytes_of(*state_));
}

std::string Engine::image() const {
  return image_of(*state_);
}

Result<void, std::string> Engine::restore(std::string_view image) {
  auto state = SVC_TRY(state_of(image, *state_));
  state_ = std::move(state);
  return {};
}

}  // namespace svc::engine
