#include "cli/shell/shell.h"

#include <fstream>

#include "api/values.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/arguments/line_words.h"
#include "cli/client/refusal.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/report.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// For \i in files.
constexpr int depth_max = 16;

// The words before the one being typed; none after a pipe, because only our own commands are completed.
std::vector<std::string> words_before(std::string_view text) {
  const std::string last = last_word(text);
  const auto line =
      split_line(text.substr(0, text.size() - last.size()), [](std::string_view) { return std::string(); });
  return line && !line->pipe ? line->words : std::vector<std::string>();
}

// Some are the service's, or of whoever may trade for the account: what would have to be escaped or quoted, such as a
// client id with a pipe in it, is not typed for the user.
bool can_be_typed(const std::string& text) {
  if (text.starts_with(':') || escaped(text) != text) return false;
  // In the middle of a line, where a backslash is no command.
  return words_before("x " + text + " ") == std::vector<std::string>{"x", text};
}

std::vector<Candidate> beginning_with(const std::string& word, std::vector<Candidate> all) {
  std::erase_if(all, [&](const Candidate& one) { return !one.text.starts_with(word) || !can_be_typed(one.text); });
  for (Candidate& one : all) one.about = escaped(one.about);
  std::ranges::sort(all, {}, &Candidate::text);
  return all;
}

Failure takes_no_program(std::string_view word) {
  return usage_error(word, " is the shell's own, and sends nothing to a program");
}

}  // namespace

Shell::Shell(const Environment& outside, ShellState begun, RunLine run_line)
    : environment(outside), state(std::move(begun)), runner(environment, state, run_line) {}

Failure Shell::staged_not_sent(ExitCode exit) const {
  return failed(exit, "staged_not_sent", counted(state.entries_held(), "entry was", "entries were"),
                " staged and not sent");
}

int Shell::refuse(const Failure& failure) {
  state.last_exit = static_cast<int>(failure.exit);
  if (!answers) {
    say(render_failure(failure));
    return state.last_exit;
  }
  Environment inside = environment;
  inside.out = [this](std::string_view text) { return out(text); };
  inside.out_is_terminal = environment.out_is_terminal && !state.output_file;
  (void)print_early(inside, runner.whole({}), {.failure = failure}, "svc.usage/1");
  return state.last_exit;
}

void Shell::lock() {
  state.shell_session.locked = true;
  state.shell_session.orders_agreed = false;
}

Written Shell::out(std::string_view text) {
  if (!state.output_file) return environment.out(text);
  std::ofstream file(*state.output_file, std::ios::binary | std::ios::app);
  file << text << std::flush;
  return file ? Written::whole : Written::failed;
}

int Shell::execute(std::string_view text) {
  const TimestampMs began_ms = environment.clock->now_ms();
  const auto value = [this](std::string_view name) { return state.value_of(name); };
  auto line = split_line(text, value);
  if (!line) return refuse(line.error());
  if (line->words.empty()) return 0;
  if (depth_ == depth_max) return refuse(usage_error("files include each other more than 16 deep"));
  ++depth_;
  int exit = 0;
  const std::string& first = line->words.front();
  if (line->pipe && first.starts_with('\\') && first != "\\!") {
    exit = refuse(takes_no_program(first));
  } else if (first.starts_with('\\')) {
    const auto done = run_meta(*this, line->words, text);
    exit = done ? *done : refuse(done.error());
  } else {
    exit = execute_words(std::move(line->words), line->pipe);
  }
  --depth_;
  update_staged_warning();
  if (state.timing) say(concat("time ", environment.clock->now_ms() - began_ms, " ms\n"));
  return exit;
}

void Shell::update_staged_warning() {
  const std::size_t count = state.entries_held();
  if (count == warned_entries_) return;
  warned_entries_ = count;
  staged_warning_.reset();
  if (count == 0) return;
  staged_warning_ =
      environment.print_on_signal({.interrupted_err = "\n" + render_failure(staged_not_sent(ExitCode::interrupted)),
                                   .interrupted_out = {},
                                   .terminated_err = "\n" + render_failure(staged_not_sent(ExitCode::terminated)),
                                   .terminated_out = {}});
}

int Shell::execute_lines(std::string_view text, OnFailure on_failure) {
  int exit = 0;
  while (!text.empty() && !ended) {
    if (runner.interrupted())
      return refuse(failed("interrupted", "interrupted; not run: ", with_each(trimmed(text, "\n"), "\n", "; ")));
    const int one = execute(take_line(text));
    if (one == 0) continue;
    exit = one;
    if (on_failure == OnFailure::stop) break;
  }
  return exit;
}

// On another network the earlier lines would mean something else.
Result<void> Shell::check_stays_here(const std::vector<std::string>& words) const {
  const TypedLine line(words);
  const auto& network = line.flags().words.globals.network;
  if (network && *network != state.network)
    return guard("shell_network", "this shell is on ", state.network, "; another network needs another shell");
  if (words.front() == "shell" || words.front() == "serve") {
    return usage_error("svc ", words.front(), " needs a terminal of its own");
  }
  return {};
}

