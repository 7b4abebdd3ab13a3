// Why the engine refuses a command. The order of the enumerators is the order of precedence: of several
// failing checks, the one that stands first here is reported (rule 3.16).
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::engine {

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
  funds_limit_exceeded,  // the venue holds all the money that its arithmetic allows
  market_not_halted,
  insufficient_recapitalization,
  invalid_batch_size,
  duplicate_market,  // an oracle tick that names one market twice

  // Of an order that would rest, after all the others: numbers are kept, so it stands at the end. (D-660)
  too_many_open_orders,
};

// Spelling on the wire: "InsufficientMargin".
[[nodiscard]] std::string_view to_string(Reject reject);

}  // namespace svc::engine
