// The lines of a text as words, with their indentation. Comments (from '#' at the beginning of a word) and blank
// lines are removed. A word in double quotes may contain blanks; as a value it is read as a JSON text.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc::sim::scenario {

// A value as a file has it. Most are texts and whole numbers; JSON is what is none of the others.
using Said = std::variant<std::string, std::int64_t, bool, nlohmann::json>;

struct TextLine {
  std::size_t number = 0;          // from 1
  std::size_t indent = 0;          // blanks before the first word
  std::size_t length = 0;          // of the line up to its comment
  std::vector<std::string> words;  // as written, with their quotes

  [[nodiscard]] std::string joined(std::size_t from) const;
};

[[nodiscard]] std::vector<TextLine> lines_of(std::string_view text);

// The word of which the value is this text: in quotes if that is needed.
[[nodiscard]] std::string word_of(const std::string& text);

// The parts of a text separated by a character; at least one.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char by);

// Thrown for an invalid line or field; caught where reading a file, or one of its stories, began.
struct Unreadable {
  std::string text;
};
[[noreturn]] void fail(const TextLine& line, const std::string& what);

// Reads the words of a line one by one.
class Words {
 public:
  explicit Words(const TextLine& line) : line_(line) {}

  [[nodiscard]] bool done() const { return at_ >= line_.words.size(); }
  // The next word; `what` names it if there is none.
  const std::string& next(std::string_view what) {
    if (done()) fail(line_, "expected " + std::string(what) + " at the end of the line");
    return line_.words[at_++];
  }
  // The next word; one in quotes as the JSON text that it is.
  std::string text(std::string_view what);
  std::int64_t whole_number(std::string_view what);
  // If the next word is this one, skips it and returns true.
  bool skip(std::string_view word) {
    if (done() || line_.words[at_] != word) return false;
    ++at_;
    return true;
  }
  void finish() const {
    if (!done()) fail(line_, "unexpected \"" + line_.words[at_] + "\"");
  }
  [[nodiscard]] const TextLine& line() const { return line_; }

 private:
  const TextLine& line_;
  std::size_t at_ = 0;
};

}  // namespace svc::sim::scenario
