#include "sim/engine/state.h"

#include <algorithm>

#include "base/archive.h"
#include "sim/engine/admission.h"
#include "sim/engine/order_entry.h"
#include "sim/engine/prices.h"

namespace svc::engine {
namespace {

// Whoever adds a member decides here whether an image keeps it (walk, or the type's SVC_KEEPS) or whether it is
// computed from the rest (StateBuilder); otherwise it would be lost by a snapshot and missing from the hash.
// (Structured bindings count the members: one more or less does not compile.)
[[maybe_unused]] void count_members(State& state, Holding& holding, Account& account) {
  [[maybe_unused]] auto& [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20,
                          s21] = state;
  [[maybe_unused]] auto& [h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11] = holding;
  [[maybe_unused]] auto& [a1, a2, a3, a4, a5, a6, a7, a8] = account;
}

constexpr std::string_view magic = "svc engine image";

// Everything but the orders and the client ids.
template <class Archive>
void walk(Archive& archive, State& state) {
  archive(state.now_ms, state.sequence, state.last_order, state.last_trade, state.last_fill, state.last_priority);
  archive(state.ledger);
  for (Market& market : state.markets) archive(static_cast<MarketState&>(market));
  archive(state.accounts, state.waiting, state.expiries);
}

// An order without what depends on its place in memory.
struct KeptOrder {
  Order order{};
  ClientId client_id{};
};

// The state with its client ids in one form or the other.
template <class Ids>
std::string written(const State& state, const Ids& client_ids) {
  ArchiveWriter writer;
  // One description serves both directions; writing changes nothing.
  walk(writer, const_cast<State&>(state));
  const std::vector<Slot> slots = state.orders.by_priority();
  writer(slots.size());
  KeptOrder kept;
  for (const Slot slot : slots) {
    kept.order = state.orders[slot];
    kept.client_id = state.orders.client_id(kept.order);
    kept.order.client_id = 0;
    writer(kept);
  }
  writer(client_ids);
  return writer.take();
}

// Identifies a venue by its listed markets.
std::uint64_t listing_digest(const State& state) {
  ArchiveWriter writer;
  for (const Market& market : state.markets) writer(market.spec);
  return digest_of(writer.bytes());
}

struct Head {
  std::string magic{};
  std::uint32_t version = 0;
  std::uint64_t listing = 0;
  std::uint64_t checksum = 0;  // of the body
  std::string body{};
};

std::unique_ptr<State> empty_like(const State& home) {
  auto state = std::make_unique<State>();
  state->open_orders_max = home.open_orders_max;
  state->markets.reserve(home.markets.size());
  for (const Market& market : home.markets) state->markets.emplace_back(market.index, market.spec);
  return state;
}

// Numbers with room for later additions. The invariants check the sums.
class RoomyNumbers : public PartsCheck {
 public:
  using PartsCheck::operator();
  void operator()(Usdx amount) { expect_within(amount.value, std::int64_t{1} << 61); }
  void operator()(Lots lots) { expect_within(lots.value, std::int64_t{1} << 53); }
  void operator()(i128 sum) { expect_within(sum, i128{1} << 120); }
};

// Builds a state from an image. A body with a valid checksum was written by this program; its numbers are checked
// all the same, because they become indexes.
class StateBuilder {
 public:
  explicit StateBuilder(State& state) : state_(state) {}

  [[nodiscard]] bool run(ArchiveReader& reader) {
    walk(reader, state_);
    if (reader.failed() || !counters_fit() || !markets_fit() || !accounts_fit()) return false;
    for (std::uint32_t i = 1; i < state_.accounts.size(); ++i) {
      if (!state_.account_by_address.emplace(state_.accounts[i].address, AccountIndex{i}).second) return false;
    }
    for (Market& market : state_.markets) {
      market.set_mark(market.mark);
      for (std::uint32_t i = 0; i < state_.accounts.size(); ++i) {
        Holding& holding = state_.holding({i}, market.index);
        if (holding.has_position()) market.holders.add({i});
        revalue(market, holding);
      }
    }
    if (!read_orders(reader) || !expiries_fit()) return false;
    reader(state_.client_ids);
    return reader.done();
  }

 private:
  [[nodiscard]] static bool within(std::int64_t value, std::int64_t most) { return value >= -most && value <= most; }
  [[nodiscard]] static bool is_price(const Market& market, Ticks price) {
    return price >= Ticks{} && price <= market.spec.price_max;
  }

  [[nodiscard]] bool counters_fit() const {
    return are_sound<RoomyNumbers>(state_.now_ms, state_.sequence, state_.last_order, state_.last_trade,
                                   state_.last_fill, state_.last_priority, state_.ledger);
  }

  [[nodiscard]] bool markets_fit() const {
    return std::ranges::all_of(state_.markets, [](const Market& market) {
      for (const Ticks price : {market.mark, market.index_price, market.last, market.last_ordinary})
        if (!is_price(market, price)) return false;
      constexpr std::int64_t samples_max = 1'000'000'000;
      return market.operator_reason.size() <= limits::halt_reason_chars_max &&
             are_sound<RoomyNumbers>(market.halted_ms, market.oracle_ms, market.book_nonce, market.trade_count,
                                     market.adl_events, market.open_interest) &&
             within(market.basis, market.spec.price_max.value * market.tick_unit) &&
             within(market.premium_sum, premium_sum_max) && market.premium_samples >= 0 &&
             market.premium_samples <= samples_max && market.volume >= 0;
    });
  }

