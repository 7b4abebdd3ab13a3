// Margin mode, isolated margin and leverage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/market_id.h"
#include "api/record.h"
#include "api/values.h"

namespace svc::api {

enum class MarginMode : std::uint8_t { cross, isolated };
inline constexpr std::string_view margin_mode_texts[] = {"cross", "isolated"};
constexpr EnumNames enum_names(MarginMode) {
  return {"MarginMode", margin_mode_texts};
}

enum class MarginDirection : std::uint8_t { add, remove };
inline constexpr std::string_view margin_direction_texts[] = {"add", "remove"};
constexpr EnumNames enum_names(MarginDirection) {
  return {"MarginDirection", margin_direction_texts};
}

struct AdjustMarginRequest {
  MarketId market_id{};
  DecimalText amount{};
  MarginDirection direction = MarginDirection::add;

  static constexpr FieldInfo fields[] = {
      field<&AdjustMarginRequest::market_id>("market_id", "Market of the isolated position"),
      field<&AdjustMarginRequest::amount>("amount", "Margin in USDX").refused_as(ErrorCode::invalid_amount),
      field<&AdjustMarginRequest::direction>("direction", "add or remove")};
};

struct AdjustMarginResponse {
  std::string market_id{};
  DecimalText allocated_margin{};
  DecimalText collateral{};

  static constexpr FieldInfo fields[] = {
      field<&AdjustMarginResponse::market_id>("market_id", "Market"),
      field<&AdjustMarginResponse::allocated_margin>("allocated_margin", "Isolated margin of the position, USDX"),
      field<&AdjustMarginResponse::collateral>("collateral", "Collateral of the account, USDX")};
};

struct SetMarginModeRequest {
  MarketId market_id{};
  MarginMode margin_mode = MarginMode::cross;

  static constexpr FieldInfo fields[] = {field<&SetMarginModeRequest::market_id>("market_id", "Market"),
                                         field<&SetMarginModeRequest::margin_mode>("margin_mode", "cross or isolated")};
};

struct GetMarginModeRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {
      field<&GetMarginModeRequest::market_id>("market_id", "Market; absent asks for the account's default").query()};
};

// Where the effective mode comes from.
enum class MarginModeSource : std::uint8_t { account_default, market_setting, open_position, forced_policy };
inline constexpr std::string_view margin_mode_source_texts[] = {"account_default", "market_setting", "open_position",
                                                                "forced_policy"};
constexpr EnumNames enum_names(MarginModeSource) {
  return {"MarginModeSource", margin_mode_source_texts};
}

struct AccountDefaultMode {
  MarginMode margin_mode = MarginMode::cross;
  bool is_mutable = false;

  static constexpr FieldInfo fields[] = {
      field<&AccountDefaultMode::margin_mode>("margin_mode", "Mode of markets without a setting"),
      field<&AccountDefaultMode::is_mutable>("mutable", "Whether the account can change it")};
};

// (D-125)
struct MarginModeStatus {
  std::optional<std::string> market_id{};
  MarginMode margin_mode = MarginMode::cross;
  MarginModeSource source = MarginModeSource::account_default;
  AccountDefaultMode account_default{};
  std::optional<std::uint32_t> leverage{};

  static constexpr FieldInfo fields[] = {
      field<&MarginModeStatus::market_id>("market_id", "Market asked for"),
      field<&MarginModeStatus::margin_mode>("margin_mode", "Effective mode"),
      field<&MarginModeStatus::source>("source", "What decides it"),
      field<&MarginModeStatus::account_default>("account_default", "The account's default"),
      field<&MarginModeStatus::leverage>("leverage",
                                         "Leverage in force in the market, with or without a position; null without "
                                         "a market")};
};

// What holds for the account in a market, with or without a position. (D-716)
struct MarketSetting {
  std::string market_id{};
  MarginMode margin_mode = MarginMode::cross;
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketSetting::market_id>("market_id", "Market"),
      field<&MarketSetting::margin_mode>("margin_mode", "cross or isolated"),
      field<&MarketSetting::leverage>("leverage", "As set; the market's ceiling if it never was")};
};

struct LeverageRequest {
  MarketId market_id{};
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {field<&LeverageRequest::market_id>("market_id", "Market"),
                                         field<&LeverageRequest::leverage>("leverage", "1 to the market's ceiling")};
};

struct LeverageResponse {
  std::string market_id{};
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {field<&LeverageResponse::market_id>("market_id", "Market"),
                                         field<&LeverageResponse::leverage>("leverage", "Leverage now in force")};
};

}  // namespace svc::api
