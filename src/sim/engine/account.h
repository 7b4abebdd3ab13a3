// An account: its cross balance and what it holds in each market.
#pragma once

#include <vector>

#include "base/address.h"
#include "base/fixed.h"
#include "sim/engine/open_side.h"
#include "sim/engine/position.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// One account in one market.
struct Holding {
  Position position;
  MarginMode mode = MarginMode::cross;
  std::int64_t leverage = 0;  // as set; 0 = never set, the market's ceiling holds
  OpenSide buys{Side::buy};
  OpenSide sells{Side::sell};
  std::vector<Slot> waiting;  // untriggered conditionals, in acceptance order
  Usdx order_margin_told{};   // as of the last OrderMarginChanged

  // Of a liquidation (rule 9.3): a first, partial attempt was made, and the next waits until then.
  bool partially_liquidated = false;
  TimestampMs cooldown_until_ms = 0;

  [[nodiscard]] OpenSide& open(Side side) { return side == Side::buy ? buys : sells; }
  [[nodiscard]] const OpenSide& open(Side side) const { return side == Side::buy ? buys : sells; }
  [[nodiscard]] bool has_position() const { return position.size != Lots{}; }
  [[nodiscard]] bool has_orders() const { return !buys.empty() || !sells.empty() || !waiting.empty(); }
};

struct Account {
  Address address{};
  Usdx balance{};                 // cross
  std::vector<Holding> holdings;  // by market

  // What came from outside trading: with realized PnL, funding and fees it makes up the account (rule 6.2).
  Usdx funded{};     // deposits minus withdrawals, and transfers
  Usdx supported{};  // from the insurance fund, minus settlement haircuts
};

}  // namespace svc::engine
