#include <fstream>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/arguments/line_words.h"
#include "cli/commands/command_table.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"
#include "cli/shell/shell.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

using Words = std::vector<std::string>;
using Done = Result<int>;

Failure takes(std::string_view usage) {
  return usage_error("usage: ", usage);
}

Done toggle(Shell& shell, bool& on, std::string_view said_of_on, std::string_view said_of_off) {
  on = !on;
  shell.say(on ? said_of_on : said_of_off);
  return 0;
}

Done help(Shell& shell, const Words&) {
  std::string text =
      "Anything that may follow svc may be typed here. Besides:\n"
      "  use MARKET             the market that commands mean from now on\n"
      "  x ROW...               cancel orders by their rows in the last table\n"
      "  .                      the last command again\n"
      "  sell 50% [@ PRICE]     close a part of the position; reduce-only\n"
      "  COMMAND | PROGRAM      the answer goes to a program\n"
      "  :NAME, :last.MEMBER    a value of \\set, or of the last answer\n\n";
  std::size_t width = 0;
  for (const MetaCommand& one : meta_commands()) width = std::max(width, one.name.size() + 1 + one.usage.size());
  for (const MetaCommand& one : meta_commands()) {
    std::string left = concat(one.name, one.usage.empty() ? "" : " ", one.usage);
    left.resize(width, ' ');
    text += concat("  ", left, "  ", one.summary, "\n");
  }
  shell.out(text);
  return 0;
}

Done set(Shell& shell, const Words& words) {
  auto& variables = shell.state.variables;
  if (words.empty()) {
    for (const auto& [name, value] : variables) shell.show(name + " = " + value + "\n");
    return 0;
  }
  if (words.size() == 1) {
    variables.erase(words[0]);
    return 0;
  }
  if (words.size() > 2) return takes("\\set [NAME [VALUE]]");
  if (words[0].starts_with("last.") || words[0] == "market" || words[0].empty()) {
    return usage_error("the name ", words[0], " is taken");
  }
  SVC_TRY(check_kept({words[1]}, "a value"));
  variables[words[0]] = words[1];
  return 0;
}

Done alias(Shell& shell, const Words& words) {
  auto& aliases = shell.state.aliases;
  if (words.empty()) {
    for (const auto& [name, meant] : aliases) shell.show(name + " = " + join_words(meant) + "\n");
    return 0;
  }
  if (words[0].empty() || words[0].starts_with('\\') || words[0].starts_with('-'))
    return usage_error("an alias is a plain word");
  if (is_shell_word(words[0]))
    return usage_error("\"", words[0], "\" is a command already; an alias hides none, choose another word");
  SVC_TRY(check_kept(words, "an alias"));
  if (words.size() == 1) {
    aliases.erase(words[0]);
  } else {
    aliases[words[0]] = Words(words.begin() + 1, words.end());
  }
  return 0;
}

Done output(Shell& shell, const Words& words) {
  if (words.size() > 1) return takes("\\o [FILE]");
  shell.state.output_file.reset();
  if (words.empty()) return 0;
  if (!std::ofstream(words[0], std::ios::app)) return usage_error(words[0], " cannot be written");
  shell.state.output_file = words[0];
  return 0;
}

Done include(Shell& shell, const Words& words) {
  if (words.size() != 1) return takes("\\i FILE");
  const auto text = SVC_TRY(read_given(words[0], "the file of \\i", limits::input_bytes_max, LooseMode::accept));
  return shell.execute_lines(text, Shell::OnFailure::stop);
}

// The seconds of \watch, from 1 to an hour; nullopt if the first word is not a number.
Result<std::optional<std::int64_t>> seconds_before(const Words& words) {
  constexpr std::int64_t seconds_max = 3'600;
  if (words.empty()) return std::optional<std::int64_t>();
  const std::string& word = words.front();
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (stop == word.data()) return std::optional<std::int64_t>();
  if (error != std::errc{} || *stop != '\0' || seconds < 1 || seconds > seconds_max)
    return usage_error("\\watch takes seconds from 1 to 3600");
  return std::optional(seconds);
}

