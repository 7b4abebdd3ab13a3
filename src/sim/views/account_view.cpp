#include "sim/views/account_view.h"

namespace svc::sim {

void AccountView::fold(const Stamp&, const engine::OrderChanged& event) {
  const engine::OrderRecord& order = event.order;
  if (is_live(order.status)) {
    open_orders_.insert_or_assign(order.id, order);
    return;
  }
  open_orders_.erase(order.id);
  if (const auto forgotten = ended_orders_.add(order)) ended_by_id_.erase(forgotten->id.value);
  ended_by_id_[order.id.value] = ended_orders_.newest_number();
}

void AccountView::fold(const Stamp& stamp, const engine::Fill& event) {
  fills_.add({event, stamp.at_ms});
  AccountDay& minute = day_.at(stamp.at_ms);
  minute.volume += event.quote.value;
  minute.realized_pnl += event.realized_pnl.value;
  month_.at(stamp.at_ms).quote += event.quote.value;
  last_fill_ms_ = stamp.at_ms;
  portfolio_.fold(event);
  Activity row{.cause = ActivityCause::fill,
               .market = event.market,
               .amount = event.realized_pnl,
               .reference = {Reference::Kind::fill, event.id.value},
               .at_ms = stamp.at_ms};
  add_activity(row);
  const auto add_fee = [&](ActivityCause cause, Usdx fee) {
    if (fee == Usdx{}) return;
    row.cause = cause;
    row.amount = -fee;
    add_activity(row);
  };
  add_fee(ActivityCause::fee, event.fee);
  add_fee(ActivityCause::liquidation_fee, event.liquidation_fee);
}

void AccountView::fold(const Stamp& stamp, const engine::FundingPaid& event) {
  funding_.add({event, stamp.at_ms});
  add_activity({.cause = ActivityCause::funding, .market = event.market, .amount = event.amount, .at_ms = stamp.at_ms});
}

void AccountView::fold(const Stamp& stamp, const engine::PositionChanged& event) {
  const Usdx realized = portfolio_.fold(event);
  const bool settled = event.cause == engine::PositionCause::settlement;
  // The profit realized by a trade is in its fill.
  if (!settled && event.cause != engine::PositionCause::adl) return;
  day_.at(stamp.at_ms).realized_pnl += realized.value;
  // A deleveraging's activity is added with its own event.
  if (!settled) return;
  add_activity({.cause = ActivityCause::settlement, .market = event.market, .amount = realized, .at_ms = stamp.at_ms});
}

void AccountView::fold(const Stamp& stamp, const engine::InsuranceChanged& event) {
  Activity row{.market = event.market, .amount = -event.delta, .at_ms = stamp.at_ms};
  switch (event.cause) {
    case engine::FundCause::shortfall:
      row.cause = ActivityCause::insurance;
      row.reference = {Reference::Kind::fill, fills_.rows().back().fill.id.value};
      break;
    case engine::FundCause::settlement_deficit: row.cause = ActivityCause::insurance; break;
    case engine::FundCause::settlement_haircut: row.cause = ActivityCause::settlement; break;
    // The liquidation fee is in the fill it was taken from, bad debt in the deleveraging that follows.
    default: return;
  }
  add_activity(row);
}

void AccountView::add_funds(FundsRow row) {
  funds_.add(row);
  Activity moved{.cause = cause_of(row.kind), .amount = row.amount, .at_ms = row.at_ms};
  if (!is_outflow(row.kind)) {
    moved.reference = {Reference::Kind::funds, row.id};
  } else {
    moved.amount = -row.amount;
    const bool bridge = row.kind == engine::FundsKind::bridge_withdrawal;
    if (row.record != 0)
      moved.reference = {bridge ? Reference::Kind::bridge_withdrawal : Reference::Kind::withdrawal, row.record};
  }
  add_activity(moved);
}

void PortfolioSampler::touch(AccountView& account) {
  wait(account, 0);
  if (account.is_holder_ || !account.portfolio_.holds_position()) return;
  account.is_holder_ = true;
  holders_.push_back(&account);
}

void PortfolioSampler::wait(AccountView& account, std::size_t cadence) {
  const auto bit = static_cast<std::uint8_t>(1U << cadence);
  if ((account.waits_ & bit) != 0) return;
  account.waits_ |= bit;
  waiting_[cadence].push_back(&account);
}

void PortfolioSampler::wait_for_holders() {
  std::erase_if(holders_, [this](AccountView* account) {
    account->is_holder_ = account->portfolio_.holds_position();
    if (account->is_holder_) wait(*account, 0);
    return !account->is_holder_;
  });
}

// An instant of a longer cadence is one of every shorter cadence, so waiting accounts move up the list.
void PortfolioSampler::pass(TimestampMs from_ms, TimestampMs until_ms, const LotValues& lot_values) {
  const auto number_at = [&](std::size_t i) { return first_sample_from(from_ms, static_cast<Cadence>(i)); };
  std::size_t due = 0;
  while (due < cadences.size() && number_at(due) * cadences[due].period_ms < until_ms) ++due;
  if (due == 0) return;
  if (std::exchange(marks_moved_, false)) wait_for_holders();
  const auto due_bits = static_cast<std::uint8_t>((1U << due) - 1);
  for (std::size_t i = 0; i < due; ++i) {
    for (AccountView* account : waiting_[i]) {
      if ((account->waits_ & due_bits) == 0) continue;  // it waited at a shorter cadence too
      const PortfolioFigures figures = account->portfolio_.figures(lot_values);
      for (std::size_t k = i; k < due; ++k) account->portfolio_.sample(static_cast<Cadence>(k), number_at(k), figures);
      account->waits_ &= static_cast<std::uint8_t>(~due_bits);
      if (due < cadences.size()) wait(*account, due);
    }
    waiting_[i].clear();
  }
}

void PortfolioSampler::rebuild(std::map<Address, AccountView>& accounts) {
  holders_.clear();
  for (auto& waiting : waiting_) waiting.clear();
  for (auto& [address, account] : accounts) {
    account.is_holder_ = account.portfolio_.holds_position();
    if (account.is_holder_) holders_.push_back(&account);
    for (std::size_t i = 0; i < cadences.size(); ++i)
      if ((account.waits_ >> i & 1) != 0) waiting_[i].push_back(&account);
  }
}

}  // namespace svc::sim
