#include "sim/scenario/story_update.h"

#include <algorithm>
#include <map>
#include <span>

#include "sim/scenario/difference.h"
#include "sim/scenario/json_fields.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/story.h"
#include "sim/scenario/story_text.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

std::string cell_of(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

// True if the cell says what the value is; numbers compare as numbers.
bool says(const std::string& cell, const json& value) {
  if (cell == ".") return true;
  if (cell == cell_of(value)) return true;
  if (cell == "0" && value.is_null()) return false;
  return differences({{"cell", cell}}, {{"cell", value}}).empty();
}

using Cells = std::vector<std::string>;

std::vector<std::string> aligned(const std::vector<Cells>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const Cells& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// Orders of one price on one line, the one that fills first on the left.
std::vector<std::string> levels(const json& side) {
  std::vector<std::string> lines;
  std::string price;
  for (const json& order : side) {
    const std::string text = cell_of(order["remaining"]) + " " + cell_of(order["account"]);
    const std::string at = order["price"];
    if (!lines.empty() && price == at) {
      lines.back() += ", " + text;
    } else {
      price = at;
      lines.push_back(price + " | " + text);
    }
  }
  return lines;
}

std::vector<std::string> picture(const json& book, std::size_t indent) {
  std::vector<std::string> lines = levels(book["asks"]);
  std::reverse(lines.begin(), lines.end());
  lines.emplace_back("--------");
  for (std::string& line : levels(book["bids"])) lines.push_back(std::move(line));
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

std::string event_line(const json& event) {
  std::string line = cell_of(event["kind"]);
  for (const auto& [name, value] : event.items()) {
    if (name == "kind" || name == "step") continue;
    line += " " + name + " ";
    if (name != "closures") {
      line += cell_of(value);
      continue;
    }
    std::string closures;
    for (const json& one : value) {
      closures += (closures.empty() ? "" : ",") + cell_of(one["account"]) + ":" + cell_of(one["position_closed"]) +
                  ":" + cell_of(one["settlement_amount"]);
    }
    line += closures.empty() ? "none" : closures;
  }
  return line;
}

// What a block of lines becomes, if it differs.
struct Replacement {
  std::size_t first = 0;  // line numbers, from 1
  std::size_t count = 0;
  std::vector<std::string> lines;
};

// One scenario of the text beside what came of it.
class StoryUpdate {
 public:
  StoryUpdate(const json& outcome, std::string market, std::size_t steps_before, std::vector<Replacement>& into)
      : outcome_(outcome), market_(std::move(market)), step_(steps_before), into_(into) {}

  // Reads a step or an expectation; returns how many lines it took.
  std::size_t read(std::span<const TextLine> lines, const std::vector<std::string>& raw) {
    const TextLine& head = lines.front();
    std::size_t count = 1;
    while (count < lines.size() && lines[count].indent > head.indent) ++count;
    const auto rows = lines.subspan(1, count - 1);
    const std::string& kind = head.words[0];
    if (kind == "orders") {
      table(head, rows, "label", [&](const std::string& key) { return at(outcome_["orders"], key); });
    } else if (kind == "trades") {
      trades(head, rows);
    } else if (kind == "events") {
      events(head, rows);
    } else if (kind == "book" || kind == "accounts" || kind == "positions" || kind == "venue" || kind == "markets") {
      state(kind, head, rows);
    } else {
      refusal(head, raw[head.number - 1]);
      ++step_;
      looked_at_.clear();
      return 1;
    }
    return count;
  }

 private:
  static const json* at(const json& object, const std::string& key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  void state(const std::string& kind, const TextLine& head, std::span<const TextLine> rows) {
    if (looked_at_.empty()) {
      looked_at_ = "line " + std::to_string(head.number);
      ++step_;  // a snapshot is a step of its own
    }
    const json& here = outcome_["snapshots"][looked_at_];
    const std::string market = head.words.size() > 1 ? head.words[1] : market_;
    if (kind == "book") return book(head, rows, here["books"][market]);
    if (kind == "venue") return table(head, rows, "", [&](const std::string&) { return &here; });
    if (kind == "markets")
      return table(head, rows, "id", [&](const std::string& key) { return at(here["markets"], key); });
    table(head, rows, "name", [&](const std::string& key) -> const json* {
      const json* account = at(here["accounts"], key);
      return account == nullptr || kind == "accounts" ? account : at((*account)["positions"], market);
    });
  }

  void refusal(const TextLine& line, const std::string& raw) {
    std::string expected;
    if (line.words.size() > 2 && line.words[line.words.size() - 2] == "->") expected = line.words.back();
    std::string actual;
    for (const json& row : outcome_["rejects"])
      if (row["step"] == step_ + 1) actual = cell_of(row["error"]);
    if (expected == actual) return;
    const auto comment = raw.find(" #");
    std::string step = raw.substr(0, comment);
    const std::string rest = comment == std::string::npos ? "" : raw.substr(comment);
    if (!expected.empty()) step.resize(step.rfind("->"));
    while (step.ends_with(' ')) step.pop_back();
    if (!actual.empty()) step += " -> " + actual;
    into_.push_back({line.number, 1, {step + rest}});
  }

  void book(const TextLine& head, std::span<const TextLine> rows, const json& actual) {
    const std::vector<std::string> lines = picture(actual, rows.empty() ? head.indent + 4 : rows.front().indent);
    // Compared as words, so that a picture that is only drawn otherwise stays.
    std::vector<TextLine> drawn;
    for (const std::string& line : lines)
      for (TextLine& one : lines_of(line)) drawn.push_back(std::move(one));
    const auto same = [](const TextLine& a, const TextLine& b) {
      const bool dashes = a.words.size() == 1 && b.words.size() == 1;
      return dashes || a.words == b.words;
    };
    if (std::equal(rows.begin(), rows.end(), drawn.begin(), drawn.end(), same)) return;
    replace(head, rows, lines);
  }

  template <class Find>
  void table(const TextLine& head, std::span<const TextLine> rows, const std::string& key, Find find) {
    if (rows.empty()) return;
    const Cells& names = rows.front().words;
    const auto key_place = std::find(names.begin(), names.end(), key);
    std::vector<Cells> cells{names};
    bool changed = false;
    for (const TextLine& row : rows.subspan(1)) {
      Cells now = row.words;
      const std::string name = key.empty() ? "" : now[static_cast<std::size_t>(key_place - names.begin())];
      const json* actual = find(name);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == key && !key.empty()) continue;
        const json* value = actual == nullptr ? nullptr : at(*actual, names[i]);
        const json told = value == nullptr ? json() : *value;
        if (says(now[i], told)) continue;
        now[i] = cell_of(told);
        changed = true;
      }
      cells.push_back(std::move(now));
    }
    if (changed) replace(head, rows, aligned(cells, rows.front().indent));
  }

  void trades(const TextLine& head, std::span<const TextLine> rows) {
    const json& actual = outcome_["trades"];
    const Cells names = rows.empty() ? Cells{"taker_side", "quantity", "price", "taker", "maker"} : rows.front().words;
    std::vector<Cells> cells{names};
    bool same = actual.size() == (rows.empty() ? 0 : rows.size() - 1);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      Cells row;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const json* value = at(actual[i], names[k]);
        const json told = value == nullptr ? json() : *value;
        const bool there = i + 1 < rows.size();
        const bool right = there && says(rows[i + 1].words[k], told);
        same = same && right;
        row.push_back(right ? rows[i + 1].words[k] : cell_of(told));
      }
      cells.push_back(std::move(row));
    }
    if (same) return;
    if (actual.empty()) cells.clear();
    replace(head, rows, aligned(cells, rows.empty() ? head.indent + 2 : rows.front().indent));
  }

  void events(const TextLine& head, std::span<const TextLine> rows) {
    std::vector<std::string> lines;
    for (const json& event : outcome_["risk_events"])
      lines.push_back(std::string(rows.empty() ? head.indent + 2 : rows.front().indent, ' ') + event_line(event));
    bool same = lines.size() == rows.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i) same = tells(rows[i], outcome_["risk_events"][i]);
    if (!same) replace(head, rows, lines);
  }

  // Each field that the line names is as it came; closures as a whole.
  static bool tells(const TextLine& row, const json& event) {
    if (row.words[0] != cell_of(event["kind"])) return false;
    for (std::size_t i = 1; i + 1 < row.words.size(); i += 2) {
      const json* value = at(event, row.words[i]);
      if (value == nullptr) return false;
      if (row.words[i] != "closures" && !says(row.words[i + 1], *value)) return false;
      if (row.words[i] == "closures" &&
          event_line({{"kind", "x"}, {"closures", *value}}) != "x closures " + row.words[i + 1])
        return false;
    }
    return true;
  }

  void replace(const TextLine& head, std::span<const TextLine> rows, std::vector<std::string> lines) {
    const std::size_t last = rows.empty() ? head.number : rows.back().number;
    into_.push_back({head.number + 1, last - head.number, std::move(lines)});
  }

  const json& outcome_;
  std::string market_;
  std::size_t step_;
  std::string looked_at_;
  std::vector<Replacement>& into_;
};

