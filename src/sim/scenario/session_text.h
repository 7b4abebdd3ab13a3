// Steps of a session as lines of a scenario (docs/scenarios.md).
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/engine/events.h"
#include "sim/engine/terms.h"
#include "sim/scenario/session.h"

namespace svc::sim::scenario {

struct LabelledOrder {
  std::string label;
  engine::MarketIndex market;
};

// What things are called in the story.
struct SessionNames {
  std::vector<engine::MarketSpec> specs;  // by market index
  std::size_t first_market = 0;           // that lines mean that name none
  std::map<Address, std::string> accounts;
  std::map<engine::OrderId, LabelledOrder> labels;
  std::map<std::pair<Address, std::string>, int> client_ids;  // how often each was sent
};

// ID NAME VALUE ..., without what a story has anyway.
[[nodiscard]] std::string market_line(const engine::MarketSpec& spec);
// Usually one; a batch gives one for each order, some steps give none. `used`: markets of the story.
[[nodiscard]] std::vector<std::string> step_lines(const SessionStep& step, const SessionNames& names,
                                                  const std::vector<std::size_t>& used);

// Why the order ended, self-trade prevention as "Stp(CancelOldest)"; empty if it was not cancelled.
[[nodiscard]] std::string spell_reason(const engine::OrderRecord& order);

// The lines of a text as words, with what indents them. Comments (from '#' at the beginning of a word) and blank
// lines are gone.

struct TextLine {
  std::size_t number = 0;  // from 1
  std::size_t indent = 0;  // blanks before the first word
  std::vector<std::string> words;

  [[nodiscard]] std::string joined(std::size_t from) const;
};

[[nodiscard]] std::vector<TextLine> lines_of(std::string_view text);

// Something is wrong with a line; caught where the text began to be read.
struct LineError {
  std::string text;
};
[[noreturn]] void fail(const TextLine& line, const std::string& what);

// The words of a line one after the other.
class Words {
 public:
  explicit Words(const TextLine& line) : line_(line) {}

  [[nodiscard]] bool done() const { return at_ >= line_.words.size(); }
  // The next word; `what` names it if there is none.
  const std::string& next(const char* what);
  // True, and one word further, if the next word is this one.
  bool skip(std::string_view word);
  void finish() const;
  [[nodiscard]] const TextLine& line() const { return line_; }

 private:
  const TextLine& line_;
  std::size_t at_ = 0;
};

// A step as it is said: "alice buys 5 @ 10 IOC as first" (docs/scenarios.md).

// The step in its JSON form; one that names no market is in the given one. Throws LineError.
[[nodiscard]] nlohmann::json read_step(const TextLine& line, const std::string& market);

// A whole number of the file format.
[[nodiscard]] nlohmann::json read_integer(Words& words, const char* what);

}  // namespace svc::sim::scenario
