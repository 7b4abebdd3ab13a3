// What an account has, may do and has done: summaries, fees, limits, switches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/market_id.h"
#include "api/record.h"
#include "api/records/positions.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

namespace svc::api {

struct AccountSummary {
  DecimalText balance{};
  DecimalText collateral{};
  DecimalText equity{};
  DecimalText available_margin{};
  std::vector<Position> positions{};

  static constexpr FieldInfo fields[] = {
      field<&AccountSummary::balance>("balance", "Cross balance, USDX"),
      field<&AccountSummary::collateral>("collateral", "Balance and isolated margins, USDX"),
      field<&AccountSummary::equity>("equity", "Collateral and unrealised profit, USDX"),
      field<&AccountSummary::available_margin>("available_margin", "Free for new orders, USDX"),
      field<&AccountSummary::positions>("positions", "Open positions")};
};

struct AccountPortfolioSummary {
  DecimalText collateral{};
  DecimalText total_equity{};
  DecimalText total_unrealized_pnl{};
  DecimalText total_realized_pnl_24h{};
  DecimalText total_volume_24h{};
  std::uint64_t open_positions_count = 0;
  std::uint64_t open_orders_count = 0;
  DecimalText margin_used{};
  DecimalText available_margin{};
  DecimalText withdrawable{};
  std::optional<bool> early_access_allowed{};

  static constexpr FieldInfo fields[] = {
      field<&AccountPortfolioSummary::collateral>("collateral", "Balance and isolated margins, USDX"),
      field<&AccountPortfolioSummary::total_equity>("total_equity", "Collateral and unrealised profit, USDX"),
      field<&AccountPortfolioSummary::total_unrealized_pnl>("total_unrealized_pnl", "USDX at mark"),
      field<&AccountPortfolioSummary::total_realized_pnl_24h>("total_realized_pnl_24h", "USDX, last 24 hours"),
      field<&AccountPortfolioSummary::total_volume_24h>("total_volume_24h", "USDX, last 24 hours"),
      field<&AccountPortfolioSummary::open_positions_count>("open_positions_count", "Open positions"),
      field<&AccountPortfolioSummary::open_orders_count>("open_orders_count", "Open orders, untriggered ones included"),
      field<&AccountPortfolioSummary::margin_used>("margin_used", "Initial margin of positions, USDX"),
      field<&AccountPortfolioSummary::available_margin>("available_margin", "Free for new orders, USDX"),
      field<&AccountPortfolioSummary::withdrawable>("withdrawable", "May leave the account, USDX"),
      field<&AccountPortfolioSummary::early_access_allowed>("early_access_allowed",
                                                            "Admitted to trade; the sandbox admits everybody")
          .omit_when_empty()};
};

struct AccountState {
  AccountPortfolioSummary summary{};
  std::vector<Position> positions{};
  std::vector<MarketSetting> market_settings{};

  static constexpr FieldInfo fields[] = {
      field<&AccountState::summary>("summary", "Portfolio summary of the same instant"),
      field<&AccountState::positions>("positions", "Open positions"),
      field<&AccountState::market_settings>("market_settings",
                                            "Margin mode and leverage in force in every listed market")
          .defaulted()};
};

struct FeesRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {field<&FeesRequest::market_id>("market_id", "Only this market").query()};
};

struct MarketFees {
  std::string market_id{};
  std::int64_t maker_fee_bps = 0;
  std::int64_t taker_fee_bps = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketFees::market_id>("market_id", "Market"),
      field<&MarketFees::maker_fee_bps>("maker_fee_bps", "Basis points; negative is a rebate"),
      field<&MarketFees::taker_fee_bps>("taker_fee_bps", "Basis points")};
};

struct AccountFees {
  std::int64_t maker_fee_bps = 0;
  std::int64_t taker_fee_bps = 0;
  std::string tier = "base";
  std::string schedule = "standard";
  DecimalText volume_30d{};
  bool volume_30d_estimated = false;
  std::vector<std::string> discounts{};
  std::vector<MarketFees> markets{};

  static constexpr FieldInfo fields[] = {
      field<&AccountFees::maker_fee_bps>("maker_fee_bps",
                                         "Basis points; negative is a rebate. Of the market asked for, else of the "
                                         "first one listed"),
      field<&AccountFees::taker_fee_bps>("taker_fee_bps", "Basis points, likewise"),
      field<&AccountFees::tier>("tier", "Fee tier: base, the only one"),
      field<&AccountFees::schedule>("schedule", "Fee schedule; unknown when it cannot be read"),
      field<&AccountFees::volume_30d>("volume_30d",
                                      "USDX as maker and taker: the running hour of UTC and the 719 before it"),
      field<&AccountFees::volume_30d_estimated>("volume_30d_estimated",
                                                "Whether fills are missing from volume_30d; false, for all are kept"),
      field<&AccountFees::discounts>("discounts", "Empty: the schedule has none"),
      field<&AccountFees::markets>("markets", "Rates by market").defaulted()};
};

struct BucketStatus {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  TimestampMs reset_at_ms = 0;

  static constexpr FieldInfo fields[] = {
      field<&BucketStatus::limit>("limit", "Tokens per second, and capacity"),
      field<&BucketStatus::remaining>("remaining", "Whole tokens left"),
      field<&BucketStatus::reset_at_ms>("reset_at_ms", "When it is full again, Unix milliseconds; 0 when it is")};
};

// The numbers are null and the buckets empty for the Unlimited tier.
struct RateLimitStatus {
  std::string tier{};
  std::optional<std::uint64_t> limit{};
  std::optional<std::uint64_t> remaining{};
  std::optional<TimestampMs> reset_at_ms{};
  std::map<std::string, BucketStatus> buckets{};

  static constexpr FieldInfo fields[] = {
      field<&RateLimitStatus::tier>("tier", "Lower-case tier name"),
      field<&RateLimitStatus::limit>("limit", "Request tokens per second"),
      field<&RateLimitStatus::remaining>("remaining", "Request tokens left"),
      field<&RateLimitStatus::reset_at_ms>("reset_at_ms", "When the request budget is full again; 0 when it is"),
      field<&RateLimitStatus::buckets>("buckets", "By bucket: key, owner, order, cancel").defaulted()};
};

struct CancelOnDisconnectRequest {
  bool enabled = false;

  static constexpr FieldInfo fields[] = {
      field<&CancelOnDisconnectRequest::enabled>("enabled", "Cancel resting orders when the last stream closes")};
};

struct CancelOnDisconnectStatus {
  bool enabled = false;
  bool active = false;
  std::optional<std::uint64_t> grace_secs{};

  static constexpr FieldInfo fields[] = {
      field<&CancelOnDisconnectStatus::enabled>("enabled", "Switched on"),
      field<&CancelOnDisconnectStatus::active>("active", "Switched on, and a /ws stream of the account is open"),
      field<&CancelOnDisconnectStatus::grace_secs>("grace_secs", "Time to reconnect before orders are cancelled")};
};

// No operation of the API mints a code or binds an account to one, so there is nothing to count yet. (D-126, D-286)
struct AccountReferrals {
  std::optional<std::string> code{};
  std::uint64_t referred_count = 0;

  static constexpr FieldInfo fields[] = {
      field<&AccountReferrals::code>(
          "code", "The account's own code; null while it has none, and no operation hands one out yet"),
      field<&AccountReferrals::referred_count>("referred_count", "Accounts that joined with it")};
};

}  // namespace svc::api
