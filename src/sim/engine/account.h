// An account: its cross balance and what it holds in each market.
#pragma once

#include <bit>
#include <vector>

#include "base/address.h"
#include "base/archive.h"
#include "base/assert.h"
#include "sim/engine/ids.h"
#include "sim/engine/open_side.h"
#include "sim/engine/position.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// One account in one market.
struct Holding {
  // What orders read most comes first, so that it shares cache lines with the size of the position.
  MarginMode mode = MarginMode::cross;
  bool touched = false;          // during this step
  std::int64_t leverage = 0;     // as set; 0 = never set, the market's ceiling applies
  Usdx order_margin_reported{};  // as of the last OrderMarginChanged
  Valuation valuation;           // changes with the position, the mark and the leverage
  Position position;
  OpenSide buys{Side::buy};
  OpenSide sells{Side::sell};
  std::vector<Slot> waiting;  // untriggered conditionals, in acceptance order

  // For liquidation (rule 9.3): a first, partial attempt was made, and the next one waits until the cool-down ends.
  bool partially_liquidated = false;
  TimestampMs cooldown_until_ms = 0;

  [[nodiscard]] OpenSide& open(Side side) { return side == Side::buy ? buys : sells; }
  [[nodiscard]] const OpenSide& open(Side side) const { return side == Side::buy ? buys : sells; }
  [[nodiscard]] bool has_position() const { return position.size != Lots{}; }
  [[nodiscard]] bool has_orders() const { return !buys.empty() || !sells.empty() || !waiting.empty(); }
  [[nodiscard]] std::size_t open_orders() const {
    return buys.entries().size() + sells.entries().size() + waiting.size();
  }

  // Everything else follows from these, the orders and the mark.
  SVC_KEEPS(position, mode, leverage, order_margin_reported, partially_liquidated, cooldown_until_ms);
};

struct Account {
  Address address{};
  Usdx balance{};                 // cross
  std::vector<Holding> holdings;  // by market
  bool unchecked = false;         // touched, and its health not checked since
  // Whether any bucket is under water; reset by a change of money, position or mark, computed when next needed.
  mutable std::optional<bool> in_liquidation{};
  mutable std::uint32_t shadow = 0;  // its place among the shadows of the plan that looked at it last

  // What came from outside trading; with realized PnL, funding and fees it makes up the account (rule 6.2).
  i128 funded = 0;     // 1e-6 USDX: deposits minus withdrawals, and transfers
  i128 supported = 0;  // the same from the insurance fund, minus settlement haircuts

  SVC_KEEPS(address, balance, holdings, funded, supported);
};

// Accounts in ascending order, a bit for each: adding and removing cost the same for any number of accounts, and a walk
// looks at 64 of them at once.
class AccountSet {
 public:
  void add(AccountIndex account) {
    const std::size_t word = account.value / word_bits;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= bit_of(account);
  }
  void remove(AccountIndex account) {
    SVC_ASSERT(contains(account));
    words_[account.value / word_bits] &= ~bit_of(account);
  }
  [[nodiscard]] bool contains(AccountIndex account) const {
    const std::size_t word = account.value / word_bits;
    return word < words_.size() && (words_[word] & bit_of(account)) != 0;
  }

  // f(AccountIndex) for each; f may remove the account that it is given.
  template <class F>
  void each(F&& f) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
        f(AccountIndex{static_cast<std::uint32_t>(word * word_bits + static_cast<unsigned>(std::countr_zero(left)))});
    }
  }

 private:
  static constexpr std::size_t word_bits = 64;
  [[nodiscard]] static std::uint64_t bit_of(AccountIndex account) {
    return std::uint64_t{1} << (account.value % word_bits);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace svc::engine