Done watch(Shell& shell, const Words& words) {
  constexpr std::int64_t default_s = 2;
  const auto given_s = SVC_TRY(seconds_before(words));
  const std::int64_t period_s = given_s.value_or(default_s);
  const Words typed(words.begin() + (given_s ? 1 : 0), words.end());
  const Result<Words> again = typed.empty() ? shell.state.last_words : shell.resolve_words(typed);
  SVC_TRY(again);
  if (again->empty()) return usage_error("there is no command to repeat yet");
  shell.state.last_words.clear();  // a write that is refused here must not be what `.` sends, nor one before it
  bool& repeats = shell.state.shell_session.repeats;
  repeats = true;
  int exit = 0;
  while (!shell.runner.interrupted()) {
    shell.say(concat(rfc3339(shell.environment.clock->now_ms()), "  every ", period_s,
                     " s: ", escaped(join_words(*again)), "\n"));
    exit = shell.run(*again);
    if (exit != 0) break;
    shell.state.last_words = *again;
    shell.runner.pause(period_s * second_ms);
  }
  repeats = false;
  return exit;
}

Done last(Shell& shell, const Words&) {
  shell.show(shell.state.last.dump() + "\n");
  return 0;
}

Done history(Shell& shell, const Words& words) {
  if (words.size() > 1) return takes("\\history [TEXT]");
  if (!shell.history) return usage_error("no history is kept here");
  std::string text;
  for (const std::string& line : shell.history->lines()) {
    if (words.empty() || line.find(words[0]) != std::string::npos) text += line + "\n";
  }
  shell.show(text);
  return 0;
}

Done curl(Shell& shell, const Words&) {
  const Words& words = shell.state.last_words;
  if (words.empty()) return usage_error("there is no command to look at yet");
  const Captured seen = shell.runner.capture(followed_by({"--dry-run", "--curl"}, words), Runner::For::user);
  shell.show(seen.out);
  shell.say(seen.err);
  return seen.exit;
}

Done why(Shell& shell, const Words& words) {
  return shell.run(followed_by({"why"}, words.empty() ? Words{"--last"} : words));
}

Done begin(Shell& shell, const Words&) {
  if (shell.state.staged) return usage_error("staging has begun already; \\diff, \\commit or \\rollback");
  shell.state.staged.emplace();
  shell.say("orders and cancels are held back until \\commit\n");
  return 0;
}

Done diff(Shell& shell, const Words& words) {
  if (!shell.state.staged) return usage_error("nothing is held back; \\begin starts");
  const bool preview = words == Words{"--preview"};
  if (!words.empty() && !preview) return takes("\\diff [--preview]");
  const auto calls = SVC_TRY(plan_of(*shell.state.staged, shell.runner));
  shell.out(text_of(calls));
  if (!preview) return 0;
  for (const Staged& words_of_one : *shell.state.staged) {
    const auto preview_of_one = previewed(words_of_one);
    if (!preview_of_one) continue;
    shell.show(join_words(words_of_one) + "\n");
    if (const int exit = shell.run(*preview_of_one); exit != 0) return exit;
  }
  return 0;
}

Done commit(Shell& shell, const Words&) {
  shell.state.last_words.clear();  // `.` would send the last line once more
  return commit_staged(shell);
}

Done rollback(Shell& shell, const Words&) {
  const auto& staged = shell.state.staged;
  if (!staged) return usage_error("nothing is held back");
  shell.say(std::to_string(staged->size()) + " dropped; nothing was sent\n");
  shell.state.staged.reset();
  shell.state.last_words.clear();
  return 0;
}

