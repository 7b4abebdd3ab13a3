// shell
#include <algorithm>
#include <array>

#include "base/limits.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/commands/command_table.h"
#include "cli/commands/groups.h"
#include "cli/machine/private_file.h"
#include "cli/shell/interactive.h"
#include "cli/shell/line_words.h"
#include "cli/shell/shell.h"

namespace svc::cli {
namespace {

class ShellCommand final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.texts("-c,--command", lines_, "LINE", "run this line and leave; may be given again");
    arguments.text("-f,--file", file_, "FILE", "run the lines of a file and leave");
    arguments.text("--rc", rc_, "FILE", "run these lines first, instead of those of shellrc");
    arguments.flag("--keep-going", keep_going_, "go on after a line that failed");
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto network = SVC_TRY(context.network());
    const auto paths = SVC_TRY(context.paths());
    Environment& environment = context.environment();
    ShellState state{.network = network->name,
                     .globals = flags_of_every_line(context),
                     .sitting = {.pinned = std::make_shared<Pinned>(*network)}};
    SVC_TRY(pin_account(state, context));
    const bool given = !lines_.empty() || file_;
    const bool by_hand = !given && environment.in_is_terminal;
    if (!given && !by_hand && !context.globals().format) state.globals.push_back({"--output", "json"});
    if (by_hand) agree_once(state, context.globals().confirm);
    take_aliases(state, context);
    Shell shell(environment, std::move(state));

    SVC_TRY(run_rc(shell, *paths));
    const auto on_failure = keep_going_ ? Shell::OnFailure::keep_going : Shell::OnFailure::stop;
    const auto exit = SVC_TRY(given     ? run_given(shell, on_failure)
                              : by_hand ? run_by_hand(shell, context, *network, *paths)
                                        : run_input(shell, on_failure));
    return Answer{.printed = true, .exit = static_cast<ExitCode>(by_hand ? exit : after_staged(shell, exit))};
  }

 private:
  // Whoever logs in elsewhere, or uses another profile, moves no line of this shell to another account.
  static Result<void, Failure> pin_account(ShellState& state, Context& context) {
    const Globals& globals = context.globals();
    if (globals.signer) return {};
    if (globals.account) {
      const auto names_it = [](const FlagWords& flag) {
        return flag.front().starts_with("-a") || flag.front().starts_with("--account");
      };
      if (std::none_of(state.globals.begin(), state.globals.end(), names_it))
        state.globals.push_back({"--account", to_string(*globals.account)});
      return {};
    }
    const auto network = SVC_TRY(context.network());
    const auto given = SVC_TRY(credential_from_environment(context, network->name, network->funds));
    if (given) return {};
    const auto sessions = SVC_TRY(load_sessions(**context.paths(), state.network, context.now_ms()));
    const Session* session = sessions.current_session();
    if (session != nullptr && session->open())
      state.sitting.pinned->keep_session({.account = session->account, .wallet = session->wallet});
    return {};
  }

  // Nobody can be asked whether what is held back should be dropped, so it is not dropped in silence.
  static int after_staged(Shell& shell, int exit) {
    const auto& staged = shell.state().staged;
    if (!staged || staged->empty()) return exit;
    Failure failure = shell.staged_not_sent(ExitCode::confirmation);
    failure.message += "; \\commit sends, \\rollback drops";
    const int refused = shell.refuse(failure);
    return exit != 0 ? exit : refused;
  }

  // Those of the configuration become words of the shell, so that what they stand for is staged, repeated and kept on
  // this network like what is typed.
  static void take_aliases(ShellState& state, Context& context) {
    const auto config = context.config();
    if (!config) return;
    for (const auto& [name, command] : (*config)->aliases) {
      const auto line = split_line(command.value, [](std::string_view) { return std::nullopt; });
      if (line && !line->pipe && find_command(line->words)) state.aliases[name] = line->words;
    }
  }

  // A name given to the shell stands for the one that is typed at its first order; moving money is asked about.
  static void agree_once(ShellState& state, const std::optional<std::string>& confirmed) {
    state.sitting.orders_agreed = confirmed == state.network;
    std::erase_if(state.globals, [](const FlagWords& flag) { return flag.front().starts_with("--confirm"); });
  }

  // A shell without its shellrc is still a shell; a file that was named must be there.
  Result<void, Failure> run_rc(Shell& shell, const Paths& paths) const {
    std::string text;
    if (rc_) {
      const auto file = SVC_TRY(read_given(*rc_, "the file of --rc", limits::input_bytes_max, LooseMode::accept));
      text = file.text;
    } else {
      const auto file = SVC_TRY(read_private(paths.config / "shellrc"));
      text = file.value_or("");
    }
    shell.execute_lines(text, Shell::OnFailure::keep_going);
    return {};
  }

  Result<int, Failure> run_given(Shell& shell, Shell::OnFailure on_failure) const {
    int exit = 0;
    for (const std::string& line : lines_) {
      if (shell.ended()) return exit;
      const int one = shell.execute_lines(line, on_failure);
      if (one != 0) exit = one;
      if (one != 0 && on_failure == Shell::OnFailure::stop) return exit;
    }
    if (!file_ || shell.ended()) return exit;
    const auto file = SVC_TRY(read_given(*file_, "the file of --file", limits::input_bytes_max, LooseMode::accept));
    const int last = shell.execute_lines(file.text, on_failure);
    return last != 0 ? last : exit;
  }

  // Each line runs as it comes, so that a program may hold a conversation.
  static Result<int, Failure> run_input(Shell& shell, Shell::OnFailure on_failure) {
    int exit = 0;
    while (!shell.ended()) {
      const auto line = shell.environment().read_line();
      if (!line) break;
      const int one = shell.execute(*line);
      if (one != 0) exit = one;
      if (one != 0 && on_failure == Shell::OnFailure::stop) break;
    }
    return exit;
  }

  std::vector<std::string> lines_;
  std::optional<std::string> file_;
  std::optional<std::string> rc_;
  bool keep_going_ = false;
};

constexpr std::array shell_rows{
    CommandRow{"shell", "", "Open a shell on one network", make<ShellCommand>},
};

}  // namespace

std::span<const CommandRow> shell_commands() {
  return shell_rows;
}

}  // namespace svc::cli
