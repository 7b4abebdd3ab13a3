// margin add, remove, mode get, mode set, leverage; account cancel-on-disconnect get, on, off
#include <array>
#include <charconv>

#include "api/contract/account.h"
#include "api/contract/margin.h"
#include "base/decimal.h"
#include "cli/arguments/spelling.h"
#include "cli/client/account_lookup.h"
#include "cli/commands/command.h"
#include "cli/commands/market_names.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

// A write about one market that carries a signed action.
class MarginWrite : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    declare_terms(arguments);
    action_.declare(arguments);
    seen_.declare(arguments);
    refuse_order_flags(arguments);
  }
  Result<Answer, Stop> run(Context& context) final {
    const auto id = SVC_TRY(market_id(market_));
    auto wanted = SVC_TRY(call(id));
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto before = SVC_TRY(context.globals().dry_run ? Result<Json, Stop>(Json()) : read_before(exchange, id));
    wanted.action = action_.choice();
    wanted.look_up = {command_line(context, look_up(id))};
    auto reply = SVC_TRY(seen_.send(context, exchange, wanted));
    Answer answer = answer_of(std::move(reply), view());
    answer.rows = answer.data;
    add_columns(*answer.rows, before);
    return answer;
  }

 protected:
  virtual void declare_terms(Arguments& arguments) = 0;
  [[nodiscard]] virtual Result<Call, Failure> call(const api::MarketId& id) = 0;
  [[nodiscard]] virtual View view() = 0;
  [[nodiscard]] virtual std::string look_up(const api::MarketId& id) = 0;
  // What the columns say about the time before; null if nothing.
  [[nodiscard]] virtual Result<Json, Stop> read_before(Exchange&, const api::MarketId&) { return Json(); }
  virtual void add_columns(Json& row, const Json& before) = 0;

 private:
  std::string market_;
  ActionFlag action_;
  SeenFlag seen_;
};

template <api::MarginDirection direction>
class AdjustMargin final : public MarginWrite {
 protected:
  void declare_terms(Arguments& arguments) override { arguments.positional("AMOUNT", amount_, "USDX"); }
  Result<Call, Failure> call(const api::MarketId& id) override {
    amount_ = completed_decimal(amount_);
    const auto amount = parse_decimal(amount_);
    if (!amount || amount->coefficient <= 0)
      return unexpected(usage_error("AMOUNT must be a positive decimal such as 25.5, not \"" + amount_ + "\""));
    return call_of<api::ops::AdjustMargin>(
        {.market_id = id, .amount = api::DecimalText(amount_), .direction = direction});
  }
  View view() override {
    return {{{"market", "market_id"},
             {"direction", "direction"},
             {"amount", "amount"},
             {"allocated", "allocated_margin"},
             {"collateral", "collateral"}},
            Layout::rows};
  }
  std::string look_up(const api::MarketId&) override { return "positions list"; }
  void add_columns(Json& row, const Json&) override {
    row.set("direction", to_string(direction));
    row.set("amount", amount_);
  }

 private:
  std::string amount_;
};

View mode_view() {
  return {{{"market", "market_id"}, {"mode", "margin_mode"}, {"source", "source"}, {"leverage", "leverage"}}, Layout::rows};
}

class GetMode final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market (default: the account's own mode)");
  }

 protected:
  Result<Call, Failure> call() override {
    api::GetMarginModeRequest request;
    if (market_) {
      const auto id = SVC_TRY(market_id(*market_));
      request.market_id = id;
    }
    return call_of<api::ops::GetMarginMode>(request);
  }
  Answer render(Context&, Reply reply) override { return answer_of(std::move(reply), mode_view()); }

 private:
  std::optional<std::string> market_;
};

