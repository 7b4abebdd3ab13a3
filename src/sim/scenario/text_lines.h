// The lines of a text as words, with what indents them. Comments (from '#' at the beginning of a word) and blank lines
// are gone.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace svc::sim::scenario {

struct TextLine {
  std::size_t number = 0;  // from 1
  std::size_t indent = 0;  // blanks before the first word
  std::vector<std::string> words;

  [[nodiscard]] std::string joined(std::size_t from) const;
};

[[nodiscard]] std::vector<TextLine> lines_of(std::string_view text);

// The parts of a text between one character and the next; at least one.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char by);

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
  // The next word as JSON: a whole number or a text.
  nlohmann::json value(const char* what, bool whole_number);
  // True, and one word further, if the next word is this one.
  bool skip(std::string_view word);
  void finish() const;
  [[nodiscard]] const TextLine& line() const { return line_; }

 private:
  const TextLine& line_;
  std::size_t at_ = 0;
};

}  // namespace svc::sim::scenario
