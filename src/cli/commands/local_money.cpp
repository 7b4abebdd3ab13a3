// local bridge deposit, settle, fail; local switch, freeze, unfreeze
#include <algorithm>
#include <array>

#include "base/address.h"
#include "base/decimal.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array on_off{"on"sv, "off"sv};
constexpr std::array deposit_assets{"USDC"sv, "USDX"sv};

Result<Answer, Stop> post_money(Context& context, std::string_view path, const Json& body, View view) {
  auto exchange = SVC_TRY(open_sandbox(context));
  auto reply = SVC_TRY(exchange.call(control_post(path, body)));
  return answer_of(std::move(reply), std::move(view));
}

Result<void, Stop> check_address(const std::string& text) {
  if (parse_address(text)) return {};
  return unexpected(Stop(usage_error("\"" + text + "\" is not an address: 0x and 40 hex digits")));
}

class SendDeposit final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", account_, "account");
    arguments.positional("AMOUNT", amount_, "of the asset");
    arguments.choice("--asset", asset_, deposit_assets, "what is sent (default USDX)");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_address(account_));
    if (const auto amount = parse_decimal(amount_); !amount || amount->coefficient <= 0)
      return unexpected(Stop(usage_error("AMOUNT must be a positive decimal, not \"" + amount_ + "\"")));
    Json body = Json::object({{"account", account_}, {"amount", amount_}});
    if (asset_) body.set("asset", *asset_);
    return post_money(
        context, "/bridge/deposits", body,
        {{{"id", "id"}, {"account", "account"}, {"amount", "amount"}, {"asset", "asset"}, {"status", "status"}}});
  }

 private:
  std::string account_, amount_;
  std::optional<std::string> asset_;
};

template <bool settle>
class Decide final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, "of a withdrawal (wd_…), bridge withdrawal (wdl_…) or bridge deposit (dep_…)");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (id_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      return unexpected(Stop(usage_error("\"" + id_ + "\" is no id of a withdrawal or bridge deposit")));
    return post_money(context, "/bridge/" + id_ + (settle ? "/settle" : "/fail"), Json::object({}),
                  {{{"id", "id"}, {"old", "old"}, {"new", "new"}}});
  }

 private:
  std::string id_;
};

// svc local switch [SERVICE on|off]
class Switch final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.remaining("SERVICE on|off", words_, "a service, and what becomes of it; nothing: show all");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_sandbox(context));
    Call call = control_get("/switches");
    if (!words_.empty()) {
      if (words_.size() != 2 || std::ranges::find(on_off, words_[1]) == on_off.end())
        return unexpected(Stop(usage_error("svc local switch takes a service and on or off")));
      call = control_post("/switches", Json::object({{words_[0], words_[1] == "on"}}));
    }
    auto reply = SVC_TRY(exchange.call(call));
    Answer answer{.data = reply.body, .view = {{{"service", "service"}, {"on", "on"}}}};
    answer.rows = Json::array();
    for (std::size_t i = 0; i < reply.body.keys().size(); ++i)
      answer.rows->push(Json::object({{"service", reply.body.keys()[i]}, {"on", reply.body.items()[i]}}));
    return answer;
  }

 private:
  std::vector<std::string> words_;
};

template <bool impose>
class FreezeAccount final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("ADDR", account_, "account"); }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_address(account_));
    return post_money(context, "/accounts/" + account_ + (impose ? "/freeze" : "/unfreeze"), Json::object({}),
                  {{{"account", "account"}, {"frozen", "frozen"}, {"sequence", "sequence"}}});
  }

 private:
  std::string account_;
};

constexpr std::array local_money_rows{
    CommandRow{"local bridge deposit", "ADDR AMOUNT", "Pay an account over the chain", make<SendDeposit>},
    CommandRow{"local bridge settle", "ID", "Confirm a withdrawal or bridge deposit now", make<Decide<true>>},
    CommandRow{"local bridge fail", "ID", "Let a withdrawal or bridge deposit fail", make<Decide<false>>},
    CommandRow{"local switch", "[SERVICE on|off]", "Show or switch what an operator can switch off", make<Switch>},
    CommandRow{"local freeze", "ADDR", "Let nothing leave an account", make<FreezeAccount<true>>},
    CommandRow{"local unfreeze", "ADDR", "Let money leave an account again", make<FreezeAccount<false>>},
};

}  // namespace

std::span<const CommandRow> local_money_commands() {
  return local_money_rows;
}

}  // namespace svc::cli
