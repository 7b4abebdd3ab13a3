#include "cli/arguments/line_words.h"

#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"

namespace svc::cli {
namespace {

constexpr std::string_view blanks = " \t\r\n";

// Goes through the text one character at a time.
class Splitter {
 public:
  Splitter(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  Result<Line> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!open_ && c == '#') break;
      if (c == '|') {
        SVC_TRY(end_word());
        return with_pipe();
      }
      SVC_TRY(blanks.find(c) != blanks.npos ? end_word() : take(c));
      ++at_;
    }
    SVC_TRY(end_word());
    return std::move(line_);
  }

 private:
  Result<void> take(char c) {
    if (c == '\'' || c == '"') return quoted_part(c);
    if (c == '\\' && (open_ || !line_.words.empty())) {  // a leading backslash names a command of the shell
      if (at_ + 1 == text_.size()) return usage_error("the line ends in a backslash");
      add(text_[++at_]);
      return {};
    }
    if (c == ':' && !open_) named_ = true;
    add(c);
    return {};
  }

  Result<void> quoted_part(char quote) {
    open_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) return {};
      const bool escape =
          quote == '"' && c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      add(escape ? text_[++at_] : c);
    }
    return usage_error("the quote ", quote, " is not closed");
  }

  void add(char c) {
    open_ = true;
    word_ += c;
  }

  Result<void> end_word() {
    if (!open_) return {};
    if (named_ && word_.size() > 1) {
      const auto value = lookup_(std::string_view(word_).substr(1));
      if (!value) return usage_error("nothing is known as " + word_ + "; \\set lists what is");
      SVC_TRY(check_kept({*value}, "the value of " + word_));
      word_ = *value;
    }
    line_.words.push_back(std::move(word_));
    word_.clear();
    open_ = named_ = false;
    return {};
  }

  Result<Line> with_pipe() {
    const std::string_view command = trimmed(text_.substr(at_ + 1), blanks);
    if (command.empty() || line_.words.empty()) return usage_error("a command must stand on both sides of |");
    line_.pipe = std::string(command);
    return std::move(line_);
  }

  std::string_view text_;
  const Lookup& lookup_;
  Line line_;
  std::string word_;
  std::size_t at_ = 0;
  bool open_ = false;   // a word has begun, even if it is still empty
  bool named_ = false;  // the word begins with an unquoted colon
};

}  // namespace

Result<Line> split_line(std::string_view text, const Lookup& lookup) {
  return Splitter(text, lookup).split();
}

std::string_view flag_of(std::string_view word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

Result<void> check_kept(const std::vector<std::string>& words, const std::string& what) {
  if (std::ranges::any_of(words, [](const std::string& word) { return word.find("--confirm") != word.npos; }))
    return usage_error(what, " cannot hold --confirm: what it confirms is typed each time");
  if (std::ranges::none_of(words, [](const std::string& word) { return word.starts_with('-'); })) return {};
  // The parser knows all spellings of the flag. (D-962)
  // "next" is what is typed after them: a flag at their end would take it for its value.
  if (!usable_globals(followed_by(words, {"next"})).globals.network) return {};
  return usage_error(what, " cannot hold --network: the network is typed each time, or a profile names it (--profile)");
}

std::vector<FlagWords> flags_of_every_line(const std::vector<std::string>& words) {
  const LineFlags line;
  std::vector<FlagWords> flags;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with('-') || line.arguments.find_flag(flag_of(words[i])) == nullptr) continue;
    flags.push_back({words[i]});
    if (takes_next_word(line.arguments, words[i]) && i + 1 < words.size()) flags.back().push_back(words[++i]);
  }
  return flags;
}

}  // namespace svc::cli
