// bridge assets, withdraw, withdrawals list, withdrawals get, deposits list, deposits get

#include "api/contract/bridge.h"
#include "base/decimal.h"
#include "cli/arguments/spelling.h"
#include "cli/client/client_id.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

class ListAssets final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override { arguments.text("--chain", chain_, "NAME", "only this chain"); }
  Result<Answer, Stop> run(Context& context) override {
    Answer answer = SVC_TRY(OperationCommand::run(context));
    Json rows = Json::array();
    const Json* chains = answer.data.find("chains");
    for (std::size_t i = 0; chains != nullptr && i < chains->items().size(); ++i) {
      const Json& chain = chains->items()[i];
      if (chain_ && chain.string_at("chain") != std::string_view(*chain_)) continue;
      for (const auto& [member, direction] : {std::pair{"deposit_assets", "in"}, {"withdraw_assets", "out"}}) {
        const Json* assets = chain.find(member);
        for (std::size_t k = 0; assets != nullptr && k < assets->items().size(); ++k) {
          Json row = assets->items()[k];
          row.set("chain", chain.string_at("chain"));
          row.set("direction", direction);
          rows.push(std::move(row));
        }
      }
    }
    answer.rows = std::move(rows);
    return answer;
  }

 private:
  std::optional<std::string> chain_;
};

// On the wire amounts of the bridge are whole numbers of the asset's smallest unit.
constexpr int usdx_decimals = 6;

std::string usdx_text(const Json& row) {
  const auto units = row.string_at("amount");
  const auto amount =
      units ? parse_scaled(*units, 0) : Result<std::int64_t, DecimalError>(unexpected(DecimalError::malformed));
  return amount ? format_decimal({*amount, usdx_decimals}) : cell_text(row.find("amount"));
}

class Withdraw final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.positional("AMOUNT", amount_, "USDX");
    arguments.text("--idempotency-key", key_, "KEY",
                   "repeating it with the same amount never withdraws twice (default: a new one)");
    for (const std::string_view name : {"--chain", "--asset", "--to"}) arguments.no_field(name);
    write_.declare(arguments);
    arguments.refused("--allow-new-address",
                      "the service has no field for a destination; it goes to the wallet that is registered");
  }
  Result<Answer, Stop> run(Context& context) override {
    amount_ = completed_decimal(amount_);
    const auto units = parse_scaled(amount_, usdx_decimals);
    if (!units || *units <= 0)
      return unexpected(Stop(
          usage_error("AMOUNT must be positive USDX of at most 6 decimals, such as 25.5, not \"" + amount_ + "\"")));
    const std::string key = key_ ? *key_ : make_client_id(context.environment());
    auto exchange = SVC_TRY(Exchange::open(context));
    Call call = call_of<api::ops::CreateBridgeWithdrawal>(
        {.idempotency_key = key, .amount = api::DecimalText(std::to_string(*units))});
    call.client_ids = {key};
    call.look_up = {command_line(context, "bridge withdraw " + amount_ + " --idempotency-key " + key)};
    context.facts().meta.set("idempotency_key", key);
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return shown(context, std::move(reply));
  }

 private:
  std::string amount_;
  std::optional<std::string> key_;
};

class GetRecord final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    OperationCommand::declare(arguments);
    arguments.flag("--wait", wait_, "until it is final");
    limit_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    return wait_ ? run_until(context, limit_, is_final) : OperationCommand::run(context);
  }

 private:
  bool wait_ = false;
  WaitLimit limit_;
};

}  // namespace

std::span<const CommandRow> bridge_commands() {
  using api::BridgeDeposit, api::BridgeWithdrawal;
  using Deposits = api::BridgeDepositsRequest;
  const std::vector<Column> withdrawal_columns{
      column<&BridgeWithdrawal::id>(),     time_column<&BridgeWithdrawal::created_at>("time"),
      computed("amount", usdx_text),       column<&BridgeWithdrawal::asset>(),
      column<&BridgeWithdrawal::chain>(),  column<&BridgeWithdrawal::address>("to"),
      column<&BridgeWithdrawal::status>(), column<&BridgeWithdrawal::tx_hash>("tx")};
  const std::vector<Column> deposit_columns{column<&BridgeDeposit::id>(),
                                            time_column<&BridgeDeposit::created_at>("time"),
                                            column<&BridgeDeposit::amount>(),
                                            column<&BridgeDeposit::asset>(),
                                            column<&BridgeDeposit::chain>(),
                                            column<&BridgeDeposit::confirmations>(),
                                            column<&BridgeDeposit::required_confirmations>("of"),
                                            column<&BridgeDeposit::status>(),
                                            column<&BridgeDeposit::tx_hash>("tx")};
  static const CommandRow rows[]{
      {"bridge assets", "", "List what may come in and go out, by chain",
       operation<api::ops::ListBridgeAssets, ListAssets>(
           {.columns = {added("chain"), added("direction"), placed("asset", "symbol"), placed("min", "min_amount"),
                        added("fee"), added("confirmations")}})},
      {"bridge withdraw", "AMOUNT", "Withdraw over the bridge",
       operation<api::ops::CreateBridgeWithdrawal, Withdraw>({.columns = withdrawal_columns})},
      {"bridge withdrawals list", "", "List bridge withdrawals",
       operation<api::ops::ListBridgeWithdrawals>(
           {.arguments = {flag<&api::BridgeWithdrawalsRequest::status>("--status", "", "only this status")},
            .columns = withdrawal_columns,
            .list = {{.time_ms = "created_at"}}})},
      {"bridge withdrawals get", "ID", "Show one bridge withdrawal",
       operation<api::ops::GetBridgeWithdrawal, GetRecord>(
           {.arguments = {positional<&api::BridgeRef::id>("ID", "id of the record")},
            .columns = withdrawal_columns,
            .layout = Layout::sheet})},
      {"bridge deposits list", "", "List bridge deposits",
       operation<api::ops::ListBridgeDeposits>(
           {.arguments = {flag<&Deposits::chain>("--chain", "NAME", "only this chain"),
                          flag<&Deposits::asset>("--asset", "NAME", "only this asset"),
                          flag<&Deposits::status>("--status", "", "only this status")},
            .columns = deposit_columns,
            .list = {{.time_ms = "created_at"}}})},
      {"bridge deposits get", "ID", "Show one bridge deposit",
       operation<api::ops::GetBridgeDeposit, GetRecord>(
           {.arguments = {positional<&api::BridgeRef::id>("ID", "id of the record")},
            .columns = deposit_columns,
            .layout = Layout::sheet})},
  };
  return rows;
}

}  // namespace svc::cli
