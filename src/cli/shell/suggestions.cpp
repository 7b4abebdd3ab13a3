#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/arguments/line_words.h"
#include "cli/commands/command_table.h"
#include "cli/commands/completion.h"
#include "cli/shell/shell.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// The words before the one being typed; none after a pipe, because only our own commands are completed.
std::vector<std::string> words_before(std::string_view text) {
  const std::string last = last_word(text);
  const auto line =
      split_line(text.substr(0, text.size() - last.size()), [](std::string_view) { return std::string(); });
  return line && !line->pipe ? line->words : std::vector<std::string>();
}

std::vector<Candidate> beginning_with(const std::string& word, std::vector<Candidate> all) {
  // Some are the service's: what would have to be escaped is not typed for the user.
  std::erase_if(all,
                [&](const Candidate& one) { return !one.text.starts_with(word) || escaped(one.text) != one.text; });
  for (Candidate& one : all) one.about = escaped(one.about);
  std::ranges::sort(all, {}, &Candidate::text);
  return all;
}

std::vector<Candidate> values_of(ValueKind kind, const Known& known, const ValueSource& stored) {
  if (kind == ValueKind::market) return known.markets;
  if (kind == ValueKind::order) return known.orders;
  return kind == ValueKind::client_id ? known.client_ids : stored(kind);
}

}  // namespace

std::vector<Candidate> suggestions(std::string_view before_cursor, const ShellState& state, const Known& known,
                                   const ValueSource& stored) {
  const std::string word = last_word(before_cursor);
  std::vector<std::string> words = words_before(before_cursor);
  if (!words.empty() && words.front() == "svc") words.erase(words.begin());
  std::vector<Candidate> all;
  if (words.empty() && word.starts_with('\\')) {
    for (const MetaCommand& one : meta_commands()) all.push_back({std::string(one.name), std::string(one.summary)});
    return beginning_with(word, std::move(all));
  }
  if (words.size() == 1 && words.front() == "use") return beginning_with(word, known.markets);
  const bool first = words.empty();
  words.push_back(word);
  all = candidates(words, [&](ValueKind kind) { return values_of(kind, known, stored); }).all;
  if (first) {
    all.push_back({"use", "Choose the market that commands mean"});
    for (const auto& [name, meant] : state.aliases) all.push_back({name, join_words(meant)});
  }
  return beginning_with(word, std::move(all));
}

std::string hint_of(std::string_view line, const ShellState& state) {
  const std::string word = last_word(line);
  std::vector<std::string> before = words_before(line);
  if (before.empty()) return {};
  if (auto whole = expand_shorthand(before, state)) before = std::move(*whole);
  const auto found = find_command(before);
  if (!found || word.starts_with('-')) return {};
  // The word being typed counts as given, so that the hint does not repeat it.
  const CommandFlags command(*found->row);
  const std::size_t given = argument_places(before, found->words, command.arguments).size() + (word.empty() ? 0 : 1);
  std::string usage(found->row->usage);
  for (std::size_t i = 0; i < given; ++i) {
    const auto blank = usage.find(' ');
    // Flags and repeatable arguments stay in the hint.
    if (usage.starts_with("--") || usage.substr(0, blank).ends_with("...")) break;
    usage.erase(0, blank == std::string::npos ? usage.size() : blank + 1);
  }
  constexpr std::string_view market = "MARKET ";
  if (const auto place = usage.find(market);
      state.market && place != std::string::npos && (place == 0 || usage[place - 1] != '['))
    usage.erase(place, market.size());
  // Inside of "[@ PRICE]".
  if (usage.ends_with(']') && usage.find('[') == std::string::npos) usage.pop_back();
  if (usage.empty()) return {};
  return (word.empty() ? "" : " ") + usage;
}

}  // namespace svc::cli
