#include "sim/engine/state_hash.h"

#include "sim/engine/digest.h"

namespace svc::engine {
namespace {

void add(Digest& digest, const Totals& totals) {
  digest.add(totals.realized);
  digest.add(totals.fees);
  digest.add(totals.funding);
}

void add(Digest& digest, const Position& position) {
  digest.add(position.size);
  digest.add(position.cost);
  digest.add(position.isolated);
  add(digest, position.life);
  add(digest, position.episode);
  digest.add(position.peak);
  digest.add(position.entry_quote);
  digest.add(position.entry_lots);
  digest.add(position.exit_quote);
  digest.add(position.exit_lots);
  digest.add(position.opened_ms);
}

// Slots are where an order happens to be stored; they do not count.
void add(Digest& digest, const State& state, Slot slot) {
  const Order& order = state.orders[slot];
  digest.add(order.id.value);
  digest.add(order.replaces.value);
  digest.add(order.priority);
  digest.add(order.created_ms);
  digest.add(order.updated_ms);
  digest.add(order.price);
  digest.add(order.trigger);
  digest.add(order.anchor);
  digest.add(order.requested);
  digest.add(order.quantity);
  digest.add(order.filled);
  digest.add(order.trailing_offset_bps);
  digest.add(order.limit_offset_bps);
  digest.add(order.max_slippage_bps);
  digest.add(state.orders.client_id(order).text());
  digest.add(order.account.value);
  digest.add(order.side);
  digest.add(order.type);
  digest.add(order.time_in_force);
  digest.add(order.stp);
  digest.add(order.reduce_only);
  digest.add(order.waiting);
}

void add(Digest& digest, const State& state, const Market& market) {
  digest.add(market.spec.id);
  digest.add(market.status);
  digest.add(market.halt_reason);
  digest.add(market.operator_reason);
  digest.add(market.halted_ms);
  digest.add(market.book_nonce);
  digest.add(market.price_mode);
  digest.add(market.index_price);
  digest.add(market.mark);
  digest.add(market.oracle_ms);
  digest.add(market.basis);
  digest.add(market.last);
  digest.add(market.last_ordinary);
  digest.add(market.premium_sum);
  digest.add(market.premium_samples);
  digest.add(market.open_interest);
  digest.add(market.trade_count);
  digest.add(market.volume);
  digest.add(market.adl_events);
  for (const Side side : {Side::buy, Side::sell}) {
    for (Slot slot = market.book.first(side); slot != no_slot; slot = market.book.after(slot)) {
      add(digest, state, slot);
    }
    digest.add(side);
  }
}

void add(Digest& digest, const State& state, const Account& account) {
  for (const std::uint8_t byte : account.address.bytes) digest.add(byte);
  digest.add(account.balance);
  digest.add(account.funded);
  digest.add(account.supported);
  for (const Holding& holding : account.holdings) {
    add(digest, holding.position);
    digest.add(holding.mode);
    digest.add(holding.leverage);
    digest.add(holding.order_margin_told);
    digest.add(holding.partially_liquidated);
    digest.add(holding.cooldown_until_ms);
    digest.add(holding.waiting.size());
    for (const Slot slot : holding.waiting) add(digest, state, slot);
  }
}

}  // namespace

std::uint64_t hash_of(const State& state) {
  Digest digest;
  digest.add(state.now_ms);
  digest.add(state.sequence.value);
  digest.add(state.last_order.value);
  digest.add(state.last_trade.value);
  digest.add(state.last_fill.value);
  digest.add(state.last_priority);
  digest.add(state.ledger.insurance);
  digest.add(state.ledger.fee_treasury);
  digest.add(state.ledger.net_deposits);
  digest.add(state.client_ids.digest());
  for (const Market& market : state.markets) add(digest, state, market);
  for (const Account& account : state.accounts) add(digest, state, account);
  for (const Bucket& bucket : state.waiting) {
    digest.add(bucket.account.value);
    digest.add(bucket.isolated ? bucket.isolated->value + 1 : 0);
  }
  for (const auto& [at_ms, id] : state.expiries) {
    digest.add(at_ms);
    digest.add(id.value);
  }
  return digest.value();
}

}  // namespace svc::engine
