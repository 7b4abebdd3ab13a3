#pragma once

#include "api/contract/declaration.h"

// Ordinary USDX transfers between accounts, authorised by the owner's signature. The headers carry the
// signature, its timestamp and, on the writes, its nonce. (D-132)

namespace svc::api {

struct EnrollTransfersRequest {
  Address account{};
  std::string domain{};

  static constexpr FieldInfo fields[] = {field<&EnrollTransfersRequest::account>("The account that enrols and signs"),
                                         field<&EnrollTransfersRequest::domain>("Deployment text")};
};

struct TransferEnrollment {
  Address account{};
  bool enrolled = true;
  TimestampMs enrolled_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&TransferEnrollment::account>("Account"), field<&TransferEnrollment::enrolled>("May send and receive"),
      field<&TransferEnrollment::enrolled_at>("Unix milliseconds; enrolling again does not change it")};
};

struct TransferRequest {
  Address account{};
  std::string domain{};
  Address recipient{};
  DecimalText amount{};
  std::string client_transfer_id{};

  static constexpr FieldInfo fields[] = {
      field<&TransferRequest::account>("The account that pays and signs"),
      field<&TransferRequest::domain>("Deployment text"),
      field<&TransferRequest::recipient>("The account that is paid; it must have enrolled as well"),
      field<&TransferRequest::amount>("USDX").refused_as(ErrorCode::invalid_amount),
      field<&TransferRequest::client_transfer_id>(
          "1 to 64 bytes, the sender's own. Repeating it with the same recipient and amount, under a fresh nonce, "
          "returns the same receipt; with others it is a conflict")};
};

enum class TransferStatus : std::uint8_t { committed };
SVC_WIRE_TEXTS(TransferStatus, "committed");

struct TransferReceipt {
  std::string id{}, client_transfer_id{};
  Address sender{}, recipient{};
  DecimalText amount{};
  std::string asset = "USDX";
  TransferStatus status = TransferStatus::committed;
  TimestampMs committed_at = 0;

  static constexpr FieldInfo fields[] = {field<&TransferReceipt::id>("Transfer id"),
                                         field<&TransferReceipt::client_transfer_id>("The sender's id"),
                                         field<&TransferReceipt::sender>("Who paid"),
                                         field<&TransferReceipt::recipient>("Who was paid"),
                                         field<&TransferReceipt::amount>("USDX"),
                                         field<&TransferReceipt::asset>("Asset"),
                                         field<&TransferReceipt::status>("Only durable transfers have a receipt"),
                                         field<&TransferReceipt::committed_at>("Unix milliseconds")};
};

// `limit` and `cursor` are signed as the decoded text of the query, "" when absent.
struct TransfersRequest {
  Address account{};
  std::string domain{};
  std::uint32_t limit = 100;
  std::optional<std::string> cursor{};

  static constexpr FieldInfo fields[] = {
      field<&TransfersRequest::account>("The account that reads and signs").query(),
      field<&TransfersRequest::domain>("Deployment text").query(),
      field<&TransfersRequest::limit>("Rows").page_of_at_most(500),
      field<&TransfersRequest::cursor>("From X-Next-Cursor of the page before").query()};
};

struct TransferRef {
  std::string id{};
  Address account{};
  std::string domain{};

  static constexpr FieldInfo fields[] = {field<&TransferRef::id>("Transfer id").path(),
                                         field<&TransferRef::account>("The account that reads and signs").query(),
                                         field<&TransferRef::domain>("Deployment text").query()};
};

}  // namespace svc::api

// Ordinary USDX transfers. Only the owner's signature counts.

namespace svc::api::ops {

inline constexpr Area transfers{"transfers"};

struct EnrollTransfers : Records<EnrollTransfersRequest, TransferEnrollment> {
  static constexpr Operation op = transfers(
      post, "enroll_transfers", "/transfers/enroll", "Enrol an account for ordinary transfers",
      "Signed by the owner as `EnrollTransferAccount`, which binds the deployment text.", Auth::owner_signature,
      refuses<transfer_account_ineligible, transfers_unavailable, transfer_engine_unavailable>);
};

struct SubmitTransfer : Records<TransferRequest, TransferReceipt> {
  static constexpr Operation op = transfers(
      post, "submit_transfer", "/transfers", "Pay USDX to another account",
      "Signed by the owner as `TransferIntent`. The same `client_transfer_id` with the same intent and a fresh nonce "
      "is answered with the same receipt; another intent is a conflict. The answer comes when the payment is durable.",
      Auth::owner_signature,
      refuses<transfer_account_ineligible, transfers_unavailable, invalid_amount,
              OperationError(insufficient_balance, 403), OperationError(account_in_liquidation, 403),
              transfer_outflow_blocked, not_found, transfer_id_conflict, transfer_engine_unavailable,
              transfer_outcome_unknown>,
      Effect::costly);
};

struct ListTransfers : Records<TransfersRequest, Page<TransferReceipt>> {
  static constexpr Operation op =
      transfers(get, "list_transfers", "/transfers", "List transfers, newest first",
                "Signed by the owner as `ListTransfers`; `limit` and `cursor` are signed as their texts in the query.",
                Auth::owner_signature, refuses<transfer_account_ineligible, transfers_unavailable>);
};

struct GetTransfer : Records<TransferRef, TransferReceipt> {
  static constexpr Operation op = transfers(
      get, "get_transfer", "/transfers/{id}", "Read a committed transfer",
      "Signed by the owner as `ReadTransfer`. Sender and recipient may read it; for everybody else it does not exist.",
      Auth::owner_signature, refuses<transfer_account_ineligible, transfers_unavailable, not_found>);
};

}  // namespace svc::api::ops
