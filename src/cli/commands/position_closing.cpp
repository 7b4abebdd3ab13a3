// positions close; flatten
#include <array>

#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "api/error_catalog.h"
#include "base/decimal.h"
#include "cli/commands/command.h"
#include "cli/commands/order_placing.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/read.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array closing_types{"limit"sv, "market"sv};

// The terms that shrink a position: the other side, reduce-only.
OrderTerms closing_terms(const Json& position) {
  OrderTerms terms;
  terms.market = std::string(position.string_at("market_id").value_or(""));
  terms.side = position.string_at("side") == "Long" ? "sell" : "buy";
  terms.size = std::string(position.string_at("size").value_or(""));
  terms.reduce_only = true;
  return terms;
}

class ClosePosition final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("MARKET", market_, "market of the position");
    arguments.decimal("--pct", percent_, "P", "how much of it, in per cent (default 100); whole lots, rounded down");
    arguments.text("--price", price_, "PRICE", "limit price, or mid-5bps, bid+1t (default: at market)");
    arguments.choice("--type", type_, closing_types, "limit or market (default: limit with a price)");
    arguments.integer("--max-slippage-bps", slippage_bps_, "N", "bound of the average price around the mid");
    flags_.declare(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto market = SVC_TRY(market_id(market_));
    const auto percent = parse_decimal(percent_.value_or("100"));
    const auto above = percent ? compared(*percent, {100, 0}) : std::nullopt;
    if (!above || *above > 0) return unexpected(Stop(usage_error("--pct must be above 0 and at most 100")));
    auto exchange = SVC_TRY(Exchange::open(context));
    TermReader reader(context, exchange, market);
    const auto position = SVC_TRY(reader.position());
    OrderTerms terms = closing_terms(position);
    if (*percent != Decimal{100, 0}) {
      const std::string text = format_decimal(*percent) + "%pos";
      const auto part = SVC_TRY(reader.resolve(text, {.kind = RelativeSize::Kind::position, .amount = *percent},
                                               api::Side::sell, std::nullopt));
      terms.size = part;
    }
    terms.price = price_;
    terms.type = type_;
    terms.max_slippage_bps = slippage_bps_;
    return place_order(context, terms, flags_);
  }

 private:
  std::string market_;
  std::optional<std::string> percent_, price_, type_;
  std::optional<std::uint64_t> slippage_bps_;
  PlacingFlags flags_;
};

