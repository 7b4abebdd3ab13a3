#include "cli/commands/batch_check.h"

#include <map>
#include <set>

#include "api/ops/markets.h"
#include "cli/commands/decimal_math.h"

namespace svc::cli {
namespace {

struct Market {
  Json rules;
  bool halted = false;
};
using Markets = std::map<std::string, Market, std::less<>>;

std::optional<Decimal> decimal_at(const Json& row, std::string_view key) {
  const auto number = parse_decimal(row.string_at(key).value_or(""));
  return number ? std::optional(*number) : std::nullopt;
}

bool whole_steps(const Decimal& value, const std::optional<Decimal>& step) {
  if (!step || step->coefficient <= 0) return true;
  const auto below = to_step(value, *step, Rounding::down);
  return below && *below == value;
}

// What is wrong with the order, empty if nothing is. A rule that the server does not tell is left to it.
std::string problem_of(const api::OrderRequest& order, const Markets& markets) {
  const auto found = markets.find(order.market_id.text);
  if (found == markets.end()) return "unknown market " + order.market_id.text;
  const Json& rules = found->second.rules;
  if (found->second.halted) return order.market_id.text + " is halted";
  const auto size = parse_decimal(order.quantity.text);
  if (!size || size->coefficient <= 0) return "quantity " + order.quantity.text + " is not above zero";
  const auto text_of = [&](std::string_view key) { return std::string(rules.string_at(key).value_or("")); };
  if (!whole_steps(*size, decimal_at(rules, "lot_size")))
    return "quantity " + order.quantity.text + " is not a multiple of the lot " + text_of("lot_size");
  const auto least = decimal_at(rules, "min_order_size");
  const auto most = decimal_at(rules, "max_order_size");
  if (least && compared(*size, *least).value_or(0) < 0)
    return "quantity " + order.quantity.text + " is below the smallest order " + text_of("min_order_size");
  if (most && compared(*size, *most).value_or(0) > 0)
    return "quantity " + order.quantity.text + " is above the largest order " + text_of("max_order_size");
  for (const auto* price : {&order.price, &order.trigger_price, &order.stop_price}) {
    if (!*price) continue;
    const auto value = parse_decimal((*price)->text);
    if (!value || value->coefficient <= 0) return "price " + (*price)->text + " is not above zero";
    if (!whole_steps(*value, decimal_at(rules, "tick_size")))
      return "price " + (*price)->text + " is not a multiple of the tick " + text_of("tick_size");
  }
  return {};
}

}  // namespace

std::string problem_of_order(const api::OrderRequest& order, const Json& markets) {
  Markets known;
  for (const Json& row : markets.items())
    known.insert_or_assign(std::string(row.string_at("market_id").value_or("")), Market{.rules = row});
  return problem_of(order, known);
}

Result<void, Stop> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines) {
  const auto listed = SVC_TRY(exchange.call(call_of<api::ops::ListMarkets>()));
  const auto summaries = SVC_TRY(exchange.call(call_of<api::ops::ListMarketSummaries>()));
  Markets markets;
  for (const Json& row : listed.body.items())
    markets.insert_or_assign(std::string(row.string_at("market_id").value_or("")), Market{.rules = row});
  for (const Json& row : summaries.body.items()) {
    const auto market = markets.find(row.string_at("market_id").value_or(""));
    if (market != markets.end()) market->second.halted = row.string_at("status") == "halted";
  }

  Json problems = Json::array();
  std::set<std::string, std::less<>> client_ids;
  for (const BatchLine& line : lines) {
    std::string problem = problem_of(line.order, markets);
    if (problem.empty() && line.order.client_id && !client_ids.insert(*line.order.client_id).second)
      problem = "client id " + *line.order.client_id + " stands twice";
    if (!problem.empty()) problems.push(Json::object({{"line", line.line}, {"problem", std::move(problem)}}));
  }
  if (problems.items().empty()) return {};
  const Json& first = problems.items().front();
  Failure failure{.exit = ExitCode::invalid,
                  .code = "batch_check",
                  .message = std::to_string(problems.items().size()) + " of " + std::to_string(lines.size()) +
                             " orders would be refused, so nothing was sent; line " +
                             std::to_string(first.integer_at("line").value_or(0)) + ": " +
                             std::string(first.string_at("problem").value_or(""))};
  failure.details.set("lines", std::move(problems));
  return unexpected(Stop(std::move(failure)));
}

}  // namespace svc::cli
