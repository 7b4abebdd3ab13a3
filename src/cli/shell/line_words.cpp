#include "cli/shell/line_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "api/stream_message.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"

namespace svc::cli {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Goes through the text one character at a time.
class Splitter {
 public:
  Splitter(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  Result<Line, Failure> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!open_ && c == '#') break;
      if (c == '|') {
        SVC_TRY(end_word());
        return with_pipe();
      }
      SVC_TRY(is_blank(c) ? end_word() : take(c));
      ++at_;
    }
    SVC_TRY(end_word());
    return std::move(line_);
  }

 private:
  Result<void, Failure> take(char c) {
    if (c == '\'' || c == '"') return quoted_part(c);
    if (c == '\\' && (open_ || !line_.words.empty())) {  // as the first character it names a command of the shell
      if (at_ + 1 == text_.size()) return unexpected(usage_error("the line ends in a backslash"));
      add(text_[++at_]);
      return {};
    }
    if (c == ':' && !open_) named_ = true;
    add(c);
    return {};
  }

  Result<void, Failure> quoted_part(char quote) {
    open_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) return {};
      const bool escape =
          quote == '"' && c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      add(escape ? text_[++at_] : c);
    }
    return unexpected(usage_error(std::string("the quote ") + quote + " is not closed"));
  }

  void add(char c) {
    open_ = true;
    word_ += c;
  }

  Result<void, Failure> end_word() {
    if (!open_) return {};
    if (named_ && word_.size() > 1) {
      const auto value = lookup_(std::string_view(word_).substr(1));
      if (!value) return unexpected(usage_error("nothing is known as " + word_ + "; \\set lists what is"));
      word_ = *value;
    }
    line_.words.push_back(std::move(word_));
    word_.clear();
    open_ = named_ = false;
    return {};
  }

  Result<Line, Failure> with_pipe() {
    std::string_view command = text_.substr(at_ + 1);
    while (!command.empty() && is_blank(command.front())) command.remove_prefix(1);
    while (!command.empty() && is_blank(command.back())) command.remove_suffix(1);
    if (command.empty() || line_.words.empty())
      return unexpected(usage_error("a command must stand on both sides of |"));
    line_.pipe = std::string(command);
    return std::move(line_);
  }

  std::string_view text_;
  const Lookup& lookup_;
  Line line_;
  std::string word_;
  std::size_t at_ = 0;
  bool open_ = false;   // a word has begun, even if it is empty so far
  bool named_ = false;  // it begins with an unquoted colon
};

}  // namespace

Result<Line, Failure> split_line(std::string_view text, const Lookup& lookup) {
  return Splitter(text, lookup).split();
}

std::string join_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const auto plain = [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view("-_./@%+,=").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

namespace {

using namespace std::string_view_literals;

// What the shell itself understands, beside the commands of the program.
constexpr std::array own_words{"x"sv, "use"sv, "."sv, "exit"sv, "quit"sv, "svc"sv, "help"sv};

// An alias may begin with another one, but not for ever.
constexpr int alias_depth_max = 8;

Result<std::vector<std::string>, Failure> without_alias(std::vector<std::string> words, const ShellState& state) {
  for (int depth = 0; depth < alias_depth_max; ++depth) {
    if (means_something(words.front())) return words;
    const auto alias = state.aliases.find(words.front());
    if (alias == state.aliases.end()) return words;
    std::vector<std::string> longer = alias->second;
    longer.insert(longer.end(), words.begin() + 1, words.end());
    words = std::move(longer);
  }
  return unexpected(usage_error("the alias \"" + words.front() + "\" leads to itself"));
}

std::optional<std::string> order_of_row(const Json& row) {
  for (const std::string_view path : {"order_id", "order.id", "id"}) {
    if (const auto id = row.string_at(path)) return std::string(*id);
  }
  return std::nullopt;
}

Result<std::vector<std::string>, Failure> cancel_rows(const std::vector<std::string>& words, const ShellState& state) {
  if (words.size() == 1) return unexpected(usage_error("x takes rows of the last table: x 3, or x 1 2"));
  std::vector<std::string> cancel{"orders", "cancel"};
  const std::vector<Json>& rows = state.last_rows.items();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      cancel.insert(cancel.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || stop != word.data() + word.size() || number == 0 || number > rows.size()) {
      const std::string there = rows.empty() ? "no rows" : "rows 1 to " + std::to_string(rows.size());
      return unexpected(usage_error("the last table has " + there + "; \"" + word + "\" is none of them"));
    }
    const auto id = order_of_row(rows[number - 1]);
    if (!id) return unexpected(usage_error("row " + word + " of the last table is no order"));
    cancel.push_back(*id);
  }
  return cancel;
}

// The words that are no flags nor values of flags, by their places.
std::vector<std::size_t> positional_places(const std::vector<std::string>& words, std::size_t from,
                                           const Arguments& arguments) {
  std::vector<std::size_t> places;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (words[i] == "--") break;
    const bool is_flag = words[i].size() > 1 && words[i].front() == '-';
    if (!is_flag) places.push_back(i);
    if (is_flag && takes_next_word(arguments, words[i])) ++i;
  }
  return places;
}