// By the numbers that \diff shows.
Done drop(Shell& shell, const Words& words) {
  auto& staged = shell.state.staged;
  if (!staged || staged->empty()) return usage_error("nothing is held back");
  const auto number = words.size() == 1 ? parse_integer<std::size_t>(words[0]) : std::nullopt;
  if (!number) return takes("\\drop N");
  if (*number == 0 || *number > staged->size())
    return usage_error("entries 1 to ", staged->size(), " are held back; \\diff shows them");
  const auto entry = staged->begin() + static_cast<std::ptrdiff_t>(*number) - 1;
  shell.say("dropped: " + escaped(join_words(*entry)) + "\n");
  staged->erase(entry);
  return 0;
}

Done lock(Shell& shell, const Words&) {
  shell.lock();
  shell.say("locked: the next write asks for the password; cancels and reduce-only orders do not\n");
  return 0;
}

using namespace std::string_view_literals;

// Global flags that only affect display.
constexpr std::array print_flags{"color"sv, "fields"sv, "output"sv, "template"sv, "tz"sv};
constexpr std::array print_switches{"no-header"sv, "quiet"sv, "verbose"sv, "wide"sv};

auto find_setting(std::vector<FlagWords>& settings, std::string_view flag) {
  return std::find_if(settings.begin(), settings.end(), [&](const FlagWords& one) { return one.front() == flag; });
}

void say_setting(Shell& shell, const FlagWords& setting, bool on) {
  shell.say(escaped(joined(setting, {}, " ").substr(2)) + (on ? " is on\n" : " is off\n"));
}

Result<void> check_settings(Shell& shell, const std::vector<FlagWords>& settings) {
  LineFlags line;
  std::vector<std::string> flags;
  for (const FlagWords& setting : settings) flags.insert(flags.end(), setting.begin(), setting.end());
  SVC_TRY(line.arguments.parse(flags));
  const auto globals = SVC_TRY(understand(std::move(line.words)));
  SVC_TRY(presentation_of(globals, shell.environment));
  for (const std::string& field : globals.fields) {
    const auto has_it = [&](const CommandRow& row) { return check_field(row.path, field).has_value(); };
    if (std::ranges::any_of(command_rows(), has_it)) continue;
    return usage_error("no command has a column \"", field, "\"");
  }
  return {};
}

Done put(Shell& shell, FlagWords setting) {
  std::vector<FlagWords> settings = shell.state.print_settings;
  if (const auto found = find_setting(settings, setting.front()); found != settings.end())
    *found = setting;
  else
    settings.push_back(setting);
  if (const auto usable = check_settings(shell, settings); !usable) {
    Failure failure = usable.error();
    if (failure.message.starts_with("--")) failure.message = "\\pset " + failure.message.substr(2);
    return failure;
  }
  say_setting(shell, setting, true);
  shell.state.print_settings = std::move(settings);
  return 0;
}

bool unset(Shell& shell, std::string_view flag) {
  auto& settings = shell.state.print_settings;
  const auto found = find_setting(settings, flag);
  if (found == settings.end()) return false;
  say_setting(shell, *found, false);
  settings.erase(found);
  return true;
}

// \pset NAME VALUE: an output flag for all lines that do not give it. Without a value it is reset.
Done set_print(Shell& shell, const Words& words) {
  if (words.empty()) {
    for (const FlagWords& setting : shell.state.print_settings) shell.show(join_words(setting).substr(2) + "\n");
    return 0;
  }
  const bool takes_value = is_among(words[0], print_flags);
  if (!takes_value && !is_among(words[0], print_switches))
    return usage_error("\\pset knows ", joined(print_flags), ", ", joined(print_switches));
  if (words.size() > (takes_value ? 2U : 1U)) return usage_error("\\pset ", words[0], " takes less");
  const std::string flag = "--" + words[0];
  if (takes_value && words.size() == 2) return put(shell, {flag, words[1]});
  return unset(shell, flag) || takes_value ? Done(0) : put(shell, {flag});
}

