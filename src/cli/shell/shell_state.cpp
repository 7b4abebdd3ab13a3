#include "cli/shell/shell_state.h"

#include "api/stream/stream_message.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/client/redaction.h"
#include "cli/commands/command_table.h"
#include "cli/machine/private_file.h"
#include "cli/shell/runner.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// The shell's own words, besides the program's commands.
constexpr std::array own_words{"x"sv, "use"sv, "."sv, "exit"sv, "quit"sv, "svc"sv, "help"sv};

// An alias may begin with another alias, up to this depth.
constexpr int alias_depth_max = 8;

Result<std::vector<std::string>> without_alias(std::vector<std::string> words, const ShellState& state) {
  for (int depth = 0; depth < alias_depth_max; ++depth) {
    if (is_shell_word(words.front())) return words;
    const auto* alias = found_at(state.aliases, words.front());
    if (alias == nullptr) return words;
    words = followed_by(*alias, {words.begin() + 1, words.end()});
  }
  return usage_error("the alias \"", words.front(), "\" leads to itself");
}

std::optional<std::string> order_of_row(const Json& row) {
  for (const std::string_view path : {"order_id", "order.id", "id"}) {
    if (const auto id = row.string_at(path)) return std::string(*id);
  }
  return std::nullopt;
}

Result<std::vector<std::string>> cancel_rows(const std::vector<std::string>& words, const ShellState& state) {
  if (words.size() == 1) return usage_error("x takes rows of the last table: x 3, or x 1 2");
  std::vector<std::string> cancel{"orders", "cancel"};
  const std::vector<Json>& rows = state.last_rows.items();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      cancel.insert(cancel.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const auto number = parse_integer<std::size_t>(word);
    if (!number || *number == 0 || *number > rows.size()) {
      const std::string there = rows.empty() ? "no rows" : concat("rows 1 to ", rows.size());
      return usage_error("the last table has ", there, "; \"", word, "\" is none of them");
    }
    const auto id = order_of_row(rows[*number - 1]);
    if (!id) return usage_error("row ", word, " of the last table is no order");
    cancel.push_back(*id);
  }
  return cancel;
}

// "-n local buy 1" becomes "buy 1 -n local", so that every line begins with its command.
std::vector<std::string> command_first(std::vector<std::string> words) {
  LineFlags line;
  static_cast<void>(line.arguments.parse(words));
  if (line.arguments.argument_places().empty()) return words;
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(line.arguments.argument_places().front());
  std::rotate(words.begin(), command, std::find(command, words.end(), "--"));
  return words;
}

// Inserts the market where the command needs one and has none, or has the price in its place.
void fill_in_market(std::vector<std::string>& words, const ShellState& state) {
  const auto found = find_command(words);
  if (!found || !state.market) return;
  const TypedLine line(words);
  const Arguments& arguments = line.flags().arguments;
  // In a trade the market is optional, and with --notional so is the size before it.
  const bool trade = found->row->path == "buy" || found->row->path == "sell";
  const auto flags = arguments.given();
  const bool by_value = is_among("--notional", flags);
  std::size_t wanted = 0;
  std::size_t required = 0;
  bool takes_market = false;
  for (const Declared& declared : arguments.declared()) {
    if (!declared.positional) continue;
    if (declared.required) ++required;
    if (takes_market) continue;
    takes_market = declared.names == "MARKET" && (declared.required || trade);
    if (!takes_market && !(trade && by_value)) ++wanted;
  }
  if (!takes_market) return;
  const std::vector<std::size_t>& places = arguments.argument_places();  // behind the command's name
  const bool missing = places.size() <= wanted;
  if (missing && places.size() < wanted) return;  // an argument before it is missing too
  // What is in the place of the market names none: a number, or the next argument where one is missing.
  const auto is_no_market = [&](const std::string& word) {
    return parse_decimal(word).has_value() || (places.size() + 1 == required && word.find('-') == std::string::npos);
  };
  const std::string in_its_place = missing ? "" : words[found->words + places[wanted]];
  const bool is_next = !missing && !trade && is_no_market(in_its_place);
  if (!missing && !is_next && !in_its_place.starts_with('@')) return;
  const std::size_t place = missing ? (wanted == 0 ? 0 : places[wanted - 1] + 1) : places[wanted];
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(found->words + place), *state.market);
}

// Channels of a market use the market in use if none is named: market names contain a dash, channel names do not.
void name_market_of_channels(std::vector<std::string>& words, const ShellState& state) {
  if (words.front() != "watch" || !state.market) return;
  bool wanted = false;
  for (std::size_t i = 1; i < words.size() && !words[i].starts_with('-'); ++i) {
    if (words[i].find('-') != std::string::npos) return;
    const auto channel = api::find_stream_channel(words[i]);
    wanted = wanted || (channel && api::info_of(*channel).scope == api::ChannelScope::market);
  }
  if (!wanted) return;
  const auto flags = std::find_if(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); });
  words.insert(flags, *state.market);
}

// By command, not by what a secret looks like: a password may look like anything.
constexpr std::array secret_commands{"keystore"sv, "login"sv, "admin"sv, "\\set"sv, "api"sv};

// In one run, or in groups of one length, of which the last may be shorter: those of several order ids are not.
bool has_key_digits(std::string_view text) {
  constexpr std::size_t key_digits = 64;
  constexpr std::string_view between = " \t\r\n:,-";
  for (std::size_t count = 0, group_before = 0; !text.empty();) {
    const auto is_digit = [](char c) { return hex_digit(c) >= 0; };
    const auto group = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    if (group >= key_digits || (group <= group_before && count + group >= key_digits)) return true;
    if (group > 0) {
      count = group == group_before ? count + group : group;
      group_before = group;
    }
    if (group < text.size() && between.find(text[group]) == between.npos) count = group_before = 0;
    text.remove_prefix(std::min(text.size(), group + 1));
  }
  return false;
}

