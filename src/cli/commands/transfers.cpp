// transfers enroll, send, list, get; withdrawals submit, list
#include <algorithm>

#include "api/contract/funds.h"
#include "api/contract/transfers.h"
#include "base/decimal.h"
#include "cli/arguments/spelling.h"
#include "cli/client/client_id.h"
#include "cli/client/outgoing.h"
#include "cli/commands/operation_command.h"
#include "cli/store/allow_list.h"
#include "signing/actions.h"
#include "signing/domain.h"

namespace svc::cli {
namespace {

constexpr int usdx_decimals = 6;

Result<std::int64_t, Failure> usdx_amount(const std::string& text) {
  const auto amount = parse_scaled(text, usdx_decimals);
  if (amount && *amount > 0) return *amount;
  return unexpected(
      usage_error("AMOUNT must be positive USDX of at most 6 decimals, such as 25.5, not \"" + text + "\""));
}

// An address as it stands, or the one that the address book has under that label.
Result<Address, Failure> listed_or_typed(Context& context, const std::string& word) {
  if (const auto address = parse_address(word)) return *address;
  const auto network = SVC_TRY(context.network_name());
  const auto paths = SVC_TRY(context.paths());
  const auto listed = SVC_TRY(guards::load_addresses(*paths, network.text));
  const auto found = std::ranges::find(listed, word, &guards::ListedAddress::label);
  if (found != listed.end()) {
    context.say("to " + word + ": " + to_string(found->address));
    return found->address;
  }
  Failure failure{.exit = ExitCode::not_found,
                  .code = "address_not_found",
                  .message = "\"" + word +
                             "\" is no address (0x and 40 hex digits), and no label of the addresses of "
                             "network " +
                             network.text};
  failure.actions = {command_line(context, "addresses list")};
  return unexpected(std::move(failure));
}

// Every one of these is signed by the owner's wallet itself; no key and no agent stands in.
class OwnerCommand : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  Result<Answer, Stop> run(Context& context) final {
    SVC_TRY(check(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto owner = SVC_TRY(exchange.owner());
    context.facts().account = to_string(owner.account);
    return run_as(context, exchange, owner);
  }

 protected:
  [[nodiscard]] virtual Result<void, Failure> check(Context&) { return {}; }
  [[nodiscard]] virtual Result<Answer, Stop> run_as(Context& context, Exchange& exchange,
                                                    const Exchange::Owner& owner) = 0;
};

class EnrollTransfers final : public OwnerCommand {
  using OwnerCommand::OwnerCommand;

  Result<Answer, Stop> run_as(Context& context, Exchange& exchange, const Exchange::Owner& owner) override {
    Call call = call_of<api::ops::EnrollTransfers>({.account = owner.account, .domain = owner.terms.deployment});
    call.look_up = {command_line(context, "transfers list")};
    call.owner_struct = [&](const OwnerStamp& stamp) {
      return owner_signed(signing::EnrollTransferAccount{.account = owner.account,
                                                         .domain = owner.terms.deployment,
                                                         .timestamp_ms = stamp.timestamp_ms,
                                                         .nonce = stamp.nonce});
    };
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return shown(context, std::move(reply));
  }
};

class SendTransfer final : public OwnerCommand {
 public:
  using OwnerCommand::OwnerCommand;
  void declare(Arguments& arguments) override {
    arguments.positional("AMOUNT", amount_, "USDX");
    arguments.text("--to", to_, "ADDR|LABEL", "who is paid: an address, or a label of svc addresses list");
    arguments.text("--id", id_, "ID", "your own id of the payment: repeating it never pays twice (default: a new one)");
    arguments.no_field("--memo");
    arguments.flag("--allow-new-address", allow_new_address_,
                   "pay an address that is not on the list, or has not rested yet");
    write_.declare(arguments);
  }

