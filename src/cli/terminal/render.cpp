#include "cli/terminal/render.h"

#include "base/clock.h"
#include "base/decimal.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

Json error_document(const std::optional<Failure>& failure) {
  if (!failure) return {};
  return Json::object({{"code", failure->code},
                       {"category", meaning_of(*failure).category},
                       {"message", failure->message},
                       {"retryable", failure->retryable},
                       {"retry_after_ms", failure->retry_after_ms},
                       {"details", failure->details},
                       {"actions", Json::list(failure->actions)}});
}

// The elements of an array, or a document that is one row; none for null.
std::vector<const Json*> rows_in(const Json& data) {
  std::vector<const Json*> rows;
  if (data.is(Json::Kind::array)) {
    for (const Json& row : data.items()) rows.push_back(&row);
  } else if (!data.is(Json::Kind::null)) {
    rows.push_back(&data);
  }
  return rows;
}

// The names of the records' members, for answers without named columns: the known ones first, then any others.
std::vector<std::string> member_names(std::vector<std::string> names, const std::vector<const Json*>& records) {
  for (const Json* record : records)
    for (const std::string& key : record->keys())
      if (!is_among(key, names)) names.push_back(key);
  return names;
}

Grid grid_of(const Answer& answer, const std::vector<std::string>& members) {
  const std::vector<const Json*> records = rows_in(answer.shown());
  Grid grid;
  if (answer.view.columns.empty()) {
    grid.names = member_names(members, records);
    for (const Json* record : records) {
      Cells cells;
      for (const std::string& name : grid.names) cells.push_back(cell_text(record->find(name)));
      if (grid.names.empty()) cells.push_back(cell_text(record));
      grid.rows.push_back(std::move(cells));
    }
    if (grid.names.empty() && !records.empty()) grid.names.push_back("value");
    return grid;
  }
  for (const Column& column : answer.view.columns) {
    grid.names.emplace_back(column.name);
    grid.needs.push_back(column.need);
  }
  for (const Json* record : records) {
    Cells cells;
    for (const Column& column : answer.view.columns) cells.push_back(cell_of(column, *record));
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

Result<Grid> chosen(Grid grid, const Presentation& presentation) {
  const std::vector<std::string>& fields = presentation.fields;
  if (fields.empty()) return grid;
  std::vector<std::size_t> places;
  for (const std::string& field : fields) {
    auto found = std::find(grid.names.begin(), grid.names.end(), field);
    if (found == grid.names.end() && is_among(field, presentation.known)) {
      found = grid.names.insert(grid.names.end(), field);
      for (Cells& row : grid.rows) row.emplace_back("-");
    }
    if (found == grid.names.end()) return usage_error("no column \"", field, "\"; there are ", joined(grid.names));
    places.push_back(static_cast<std::size_t>(found - grid.names.begin()));
  }
  const auto pick = [&](const Cells& cells) {
    Cells picked;
    for (const std::size_t place : places) picked.push_back(cells[place]);
    return picked;
  };
  Grid result{.names = pick(grid.names), .rows = {}};
  for (const Cells& row : grid.rows) result.rows.push_back(pick(row));
  return result;
}

void drop_empty_columns(Grid& grid) {
  for (std::size_t column = grid.needs.size(); column-- > 0;)
    if (grid.needs[column] == Column::Need::if_any && grid.is_empty_column(column)) grid.drop_column(column);
}

// A sheet is the transposed record: one line per field. Its names are the header.
Grid on_its_side(const Grid& grid, bool header) {
  Grid sheet;
  for (const Cells& row : grid.rows) {
    for (std::size_t i = 0; i < grid.names.size(); ++i)
      sheet.rows.push_back(header ? Cells{grid.names[i], row[i]} : Cells{row[i]});
  }
  return sheet;
}

// A placeholder is a column's name, or else a path in the record.
std::string by_template(const Answer& answer, const Grid& grid, const TextTemplate& text) {
  const std::vector<const Json*> records = rows_in(answer.shown());
  std::string out;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const TextTemplate::Part& part : text.parts) {
      const auto column = std::find(grid.names.begin(), grid.names.end(), part.text);
      out += !part.place                  ? part.text
             : column != grid.names.end() ? escaped(grid.rows[i][static_cast<std::size_t>(column - grid.names.begin())])
                                          : escaped(cell_text(records[i]->at(part.text)));
    }
    out += "\n";
  }
  return out;
}

