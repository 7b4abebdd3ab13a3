// Money in and out: faucet, deposits, withdrawals, transfers, the bridge; addresses that it may go to

#include "api/contract/funds.h"
#include "api/contract/bridge.h"
#include "api/contract/transfers.h"
#include "api/error_catalog.h"
#include "cli/client/credentials.h"
#include "cli/client/guards.h"
#include "cli/client/outgoing.h"
#include "cli/commands/operation_command.h"
#include "cli/store/allow_list.h"
#include "signing/actions.h"
#include "signing/domain.h"

namespace svc::cli {
namespace {

// There is no faucet where funds are real (API: Networks, rule 4); that is checked before any network call. The
// metadata says whether the network has one; if it says nothing, the service is asked.
Result<Exchange> open_faucet(Context& context) {
  const auto name = SVC_TRY(context.network_name());
  const auto config = SVC_TRY(context.config());
  const Funds funds = funds_of(name.text, settings_of(*config, name.text));
  if (funds != Funds::play) {
    return guard("no_faucet", "network ", name.text, " holds ", to_string(funds), " funds: there is no faucet");
  }
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto facts = SVC_TRY(exchange.facts());
  const Json& metadata = facts->metadata;
  const std::string serving(metadata.string_at("network").value_or(exchange.network().name));
  const Json* offered = metadata.at("networks." + serving + ".faucet");
  if (offered == nullptr || !offered->is(Json::Kind::boolean) || offered->truth()) return exchange;
  Failure failure = guard("no_faucet", "network ", exchange.network().name, " offers no faucet");
  if (exchange.network().is_local()) {
    failure.message += "; svc serve --local --faucet starts a sandbox with one";
    failure.actions = {"svc serve --local --faucet", command_line(context, "local fund ADDR AMOUNT")};
  }
  return failure;
}

struct UsdxAmount {
  std::string text;
  std::int64_t micro_usdx = 0;
};

Result<UsdxAmount> usdx_amount(const std::string& typed) {
  const std::string text = completed_decimal(typed);
  const auto amount = parse_scaled(text, usdx_decimals);
  if (amount && *amount > 0) return UsdxAmount{.text = text, .micro_usdx = *amount};
  return usage_error("AMOUNT must be positive USDX of at most 6 decimals, such as 25.5, not \"", text, "\"");
}

// A typed address, or the one with that label in the address book.
Result<Address> listed_or_typed(Context& context, const std::string& word) {
  if (const auto address = parse_address(word)) {
    SVC_TRY(read_address("ADDRESS", word));
    return *address;
  }
  const auto [network, paths] = SVC_TRY(context.network_files());
  const auto listed = SVC_TRY(guards::load_addresses(*paths, network.text));
  const auto found = std::ranges::find(listed, word, &guards::ListedAddress::label);
  if (found != listed.end()) {
    context.say("to " + word + ": " + to_string(found->address));
    return found->address;
  }
  return absent("address_not_found", "\"", word,
                "\" is no address (0x and 40 hex digits), and no label of the addresses of network ", network.text)
      .to_try({command_line(context, "addresses list")});
}

// For what the owner's wallet itself signs: its password is not asked for what is refused in any case.
template <class Op>
Result<Exchange> open_for_owner(Context& context) {
  SVC_TRY(check_agent_may_sign(context, Op::op));
  return Exchange::open(context);
}

// Who acts in what the owner's wallet itself signs, not a key or an agent.
template <class Wallet>
Result<Wallet> acting(Context& context, Result<Wallet> wallet) {
  if (wallet) context.facts().account = to_string(wallet->account);
  return wallet;
}

Result<Answer> enroll_transfers(Context& context, const OperationCommand& command) {
  auto exchange = SVC_TRY(open_for_owner<api::ops::EnrollTransfers>(context));
  const auto owner = SVC_TRY(acting(context, exchange.owner()));
  Call call = call_of<api::ops::EnrollTransfers>({.account = owner.account, .domain = owner.terms.deployment});
  call.look_up = {command_line(context, "transfers list")};
  return command.sent(context, exchange, call);
}

// The line that asks for the same again, confirmed as this one is.
std::string repeat_of(Context& context, std::vector<std::string> words) {
  if (const auto& confirmed = context.globals().confirm) words.insert(words.end(), {"--confirm", *confirmed});
  return command_line(context, join_words(words));
}

Result<Answer> send_transfer(Context& context, const OperationCommand& command) {
  const auto typed = SVC_TRY(command.given(context));
  if (!typed.contains("--to")) return usage_error("--to names the account that is paid");
  const std::string amount = SVC_TRY(usdx_amount(typed.at("AMOUNT"))).text;
  const Address recipient = SVC_TRY(listed_or_typed(context, typed.at("--to")));
  auto exchange = SVC_TRY(open_for_owner<api::ops::SubmitTransfer>(context));
  const auto owner = SVC_TRY(acting(context, exchange.owner()));
  const std::string id = typed.contains("--id") ? typed.at("--id") : make_client_id(context.environment());
  Call call = call_of<api::ops::SubmitTransfer>({.account = owner.account,
                                                 .domain = owner.terms.deployment,
                                                 .recipient = recipient,
                                                 .amount = api::DecimalText(amount),
                                                 .client_transfer_id = id});
  call.client_ids = {id};
  call.allow_new_destination = typed.contains("--allow-new-address");
  // The same id and amount return the same receipt.
  call.look_up = {repeat_of(context, {"transfers", "send", amount, "--to", to_string(recipient), "--id", id})};
  context.facts().meta.set("client_id", id);
  auto answer = command.sent(context, exchange, call);
  const bool is_refused_for_account =
      !answer && answer.error().code == api::spelling(api::ErrorCode::transfer_account_ineligible);
  if (is_refused_for_account && recipient != owner.account)
    answer.error().actions = {command_line(context, "transfers enroll"),
                              "have the account that is paid enrolled as well"};
  return answer;
}

Result<Answer> list_transfers(Context& context, const OperationCommand& command) {
  auto exchange = SVC_TRY(open_for_owner<api::ops::ListTransfers>(context));
  const auto owner = SVC_TRY(acting(context, exchange.owner()));
  PageSource source = pages_of<api::ops::ListTransfers>({});
  source.page = [&](const PageRequest& page) { return transfers_call(owner, page.rows, page.cursor); };
  // The direction depends on the account.
  const auto add_rows = [&](Answer& answer) {
    answer.rows = Json::list(answer.data.items(), [&](Json row) {
      const bool sent = row.address_at("sender") == owner.account;
      row.set("direction", sent ? "out" : "in");
      return row.set("counterparty", row.string_at(sent ? "recipient" : "sender"));
    });
  };
  return command.read(context, source, add_rows);
}

Result<Answer> get_transfer(Context& context, const OperationCommand& command) {
  const std::string id = SVC_TRY(command.given(context)).at("ID");
  auto exchange = SVC_TRY(open_for_owner<api::ops::GetTransfer>(context));
  const auto owner = SVC_TRY(acting(context, exchange.owner()));
  Call call = call_of<api::ops::GetTransfer>({.id = id, .account = owner.account, .domain = owner.terms.deployment});
  return command.sent(context, exchange, call);
}

// A receipt is final once it exists.
constexpr WaitTerms receipt_wait{.doc = "until there is one of that id",
                                 .done = [](const Json&, std::string_view) { return true; },
                                 .goes_on = [](const Failure& failure) { return failure.exit == ExitCode::not_found; }};

Result<Answer> submit_withdrawal(Context& context, const OperationCommand& command) {
  const auto amount = SVC_TRY(usdx_amount(SVC_TRY(command.given(context)).at("AMOUNT")));
  auto exchange = SVC_TRY(open_for_owner<api::ops::SubmitWithdrawal>(context));
  const auto owner = SVC_TRY(acting(context, exchange.withdrawer()));
  const auto nonce = SVC_TRY(exchange.next_nonce(owner.account));
  const signing::WithdrawIntent intent{.amount = static_cast<std::uint64_t>(amount.micro_usdx), .nonce = nonce};
  const auto signature = SVC_TRY(sign_struct(context, *owner.signer, owner.terms, owner_signed(intent)));
  Call call = call_of<api::ops::SubmitWithdrawal>({.wallet = owner.account,
                                                   .amount = {amount.text},
                                                   .asset = to_string(intent.asset),
                                                   .nonce = {nonce},
                                                   .signature = signing::to_string(signature)});
  call.look_up = {command_line(context, "withdrawals list")};
  return command.sent(context, exchange, call);
}

// One row for each asset and direction.
Result<void> list_assets(Context&, Answer& answer, const Given& given) {
  const auto wanted = given.find("--chain");
  std::vector<Json> chains = answer.data.items_at("chains");
  if (wanted != given.end())
    std::erase_if(chains,
                  [&](const Json& chain) { return chain.string_at("chain") != std::string_view(wanted->second); });
  answer.data.set("chains", Json::array(chains));
  answer.rows = Json::array();
  for (const Json& chain : chains) {
    for (const auto& [member, direction] : {std::pair{"deposit_assets", "in"}, {"withdraw_assets", "out"}}) {
      for (Json row : chain.items_at(member))
        answer.rows->push(row.set("chain", chain.string_at("chain")).set("direction", direction));
    }
  }
  return {};
}

// On the wire amounts of the bridge are whole numbers of the asset's smallest unit.
std::string usdx_text(const Json& row) {
  const auto units = row.string_at("amount");
  const auto amount = parse_scaled(units.value_or(""), 0);
  return amount ? format_decimal({*amount, usdx_decimals}) : cell_text(row.find("amount"));
}

Result<Answer> withdraw(Context& context, const OperationCommand& command) {
  const auto typed = SVC_TRY(command.given(context));
  const auto amount = SVC_TRY(usdx_amount(typed.at("AMOUNT")));
  const auto typed_key = typed.find("--idempotency-key");
  const std::string key = typed_key != typed.end() ? typed_key->second : make_client_id(context.environment());
  auto exchange = SVC_TRY(Exchange::open(context));
  Call call = call_of<api::ops::CreateBridgeWithdrawal>(
      {.idempotency_key = key, .amount = api::DecimalText(std::to_string(amount.micro_usdx))});
  call.client_ids = {key};
  call.look_up = {repeat_of(context, {"bridge", "withdraw", amount.text, "--idempotency-key", key})};
  context.facts().meta.set("idempotency_key", key);
  return command.sent(context, exchange, call);
}

constexpr WaitTerms final_wait{.doc = "until it is final",
                               .done = [](const Json& record, std::string_view) { return is_final(record); }};

using guards::ListedAddress;

Json row_of(const ListedAddress& one, std::string_view network) {
  return Json::object({{"label", one.label},
                       {"address", to_string(one.address)},
                       {"network", network},
                       {"added_at_ms", one.added_at_ms},
                       {"usable_from_ms", one.usable_from_ms}});
}

Result<Answer> list_addresses(Context& context, const std::optional<std::string>& label) {
  const auto files = SVC_TRY(context.network_files());
  auto all = SVC_TRY(guards::load_addresses(*files.paths, files.network.text));
  if (label) std::erase_if(all, [&](const ListedAddress& one) { return one.label != *label; });
  return Answer{.data = Json::list(all, [&](const ListedAddress& one) { return row_of(one, files.network.text); })};
}

// At least that of the network; only the configuration can shorten it.
Result<std::int64_t> cooldown_ms(Context& context, const Network& network, const std::optional<std::string>& typed) {
  const auto config = SVC_TRY(context.config());
  const auto terms = SVC_TRY(guards::terms_of(config->guards, network.name, network.real_funds()));
  const std::int64_t least_ms = terms.address_cooldown_ms.value_or(0);
  if (!typed) return least_ms;
  const auto asked_ms = SVC_TRY(parse_duration("--cooldown", *typed));
  if (asked_ms >= least_ms) return asked_ms;
  return guard("cooldown_too_short", "an address of network ", network.name, " rests at least ", least_ms / second_ms,
               " s");
}

Result<Answer> add_address(Context& context, const std::optional<std::string>& first,
                           const std::optional<std::string>& second, const std::optional<std::string>& flag_label,
                           const std::optional<std::string>& cooldown) {
  const bool by_flag = flag_label && first && !second;
  const bool by_place = !flag_label && first && second;
  if (!by_flag && !by_place) return usage_error("give LABEL ADDRESS, or ADDRESS --label LABEL");
  const std::string& label = by_flag ? *flag_label : *first;
  const std::string& typed = by_flag ? *first : *second;
  SVC_TRY(check_wallet_name(label));
  const auto address = parse_address(SVC_TRY(read_address("ADDRESS", typed)));
  const auto network = SVC_TRY(context.network());
  SVC_TRY(guards::refuse_dev_target(*network, *address));
  const auto rest_ms = SVC_TRY(cooldown_ms(context, *network, cooldown));
  ListedAddress listed{.label = label,
                       .address = *address,
                       .added_at_ms = context.now_ms(),
                       .usable_from_ms = context.now_ms() + rest_ms};
  const Json row = row_of(listed, network->name);
  if (context.globals().dry_run) return dry_run(row);
  SVC_TRY(guards::add_address(**context.paths(), network->name, std::move(listed)));
  return Answer{.data = row};
}

Result<Answer> remove_address(Context& context, const std::optional<std::string>& given,
                              const std::optional<std::string>& label) {
  if (given.has_value() == label.has_value()) return usage_error("give LABEL or --label");
  const std::string& which = given ? *given : *label;
  const auto [network, paths] = SVC_TRY(context.network_files());
  if (context.globals().dry_run) return dry_run(Json::object({{"remove", which}}));
  const auto removed = SVC_TRY(guards::remove_address(*paths, network.text, which));
  if (!removed) return absent("address_not_found", which, " is not on the list of network ", network.text);
  return Answer{.data = row_of(*removed, network.text)};
}

constexpr Output address_output{"label address network added_at_ms:integer usable_from_ms:integer",
                                "label address network usable_from@usable_from_ms"};

}  // namespace

std::vector<CommandRow> funds_commands() {
  return {
      {"faucet claim", "", "Claim play funds", "# play money",
       operation<api::ops::ClaimFaucet>({.columns = columns<api::FaucetClaim>("amount next_at@available_at_ms"),
                                         .look_up = "deposits list",
                                         .open = open_faucet})},
      {"faucet credit", "", "Claim today's credit of play funds", "# the daily credit",
       operation<api::ops::ClaimCredit>(
           {.arguments = {flag<&api::CreditRequest::amount>("--amount", "USDX", "default: all that is left today")},
            .columns = columns<api::CreditResponse>("amount credited_today daily_limit"),
            .look_up = "account show",
            .open = open_faucet})},
      // Credited at once; a service key may name another account.
      {"account deposit", "AMOUNT", "Deposit USDX collateral", "25  # collateral, credited at once",
       operation<api::ops::DepositCollateral>(
           {.arguments = {positional<&api::DepositCollateralRequest::amount>("AMOUNT", "USDX", read_amount),
                          flag<&api::DepositCollateralRequest::account_id>("--account-id", "ADDR",
                                                                           "account credited, for service keys")},
            .look_up = "account show"})},
      {"deposits submit", "--amount USDX", "Submit a deposit", "--amount 100  # a deposit",
       operation<api::ops::SubmitDeposit>(
           {.arguments = {demanded(flag<&api::SubmitDepositRequest::amount>("--amount", "USDX", "amount to deposit"),
                                   "--amount says how much"),
                          no_field("--tx")},
            .columns = columns<api::DepositReceipt>("id amount asset status balance"),
            .look_up = "deposits list"})},
      {"deposits list", "", "List deposits", "# deposits so far",
       operation<api::ops::ListDeposits>(
           {.columns = columns<api::FundsEntry>("id time@timestamp kind! amount! asset status!"),
            .list = {{.time_ms = "timestamp"}}})},
  };
}

std::vector<CommandRow> payment_commands() {
  using Deposits = api::BridgeDepositsRequest;
  const auto receipt_columns = columns<api::TransferReceipt>(
      "id time@committed_at from=sender to=recipient amount! client_id=client_transfer_id "
      "status!");
  const auto withdrawal_columns = columns<api::Withdrawal>("id time@timestamp amount! status!");
  const auto bridge_withdrawal_columns = columns<api::BridgeWithdrawal>(
      "id time@created_at amount()! asset chain to=address status! tx=tx_hash", {{"amount", usdx_text}});
  const auto bridge_deposit_columns = columns<api::BridgeDeposit>(
      "id time@created_at amount! asset chain confirmations of=required_confirmations status! tx=tx_hash");
  constexpr std::string_view to_signer =
      "the service has no field for a destination; a withdrawal goes to the wallet that signs it";
  return {
      {"transfers enroll", "", "Enrol the account for transfers",
       "--password-file ~/password  # let the account take part in transfers",
       operation<api::ops::EnrollTransfers>(
           {.columns = columns<api::TransferEnrollment>("account enrolled since@enrolled_at"),
            .run = enroll_transfers})},
      {"transfers send", "AMOUNT --to ADDR", "Pay USDX to another account",
       "5 --to $ADDR --id t-2 --password-file ~/password  # a transfer",
       operation<api::ops::SubmitTransfer>(
           {.arguments = {positional<&api::TransferRequest::amount>("AMOUNT", "USDX"),
                          own_text("--to", "ADDR|LABEL", "who is paid: an address, or a label of svc addresses list"),
                          own_text("--id", "ID",
                                   "your own id of the payment: repeating it never pays twice (default: a new one)"),
                          no_field("--memo"),
                          own_flag("--allow-new-address",
                                   "pay an address that is not on the list, or has not rested yet")},
            .columns = receipt_columns,
            .run = send_transfer})},
      {"transfers list", "", "List transfers, newest first", "--password-file ~/password  # transfers so far",
       operation<api::ops::ListTransfers>(
           {.columns = columns<api::TransferReceipt>(
                "id time@committed_at +direction! +counterparty! amount! client_id=client_transfer_id"),
            .list = {{.time_ms = "committed_at"}},
            .run = list_transfers})},
      {"transfers get", "ID", "Show one transfer", "$TRANSFER --password-file ~/password  # one of them",
       operation<api::ops::GetTransfer>({.arguments = {positional<&api::TransferRef::id>("ID", "transfer id")},
                                         .columns = receipt_columns,
                                         .layout = Layout::sheet,
                                         .run = get_transfer,
                                         .wait = receipt_wait})},
      {"withdrawals submit", "AMOUNT", "Withdraw USDX, signed by the wallet",
       "10 --password-file ~/password  # a withdrawal, signed by the wallet",
       operation<api::ops::SubmitWithdrawal>(
           {.arguments = {positional<&api::SubmitWithdrawalRequest::amount>("AMOUNT", "USDX"),
                          refused("--to", to_signer), refused("--allow-new-address", to_signer)},
            .columns = withdrawal_columns,
            .run = submit_withdrawal})},
      {"withdrawals list", "", "List withdrawals, newest first", "# withdrawals so far",
       operation<api::ops::ListWithdrawals>({.columns = withdrawal_columns, .list = {{.time_ms = "timestamp"}}})},
      {"bridge assets", "", "List what may come in and go out, by chain", "# what can be moved, and at what fee",
       operation<api::ops::ListBridgeAssets>(
           {.arguments = {own_text("--chain", "NAME", "only this chain")},
            .columns = columns("+chain +direction asset=+symbol min=+min_amount +fee +confirmations"),
            .then = list_assets})},
      {"bridge withdraw", "AMOUNT", "Withdraw over the bridge", "10  # a withdrawal to another chain",
       operation<api::ops::CreateBridgeWithdrawal>(
           {.arguments =
                {positional<&api::BridgeWithdrawalRequest::amount>("AMOUNT", "USDX"),
                 own_text("--idempotency-key", "KEY",
                          "within a day, repeating it with the same amount never withdraws twice (default: a new one)"),
                 no_field("--chain"), no_field("--asset"), no_field("--to"),
                 refused("--allow-new-address",
                         "the service has no field for a destination; it goes to the wallet that is "
                         "registered")},
            .columns = bridge_withdrawal_columns,
            .run = withdraw})},
      {"bridge withdrawals list", "", "List bridge withdrawals", "# withdrawals to other chains",
       operation<api::ops::ListBridgeWithdrawals>(
           {.arguments = {flag<&api::BridgeWithdrawalsRequest::status>("--status", "", "only this status")},
            .columns = bridge_withdrawal_columns,
            .list = {{.time_ms = "created_at"}}})},
      {"bridge withdrawals get", "ID", "Show one bridge withdrawal", "$WITHDRAWAL  # one of them",
       operation<api::ops::GetBridgeWithdrawal>(
           {.arguments = {positional<&api::BridgeRef::id>("ID", "id of the record")},
            .columns = bridge_withdrawal_columns,
            .layout = Layout::sheet,
            .wait = final_wait})},
      {"bridge deposits list", "", "List bridge deposits", "# deposits from other chains",
       operation<api::ops::ListBridgeDeposits>(
           {.arguments = {flag<&Deposits::chain>("--chain", "NAME", "only this chain"),
                          flag<&Deposits::asset>("--asset", "NAME", "only this asset"),
                          flag<&Deposits::status>("--status", "", "only this status")},
            .columns = bridge_deposit_columns,
            .list = {{.time_ms = "created_at"}}})},
      {"bridge deposits get", "ID", "Show one bridge deposit", "$DEPOSIT  # one of them",
       operation<api::ops::GetBridgeDeposit>({.arguments = {positional<&api::BridgeRef::id>("ID", "id of the record")},
                                              .columns = bridge_deposit_columns,
                                              .layout = Layout::sheet,
                                              .wait = final_wait})},
  };
}

std::vector<CommandRow> address_commands() {
  return {
      {"addresses list", "", "List addresses that money may be sent to", "# where money may go",
       Output{"[] label address network added_at_ms:integer usable_from_ms:integer",
              "label address network usable_from@usable_from_ms"},
       calls(list_addresses, {{"--label", "only this one", "LABEL"}}), Repeats::yes},
      {"addresses add", "LABEL ADDRESS", "Allow an address, usable after its cool-down",
       "cold $ADDR  # allow an address for transfers\n"
       "0x00000000000000000000000000000000000000aa --label colder  # the same with a flag",
       address_output,
       calls(add_address, {{"LABEL", "a name for it: letters, digits, - and _"},
                           {"ADDRESS", "0x and 40 hex digits; alone with --label"},
                           {"--label", "same as LABEL", "LABEL"},
                           {"--cooldown", "time before it can be used (default and least: the network's)", "D"}})},
      {"addresses remove", "LABEL", "Take an address off the list", "cold  # and no longer", address_output,
       calls(remove_address, {{"LABEL", "label or address"}, {"--label", "same as LABEL", "LABEL"}})},
  };
}

}  // namespace svc::cli