// Orders first, so that none of them opens again what is closed; then the positions, at market. One that cannot be
// closed does not keep the others from it.
class Flatten final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--market", market_, "MARKET", "only this market");
    arguments.integer("--max-slippage-bps", slippage_bps_, "N", "bound of the average price around the mid");
    action_.declare(arguments);
    refuse_wait(arguments, "orders at market are over when they are answered");
    refuse_order_flags(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    api::CancelAllOrdersRequest cancels;
    if (market_) {
      auto id = SVC_TRY(market_id(*market_));
      cancels.market_id = std::move(id);
    }
    auto exchange = SVC_TRY(Exchange::open(context));
    Answer answer{.data = Json::array()};

    Call cancel = call_of<api::ops::CancelAllOrders>(cancels);
    cancel.direction = Direction::way_out;
    cancel.action = action_.choice();
    cancel.look_up = {command_line(context, "orders list")};
    const auto cancelled = exchange.call(cancel);
    if (!cancelled) {
      // A lost or refused cancel is no reason to keep the positions.
      if (!note_failure("cancel", market_.value_or("all"), cancelled.error(), answer))
        return unexpected(cancelled.error());
    } else {
      answer.data.push(Json::object({{"step", "cancel"},
                                     {"market", market_.value_or("all")},
                                     {"result", std::to_string(cancelled->body.items().size()) + " cancelled"},
                                     {"orders", cancelled->body}}));
    }

    const auto positions = exchange.call(call_of<api::ops::ListPositions>());
    if (!positions) {
      // What was cancelled, or may have been, is told, whatever became of the rest.
      const bool may_be_cancelled = cancelled || (failure_ && failure_->exit == ExitCode::outcome_unknown);
      if (!may_be_cancelled || !note_failure("close", market_.value_or("all"), positions.error(), answer))
        return unexpected(positions.error());
      return conclude(std::move(answer));
    }
    for (const Json& position : positions->body.items()) {
      if (market_ && position.string_at("market_id") != std::string_view(*market_)) continue;
      const auto size = parse_decimal(position.string_at("size").value_or(""));
      if (!size || size->coefficient == 0) continue;
      SVC_TRY(close(context, exchange, position, answer));
    }
    // A word that names no market must not look like a market that is flat.
    const bool nothing = cancelled && cancelled->body.items().empty() && closed_ == 0 && left_ == 0 && !failure_;
    if (nothing && cancels.market_id) {
      SVC_TRY(check_listed(exchange, *cancels.market_id));
    }
    return conclude(std::move(answer));
  }

 private:
  // False if there is nothing to go on with: a dry run.
  bool note_failure(std::string_view step, const std::string& market, const Failure& failure, Answer& answer) {
    if (failure.is_plan()) return false;
    answer.data.push(
        Json::object({{"step", step}, {"market", market}, {"result", failure.code}, {"message", failure.message}}));
    if (!failure_ || failure.exit == ExitCode::outcome_unknown) failure_ = failure;
    return true;
  }

  Result<void, Stop> close(Context& context, Exchange& exchange, const Json& position, Answer& answer) {
    OrderTerms terms = closing_terms(position);
    terms.max_slippage_bps = slippage_bps_;
    const auto id = SVC_TRY(ClientIdFlag{}.take(context));
    const auto order = SVC_TRY(order_of(terms, id));
    auto reply = exchange.call(placing_call(context, order, action_.choice()));
    if (!reply) {
      if (!note_failure("close", terms.market, reply.error(), answer)) return unexpected(reply.error());
      return {};
    }
    const std::string filled(reply->body.string_at("order.filled_qty").value_or("0"));
    const std::string average = average_price(reply->body);
    const bool whole = reply->body.string_at("order.status") == "Filled";
    std::string result = whole ? "closed " + filled : "closed " + filled + " of " + *terms.size;
    if (!average.empty()) result += " at " + average;
    Json row = Json::object({{"step", "close"}, {"market", terms.market}, {"result", std::move(result)}});
    for (std::size_t i = 0; i < reply->body.keys().size(); ++i) row.set(reply->body.keys()[i], reply->body.items()[i]);
    answer.data.push(std::move(row));
    if (whole) {
      ++closed_;
    } else {
      ++left_;
    }
    return {};
  }

  Result<Answer, Stop> conclude(Answer answer) {
    const bool no_market = failure_ && failure_->code == api::spelling(api::ErrorCode::unknown_market) && closed_ == 0;
    if (failure_ && (failure_->exit == ExitCode::outcome_unknown || no_market)) {
      answer.failure = std::move(failure_);
    } else if (failure_ || left_ > 0) {
      answer.failure = Failure{.exit = ExitCode::partial,
                               .code = "not_flat",
                               .message = failure_ ? "not everything was closed: " + failure_->message
                                                   : "the book did not take all of it; run it again",
                               .actions = {"svc positions list"}};
      answer.failure->details.set("closed", closed_);
      answer.failure->details.set("left", left_);
    }
    return answer;
  }

  std::optional<std::string> market_;
  std::optional<std::uint64_t> slippage_bps_;
  ActionFlag action_;
  std::optional<Failure> failure_;
  std::size_t closed_ = 0;
  std::size_t left_ = 0;
};

}  // namespace

std::span<const CommandRow> position_closing_commands() {
  static const CommandRow rows[]{
      {"positions close", "MARKET [--pct P] [--price PRICE]", "Close a position, or a part of it", make<ClosePosition>},
      {"flatten", "[--market MARKET]", "Cancel all orders, then close all positions at market", make<Flatten>},
  };
  return rows;
}

}  // namespace svc::cli
