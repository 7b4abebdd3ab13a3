// Ordinary transfers, with the owner's signature: enrol, pay, list, read.

#include <memory>
#include <utility>

#include "api/contract/transfers.h"
#include "api/http/http_message.h"
#include "base/limits.h"
#include "base/random.h"
#include "signing/actions.h"
#include "sim/gateway/handlers/funds.h"
#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/owner_proof.h"

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

std::uint64_t signed_ms(const RequestContext& context) {
  return static_cast<std::uint64_t>(context.authentication.owner->timestamp_ms);
}

std::uint64_t signed_nonce(const RequestContext& context) {
  return *context.authentication.owner->nonce;
}

ApiError ineligible(std::string why) {
  return ApiError(ErrorCode::transfer_account_ineligible, std::move(why));
}

class TransferHandlers {
 public:
  TransferHandlers(NetworkInstance& network, VenueAccess venue)
      : agents_(network.agents),
        tiers_(network.tiers),
        money_(network.money),
        transfers_(network.money.transfers),
        venue_(venue) {}

  Answer<ops::EnrollTransfers> enroll(RequestContext& context, const EnrollTransfersRequest& request) const {
    SVC_TRY(prove_owner(context, request.account, request.domain,
                        signing::struct_hash(signing::EnrollTransferAccount{.account = request.account,
                                                                            .domain = request.domain,
                                                                            .timestamp_ms = signed_ms(context),
                                                                            .nonce = signed_nonce(context)})));
    SVC_TRY(admit(context, request.account));
    const bool is_new = !transfers_.enrolled_ms(request.account);
    const auto since_ms = transfers_.enroll(request.account, context.now_ms, context.records);
    if (!since_ms)
      return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more accounts can take part in transfers"));
    if (!context.keep()) {
      if (is_new) transfers_.forget_enrollment(request.account);
      return unexpected(ApiError(ErrorCode::transfer_engine_unavailable));
    }
    return TransferEnrollment{.account = request.account, .enrolled = true, .enrolled_at = *since_ms};
  }

  Answer<ops::SubmitTransfer> pay(RequestContext& context, const TransferRequest& request) const {
    SVC_TRY(prove_owner(context, request.account, request.domain,
                        signing::struct_hash(signing::TransferIntent{.account = request.account,
                                                                     .domain = request.domain,
                                                                     .recipient = request.recipient,
                                                                     .amount = request.amount.text,
                                                                     .client_transfer_id = request.client_transfer_id,
                                                                     .timestamp_ms = signed_ms(context),
                                                                     .nonce = signed_nonce(context)})));
    if (request.client_transfer_id.empty() || request.client_transfer_id.size() > limits::client_transfer_id_chars_max)
      return unexpected(
          ApiError(ErrorCode::invalid_json,
                   "client_transfer_id takes 1 to " + std::to_string(limits::client_transfer_id_chars_max) + " bytes"));
    const auto amount = SVC_TRY(positive_amount(request.amount));
    SVC_TRY(admit(context, request.account));

    // Requests with one id are serialised here: one of them pays and the others return its receipt.
    const auto turn = money_.turns.take(request.account);
    if (const auto known = transfers_.find(request.account, request.client_transfer_id)) {
      if (known->recipient == request.recipient && known->amount == amount) return receipt(*known);
      return unexpected(ApiError(ErrorCode::transfer_id_conflict));
    }
    SVC_TRY(may_pay(context, request));

    const Transfer transfer{.number = transfers_.take_number(),
                            .client_transfer_id = request.client_transfer_id,
                            .sender = request.account,
                            .recipient = request.recipient,
                            .amount = amount,
                            .committed_ms = context.now_ms};
    context.records_if_applied.push_back(TransferStore::row(transfer));
    SVC_TRY(venue_.submit(
        context,
        engine::Transfer{
            .from = transfer.sender, .to = transfer.recipient, .amount = transfer.amount, .record = transfer.number}));
    transfers_.put(transfer);
    return receipt(transfer);
  }

