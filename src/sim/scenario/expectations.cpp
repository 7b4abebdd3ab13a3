#include "sim/scenario/expectations.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/find.h"
#include "sim/scenario/scenario_file.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

enum class Drawn : std::uint8_t { table, list, events, picture };

}  // namespace

struct Expectation::Kind {
  std::string_view word;
  Drawn drawn;
  const char* key;      // the column that names a record
  const char* path;     // of the record, in the state or, after "/", in all that is expected
  const char* columns;  // written by a session
  bool of_market = false;
  const char* more = "";  // columns that it may have besides
};

namespace {

// In the order in which a session writes them.
constexpr Expectation::Kind kinds[] = {
    {"orders", Drawn::table, "label", "/orders/KEY", "label status filled quantity reason price"},
    {"trades", Drawn::list, "", "/trades", "taker_side quantity price taker maker", false, "market is_liquidation"},
    {"events", Drawn::events, "", "/risk_events", ""},
    {"accounts", Drawn::table, "name", "accounts/KEY", "name balance equity available_margin"},
    {"positions", Drawn::table, "name", "accounts/KEY/positions/MARKET",
     "name size open_notional realized_pnl fees funding unrealized_pnl", true, "isolated_margin"},
    {"book", Drawn::picture, "", "books/MARKET", "", true},
    {"venue", Drawn::table, "", "", "insurance_fund fee_treasury"},
    {"markets", Drawn::table, "id", "markets/KEY", "id status halt_reason"},
};

using Cells = std::vector<std::string>;

const json* find(const json& document, const std::vector<std::string>& path) {
  const json* at = &document;
  for (const std::string& name : path) {
    const auto found = at->find(name);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

json& make(json& document, const std::vector<std::string>& path, const TextLine& line) {
  json* at = &document;
  for (const std::string& name : path) {
    if (!at->is_null() && !at->is_object()) fail(line, "a table above has a value where this one has " + name);
    at = &(*at)[name];
  }
  return *at;
}

// Sets an expected value. A second one is refused: it would replace the first, which would then not be compared.
void put(json& document, std::vector<std::string> path, json value, const TextLine& line) {
  const std::string name = std::move(path.back());
  path.pop_back();
  json& at = make(document, path, line);
  if (at.contains(name)) fail(line, "a line above says what " + name + " is here");
  at[name] = std::move(value);
}

// A cell or a value: null, a text in quotes or a plain word.
json value_of(const std::string& word, const TextLine& line) {
  if (word == "-") return nullptr;
  if (!word.starts_with('"')) return word;
  json text = json::parse(word, nullptr, false);
  if (!text.is_string()) fail(line, "no text in quotes: " + word);
  return text;
}

// "12 | 3 bob, 4 carol": orders of one price, the first to fill on the left.
json level_of(const TextLine& line) {
  Words words(line);
  const std::string price = words.next("a price");
  if (!words.skip("|")) fail(line, "expected | after the price");
  json rows = json::array();
  while (!words.done()) {
    const std::string remaining = words.next("a quantity");
    std::string account = words.next("an account");
    if (account.back() == ',') account.pop_back();
    rows.push_back({{"price", price}, {"remaining", remaining}, {"account", value_of(account, line)}});
  }
  return rows;
}

// Asks above the line of dashes, best at the bottom; bids below it, best on top.
json picture_of(std::span<const TextLine> rows, const TextLine& head) {
  json book = {{"asks", json::array()}, {"bids", json::array()}};
  bool below = false;
  for (const TextLine& row : rows) {
    if (row.words.size() == 1 && row.words[0].find_first_not_of('-') == std::string::npos) {
      below = true;
      continue;
    }
    const json level = level_of(row);
    json& side = book[below ? "bids" : "asks"];
    side.insert(below ? side.end() : side.begin(), level.begin(), level.end());
  }
  if (!below) fail(head, "a book needs a line of dashes between asks and bids");
  return book;
}

// A row of names, then rows of values: "-" is null, "." is ignored.
std::vector<json> table_of(std::span<const TextLine> rows, const TextLine& head) {
  if (rows.empty()) fail(head, "expected a table below");
  std::set<std::string> names;
  for (const std::string& name : rows[0].words)
    if (!names.insert(name).second) fail(rows[0], "column " + name + " stands twice");
  std::vector<json> records;
  for (const TextLine& row : rows.subspan(1)) {
    if (row.words.size() != rows[0].words.size()) {
      fail(row, "expected " + std::to_string(rows[0].words.size()) + " columns, as in line " +
                    std::to_string(rows[0].number));
    }
    json& record = records.emplace_back(json::object());
    for (std::size_t i = 0; i < row.words.size(); ++i)
      if (row.words[i] != ".") record[rows[0].words[i]] = value_of(row.words[i], row);
  }
  return records;
}

// KIND NAME VALUE ...; closures as account:quantity:amount,... (what separates them stands in an account as \u003a)
json event_of(const TextLine& line) {
  Words words(line);
  json event = {{"kind", words.next("a kind")}};
  while (!words.done()) {
    const std::string name = words.next("a field");
    const std::string& value = words.next("its value");
    if (name != "closures") {
      event[name] = value.starts_with('"') ? value_of(value, line) : json(value);
      continue;
    }
    event[name] = json::array();
    if (value == "none") continue;
    for (const std::string& one : split(value, ',')) {
      const auto parts = split(one, ':');
      if (parts.size() != 3) fail(line, "a closure is account:quantity:amount");
      event[name].push_back(
          {{"account", value_of(parts[0], line)}, {"position_closed", parts[1]}, {"settlement_amount", parts[2]}});
    }
  }
  return event;
}

std::string cell_of(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return word_of(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

// True if the cell matches the value; numbers compare as numbers.
bool says(const std::string& cell, const json& value) {
  if (cell == "." || cell == cell_of(value)) return true;
  if (cell == "0" && value.is_null()) return false;
  return differences({{"cell", cell}}, {{"cell", value}}).empty();
}

std::vector<std::string> aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const Cells& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(i + 1 < row.size() ? widths[i] - row[i].size() + 2 : 0, ' ');
  }
  return lines;
}

// Orders of one price on one line.
std::vector<std::string> levels(const json& side) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < side.size(); ++i) {
    const std::string text = cell_of(side[i]["remaining"]) + " " + cell_of(side[i]["account"]);
    if (i > 0 && side[i]["price"] == side[i - 1]["price"]) {
      lines.back() += ", " + text;
    } else {
      lines.push_back(cell_of(side[i]["price"]) + " | " + text);
    }
  }
  return lines;
}

std::vector<std::string> picture(const json& book) {
  std::vector<std::string> lines = levels(book["asks"]);
  std::ranges::reverse(lines);
  lines.emplace_back("--------");
  std::ranges::move(levels(book["bids"]), std::back_inserter(lines));
  return lines;
}

std::string closures_text(const json& closures) {
  std::string text;
  for (const json& one : closures) {
    const std::string account = one["account"];
    std::string word = word_of(account);
    if (word.find_first_of(" :,") != word.npos) {
      if (word[0] != '"') word = one["account"].dump();
      for (const auto& [separator, written] : {std::pair{' ', "\\u0020"}, {':', "\\u003a"}, {',', "\\u002c"}})
        for (std::size_t at = word.find(separator); at != word.npos; at = word.find(separator, at))
          word.replace(at, 1, written);
    }
    text += (text.empty() ? "" : ",") + word + ":" + cell_of(one["position_closed"]) + ":" +
            cell_of(one["settlement_amount"]);
  }
  return text.empty() ? "none" : text;
}

std::string event_line(const json& event) {
  std::string line = cell_of(event["kind"]);
  for (const auto& [name, value] : event.items())
    if (name != "kind" && name != "step")
      line += " " + name + " " + (name == "closures" ? closures_text(value) : cell_of(value));
  return line;
}

// The row with each wrong cell replaced; the key and ignored cells stay.
Cells corrected_row(const Cells& names, const TextLine* told, const json& actual, std::string_view key) {
  Cells cells;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const json* value = find(actual, {names[i]});
    const json came = value == nullptr ? json() : *value;
    const bool stays = told != nullptr && (names[i] == key || says(told->words[i], came));
    cells.push_back(stays ? told->words[i] : cell_of(came));
  }
  return cells;
}

}  // namespace

