// The words of trading: closed sets of values that orders, positions and markets are described with.
// Rule numbers refer to docs/trading.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::engine {

enum class Side : std::uint8_t { buy, sell };
[[nodiscard]] constexpr Side opposite(Side side) {
  return side == Side::buy ? Side::sell : Side::buy;
}
// +1 for a buy, -1 for a sell.
[[nodiscard]] constexpr std::int64_t sign(Side side) {
  return side == Side::buy ? 1 : -1;
}

enum class OrderType : std::uint8_t {
  limit,
  market,
  stop_limit,
  stop_market,
  take_profit_limit,
  take_profit_market,
  trailing_stop,
  trailing_limit,
};

// What the type becomes once it is on its way to the book.
[[nodiscard]] constexpr bool is_market_family(OrderType type) {
  return type == OrderType::market || type == OrderType::stop_market || type == OrderType::take_profit_market ||
         type == OrderType::trailing_stop;
}
[[nodiscard]] constexpr bool is_stop(OrderType type) {
  return type == OrderType::stop_limit || type == OrderType::stop_market;
}
[[nodiscard]] constexpr bool is_take_profit(OrderType type) {
  return type == OrderType::take_profit_limit || type == OrderType::take_profit_market;
}
[[nodiscard]] constexpr bool is_trailing(OrderType type) {
  return type == OrderType::trailing_stop || type == OrderType::trailing_limit;
}
// Waits for the mark price before it does anything.
[[nodiscard]] constexpr bool is_conditional(OrderType type) {
  return is_stop(type) || is_take_profit(type) || is_trailing(type);
}
// Needs a limit price from the trader (TrailingLimit computes its own).
[[nodiscard]] constexpr bool needs_price(OrderType type) {
  return type == OrderType::limit || type == OrderType::stop_limit || type == OrderType::take_profit_limit;
}

enum class TimeInForce : std::uint8_t { gtc, ioc, fok, post_only };

// Self-trade prevention asked for by an order; `none` lets the account trade with itself.
enum class StpMode : std::uint8_t { none, cancel_newest, cancel_oldest, decrement_and_cancel };

enum class OrderStatus : std::uint8_t {
  untriggered,  // accepted, waits for the mark price, not on the book (the wire says Open)
  open,
  partially_filled,
  filled,
  cancelled,
  expired,
  rejected,
};
[[nodiscard]] constexpr bool is_live(OrderStatus status) {
  return status == OrderStatus::untriggered || status == OrderStatus::open || status == OrderStatus::partially_filled;
}

enum class CancelReason : std::uint8_t {
  none,
  user,
  slippage_cap,
  liquidation,
  expired,  // also the unfilled rest of IOC, FOK and market orders
  market_halt,
  amend_replace,
  insufficient_liquidity,
  price_band_exceeded,
  stp_cancel_newest,
  stp_cancel_oldest,
  stp_decrement_and_cancel,
  reduce_only,
  margin_breach,
  adl,
  cancel_on_disconnect,
  rejected_at_trigger,  // a fired conditional that failed its checks; OrderRecord::reject says which
};

enum class MarginMode : std::uint8_t { cross, isolated };

enum class MarketStatus : std::uint8_t { active, halted, delisted };

enum class HaltReason : std::uint8_t { none, adl_exhausted, operator_halt };

// How the mark price is formed (rule 7.4).
enum class PriceMode : std::uint8_t { median, index_only, manual };

// Why money moved in or out; all of them count in the ledger identity (rule 6.4).
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

enum class MarginDirection : std::uint8_t { add, remove };

// Why the engine refuses a command. The order of the enumerators is the order of precedence: of several
// failing checks, the one that stands first here is reported (rule 3.16).

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
