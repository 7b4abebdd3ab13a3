#include "sim/scenario/story_text.h"

#include <map>
#include <optional>
#include <span>

#include "sim/scenario/step_text.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// ID NAME VALUE ...; tiers as "0:0.1:0.05,20000:0.2:0.1".
json market_of(Words words) {
  json market = {{"id", words.next("the market")}};
  while (!words.done()) {
    const std::string name = words.next("a field");
    if (name == "tiers") {
      for (const std::string& tier : split(words.next("tiers"), ',')) market[name].push_back(split(tier, ':'));
    } else if (name == "max_leverage" || name.ends_with("_ppm") || name.ends_with("_ms")) {
      market[name] = read_integer(words, name.c_str());
    } else {
      market[name] = words.next("its value");
    }
  }
  return market;
}

// Rows of a picture or a table: the lines that are indented more than the one that begins it.
std::span<const TextLine> rows_below(std::span<const TextLine> lines) {
  std::size_t count = 1;
  while (count < lines.size() && lines[count].indent > lines.front().indent) ++count;
  return lines.subspan(1, count - 1);
}

// "12 | 3 bob, 4 carol": orders of one price, the one that fills first on the left.
json level_of(const TextLine& line) {
  Words words(line);
  const std::string price = words.next("a price");
  if (!words.skip("|")) fail(line, "expected | after the price");
  json rows = json::array();
  while (!words.done()) {
    const std::string remaining = words.next("a quantity");
    std::string account = words.next("an account");
    if (account.back() == ',') account.pop_back();
    rows.push_back({{"price", price}, {"remaining", remaining}, {"account", account}});
  }
  return rows;
}

// Asks above the line of dashes, best at the bottom; bids below it, best on top.
json picture_of(std::span<const TextLine> rows, const TextLine& head) {
  json bids = json::array();
  std::vector<json> asks;
  bool below = false;
  for (const TextLine& row : rows) {
    const bool dashes = row.words.size() == 1 && row.words[0].find_first_not_of('-') == std::string::npos;
    if (dashes) {
      below = true;
    } else if (below) {
      for (json& order : level_of(row)) bids.push_back(std::move(order));
    } else {
      asks.push_back(level_of(row));
    }
  }
  if (!below) fail(head, "a book needs a line of dashes between asks and bids");
  json best_first = json::array();
  for (auto level = asks.rbegin(); level != asks.rend(); ++level) {
    for (json& order : *level) best_first.push_back(std::move(order));
  }
  return {{"bids", std::move(bids)}, {"asks", std::move(best_first)}};
}

// A row of names, then rows of values: "-" is null, "." is not looked at.
std::vector<json> table_of(std::span<const TextLine> rows, const TextLine& head) {
  if (rows.empty()) fail(head, "expected a table below");
  std::vector<json> records;
  for (const TextLine& row : rows.subspan(1)) {
    if (row.words.size() != rows[0].words.size()) {
      fail(row, "expected " + std::to_string(rows[0].words.size()) + " columns, as in line " +
                    std::to_string(rows[0].number));
    }
    json record = json::object();
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      if (row.words[i] != ".") record[rows[0].words[i]] = row.words[i] == "-" ? json(nullptr) : json(row.words[i]);
    }
    records.push_back(std::move(record));
  }
  return records;
}

// The record's name, which is its first column.
std::string take_key(json& record, const char* column, const TextLine& head) {
  if (!record.contains(column) || !record[column].is_string())
    fail(head, std::string("the table needs a column ") + column);
  std::string key = record[column];
  record.erase(column);
  return key;
}

// One scenario being read.
class StoryText {
 public:
  StoryText(const TextLine& head, const json& markets) : markets_(markets) {
    if (head.words.size() < 2) fail(head, "expected = ID TITLE");
    vector_ = {{"id", head.words[1]}, {"title", head.joined(2)}};
  }

  // Reads a step or an expectation; returns how many lines it took.
  std::size_t read(std::span<const TextLine> lines) {
    const TextLine& line = lines.front();
    if (const auto found = expectations().find(line.words[0]); found != expectations().end()) {
      const auto rows = rows_below(lines);
      (this->*found->second)(Words(line), rows);
      return 1 + rows.size();
    }
    read_line(line);
    return 1;
  }

  json finish() {
    vector_["given"] = {{"markets", markets_}, {"steps", std::move(steps_)}, {"lines", std::move(lines_)}};
    expect_["rejects"] = std::move(rejects_);
    vector_["expect"] = std::move(expect_);
    return std::move(vector_);
  }

  // What precedes the first scenario precedes each.
  StoryText& begin_with(const std::vector<TextLine>& lines) {
    for (const TextLine& line : lines) read_line(line);
    return *this;
  }

 private:
  using Expectation = void (StoryText::*)(Words, std::span<const TextLine>);

  static const std::map<std::string, Expectation>& expectations() {
    static const std::map<std::string, Expectation> table = {
        {"book", &StoryText::expect_book},           {"accounts", &StoryText::expect_accounts},
        {"positions", &StoryText::expect_positions}, {"venue", &StoryText::expect_venue},
        {"markets", &StoryText::expect_markets},     {"orders", &StoryText::expect_orders},
        {"trades", &StoryText::expect_trades},       {"events", &StoryText::expect_events},
    };
    return table;
  }

