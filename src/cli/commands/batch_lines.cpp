#include "cli/commands/batch_lines.h"

#include <algorithm>

#include "api/codec.h"
#include "cli/commands/csv_line.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/order_views.h"
#include "cli/json.h"
#include "cli/spelling.h"

namespace svc::cli {
namespace {

Failure bad_batch_line(std::size_t line, const std::string& problem) {
  return usage_error("line " + std::to_string(line) + ": " + problem);
}

// Cells are text; what the record takes as a number or a boolean is written without quotes.
Json csv_value(std::string_view name, const std::string& cell) {
  if (name.ends_with("_bps")) return Json::number(cell);
  if (name == "reduce_only" && (cell == "true" || cell == "false")) return cell == "true";
  return cell;
}

// What `orders list -o csv` calls the members of an order. What tells of a listed order and not of a new one is passed
// over, its client id as well: that one is taken. What has filled is not asked for again. (D-749)
struct ListedName {
  std::string_view listed;
  std::string_view wire;  // empty: passed over
};
constexpr std::string_view listed_filled = "filled of the listed order";
constexpr ListedName listed_names[] = {{"market", "market_id"},     {"type", "order_type"}, {"size", "quantity"},
                                       {"trigger", "trigger_price"}, {"tif", "time_in_force"},
                                       {"offset_bps", "trailing_offset_bps"},
                                       {"order_id", ""},             {"client_id", ""},      {"filled", listed_filled},
                                       {"age", ""},                  {"status", ""},         {"triggered_at", ""}};

// Names of another table stay as they are, for the record to refuse.
std::vector<std::string> wire_names(std::vector<std::string> names) {
  const bool is_listed = std::find(names.begin(), names.end(), "order_id") != names.end();
  for (std::string& name : names) {
    for (const ListedName& one : listed_names)
      if (is_listed && name == one.listed) name = one.wire;
  }
  return names;
}

// "buy", "stop-limit" and "gtc" of our flags and tables are the wire's "Buy", "StopLimit" and "GTC"; "btc" may be a
// market, ".1" and "1." are numbers that people type. What is none of these stays, for the record to refuse.
Json in_wire_spelling(Json order) {
  struct Words {
    std::string_view name;
    std::span<const std::string_view> texts;
  };
  for (const auto& [name, texts] : {Words{"side", api::enum_names(api::Side{}).texts},
                                    Words{"order_type", api::enum_names(api::OrderType{}).texts},
                                    Words{"time_in_force", api::enum_names(api::TimeInForce{}).texts}}) {
    const auto given = order.string_at(name);
    if (!given) continue;
    const auto known = std::ranges::find_if(texts, [&](std::string_view text) { return bare_word(text) == bare_word(*given); });
    if (known != texts.end()) order.set(name, *known);
  }
  for (const std::string_view name : {"quantity", "price", "trigger_price", "stop_price"})
    if (const auto digits = order.string_at(name)) order.set(name, completed_decimal(std::string(*digits)));
  if (const auto market = order.string_at("market_id")) {
    std::string id(*market);
    for (char& c : id) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    order.set("market_id", id);
  }
  return order;
}

Result<Json, Failure> csv_order(const std::vector<std::string>& names, std::string_view line, std::size_t number) {
  const auto cells = split_csv(line);
  if (!cells) return unexpected(bad_batch_line(number, cells.error()));
  if (cells->size() != names.size()) {
    return unexpected(bad_batch_line(
        number, "expected " + std::to_string(names.size()) + " cells, found " + std::to_string(cells->size())));
  }
  Json order = Json::object();
  std::string filled;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& cell = (*cells)[i];
    const bool digits = cell.find_first_not_of("0123456789") == std::string::npos;
    if (names[i].ends_with("_bps") && !digits) {
      return unexpected(bad_batch_line(number, names[i] + " must be a whole number"));
    }
    if (cell.empty() || names[i].empty()) continue;
    if (names[i] == listed_filled) filled = cell;
    else order.set(names[i], csv_value(names[i], cell));
  }
  const auto whole = parse_decimal(order.string_at("quantity").value_or(""));
  const auto done = parse_decimal(filled);
  const auto rest = whole && done ? plus(*whole, {-done->coefficient, done->scale}) : std::nullopt;
  if (rest && done->coefficient > 0) order.set("quantity", format_decimal(*rest));
  return order;
}

// Fills in what may be left out, and reads the record.
Result<BatchLine, Failure> line_of(Json order, std::size_t number) {
  if (!order.is(Json::Kind::object)) return unexpected(bad_batch_line(number, "expected a JSON object"));
  order = in_wire_spelling(std::move(order));
  if (order.find("time_in_force") == nullptr) {
    order.set("time_in_force", trades_at_market(order.string_at("order_type").value_or("")) ? "IOC" : "GTC");
  }
  auto request = api::decode_json<api::OrderRequest>(order.dump());
  if (!request) return unexpected(bad_batch_line(number, api::to_string(request.error())));
  const bool names_client_id = request->client_id.has_value();
  return BatchLine{number, std::move(*request), names_client_id};
}

Failure too_many() {
  return usage_error("more than " + std::to_string(batch_file_orders_max) + " orders");
}

Result<std::vector<BatchLine>, Failure> parse_array(std::string_view text) {
  const auto document = parse_json(text);
  if (!document) return unexpected(usage_error("the input is not JSON: " + document.error()));
  if (!document->is(Json::Kind::array)) return unexpected(usage_error("the input must be a JSON array of orders"));
  std::vector<BatchLine> lines;
  for (const Json& order : document->items()) {
    if (lines.size() == batch_file_orders_max) return unexpected(too_many());
    auto line = SVC_TRY(line_of(order, lines.size() + 1));
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<BatchLine>, Failure> parse_lines(std::string_view text, BatchFormat format) {
  std::vector<BatchLine> lines;
  std::optional<std::vector<std::string>> names;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text = feed == std::string_view::npos ? std::string_view{} : text.substr(feed + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (format == BatchFormat::csv && !names) {
      auto header = split_csv(line);
      if (!header) return unexpected(bad_batch_line(number, header.error()));
      names = wire_names(std::move(*header));
      continue;
    }
    if (lines.size() == batch_file_orders_max) return unexpected(too_many());
    Json order;
    if (format == BatchFormat::csv) {
      auto cells = SVC_TRY(csv_order(*names, line, number));
      order = std::move(cells);
    } else {
      auto document = parse_json(line);
      if (!document) return unexpected(bad_batch_line(number, document.error()));
      order = std::move(*document);
    }
    auto read = SVC_TRY(line_of(std::move(order), number));
    lines.push_back(std::move(read));
  }
  return lines;
}

}  // namespace

BatchFormat format_of(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return BatchFormat::ndjson;
  return text[first] == '[' ? BatchFormat::json : BatchFormat::csv;
}

Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format) {
  auto lines =
      format == BatchFormat::json ? parse_array(text) : parse_lines(text, format);
  if (lines && lines->empty()) return unexpected(usage_error("there is no order in the input"));
  return lines;
}

std::string terms_text(const api::OrderRequest& order) {
  std::string text;
  api::encode_json(text, api::type_of<api::OrderRequest>(), &order);
  return text;
}

std::string batch_text(const std::vector<const BatchLine*>& lines) {
  std::string out;
  for (const BatchLine* line : lines) {
    out += terms_text(line->order) + "\n";
  }
  return out;
}

}  // namespace svc::cli