std::optional<Expectation> Expectation::at(std::span<const TextLine> lines, const std::string& first_market) {
  const TextLine& head = lines.front();
  const auto* kind = std::ranges::find(kinds, head.words[0], &Kind::word);
  if (kind == std::end(kinds)) return std::nullopt;
  Expectation found;
  found.kind_ = kind;
  found.head_ = head;
  for (const TextLine& row : lines.subspan(1)) {
    if (row.indent <= head.indent) break;
    found.rows_.push_back(row);
  }
  Words words(found.head_);
  words.next("");
  if (kind->of_market) found.market_ = words.done() ? first_market : words.text("a market");
  words.finish();
  return found;
}

bool Expectation::of_state() const {
  return *kind_->path != '/';
}

std::vector<std::string> Expectation::path(const std::string& key) const {
  std::vector<std::string> path;
  if (of_state()) path = {"snapshots", snapshot_};
  for (const std::string& name : split(kind_->path, '/'))
    if (!name.empty()) path.push_back(name == "KEY" ? key : name == "MARKET" ? market_ : name);
  return path;
}

void Expectation::check_columns() const {
  const Cells known = split(kind_->columns, ' '), more = split(kind_->more, ' ');
  for (const std::string& name : rows_.empty() ? Cells() : rows_.front().words)
    if (!is_among(name, known) && !is_among(name, more))
      fail(rows_.front(), std::string(kind_->word) + (*kind_->path == '\0' ? " has" : " have") + " no column " + name);
}

