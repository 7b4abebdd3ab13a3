// Everything the engine knows. Only its own files look in here; readers use Engine's queries and events.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "sim/engine/account.h"
#include "sim/engine/account_map.h"
#include "sim/engine/bucket.h"
#include "sim/engine/client_ids.h"
#include "sim/engine/expiries.h"
#include "sim/engine/ids.h"
#include "sim/engine/market.h"
#include "sim/engine/order_store.h"
#include "sim/engine/outcome.h"
#include "sim/engine/plan.h"

namespace svc::engine {

// Money that belongs to no account (rules 4.6, 6.4 and 9.9).
struct Ledger {
  Usdx insurance{};
  Usdx fee_treasury{};
  Usdx net_deposits{};
};

// The first account belongs to nobody and never owns anything: what a stranger's order is previewed against.
inline constexpr AccountIndex stranger{0};

struct State {
  std::vector<Market> markets;
  std::vector<Account> accounts;
  AccountMap account_by_address;
  OrderStore orders;
  ClientIds client_ids;
  Expiries expiries;
  std::set<Bucket> waiting;  // under water, and nothing more can be done until something happens (rule 9.4)
  Ledger ledger;

  TimestampMs now_ms = 0;
  Sequence sequence;
  OrderId last_order;
  TradeId last_trade;
  FillId last_fill;
  std::uint64_t last_priority = 0;

  std::uint32_t open_orders_max = 0;  // of one account; 0: any number. Part of the configuration, not of an image

  Outcome outcome;  // of the last command
  // Scratch, kept so that the next command need not allocate it.
  Plan plan;
  std::vector<std::pair<AccountIndex, MarketIndex>> touched;
  std::vector<AccountIndex> unchecked;

  // Never given out before.
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
    const AccountIndex found = account_by_address.find(address);
    return found == AccountMap::unknown ? std::nullopt : std::optional(found);
  }
};

}  // namespace svc::engine
