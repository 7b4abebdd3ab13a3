#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/line_words.h"
#include "cli/client/credentials.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/shell.h"
#include "cli/shell/status_line.h"
#include "cli/terminal/render.h"
#include "cli/terminal/terminal_screen.h"

namespace svc::cli {
namespace {

class Conversation {
 public:
  Conversation(Shell& shell, Context& context, const Network& network, const Paths& paths, const Config& config)
      : shell_(shell),
        context_(context),
        network_(network),
        touched_ms_(context.now_ms()),
        idle_ms_(context.globals().idle_lock_ms),
        stored_(cached_values(context.environment(), paths, config, network.name)),
        colors_(wants_color(context.globals(), context.environment()) ? Colors::on : Colors::off),
        editor_({.draws = context.environment().terminal_draws(),
                 .prompt = [this] { return prompt(); },
                 .hint = [this](std::string_view line) { return hint_of(line, shell_.state); },
                 .colours = colors_ == Colors::on,
                 .complete =
                     [this](std::string_view before) {
                       return suggestions(before, shell_.state, poller_.known(), stored_);
                     },
                 .status = [this](std::size_t columns) { return status(columns); },
                 .touched = [this] { touched(); },
                 .woken = [this] { lock_if_idle(); }}),
        poller_(context.environment(), shell.state, context.entry_points().run, [this] { editor_.wake(); }),
        notices_(
            context.environment(), shell.state, context.entry_points().run, [this] { return room_of_notices(); },
            [this](const Notice& notice) { tell(notice); }) {
    show_times_in_zone();
    shell_.runner.interrupts = &LineEditor::interrupted;
    shell_.runner.when_answered = [this] { touched(); };
    shell_.state.shell_session.numbers_orders = true;
    if (shell_.history)
      for (const std::string& line : shell_.history->lines()) editor_.remember(line);
  }

  ~Conversation() { shell_.runner.when_answered = {}; }
  Conversation(Conversation&&) = delete;

  // Returns the signal that ended it, if any.
  std::optional<int> run() {
    for (;;) {
      const Typed typed = editor_.read();
      switch (typed.kind) {
        case Typed::Kind::cancelled: break;
        case Typed::Kind::line: take(typed.text); break;
        case Typed::Kind::block: take_block(typed.text); break;
        case Typed::Kind::too_long:
          shell_.say("\na paste of more than 1 MiB is not taken; \\i FILE runs a file\n");
          break;
        case Typed::Kind::end:
          shell_.say("\n");
          shell_.ended = true;
          break;
      }
      if (!shell_.ended) continue;
      if (LineEditor::ended_by()) return LineEditor::ended_by();
      if (is_hung_up()) return SIGHUP;
      if (may_leave()) return std::nullopt;
      shell_.ended = false;  // staged entries would be lost
    }
  }

