// Margin mode, isolated margin and leverage. The writes read a signed action.
#pragma once

#include "api/operation.h"
#include "api/records/margin.h"

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
                                .action = Action::adjust_margin,
                                .envelope = Envelope::trading,
                                .errors = errors};
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

// JSON that is not the record is 422 here; what is not JSON stays 400 (API: Operation details)
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
                                .action = Action::set_margin_mode,
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
      .action = Action::set_leverage,
      .envelope = Envelope::trading,
      .errors = errors};
};

}  // namespace svc::api::ops
