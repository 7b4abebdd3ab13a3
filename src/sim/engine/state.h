// The engine's whole state. Only the engine's own files use it; readers use Engine's queries and events.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "sim/engine/account.h"
#include "sim/engine/client_ids.h"
#include "sim/engine/ids.h"
#include "sim/engine/margin.h"
#include "sim/engine/market.h"
#include "sim/engine/order_store.h"
#include "sim/engine/plan.h"

namespace svc::engine {

// Money that belongs to no account (rules 4.6, 6.4 and 9.9).
struct Ledger {
  Usdx insurance{};
  Usdx fee_treasury{};
  Usdx net_deposits{};
};

// What the buckets that wait depend on besides their own accounts. While nothing of it changes, another turn of theirs
// would do nothing.
struct Standstill {
  // The order that comes first on its side, and how much of it can be taken.
  struct Offer {
    OrderId order{};
    Ticks price{};
    Lots lots{};
    bool operator==(const Offer&) const = default;
  };
  // A market in which one of them holds a position.
  struct Front {
    MarketIndex market{};
    MarketStatus status{};
    Offer bid{};
    Offer ask{};
    // None of them looks at a lower bid or a higher ask.
    Ticks lowest_bid{std::numeric_limits<std::int64_t>::max()};
    Ticks highest_ask{};
  };
  Usdx insurance{};
  std::optional<TimestampMs> cooldown_ends_ms{};  // the first of theirs
  std::vector<Front> fronts{};
};

// The first account belongs to nobody and never owns anything: commands of unknown accounts are checked against it.
inline constexpr AccountIndex stranger{0};

struct State {
  std::vector<Market> markets;
  std::vector<Account> accounts;
  // Accounts are never removed.
  boost::unordered_flat_map<Address, AccountIndex, std::hash<Address>> account_by_address;
  OrderStore orders;
  ClientIds client_ids;
  Expiries expiries;
  std::set<Bucket> waiting;  // under water, and nothing more can be done until a new event (rule 9.4)
  Ledger ledger;

  TimestampMs now_ms = 0;
  Sequence sequence;
  OrderId last_order;
  TradeId last_trade;
  FillId last_fill;
  std::uint64_t last_priority = 0;

  std::uint32_t open_orders_max = 0;  // per account; 0: no limit. Part of the configuration, not of an image

  Outcome outcome;  // of the last command
  // Scratch memory, kept to avoid allocations.
  Plan plan;
  std::vector<std::pair<AccountIndex, MarketIndex>> touched;
  std::vector<AccountIndex> unchecked;   // touched since their health was last checked
  std::optional<Standstill> standstill;  // none: those that wait have to be looked at
  bool partial_attempt_began = false;    // in the present pass of liquidations

  // A new id.
  [[nodiscard]] OrderId next_order_id() {
    last_order.value += 1;
    return last_order;
  }

  [[nodiscard]] Market& market(MarketIndex index) { return markets[index.value]; }
  [[nodiscard]] const Market& market(MarketIndex index) const { return markets[index.value]; }
  [[nodiscard]] Account& account(AccountIndex index) { return accounts[index.value]; }
  [[nodiscard]] const Account& account(AccountIndex index) const { return accounts[index.value]; }
  [[nodiscard]] Holding& holding(AccountIndex account, MarketIndex market) {
    return accounts[account.value].holdings[market.value];
  }
  [[nodiscard]] const Holding& holding(AccountIndex account, MarketIndex market) const {
    return accounts[account.value].holdings[market.value];
  }
  [[nodiscard]] std::optional<AccountIndex> find_account(const Address& address) const {
    return value_in(account_by_address, address);
  }
  // For a command that an account without funds, positions and orders cannot have done: refusing it opens no account.
  [[nodiscard]] AccountIndex known_or_stranger(const Address& address) const {
    return find_account(address).value_or(stranger);
  }
};

// The engine's state as bytes, and back: for snapshots, restarts and the state hash. (D-020)
//
// Whatever can be computed from the rest is left out: slots, books, owners' lists, reservations and valuations are
// rebuilt from the orders in priority order. The format is the order of declaration of the kept members
// (base/archive.h); a change of it needs the next image_version.
inline constexpr std::uint32_t image_version = 3;

// Every value of the state in a fixed order. The set of used client ids, which only grows, is represented by its
// digest. Equal states give equal bytes.
[[nodiscard]] std::string bytes_of(const State& state);

// bytes_of and the client ids, after a head that names version and markets, with a checksum.
[[nodiscard]] std::string image_of(const State& state);

// The state in an image. Its markets must be those of `home`. The error is one sentence.
[[nodiscard]] Result<std::unique_ptr<State>, std::string> state_of(std::string_view image, const State& home);

// What must hold between commands, checked by brute force (docs/trading.md, section 10): a description of every broken
// invariant; empty when all hold.
[[nodiscard]] std::vector<std::string> broken_invariants(const State& state);
// The same of what the last command changed, by its events, and of the sums over all accounts.
[[nodiscard]] std::vector<std::string> broken_invariants(const State& state, std::span<const Event> changes);

}  // namespace svc::engine
