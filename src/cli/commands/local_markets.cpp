// local halt, resume, settle, insurance
#include <array>

#include "base/decimal.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/spelling.h"
#include "cli/commands/command.h"
#include "cli/commands/control_call.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/read.h"
#include "cli/terminal/order_views.h"

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

// local flow, price

namespace {

// svc local flow [bots | none | DRILL]
class MoveFlow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("WHAT", what_, "bots, none, or the name of a drill; absent: show it");
    arguments.flag("--accounts", accounts_, "list the bots and their accounts");
    arguments.flag("--drills", drills_, "list the drills");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_sandbox(context));
    auto reply = SVC_TRY(exchange.call(what_ ? control_post("/flow", body()) : control_get("/flow")));
    if (accounts_) return listed(reply, "accounts", {{{"name", "name"}, {"account", "account"}, {"equity", "equity"}}});
    if (drills_) return listed(reply, "drills", {{{"name", "name"}, {"summary", "summary"}}});
    return answer_of(std::move(reply),
                     {{{"bots", "bots"},
                       {"drill", "drill"},
                       {"drill_ends", "", [](const Json& row) { return time_at(row, "drill_ends_ms"); }},
                       {"tape_played", "tape.played"},
                       {"tape_lines", "tape.lines"},
                       {"recorded", "record.lines"}},
                      Layout::sheet});
  }

 private:
  [[nodiscard]] Json body() const {
    if (*what_ == "bots" || *what_ == "none") return Json::object({{"bots", *what_ == "bots"}});
    return Json::object({{"drill", *what_}});
  }
  static Answer listed(const Reply& reply, std::string_view name, View view) {
    Answer answer;
    const Json* rows = reply.body.find(name);
    answer.data = rows == nullptr ? Json::array() : *rows;
    answer.view = std::move(view);
    return answer;
  }

  std::optional<std::string> what_;
  bool accounts_ = false, drills_ = false;
};

class SetPrice final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.positional("PRICE", price_, "index and mark price");
    arguments.flag("--walk", walk_, "go there on a straight line instead of at once");
    arguments.text("--shock", shock_, "PERCENT", "instead of PRICE: so much from where it is, such as -10%");
    arguments.text("--over", over_, "DURATION", "how long it takes (default 60s with --walk, else at once)");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(market_id(market_));
    if (price_.has_value() == shock_.has_value())
      return unexpected(Stop(usage_error("one of PRICE and --shock is needed")));
    if (price_) {
      const auto price = parse_decimal(*price_);
      if (!price || price->coefficient <= 0)
        return unexpected(Stop(usage_error("PRICE must be a positive decimal, not \"" + *price_ + "\"")));
    }
    return price_ && !walk_ && !over_ ? set(context) : walk(context);
  }

 private:
  Result<Answer, Stop> set(Context& context) const {
    auto exchange = SVC_TRY(open_sandbox(context));
    auto reply = SVC_TRY(exchange.call(control_post("/prices", Json::object({{market_, *price_}}))));
    Answer answer = answer_of(std::move(reply),
                              {{{"market", "market"}, {"mark", "mark"}, {"index", "index"}, {"sequence", "sequence"}}});
    const Json* prices = answer.data.find("prices");
    const Json* price = prices == nullptr ? nullptr : prices->find(market_);
    if (price == nullptr) return answer;
    answer.rows = Json::object({{"market", market_}, {"mark", *price}, {"index", *price}});
    if (const Json* sequence = answer.data.find("sequence")) answer.rows->set("sequence", *sequence);
    return answer;
  }

  Result<Answer, Stop> walk(Context& context) const {
    Json body = Json::object({});
    if (price_) body.set("to", *price_);
    if (shock_) {
      std::string percent = *shock_;
      if (percent.ends_with('%')) percent.pop_back();
      if (percent.starts_with('+')) percent.erase(0, 1);
      if (!parse_decimal(percent))
        return unexpected(Stop(usage_error("--shock must be such as -10% or 2.5, not \"" + *shock_ + "\"")));
      body.set("shock", percent);
    }
    constexpr std::int64_t walk_ms = 60'000;
    std::int64_t over_ms = walk_ ? walk_ms : 1'000;
    if (over_) {
      const auto given = SVC_TRY(parse_duration("--over", *over_));
      over_ms = given;
    }
    body.set("over_ms", over_ms);
    auto exchange = SVC_TRY(open_sandbox(context));
    auto reply = SVC_TRY(exchange.call(control_post("/prices/" + market_ + "/walk", body)));
    return answer_of(std::move(reply),
                     {{{"market", "market_id"}, {"from", "from"}, {"to", "to"}, {"ends", "", [](const Json& row) {
                                                                                   return time_at(row, "end_ms");
                                                                                 }}}});
  }

  std::string market_;
  std::optional<std::string> price_, shock_, over_;
  bool walk_ = false;
};

constexpr std::array local_flow_rows{
    CommandRow{"local flow", "[bots|none|DRILL]", "Show, start and stop the bots, or begin a drill", make<MoveFlow>},
    CommandRow{"local price", "MARKET PRICE", "Set index and mark price of a market, at once or bit by bit",
               make<SetPrice>},
};

}  // namespace

std::span<const CommandRow> local_flow_commands() {
  return local_flow_rows;
}

// local trade, fill, liquidate, adl, reset

