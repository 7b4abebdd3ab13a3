// The bridge, under /api/v1 only, with its own error envelope.
#pragma once

#include "api/operation.h"
#include "api/records/bridge.h"

namespace svc::api::ops {

struct ListBridgeAssets {
  using Request = Empty;
  using Response = BridgeAssetsResponse;
  static constexpr Operation op{.name = "list_bridge_assets",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/assets",
                                .summary = "List bridgeable chains and assets",
                                .base = PathBase::host_root,
                                .envelope = Envelope::bridge};
};

struct CreateBridgeWithdrawal {
  using Request = BridgeWithdrawalRequest;
  using Response = BridgeWithdrawal;
  static constexpr OperationError errors[] = {ErrorCode::invalid_amount,
                                              ErrorCode::amount_below_minimum,
                                              ErrorCode::idempotency_conflict,
                                              ErrorCode::withdrawal_rejected,
                                              {ErrorCode::insufficient_balance, 403},
                                              {ErrorCode::account_in_liquidation, 403},
                                              {ErrorCode::market_halted, 403},
                                              ErrorCode::bridge_step_failed,
                                              ErrorCode::bridge_withdrawals_unavailable,
                                              ErrorCode::restricted_jurisdiction,
                                              ErrorCode::us_restricted,
                                              ErrorCode::geo_unresolved};
  static constexpr Operation op{.name = "create_bridge_withdrawal",
                                .group = "bridge",
                                .method = Method::post,
                                .path = "/api/v1/bridge/withdrawals",
                                .summary = "Withdraw over the bridge",
                                .detail =
                                    "The same Idempotency-Key with the same amount is answered with the same "
                                    "withdrawal; another amount is a conflict.",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .success = 201,
                                .envelope = Envelope::bridge,
                                .errors = errors};
};

struct ListBridgeWithdrawals {
  using Request = BridgeWithdrawalsRequest;
  using Response = List<BridgeWithdrawal>;
  static constexpr Operation op{.name = "list_bridge_withdrawals",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/withdrawals",
                                .summary = "List the newest 100 bridge withdrawals",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge};
};

struct GetBridgeWithdrawal {
  using Request = BridgeRef;
  using Response = BridgeWithdrawal;
  static constexpr OperationError errors[] = {ErrorCode::withdrawal_not_found};
  static constexpr Operation op{.name = "get_bridge_withdrawal",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/withdrawals/{id}",
                                .summary = "Get a bridge withdrawal",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors};
};

struct ListBridgeDeposits {
  using Request = BridgeDepositsRequest;
  using Response = List<BridgeDeposit>;
  static constexpr Operation op{.name = "list_bridge_deposits",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/deposits",
                                .summary = "List bridge deposits, newest first",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge};
};

struct GetBridgeDeposit {
  using Request = BridgeRef;
  using Response = BridgeDeposit;
  static constexpr OperationError errors[] = {ErrorCode::deposit_not_found};
  static constexpr Operation op{.name = "get_bridge_deposit",
                                .group = "bridge",
                                .method = Method::get,
                                .path = "/api/v1/bridge/deposits/{id}",
                                .summary = "Get a bridge deposit",
                                .base = PathBase::host_root,
                                .auth = Auth::hmac,
                                .envelope = Envelope::bridge,
                                .errors = errors};
};

}  // namespace svc::api::ops
