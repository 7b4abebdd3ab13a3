#include "cli/commands/batch.h"

#include "api/codec.h"
#include "api/contract/markets.h"
#include "cli/client/account_lookup.h"
#include "cli/client/client_id.h"
#include "cli/client/proof.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/read.h"
#include "cli/commands/report.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

bool whole_steps(const Decimal& value, const std::optional<Decimal>& step) {
  if (!step || step->coefficient <= 0) return true;
  const auto below = to_step(value, *step, Rounding::down);
  return below && *below == value;
}

// Cells are text; what the record takes as a number or a boolean is written without quotes.
Json csv_value(std::string_view name, const std::string& cell) {
  if (name.ends_with("_bps")) return Json::number(cell);
  if (name == "reduce_only" && (cell == "true" || cell == "false")) return cell == "true";
  return cell;
}

// The names of `orders list -o csv`. Members that describe a listed order but not a new one are passed over, among them
// its client id, which is taken. What has filled is subtracted from the size. (D-749)
struct ListedName {
  std::string_view listed;
  std::string_view wire;  // empty: passed over
};
constexpr std::string_view listed_filled = "filled of the listed order";
constexpr ListedName listed_names[] = {{"market", "market_id"},
                                       {"type", "order_type"},
                                       {"size", "quantity"},
                                       {"trigger", "trigger_price"},
                                       {"tif", "time_in_force"},
                                       {"offset_bps", "trailing_offset_bps"},
                                       {"order_id", ""},
                                       {"client_id", ""},
                                       {"filled", listed_filled},
                                       {"age", ""},
                                       {"status", ""},
                                       {"triggered_at", ""}};

// Names of other tables stay as they are; the record refuses them. A list without one of these columns may be of larger
// orders than rest, or of others.
Result<std::vector<std::string>> wire_names(std::size_t number, std::vector<std::string> names) {
  const auto has = [&](std::string_view name) { return is_among(name, names); };
  const bool is_listed = has("order_id");
  for (const std::string_view needed : {"filled", "trigger", "tif", "offset_bps", "reduce_only"})
    if (is_listed && !has(needed))
      return bad_line(number, "the list of orders has no column ", needed, ": take all that `orders list` has");
  for (std::string& name : names) {
    for (const ListedName& one : listed_names)
      if (is_listed && name == one.listed) name = one.wire;
  }
  return names;
}

// Turns our spellings into the wire's: "buy", "stop-limit", "gtc", a market in lower case, ".1" and "1.". Anything else
// stays as it is; the record refuses it.
Json in_wire_spelling(Json order) {
  using Words = std::pair<std::string_view, std::span<const std::string_view>>;
  for (const auto& [name, texts] : {Words{"side", trade::side_texts}, Words{"order_type", trade::order_type_texts},
                                    Words{"time_in_force", trade::time_in_force_texts}}) {
    const auto given = order.string_at(name);
    if (!given) continue;
    const auto known =
        std::ranges::find_if(texts, [&](std::string_view text) { return bare_word(text) == bare_word(*given); });
    if (known != texts.end()) order.set(name, *known);
  }
  for (const std::string_view name : {"quantity", "price", "trigger_price", "stop_price"})
    if (const auto digits = order.string_at(name)) order.set(name, completed_decimal(std::string(*digits)));
  if (const auto market = order.string_at("market_id")) order.set("market_id", upper_case(*market));
  return order;
}

Result<Json> csv_order(const std::vector<std::string>& names, std::string_view line, std::size_t number) {
  const auto cells = SVC_TRY(split_csv(number, line));
  if (cells.size() != names.size()) {
    return bad_line(number, "expected ", names.size(), " cells, found ", cells.size());
  }
  Json order = Json::object();
  std::string filled;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& cell = cells[i];
    const bool digits = cell.find_first_not_of("0123456789") == std::string::npos;
    if (names[i].ends_with("_bps") && !digits) return bad_line(number, names[i], " must be a whole number");
    if (cell.empty() || names[i].empty()) continue;
    if (names[i] == listed_filled)
      filled = cell;
    else
      order.set(names[i], csv_value(names[i], cell));
  }
  const auto whole = order.decimal_at("quantity");
  const auto done = parse_decimal(filled);
  const auto rest = whole && done ? plus(*whole, {-done->coefficient, done->scale}) : std::nullopt;
  if (rest && done->coefficient > 0) order.set("quantity", format_decimal(*rest));
  return order;
}

