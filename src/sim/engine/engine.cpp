#include "sim/engine/engine.h"

#include <algorithm>

#include "base/limits.h"
#include "sim/engine/admission.h"
#include "sim/engine/funding.h"
#include "sim/engine/funds.h"
#include "sim/engine/halt.h"
#include "sim/engine/invariants.h"
#include "sim/engine/liquidation.h"
#include "sim/engine/mark_price.h"
#include "sim/engine/order_entry.h"
#include "sim/engine/queries.h"
#include "sim/engine/settings.h"
#include "sim/engine/state.h"
#include "sim/engine/step.h"

namespace svc::engine {
namespace {

// The effect of each command. Order commands answer per order; the others are refused or accepted as a whole.
class Dispatch {
 public:
  explicit Dispatch(Step& step) : step_(step) {}

  void operator()(const Deposit& command) { refuse(deposit(step_, command)); }
  void operator()(const Withdraw& command) { refuse(withdraw(step_, command)); }
  void operator()(const Transfer& command) { refuse(transfer(step_, command)); }
  void operator()(const FundInsurance& command) { refuse(fund_insurance(step_, command.amount)); }
  void operator()(const PlaceOrder& command) { place(step_, command.account, command.params); }
  void operator()(const PlaceBatch& command) { place_batch(step_, command); }
  void operator()(const AmendOrder& command) { amend(step_, command); }
  void operator()(const CancelOrder& command) { cancel_one(step_, command); }
  void operator()(const CancelAll& command) { cancel_all(step_, command); }
  void operator()(const SetLeverage& command) { refuse(set_leverage(step_, command)); }
  void operator()(const SetMarginMode& command) { refuse(set_margin_mode(step_, command)); }
  void operator()(const AdjustMargin& command) { refuse(adjust_margin(step_, command)); }
  // All prices first, then liquidations, then triggers: a bucket under water must not race its own stops.
  void operator()(const OracleTick& command) {
    refuse(apply_prices(step_, command));
    if (!step_.state.outcome.ok()) return;
    run_liquidations(step_);
    fire_triggers(step_, command);
  }
  void operator()(const SetPriceMode& command) { refuse(set_price_mode(step_, command)); }
  void operator()(const PassTime&) {}
  void operator()(const SampleFunding&) { sample_funding(step_); }
  void operator()(const SettleFunding&) { settle_funding(step_); }
  void operator()(const InjectFunding& command) { refuse(inject_funding(step_, command)); }
  void operator()(const HaltMarket& command) { refuse(halt_market(step_, command)); }
  void operator()(const ResumeMarket& command) { refuse(resume_market(step_, command)); }
  void operator()(const SettleMarket& command) { refuse(settle_market(step_, command)); }

 private:
  void refuse(Reject reject) { step_.state.outcome.reject = reject; }

  Step& step_;
};

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
#ifdef SVC_CHECK_INVARIANTS
  for (const std::string& violation : broken_invariants(step.state)) {
    assert_failed(violation.c_str(), __FILE__, __LINE__);
  }
#endif
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
  std::visit(Dispatch(step), command.body);
  run_liquidations(step);
  end(step);
  return state_->outcome;
}

std::size_t Engine::market_count() const {
  return state_->markets.size();
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

MarketFigures Engine::market(MarketIndex market, TimestampMs now_ms) const {
  return figures_of(state_->market(market), now_ms);
}

std::vector<BookLevel> Engine::book(MarketIndex market, Side side, std::size_t depth) const {
  return levels_of(state_->market(market), side, depth);
}

std::vector<OrderRecord> Engine::resting_orders(MarketIndex market, Side side) const {
  std::vector<OrderRecord> records;
  const OrderBook& book = state_->market(market).book;
  for (Slot slot = book.first(side); slot != no_slot; slot = book.after(slot))
    records.push_back(record_of(*state_, slot));
  return records;
}

AccountFigures Engine::account(const Address& account) const {
  const auto index = state_->find_account(account);
  return index ? figures_of(*state_, state_->account(*index)) : AccountFigures{};
}

std::vector<PositionRow> Engine::positions(const Address& account) const {
  const auto index = state_->find_account(account);
  return index ? position_rows(*state_, state_->account(*index)) : std::vector<PositionRow>{};
}

MarketSettings Engine::settings(const Address& account, MarketIndex market) const {
  const Market& found = state_->market(market);
  const auto index = state_->find_account(account);
  if (!index) return {.leverage = found.ceiling};
  const Holding& holding = state_->holding(*index, market);
  return {.mode = holding.mode,
          .leverage = found.terms(holding).leverage,
          .mode_locked = holding.has_position() || holding.has_orders()};
}

std::optional<OrderRecord> Engine::order(OrderId id) const {
  const Slot slot = state_->orders.find(id);
  if (!id.exists() || slot == no_slot) return std::nullopt;
  return record_of(*state_, slot);
}

std::vector<OrderRecord> Engine::open_orders(const Address& account) const {
  std::vector<OrderRecord> records;
  const auto index = state_->find_account(account);
  if (!index) return records;
  for (const Slot slot : live_orders(*state_, state_->account(*index), std::nullopt, CancelScope::everything)) {
    records.push_back(record_of(*state_, slot));
  }
  return records;
}

std::optional<OrderRecord> Engine::order_by_client_id(const Address& account, const ClientId& id) const {
  const auto index = state_->find_account(account);
  if (!index) return std::nullopt;
  const auto used_by = state_->client_ids.find(*index, id);
  return used_by ? order(*used_by) : std::nullopt;
}

Preview Engine::preview(const PlaceOrder& order, TimestampMs now_ms) const {
  return preview_order(*state_, order, std::max(now_ms, state_->now_ms));
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

std::uint64_t Engine::state_hash() const {
  return hash_of(*state_);
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
