#include "sim/scenario/spelling.h"

#include <array>
#include <utility>

namespace svc::sim::scenario {
namespace {

using namespace engine;

template <class T, std::size_t N>
std::optional<T> find(const std::array<std::pair<std::string_view, T>, N>& words, std::string_view text) {
  for (const auto& [word, value] : words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

template <class T, std::size_t N>
std::string_view word_of(const std::array<std::pair<std::string_view, T>, N>& words, T wanted) {
  for (const auto& [word, value] : words) {
    if (value == wanted) return word;
  }
  SVC_ASSERT(false);
}

constexpr std::array<std::pair<std::string_view, TimeInForce>, 4> tif_words{{
    {"GTC", TimeInForce::gtc},
    {"IOC", TimeInForce::ioc},
    {"FOK", TimeInForce::fok},
    {"PostOnly", TimeInForce::post_only},
}};

constexpr std::array<std::pair<std::string_view, StpMode>, 3> stp_words{{
    {"CancelNewest", StpMode::cancel_newest},
    {"CancelOldest", StpMode::cancel_oldest},
    {"DecrementAndCancel", StpMode::decrement_and_cancel},
}};

}  // namespace

std::optional<Side> parse_side(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Side>, 2> words{{{"Buy", Side::buy}, {"Sell", Side::sell}}};
  return find(words, text);
}

std::optional<OrderType> parse_type(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, OrderType>, 8> words{{
      {"Limit", OrderType::limit},
      {"Market", OrderType::market},
      {"StopLimit", OrderType::stop_limit},
      {"StopMarket", OrderType::stop_market},
      {"TakeProfitLimit", OrderType::take_profit_limit},
      {"TakeProfitMarket", OrderType::take_profit_market},
      {"TrailingStop", OrderType::trailing_stop},
      {"TrailingLimit", OrderType::trailing_limit},
  }};
  return find(words, text);
}

std::optional<TimeInForce> parse_time_in_force(std::string_view text) {
  return find(tif_words, text);
}

std::optional<StpMode> parse_stp(std::string_view text) {
  return find(stp_words, text);
}

std::optional<MarginMode> parse_mode(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, MarginMode>, 2> words{
      {{"cross", MarginMode::cross}, {"isolated", MarginMode::isolated}}};
  return find(words, text);
}

std::optional<MarginDirection> parse_direction(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, MarginDirection>, 2> words{
      {{"add", MarginDirection::add}, {"remove", MarginDirection::remove}}};
  return find(words, text);
}

std::string_view spell(TimeInForce tif) {
  return word_of(tif_words, tif);
}

std::string_view spell(StpMode mode) {
  return mode == StpMode::none ? "none" : word_of(stp_words, mode);
}

std::string_view spell(OrderStatus status) {
  switch (status) {
    case OrderStatus::untriggered: return "Untriggered";
    case OrderStatus::open: return "Open";
    case OrderStatus::partially_filled: return "PartiallyFilled";
    case OrderStatus::filled: return "Filled";
    case OrderStatus::cancelled: return "Cancelled";
    case OrderStatus::expired: return "Expired";
    case OrderStatus::rejected: return "Rejected";
  }
  SVC_ASSERT(false);
}

std::string spell_reason(const OrderRecord& order) {
  switch (order.cancel_reason) {
    case CancelReason::none: return "";
    case CancelReason::user: return "User";
    case CancelReason::slippage_cap: return "SlippageCap";
    case CancelReason::liquidation: return "Liquidation";
    case CancelReason::expired: return "Expired";
    case CancelReason::market_halt: return "MarketHalt";
    case CancelReason::amend_replace: return "AmendReplace";
    case CancelReason::insufficient_liquidity: return "InsufficientLiquidity";
    case CancelReason::price_band_exceeded: return "PriceBandExceeded";
    case CancelReason::stp_cancel_newest: return "Stp(CancelNewest)";
    case CancelReason::stp_cancel_oldest: return "Stp(CancelOldest)";
    case CancelReason::stp_decrement_and_cancel: return "Stp(DecrementAndCancel)";
    case CancelReason::reduce_only: return "ReduceOnly";
    case CancelReason::margin_breach: return "MarginBreach";
    case CancelReason::adl: return "Adl";
    case CancelReason::cancel_on_disconnect: return "CancelOnDisconnect";
    case CancelReason::rejected_at_trigger: return std::string(to_string(order.reject));
  }
  SVC_ASSERT(false);
}

std::string_view spell(MarketStatus status) {
  switch (status) {
    case MarketStatus::active: return "active";
    case MarketStatus::halted: return "halted";
    case MarketStatus::delisted: return "delisted";
  }
  SVC_ASSERT(false);
}

std::string_view spell(HaltReason reason) {
  switch (reason) {
    case HaltReason::none: return "";
    case HaltReason::adl_exhausted: return "adl_exhausted";
    case HaltReason::operator_halt: return "operator_halt";
  }
  SVC_ASSERT(false);
}

}  // namespace svc::sim::scenario