// "-n local buy 1" is "buy 1 -n local": whoever looks at a line finds its command in front.
std::vector<std::string> command_first(std::vector<std::string> words) {
  Arguments globals;
  GlobalWords ignored;
  declare_globals(globals, ignored);
  std::size_t flags = 0;
  while (flags < words.size() && words[flags].size() > 1 && words[flags].front() == '-' && words[flags] != "--")
    flags += takes_next_word(globals, words[flags]) ? 2U : 1U;
  if (flags == 0 || flags >= words.size()) return words;
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(flags);
  std::rotate(words.begin(), command, std::find(command, words.end(), "--"));
  return words;
}

// Puts the market where the command wants one and finds nothing, or the price.
void fill_in_market(std::vector<std::string>& words, const ShellState& state) {
  const auto found = find_command(words);
  if (!found || !state.market) return;
  Arguments arguments;
  GlobalWords ignored;
  declare_globals(arguments, ignored);
  const auto command = found->row->make();
  command->declare(arguments);
  // Of a trade the market may be left out with the size.
  const bool trade = found->row->path == "buy" || found->row->path == "sell";
  const bool by_value = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--notional" || word.starts_with("--notional=");
  });
  std::size_t wanted = 0;
  bool takes_market = false;
  for (const Declared& declared : arguments.declared()) {
    if (!declared.positional || takes_market) continue;
    takes_market = declared.names == "MARKET" && (declared.required || trade);
    if (!takes_market && !(trade && by_value)) ++wanted;
  }
  if (!takes_market) return;
  const std::vector<std::size_t> places = positional_places(words, found->words, arguments);
  const bool missing = places.size() <= wanted;
  if (missing && places.size() < wanted) return;  // something before it is missing as well
  if (!missing && !words[places[wanted]].starts_with('@')) return;
  const std::size_t place = missing ? (wanted == 0 ? found->words : places[wanted - 1] + 1) : places[wanted];
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), *state.market);
}

// Channels of a market mean the one in use when none is named: words of markets have a dash, those of channels none.
void name_market_of_channels(std::vector<std::string>& words, const ShellState& state) {
  if (words.front() != "watch" || !state.market) return;
  bool wanted = false;
  for (std::size_t i = 1; i < words.size() && words[i].front() != '-'; ++i) {
    if (words[i].find('-') != std::string::npos) return;
    const auto channel = api::find_stream_channel(words[i]);
    wanted = wanted || (channel && api::info_of(*channel).scope == api::ChannelScope::market);
  }
  if (!wanted) return;
  const auto flags = std::find_if(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); });
  words.insert(flags, *state.market);
}

bool is_percentage(const std::string& word) {
  return word.size() > 1 && word.back() == '%' &&
         std::all_of(word.begin(), word.end() - 1, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

// A part of the position leaves it and never turns it round, nor makes it larger: order_terms.cpp sees to that.
void only_reduce(std::vector<std::string>& words) {
  words[1] += "pos";
  const auto end = std::find(words.begin(), words.end(), "--");
  if (std::find(words.begin(), end, "--reduce-only") == end) words.insert(words.begin() + 2, "--reduce-only");
}

}  // namespace

bool means_something(const std::string& word) {
  if (std::find(own_words.begin(), own_words.end(), word) != own_words.end()) return true;
  return find_command({word}).has_value() || begins_command({word});
}

Result<std::vector<std::string>, Failure> expand_shorthand(std::vector<std::string> words, const ShellState& state) {
  if (words.empty()) return words;
  auto longer = SVC_TRY(without_alias(command_first(std::move(words)), state));
  words = std::move(longer);
  if (words.front() == ".") {
    if (words.size() > 1) return unexpected(usage_error(". repeats the command before and takes nothing"));
    if (state.last_words.empty()) return unexpected(usage_error("there is no command to repeat yet"));
    return state.last_words;
  }
  if (words.front() == "x") return cancel_rows(words, state);
  const bool trade = words.front() == "buy" || words.front() == "sell";
  if (trade && words.size() > 1 && is_percentage(words[1])) only_reduce(words);
  fill_in_market(words, state);
  name_market_of_channels(words, state);
  return words;
}

namespace {

// "-n,--network" names both.
bool names(const Declared& declared, std::string_view flag) {
  std::string_view rest = declared.names;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == flag) return true;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return false;
}

}  // namespace

std::vector<FlagWords> flags_of_every_line(const Context& context) {
  Arguments globals;
  GlobalWords ignored;
  declare_globals(globals, ignored);
  std::vector<FlagWords> flags;
  const std::vector<std::string>& words = context.typed();
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view flag = std::string_view(words[i]).substr(0, words[i].find('='));
    const auto known = std::find_if(globals.declared().begin(), globals.declared().end(),
                                    [&](const Declared& one) { return names(one, flag); });
    const bool takes_next = takes_next_word(globals, words[i]) && i + 1 < words.size();
    if (known != globals.declared().end()) {
      flags.push_back(takes_next ? FlagWords{words[i], words[i + 1]} : FlagWords{words[i]});
    }
    if (takes_next) ++i;
  }
  return flags;
}

}  // namespace svc::cli