// Switches all lines to that format; the second time back to the former one.
Done toggle_output(Shell& shell, std::string_view format) {
  const auto& settings = shell.state.print_settings;
  const FlagWords wanted{"--output", std::string(format)};
  if (is_among(wanted, settings)) {
    unset(shell, "--output");
    return 0;
  }
  return put(shell, wanted);
}

// Runs the rest of the line as typed; run_meta passes it on.
Done program(Shell& shell, const Words& words) {
  if (words.front().empty()) return takes("\\! PROGRAM");
  const auto process = start({.words = shell_words(words[0])});
  if (!process) return internal_error("sh cannot be started");
  return shell.state.last_exit = wait_for(*process);
}

constexpr MetaCommand rows[] = {
    {"\\?", "", "this list", help},
    {"\\begin", "", "hold orders and cancels back", begin},
    {"\\diff", "[--preview]", "show what is held back and what it costs", diff},
    {"\\commit", "", "send what is held back, in the fewest calls", commit},
    {"\\drop", "N", "drop one entry of what is held back", drop},
    {"\\rollback", "", "drop what is held back", rollback},
    {"\\watch", "[SECONDS] [COMMAND]", "repeat a command, or the last one, until Ctrl-C; no writes", watch},
    {"\\last", "", "the last answer as JSON", last},
    {"\\curl", "", "the last command as curl would send it; sends nothing", curl},
    {"\\why", "[REQUEST_ID]", "what the last failure was about", why},
    {"\\x", "", "a line per field, or a line per record again",
     [](Shell& shell, const Words&) {
       return toggle(shell, shell.state.shell_session.expanded, "tables show a line per field\n",
                     "tables show a line per record\n");
     }},
    {"\\json", "", "JSON, or tables again", [](Shell& shell, const Words&) { return toggle_output(shell, "json"); }},
    {"\\csv", "", "CSV, or tables again", [](Shell& shell, const Words&) { return toggle_output(shell, "csv"); }},
    {"\\pset", "[NAME [VALUE]]", "a flag of the output for all commands: output, fields, tz, ...", set_print},
    {"\\timing", "", "tell how long commands take, or stop telling",
     [](Shell& shell, const Words&) { return toggle(shell, shell.state.timing, "timing is on\n", "timing is off\n"); }},
    {"\\o", "[FILE]", "answers go to a file, or to the screen again", output},
    {"\\i", "FILE", "run the lines of a file, up to the first failure", include},
    {"\\set", "[NAME [VALUE]]", "a value for :NAME; without one it is forgotten", set},
    {"\\alias", "[NAME [WORDS...]]", "a word that stands for others; without them it is forgotten", alias},
    {"\\history", "[TEXT]", "what was typed before", history},
    {"\\mute", "", "no notices above the line, or notices again",
     [](Shell& shell, const Words&) {
       return toggle(shell, shell.state.muted, "notices are muted\n", "notices are shown\n");
     }},
    {"\\lock", "", "ask for the password before the next write, as after a while without a key", lock},
    {"\\!", "PROGRAM", "run a program", program},
    {"\\q", "", "leave",
     [](Shell& shell, const Words&) {
       shell.ended = true;
       return Done(0);
     }},
};

}  // namespace

std::span<const MetaCommand> meta_commands() {
  return rows;
}

Result<int> run_meta(Shell& shell, const std::vector<std::string>& words, std::string_view text) {
  std::string name = words.front();
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (name.starts_with("\\!")) {
    const auto begins = text.find("\\!") + 2;
    rest = {std::string(text.substr(std::min(text.find_first_not_of(' ', begins), text.size())))};
    name = "\\!";
  }
  const auto found = std::ranges::find(rows, name, &MetaCommand::name);
  if (found == std::end(rows)) return usage_error("unknown command ", name, "; \\? lists what there is");
  return found->run(shell, rest);
}

}  // namespace svc::cli
