// bridge assets, withdraw, withdrawals list, withdrawals get, deposits list, deposits get
#include <array>

#include "api/contract/bridge.h"
#include "base/decimal.h"
#include "cli/arguments/spelling.h"
#include "cli/client/client_id.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/read.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

class ListAssets final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override { arguments.text("--chain", chain_, "NAME", "only this chain"); }

 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::ListBridgeAssets>(); }
  Answer render(Context&, Reply reply) override {
    Answer answer = answer_of(std::move(reply), {{{"chain", "chain"},
                                                  {"direction", "direction"},
                                                  {"asset", "symbol"},
                                                  {"min", "min_amount"},
                                                  {"fee", "fee"},
                                                  {"confirmations", "confirmations"}},
                                                 Layout::rows});
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

View withdrawal_view(Layout layout) {
  return {{{"id", "id"},
           {"time", "", [](const Json& row) { return time_at(row, "created_at"); }},
           {"amount", "", usdx_text},
           {"asset", "asset"},
           {"chain", "chain"},
           {"to", "address"},
           {"status", "status"},
           {"tx", "tx_hash"}},
          layout};
}

View deposit_view(Layout layout) {
  return {{{"id", "id"},
           {"time", "", [](const Json& row) { return time_at(row, "created_at"); }},
           {"amount", "amount"},
           {"asset", "asset"},
           {"chain", "chain"},
           {"confirmations", "confirmations"},
           {"of", "required_confirmations"},
           {"status", "status"},
           {"tx", "tx_hash"}},
          layout};
}

class Withdraw final : public Command {
 public:
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
    return answer_of(std::move(reply), withdrawal_view(Layout::rows));
  }

 private:
  std::string amount_;
  std::optional<std::string> key_;
  PlainWrite write_;
};

template <class Op, View (*view)(Layout)>
class GetRecord final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, "id of the record");
    arguments.flag("--wait", wait_, "until it is final");
    limit_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto call = [&] { return call_of<Op>({.id = id_}); };
    auto reply = SVC_TRY(wait_ ? poll(context, exchange, limit_, call, is_final) : exchange.call(call()));
    return answer_of(std::move(reply), view(Layout::sheet));
  }

 private:
  std::string id_;
  bool wait_ = false;
  WaitLimit limit_;
};

template <class Enum>
std::optional<Enum> chosen(const std::optional<std::string>& word, std::span<const std::string_view> names) {
  for (std::size_t i = 0; word && i < names.size(); ++i)
    if (names[i] == *word) return static_cast<Enum>(i);
  return std::nullopt;
}

constexpr RowKeys record_keys{"", "created_at"};
constexpr std::uint32_t records_max = page_rows_max<api::BridgeDepositsRequest>();

class ListWithdrawals final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--status", status_, api::bridge_withdrawal_status_texts, "only this status");
    flags_.declare(arguments, record_keys);
  }
  Result<Answer, Stop> run(Context& context) override {
    const api::BridgeWithdrawalsRequest request{
        .status = chosen<api::BridgeWithdrawalStatus>(status_, api::bridge_withdrawal_status_texts)};
    PageSource source = pages_of<api::ops::ListBridgeWithdrawals>(request);
    source.rows_max = records_max;  // the request has no number of rows
    return read_pages(context, flags_, record_keys, source, withdrawal_view(Layout::rows));
  }

 private:
  std::optional<std::string> status_;
  ListFlags flags_;
};

class ListDeposits final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--chain", chain_, "NAME", "only this chain");
    arguments.text("--asset", asset_, "NAME", "only this asset");
    arguments.choice("--status", status_, api::bridge_deposit_status_texts, "only this status");
    flags_.declare(arguments, record_keys);
  }
  Result<Answer, Stop> run(Context& context) override {
    const api::BridgeDepositsRequest request{
        .chain = chain_,
        .asset = asset_,
        .status = chosen<api::BridgeDepositStatus>(status_, api::bridge_deposit_status_texts)};
    return read_pages(context, flags_, record_keys, pages_of<api::ops::ListBridgeDeposits>(request),
                      deposit_view(Layout::rows));
  }

 private:
  std::optional<std::string> chain_, asset_, status_;
  ListFlags flags_;
};

constexpr std::array bridge_rows{
    CommandRow{"bridge assets", "", "List what may come in and go out, by chain", make<ListAssets>, 1, Repeats::yes},
    CommandRow{"bridge withdraw", "AMOUNT", "Withdraw over the bridge", make<Withdraw>},
    CommandRow{"bridge withdrawals list", "", "List bridge withdrawals", make<ListWithdrawals>, 1, Repeats::yes},
    CommandRow{"bridge withdrawals get", "ID", "Show one bridge withdrawal",
               make<GetRecord<api::ops::GetBridgeWithdrawal, withdrawal_view>>, 1, Repeats::yes},
    CommandRow{"bridge deposits list", "", "List bridge deposits", make<ListDeposits>, 1, Repeats::yes},
    CommandRow{"bridge deposits get", "ID", "Show one bridge deposit",
               make<GetRecord<api::ops::GetBridgeDeposit, deposit_view>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> bridge_commands() {
  return bridge_rows;
}

}  // namespace svc::cli