 protected:
  Result<void, Failure> check(Context& context) override {
    if (!to_) return unexpected(usage_error("--to names the account that is paid"));
    amount_ = completed_decimal(amount_);
    SVC_TRY(usdx_amount(amount_));
    const auto recipient = SVC_TRY(listed_or_typed(context, *to_));
    recipient_ = recipient;
    return {};
  }
  Result<Answer, Stop> run_as(Context& context, Exchange& exchange, const Exchange::Owner& owner) override {
    const std::string id = id_ ? *id_ : make_client_id(context.environment());
    Call call = call_of<api::ops::SubmitTransfer>({.account = owner.account,
                                                   .domain = owner.terms.deployment,
                                                   .recipient = *recipient_,
                                                   .amount = api::DecimalText(amount_),
                                                   .client_transfer_id = id});
    call.client_ids = {id};
    call.allow_new_destination = allow_new_address_;
    // The same id and amount return the same receipt.
    call.look_up = {
        command_line(context, "transfers send " + amount_ + " --to " + to_string(*recipient_) + " --id " + id)};
    call.owner_struct = [&](const OwnerStamp& stamp) {
      return owner_signed(signing::TransferIntent{.account = owner.account,
                                                  .domain = owner.terms.deployment,
                                                  .recipient = *recipient_,
                                                  .amount = amount_,
                                                  .client_transfer_id = id,
                                                  .timestamp_ms = stamp.timestamp_ms,
                                                  .nonce = stamp.nonce});
    };
    context.facts().meta.set("client_id", id);
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return shown(context, std::move(reply));
  }

 private:
  std::string amount_;
  std::optional<std::string> to_;
  std::optional<Address> recipient_;
  std::optional<std::string> id_;
  bool allow_new_address_ = false;
};

class ListTransfers final : public OwnerCommand {
  using OwnerCommand::OwnerCommand;

  Result<Answer, Stop> run_as(Context& context, Exchange&, const Exchange::Owner& owner) override {
    PageSource source = pages_of<api::ops::ListTransfers>({});
    source.page = [&](const PageRequest& page) {
      Call call = call_of<api::ops::ListTransfers>(
          {.account = owner.account, .domain = owner.terms.deployment, .limit = page.rows, .cursor = page.cursor});
      // What is the default is not sent, and what is not sent is signed as "".
      const bool limit_sent = call.query.find("limit=") != std::string::npos;
      call.owner_struct = [&owner, limit = limit_sent ? std::to_string(page.rows) : std::string(),
                           cursor = page.cursor.value_or("")](const OwnerStamp& stamp) {
        return owner_signed(signing::ListTransfers{.account = owner.account,
                                                   .domain = owner.terms.deployment,
                                                   .limit = limit,
                                                   .cursor = cursor,
                                                   .timestamp_ms = stamp.timestamp_ms});
      };
      return call;
    };
    // Whose row it is decides its direction.
    const std::string own = to_string(owner.account);
    const auto add_rows = [&](Answer& answer) {
      answer.rows = Json::array();
      for (Json row : answer.data.items()) {
        const bool sent = row.string_at("sender") == std::string_view(own);
        row.set("direction", sent ? "out" : "in");
        row.set("counterparty", row.string_at(sent ? "recipient" : "sender"));
        answer.rows->push(std::move(row));
      }
    };
    return read_pages(context, flags_, *terms_.list, source, view(), add_rows);
  }
};

class GetTransfer final : public OwnerCommand {
 public:
  using OwnerCommand::OwnerCommand;
  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, "transfer id");
    arguments.flag("--wait", wait_, "until there is one of that id");
    limit_.declare(arguments);
  }

 protected:
  Result<Answer, Stop> run_as(Context& context, Exchange& exchange, const Exchange::Owner& owner) override {
    Call call = call_of<api::ops::GetTransfer>({.id = id_, .account = owner.account, .domain = owner.terms.deployment});
    call.owner_struct = [&](const OwnerStamp& stamp) {
      return owner_signed(signing::ReadTransfer{.account = owner.account,
                                                .domain = owner.terms.deployment,
                                                .transfer_id = id_,
                                                .timestamp_ms = stamp.timestamp_ms});
    };
    // A receipt is final once it exists.
    const auto is_missing = [](const Failure& failure) { return failure.exit == ExitCode::not_found; };
    const auto is_there = [](const Json&) { return true; };
    auto reply = SVC_TRY(wait_ ? poll(context, exchange, limit_, call, is_there, is_missing) : exchange.call(call));
    return shown(context, std::move(reply));
  }

