// local flow, price
#include <array>

#include "base/decimal.h"
#include "cli/commands/control_call.h"
#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"

namespace svc::cli {
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

}  // namespace svc::cli
