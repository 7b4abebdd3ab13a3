#include "sim/scenario/text_lines.h"

#include <algorithm>
#include <span>

#include "base/shown_text.h"
#include "base/text.h"

namespace svc::sim::scenario {

std::string TextLine::joined(std::size_t from) const {
  return svc::joined(std::span(words).subspan(std::min(from, words.size())), std::identity(), " ");
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size(); begin += parts.back().size() + 1)
    parts.emplace_back(text.substr(begin, text.find(by, begin) - begin));
  return parts;
}

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t words_expected = 8;  // of a line; longer ones are rare

// Where the word that begins there ends; without a closing quote, the first one is a character like any other.
std::size_t word_end(std::string_view line, std::size_t begin) {
  std::size_t at = begin;
  if (line[begin] == '"') {
    for (at = begin + 1; at < line.size() && line[at] != '"'; ++at)
      if (line[at] == '\\') ++at;
    if (at >= line.size()) at = begin;
  }
  return std::min(line.find_first_of(blanks, at), line.size());
}

}  // namespace

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::string_view one = text.substr(begin, text.find('\n', begin) - begin);
    begin += one.size() + 1;
    TextLine line{.number = ++number, .indent = std::min(one.find_first_not_of(blanks), one.size()), .words = {}};
    line.length = line.indent;
    while (line.length < one.size() && one[line.length] != '#') {
      if (line.words.empty()) line.words.reserve(words_expected);
      const std::size_t end = word_end(one, line.length);
      line.words.emplace_back(one.substr(line.length, end - line.length));
      line.length = std::min(one.find_first_not_of(blanks, end), one.size());
    }
    if (!line.words.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string word_of(const std::string& text) {
  // Without quotes these mean nothing, an absent value, the arrow before a refusal, a quoted word and a comment.
  const bool means_more = text.empty() || text == "-" || text == "->" || text[0] == '"' || text[0] == '#';
  const bool is_plain = !means_more && text.find(' ') == text.npos && escaped(text) == text;
  return is_plain ? text : escaped(nlohmann::json(text).dump());
}

void fail(const TextLine& line, const std::string& what) {
  throw Unreadable{"line " + std::to_string(line.number) + ": " + what};
}

std::string Words::text(std::string_view what) {
  const std::string& word = next(what);
  if (!word.starts_with('"')) return word;
  const auto text = nlohmann::json::parse(word, nullptr, false);
  if (!text.is_string()) fail(line_, std::string(what) + " is no text in quotes: " + word);
  return text.get<std::string>();
}

std::int64_t Words::whole_number(std::string_view what) {
  const std::string& word = next(what);
  constexpr std::size_t digits_max = 18;
  const std::size_t sign = word.starts_with('-') ? 1 : 0;
  const std::size_t digits = word.size() - sign;
  const bool whole = digits > 0 && digits <= digits_max && word.find_first_not_of("0123456789", sign) == word.npos;
  if (!whole) fail(line_, std::string(what) + " must be a whole number, not \"" + word + "\"");
  return std::stoll(word);
}

}  // namespace svc::sim::scenario
