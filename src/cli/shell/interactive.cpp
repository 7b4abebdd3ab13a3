#include "cli/shell/interactive.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "cli/client/pinned.h"
#include "cli/commands/candidates.h"
#include "cli/shell/line_editor.h"
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
        stored_(cached_values(context.environment(), paths, config, network.name)),
        colors_(context.globals().color == "never" || context.environment().variable("NO_COLOR") ? Colors::off
                                                                                                 : Colors::on),
        editor_({.prompt = [this] { return prompt(); },
                 .hint = [this](std::string_view line) { return hint_of(line, shell_.state()); },
                 .complete =
                     [this](std::string_view before) {
                       return suggestions(before, shell_.state(), pulse_.known(), stored_);
                     },
                 .status = [this](std::size_t columns) { return status(columns); },
                 .touched = [this] { touched(); },
                 .woken = [this] { lock_if_idle(); }}),
        pulse_(context.environment(), shell.state(), [this] { editor_.wake(); }),
        notices_(context.environment(), shell.state(), [this](const Notice& notice) { tell(notice); }) {
    shell_.runner().interrupted_by(&LineEditor::interrupted);
    shell_.runner().measured_by([] { return static_cast<std::size_t>(std::max(columns_of_terminal(STDOUT_FILENO), 0)); });
    shell_.state().sitting.numbers_orders = true;
    if (History* history = shell_.history()) {
      for (const std::string& line : history->lines()) editor_.remember(line);
    }
  }

  // The signal that ended it, if one did.
  std::optional<int> run() {
    for (;;) {
      const Typed typed = editor_.read();
      switch (typed.kind) {
        case Typed::Kind::cancelled: break;
        case Typed::Kind::line: take(typed.text); break;
        case Typed::Kind::block: take_block(typed.text); break;
        case Typed::Kind::end:
          shell_.say("\n");
          shell_.end();
          break;
      }
      if (!shell_.ended()) continue;
      if (LineEditor::ended_by() || may_leave()) return LineEditor::ended_by();
      shell_.stay();
    }
  }

 private:
  std::string prompt() {
    const auto& state = shell_.state();
    return prompt_text(network_,
                       {.account = account(),
                        .market = state.market,
                        .staged = state.staged ? state.staged->size() : 0,
                        .locked = state.sitting.locked},
                       colors_);
  }
  // The one that the next line acts for, even if the last reading was refused.
  std::optional<std::string> account() {
    const auto& pinned = shell_.state().sitting.pinned;
    const auto session = pinned ? pinned->session() : std::nullopt;
    return session ? std::optional(to_string(session->account)) : pulse_.account();
  }
  void touched() {
    lock_if_idle();
    const TimestampMs now_ms = shell_.environment().clock->now_ms();
    if (now_ms - touched_ms_ > minute_ms) pulse_.hurry();  // somebody is back
    touched_ms_ = now_ms;
  }
  // Who left the keyboard has left the keys with it: the next write asks for the password, and what was agreed to for
  // all orders is asked about again.
  void lock_if_idle() {
    const auto idle_ms = context_.globals().idle_lock_ms;
    const bool locked = shell_.state().sitting.locked;
    if (!idle_ms || locked || shell_.environment().clock->now_ms() - touched_ms_ < *idle_ms) return;
    shell_.lock();
  }
  std::string status(std::size_t columns) {
    const std::string text = status_text(pulse_.facts(), shell_.environment().clock->now_ms(), columns);
    return colors_ == Colors::on ? "\033[7m" + text : text;
  }
  // On the notices' own thread.
  void tell(const Notice& notice) {
    if (notice.lost && notice.text.empty()) return;
    const bool was_lost = stream_lost_.exchange(notice.lost);
    if (notice.lost && was_lost) return;
    if (!notice.lost) pulse_.heard(shell_.environment().clock->now_ms());
    if (was_lost && !notice.lost && !muted_.load()) editor_.announce("the stream of the account is back");
    if (notice.text.empty() || muted_.load()) return;
    const bool loud = colors_ == Colors::on && notice.loud;
    editor_.announce(loud ? "\033[1;31m" + notice.text + "\033[0m" : notice.text);
    if (notice.changes_account) pulse_.hurry();
  }

  void take(const std::string& line) {
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    if (may_be_kept(line)) editor_.remember(line);
    if (History* history = shell_.history()) {
      if (const auto kept = history->add(line); !kept) shell_.say("history: " + kept.error().message + "\n");
    }
    editor_.release_screen();
    shell_.execute(line);
    const auto begins = line.find_first_not_of(" \t");
    if (line.substr(begins).starts_with("\\!") || line.find('|') != std::string::npos) editor_.drop_typed_ahead();
    muted_.store(shell_.state().muted);
    touched_ms_ = shell_.environment().clock->now_ms();
    editor_.reclaim_screen();
    pulse_.hurry();
  }

  // What was pasted may be anything: it is shown as a whole before its first line runs.
  void take_block(const std::string& block) {
    const auto lines = std::count(block.begin(), block.end(), '\n') + 1;
    shell_.say("\n" + block + "\n");
    if (!agreed("run these " + std::to_string(lines) + " lines? [y/N] ")) {
      shell_.say("nothing was run\n");
      return;
    }
    editor_.release_screen();
    shell_.execute_lines(block, Shell::OnFailure::stop);
    editor_.reclaim_screen();
    pulse_.hurry();
  }

  bool agreed(std::string_view question) {
    const auto answer = shell_.environment().ask(question, Echo::shown);
    const std::string_view text = answer ? answer->reveal() : std::string_view();
    return text == "y" || text == "Y" || text == "yes";
  }

  bool may_leave() {
    const StatusFacts facts = pulse_.facts();
    if (shell_.state().staged && !shell_.state().staged->empty()) {
      return agreed("orders are staged and not sent; leave? [y/N] ");
    }
    if (facts.cancels_on_disconnect != true || facts.open_orders.value_or(0) == 0) return true;
    return agreed(std::to_string(*facts.open_orders) +
                  " orders are open and cancel-on-disconnect is on: leaving may cancel them; leave? [y/N] ");
  }

  Shell& shell_;
  Context& context_;
  const Network& network_;
  TimestampMs touched_ms_;  // when a key was last pressed, or a command last ended
  ValueSource stored_;
  Colors colors_;
  std::atomic<bool> stream_lost_{false};
  std::atomic<bool> muted_{false};  // the state's, for the thread of the notices
  LineEditor editor_;
  Pulse pulse_;
  Notices notices_;
};

}  // namespace

Result<int, Failure> run_by_hand(Shell& shell, Context& context, const Network& network, const Paths& paths) {
  auto history = SVC_TRY(History::open(paths.state / "history" / network.name));
  shell.keep_history(std::move(history));
  const auto config = SVC_TRY(context.config());
  constexpr int signal_exit = 128;
  const auto signal = Conversation(shell, context, network, paths, *config).run();
  if (signal && shell.state().staged && !shell.state().staged->empty())
    shell.say(render_failure(shell.staged_not_sent(ExitCode::terminated)));
  return signal ? signal_exit + *signal : 0;
}

}  // namespace svc::cli
