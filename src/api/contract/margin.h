#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/operation.h"
#include "api/record.h"
#include "api/values.h"
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

// The settings of the account in a market, with or without a position. (D-716)
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

// Margin mode, isolated margin and leverage. The writes read a signed action.

namespace svc::api::ops {

struct AdjustMargin {
  using Request = AdjustMarginRequest;
  using Response = AdjustMarginResponse;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id,
                                              ErrorCode::unknown_market,
                                              ErrorCode::invalid_amount,
                                              ErrorCode::no_open_position,
                                              ErrorCode::margin_mode_not_isolated,
                                              ErrorCode::insufficient_margin,
                                              ErrorCode::insufficient_balance,
                                              ErrorCode::market_halted,
                                              ErrorCode::isolated_margin_not_recorded,
                                              ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,
                                              ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "adjust_margin",
                                .group = "margin",
                                .method = Method::post,
                                .path = "/account/margin",
                                .summary = "Add or remove isolated margin",
                                .detail =
                                    "NoOpenPosition can be transient right after the fill that opened the position. "
                                    "After a 503 nothing has changed.",
                                .auth = Auth::hmac | Auth::agent,
                                .action = &signing::form_of<signing::AdjustMargin>,
                                .envelope = Envelope::trading,
                                .errors = errors,
                                .effect = Effect::costly};
};

struct GetMarginMode {
  using Request = GetMarginModeRequest;
  using Response = MarginModeStatus;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::internal_error};
  static constexpr Operation op{.name = "get_margin_mode",
                                .group = "margin",
                                .method = Method::get,
                                .path = "/account/margin-mode",
                                .summary = "Read the margin mode",
                                .detail = "Without a market the account's default is answered.",
                                .auth = Auth::hmac,
                                .envelope = Envelope::trading,
                                .errors = errors};
};

// valid JSON that is not the record is 422 here; what is not JSON stays 400 (API: Operation details)
struct SetMarginMode {
  using Request = SetMarginModeRequest;
  using Response = MarginModeStatus;
  static constexpr OperationError errors[] = {ErrorCode::unprocessable,  ErrorCode::invalid_market_id,
                                              ErrorCode::unknown_market, ErrorCode::margin_mode_locked,
                                              ErrorCode::internal_error, ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,  ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "set_margin_mode",
                                .group = "margin",
                                .method = Method::post,
                                .path = "/account/margin-mode",
                                .summary = "Set the margin mode of a market",
                                .detail =
                                    "A body that is JSON but not the record is 422; what is not JSON is 400. The mode "
                                    "is set per market, and is locked while there is a position or an order in it.",
                                .auth = Auth::hmac,
                                .action = &signing::form_of<signing::SetMarginMode>,
                                .envelope = Envelope::trading,
                                .refused_body = ErrorCode::unprocessable,
                                .errors = errors};
};

struct SetLeverage {
  using Request = LeverageRequest;
  using Response = LeverageResponse;
  static constexpr OperationError errors[] = {ErrorCode::invalid_market_id, ErrorCode::unknown_market,
                                              ErrorCode::invalid_leverage,  ErrorCode::insufficient_margin,
                                              ErrorCode::market_halted,     ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,     ErrorCode::geo_unresolved};
  static constexpr Operation op{
      .name = "set_leverage",
      .group = "margin",
      .method = Method::post,
      .path = "/leverage",
      .summary = "Set the leverage of a market",
      .detail = "From 1 to the smaller of the market's ceiling and 1 over its initial margin rate.",
      .auth = Auth::hmac | Auth::agent,
      .action = &signing::form_of<signing::SetLeverage>,
      .envelope = Envelope::trading,
      .errors = errors};
};

}  // namespace svc::api::ops
