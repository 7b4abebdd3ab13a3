#include "cli/shell/runner.h"

#include <set>

#include "cli/answer.h"
#include "cli/run.h"

namespace svc::cli {

namespace {

// One name for all spellings of a flag: what says the same twice is said once.
std::string flag_name(std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  if (name == "-n") return "--network";
  if (name == "-a") return "--account";
  if (name == "-P") return "--profile";
  if (name == "-o" || name == "--json") return "--output";
  if (name == "-q") return "--quiet";
  if (name == "-v") return "--verbose";
  return name;
}

}  // namespace

// What the line says wins over \pset, and that over the flags of the shell.
std::vector<std::string> Runner::whole(const std::vector<std::string>& words) const {
  std::set<std::string> said;
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word.starts_with('-')) said.insert(flag_name(word));
  }
  std::vector<std::string> all;
  for (const auto* flags : {&state_.print_settings, &state_.globals}) {
    for (const FlagWords& flag : *flags) {
      if (said.insert(flag_name(flag.front())).second) all.insert(all.end(), flag.begin(), flag.end());
    }
  }
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// Standard input belongs to the shell: a command that asks for it finds nothing there.
Environment Runner::inside() const {
  Environment environment = outside_;
  environment.read_input = [](std::size_t) { return std::optional<std::string>(""); };
  environment.interrupted = interrupted_;
  environment.signals_are_taken = signals_are_taken_;
  environment.connect = kept_.connect();
  if (columns_) environment.out_columns = columns_();
  return environment;
}

int Runner::run_in(Environment& environment, const std::vector<std::string>& words) {
  environment.sitting = &state_.sitting;
  environment.answered = [this](const CommandRow&, const Answer& answer) {
    state_.last = answer.data;
    const Json& rows = answer.rows ? *answer.rows : answer.data;
    if (rows.is(Json::Kind::array)) state_.last_rows = rows;
  };
  return state_.last_exit = cli::run(whole(words), environment);
}

int Runner::run(const std::vector<std::string>& words, const std::string& input) {
  Environment environment = inside();
  if (!input.empty()) {
    environment.read_input = [&](std::size_t limit) {
      return input.size() > limit ? std::nullopt : std::optional(input);
    };
  }
  return run_in(environment, words);
}

int Runner::run_into(const std::vector<std::string>& words, const std::function<Written(std::string_view)>& out) {
  Environment environment = inside();
  environment.out = out;
  environment.out_is_terminal = false;
  return run_in(environment, words);
}

int Runner::follow(const std::vector<std::string>& words, const std::function<Written(std::string_view)>& out) const {
  Environment environment = inside();
  environment.out = out;
  environment.err = [](std::string_view) {};
  environment.out_is_terminal = environment.err_is_terminal = environment.in_is_terminal = false;
  environment.ask = [](std::string_view, Echo) { return std::nullopt; };
  Sitting unseen;
  unseen.pinned = state_.sitting.pinned;
  environment.sitting = &unseen;
  return cli::run(whole(words), environment);
}

Captured Runner::capture(const std::vector<std::string>& words) const {
  return capture_in(inside(), words);
}

Captured Runner::dry_run(const std::vector<std::string>& words) const {
  Environment environment = inside();
  environment.dry_runs_may_read = true;
  std::vector<std::string> dry{"--json", "--dry-run"};
  dry.insert(dry.end(), words.begin(), words.end());
  return capture_in(std::move(environment), dry);
}

Captured Runner::capture_in(Environment environment, const std::vector<std::string>& words) const {
  Captured captured;
  environment.out = [&](std::string_view text) {
    captured.out += text;
    return Written::whole;
  };
  environment.err = [&](std::string_view text) { captured.err += text; };
  environment.out_is_terminal = environment.err_is_terminal = environment.in_is_terminal = false;
  environment.ask = [](std::string_view, Echo) { return std::nullopt; };
  Sitting unseen;
  unseen.pinned = state_.sitting.pinned;
  environment.sitting = &unseen;
  captured.exit = cli::run(whole(words), environment);
  return captured;
}

}  // namespace svc::cli
