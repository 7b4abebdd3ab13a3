#pragma once

#include "api/contract/declaration.h"
#include "trade/words.h"

// Margin mode, isolated margin and leverage.

namespace svc::api {

using trade::MarginDirection;
using trade::MarginMode;

SVC_RECORD(AdjustMarginRequest,
    (MarketId, market_id, {}, "Market of the isolated position")
    (DecimalText, amount, {}, "Margin in USDX", .refused_as(ErrorCode::invalid_amount))
    (MarginDirection, direction, = MarginDirection::add, "add or remove"));

SVC_RECORD(AdjustMarginResponse,
    (std::string, market_id, {}, "Market")
    (DecimalText, allocated_margin, {}, "Isolated margin of the position, USDX")
    (DecimalText, collateral, {}, "Collateral of the account, USDX"));

SVC_RECORD(SetMarginModeRequest,
    (MarketId, market_id, {}, "Market")
    (MarginMode, margin_mode, = MarginMode::cross, "cross or isolated"));

SVC_RECORD(GetMarginModeRequest,
    (std::optional<MarketId>, market_id, {}, "Market; absent asks for the account's default", .query()));

// Where the effective mode comes from.
enum class MarginModeSource : std::uint8_t { account_default, market_setting, open_position, forced_policy };
SVC_WIRE_TEXTS(MarginModeSource, "account_default", "market_setting", "open_position", "forced_policy");

SVC_RECORD(AccountDefaultMode,
    (MarginMode, margin_mode, = MarginMode::cross, "Mode of markets without a setting")
    (bool, is_mutable, = false, "Whether the account can change it", .named("mutable")));

// (D-125)
SVC_RECORD(MarginModeStatus,
    (std::optional<std::string>, market_id, {}, "Market asked for")
    (MarginMode, margin_mode, = MarginMode::cross, "Effective mode")
    (MarginModeSource, source, = MarginModeSource::account_default, "What decides it")
    (AccountDefaultMode, account_default, {}, "The account's default")
    (std::optional<std::uint32_t>, leverage, {},
     "Leverage in force in the market, with or without a position; null without a market"));

// The settings of the account in a market, with or without a position. (D-716)
SVC_RECORD(MarketSetting,
    (std::string, market_id, {}, "Market")
    (MarginMode, margin_mode, = MarginMode::cross, "cross or isolated")
    (std::uint32_t, leverage, = 0, "As set; the market's ceiling if it never was"));

SVC_RECORD(LeverageRequest,
    (MarketId, market_id, {}, "Market")
    (std::uint32_t, leverage, = 0, "1 to the market's ceiling"));

SVC_RECORD(LeverageResponse,
    (std::string, market_id, {}, "Market")
    (std::uint32_t, leverage, = 0, "Leverage now in force"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area margin{"margin"};

SVC_OPERATIONS(MarginOperations,
    (AdjustMargin, AdjustMarginRequest, AdjustMarginResponse, margin, post, "adjust_margin", "/account/margin",
     "Add or remove isolated margin",
     "NoOpenPosition can be transient right after the fill that opened the position. After a 503 nothing has changed.",
     key_or_agent, &signing::form_of<signing::AdjustMargin>, Envelope::trading, refuses<unknown_market,
     no_open_position, margin_mode_not_isolated, insufficient_margin, insufficient_balance, market_halted,
     isolated_margin_not_recorded, us_restricted, geo_unresolved>, Effect::costly)
    (GetMarginMode, GetMarginModeRequest, MarginModeStatus, margin, get, "get_margin_mode", "/account/margin-mode",
     "Read the margin mode", "Without a market the account's default is answered.", Auth::hmac, Envelope::trading,
     refuses<unknown_market, internal_error>)
    // valid JSON that is not the record is 422 here; what is not JSON stays 400 (API: Operation details)
    (SetMarginMode, SetMarginModeRequest, MarginModeStatus, margin, post, "set_margin_mode", "/account/margin-mode",
     "Set the margin mode of a market",
     "A body that is JSON but not the record is 422; what is not JSON is 400. The mode is set per market, and "
     "is locked while there is a position or an order in it.", Auth::hmac, &signing::form_of<signing::SetMarginMode>,
     Envelope::trading, unprocessable, refuses<unprocessable, unknown_market, margin_mode_locked, internal_error,
     us_restricted, geo_unresolved>)
    (SetLeverage, LeverageRequest, LeverageResponse, margin, post, "set_leverage", "/leverage",
     "Set the leverage of a market",
     "From 1 to the smaller of the market's ceiling and 1 over its initial margin rate.", key_or_agent,
     &signing::form_of<signing::SetLeverage>, Envelope::trading, refuses<unknown_market, invalid_leverage,
     insufficient_margin, market_halted, us_restricted, geo_unresolved>));

}  // namespace svc::api::ops
