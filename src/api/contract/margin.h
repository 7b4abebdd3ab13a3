#pragma once

#include "api/contract/declaration.h"
#include "trade/words.h"

// Margin mode, isolated margin and leverage.

namespace svc::trade {

constexpr api::EnumNames enum_names(MarginMode) {
  return {"MarginMode", margin_mode_texts};
}
constexpr api::EnumNames enum_names(MarginDirection) {
  return {"MarginDirection", margin_direction_texts};
}

}  // namespace svc::trade

namespace svc::api {

using trade::MarginDirection;
using trade::MarginMode;

struct AdjustMarginRequest {
  MarketId market_id{};
  DecimalText amount{};
  MarginDirection direction = MarginDirection::add;

  static constexpr FieldInfo fields[] = {
      field<&AdjustMarginRequest::market_id>("Market of the isolated position"),
      field<&AdjustMarginRequest::amount>("Margin in USDX").refused_as(ErrorCode::invalid_amount),
      field<&AdjustMarginRequest::direction>("add or remove")};
};

struct AdjustMarginResponse {
  std::string market_id{};
  DecimalText allocated_margin{}, collateral{};

  static constexpr FieldInfo fields[] = {
      field<&AdjustMarginResponse::market_id>("Market"),
      field<&AdjustMarginResponse::allocated_margin>("Isolated margin of the position, USDX"),
      field<&AdjustMarginResponse::collateral>("Collateral of the account, USDX")};
};

struct SetMarginModeRequest {
  MarketId market_id{};
  MarginMode margin_mode = MarginMode::cross;

  static constexpr FieldInfo fields[] = {field<&SetMarginModeRequest::market_id>("Market"),
                                         field<&SetMarginModeRequest::margin_mode>("cross or isolated")};
};

struct GetMarginModeRequest {
  std::optional<MarketId> market_id{};

  static constexpr FieldInfo fields[] = {
      field<&GetMarginModeRequest::market_id>("Market; absent asks for the account's default").query()};
};

// Where the effective mode comes from.
enum class MarginModeSource : std::uint8_t { account_default, market_setting, open_position, forced_policy };
SVC_WIRE_TEXTS(MarginModeSource, "account_default", "market_setting", "open_position", "forced_policy");

struct AccountDefaultMode {
  MarginMode margin_mode = MarginMode::cross;
  bool is_mutable = false;

  static constexpr FieldInfo fields[] = {
      field<&AccountDefaultMode::margin_mode>("Mode of markets without a setting"),
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
      field<&MarginModeStatus::market_id>("Market asked for"), field<&MarginModeStatus::margin_mode>("Effective mode"),
      field<&MarginModeStatus::source>("What decides it"),
      field<&MarginModeStatus::account_default>("The account's default"),
      field<&MarginModeStatus::leverage>(
          "Leverage in force in the market, with or without a position; null without a market")};
};

// The settings of the account in a market, with or without a position. (D-716)
struct MarketSetting {
  std::string market_id{};
  MarginMode margin_mode = MarginMode::cross;
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketSetting::market_id>("Market"), field<&MarketSetting::margin_mode>("cross or isolated"),
      field<&MarketSetting::leverage>("As set; the market's ceiling if it never was")};
};

struct LeverageRequest {
  MarketId market_id{};
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {field<&LeverageRequest::market_id>("Market"),
                                         field<&LeverageRequest::leverage>("1 to the market's ceiling")};
};

struct LeverageResponse {
  std::string market_id{};
  std::uint32_t leverage = 0;

  static constexpr FieldInfo fields[] = {field<&LeverageResponse::market_id>("Market"),
                                         field<&LeverageResponse::leverage>("Leverage now in force")};
};

}  // namespace svc::api

// Margin mode, isolated margin and leverage. The writes read a signed action.

namespace svc::api::ops {

inline constexpr Area margin{"margin"};

struct AdjustMargin : Records<AdjustMarginRequest, AdjustMarginResponse> {
  static constexpr Operation op = margin(
      post, "adjust_margin", "/account/margin", "Add or remove isolated margin",
      "NoOpenPosition can be transient right after the fill that opened the position. After a 503 nothing has changed.",
      key_or_agent, &signing::form_of<signing::AdjustMargin>, Envelope::trading,
      refuses<invalid_market_id, unknown_market, invalid_amount, no_open_position, margin_mode_not_isolated,
              insufficient_margin, insufficient_balance, market_halted, isolated_margin_not_recorded,
              restricted_jurisdiction, us_restricted, geo_unresolved>,
      Effect::costly);
};

struct GetMarginMode : Records<GetMarginModeRequest, MarginModeStatus> {
  static constexpr Operation op = margin(get, "get_margin_mode", "/account/margin-mode", "Read the margin mode",
                                         "Without a market the account's default is answered.", Auth::hmac,
                                         Envelope::trading, refuses<invalid_market_id, unknown_market, internal_error>);
};

// valid JSON that is not the record is 422 here; what is not JSON stays 400 (API: Operation details)
struct SetMarginMode : Records<SetMarginModeRequest, MarginModeStatus> {
  static constexpr Operation op =
      margin(post, "set_margin_mode", "/account/margin-mode", "Set the margin mode of a market",
             "A body that is JSON but not the record is 422; what is not JSON is 400. The mode is set per market, and "
             "is locked while there is a position or an order in it.",
             Auth::hmac, &signing::form_of<signing::SetMarginMode>, Envelope::trading, unprocessable,
             refuses<unprocessable, invalid_market_id, unknown_market, margin_mode_locked, internal_error,
                     restricted_jurisdiction, us_restricted, geo_unresolved>);
};

struct SetLeverage : Records<LeverageRequest, LeverageResponse> {
  static constexpr Operation op =
      margin(post, "set_leverage", "/leverage", "Set the leverage of a market",
             "From 1 to the smaller of the market's ceiling and 1 over its initial margin rate.", key_or_agent,
             &signing::form_of<signing::SetLeverage>, Envelope::trading,
             refuses<invalid_market_id, unknown_market, invalid_leverage, insufficient_margin, market_halted,
                     restricted_jurisdiction, us_restricted, geo_unresolved>);
};

}  // namespace svc::api::ops