std::string table(Grid grid, const Presentation& presentation, bool may_shorten) {
  const bool header = presentation.header;
  for (Cells& row : grid.rows)
    for (std::string& cell : row) cell = escaped(cell);
  if (may_shorten && presentation.width > 0) {
    if (!header) grid.names.assign(grid.names.size(), {});
    const std::size_t numbers = grid.numbered ? std::to_string(grid.rows.size()).size() + 2 : 0;
    fit(grid, std::max(presentation.width, numbers + 1) - numbers, presentation.utf8);
  }
  if (grid.numbered) {  // "x 3" cancels the third order
    grid.names.insert(grid.names.begin(), "#");
    for (std::size_t i = 0; i < grid.rows.size(); ++i) grid.rows[i].insert(grid.rows[i].begin(), std::to_string(i + 1));
  }
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  const std::size_t columns = grid.rows.empty() ? grid.names.size() : grid.rows.front().size();
  for (std::size_t i = 0; i < columns; ++i) {
    std::size_t width = header && i < grid.names.size() ? width_of(grid.names[i]) : 0;
    bool all_numeric = !grid.names.empty() && !grid.rows.empty();
    for (const Cells& row : grid.rows) {
      width = std::max(width, width_of(row[i]));
      all_numeric = all_numeric && (row[i] == "-" || parse_decimal(row[i]).has_value());
    }
    widths.push_back(width);
    numeric.push_back(all_numeric);
  }
  const auto line = [&](const Cells& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string gap(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) out += "  ";
      const bool last = i + 1 == cells.size();
      out += numeric[i] ? gap + cells[i] : last ? cells[i] : cells[i] + gap;
    }
    return out;
  };
  std::string out;
  if (header && !grid.names.empty())
    out += presentation.color ? "\x1b[1m" + line(grid.names) + "\x1b[0m\n" : line(grid.names) + "\n";
  for (const Cells& row : grid.rows) out += line(row) + "\n";
  return out;
}

std::string sheets(const Grid& grid, const Presentation& presentation) {
  std::string out;
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    out += "-[ " + std::to_string(i + 1) + " ]-\n";
    out += table(on_its_side({.names = grid.names, .rows = {grid.rows[i]}}, presentation.header), presentation, false);
  }
  return out;
}

// RFC 4180: line breaks stay as they are, inside quotes. Missing values are empty cells, as other programs write them.
std::string csv_cell(const std::string& text) {
  if (text == "-") return {};
  const std::string cell = escaped(text, "\t\r\n");
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return "\"" + with_each(cell, "\"", "\"\"") + "\"";
}

std::string delimited(const Grid& grid, bool header, Format format) {
  const bool is_csv = format == Format::csv;
  const auto shown = [&](const std::string& cell) { return is_csv ? csv_cell(cell) : escaped(cell); };
  const auto line = [&](const Cells& cells) { return joined(cells, shown, is_csv ? "," : "\t") + "\n"; };
  std::string out;
  if (header && !grid.names.empty()) out += line(grid.names);
  for (const Cells& row : grid.rows) out += line(row);
  return out;
}

}  // namespace

std::string render_document(const Answer& answer, const EnvelopeFacts& facts, Format format, Lines lines) {
  if (format == Format::ndjson) return render_records(answer) + render_end(answer.failure, facts);
  Json warnings = Json::list(facts.warnings, [](const Warning& one) {
    return Json::object({{"code", one.code}, {"message", one.message}});
  });
  const Json document = Json::object({{"schema", facts.schema},
                                      {"ok", !answer.failure},
                                      {"network", facts.network},
                                      {"account", facts.account},
                                      {"data", answer.data},
                                      {"warnings", std::move(warnings)},
                                      {"error", error_document(answer.failure)},
                                      {"meta", facts.meta}});
  constexpr auto large = LargeIntegers::as_text;
  return (lines == Lines::many ? document.indented(large) : document.dump(large)) + "\n";
}

std::string render_records(const Answer& answer) {
  std::string out;
  for (const Json* row : rows_in(answer.data)) out += row->dump(LargeIntegers::as_text) + "\n";
  return out;
}

