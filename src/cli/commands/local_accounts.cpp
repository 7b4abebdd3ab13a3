// local accounts [list | new | fund ADDR AMOUNT | set-tier ADDR TIER]
#include <algorithm>
#include <array>

#include "api/contract/admin.h"
#include "base/address.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "cli/commands/admin.h"
#include "cli/commands/command.h"
#include "cli/commands/control_call.h"
#include "cli/commands/listing.h"
#include "cli/commands/read.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t count_max = 1'000;  // of accounts made at once

View accounts_view() {
  return {{{"index", "index"}, {"address", "address"}, {"balance", "balance"}, {"private_key", "private_key"}},
          Layout::rows};
}

class Accounts final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.remaining("ACTION", words_, "list, new, fund ADDR AMOUNT, set-tier ADDR TIER");
    arguments.integer("--count", count_, "N", "of new: how many (default 1)");
    arguments.decimal("--balance", balance_, "USDX", "of new: what each has (default 100000)");
    desk_.declare(arguments, false);
  }

  Result<Answer, Stop> run(Context& context) override {
    const std::string action = words_.empty() ? "list" : words_.front();
    auto exchange = SVC_TRY(open_sandbox(context));
    if (action != "new" && (count_ || balance_))
      return unexpected(Stop(usage_error("--count and --balance belong to svc local accounts new")));
    if (action == "list" && words_.size() <= 1) return list(exchange);
    if (action == "new" && words_.size() == 1) return add(context, exchange);
    if (action == "fund" && words_.size() == 3) return fund(exchange);
    if (action == "set-tier" && words_.size() == 3) return set_tier(context, exchange);
    return unexpected(Stop(usage_error("svc local accounts takes list, new, fund ADDR AMOUNT or set-tier ADDR TIER")));
  }

 private:
  static Result<Answer, Stop> list(Exchange& exchange) {
    auto reply = SVC_TRY(exchange.call(control_get("/status")));
    const Json* accounts = reply.body.find("accounts");
    return Answer{.data = accounts == nullptr ? Json::array() : *accounts, .view = accounts_view()};
  }

  // Keys of this machine's chance, with play money: they are for this sandbox, so they are shown.
  Result<Answer, Stop> add(Context& context, Exchange& exchange) {
    const std::uint64_t count = count_.value_or(1);
    if (count == 0 || count > count_max)
      return unexpected(Stop(usage_error("--count must be from 1 to " + std::to_string(count_max))));
    Answer answer{.data = Json::array(), .view = accounts_view()};
    for (std::uint64_t i = 0; i < count; ++i) {
      const signing::PrivateKey key = fresh_key(context.environment());
      const std::string address = to_string(key.address());
      auto reply = SVC_TRY(exchange.call(
          control_post("/fund", Json::object({{"account", address}, {"amount", balance_.value_or("100000")}}))));
      Json row = Json::object({{"index", i}, {"address", address}});
      row.set("balance", reply.body.string_at("balance") ? Json(reply.body.string_at("balance")) : Json());
      row.set("private_key", to_hex_0x(key.reveal()));
      answer.data.push(std::move(row));
    }
    return answer;
  }

  Result<Answer, Stop> fund(Exchange& exchange) const {
    if (!parse_address(words_[1]))
      return unexpected(Stop(usage_error("\"" + words_[1] + "\" is not an address: 0x and 40 hex digits")));
    if (const auto amount = parse_decimal(words_[2]); !amount || amount->coefficient <= 0)
      return unexpected(Stop(usage_error("AMOUNT must be a positive decimal, not \"" + words_[2] + "\"")));
    auto reply =
        SVC_TRY(exchange.call(control_post("/fund", Json::object({{"account", words_[1]}, {"amount", words_[2]}}))));
    return answer_of(std::move(reply), {{{"account", "account"}, {"amount", "amount"}, {"balance", "balance"}}});
  }

  // As the operator does it, with the sandbox's own operator secret.
  Result<Answer, Stop> set_tier(Context& context, Exchange& exchange) {
    const auto address = parse_address(words_[1]);
    if (!address) return unexpected(Stop(usage_error("\"" + words_[1] + "\" is not an address: 0x and 40 hex digits")));
    const auto tier = tier_spelling(words_[2]);
    if (!tier) {
      return unexpected(
          Stop(usage_error("TIER must be one of Pro, MarketMaker, Unlimited, not \"" + words_[2] + "\"")));
    }
    auto reply = SVC_TRY(desk_.change(context, exchange, {*address, "-", *tier}));
    return answer_of(std::move(reply), {{{"address", "address"}, {"tier", "tier"}}});
  }

  std::vector<std::string> words_;
  std::optional<std::uint64_t> count_;
  std::optional<std::string> balance_;
  OperatorDesk desk_;
};

constexpr std::array local_account_rows{
    CommandRow{"local accounts", "[list|new|fund ADDR AMOUNT|set-tier ADDR TIER]",
               "List the development accounts and their keys, or make more", make<Accounts>},
};

}  // namespace

std::span<const CommandRow> local_account_commands() {
  return local_account_rows;
}

// local bridge deposit, settle, fail; local switch, freeze, unfreeze

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
