// Ordinary transfers, with the owner's signature: enrol, pay, list, read.
#include <utility>

#include "api/contract/transfers.h"
#include "api/http/http_message.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/random.h"
#include "signing/actions.h"
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

// The parameter as signed: decoded, "" when absent. Decoding it was checked before.
std::string signed_parameter(const RequestContext& context, std::string_view name) {
  const auto encoded = find_parameter(context.request.query(), name);
  return encoded ? percent_decode(*encoded, Plus::is_blank).value_or(std::string()) : std::string();
}

// `claimed.account` must have signed the struct, with the timestamp and nonce of the headers, under the action domain
// and for this deployment. On writes its nonce is spent.
template <class Struct>
Result<void, ApiError> prove_owner(RequestContext& context, Struct claimed) {
  SVC_ASSERT(context.authentication.owner);
  const OwnerSignature& owner = *context.authentication.owner;
  claimed.timestamp_ms = static_cast<std::uint64_t>(owner.timestamp_ms);
  if constexpr (requires { claimed.nonce; }) claimed.nonce = *owner.nonce;
  const NetworkSettings& settings = context.network->settings;
  const auto separator = signing::separator(signing::action_domain(settings.domain_name));
  const auto digest = signing::typed_data_digest(separator, signing::struct_hash(claimed));
  const auto signer = signing::recover(digest, owner.signature);
  if (signer != claimed.account) return unexpected(context.refuse_signer(signer));
  // Signed with the right key, for another exchange: no nonce is spent.
  if (claimed.domain != settings.deployment)
    return unexpected(
        context.refuse_credential(AuthFault::signature_mismatch, "signed for deployment \"" + claimed.domain + '"'));
  context.prove_signer(claimed.account);
  return owner.nonce ? context.spend_owner_nonce(claimed.account, *owner.nonce) : Result<void, ApiError>{};
}

ApiError ineligible(std::string why) {
  return ApiError(ErrorCode::transfer_account_ineligible, std::move(why));
}

// The checks of every operation: transfers are available, and to this account.
Result<void, ApiError> admit_to_transfers(const RequestContext& context, const Address& account) {
  const NetworkInstance& network = *context.network;
  if (!network.money.switches.is_on(Switchable::transfers))
    return unexpected(ApiError(ErrorCode::transfers_unavailable));
  if (network.agents.find(account, context.now_ms)) return unexpected(ineligible("an agent is no account of its own"));
  return {};
}

// Payer and recipient must be enrolled, and the venue must know the recipient. The engine checks that the source
// is flat and has the money.
Result<void, ApiError> may_transfer(const RequestContext& context, const TransferRequest& request) {
  const NetworkInstance& network = *context.network;
  const TransferStore& transfers = network.money.transfers;
  if (transfers.is_full()) return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more payments are taken"));
  if (!transfers.enrolled_ms(request.account)) return unexpected(ineligible("the sender is not enrolled"));
  if (request.recipient == request.account) return unexpected(ineligible("sender and recipient are one account"));
  if (network.agents.find(request.recipient, context.now_ms))
    return unexpected(ineligible("the recipient is an agent"));
  if (network.tiers.of(request.recipient) == Tier::unlimited)
    return unexpected(ineligible("the recipient has the Unlimited tier, which takes no funds"));
  if (!transfers.enrolled_ms(request.recipient)) {
    const bool is_known =
        context.venue().views.read([&](const VenueView& view) { return view.accounts().contains(request.recipient); });
    if (is_known) return unexpected(ineligible("the recipient is not enrolled"));
    return unexpected(ApiError(ErrorCode::not_found, "the recipient has no account here"));
  }
  if (network.money.switches.is_frozen(request.account))
    return unexpected(
        ApiError(ErrorCode::transfer_outflow_blocked, "an operator froze what leaves the sender's account"));
  return {};
}

