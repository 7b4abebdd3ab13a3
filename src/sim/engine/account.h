// An account: its cross balance and what it holds in each market.
#pragma once

#include <optional>
#include <vector>

#include "base/address.h"
#include "base/fixed.h"
#include "sim/engine/open_side.h"
#include "sim/engine/position.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// A position at mark (rules 5.2 and 5.4).
struct Valuation {
  i128 unrealized = 0;
  i128 initial = 0;
  i128 maintenance = 0;
};

// One account in one market.
struct Holding {
  Position position;
  MarginMode mode = MarginMode::cross;
  std::int64_t leverage = 0;  // as set; 0 = never set, the market's ceiling holds
  OpenSide buys{Side::buy};
  OpenSide sells{Side::sell};
  std::vector<Slot> waiting;  // untriggered conditionals, in acceptance order
  Valuation valuation;        // kept by revalue(): changes with the position, the mark and the leverage
  Usdx order_margin_told{};   // as of the last OrderMarginChanged
  bool touched = false;       // in this step

  // Of a liquidation (rule 9.3): a first, partial attempt was made, and the next waits until then.
  bool partially_liquidated = false;
  TimestampMs cooldown_until_ms = 0;

  [[nodiscard]] OpenSide& open(Side side) { return side == Side::buy ? buys : sells; }
  [[nodiscard]] const OpenSide& open(Side side) const { return side == Side::buy ? buys : sells; }
  [[nodiscard]] bool has_position() const { return position.size != Lots{}; }
  [[nodiscard]] bool has_orders() const { return !buys.empty() || !sells.empty() || !waiting.empty(); }
  [[nodiscard]] std::size_t open_orders() const {
    return buys.entries().size() + sells.entries().size() + waiting.size();
  }

  // The rest follows from these, the orders and the mark.
  template <class Archive>
  void archive(Archive& archive) {
    archive(position, mode, leverage, order_margin_told, partially_liquidated, cooldown_until_ms);
  }
};

struct Account {
  Address address{};
  Usdx balance{};                 // cross
  std::vector<Holding> holdings;  // by market
  bool unchecked = false;         // touched, and its health not looked at since
  // Whether a bucket is under water; found out when it is asked for after money, a position or a mark has changed.
  mutable std::optional<bool> in_liquidation{};

  // What came from outside trading: with realized PnL, funding and fees it makes up the account (rule 6.2).
  Usdx funded{};     // deposits minus withdrawals, and transfers
  Usdx supported{};  // from the insurance fund, minus settlement haircuts

  template <class Archive>
  void archive(Archive& archive) {
    archive(address, balance, holdings, funded, supported);
  }
};

}  // namespace svc::engine
