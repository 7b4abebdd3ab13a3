#include "cli/commands/batch_lines.h"

#include "api/codec.h"
#include "base/limits.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

Failure bad_line(std::size_t line, const std::string& problem) {
  return usage_error("line " + std::to_string(line) + ": " + problem);
}

// Cells of one CSV line; a cell in double quotes may hold commas and doubled quotes.
Result<std::vector<std::string>, std::string> split_csv(std::string_view line) {
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
  if (inside) return unexpected(std::string("a quote is not closed"));
  return cells;
}

// Cells are text; what the record takes as a number or a boolean is written without quotes.
Json csv_value(std::string_view name, const std::string& cell) {
  if (name.ends_with("_bps")) return Json::number(cell);
  if (name == "reduce_only" && (cell == "true" || cell == "false")) return cell == "true";
  return cell;
}

Result<Json, Failure> csv_order(const std::vector<std::string>& names, std::string_view line, std::size_t number) {
  const auto cells = split_csv(line);
  if (!cells) return unexpected(bad_line(number, cells.error()));
  if (cells->size() != names.size()) {
    return unexpected(bad_line(
        number, "expected " + std::to_string(names.size()) + " cells, found " + std::to_string(cells->size())));
  }
  Json order = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& cell = (*cells)[i];
    const bool digits = cell.find_first_not_of("0123456789") == std::string::npos;
    if (names[i].ends_with("_bps") && !digits) {
      return unexpected(bad_line(number, names[i] + " must be a whole number"));
    }
    if (!cell.empty()) order.set(names[i], csv_value(names[i], cell));
  }
  return order;
}

bool is_market_type(std::string_view type) {
  return type == "Market" || type == "StopMarket" || type == "TakeProfitMarket" || type == "TrailingStop";
}

}  // namespace

Result<std::vector<BatchLine>, Failure> parse_batch(std::string_view text, BatchFormat format,
                                                    const std::function<std::string()>& make_client_id) {
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
      if (!header) return unexpected(bad_line(number, header.error()));
      names = std::move(*header);
      continue;
    }
    if (lines.size() == limits::batch_lines_max) {
      return unexpected(usage_error("more than " + std::to_string(limits::batch_lines_max) + " orders"));
    }
    Json order;
    if (format == BatchFormat::csv) {
      auto cells = csv_order(*names, line, number);
      if (!cells) return unexpected(cells.error());
      order = std::move(*cells);
    } else {
      auto document = parse_json(line);
      if (!document || !document->is(Json::Kind::object)) {
        return unexpected(bad_line(number, document ? "expected a JSON object" : document.error()));
      }
      order = std::move(*document);
    }
    if (order.find("time_in_force") == nullptr) {
      order.set("time_in_force", is_market_type(order.string_at("order_type").value_or("")) ? "IOC" : "GTC");
    }
    if (order.find("client_id") == nullptr) order.set("client_id", make_client_id());
    auto request = api::decode_json<api::OrderRequest>(order.dump());
    if (!request) return unexpected(bad_line(number, api::to_string(request.error())));
    lines.push_back({number, std::move(*request)});
  }
  if (lines.empty()) return unexpected(usage_error("there is no order in the input"));
  return lines;
}

}  // namespace svc::cli
