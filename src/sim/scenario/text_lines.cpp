#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {
namespace {

constexpr std::string_view blanks = " \t\r";

TextLine line_of(std::string_view text, std::size_t number) {
  TextLine line{.number = number, .indent = std::min(text.find_first_not_of(blanks), text.size()), .words = {}};
  for (std::size_t at = line.indent; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    if (text[at] == '#') break;
    line.words.emplace_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(blanks, end), text.size());
  }
  return line;
}

}  // namespace

std::string TextLine::joined(std::size_t from) const {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (i == from ? "" : " ") + words[i];
  return text;
}

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    TextLine line = line_of(text.substr(0, end), ++number);
    if (!line.words.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void fail(const TextLine& line, const std::string& what) {
  throw LineError{"line " + std::to_string(line.number) + ": " + what};
}

const std::string& Words::next(const char* what) {
  if (done()) fail(line_, std::string("expected ") + what + " at the end of the line");
  return line_.words[at_++];
}

bool Words::skip(std::string_view word) {
  if (done() || line_.words[at_] != word) return false;
  ++at_;
  return true;
}

void Words::finish() const {
  if (!done()) fail(line_, "unexpected \"" + line_.words[at_] + "\"");
}

}  // namespace svc::sim::scenario