bool is_percentage(const std::string& word) {
  return word.size() > 1 && word.back() == '%' &&
         std::all_of(word.begin(), word.end() - 1, [](char c) { return is_digit(c) || c == '.'; });
}

// A size in percent may reduce the position but never reverse or increase it: order_terms.cpp ensures that.
void only_reduce(std::vector<std::string>& words) {
  if (words.front() != "buy" && words.front() != "sell") return;
  const TypedLine line(words);
  const std::vector<std::size_t>& places = line.flags().arguments.argument_places();  // behind the command's name
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto size = places.empty() ? std::find_if(end, words.end(), is_percentage)
                                   : words.begin() + static_cast<std::ptrdiff_t>(1 + places.front());
  if (size == words.end() || !is_percentage(*size)) return;
  *size += "pos";
  if (std::find(words.begin(), end, "--reduce-only") == end) words.insert(std::min(size + 1, end), "--reduce-only");
}

// Whether the line may hold a URL such as http://user:password@host, or a proxy such as user:password@host. In doubt it
// is true: then the line is not kept. An order's price has a blank before its "@". A password may end in a blank only
// if it is quoted.
bool may_have_user_information(std::string_view line) {
  constexpr auto none = std::string_view::npos;
  for (auto at = line.find('@', line.find(':')); at != none; at = line.find('@', at + 1)) {
    const std::string_view before = line.substr(0, at);
    if (before.find("://") != none || before.find_first_of("'\"\\") != none) return true;
    if (before.back() != ' ' && before.back() != '\t') return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> ShellState::value_of(std::string_view name) const {
  if (const auto set = variables.find(name); set != variables.end()) return set->second;
  if (name == "market") return market;
  constexpr std::string_view last_prefix = "last.";
  if (!name.starts_with(last_prefix)) return std::nullopt;
  const std::string_view path = name.substr(last_prefix.size());
  const bool one_row = last.is(Json::Kind::array) && !last.items().empty();
  const Json& record = one_row ? last.items().front() : last;
  if (const Json* found = record.find_value(path)) return cell_text(found);
  const auto column = std::ranges::find(last_columns, path, &Column::name);
  if (column == last_columns.end()) return std::nullopt;
  const std::string shown = cell_of(*column, last_row);
  return shown == cell_text(nullptr) ? std::nullopt : std::optional(shown);
}

bool is_shell_word(const std::string& word) {
  if (is_among(word, own_words)) return true;
  return find_command({word}).has_value() || begins_command({word});
}

Result<std::vector<std::string>> expand_shorthand(std::vector<std::string> words, const ShellState& state) {
  if (words.empty()) return words;
  words = SVC_TRY(without_alias(command_first(std::move(words)), state));
  if (words.front() == ".") {
    if (words.size() > 1) return usage_error(". repeats the command before and takes nothing");
    if (state.last_words.empty()) return usage_error("there is no command to repeat yet");
    return state.last_words;
  }
  if (words.front() == "x") return cancel_rows(words, state);
  only_reduce(words);
  fill_in_market(words, state);
  name_market_of_channels(words, state);
  return words;
}

bool may_be_kept(std::string_view line, Aliases aliases) {
  if (line.empty() || line.size() > history_line_bytes_max) return false;
  if (line.front() == ' ' || line.front() == '\t') return false;
  // Flags and settings may stand before the command.
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (word.starts_with("\\!")) return false;  // what follows may stand right behind it
    if (is_among(trimmed(word, "'\""), secret_commands)) return false;
    // Each alias once: it may lead to itself.
    const auto alias = aliases.extract(std::string(word));
    if (alias && !may_be_kept(joined(alias.mapped(), {}, " "), aliases)) return false;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return !has_key(line) && !may_have_user_information(line);
}

bool has_key(std::string_view text) {
  return has_key_digits(text) || has_phrase(text);
}

Result<History> History::open(std::filesystem::path file) {
  const auto lock = SVC_TRY(lock_beside(file));
  History history(std::move(file));
  SVC_TRY(history.read());
  return history;
}

Result<void> History::read() {
  std::error_code none;
  // Written before there was a limit, and too long to be read.
  if (const auto bytes = std::filesystem::file_size(file_, none); !none && bytes > limits::private_file_bytes_max)
    std::filesystem::rename(file_, file_.string() + ".old", none);
  const auto text = SVC_TRY(read_private(file_));
  lines_.clear();
  if (!text) return {};
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (!line.empty()) lines_.emplace_back(line);
  }
  if (lines_.size() <= history_lines_max && text->size() <= history_bytes_max) return {};
  const std::size_t bytes_max = text->size() > history_bytes_max ? history_bytes_max / 2 : history_bytes_max;
  std::size_t kept = 0, bytes = 0;
  while (kept < std::min(lines_.size(), history_lines_max) && bytes <= bytes_max)
    bytes += lines_[lines_.size() - ++kept].size() + 1;
  lines_.erase(lines_.begin(), lines_.end() - static_cast<std::ptrdiff_t>(kept));
  return write_private(file_, joined(lines_, {}, "\n") + "\n");
}

Result<void> History::add(const std::string& line) {
  if (!may_be_kept(line) || (!lines_.empty() && lines_.back() == line)) return {};
  const auto lock = SVC_TRY(lock_beside(file_));
  SVC_TRY(append_private(file_, line + "\n"));
  lines_.push_back(line);
  std::error_code none;
  // A file that grew beyond what is read would keep the next shell from starting.
  if (const auto bytes = std::filesystem::file_size(file_, none); !none && bytes > history_bytes_max) return read();
  return {};
}

}  // namespace svc::cli