  // "... -> Refusal" at the end of a step.
  void read_line(TextLine line) {
    std::string refusal;
    if (line.words.size() > 2 && line.words[line.words.size() - 2] == "->") {
      refusal = line.words.back();
      line.words.resize(line.words.size() - 2);
    }
    add_step(read_step(line, markets_.at(0).at("id")), line);
    if (!refusal.empty()) rejects_.push_back({{"step", steps_.size()}, {"error", refusal}});
    looked_at_.clear();
  }

  void add_step(json step, const TextLine& line) {
    steps_.push_back(std::move(step));
    lines_.push_back(line.number);
  }

  std::string market_named(Words& words) const {
    const std::string id = words.done() ? markets_.at(0).at("id").get<std::string>() : words.next("a market");
    words.finish();
    return id;
  }

  // What the state is here: a snapshot that the next step ends.
  json& here(const TextLine& line) {
    if (looked_at_.empty()) {
      looked_at_ = "line " + std::to_string(line.number);
      add_step({{"op", "snapshot"}, {"name", looked_at_}}, line);
    }
    return expect_["snapshots"][looked_at_];
  }

  void expect_book(Words words, std::span<const TextLine> rows) {
    const TextLine& head = words.line();
    words.next("book");
    const std::string market = market_named(words);
    here(head)["books"][market] = picture_of(rows, head);
  }
  void expect_accounts(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string name = take_key(record, "name", words.line());
      here(words.line())["accounts"][name].update(record);
    }
  }
  void expect_positions(Words words, std::span<const TextLine> rows) {
    const TextLine& head = words.line();
    words.next("positions");
    const std::string market = market_named(words);
    for (json& record : table_of(rows, head)) {
      const std::string name = take_key(record, "name", head);
      here(head)["accounts"][name]["positions"][market] = record;
    }
  }
  void expect_venue(Words words, std::span<const TextLine> rows) {
    for (const json& record : table_of(rows, words.line())) here(words.line()).update(record);
  }
  void expect_markets(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string id = take_key(record, "id", words.line());
      here(words.line())["markets"][id] = record;
    }
  }

  // Of the whole story.
  void expect_orders(Words words, std::span<const TextLine> rows) {
    for (json& record : table_of(rows, words.line())) {
      const std::string label = take_key(record, "label", words.line());
      expect_["orders"][label] = record;
    }
  }
  void expect_trades(Words words, std::span<const TextLine> rows) {
    expect_["trades"] = json::array();
    if (rows.empty()) return;
    for (json& record : table_of(rows, words.line())) {
      if (record.contains("is_liquidation")) record["is_liquidation"] = record["is_liquidation"] == "yes";
      expect_["trades"].push_back(std::move(record));
    }
  }
  // KIND NAME VALUE ... ; closures as account:quantity:amount,...
  void expect_events(Words, std::span<const TextLine> rows) {
    expect_["risk_events"] = json::array();
    for (const TextLine& row : rows) {
      Words words(row);
      json event = {{"kind", words.next("a kind")}};
      while (!words.done()) {
        const std::string name = words.next("a field");
        const std::string& value = words.next("its value");
        if (name == "closures") {
          event[name] = closures_of(value, row);
        } else {
          event[name] = value;
        }
      }
      expect_["risk_events"].push_back(std::move(event));
    }
  }

  static json closures_of(const std::string& text, const TextLine& line) {
    json closures = json::array();
    if (text == "none") return closures;
    for (const std::string& one : split(text, ',')) {
      const auto parts = split(one, ':');
      if (parts.size() != 3) fail(line, "a closure is account:quantity:amount");
      closures.push_back({{"account", parts[0]}, {"position_closed", parts[1]}, {"settlement_amount", parts[2]}});
    }
    return closures;
  }

  json markets_;
  json vector_;
  json steps_ = json::array();
  json lines_ = json::array();
  json rejects_ = json::array();
  json expect_ = json::object();
  std::string looked_at_;  // the snapshot that the lines after the last step belong to
};

json read_document(std::string_view text) {
  const std::vector<TextLine> lines = lines_of(text);
  json vectors = json::array();
  json markets = json::array();
  std::vector<TextLine> beginning;
  std::optional<StoryText> story;
  const auto end_story = [&] {
    if (story) vectors.push_back(story->finish());
    story.reset();
  };
  std::string topic;
  json own_markets = json::array();
  for (std::size_t at = 0; at < lines.size();) {
    const TextLine& line = lines[at];
    if (line.words[0] == "=") {
      end_story();
      ++at;
      // Markets right below the title replace those of the file.
      own_markets = json::array();
      while (at < lines.size() && lines[at].words[0] == "market") {
        Words words(lines[at++]);
        words.next("market");
        own_markets.push_back(market_of(words));
      }
      const json& used = own_markets.empty() ? markets : own_markets;
      if (used.empty()) fail(line, "no market is described");
      story.emplace(line, used);
      story->begin_with(beginning);
    } else if (story) {
      at += story->read(std::span(lines).subspan(at));
    } else if (line.words[0] == "topic") {
      topic = line.joined(1);
      ++at;
    } else if (line.words[0] == "market") {
      Words words(line);
      words.next("market");
      markets.push_back(market_of(words));
      ++at;
    } else {
      beginning.push_back(line);
      ++at;
    }
  }
  end_story();
  if (vectors.empty()) throw LineError{"no scenario: expected a line \"= ID TITLE\""};
  return {{"topic", topic}, {"vectors", std::move(vectors)}};
}

}  // namespace

bool is_story_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[';
}

Result<json, std::string> read_story_text(std::string_view text) {
  try {
    return read_document(text);
  } catch (const LineError& error) {
    return unexpected(error.text);
  }
}

}  // namespace svc::sim::scenario
