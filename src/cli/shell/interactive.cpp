#include "cli/shell/interactive.h"

#include <algorithm>
#include <atomic>

#include "cli/shell/line_editor.h"
#include "cli/shell/notices.h"
#include "cli/shell/pulse.h"
#include "cli/shell/status_line.h"
#include "cli/shell/suggestions.h"

namespace svc::cli {
namespace {

class Conversation {
 public:
  Conversation(Shell& shell, Context& context, const Network& network)
      : shell_(shell),
        network_(network),
        colors_(context.globals().color == "never" || context.environment().variable("NO_COLOR") ? Colors::off
                                                                                                 : Colors::on),
        editor_({.prompt = [this] { return prompt(); },
                 .hint = [](std::string_view line) { return hint_of(line); },
                 .complete =
                     [this](std::string_view before) { return suggestions(before, shell_.state(), pulse_.known()); },
                 .status = [this](std::size_t columns) { return status(columns); }}),
        pulse_(context.environment(), shell.state(), [this] { editor_.wake(); }),
        notices_(context.environment(), shell.state(), [this](const Notice& notice) { tell(notice); }) {
    shell_.runner().interrupted_by(&LineEditor::interrupted);
    if (History* history = shell_.history()) {
      for (const std::string& line : history->lines()) editor_.remember(line);
    }
  }

  void run() {
    while (!shell_.ended()) {
      const Typed typed = editor_.read();
      switch (typed.kind) {
        case Typed::Kind::cancelled: break;
        case Typed::Kind::line: take(typed.text); break;
        case Typed::Kind::block: take_block(typed.text); break;
        case Typed::Kind::end:
          shell_.say("\n");
          if (may_leave()) return;
          break;
      }
    }
  }

 private:
  std::string prompt() {
    const auto& state = shell_.state();
    return prompt_text(network_, pulse_.account(), state.market, state.staged ? state.staged->size() : 0, colors_);
  }
  std::string status(std::size_t columns) {
    const std::string text = status_text(pulse_.facts(), shell_.environment().clock->now_ms(), columns);
    return colors_ == Colors::on ? "\033[7m" + text : text;
  }
  void tell(const Notice& notice) {
    pulse_.heard(shell_.environment().clock->now_ms());
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
    muted_.store(shell_.state().muted);
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
  const Network& network_;
  Colors colors_;
  std::atomic<bool> muted_{false};  // the state's, for the thread of the notices
  LineEditor editor_;
  Pulse pulse_;
  Notices notices_;
};

}  // namespace

Result<int, Failure> run_by_hand(Shell& shell, Context& context, const Network& network, const Paths& paths) {
  auto history = History::open(paths.state / "history" / network.name);
  if (!history) return unexpected(history.error());
  shell.keep_history(std::move(*history));
  Conversation(shell, context, network).run();
  return 0;
}

}  // namespace svc::cli
