// local trade, fill, liquidate, adl, reset
#include <array>

#include "base/decimal.h"
#include "cli/commands/control_call.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"

namespace svc::cli {
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