 private:
  std::string id_;
  bool wait_ = false;
  WaitLimit limit_;
};

class SubmitWithdrawal final : public OwnerCommand {
 public:
  using OwnerCommand::OwnerCommand;
  void declare(Arguments& arguments) override {
    arguments.positional("AMOUNT", amount_, "USDX");
    arguments.refused("--to",
                      "the service has no field for a destination; a withdrawal goes to the wallet that signs it");
    arguments.refused("--allow-new-address",
                      "the service has no field for a destination; a withdrawal goes to the wallet that signs it");
    write_.declare(arguments);
  }

 protected:
  Result<void, Failure> check(Context&) override {
    const auto amount = SVC_TRY(usdx_amount(amount_));
    micro_usdx_ = amount;
    return {};
  }
  Result<Answer, Stop> run_as(Context& context, Exchange& exchange, const Exchange::Owner& owner) override {
    const auto nonce = SVC_TRY(exchange.next_nonce(owner.account));
    const signing::WithdrawIntent intent{.amount = static_cast<std::uint64_t>(micro_usdx_), .nonce = nonce};
    const auto digest =
        signing::typed_data_digest(signing::separator(owner.terms.domain), signing::struct_hash(intent));
    const auto signature = SVC_TRY(sign_struct(
        context, *owner.signer, owner.terms.domain,
        {.digest = digest, .document = [&] { return signing::typed_data_text(owner.terms.domain, intent); }}));
    Call call = call_of<api::ops::SubmitWithdrawal>({.wallet = owner.account,
                                                     .amount = {amount_},
                                                     .asset = to_string(intent.asset),
                                                     .nonce = {nonce},
                                                     .signature = signing::to_string(signature)});
    call.look_up = {command_line(context, "withdrawals list")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return shown(context, std::move(reply));
  }

 private:
  std::string amount_;
  std::int64_t micro_usdx_ = 0;
};

}  // namespace

std::span<const CommandRow> transfer_commands() {
  using api::TransferReceipt, api::Withdrawal;
  const std::vector<Column> receipt_columns{
      column<&TransferReceipt::id>(),           time_column<&TransferReceipt::committed_at>("time"),
      column<&TransferReceipt::sender>("from"), column<&TransferReceipt::recipient>("to"),
      column<&TransferReceipt::amount>(),       column<&TransferReceipt::client_transfer_id>("client_id"),
      column<&TransferReceipt::status>()};
  const std::vector<Column> withdrawal_columns{column<&Withdrawal::id>(), time_column<&Withdrawal::timestamp>("time"),
                                               column<&Withdrawal::amount>(), column<&Withdrawal::status>()};
  static const CommandRow rows[]{
      {"transfers enroll", "", "Enrol the account for transfers",
       operation<api::ops::EnrollTransfers, EnrollTransfers>(
           {.columns = {column<&api::TransferEnrollment::account>(), column<&api::TransferEnrollment::enrolled>(),
                        time_column<&api::TransferEnrollment::enrolled_at>("since")}})},
      {"transfers send", "AMOUNT --to ADDR", "Pay USDX to another account",
       operation<api::ops::SubmitTransfer, SendTransfer>({.columns = receipt_columns})},
      {"transfers list", "", "List transfers, newest first",
       operation<api::ops::ListTransfers, ListTransfers>(
           {.columns = {column<&TransferReceipt::id>(), time_column<&TransferReceipt::committed_at>("time"),
                        added("direction"), added("counterparty"), column<&TransferReceipt::amount>(),
                        column<&TransferReceipt::client_transfer_id>("client_id")},
            .list = {{.time_ms = "committed_at"}}})},
      {"transfers get", "ID", "Show one transfer",
       operation<api::ops::GetTransfer, GetTransfer>({.columns = receipt_columns, .layout = Layout::sheet})},
      {"withdrawals submit", "AMOUNT", "Withdraw USDX, signed by the wallet",
       operation<api::ops::SubmitWithdrawal, SubmitWithdrawal>({.columns = withdrawal_columns})},
      {"withdrawals list", "", "List withdrawals, newest first",
       operation<api::ops::ListWithdrawals>({.columns = withdrawal_columns, .list = {{.time_ms = "timestamp"}}})},
  };
  return rows;
}

}  // namespace svc::cli
