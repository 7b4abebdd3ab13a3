// Trading terms: closed sets of values for orders, positions, markets and accounts, each with its spelling on the wire,
// which scenario files share: its own name in the code, or a list of texts. Rule numbers refer to docs/trading.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/enumerators.h"

namespace svc::trade {

// `Buy` and `Sell` on orders; lower case on trades, fills and order history.
enum class Side : std::uint8_t { buy, sell };
inline constexpr std::string_view side_texts[] = {"Buy", "Sell"};
inline constexpr auto side_lower_texts = enumerator_names<Side, Side::sell>;
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
inline constexpr auto order_type_texts = capital_names<OrderType, OrderType::trailing_limit>;
// Order history spells them in snake case.
inline constexpr auto order_type_snake_texts = enumerator_names<OrderType, OrderType::trailing_limit>;
// Trades like a market order once triggered.
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
// Waits for the mark price before it acts.
[[nodiscard]] constexpr bool is_conditional(OrderType type) {
  return is_stop(type) || is_take_profit(type) || is_trailing(type);
}
// Requires a limit price from the client (TrailingLimit computes its own).
[[nodiscard]] constexpr bool needs_price(OrderType type) {
  return type == OrderType::limit || type == OrderType::stop_limit || type == OrderType::take_profit_limit;
}

enum class TimeInForce : std::uint8_t { gtc, ioc, fok, post_only };
inline constexpr std::string_view time_in_force_texts[] = {"GTC", "IOC", "FOK", "PostOnly"};

// Self-trade prevention of an order. `none`, which the wire expresses by omission, allows trading with oneself.
enum class StpMode : std::uint8_t { none, cancel_newest, cancel_oldest, decrement_and_cancel };
inline constexpr std::string_view stp_mode_texts[] = {"none", "CancelNewest", "CancelOldest", "DecrementAndCancel"};

enum class OrderStatus : std::uint8_t {
  untriggered,  // accepted, waits for the mark price, not on the book (the wire says Open)
  open,
  partially_filled,
  filled,
  cancelled,
  expired,
  rejected,
};
inline constexpr auto order_status_texts = capital_names<OrderStatus, OrderStatus::rejected>;
[[nodiscard]] constexpr bool is_live(OrderStatus status) {
  return status == OrderStatus::untriggered || status == OrderStatus::open || status == OrderStatus::partially_filled;
}
// Of a status as it is spelled; one that is not known has not ended.
[[nodiscard]] constexpr bool has_ended(std::string_view status) {
  for (std::size_t i = 0; i < std::size(order_status_texts); ++i)
    if (status == order_status_texts[i]) return !is_live(static_cast<OrderStatus>(i));
  return false;
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
  rejected_at_trigger,  // a fired conditional failed its checks; the failed check is reported separately
};
struct CancelReasonWords {
  std::string_view text;
  std::string_view meaning;
};
inline constexpr CancelReasonWords cancel_reason_words[] = {
    {"", ""},
    {"User", "its owner cancelled it"},
    {"SlippageCap", "the rest would have filled at a worse price than the slippage allows"},
    {"Liquidation", "the account was liquidated, which cancels its orders first"},
    {"Expired", "its time was over, or the unfilled rest of an IOC, FOK or market order"},
    {"MarketHalt", "the market was halted or delisted"},
    {"AmendReplace", "an amend replaced it by another order"},
    {"InsufficientLiquidity", "nothing was left on the other side of the book"},
    {"PriceBandExceeded", "the rest would have filled too far beyond the mark price"},
    {"Stp(CancelNewest)", "it met an order of its own account; the newer one was cancelled"},
    {"Stp(CancelOldest)", "it met an order of its own account; the older one was cancelled"},
    {"Stp(DecrementAndCancel)", "it met an order of its own account; both lost what they had in common"},
    {"ReduceOnly", "there was no position left that it could have reduced"},
    {"MarginBreach", "the margin of its account did not suffice for the fill"},
    {"Adl", "the position was deleveraged"},
    {"CancelOnDisconnect", "the last stream of the account had closed"},
    {"RejectedAtTrigger", "its trigger came, and it failed the checks of a new order"},
};
inline constexpr auto cancel_reason_texts = [] {
  std::array<std::string_view, std::size(cancel_reason_words)> texts;
  std::ranges::transform(cancel_reason_words, texts.begin(), &CancelReasonWords::text);
  return texts;
}();
[[nodiscard]] constexpr std::string_view meaning_of(CancelReason reason) {
  return cancel_reason_words[static_cast<std::size_t>(reason)].meaning;
}

enum class MarginMode : std::uint8_t { cross, isolated };
inline constexpr auto margin_mode_texts = enumerator_names<MarginMode, MarginMode::isolated>;

enum class MarginDirection : std::uint8_t { add, remove };
inline constexpr auto margin_direction_texts = enumerator_names<MarginDirection, MarginDirection::remove>;

enum class MarketStatus : std::uint8_t { active, halted, delisted };
inline constexpr auto market_status_texts = enumerator_names<MarketStatus, MarketStatus::delisted>;

enum class HaltReason : std::uint8_t { none, adl_exhausted, operator_halt };
inline constexpr std::string_view halt_reason_texts[] = {"", "adl_exhausted", "operator_halt"};

// What changed the collateral of an account: the cross balance and the isolated margins. (D-282)
enum class ActivityCause : std::uint8_t {
  deposit,
  withdrawal,
  faucet,
  credit,
  fill,  // realized profit; 0 if the fill only opened
  fee,   // of a fill; a rebate is positive
  funding,
  transfer_in,
  transfer_out,
  bridge_deposit,
  bridge_withdrawal,
  liquidation_fee,
  adl,        // profit realized by a deleveraging
  insurance,  // received from the insurance fund
  operator_grant,
  withdrawal_reversal,
  settlement,  // profit realized by a delisting, and the winners' haircut
};
inline constexpr auto activity_cause_texts = enumerator_names<ActivityCause, ActivityCause::settlement>;

// The spellings of each word, by its number.
struct Spellings {
  using Texts = std::span<const std::string_view>;

  static constexpr Texts of(Side) { return side_texts; }
  static constexpr Texts of(OrderType) { return order_type_texts; }
  static constexpr Texts of(TimeInForce) { return time_in_force_texts; }
  static constexpr Texts of(StpMode) { return stp_mode_texts; }
  static constexpr Texts of(OrderStatus) { return order_status_texts; }
  static constexpr Texts of(CancelReason) { return cancel_reason_texts; }
  static constexpr Texts of(MarginMode) { return margin_mode_texts; }
  static constexpr Texts of(MarginDirection) { return margin_direction_texts; }
  static constexpr Texts of(MarketStatus) { return market_status_texts; }
  static constexpr Texts of(HaltReason) { return halt_reason_texts; }
  static constexpr Texts of(ActivityCause) { return activity_cause_texts; }
};

template <class E>
concept Word = requires(E value) {
  Spellings::of(value);
};

template <Word E>
[[nodiscard]] constexpr std::string_view to_string(E value) {
  return Spellings::of(value)[static_cast<std::size_t>(value)];
}

// nullopt for an unknown text, and for the empty one.
template <Word E>
[[nodiscard]] constexpr std::optional<E> parse(std::string_view text) {
  const auto texts = Spellings::of(E{});
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!text.empty() && texts[i] == text) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace svc::trade