 private:
  std::string prompt() { return prompt_text(network_, account(), shell_.state, colors_); }
  // The account of the next line, even if the last read of the account failed.
  std::optional<std::string> account() {
    const Globals& globals = context_.globals();
    if (globals.account) return to_string(*globals.account);
    const auto& pinned = shell_.state.shell_session.pinned;
    const bool by_session = !globals.signer && !shell_.environment.variable("SVC_API_KEY");
    const auto session = pinned && by_session ? pinned->session.get() : std::nullopt;
    return session ? std::optional(to_string(session->account)) : poller_.facts().account;
  }
  void touched() {
    lock_if_idle();
    const TimestampMs now_ms = shell_.environment.clock->now_ms();
    if (now_ms - touched_ms_ > minute_ms) poller_.poll_now();  // the user is back
    touched_ms_ = now_ms;
  }
  // After idle time the next write needs the password, and what was confirmed for all orders must be confirmed again.
  void lock_if_idle() {
    const bool locked = shell_.state.shell_session.locked;
    if (!idle_ms_ || locked || shell_.environment.clock->now_ms() - touched_ms_ < *idle_ms_) return;
    shell_.lock();
  }
  // After a line that may have changed it.
  void read_idle_lock() {
    const Json document = json_or_null(shell_.runner.capture({"--json", "config", "get", "idle_lock"}).out);
    const auto value = document.string_at("data.value");
    if (!value) return;
    const auto ms = parse_duration("idle_lock", std::string(*value));
    idle_ms_ = ms ? std::optional(*ms) : std::nullopt;  // "off" is no duration
  }
  std::string status(std::size_t columns) {
    const std::string text = status_text(poller_.facts(), shell_.environment.clock->now_ms(), columns);
    return colors_ == Colors::on ? "\033[7m" + text : text;
  }
  // As --tz or \pset tz says.
  void show_times_in_zone() {
    std::optional<std::string> name = context_.globals().time_zone;
    for (const FlagWords& setting : shell_.state.print_settings)
      if (setting.front() == "--tz") name = setting.back();
    auto zone = DisplayZone::find(name.value_or("utc"), shell_.environment.variable("TZ"));
    const std::lock_guard lock(zone_mutex_);
    zone_ = zone ? std::move(*zone) : DisplayZone();
  }

  // These are called on the thread of the notices.
  LineRoom room_of_notices() {
    const std::lock_guard lock(zone_mutex_);
    return {.zone = zone_};
  }
  void tell(const Notice& notice) {
    if (notice.lost && notice.text.empty()) return;
    const bool was_lost = stream_lost_.exchange(notice.lost);
    if (notice.lost && was_lost) return;
    if (!notice.lost) poller_.heard(shell_.environment.clock->now_ms());
    if (was_lost && !notice.lost && !muted_.load()) editor_.announce("the stream of the account is back");
    if (notice.text.empty() || muted_.load()) return;
    // Nothing is left out on a narrow terminal: what a fill cost must be seen.
    const std::string text = wrapped(notice.text, 2, columns_of_terminal(STDOUT_FILENO));
    const bool loud = colors_ == Colors::on && notice.loud;
    editor_.announce(loud ? "\033[1;31m" + text + "\033[0m" : text);
    if (notice.changes_account) poller_.poll_now();
  }

  void take(const std::string& line) {
    const std::string_view text = trimmed(line, " \t");
    if (text.empty()) return;
    keep(line);
    editor_.release_screen();
    shell_.execute(line);
    if (text.find("idle_lock") != std::string_view::npos) read_idle_lock();
    if (text.starts_with("\\!") || text.find('|') != std::string_view::npos) editor_.drop_typed_ahead();
    after_lines();
  }

  // A pasted block is shown completely before its first line runs.
  void take_block(const std::string& block) {
    const auto lines = std::count(block.begin(), block.end(), '\n') + 1;
    shell_.say("\n" + escaped(block, "\n") + "\n");
    const bool runs = agreed(concat("run these ", lines, " lines? [y/N] "));
    touched();
    if (!runs) {
      shell_.say("nothing was run\n");
      return;
    }
    const bool is_kept = !has_key(block);  // which may be in parts on several lines
    for (std::string_view rest = block; is_kept && !rest.empty();) keep(std::string(take_line(rest)));
    editor_.release_screen();
    shell_.execute_lines(block, Shell::OnFailure::stop);
    after_lines();
  }

  // In the history, and for the arrow keys.
  void keep(const std::string& line) {
    if (!may_be_kept(line, shell_.state.aliases)) return;
    editor_.remember(line);
    if (!shell_.history) return;
    if (const auto kept = shell_.history->add(line); !kept) shell_.say("history: " + kept.error().message + "\n");
  }

  void after_lines() {
    lock_if_idle();  // a command that ran alone for so long
    muted_.store(shell_.state.muted);
    show_times_in_zone();
    touched_ms_ = shell_.environment.clock->now_ms();
    editor_.reclaim_screen();
    poller_.poll_now();
  }