Result<std::vector<std::string>> Shell::resolve_words(std::vector<std::string> words) const {
  auto whole = expand_shorthand(std::move(words), state);
  if (!whole || whole->empty()) return whole;
  SVC_TRY(check_stays_here(*whole));
  return whole;
}

int Shell::use_market(const std::vector<std::string>& words) {
  if (words.size() == 1) {
    out(state.market.value_or("no market is in use") + "\n");
    return 0;
  }
  if (words.size() > 2) return refuse(usage_error("use takes one market"));
  // Else a line that means the new one would trade in the old one, and so would `.`.
  state.market.reset();
  state.last_words.clear();
  // This checks both the spelling and the existence.
  const Captured seen = runner.capture({"--json", "markets", "status", words[1]});
  const auto document = document_of(seen, concat("market ", words[1], " cannot be used"));
  if (!document) return refuse(document.error());
  const auto id = document->string_at("data.market_id");
  if (!id) return refuse(unreadable_member("market_id", "the status of " + words[1]));
  state.market = std::string(*id);
  return 0;
}

int Shell::run_piped(const std::vector<std::string>& words, const std::string& command) {
  const Failure no_shell = internal_error("sh cannot be started");
  auto pipe = Pipe::open();
  if (!pipe) return refuse(no_shell);
  const auto process = start({.words = shell_words(command), .input = pipe->read.get()});
  if (!process) return refuse(no_shell);
  pipe->read.close();
  const int exit = runner.run(words, {}, [&](std::string_view text) {
    const NoPipeSignal none;
    return write_all(pipe->write.get(), text);
  });
  pipe->write.close();
  const int program = wait_for(*process);
  state.last_rows = Json::array();  // what the program left of them is not known
  // A reader that stops early is not a failure of the command.
  if (exit == static_cast<int>(ExitCode::broken_pipe)) return program;
  return exit != 0 ? exit : program;
}

int Shell::execute_words(std::vector<std::string> words, const std::optional<std::string>& pipe) {
  if (words.front() == "svc") words.erase(words.begin());  // the line was copied from a script
  if (words.empty()) return 0;
  const bool is_own = words.front() == "use" || words.front() == "exit" || words.front() == "quit";
  if (is_own && pipe) return refuse(takes_no_program(words.front()));
  if (words.front() == "use") return use_market(words);
  if (is_own) {
    ended = true;
    return 0;
  }
  auto whole = resolve_words(std::move(words));
  // `.` repeats the line before it, whether that succeeded or not. A line that cannot be understood leaves nothing to
  // repeat.
  state.last_words = whole ? *whole : std::vector<std::string>();
  if (!whole) return refuse(whole.error());
  if (state.staged && may_be_staged(*whole)) {
    // Problems are reported while the line is being typed, not when everything is to be sent.
    const auto resolved = resolve_entry(*whole, runner);
    if (!resolved) return refuse(resolved.error());
    state.staged->push_back(resolved->words);
    say(concat(resolved->told, "staged as ", state.staged->size(), ": ", resolved->shown,
               "; \\diff shows all, \\commit sends\n"));
    return 0;
  }
  return pipe ? run_piped(*whole, *pipe) : run(*whole);
}

int Shell::run(const std::vector<std::string>& words, const std::string& input) {
  const Runner::Out to_file = [this](std::string_view text) { return out(text); };
  return runner.run(words, input, state.output_file ? to_file : Runner::Out());
}

std::vector<Candidate> suggestions(std::string_view before_cursor, const ShellState& state, const Known& known,
                                   const ValueSource& stored) {
  const std::string word = last_word(before_cursor);
  std::vector<std::string> words = words_before(before_cursor);
  if (!words.empty() && words.front() == "svc") words.erase(words.begin());
  std::vector<Candidate> all;
  if (words.empty() && word.starts_with('\\')) {
    for (const MetaCommand& one : meta_commands())
      if (one.name.starts_with(word)) all.push_back({std::string(one.name), std::string(one.summary)});
    std::ranges::sort(all, {}, &Candidate::text);
    return all;
  }
  if (words.size() == 1 && words.front() == "use") return beginning_with(word, known.markets);
  const bool first = words.empty();
  words.push_back(word);
  const auto values_of = [&](ValueKind kind) {
    return kind == ValueKind::market      ? known.markets
           : kind == ValueKind::order     ? known.orders
           : kind == ValueKind::client_id ? known.client_ids
                                          : stored(kind);
  };
  all = candidates(words, values_of).all;
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
  if (!found || word.starts_with('-') || word.starts_with('@')) return {};
  // A price may stand before what else is missing.
  if (std::ranges::any_of(before, [](const std::string& one) { return one.starts_with('@'); }))
    return before.back() == "@" && word.empty() ? "PRICE" : "";
  // The word being typed counts as given, so that the hint does not repeat it.
  const std::size_t given = TypedLine(before).flags().arguments.argument_places().size() + (word.empty() ? 0 : 1);
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