// Refuses a line that lacks a member which its type needs: the service would refuse it after other lines were placed.
// And one with a member that its type does not take: the service would ignore that, and an order meant as a stop would
// trade at once. (D-1085)
Result<void> check_members(const api::OrderRequest& order, std::size_t number) {
  const api::OrderType type = order.order_type;
  const bool has_price = order.price && !same_number(order.price->text, "0");  // lists show one of 0
  if (order.trigger_price && order.stop_price)
    return bad_line(number, "stop_price is an older name of trigger_price: give one of them");
  const auto& trigger = order.trigger_price ? order.trigger_price : order.stop_price;
  const std::string_view trigger_name = order.stop_price ? "stop_price" : "trigger_price";
  const auto wrong = misfit(type, {{{"price", has_price},
                                    {trigger_name, trigger.has_value()},
                                    {"trailing_offset_bps", order.trailing_offset_bps.has_value()},
                                    {"limit_offset_bps", order.limit_offset_bps.has_value()},
                                    {"max_slippage_bps", order.max_slippage_bps.has_value()}}});
  if (wrong) return bad_line(number, "an order of type ", to_string(type), " ", *wrong);
  if (trade::is_market_family(type) && order.time_in_force == api::TimeInForce::post_only)
    return bad_line(number, "an order of type ", to_string(type), " cannot be PostOnly");
  const auto is_above_zero = [](const api::DecimalText& value) {
    const auto decimal = parse_decimal(value.text);
    return decimal && decimal->coefficient > 0;
  };
  if (order.client_id)
    if (const auto why = wrong_client_id(*order.client_id)) return bad_line(number, "client_id ", *why);
  if (!is_above_zero(order.quantity)) return bad_line(number, "quantity must be above 0");
  if (has_price && !is_above_zero(*order.price)) return bad_line(number, "price must be above 0");
  if (trigger && !is_above_zero(*trigger)) return bad_line(number, trigger_name, " must be above 0");
  return {};
}

// Fills in what may be left out, and reads the record.
Result<BatchLine> line_of(Json order, std::size_t number) {
  if (!order.is(Json::Kind::object)) return bad_line(number, "expected a JSON object");
  order = in_wire_spelling(std::move(order));
  if (order.find("time_in_force") == nullptr) {
    order.set("time_in_force", trades_at_market(order.string_at("order_type").value_or("")) ? "IOC" : "GTC");
  }
  auto request = api::decode_json<api::OrderRequest>(order.dump());
  if (!request) return bad_line(number, api::to_string(request.error()));
  SVC_TRY(check_members(*request, number));
  const bool names_client_id = request->client_id.has_value();
  return BatchLine{number, std::move(*request), names_client_id};
}

constexpr std::size_t file_orders_max = 100'000;

Failure too_many() {
  return usage_error("more than ", file_orders_max, " orders");
}

Result<std::vector<BatchLine>> parse_array(std::string_view text) {
  const auto document = parse_json(text);
  if (!document) return usage_error("the input is not JSON: ", document.error());
  if (!document->is(Json::Kind::array)) return usage_error("the input must be a JSON array of orders");
  std::vector<BatchLine> lines;
  for (const Json& order : document->items()) {
    if (lines.size() == file_orders_max) return too_many();
    lines.push_back(SVC_TRY(line_of(order, lines.size() + 1)));
  }
  return lines;
}

Result<std::vector<BatchLine>> parse_lines(std::string_view text, BatchFormat format) {
  std::vector<BatchLine> lines;
  std::vector<std::string> names;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (format == BatchFormat::csv && names.empty()) {
      names = SVC_TRY(wire_names(number, SVC_TRY(split_csv(number, line))));
      for (auto name = names.begin(); name != names.end(); ++name)
        if (!name->empty() && std::find(names.begin(), name, *name) != name)
          return bad_line(number, "column ", *name, " stands twice");
      continue;
    }
    if (lines.size() == file_orders_max) return too_many();
    if (format == BatchFormat::csv) {
      lines.push_back(SVC_TRY(line_of(SVC_TRY(csv_order(names, line, number)), number)));
      continue;
    }
    auto document = parse_json(line);
    if (!document) return bad_line(number, document.error());
    lines.push_back(SVC_TRY(line_of(std::move(*document), number)));
  }
  return lines;
}

// How one order stands: among the open ones, or looked up if it is no longer open.
Result<Json> read_order(Exchange& exchange, const Json& open, const Json& row) {
  const std::string id = row.text_at("order.id");
  if (const Json* order = outbox::find_row(open, "id", id)) return *order;
  return find_order(exchange, SVC_TRY(order_ref(id, row.text_at("order.market_id"))));
}

// Fills of these orders among the newest, oldest first.
void put_fills(Exchange& exchange, std::vector<Json>& rows) {
  const auto reply = exchange.read<api::ops::ListFills>({.limit = waited_fills});
  if (!reply) return;  // the fills of the placement stay
  for (Json& row : rows) {
    const std::string id = row.text_at("order.id");
    Json fills = id.empty() ? Json() : fills_of(*reply, id);
    if (!fills.items().empty()) row.set("fills", std::move(fills));
  }
}

}  // namespace