  // Nobody is there to be asked.
  static bool is_hung_up() {
    termios ignored{};
    return ::tcgetattr(STDIN_FILENO, &ignored) != 0;
  }

  bool agreed(std::string_view question) {
    const auto answer = shell_.environment.ask(question, Echo::shown);
    const std::string_view text = answer ? answer->reveal() : std::string_view();
    return text == "y" || text == "Y" || text == "yes";
  }

  // Reads what is open, because the status line may not know the last command yet.
  bool may_leave() {
    if (shell_.state.entries_held() > 0) return agreed("orders are staged and not sent; leave? [y/N] ");
    const TimestampMs asked_ms = shell_.environment.clock->now_ms();
    poller_.read_account("wait");
    const StatusFacts facts = poller_.facts();
    const bool has_account = facts.cancels_on_disconnect || facts.read_ms;
    if (!has_account || facts.cancels_on_disconnect == false) return true;
    const std::string setting =
        facts.cancels_on_disconnect ? "cancel-on-disconnect is on" : "cancel-on-disconnect may be on";
    if (facts.read_ms.value_or(0) < asked_ms)
      return agreed(setting + ", and what is open cannot be read now: leaving may cancel orders; leave? [y/N] ");
    if (facts.open_orders.value_or(0) == 0) return true;
    return agreed(counted(static_cast<std::size_t>(*facts.open_orders), "order is open", "orders are open") + " and " +
                  setting + ": leaving may cancel them; leave? [y/N] ");
  }

