#include "cli/commands/row_sorting.h"

#include <algorithm>
#include <numeric>

#include "cli/commands/decimal_math.h"
#include "cli/commands/durations.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

std::string cell_of(const Column& column, const Json& row) {
  return column.text == nullptr ? cell_text(row.at(column.path)) : column.text(row);
}

bool missing(const std::string& cell) {
  return cell.empty() || cell == "-";
}

// "12m" as our tables write ages.
std::optional<std::int64_t> age_of(const std::string& cell) {
  if (cell == "0s") return 0;
  const auto age_ms = parse_duration("--sort", cell);
  return age_ms ? std::optional(*age_ms) : std::nullopt;
}

int order_of(const std::string& a, const std::string& b) {
  const auto left = parse_decimal(a);
  const auto right = parse_decimal(b);
  if (left && right) {
    if (const auto result = compared(*left, *right)) return *result;
  }
  const auto younger_ms = age_of(a);
  const auto older_ms = age_of(b);
  if (younger_ms && older_ms) return *younger_ms < *older_ms ? -1 : *younger_ms > *older_ms ? 1 : 0;
  return a.compare(b);
}

struct Wish {
  std::string_view column;
  std::string_view direction = "asc";
};

Wish wish_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {.column = text};
  return {.column = text.substr(0, colon), .direction = text.substr(colon + 1)};
}

// The column of that name; where the answer names none, the member.
Column column_of(const View& view, std::string_view name) {
  const auto found =
      std::find_if(view.columns.begin(), view.columns.end(), [&](const Column& one) { return one.name == name; });
  return found == view.columns.end() ? Column{.name = name, .path = name} : *found;
}

Json arranged(const Json& rows, const std::vector<std::size_t>& places) {
  Json out = Json::array();
  for (const std::size_t place : places) out.push(rows.items()[place]);
  return out;
}

}  // namespace

void SortFlag::declare(Arguments& arguments) {
  arguments.text("--sort", by, "COLUMN", "order the rows by a column; COLUMN:desc for the largest first");
}

Result<void, Failure> SortFlag::check(const std::vector<std::string>& columns) const {
  if (!by) return {};
  const Wish wish = wish_of(*by);
  if (wish.direction != "asc" && wish.direction != "desc")
    return unexpected(usage_error("--sort must be COLUMN, COLUMN:asc or COLUMN:desc, not \"" + *by + "\""));
  if (std::find(columns.begin(), columns.end(), wish.column) != columns.end()) return {};
  std::string known;
  for (const std::string& one : columns) known += (known.empty() ? "" : ", ") + one;
  return unexpected(usage_error("--sort: no column \"" + std::string(wish.column) + "\"; there are " + known));
}

void SortFlag::apply(Answer& answer) const {
  if (!by) return;
  const Wish wish = wish_of(*by);
  const bool descending = wish.direction == "desc";
  const Column column = column_of(answer.view, wish.column);
  const Json& rows = answer.rows ? *answer.rows : answer.data;
  if (!rows.is(Json::Kind::array)) return;
  std::vector<std::string> cells;
  for (const Json& row : rows.items()) cells.push_back(cell_of(column, row));
  std::vector<std::size_t> places(cells.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    if (missing(cells[a]) || missing(cells[b])) return !missing(cells[a]) && missing(cells[b]);
    const int order = order_of(cells[a], cells[b]);
    return descending ? order > 0 : order < 0;
  });
  const bool twins =
      answer.rows && answer.data.is(Json::Kind::array) && answer.data.items().size() == answer.rows->items().size();
  if (twins || !answer.rows) answer.data = arranged(answer.data, places);
  if (answer.rows) answer.rows = arranged(*answer.rows, places);
}

}  // namespace svc::cli