std::string with(std::vector<std::string> raw, std::vector<Replacement> replacements, bool ends_with_feed) {
  std::sort(replacements.begin(), replacements.end(),
            [](const Replacement& a, const Replacement& b) { return a.first > b.first; });
  for (Replacement& one : replacements) {
    const auto at = raw.begin() + static_cast<std::ptrdiff_t>(one.first - 1);
    const auto next = raw.erase(at, at + static_cast<std::ptrdiff_t>(one.count));
    raw.insert(next, std::make_move_iterator(one.lines.begin()), std::make_move_iterator(one.lines.end()));
  }
  std::string text;
  for (const std::string& line : raw) text += line + "\n";
  if (!ends_with_feed && !text.empty()) text.pop_back();
  return text;
}

Result<std::string, std::string> update(std::string_view text) {
  const auto file = SVC_TRY(parse_scenario_file(text));
  std::vector<std::string> raw;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    raw.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::vector<TextLine> lines = lines_of(text);
  std::vector<Replacement> replacements;
  std::size_t beginning = 0;  // steps that precede each story
  std::size_t vector = 0;
  for (std::size_t line = 0; line < lines.size();) {
    if (lines[line].words[0] != "=") {
      if (lines[line].words[0] != "topic" && lines[line].words[0] != "market") ++beginning;
      ++line;
      continue;
    }
    const Vector& told = file.vectors.at(vector++);
    if (!told.scenario) return unexpected(told.error.empty() ? told.id + " has no steps" : told.error);
    Story story(*told.scenario);
    story.tell();
    const json outcome = story.outcome();
    StoryUpdate one(outcome, told.scenario->markets.front().id, beginning, replacements);
    ++line;
    while (line < lines.size() && lines[line].words[0] == "market") ++line;
    while (line < lines.size() && lines[line].words[0] != "=") line += one.read(std::span(lines).subspan(line), raw);
  }
  return with(std::move(raw), std::move(replacements), text.ends_with('\n'));
}

}  // namespace

Result<std::string, std::string> update_story_text(std::string_view text) {
  if (!is_story_text(text)) return unexpected(std::string("only the text form is rewritten, not JSON"));
  try {
    return update(text);
  } catch (const FieldError& error) {
    return unexpected(error.text);
  }
}

}  // namespace svc::sim::scenario
