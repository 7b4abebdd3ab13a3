// local accounts [list | new | fund ADDR AMOUNT | set-tier ADDR TIER]
#include <array>

#include "api/ops/admin.h"
#include "base/decimal.h"
#include "base/hex.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/operator_desk.h"
#include "cli/commands/read.h"
#include "cli/secrets/fresh_key.h"

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

}  // namespace svc::cli