  [[nodiscard]] bool accounts_fit() const {
    if (state_.accounts.empty()) return false;
    for (const Account& account : state_.accounts) {
      if (account.holdings.size() != state_.markets.size() || !are_sound<RoomyNumbers>(account)) return false;
      for (const Market& market : state_.markets) {
        const Holding& holding = account.holdings[market.index.value];
        const Position& position = holding.position;
        if (holding.leverage < 0 || holding.leverage > market.ceiling) return false;
        // A quote may be below zero: the zero price of a deleveraged position may be.
        if (position.entry_lots < 0 || position.exit_lots < 0 || market.notional(position) > (i128{1} << 62))
          return false;
      }
    }
    for (const Bucket& bucket : state_.waiting) {
      if (bucket.account.value >= state_.accounts.size()) return false;
      if (bucket.isolated && bucket.isolated->value >= state_.markets.size()) return false;
    }
    return true;
  }

  [[nodiscard]] bool read_orders(ArchiveReader& reader) {
    std::uint64_t count = 0;
    reader(count);
    std::uint64_t priority = 0;
    for (; count > 0 && !reader.failed(); --count) {
      KeptOrder kept;
      reader(kept);
      if (reader.failed() || !order_fits(kept.order) || kept.order.priority <= priority) return false;
      priority = kept.order.priority;
      store_order(state_, kept.order, kept.client_id);
    }
    return !reader.failed();
  }

  [[nodiscard]] bool order_fits(const Order& order) const {
    if (order.account == stranger || order.account.value >= state_.accounts.size()) return false;
    if (order.market.value >= state_.markets.size()) return false;
    if (!order.id.exists() || order.id > state_.last_order || state_.orders.find(order.id) != no_slot) return false;
    if (order.priority > state_.last_priority) return false;
    const Market& market = state_.market(order.market);
    const auto is_size = [&](std::int32_t lots) { return lots >= 0 && lots <= market.spec.max_order_size.value; };
    if (order.filled < 0 || order.quantity <= order.filled || !is_size(order.quantity) || !is_size(order.requested))
      return false;
    const auto is_given = [](std::int32_t bps, std::int32_t most) { return bps >= 0 && bps <= most; };
    if (order.max_slippage_bps != -1 && !is_given(order.max_slippage_bps, limits::bps_max)) return false;
    if (is_trailing(order.type) && !is_given(order.trailing_offset_bps, limits::bps_max)) return false;
    if (order.type == OrderType::trailing_limit && !is_given(order.limit_offset_bps, limits::basis_points - 1))
      return false;
    if (!are_sound<RoomyNumbers>(order.created_ms, order.updated_ms, order.triggered_ms, order.replaces)) return false;
    if (order.waiting && order.triggered_ms != 0) return false;
    for (const std::int32_t price : {order.price, order.trigger, order.anchor})
      if (!is_price(market, {price})) return false;
    // A crossed book cannot be walked.
    if (!order.waiting)
      return order.price >= 1 && may_rest(order) && !market.book.crosses(order.side, Ticks{order.price});
    if (!is_conditional(order.type) || (needs_price(order.type) && order.price < 1)) return false;
    return is_trailing(order.type) ? order.anchor >= 1 : order.trigger >= 1;
  }

  [[nodiscard]] bool expiries_fit() const {
    std::size_t expiring = 0;
    for (const Slot slot : state_.orders.by_priority()) {
      if (state_.orders[slot].expires) ++expiring;
    }
    for (const auto& [at_ms, id] : state_.expiries.entries()) {
      const Slot slot = state_.orders.find(id);
      if (slot == no_slot || !state_.orders[slot].expires || state_.expiries.of(id) != at_ms) return false;
    }
    return expiring == state_.expiries.entries().size();
  }

  State& state_;
};

}  // namespace

std::string bytes_of(const State& state) {
  return written(state, state.client_ids.digest());
}

std::string image_of(const State& state) {
  Head head{.magic = std::string(magic),
            .version = image_version,
            .listing = listing_digest(state),
            .body = written(state, state.client_ids)};
  head.checksum = digest_of(head.body);
  return to_archive(head);
}

Result<std::unique_ptr<State>, std::string> state_of(std::string_view image, const State& home) {
  const auto refuse = [](std::string why) { return unexpected(std::move(why)); };
  // The version comes before anything that depends on it.
  ArchiveReader reader(image);
  Head head;
  reader(head.magic, head.version);
  if (reader.failed() || head.magic != magic) return refuse("this is not an image of an engine");
  if (head.version != image_version)
    return refuse("the image has version " + std::to_string(head.version) + ", this program reads version " +
                  std::to_string(image_version));
  reader(head.listing, head.checksum, head.body);
  if (!reader.done() || digest_of(head.body) != head.checksum) return refuse("the image is damaged");
  if (head.listing != listing_digest(home))
    return refuse(
        "the image is of a venue with other markets, or with another --flow: without one no price goes stale");

  auto state = empty_like(home);
  ArchiveReader body(head.body);
  if (!StateBuilder(*state).run(body)) return refuse("the image does not make a state");
  const std::vector<std::string> violations = broken_invariants(*state);
  if (!violations.empty()) return refuse("the image breaks an invariant: " + violations.front());
  return state;
}

}  // namespace svc::engine
