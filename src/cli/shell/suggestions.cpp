#include "cli/shell/suggestions.h"

#include <algorithm>
#include <set>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "cli/globals.h"
#include "cli/shell/completing.h"
#include "cli/shell/line_words.h"
#include "cli/shell/meta_commands.h"

namespace svc::cli {
namespace {

// The words before the one being typed; of the last command only, where there is a pipe there is nothing to say.
std::vector<std::string> words_before(std::string_view text) {
  const std::string last = last_word(text);
  const auto line =
      split_line(text.substr(0, text.size() - last.size()), [](std::string_view) { return std::string(); });
  return line && !line->pipe ? line->words : std::vector<std::string>();
}

std::vector<Completion> beginning_with(const std::string& word, std::vector<Completion> all) {
  std::erase_if(all, [&](const Completion& one) { return !one.text.starts_with(word); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.text < b.text; });
  return all;
}

std::vector<Completion> plain(std::string_view alternatives) {
  std::vector<Completion> all;
  while (!alternatives.empty()) {
    const auto bar = alternatives.find('|');
    all.push_back({std::string(alternatives.substr(0, bar)), {}});
    alternatives.remove_prefix(bar == std::string_view::npos ? alternatives.size() : bar + 1);
  }
  return all;
}

// By what a declaration calls its value.
std::vector<Completion> values_of(const Declared& declared, const Known& known) {
  const std::string& kind = declared.positional ? declared.names : declared.value;
  if (kind.starts_with("MARKET")) return known.markets;
  if (kind.starts_with("ORDER_ID")) return known.orders;
  if (declared.names == "--client-id") return known.client_ids;
  return kind.find('|') != std::string::npos ? plain(kind) : std::vector<Completion>();
}

std::vector<Completion> command_words(const std::vector<std::string>& before) {
  std::string start;
  for (const std::string& word : before) start += word + " ";
  std::set<std::string> next;
  std::vector<Completion> all;
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      if (!row.path.starts_with(start)) continue;
      const std::string_view rest = row.path.substr(start.size());
      const std::string word(rest.substr(0, rest.find(' ')));
      const bool whole = word.size() == rest.size();
      if (next.insert(word).second) all.push_back({word, whole ? std::string(row.summary) : ""});
    }
  }
  return all;
}

class AfterCommand {
 public:
  AfterCommand(const Found& found, const std::vector<std::string>& before) : command_(found.row->make()) {
    declare_globals(arguments_, ignored_);
    command_->declare(arguments_);
    for (std::size_t i = found.words; i < before.size(); ++i) {
      const std::string& word = before[i];
      if (word.starts_with('-') && word.size() > 1) {
        pending_ = takes_next_word(arguments_, word) ? word : "";
        if (!pending_.empty() && i + 1 < before.size()) pending_.clear(), ++i;
      } else {
        ++positionals_;
      }
    }
  }

  [[nodiscard]] std::vector<Completion> candidates(const std::string& word, const Known& known) const {
    std::size_t place = 0;
    std::vector<Completion> all;
    for (const Declared& one : arguments_.declared()) {
      const std::string long_name = one.positional ? "" : one.names.substr(one.names.find("--"));
      if (!pending_.empty()) {
        if (!one.positional && (pending_ == long_name || one.names.starts_with(pending_ + ",")))
          return values_of(one, known);
      } else if (word.starts_with('-')) {
        if (!one.positional) all.push_back({long_name, one.doc});
      } else if (one.positional && place++ == positionals_) {
        return values_of(one, known);
      }
    }
    return all;
  }

  [[nodiscard]] std::size_t positionals() const { return positionals_; }

 private:
  Arguments arguments_;
  GlobalWords ignored_;
  std::unique_ptr<Command> command_;
  std::size_t positionals_ = 0;
  std::string pending_;  // a flag that waits for its value
};

}  // namespace

std::vector<Completion> suggestions(std::string_view before_cursor, const ShellState& state, const Known& known) {
  const std::string word = last_word(before_cursor);
  std::vector<std::string> before = words_before(before_cursor);
  if (!before.empty() && before.front() == "svc") before.erase(before.begin());
  if (before.empty() && word.starts_with('\\')) {
    std::vector<Completion> all;
    for (const MetaCommand& one : meta_commands()) all.push_back({std::string(one.name), std::string(one.summary)});
    return beginning_with(word, std::move(all));
  }
  if (before.size() == 1 && before.front() == "use") return beginning_with(word, known.markets);
  if (before.empty()) {
    std::vector<Completion> all = command_words(before);
    all.push_back({"use", "Choose the market that commands mean"});
    for (const auto& [name, meant] : state.aliases) all.push_back({name, join_words(meant)});
    return beginning_with(word, std::move(all));
  }
  const auto found = find_command(before);
  if (!found) return beginning_with(word, command_words(before));
  return beginning_with(word, AfterCommand(*found, before).candidates(word, known));
}

std::string hint_of(std::string_view line) {
  const std::string word = last_word(line);
  std::vector<std::string> before = words_before(line);
  if (before.empty()) return {};
  const auto found = find_command(before);
  if (!found) return {};
  if (word.starts_with('-')) return {};
  // The word being typed counts as given, so that the hint does not repeat it.
  const std::size_t given = AfterCommand(*found, before).positionals() + (word.empty() ? 0 : 1);
  std::string_view usage = found->row->usage;
  for (std::size_t i = 0; i < given; ++i) {
    const auto blank = usage.find(' ');
    // What repeats or is a flag stays.
    if (usage.starts_with("--") || usage.substr(0, blank).ends_with("...")) break;
    usage.remove_prefix(blank == std::string_view::npos ? usage.size() : blank + 1);
  }
  if (usage.empty()) return {};
  return (word.empty() ? "" : " ") + std::string(usage);
}

}  // namespace svc::cli