std::string problem_of_order(const api::OrderRequest& order, const Json& markets, const Json& summaries) {
  const std::string& market = order.market_id.text;
  const Json* row = outbox::find_row(markets, "market_id", market);
  if (row == nullptr) return "unknown market " + market;
  const Json& rules = *row;
  const Json* summary = outbox::find_row(summaries, "market_id", market);
  if (summary != nullptr && summary->string_at("status") == "halted") return market + " is halted";
  const auto size = parse_decimal(order.quantity.text);
  if (!size || size->coefficient <= 0) return "quantity " + order.quantity.text + " is not above zero";
  if (!whole_steps(*size, rules.decimal_at("lot_size")))
    return "quantity " + order.quantity.text + " is not a multiple of the lot " + rules.text_at("lot_size");
  const auto least = rules.decimal_at("min_order_size");
  const auto most = rules.decimal_at("max_order_size");
  if (least && compared(*size, *least).value_or(0) < 0)
    return "quantity " + order.quantity.text + " is below the smallest order " + rules.text_at("min_order_size");
  if (most && compared(*size, *most).value_or(0) > 0)
    return "quantity " + order.quantity.text + " is above the largest order " + rules.text_at("max_order_size");
  for (const auto* price : {&order.price, &order.trigger_price, &order.stop_price}) {
    if (!*price) continue;
    const auto value = parse_decimal((*price)->text);
    if (!value || value->coefficient <= 0) return "price " + (*price)->text + " is not above zero";
    if (!whole_steps(*value, rules.decimal_at("tick_size")))
      return "price " + (*price)->text + " is not a multiple of the tick " + rules.text_at("tick_size");
  }
  return {};
}

Result<void> check_batch(Exchange& exchange, const std::vector<BatchLine>& lines) {
  const auto listed = SVC_TRY(exchange.read<api::ops::ListMarkets>());
  const auto summaries = SVC_TRY(exchange.read<api::ops::ListMarketSummaries>());
  Json problems = Json::array();
  for (const BatchLine& line : lines) {
    std::string problem = problem_of_order(line.order, listed, summaries);
    if (!problem.empty()) problems.push(Json::object({{"line", line.line}, {"problem", std::move(problem)}}));
  }
  if (problems.items().empty()) return {};
  const Json& first = problems.items().front();
  return failed("batch_check", problems.items().size(), " of ", lines.size(),
                " orders would be refused, so nothing was sent; line ", first.integer_at("line").value_or(0), ": ",
                first.text_at("problem"))
      .with_details(Json::object({{"lines", problems}}));
}

Result<std::uint64_t> chunk_of(const std::optional<std::uint64_t>& typed) {
  const std::uint64_t chunk = typed.value_or(chunk_default);
  if (chunk > 0 && chunk <= limits::batch_lines_max) return chunk;
  return usage_error("--chunk must be from 1 to ", limits::batch_lines_max);
}

Result<std::vector<BatchLine>> parse_batch(std::string_view text, std::optional<BatchFormat> format) {
  using enum BatchFormat;
  const std::string_view begin = trimmed(text, " \t\r\n");
  if (!format) format = begin.empty() || begin.front() == '{' ? ndjson : begin.front() == '[' ? json : csv;
  auto lines = *format == json ? parse_array(text) : parse_lines(text, *format);
  if (lines && lines->empty()) return usage_error("there is no order in the input");
  return lines;
}

std::optional<Failure> wait_for_rows(Context& context, Exchange& exchange, const WaitFlags::Wait& wait, Json& rows) {
  std::vector<Json> all = rows.items();
  std::vector<std::size_t> left;  // rows
  std::optional<Failure> failure;
  std::size_t never = 0;
  const auto judged = [&](std::size_t row) {
    const WaitVerdict verdict = judge(wait.wanted, all[row].text_at("order.status"));
    if (verdict == WaitVerdict::never) ++never;
    return verdict != WaitVerdict::not_yet;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json* order = all[i].find("order");
    if (order != nullptr && order->is(Json::Kind::object) && !judged(i)) left.push_back(i);
  }
  const std::size_t waiting = left.size();
  const std::string_view word = wait_words[static_cast<std::size_t>(wait.wanted)];
  ProgressLine progress(context, "waiting for", "orders");
  const std::int64_t until_ms = context.uptime_ms() + wait.timeout_ms;
  while (!left.empty() && !failure) {
    const auto open = exchange.read<api::ops::ListOrders>();
    for (std::size_t i = 0; open && i < left.size(); ++i) {
      const auto order = read_order(exchange, *open, all[left[i]]);
      if (order) all[left[i]].set("order", *order);
    }
    std::erase_if(left, judged);
    progress.at(waiting - left.size(), waiting);
    if (left.empty()) break;
    const std::int64_t left_ms = until_ms - context.uptime_ms();
    const bool is_over = left_ms <= 0;
    if (!is_over && context.environment().pause(std::min(left_ms, watch_limits::poll_ms))) continue;
    failure = failed(is_over ? ExitCode::wait_ended : ExitCode::interrupted, is_over ? "wait_ended" : "interrupted",
                     left.size(), " of the orders are not ", word,
                     is_over ? concat(" after ", wait.timeout_ms, " ms") : "; interrupted");
    failure->retryable = is_over;
  }
  if (waiting > 0) put_fills(exchange, all);
  rows = Json::array(std::move(all));
  if (!failure && never > 0) {
    failure = failed(order_ended_code, never, " of the orders ended and will not be ", word);
  }
  return failure;
}

Result<std::vector<std::string>> split_csv(std::size_t number, std::string_view line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (inside) return bad_line(number, "a quote is not closed");
  return cells;
}

}  // namespace svc::cli