Json end_record(const std::optional<Failure>& failure, const EnvelopeFacts& facts) {
  return Json::object({{"type", "end"},
                       {"schema", facts.schema},
                       {"ok", !failure},
                       {"error", error_document(failure)},
                       {"meta", facts.meta}});
}

std::string render_end(const std::optional<Failure>& failure, const EnvelopeFacts& facts) {
  return end_record(failure, facts).dump(LargeIntegers::as_text) + "\n";
}

std::string render_failure(const Failure& failure) {
  std::string out = "svc: " + escaped(failure.message);
  if (failure.code != meaning_of(failure).category) out += " (" + escaped(failure.code) + ")";
  out += "\n";
  for (const std::string& action : failure.actions) out += "  try: " + escaped(action) + "\n";
  return out;
}

std::string rfc3339(std::int64_t unix_ms) {
  // A server may send anything as a time.
  constexpr std::int64_t year_10000_ms = 253'402'300'800'000;
  return unix_ms < 0 || unix_ms >= year_10000_ms ? std::to_string(unix_ms) : utc_text(unix_ms);
}

std::string cell_text(const Json* value) {
  if (value == nullptr) return "-";
  switch (value->kind()) {
    case Json::Kind::null: return "-";
    case Json::Kind::boolean: return value->truth() ? "true" : "false";
    case Json::Kind::number: return value->text();
    case Json::Kind::string: return value->text().empty() ? "-" : value->text();
    case Json::Kind::array:
    case Json::Kind::object: return value->dump();
  }
  return "-";
}

std::string cell_of(const Column& column, const Json& record) {
  if (column.text == nullptr && !column.is_time) return cell_text(record.at(column.path));
  const std::string text = column.is_time ? time_at(record, column.path) : column.text(record);
  return text.empty() ? "-" : text;
}

Result<std::string> render_rows(const Answer& answer, const Presentation& presentation) {
  if (presentation.format == Format::raw) {
    std::string raw = answer.raw ? *answer.raw : answer.data.dump();
    if (!raw.ends_with('\n')) raw += '\n';
    return raw;
  }
  if (answer.text && !presentation.text_template && presentation.fields.empty()) return *answer.text;
  auto grid = SVC_TRY(chosen(grid_of(answer, presentation.members), presentation));
  if (presentation.zone) {
    for (Cells& row : grid.rows)
      for (std::string& cell : row) cell = presentation.zone->shown(std::move(cell));
  }
  if (presentation.text_template) return by_template(answer, grid, *presentation.text_template);
  // Programs that read csv always expect a header and one line per record.
  const bool sheet = answer.view.layout == Layout::sheet && presentation.format != Format::csv;
  const bool is_table = presentation.format == Format::table;
  if (is_table) drop_empty_columns(grid);
  if (is_table && !sheet && presentation.expanded) return sheets(grid, presentation);
  grid.numbered = is_table && !sheet && answer.shown().is(Json::Kind::array) && presentation.numbers_orders &&
                  !grid.rows.empty() && is_among("order_id", grid.names);
  if (sheet) grid = on_its_side(grid, presentation.header);
  if (is_table) return table(std::move(grid), presentation, !sheet);
  return delimited(grid, presentation.header, presentation.format);
}

Result<TextTemplate, std::string> TextTemplate::parse(std::string_view text) {
  TextTemplate result;
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) result.parts.push_back({std::move(plain), false});
    plain.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\') {
      if (next != 'n' && next != 't' && next != '\\') return unexpected("after \\ must come n, t or another \\");
      plain += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
      ++i;
    } else if ((c == '{' || c == '}') && next == c) {
      plain += c;
      ++i;
    } else if (c == '}') {
      return unexpected("a } closes nothing; write }} for a brace");
    } else if (c == '{') {
      const auto close = text.find('}', i);
      if (close == std::string_view::npos) return unexpected("a { is not closed; write {{ for a brace");
      const std::string_view name = text.substr(i + 1, close - i - 1);
      if (name.empty() || name.find_first_of("{ \t") != std::string_view::npos) {
        return unexpected("between { and } must stand the name of a column or member");
      }
      flush();
      result.parts.push_back({std::string(name), true});
      i = close;
    } else {
      plain += c;
    }
  }
  flush();
  return result;
}

}  // namespace svc::cli
