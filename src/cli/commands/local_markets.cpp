// local halt, resume, settle, insurance
#include <array>

#include "base/decimal.h"
#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

constexpr std::string_view default_reason = "halted by the sandbox's user";

Result<void, Failure> check_amount(std::string_view what, const std::string& text) {
  const auto amount = parse_decimal(text);
  if (amount && amount->coefficient > 0) return {};
  return unexpected(usage_error(std::string(what) + " must be a positive decimal, not \"" + text + "\""));
}

Result<Answer, Stop> post(Context& context, const std::string& path, const Json& body, View view) {
  auto exchange = SVC_TRY(open_sandbox(context));
  auto reply = SVC_TRY(exchange.call(control_post(path, body)));
  return answer_of(std::move(reply), std::move(view));
}

// What a market's state becomes.
class MoveMarket : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(market_id(market_));
    const auto terms = SVC_TRY(body());
    return post(context, "/markets/" + market_ + "/" + std::string(verb()), terms,
                {{{"market", "market_id"}, {"status", "status"}, {"sequence", "sequence"}}});
  }

 protected:
  [[nodiscard]] virtual std::string_view verb() const = 0;
  [[nodiscard]] virtual Result<Json, Failure> body() const = 0;

  std::string market_;
};

class HaltMarket final : public MoveMarket {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.text("--reason", reason_, "TEXT", "what its status says");
  }

 protected:
  std::string_view verb() const override { return "halt"; }
  Result<Json, Failure> body() const override {
    return Json::object({{"reason", reason_.value_or(std::string(default_reason))}});
  }

 private:
  std::optional<std::string> reason_;
};

class ResumeMarket final : public MoveMarket {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.decimal("--inject", inject_, "USDX", "pay so much into the insurance fund first");
  }

 protected:
  std::string_view verb() const override { return "resume"; }
  Result<Json, Failure> body() const override {
    Json terms = Json::object({});
    if (inject_) terms.set("inject", *inject_);
    return terms;
  }

 private:
  std::optional<std::string> inject_;
};

class SettleMarket final : public MoveMarket {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.positional("PRICE", price_, "at which every position is closed");
  }

 protected:
  std::string_view verb() const override { return "settle"; }
  Result<Json, Failure> body() const override {
    SVC_TRY(check_amount("PRICE", price_));
    return Json::object({{"price", price_}});
  }

 private:
  std::string price_;
};

class FundInsurance final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("AMOUNT", amount_, "USDX"); }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check_amount("AMOUNT", amount_));
    return post(context, "/insurance", Json::object({{"amount", amount_}}),
                {{{"amount", "amount"}, {"insurance_fund", "insurance_fund"}, {"sequence", "sequence"}}});
  }

 private:
  std::string amount_;
};

constexpr std::array local_market_rows{
    CommandRow{"local halt", "MARKET", "Halt a market: cancels work, new orders do not", make<HaltMarket>},
    CommandRow{"local resume", "MARKET", "Open a halted market again", make<ResumeMarket>},
    CommandRow{"local settle", "MARKET PRICE", "Close every position of a market and delist it", make<SettleMarket>},
    CommandRow{"local insurance", "AMOUNT", "Pay play money into the insurance fund", make<FundInsurance>},
};

}  // namespace

std::span<const CommandRow> local_market_commands() {
  return local_market_rows;
}

}  // namespace svc::cli