namespace {

using namespace std::string_view_literals;

constexpr std::array taker_sides{"buy"sv, "sell"sv};

Result<void, Failure> check_decimal(std::string_view what, const std::optional<std::string>& text) {
  if (!text) return {};
  const auto value = parse_decimal(completed_decimal(*text));
  if (value && value->coefficient > 0) return {};
  return unexpected(usage_error(std::string(what) + " must be a positive decimal, not \"" + *text + "\""));
}

Result<Json, Stop> post(Context& context, const std::string& path, const Json& body) {
  auto exchange = SVC_TRY(open_sandbox(context));
  auto reply = SVC_TRY(exchange.call(control_post(path, body)));
  return std::move(reply.body);
}

// What happens at the book, and whose position it changed: a row each.
class Staged : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    const auto asked = SVC_TRY(request());
    auto body = SVC_TRY(post(context, asked.first, asked.second));
    Answer answer{.data = std::move(body),
                  .view = {{{"event", "event"},
                            {"market", "market_id"},
                            {"account", "account"},
                            {"was", "was"},
                            {"is", "is"},
                            {"sequence", "sequence"}}}};
    Json rows = Json::array();
    if (const Json* affected = answer.data.find("affected")) {
      for (const Json& one : affected->items()) {
        Json row = one;
        for (const char* name : {"event", "market_id", "sequence"})
          if (const Json* value = answer.data.find(name)) row.set(name, *value);
        rows.push(std::move(row));
      }
      if (affected->items().empty())
        context.notice("nothing_changed", "no position changed: nobody stood there to trade with");
    }
    answer.rows = std::move(rows);
    return answer;
  }

 protected:
  using Request = std::pair<std::string, Json>;
  [[nodiscard]] virtual Result<Request, Failure> request() const = 0;
};

class MakeTrade final : public Staged {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market");
    arguments.positional("SIZE", size_, "base units");
    arguments.remaining("@", at_, "where: @ 60100 (default: the mark price)");
    arguments.decimal("--price", price_, "PRICE", "same as @ PRICE");
    arguments.choice("--side", side_, taker_sides, "what the taker does (default buy)");
  }

 protected:
  Result<Request, Failure> request() const override {
    SVC_TRY(market_id(market_));
    SVC_TRY(check_decimal("SIZE", size_));
    const auto price = SVC_TRY(chosen_price());
    Json body = Json::object({{"quantity", completed_decimal(size_)}});
    if (price) body.set("price", *price);
    if (side_) body.set("side", *side_ == "buy" ? "Buy" : "Sell");
    return Request{"/markets/" + market_ + "/trade", std::move(body)};
  }

 private:
  Result<std::optional<std::string>, Failure> chosen_price() const {
    if (at_.empty()) return price_;
    std::string joined;
    for (const std::string& word : at_) joined += word;
    if (!joined.starts_with('@')) return unexpected(usage_error("after SIZE only @ PRICE may follow, such as @ 60100"));
    if (price_) return unexpected(usage_error("@ PRICE and --price exclude each other"));
    const std::optional<std::string> price = completed_decimal(joined.substr(1));
    SVC_TRY(check_decimal("@ PRICE", price));
    return price;
  }

  std::string market_, size_;
  std::vector<std::string> at_;
  std::optional<std::string> price_, side_;
};

class FillOrder final : public Staged {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ORDER_ID", order_, "an order that rests, anybody's");
    arguments.decimal("--size", size_, "SIZE", "so much of it (default: all that is left)");
  }

 protected:
  Result<Request, Failure> request() const override {
    for (const char c : order_)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_')
        return unexpected(usage_error("\"" + order_ + "\" is no id of an order"));
    SVC_TRY(check_decimal("--size", size_));
    Json body = Json::object({});
    if (size_) body.set("quantity", *size_);
    return Request{"/orders/" + order_ + "/fill", std::move(body)};
  }

 private:
  std::string order_;
  std::optional<std::string> size_;
};

enum class Distress : std::uint8_t { liquidation, deleveraging };

template <Distress distress>
class DistressAccount final : public Staged {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ADDR", account_, "account");
    arguments.text("--market", market_, "MARKET", "of the position, if it has several");
  }

 protected:
  Result<Request, Failure> request() const override {
    if (!parse_address(account_))
      return unexpected(usage_error("\"" + account_ + "\" is not an address: 0x and 40 hex digits"));
    Json body = Json::object({});
    if (market_) {
      SVC_TRY(market_id(*market_));
      body.set("market_id", *market_);
    }
    const std::string verb = distress == Distress::liquidation ? "/liquidate" : "/deleverage";
    return Request{"/accounts/" + account_ + verb, std::move(body)};
  }

 private:
  std::string account_;
  std::optional<std::string> market_;
};

class ResetSandbox final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--keep-markets", keep_markets_, "markets keep their prices");
  }
  Result<Answer, Stop> run(Context& context) override {
    Json terms = Json::object({});
    if (keep_markets_) terms.set("keep_prices", true);
    auto body = SVC_TRY(post(context, "/reset", terms));
    return Answer{
        .data = std::move(body),
        .view = {{{"now", "", [](const Json& row) { return time_at(row, "now_ms"); }}, {"sequence", "sequence"}}}};
  }

 private:
  bool keep_markets_ = false;
};

constexpr std::array local_staging_rows{
    CommandRow{"local trade", "MARKET SIZE [@ PRICE]", "Let two accounts of the house trade", make<MakeTrade>},
    CommandRow{"local fill", "ORDER_ID", "Let somebody take an order that rests", make<FillOrder>},
    CommandRow{"local liquidate", "ADDR", "Move the mark price to where an account is liquidated",
               make<DistressAccount<Distress::liquidation>>},
    CommandRow{"local adl", "ADDR", "Empty the book and move the mark price to where an account is deleveraged",
               make<DistressAccount<Distress::deleveraging>>},
    CommandRow{"local reset", "", "Make everything as it was at the start", make<ResetSandbox>},
};

}  // namespace

std::span<const CommandRow> local_staging_commands() {
  return local_staging_rows;
}

}  // namespace svc::cli
