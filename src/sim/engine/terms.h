// Trading terms used only by the engine; trade/words.h has the shared ones. Rule numbers refer to docs/trading.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "trade/words.h"

namespace svc::engine {

using namespace trade;  // the engine speaks its words

// How the mark price is formed (rule 7.4).
enum class PriceMode : std::uint8_t { median, index_only, manual };

// Why money moved in or out; every kind counts in the ledger identity (rule 6.4).
enum class FundsKind : std::uint8_t {
  deposit,
  faucet,
  credit,
  bridge_deposit,
  operator_grant,
  withdrawal,
  bridge_withdrawal,
  withdrawal_reversal,
};

// Why the engine refuses a command. The order of the enumerators is the order of precedence: of several failing
// checks, the first in this list is reported (rule 3.16).
enum class Reject : std::uint8_t {
  none,
  unknown_market,
  order_not_found,
  invalid_amend,
  market_halted,
  oracle_stale,
  invalid_lot_size,
  invalid_quantity,
  invalid_tick_size,
  invalid_price,
  invalid_trigger_price,  // also a bad trailing offset
  invalid_time_in_force,
  min_notional,
  client_id_taken,
  account_in_liquidation,
  reduce_only_would_increase,
  price_band_exceeded,
  would_take_liquidity,
  insufficient_liquidity,
  open_interest_cap_exceeded,
  insufficient_margin,

  // Commands other than orders
  invalid_amount,
  invalid_leverage,
  margin_mode_locked,
  margin_mode_not_isolated,
  no_open_position,
  insufficient_balance,
  account_not_flat,      // a transfer whose source has a position, an order or a reservation
  funds_limit_exceeded,  // the venue already holds as much money as its arithmetic allows
  market_not_halted,
  insufficient_recapitalization,
  invalid_batch_size,
  duplicate_market,  // an oracle tick that names one market twice

  // For an order that would rest, checked after all others. It is at the end because the existing numbers are kept.
  // (D-660)
  too_many_open_orders,
};

// Spellings on the wire.
inline constexpr auto reject_texts = capital_names<Reject, Reject::too_many_open_orders>;
[[nodiscard]] constexpr std::string_view to_string(Reject reject) {
  return reject_texts[static_cast<std::size_t>(reject)];
}

}  // namespace svc::engine
