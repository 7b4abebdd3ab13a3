#include "cli/commands/batch_lines.h"

#include "api/codec.h"
#include "cli/commands/csv_line.h"
#include "cli/json.h"

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

Result<Json, Failure> csv_order(const std::vector<std::string>& names, std::string_view line, std::size_t number) {
  const auto cells = split_csv(line);
  if (!cells) return unexpected(bad_batch_line(number, cells.error()));
  if (cells->size() != names.size()) {
    return unexpected(bad_batch_line(
        number, "expected " + std::to_string(names.size()) + " cells, found " + std::to_string(cells->size())));
  }
  Json order = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& cell = (*cells)[i];
    const bool digits = cell.find_first_not_of("0123456789") == std::string::npos;
    if (names[i].ends_with("_bps") && !digits) {
      return unexpected(bad_batch_line(number, names[i] + " must be a whole number"));
    }
    if (!cell.empty()) order.set(names[i], csv_value(names[i], cell));
  }
  return order;
}

bool is_market_type(std::string_view type) {
  return type == "Market" || type == "StopMarket" || type == "TakeProfitMarket" || type == "TrailingStop";
}

std::string terms_text(const api::OrderRequest& order) {
  std::string text;
  api::encode_json(text, api::type_of<api::OrderRequest>(), &order);
  return text;
}

// Fills in what may be left out, and reads the record.
Result<BatchLine, Failure> line_of(Json order, std::size_t number, const GiveClientId& give_client_id) {
  if (!order.is(Json::Kind::object)) return unexpected(bad_batch_line(number, "expected a JSON object"));
  if (order.find("time_in_force") == nullptr) {
    order.set("time_in_force", is_market_type(order.string_at("order_type").value_or("")) ? "IOC" : "GTC");
  }
  auto request = api::decode_json<api::OrderRequest>(order.dump());
  if (!request) return unexpected(bad_batch_line(number, api::to_string(request.error())));
  if (!request->client_id) request->client_id = give_client_id(terms_text(*request));
  return BatchLine{number, std::move(*request)};
}

Failure too_many() {
  return usage_error("more than " + std::to_string(batch_file_orders_max) + " orders");
}

Result<std::vector<BatchLine>, Failure> parse_array(std::string_view text, const GiveClientId& give_client_id) {
  const auto document = parse_json(text);
  if (!document) return unexpected(usage_error("the input is not JSON: " + document.error()));
  if (!document->is(Json::Kind::array)) return unexpected(usage_error("the input must be a JSON array of orders"));
  std::vector<BatchLine> lines;
  for (const Json& order : document->items()) {
    if (lines.size() == batch_file_orders_max) return unexpected(too_many());
    auto line = line_of(order, lines.size() + 1, give_client_id);
    if (!line) return unexpected(line.error());
    lines.push_back(std::move(*line));
  }
  return lines;
}

Result<std::vector<BatchLine>, Failure> parse_lines(std::string_view text, BatchFormat format,
                                                    const GiveClientId& give_client_id) {
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
      names = std::move(*header);
      continue;
    }
    if (lines.size() == batch_file_orders_max) return unexpected(too_many());
    Json order;
    if (format == BatchFormat::csv) {
      auto cells = csv_order(*names, line, number);
      if (!cells) return unexpected(cells.error());
      order = std::move(*cells);
    } else {
      auto document = parse_json(line);
      if (!document) return unexpected(bad_batch_line(number, document.error()));
      order = std::move(*document);
    }
    auto read = line_of(std::move(order), number, give_client_id);
    if (!read) return unexpected(read.error());
    lines.push_back(std::move(*read));
  }
  return lines;
}

}  // namespace

BatchFormat format_of(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return BatchFormat::ndjson;
  return text[first] == '[' ? BatchFormat::json : BatchFormat::csv;
}

Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format,
                                                    const GiveClientId& give_client_id) {
  auto lines =
      format == BatchFormat::json ? parse_array(text, give_client_id) : parse_lines(text, format, give_client_id);
  if (lines && lines->empty()) return unexpected(usage_error("there is no order in the input"));
  return lines;
}

std::string batch_text(const std::vector<const BatchLine*>& lines) {
  std::string out;
  for (const BatchLine* line : lines) {
    out += terms_text(line->order) + "\n";
  }
  return out;
}

}  // namespace svc::cli