  Shell& shell_;
  Context& context_;
  const Network& network_;
  TimestampMs touched_ms_;  // when the last key was pressed or the last command ended
  std::optional<std::int64_t> idle_ms_;
  ValueSource stored_;
  Colors colors_;
  std::atomic<bool> stream_lost_{false};
  std::atomic<bool> muted_{false};  // as in the state, for the thread of the notices
  std::mutex zone_mutex_;
  DisplayZone zone_;  // the same
  LineEditor editor_;
  AccountPoller poller_;
  Notices notices_;
};

// Reads and runs lines until the user leaves; the exit code is then 0.
Result<int> run_by_hand(Shell& shell, Context& context, const Network& network, const Paths& paths) {
  // A shell without a history still cancels.
  if (auto history = History::open(paths.state / "history" / network.name))
    shell.history = std::move(*history);
  else
    shell.say("history: " + history.error().message + "; none is kept\n");
  const auto config = SVC_TRY(context.config());
  const auto signal = Conversation(shell, context, network, paths, *config).run();
  if (signal && shell.state.entries_held() > 0) shell.say(render_failure(shell.staged_not_sent(ExitCode::terminated)));
  return signal ? static_cast<int>(ExitCode::terminated) : 0;
}

// Pins the account, so that a login or profile change elsewhere moves no line of this shell to another account.
Result<void> pin_account(ShellState& state, Context& context) {
  const Globals& globals = context.globals();
  if (globals.signer) return {};
  if (globals.account) {
    if (!context.is_typed(profile_account_key)) state.globals.push_back({"--account", to_string(*globals.account)});
    return {};
  }
  const auto network = SVC_TRY(context.network());
  const auto given = SVC_TRY(credential_from_environment(context, network->name, network->funds));
  if (given) return {};
  const auto sessions = SVC_TRY(load_sessions(**context.paths(), state.network, context.now_ms()));
  const Session* session = sessions.current_session();
  if (session != nullptr && session->open())
    state.shell_session.pinned->session.keep({.account = session->account, .wallet = session->wallet});
  return {};
}

// Without a user who can confirm it, staged entries are not dropped silently.
int report_staged(Shell& shell, int exit) {
  if (shell.state.entries_held() == 0) return exit;
  Failure failure = shell.staged_not_sent(ExitCode::confirmation);
  failure.message += "; \\commit sends, \\rollback drops";
  shell.say(render_failure(failure));
  return exit != 0 ? exit : static_cast<int>(failure.exit);
}

// The configuration's aliases become the shell's own: what they stand for is staged and kept here like typed lines.
void take_aliases(ShellState& state, Context& context) {
  const auto config = context.config();
  if (!config) return;
  for (const auto& [name, command] : (*config)->aliases) {
    const auto line = split_line(command.value);
    if (line && !line->pipe && find_command(line->words) && check_kept(line->words, "an alias"))
      state.aliases[name] = line->words;
  }
}

// The default shellrc may be missing; a file that was named must exist.
Result<void> run_rc(Shell& shell, const Paths& paths, const std::optional<std::string>& rc) {
  std::string text;
  if (rc) {
    text = SVC_TRY(read_given(*rc, "the file of --rc", limits::input_bytes_max, LooseMode::accept));
  } else {
    const auto file = SVC_TRY(read_private(paths.config / "shellrc"));
    text = file.value_or("");
  }
  shell.execute_lines(text, Shell::OnFailure::keep_going);
  return {};
}

Result<int> run_given(Shell& shell, const ShellLines& given, Shell::OnFailure on_failure) {
  const int exit = shell.execute_lines(joined(given.lines, {}, "\n"), on_failure);
  const bool stopped = exit != 0 && on_failure == Shell::OnFailure::stop;
  if (stopped || !given.file || shell.ended) return exit;
  const auto text = SVC_TRY(read_given(*given.file, "the file of --file", limits::input_bytes_max, LooseMode::accept));
  const int last = shell.execute_lines(text, on_failure);
  return last != 0 ? last : exit;
}

// Each line runs as soon as it arrives, so that a program can wait for answers.
Result<int> run_input(Shell& shell, Shell::OnFailure on_failure) {
  int exit = 0;
  while (!shell.ended) {
    const auto line = shell.environment.read_line();
    if (!line) break;
    const int one = shell.execute(*line);
    if (one != 0) exit = one;
    if (one != 0 && on_failure == Shell::OnFailure::stop) break;
  }
  return exit;
}

}  // namespace

Result<Answer> open_shell(Context& context, const ShellLines& lines) {
  const auto network = SVC_TRY(context.network());
  const auto paths = SVC_TRY(context.paths());
  Environment& environment = context.environment();
  ShellState state{.network = network->name,
                   .globals = flags_of_every_line(context.line().words),
                   .shell_session = {.pinned = std::make_shared<Pinned>(*network)}};
  SVC_TRY(pin_account(state, context));
  const bool given = !lines.lines.empty() || lines.file;
  const bool by_hand = !given && environment.in_is_terminal;
  const GlobalWords typed = usable_globals(context.line().words);
  const bool says_how = typed.output || typed.json || typed.globals.jq;
  // A format of the profile or the configuration holds for refused lines as well.
  if (!given && !by_hand && !says_how)
    state.globals.push_back({"--output", std::string(to_string(context.globals().format.value_or(Format::json)))});
  // --confirm for the shell replaces the name typed at its first order; moving money is still confirmed each time.
  state.shell_session.orders_agreed = context.globals().confirm == state.network;
  std::erase_if(state.globals, [](const FlagWords& flag) { return flag.front().starts_with("--confirm"); });
  take_aliases(state, context);
  Shell shell(environment, std::move(state), context.entry_points().run);

  SVC_TRY(run_rc(shell, *paths, lines.rc));
  shell.answers = true;
  const auto on_failure = lines.keep_going ? Shell::OnFailure::keep_going : Shell::OnFailure::stop;
  const auto exit = SVC_TRY(given     ? run_given(shell, lines, on_failure)
                            : by_hand ? run_by_hand(shell, context, *network, *paths)
                                      : run_input(shell, on_failure));
  return Answer{.printed = true, .exit = static_cast<ExitCode>(by_hand ? exit : report_staged(shell, exit))};
}

}  // namespace svc::cli