class SetMode final : public MarginWrite {
 protected:
  void declare_terms(Arguments& arguments) override { arguments.positional("MODE", mode_, "cross or isolated"); }
  Result<Call, Failure> call(const api::MarketId& id) override {
    const auto mode = trade::parse<trade::MarginMode>(mode_);
    if (!mode) return unexpected(usage_error("MODE must be cross or isolated, not \"" + mode_ + "\""));
    return call_of<api::ops::SetMarginMode>({.market_id = id, .margin_mode = *mode});
  }
  View view() override {
    return {{{"market", "market_id"}, {"mode", "margin_mode"}, {"previous", "previous"}}, Layout::rows};
  }
  std::string look_up(const api::MarketId& id) override { return "margin mode get " + id.text; }
  Result<Json, Stop> read_before(Exchange& exchange, const api::MarketId& id) override {
    const auto set = SVC_TRY(MarketSettings(exchange).of(id));
    return Json(set.margin_mode);
  }
  void add_columns(Json& row, const Json& before) override { row.set("previous", before); }

 private:
  std::string mode_;
};

class SetLeverage final : public MarginWrite {
 protected:
  void declare_terms(Arguments& arguments) override { arguments.positional("X", leverage_, "whole number from 1"); }
  Result<Call, Failure> call(const api::MarketId& id) override {
    std::uint32_t value = 0;
    const bool says_times = leverage_.ends_with('x') || leverage_.ends_with('X');  // "10x"
    const char* end = leverage_.data() + leverage_.size() - (says_times ? 1 : 0);
    const auto [stop, error] = std::from_chars(leverage_.data(), end, value);
    if (error != std::errc{} || stop != end || value == 0)
      return unexpected(usage_error("X must be a whole number from 1, such as 10, not \"" + leverage_ + "\""));
    return call_of<api::ops::SetLeverage>({.market_id = id, .leverage = value});
  }
  View view() override {
    return {{{"market", "market_id"}, {"leverage", "leverage"}, {"previous", "previous"}}, Layout::rows};
  }
  std::string look_up(const api::MarketId& id) override { return "margin mode get " + id.text; }
  Result<Json, Stop> read_before(Exchange& exchange, const api::MarketId& id) override {
    const auto set = SVC_TRY(MarketSettings(exchange).of(id));
    return Json(set.leverage);
  }
  void add_columns(Json& row, const Json& before) override { row.set("previous", before); }

 private:
  std::string leverage_;
};

View disconnect_view() {
  return {{{"enabled", "enabled"}, {"active", "active"}, {"grace_secs", "grace_secs"}}, Layout::rows};
}

template <bool enabled>
class SwitchCancelOnDisconnect final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.no_field("--timeout-secs");
    write_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    Call call = call_of<api::ops::SetCancelOnDisconnect>({.enabled = enabled});
    call.look_up = {command_line(context, "account cancel-on-disconnect get")};
    auto reply = SVC_TRY(write_.send(context, exchange, call));
    return answer_of(std::move(reply), disconnect_view());
  }

 private:
  PlainWrite write_;
};

constexpr std::array margin_rows{
    CommandRow{"margin add", "MARKET AMOUNT", "Add margin to an isolated position",
               make<AdjustMargin<api::MarginDirection::add>>},
    CommandRow{"margin remove", "MARKET AMOUNT", "Take margin from an isolated position",
               make<AdjustMargin<api::MarginDirection::remove>>},
    CommandRow{"margin mode get", "[MARKET]", "Show the margin mode, and the leverage of a market", make<GetMode>, 1, Repeats::yes},
    CommandRow{"margin mode set", "MARKET cross|isolated", "Set the margin mode of a market", make<SetMode>},
    CommandRow{"margin leverage", "MARKET X", "Set the leverage of a market", make<SetLeverage>},
    CommandRow{"account cancel-on-disconnect get", "", "Show whether orders are cancelled when the last stream closes",
               make<PlainRead<api::ops::GetCancelOnDisconnect, disconnect_view>>, 1, Repeats::yes},
    CommandRow{"account cancel-on-disconnect on", "", "Cancel orders when the last stream closes",
               make<SwitchCancelOnDisconnect<true>>},
    CommandRow{"account cancel-on-disconnect off", "", "Leave orders when the last stream closes",
               make<SwitchCancelOnDisconnect<false>>},
};

}  // namespace

std::span<const CommandRow> margin_commands() {
  return margin_rows;
}

}  // namespace svc::cli