  Answer<ops::ListTransfers> list(RequestContext& context, const TransfersRequest& request) const {
    SVC_TRY(prove_owner(context, request.account, request.domain,
                        signing::struct_hash(signing::ListTransfers{.account = request.account,
                                                                    .domain = request.domain,
                                                                    .limit = signed_parameter(context, "limit"),
                                                                    .cursor = signed_parameter(context, "cursor"),
                                                                    .timestamp_ms = signed_ms(context)})));
    SVC_TRY(admit(context, request.account));
    if (!transfers_.enrolled_ms(request.account)) return unexpected(ineligible("the account is not enrolled"));
    const TransferPage page = transfers_.page(request.account, parse_cursor(request.cursor), request.limit);
    Page<TransferReceipt> answer;
    for (const Transfer& transfer : page.rows) answer.rows.push_back(receipt(transfer));
    if (page.next) answer.next_cursor = cursor_text(*page.next);
    return answer;
  }

  Answer<ops::GetTransfer> read(RequestContext& context, const TransferRef& request) const {
    SVC_TRY(prove_owner(context, request.account, request.domain,
                        signing::struct_hash(signing::ReadTransfer{.account = request.account,
                                                                   .domain = request.domain,
                                                                   .transfer_id = request.id,
                                                                   .timestamp_ms = signed_ms(context)})));
    SVC_TRY(admit(context, request.account));
    const auto number = parse_uuid(UuidKind::transfer, request.id);
    const auto transfer = number ? transfers_.find(*number) : std::nullopt;
    if (!transfer || (transfer->sender != request.account && transfer->recipient != request.account))
      return unexpected(ApiError(ErrorCode::not_found));
    return receipt(*transfer);
  }

 private:
  // The checks of every operation: transfers are available, and to this account.
  Result<void, ApiError> admit(const RequestContext& context, const Address& account) const {
    if (!money_.switches.is_on(Switchable::transfers)) return unexpected(ApiError(ErrorCode::transfers_unavailable));
    if (agents_.find(account, context.now_ms)) return unexpected(ineligible("an agent is no account of its own"));
    return {};
  }

  // Payer and recipient must be enrolled, and the venue must know the recipient. The engine checks that the source
  // is flat and has the money.
  Result<void, ApiError> may_pay(const RequestContext& context, const TransferRequest& request) const {
    if (transfers_.is_full())
      return unexpected(ApiError(ErrorCode::transfers_unavailable, "no more payments are taken"));
    if (!transfers_.enrolled_ms(request.account)) return unexpected(ineligible("the sender is not enrolled"));
    if (request.recipient == request.account) return unexpected(ineligible("sender and recipient are one account"));
    if (agents_.find(request.recipient, context.now_ms)) return unexpected(ineligible("the recipient is an agent"));
    if (tiers_.of(request.recipient) == Tier::unlimited)
      return unexpected(ineligible("the recipient has the Unlimited tier, which takes no funds"));
    if (!transfers_.enrolled_ms(request.recipient)) {
      if (is_known(request.recipient)) return unexpected(ineligible("the recipient is not enrolled"));
      return unexpected(ApiError(ErrorCode::not_found, "the recipient has no account here"));
    }
    if (money_.switches.is_frozen(request.account))
      return unexpected(
          ApiError(ErrorCode::transfer_outflow_blocked, "an operator froze what leaves the sender's account"));
    return {};
  }

  bool is_known(const Address& account) const {
    return venue_.views.read([&](const VenueView& view) { return view.accounts().contains(account); });
  }

  const AgentStore& agents_;
  const TierStore& tiers_;
  MoneyServices& money_;
  TransferStore& transfers_;
  VenueAccess venue_;
};

}  // namespace

void bind_transfers(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const TransferHandlers>(network, venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::EnrollTransfers>(&TransferHandlers::enroll);
  bind.operator()<ops::SubmitTransfer>(&TransferHandlers::pay);
  bind.operator()<ops::ListTransfers>(&TransferHandlers::list);
  bind.operator()<ops::GetTransfer>(&TransferHandlers::read);
}

}  // namespace svc::sim