void Expectation::read(json& expect) const {
  if (kind_->drawn == Drawn::picture) {
    put(expect, path(), picture_of(rows_, head_), head_);
  } else if (kind_->drawn == Drawn::events) {
    json events = json::array();
    for (const TextLine& row : rows_) events.push_back(event_of(row));
    put(expect, path(), std::move(events), head_);
  } else if (kind_->drawn == Drawn::list) {
    // Else a list whose names are left out would be an empty one.
    check_columns();
    json list = rows_.empty() ? json::array() : json(table_of(rows_, head_));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].contains("is_liquidation")) continue;
      json& cell = list[i]["is_liquidation"];
      if (cell != "yes" && cell != "no") fail(rows_[i + 1], "is_liquidation is yes or no");
      cell = cell == "yes";
    }
    put(expect, path(), std::move(list), head_);
  } else {
    // Else values whose names are left out would be names without values, and nothing would be compared.
    if (rows_.size() == 1) fail(rows_.front(), "expected names of columns in this line, and values below it");
    check_columns();
    const std::string column = kind_->key;
    std::vector<json> records = table_of(rows_, head_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      json& record = records[i];
      if (!column.empty() && (!record.contains(column) || !record[column].is_string()))
        fail(head_, "the table needs a column " + column);
      const std::string key = column.empty() ? "" : record[column];
      record.erase(column);
      const TextLine& line = rows_[i + 1];
      // It must be there, also if nothing of it is compared.
      if (json& there = make(expect, path(key), line); there.is_null()) there = json::object();
      for (const auto& [name, value] : record.items()) {
        std::vector<std::string> place = path(key);
        place.push_back(name);
        put(expect, std::move(place), value, line);
      }
    }
  }
}

std::optional<std::vector<std::string>> Expectation::corrected(const json& outcome) const {
  json told = json::object();
  read(told);
  if (differences(told, outcome).empty()) return std::nullopt;
  const bool list = kind_->drawn == Drawn::list;
  const json* actual = find(outcome, path());
  std::vector<std::string> lines;
  if (kind_->drawn == Drawn::picture) {
    if (actual == nullptr) return std::nullopt;  // there is no such market; the difference says so
    lines = picture(*actual);
  } else if (kind_->drawn == Drawn::events) {
    std::ranges::transform(*actual, std::back_inserter(lines), event_line);
  } else if (!list || !actual->empty()) {
    const Cells names = rows_.empty() ? split(kind_->columns, ' ') : rows_.front().words;
    const std::string key = kind_->key;
    const auto key_place = static_cast<std::size_t>(std::ranges::find(names, key) - names.begin());
    const std::size_t rows = rows_.empty() ? 0 : rows_.size() - 1;
    std::vector<Cells> cells{names};
    for (std::size_t i = 0; i < (list ? actual->size() : rows); ++i) {
      const TextLine* row = i < rows ? &rows_[i + 1] : nullptr;
      const auto name_of = [&] { return value_of(row->words[key_place], *row).get<std::string>(); };
      const json* came = list ? &actual->at(i) : find(outcome, path(key.empty() ? "" : name_of()));
      // A row of something that does not exist stays; the difference tells of it.
      cells.push_back(came == nullptr ? row->words : corrected_row(names, row, *came, key));
    }
    lines = aligned(cells);
  }
  const std::size_t indent = rows_.empty() ? head_.indent + 2 : rows_.front().indent;
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

std::string open_expectations(const ExpectedNames& names, bool has_trades) {
  std::string text;
  const auto write = [&](const Expectation::Kind& kind, const std::string& market) {
    const std::string_view key = kind.key;
    const Cells one{""};
    const Cells& keys = key == "label"  ? names.labels
                        : key == "name" ? names.accounts
                        : key == "id"   ? names.markets
                                        : one;
    if (keys.empty()) return;
    text.append(kind.word).append(market.empty() ? "" : " " + word_of(market)) += "\n";
    if (kind.drawn == Drawn::picture) text += "    --------\n";
    if (kind.drawn == Drawn::list && has_trades)
      text += "  " + std::string(kind.columns) + (names.markets.size() > 1 ? " market\n" : "\n");
    if (kind.drawn != Drawn::table) return;
    text += "  " + std::string(kind.columns) + "\n";
    for (const std::string& name : keys) {
      text += "  " + (name.empty() ? "" : word_of(name));
      for (std::size_t i = split(kind.columns, ' ').size() - (name.empty() ? 0 : 1); i > 0; --i) text += " ?";
      text += "\n";
    }
  };
  const auto* first_of_market = std::ranges::find(kinds, true, &Expectation::Kind::of_market);
  for (const Expectation::Kind& kind : kinds) {
    if (!kind.of_market) write(kind, "");
    if (&kind != first_of_market) continue;
    for (const std::string& market : names.markets)
      for (const Expectation::Kind& other : kinds)
        if (other.of_market) write(other, market);
  }
  return text;
}

std::string expectations_in_markdown() {
  std::string table = "| in a text | column of names | in JSON |\n|---|---|---|\n";
  for (const Expectation::Kind& kind : kinds) {
    const std::string path = kind.path;
    const std::string state = path.empty() ? "a state" : path[0] == '/' ? path.substr(1) : path + " of a state";
    table += "| `" + std::string(kind.word) + (kind.of_market ? " [MARKET]" : "") + "` | " + kind.key + " | " + state +
             " |\n";
  }
  return table;
}

}  // namespace svc::sim::scenario
