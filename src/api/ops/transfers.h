// Ordinary USDX transfers. Only the owner's signature counts.
#pragma once

#include "api/operation.h"
#include "api/records/transfers.h"

namespace svc::api::ops {

struct EnrollTransfers {
  using Request = EnrollTransfersRequest;
  using Response = TransferEnrollment;
  static constexpr OperationError errors[] = {ErrorCode::transfer_account_ineligible, ErrorCode::transfers_unavailable,
                                              ErrorCode::transfer_engine_unavailable};
  static constexpr Operation op{
      .name = "enroll_transfers",
      .group = "transfers",
      .method = Method::post,
      .path = "/transfers/enroll",
      .summary = "Enrol an account for ordinary transfers",
      .detail = "Signed by the owner as `EnrollTransferAccount`, which binds the deployment text.",
      .auth = Auth::owner_signature,
      .errors = errors};
};

struct SubmitTransfer {
  using Request = TransferRequest;
  using Response = TransferReceipt;
  static constexpr OperationError errors[] = {ErrorCode::transfer_account_ineligible,
                                              ErrorCode::transfers_unavailable,
                                              ErrorCode::invalid_amount,
                                              {ErrorCode::insufficient_balance, 403},
                                              {ErrorCode::account_in_liquidation, 403},
                                              ErrorCode::transfer_outflow_blocked,
                                              ErrorCode::not_found,
                                              ErrorCode::transfer_id_conflict,
                                              ErrorCode::transfer_engine_unavailable,
                                              ErrorCode::transfer_outcome_unknown};
  static constexpr Operation op{.name = "submit_transfer",
                                .group = "transfers",
                                .method = Method::post,
                                .path = "/transfers",
                                .summary = "Pay USDX to another account",
                                .detail =
                                    "Signed by the owner as `TransferIntent`. The same `client_transfer_id` with the "
                                    "same intent and a fresh nonce is answered with the same receipt; another intent "
                                    "is a conflict. The answer comes when the payment is durable.",
                                .auth = Auth::owner_signature,
                                .errors = errors};
};

struct ListTransfers {
  using Request = TransfersRequest;
  using Response = Page<TransferReceipt>;
  static constexpr OperationError errors[] = {ErrorCode::transfer_account_ineligible, ErrorCode::transfers_unavailable};
  static constexpr Operation op{
      .name = "list_transfers",
      .group = "transfers",
      .method = Method::get,
      .path = "/transfers",
      .summary = "List transfers, newest first",
      .detail = "Signed by the owner as `ListTransfers`; `limit` and `cursor` are signed as their texts in the query.",
      .auth = Auth::owner_signature,
      .errors = errors};
};

struct GetTransfer {
  using Request = TransferRef;
  using Response = TransferReceipt;
  static constexpr OperationError errors[] = {ErrorCode::transfer_account_ineligible, ErrorCode::transfers_unavailable,
                                              ErrorCode::not_found};
  static constexpr Operation op{.name = "get_transfer",
                                .group = "transfers",
                                .method = Method::get,
                                .path = "/transfers/{id}",
                                .summary = "Read a committed transfer",
                                .detail =
                                    "Signed by the owner as `ReadTransfer`. Sender and recipient may read it; for "
                                    "everybody else it does not exist.",
                                .auth = Auth::owner_signature,
                                .errors = errors};
};

}  // namespace svc::api::ops
