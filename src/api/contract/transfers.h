#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/contract/scalars.h"
#include "api/operation.h"
#include "api/record.h"
#include "api/values.h"
#include "base/address.h"
#include "base/clock.h"

// Ordinary USDX transfers between accounts, authorised by the owner's signature. The headers carry the
// signature, its timestamp and, on the writes, its nonce. (D-132)

namespace svc::api {

struct EnrollTransfersRequest {
  Address account{};
  std::string domain{};

  static constexpr FieldInfo fields[] = {
      field<&EnrollTransfersRequest::account>("account", "The account that enrols and signs"),
      field<&EnrollTransfersRequest::domain>("domain", "Deployment text")};
};

struct TransferEnrollment {
  Address account{};
  bool enrolled = true;
  TimestampMs enrolled_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&TransferEnrollment::account>("account", "Account"),
      field<&TransferEnrollment::enrolled>("enrolled", "May send and receive"),
      field<&TransferEnrollment::enrolled_at>("enrolled_at", "Unix milliseconds; enrolling again does not change it")};
};

struct TransferRequest {
  Address account{};
  std::string domain{};
  Address recipient{};
  DecimalText amount{};
  std::string client_transfer_id{};

  static constexpr FieldInfo fields[] = {
      field<&TransferRequest::account>("account", "The account that pays and signs"),
      field<&TransferRequest::domain>("domain", "Deployment text"),
      field<&TransferRequest::recipient>("recipient", "The account that is paid; it must have enrolled as well"),
      field<&TransferRequest::amount>("amount", "USDX").refused_as(ErrorCode::invalid_amount),
      field<&TransferRequest::client_transfer_id>(
          "client_transfer_id",
          "1 to 64 bytes, the sender's own. Repeating it with the same recipient and amount, under a "
          "fresh nonce, returns the same receipt; with others it is a conflict")};
};

enum class TransferStatus : std::uint8_t { committed };
inline constexpr std::string_view transfer_status_texts[] = {"committed"};
constexpr EnumNames enum_names(TransferStatus) {
  return {"TransferStatus", transfer_status_texts};
}

struct TransferReceipt {
  std::string id{};
  std::string client_transfer_id{};
  Address sender{};
  Address recipient{};
  DecimalText amount{};
  std::string asset = "USDX";
  TransferStatus status = TransferStatus::committed;
  TimestampMs committed_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&TransferReceipt::id>("id", "Transfer id"),
      field<&TransferReceipt::client_transfer_id>("client_transfer_id", "The sender's id"),
      field<&TransferReceipt::sender>("sender", "Who paid"),
      field<&TransferReceipt::recipient>("recipient", "Who was paid"),
      field<&TransferReceipt::amount>("amount", "USDX"),
      field<&TransferReceipt::asset>("asset", "Asset"),
      field<&TransferReceipt::status>("status", "Only durable transfers have a receipt"),
      field<&TransferReceipt::committed_at>("committed_at", "Unix milliseconds")};
};

// `limit` and `cursor` are signed as the decoded text of the query, "" when absent.
struct TransfersRequest {
  Address account{};
  std::string domain{};
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&TransfersRequest::account>("account", "The account that reads and signs").query(),
      field<&TransfersRequest::domain>("domain", "Deployment text").query(),
      field<&TransfersRequest::limit>("limit", "Rows").page_of_at_most(500),
      field<&TransfersRequest::cursor>("cursor", "From X-Next-Cursor of the page before").query()};
};

struct TransferRef {
  std::string id{};
  Address account{};
  std::string domain{};

  static constexpr FieldInfo fields[] = {
      field<&TransferRef::id>("id", "Transfer id").path(),
      field<&TransferRef::account>("account", "The account that reads and signs").query(),
      field<&TransferRef::domain>("domain", "Deployment text").query()};
};

}  // namespace svc::api

// Ordinary USDX transfers. Only the owner's signature counts.

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
                                .errors = errors,
                                .effect = Effect::costly};
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
