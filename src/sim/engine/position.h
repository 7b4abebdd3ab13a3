// A position: signed size and signed cost basis (rule 6.1), and its history.
//
// The average entry is |cost| / |size| for display only; arithmetic never uses it. When a position is flat its
// cost and its isolated margin are zero.
#pragma once

#include "base/archive.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/terms.h"

namespace svc::engine {

// The inputs of margin.
struct Exposure {
  Lots size{};      // long positive
  Usdx cost{};      // long positive
  Usdx isolated{};  // margin set aside; 0 in cross mode
};

// A position at mark (rules 5.2 and 5.4).
struct Valuation {
  i128 unrealized = 0;
  i128 initial = 0;
  i128 maintenance = 0;
};

[[nodiscard]] constexpr Lots magnitude(Lots size) {
  return size < Lots{} ? -size : size;
}
[[nodiscard]] constexpr Side side_of(Lots size) {
  return size < Lots{} ? Side::sell : Side::buy;
}

// True if an order of this side would reduce the position.
[[nodiscard]] constexpr bool opposes(Side side, Lots size) {
  return side == Side::buy ? size < Lots{} : size > Lots{};
}
// How much of a position orders of this side can close.
[[nodiscard]] constexpr Lots reducible(Side side, Lots size) {
  return opposes(side, size) ? magnitude(size) : Lots{};
}
// Opposite side and no larger than the position, which can only shrink (rule 5.5).
[[nodiscard]] constexpr bool strictly_reduces(Side side, Lots lots, Lots size) {
  return opposes(side, size) && lots <= magnitude(size);
}

// Margin mode and leverage of an account in a market; a leverage that was never set is the ceiling.
struct MarginTerms {
  MarginMode mode = MarginMode::cross;
  std::int64_t leverage = 1;
};

enum class Settlement : std::uint8_t {
  voluntary,  // a trade or the counterparty of a deleveraging: closing part of an isolated position pays out
  forced,     // the liquidated side: nothing is paid out while the position stays open (rule 5.6)
};

// One account's side of a trade or of a deleveraging.
struct Leg {
  Side side = Side::buy;
  Lots lots{};
  Usdx quote{};  // of all lots; a multiple of lots if the leg flips the position
  Usdx fee{};
  Settlement settlement = Settlement::voluntary;
};

struct LegEffect {
  Lots closed{};
  Lots opened{};
  Usdx closed_quote{};
  Usdx opened_quote{};
  Usdx closing_fee{};
  Usdx realized{};               // gross of fees
  Usdx balance{};                // what the cross balance gains
  bool ended = false;            // the position reached flat or flipped
  bool negative_payout = false;  // an isolated position was closed in full and owed money (rule 5.5)
};

// A leg, its effect, and the resulting exposure.
struct Booking {
  Leg leg{};
  LegEffect effect{};
  Exposure after{};
  Valuation at_mark{};  // of the exposure
};

// Books the leg on the exposure and records the effect; the caller adds effect.balance to the cross balance.
void book_leg(Exposure& exposure, const Leg& leg, const MarginTerms& terms, const MarginSchedule& schedule,
              LegEffect& effect);

// Running totals, 1e-6 USDX: turnover has no bound. Fees paid are positive, funding received is positive.
struct Totals {
  i128 realized = 0;
  i128 fees = 0;
  i128 funding = 0;
};

struct Position : Exposure {
  Totals life{};     // of the account in this market
  Totals episode{};  // since the position opened
  Lots peak{};       // largest |size| since it opened
  TimestampMs opened_ms = 0;
  i128 entry_quote = 0;  // 1e-6 USDX: what opened it, and its lots
  i128 entry_lots = 0;
  i128 exit_quote = 0;
  i128 exit_lots = 0;

  SVC_KEEPS(size, cost, isolated, life, episode, peak, entry_quote, entry_lots, exit_quote, exit_lots, opened_ms);
};
static_assert(sizeof(Position) == 13 * sizeof(i128), "a new member belongs into SVC_KEEPS as well");

}  // namespace svc::engine
