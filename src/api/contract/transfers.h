#pragma once

#include "api/contract/declaration.h"

// Ordinary USDX transfers between accounts, authorised by the owner's signature. The headers carry the
// signature, its timestamp and, on the writes, its nonce. (D-132)

namespace svc::api {

SVC_RECORD(EnrollTransfersRequest,
    (Address, account, {}, "The account that enrols and signs")
    (std::string, domain, {}, "Deployment text"));

SVC_RECORD(TransferEnrollment,
    (Address, account, {}, "Account")
    (bool, enrolled, = true, "May send and receive")
    (TimestampMs, enrolled_at, = 0, "Unix milliseconds; enrolling again does not change it"));

SVC_RECORD(TransferRequest,
    (Address, account, {}, "The account that pays and signs")
    (std::string, domain, {}, "Deployment text")
    (Address, recipient, {}, "The account that is paid; it must have enrolled as well")
    (DecimalText, amount, {}, "USDX", .refused_as(ErrorCode::invalid_amount))
    (std::string, client_transfer_id, {},
     "1 to 64 bytes, the sender's own. Repeating it with the same recipient and amount, under a fresh nonce, returns "
     "the same receipt; with others it is a conflict", .within(1, limits::client_transfer_id_chars_max)));

enum class TransferStatus : std::uint8_t { committed };
SVC_WIRE_TEXTS(TransferStatus, "committed");

SVC_RECORD(TransferReceipt,
    (std::string, id, {}, "Transfer id")
    (std::string, client_transfer_id, {}, "The sender's id")
    (Address, sender, {}, "Who paid")
    (Address, recipient, {}, "Who was paid")
    (DecimalText, amount, {}, "USDX")
    (std::string, asset, = "USDX", "Asset")
    (TransferStatus, status, = TransferStatus::committed, "Only durable transfers have a receipt")
    (TimestampMs, committed_at, = 0, "Unix milliseconds"));

// `limit` and `cursor` are signed as the decoded text of the query, "" when absent.
SVC_RECORD(TransfersRequest,
    (Address, account, {}, "The account that reads and signs", .query())
    (std::string, domain, {}, "Deployment text", .query())
    (std::uint32_t, limit, = 100, "Rows", .page_of_at_most(500))
    (std::optional<std::string>, cursor, {}, "From X-Next-Cursor of the page before", .query()));

SVC_RECORD(TransferRef,
    (std::string, id, {}, "Transfer id", .path())
    (Address, account, {}, "The account that reads and signs", .query())
    (std::string, domain, {}, "Deployment text", .query()));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area transfers{"transfers"};

SVC_OPERATIONS(TransferOperations,
    (EnrollTransfers, EnrollTransfersRequest, TransferEnrollment, transfers, post, "enroll_transfers",
     "/transfers/enroll", "Enrol an account for ordinary transfers",
     "Signed by the owner as `EnrollTransferAccount`, which binds the deployment text.", Auth::owner_signature,
     &signing::owner_form_of<signing::EnrollTransferAccount>,
     refuses<transfer_account_ineligible, transfers_unavailable, transfer_engine_unavailable>)
    (SubmitTransfer, TransferRequest, TransferReceipt, transfers, post, "submit_transfer", "/transfers",
     "Pay USDX to another account",
     "Signed by the owner as `TransferIntent`. The same `client_transfer_id` with the same intent and a fresh nonce "
     "is answered with the same receipt; another intent is a conflict. The answer comes when the payment is durable.",
     Auth::owner_signature, &signing::owner_form_of<signing::TransferIntent>,
     refuses<transfer_account_ineligible, transfers_unavailable, OperationError(insufficient_balance, 403),
     OperationError(account_in_liquidation, 403), transfer_outflow_blocked, not_found, transfer_id_conflict,
     transfer_engine_unavailable, transfer_outcome_unknown>, Effect::costly)
    (ListTransfers, TransfersRequest, Page<TransferReceipt>, transfers, get, "list_transfers", "/transfers",
     "List transfers, newest first",
     "Signed by the owner as `ListTransfers`; `limit` and `cursor` are signed as their texts in the query.",
     Auth::owner_signature, &signing::owner_form_of<signing::ListTransfers>,
     refuses<transfer_account_ineligible, transfers_unavailable>)
    (GetTransfer, TransferRef, TransferReceipt, transfers, get, "get_transfer", "/transfers/{id}",
     "Read a committed transfer",
     "Signed by the owner as `ReadTransfer`. Sender and recipient may read it; for everybody else it does not exist.",
     Auth::owner_signature, &signing::owner_form_of<signing::ReadTransfer>,
     refuses<transfer_account_ineligible, transfers_unavailable, not_found>));

}  // namespace svc::api::ops
