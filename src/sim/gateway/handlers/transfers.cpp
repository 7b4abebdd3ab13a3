// Ordinary transfers, with the owner's signature: enrol, pay, list, read.

#include "api/contract/transfers.h"
#include "api/http/http_message.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/random.h"
#include "signing/action_request.h"
#include "signing/domain.h"
#include "signing/key.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {
namespace {

using namespace api;

TransferReceipt receipt(const Transfer& transfer) {
  return {.id = make_uuid(UuidKind::transfer, transfer.number),
          .client_transfer_id = transfer.client_transfer_id,
          .sender = transfer.sender,
          .recipient = transfer.recipient,
          .amount = usdx_text(transfer.amount),
          .asset = "USDX",
          .status = TransferStatus::committed,
          .committed_at = transfer.committed_ms};
}

// The account of the request must have signed the operation's struct, with the timestamp and nonce of the headers,
// under the action domain and for this deployment. On writes its nonce is spent.
Result<void, ApiError> prove_owner(RequestContext& context) {
  SVC_ASSERT(context.authentication.owner);
  const OwnerSignature& owner = *context.authentication.owner;
  const HttpRequest& request = context.request;
  const auto claimed = context.operation->owner(
      {.method = request.method, .path = request.path(), .query = request.query(), .body = request.body},
      {.timestamp_ms = static_cast<std::uint64_t>(owner.timestamp_ms), .nonce = owner.nonce.value_or(0)});
  if (!claimed) return unexpected(context.refuse_credential(AuthFault::action_not_formed, claimed.error()));
  const NetworkSettings& settings = context.network->settings;
  const auto separator = signing::separator(signing::action_domain(settings.domain_name));
  const auto digest = signing::typed_data_digest(separator, claimed->hash);
  const auto signer = signing::recover(digest, owner.signature);
  if (signer != claimed->account) return unexpected(context.refuse_signer(signer));
  // Signed with the right key, for another exchange: no nonce is spent.
  if (claimed->domain != settings.deployment)
    return unexpected(
        context.refuse_credential(AuthFault::signature_mismatch, "signed for deployment \"" + claimed->domain + '"'));
  context.prove_signer(claimed->account);
  return owner.nonce ? context.spend_owner_nonce(claimed->account, *owner.nonce) : Result<void, ApiError>{};
}

Answer<ops::EnrollTransfers> enroll_transfers(RequestContext& context, const EnrollTransfersRequest& request) {
  SVC_TRY(prove_owner(context));
  const auto since_ms = SVC_TRY(serve(context, EnrollForTransfers{request.account})).value;
  return TransferEnrollment{.account = request.account, .enrolled = true, .enrolled_at = since_ms};
}

Answer<ops::SubmitTransfer> submit_transfer(RequestContext& context, const TransferRequest& request) {
  SVC_TRY(prove_owner(context));
  if (request.client_transfer_id.empty() || request.client_transfer_id.size() > limits::client_transfer_id_chars_max)
    return refused(ErrorCode::invalid_json,
                   "client_transfer_id takes 1 to " + std::to_string(limits::client_transfer_id_chars_max) + " bytes");
  const auto amount = SVC_TRY(positive_amount(request.amount));
  const bool recipient_is_known =
      context.venue().views.read([&](const VenueView& view) { return view.knows(request.recipient); });
  const auto transferred = SVC_TRY(serve(context, TransferMoney{.sender = request.account,
                                                                .recipient = request.recipient,
                                                                .amount = amount,
                                                                .client_transfer_id = request.client_transfer_id,
                                                                .recipient_is_known = recipient_is_known}));
  return receipt(transferred.value);
}

Answer<ops::ListTransfers> list_transfers(RequestContext& context, const TransfersRequest& request) {
  SVC_TRY(prove_owner(context));
  const auto state = context.network->services.look();
  SVC_TRY(admit_to_transfers(*state, request.account, context.now_ms));
  if (!state->transfers.enrolled_ms(request.account))
    return refused(ErrorCode::transfer_account_ineligible, "the account is not enrolled");
  const TransferPage page = state->transfers.page(request.account, parse_cursor(request.cursor), request.limit);
  return page_of(page.rows, page.next, receipt);
}

Answer<ops::GetTransfer> get_transfer(RequestContext& context, const TransferRef& request) {
  SVC_TRY(prove_owner(context));
  const auto state = context.network->services.look();
  SVC_TRY(admit_to_transfers(*state, request.account, context.now_ms));
  const auto number = parse_uuid(UuidKind::transfer, request.id);
  const auto transfer = number ? state->transfers.find(*number) : std::nullopt;
  if (!transfer || (transfer->sender != request.account && transfer->recipient != request.account))
    return unexpected(ErrorCode::not_found);
  return receipt(*transfer);
}

}  // namespace

void bind_transfers(HandlerTable& handlers) {
  handlers.bind_all(enroll_transfers, submit_transfer, list_transfers, get_transfer);
}

}  // namespace svc::sim