Answer<ops::EnrollTransfers> enroll_transfers(RequestContext& context, const EnrollTransfersRequest& request) {
  SVC_TRY(prove_owner(context, signing::EnrollTransferAccount{.account = request.account, .domain = request.domain}));
  SVC_TRY(admit_to_transfers(context, request.account));
  TransferStore& transfers = context.network->money.transfers;
  const bool is_new = !transfers.enrolled_ms(request.account);
  const auto since_ms = transfers.enroll(request.account, context.now_ms, context.records);
  if (!since_ms)
    return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more accounts can take part in transfers"));
  const auto undo = [&](RecordBatch&) {
    if (is_new) transfers.forget_enrollment(request.account);
  };
  if (!context.keep(undo)) return unexpected(ApiError(ErrorCode::transfer_engine_unavailable));
  return TransferEnrollment{.account = request.account, .enrolled = true, .enrolled_at = *since_ms};
}

Answer<ops::SubmitTransfer> submit_transfer(RequestContext& context, const TransferRequest& request) {
  SVC_TRY(prove_owner(context, signing::TransferIntent{.account = request.account,
                                                       .domain = request.domain,
                                                       .recipient = request.recipient,
                                                       .amount = request.amount.text,
                                                       .client_transfer_id = request.client_transfer_id}));
  if (request.client_transfer_id.empty() || request.client_transfer_id.size() > limits::client_transfer_id_chars_max)
    return unexpected(
        ApiError(ErrorCode::invalid_json,
                 "client_transfer_id takes 1 to " + std::to_string(limits::client_transfer_id_chars_max) + " bytes"));
  const auto amount = SVC_TRY(positive_amount(request.amount));
  SVC_TRY(admit_to_transfers(context, request.account));

  // Requests with one id are serialised here: one of them pays and the others return its receipt.
  MoneyServices& money = context.network->money;
  TransferStore& transfers = money.transfers;
  const auto turn = money.turns.take(request.account);
  if (const auto known = transfers.find(request.account, request.client_transfer_id)) {
    if (known->recipient == request.recipient && known->amount == amount) return receipt(*known);
    return unexpected(ApiError(ErrorCode::transfer_id_conflict));
  }
  SVC_TRY(may_transfer(context, request));

  const Transfer transfer{.number = transfers.take_number(),
                          .client_transfer_id = request.client_transfer_id,
                          .sender = request.account,
                          .recipient = request.recipient,
                          .amount = amount,
                          .committed_ms = context.now_ms};
  context.records_if_applied.push_back(TransferStore::row(transfer));
  SVC_TRY(submit(
      context,
      engine::Transfer{
          .from = transfer.sender, .to = transfer.recipient, .amount = transfer.amount, .record = transfer.number}));
  transfers.put(transfer);
  return receipt(transfer);
}

Answer<ops::ListTransfers> list_transfers(RequestContext& context, const TransfersRequest& request) {
  SVC_TRY(prove_owner(context, signing::ListTransfers{.account = request.account,
                                                      .domain = request.domain,
                                                      .limit = signed_parameter(context, "limit"),
                                                      .cursor = signed_parameter(context, "cursor")}));
  SVC_TRY(admit_to_transfers(context, request.account));
  const TransferStore& transfers = context.network->money.transfers;
  if (!transfers.enrolled_ms(request.account)) return unexpected(ineligible("the account is not enrolled"));
  const TransferPage page = transfers.page(request.account, parse_cursor(request.cursor), request.limit);
  return page_of(page.rows, page.next, receipt);
}

Answer<ops::GetTransfer> get_transfer(RequestContext& context, const TransferRef& request) {
  SVC_TRY(prove_owner(
      context, signing::ReadTransfer{.account = request.account, .domain = request.domain, .transfer_id = request.id}));
  SVC_TRY(admit_to_transfers(context, request.account));
  const auto number = parse_uuid(UuidKind::transfer, request.id);
  const auto transfer = number ? context.network->money.transfers.find(*number) : std::nullopt;
  if (!transfer || (transfer->sender != request.account && transfer->recipient != request.account))
    return unexpected(ApiError(ErrorCode::not_found));
  return receipt(*transfer);
}

}  // namespace

void bind_transfers(HandlerTable& handlers) {
  handlers.bind<ops::EnrollTransfers>(enroll_transfers);
  handlers.bind<ops::SubmitTransfer>(submit_transfer);
  handlers.bind<ops::ListTransfers>(list_transfers);
  handlers.bind<ops::GetTransfer>(get_transfer);
}

}  // namespace svc::sim
