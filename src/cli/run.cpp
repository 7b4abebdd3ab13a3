#include "cli/run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "cli/arguments/arguments.h"
#include "cli/arguments/globals.h"
#include "cli/arguments/line_words.h"
#include "cli/arguments/spelling.h"
#include "cli/client/client_id.h"
#include "cli/client/context.h"
#include "cli/client/key_input.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/read.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"
#include "cli/machine/unlock_agent.h"
#include "cli/shell/shell.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

std::string version_line() {
  return "svc " + std::string(program_version) + "\n";
}

int refuse(Environment& environment, const std::vector<std::string>& words, const Failure& failure,
           std::string schema) {
  return print_early(environment, words, {.failure = failure}, std::move(schema));
}

int print_help(Environment& environment, const std::vector<std::string>& words, const std::string& text) {
  return print_early(environment, words, {.data = Json::object({{"text", text}}), .text = text}, "svc.help/1");
}

// The words of the command's name, and all others in order.
struct Split {
  std::vector<std::string> name;
  std::vector<std::string> rest;
  bool help = false;
  bool version = false;
};

Split split(const std::vector<std::string>& words, const Arguments& globals) {
  Split result;
  bool naming = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      result.rest.insert(result.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    result.help = result.help || word == "--help" || word == "-h";
    result.version = result.version || (word == "--version" && naming);
    const bool is_flag = word.size() > 1 && word.front() == '-';
    if (naming && !is_flag) {
      result.name.push_back(word);
      naming = begins_command(result.name);
      continue;
    }
    result.rest.push_back(word);
    if (is_flag && takes_next_word(globals, word) && i + 1 < words.size()) result.rest.push_back(words[++i]);
  }
  // A word that does not continue the name is an argument.
  if (const auto found = find_command(result.name)) {
    const auto end = result.name.begin() + static_cast<std::ptrdiff_t>(found->words);
    result.rest.insert(result.rest.begin(), end, result.name.end());
    result.name.erase(end, result.name.end());
  }
  return result;
}

// The commands that end in this word: "orders cancel" and "transfers cancel" for "cancel".
std::string of_groups(const std::string& word) {
  std::string text;
  for (const std::string_view path : command_paths())
    if (path.ends_with(" " + word)) text += (text.empty() ? "\"" : ", \"") + std::string(path) + "\"";
  return text;
}

Failure unknown_command(const std::vector<std::string>& name, const std::vector<std::string>& rest) {
  std::vector<std::string> words = name;
  std::ranges::copy_if(rest, std::back_inserter(words), [](const std::string& word) { return !word.starts_with('-'); });
  std::vector<std::string_view> known = command_paths();
  for (const std::string_view path : command_paths()) known.push_back(first_word(path));
  std::string typed;
  std::optional<std::string_view> near;
  for (std::size_t count = 1; count <= std::min<std::size_t>(words.size(), 3); ++count) {
    typed += (typed.empty() ? "" : " ") + words[count - 1];
    // A longer match is a better guess.
    if (const auto nearer = nearest(typed, known)) near = nearer;
  }
  Failure failure = usage_error("unknown command \"", joined(name, {}, " "), "\"").to_try({"svc --help"});
  if (const std::string grouped = of_groups(words.front()); !grouped.empty())
    failure.message += "; did you mean " + grouped + "?";
  else if (near)
    failure.message += "; did you mean \"" + std::string(*near) + "\"?";
  return failure;
}

// The expansion of the user's alias and the words after it; nullopt if it is not an alias. Fails if the aliases cannot
// be read, and for one that may not be.
Result<std::optional<std::vector<std::string>>> expanded_alias(const Split& parts, const Environment& environment) {
  using None = std::optional<std::vector<std::string>>;
  if (parts.name.size() != 1) return None();
  const auto paths = find_paths(environment, usable_globals(parts.rest).globals.config_file);
  if (!paths) return None();
  // What is damaged in the file is reported by the command that the alias stands for.
  auto config = load_usable_config(*paths);
  if (!config) {
    auto loaded = load_config(*paths);
    if (!loaded) {
      loaded.error().message = "the aliases cannot be read: " + loaded.error().message;
      return std::move(loaded).error();
    }
    config = std::move(*loaded);
  }
  const Placed* alias = found_at(config->aliases, parts.name.front());
  if (alias == nullptr) return None();
  const auto line = split_line(alias->value);
  // An alias must not expand to an alias: it could loop.
  if (!line || line->pipe || !find_command(line->words)) return None();
  SVC_TRY(check_kept(line->words, "an alias"));
  return std::optional(followed_by(line->words, parts.rest));
}

// SVC_ACCOUNT, which beside SVC_API_KEY says whose that key is, and alone is like -a. A signer that was typed names an
// account itself.
std::optional<std::string> account_of_variable(const Environment& environment, const std::vector<Explained>& layers) {
  const bool names_signer =
      std::ranges::any_of(layers, [](const Explained& one) { return one.key == "signer" && one.is_typed(); });
  return names_signer || environment.variable("SVC_API_KEY") ? std::nullopt : environment.variable("SVC_ACCOUNT");
}

Result<Globals> with_account(Globals globals, const ChosenProfile& profile, const ShellSession* shell_session) {
  const Placed* account = profile.find(profile_account_key);
  // A shell keeps the account of the profile it was opened with; a profile named on a line brings its own.
  if (globals.account || globals.account_wallet || account == nullptr) return globals;
  if (shell_session != nullptr && !globals.profile) return globals;
  globals.account = parse_address(account->value);
  if (globals.account) return globals;
  return usage_error("profile " + profile.name + ": account must be 0x and 40 hex digits, not \"" + account->value +
                     "\"");
}

// Everything that the layers of settings determine for one run.
struct Terms {
  std::vector<Explained> layers;
  Globals globals;
  Presentation presentation;
};

// An invalid proxy setting must not lead to a direct connection.
Result<void> check_proxy(const std::vector<Explained>& layers) {
  for (const Explained& one : layers) {
    if (one.key != "proxy" || one.unusable.empty() || !one.layers.empty()) continue;
    const auto& [layer, problem] = one.unusable.front();
    return usage_error(layer.place + ": " + problem).to_try({"add --proxy none", "svc config explain proxy"});
  }
  return {};
}

// How many errors around a command are tolerated.
enum class Strictness : std::uint8_t {
  all,        // none, for an order
  repairing,  // those that a command for changing settings may repair
  way_out,    // all but what is needed to send
};

Strictness strictness_of(const CommandRow& row, const std::vector<std::string>& words) {
  if (is_way_out(row, words)) return Strictness::way_out;
  for (const std::string_view noun : {"config ", "profile ", "alias", "doctor"})
    if (row.path.starts_with(noun)) return Strictness::repairing;
  return Strictness::all;
}

Result<Terms> settle(const CommandRow& row, GlobalWords words, const Environment& environment, const Config* config,
                     const ChosenProfile& profile, Strictness strictness, const ShellSession* shell_session) {
  auto layers = fill_in(words, environment, config, profile);
  if (strictness == Strictness::all) SVC_TRY(check_proxy(layers));
  if (!words.account && strictness != Strictness::repairing) words.account = account_of_variable(environment, layers);
  auto understood = SVC_TRY(understand(std::move(words)));
  auto globals = SVC_TRY(with_account(std::move(understood), profile, shell_session));
  auto presentation = SVC_TRY(presentation_of(globals, environment, shell_session));
  SVC_TRY(check_names(row.path, globals, presentation));
  return Terms{std::move(layers), std::move(globals), std::move(presentation)};
}

// The words without display flags; JSON output stays JSON.
GlobalWords without_display_flags(GlobalWords words) {
  Globals& globals = words.globals;
  words.json = words.json || globals.jq.has_value();
  globals.jq.reset();
  globals.text_template.reset();
  globals.time_zone.reset();
  words.fields.reset();
  if (words.json) words.output.reset();
  return words;
}

// Resolves the wallet given with -a to its address on this network.
Result<void> find_account(Context& context) {
  const auto& wallet = context.globals().account_wallet;
  if (!wallet) return {};
  const auto [network, paths] = SVC_TRY(context.network_files());
  const auto wallets = SVC_TRY(list_wallets(*paths, network.text));
  const auto found = std::ranges::find(wallets, *wallet, &WalletInfo::name);
  if (found == wallets.end()) {
    return usage_error("--account (SVC_ACCOUNT) must be 0x and 40 hex digits, or a wallet of network " + network.text +
                       ", not \"" + *wallet + "\"");
  }
  context.act_for(found->address);
  return {};
}

// On the way out an account that was typed counts for more than a signer that a setting names, and its own wallet, if
// it is filed here, acts for it without a session too. (D-783)
void prefer_own_wallet(Context& context) {
  const Globals& globals = context.globals();
  if (!context.is_way_out() || !globals.account || context.is_typed("signer") || globals.auth == AuthChoice::agent)
    return;
  if (!globals.signer && !password_given(context)) return;
  const auto files = context.network_files();
  const auto wallets = files ? list_wallets(*files->paths, files->network.text) : files.error();
  if (!wallets) return;
  const auto own = std::ranges::find(*wallets, *globals.account, &WalletInfo::address);
  if (own != wallets->end()) context.stay_with(own->name);
}

// The answer as it is shown: with the columns of its command if it names none, in the order asked for.
Result<Answer> run_sorted(CommandFlags& line, Context& context) {
  auto outcome = line.command->run(context);
  if (!outcome) return outcome;
  if (outcome->view.columns.empty()) outcome->view.columns = shown_columns(context.command());
  line.shared.sort.apply(*outcome);
  return outcome;
}

int run_once(CommandFlags& line, Context& context, const Presentation& presentation) {
  // These two deal with signals themselves.
  if (context.command() != "shell" && context.command() != "serve") context.begin_run();
  const auto named = name_markets(context, line.arguments);
  auto outcome = named ? run_sorted(line, context) : Result<Answer>(named.error());
  context.end_run();                          // from here on there is a document, and it must stay the only one
  if (!outcome && outcome.error().is_plan())  // nothing was sent, so nothing waits for the end of the output
    return report_dry_run(context, std::move(outcome).error().details, presentation);
  const int exit =
      outcome ? report_answer(context, *outcome, presentation) : report_failure(context, outcome.error(), presentation);
  context.output_ended(exit == code_of(outcome ? outcome->exit_code() : outcome.error().exit));
  return exit;
}

// The outcome of one run: its exit code, and the failure if there is one.
struct Round {
  int exit = 0;
  std::optional<Failure> failure{};
};

// On a terminal each picture replaces the one before, on a screen of its own; the last one stays at the end.
class SamePlace {
 public:
  explicit SamePlace(Environment& environment)
      : environment_(environment),
        out_(environment.out),
        err_(environment.err),
        moves_(environment.out_is_terminal && environment.terminal_draws()) {
    if (!moves_) return;
    environment_.out = [this](std::string_view text) {
      picture_ += text;
      return Written::whole;
    };
    environment_.err = [this](std::string_view text) { trouble_ += text; };
    static_cast<void>(out_(enter_alternate_screen));
    stopped_outside_.emplace();
  }
  ~SamePlace() {
    if (!moves_) return;
    environment_.out = out_;
    environment_.err = err_;
    stopped_outside_.reset();
    static_cast<void>(out_(concat(leave_alternate_screen, picture_)));
    err_(trouble_);
  }
  SamePlace(SamePlace&&) = delete;

  Round show(const std::function<Round()>& once) {
    if (!moves_) return once();
    picture_.clear();
    trouble_.clear();
    Round round = once();
    std::string text = "\x1b[H";
    for (const char c : picture_ + trouble_) text += c == '\n' ? std::string("\x1b[K\n") : std::string(1, c);
    if (out_(text + "\x1b[J") != Written::whole) round.exit = static_cast<int>(ExitCode::broken_pipe);
    return round;
  }

 private:
  Environment& environment_;
  std::function<Written(std::string_view)> out_;
  std::function<void(std::string_view)> err_;
  bool moves_;
  std::optional<ScreenLeftWhenStopped> stopped_outside_{};
  std::string picture_{};
  std::string trouble_{};
};

bool may_pass(int exit) {
  return exit == code_of(ExitCode::success) || exit == code_of(ExitCode::unavailable) ||
         exit == code_of(ExitCode::rate_limited);
}

// Runs until a signal (exit 130 or 143), a permanent failure, or the end of the output's reader, and returns the last
// round. On a terminal each run replaces the output of the one before.
Round run_again_and_again(Context& context, std::int64_t pause_ms, const std::function<Round()>& once) {
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  SamePlace place(environment);
  for (;;) {
    Round round = place.show(once);
    if (!may_pass(round.exit)) return round;
    for (std::int64_t left_ms = pause_ms;; left_ms -= watch_limits::look_ms) {
      if (const auto signal = signals.came()) return {code_of(*signal), stopped_by(*signal)};
      if (environment.out("") == Written::reader_gone) return {.exit = code_of(ExitCode::broken_pipe)};
      if (left_ms <= 0 || ScreenLeftWhenStopped::went_on()) break;
      environment.sleep_ms(std::min(left_ms, watch_limits::look_ms));
    }
  }
}

// `svc --version` prints one line, which installers read, or with -o json the document of `svc version`.
int print_version(Environment& environment, std::vector<std::string> words, ShellSession* shell_session) {
  const Format format = wanted_format(usable_globals(words), std::nullopt);
  if (format != Format::json && format != Format::ndjson) return print(environment, version_line(), ExitCode::success);
  std::erase(words, "--version");
  words.insert(words.begin(), "version");
  return run(words, environment, shell_session);
}

int run_repeated(CommandFlags& line, Context& context, std::int64_t pause_ms, Presentation presentation) {
  presentation.more_follow = true;
  const bool in_place = context.environment().out_is_terminal;
  const Round last = run_again_and_again(context, pause_ms, [&]() -> Round {
    if (presentation.width > 0) presentation.width = context.environment().out_columns();
    auto outcome = run_sorted(line, context);
    if (!outcome) return {report_failure(context, outcome.error(), presentation), outcome.error()};
    const int exit = report_answer(context, *outcome, presentation);
    // Repeated rows form one table with one header.
    if (!in_place && exit == code_of(ExitCode::success)) presentation.header = false;
    return {exit, outcome->failure};
  });
  if (last.exit == code_of(ExitCode::broken_pipe)) return last.exit;
  return report_end(context, last.failure, static_cast<ExitCode>(last.exit), presentation);
}

}  // namespace

int run(const std::vector<std::string>& words, Environment& environment, ShellSession* shell_session) {
  static constexpr EntryPoints entry_points{.run = run, .shell = open_shell};
  if (!words.empty() && words.front() == complete_word) return complete(words, environment);
  const Split parts = split(words, LineFlags().arguments);

  if (parts.name.empty()) {
    if (parts.version) return print_version(environment, words, shell_session);
    if (parts.help) return print_help(environment, words, overview());
    if (words.empty()) {
      environment.err(overview());
      return code_of(ExitCode::usage);
    }
    return refuse(environment, words, usage_error("no command is named; svc --help lists them"), "svc.usage/1");
  }
  if (parts.name.front() == "help") {
    const auto asked = words_beside_flags(parts.rest);
    if (asked == std::vector<std::string>{"all"}) return print_help(environment, words, every_command());
    if (asked == std::vector<std::string>{"flags"}) return print_help(environment, words, shared_flags_help());
    std::vector<std::string> help = words;
    help.erase(std::ranges::find(help, "help"));
    help.insert(help.begin(), "--help");
    return run(help, environment, shell_session);
  }
  const auto found = find_command(parts.name);
  if (!found) {
    const auto meant = expanded_alias(parts, environment);
    if (meant && *meant) return run(**meant, environment, shell_session);
    if (!begins_command(parts.name)) {
      Failure failure = unknown_command(parts.name, parts.rest);
      if (!meant) failure.message += "; " + meant.error().message;
      return refuse(environment, words, failure, "svc.usage/1");
    }
    const std::string noun = joined(parts.name, {}, " ");
    if (parts.help) return print_help(environment, words, overview(noun));
    return refuse(environment, words,
                  usage_error("svc " + noun + " needs one more word").to_try({"svc " + noun + " --help"}),
                  "svc.usage/1");
  }

  const CommandRow& row = *found->row;
  if (parts.help) return print_help(environment, words, command_help(row));
  CommandFlags line(row);
  const GlobalWords& global_words = line.words;
  const std::string schema = schema_name(row);
  const auto refused = [&](const Failure& failure) { return refuse(environment, words, failure, schema); };
  if (const auto parsed = line.arguments.parse(parts.rest); !parsed)
    return refused(Failure(parsed.error()).to_try({concat("svc ", row.path, " --help")}));
  const Globals& typed = global_words.globals;
  // Everybody on this machine can read the words of a command.
  if (typed.proxy && has_password(*typed.proxy))
    return refused(usage_error("--proxy: a password may come from SVC_PROXY only"));
  const auto given = line.arguments.given();
  const bool only_shows = row.repeats == Repeats::yes || typed.dry_run || typed.curl || is_among("--preview", given);
  if (shell_session != nullptr && shell_session->repeats && !only_shows)
    return refused(guard("repeated_write", "\\watch repeats what shows a state; nothing was done"));
  if (const auto sorts = line.shared.sort.check(row.path); !sorts) return refused(sorts.error());

  // A command that needs no files works without a home folder; others report it themselves.
  const auto paths = find_paths(environment, typed.config_file);
  std::optional<Config> config;
  ChosenProfile profile;
  // The way out works with any damage in the files around it.
  const Strictness strictness = strictness_of(row, parts.rest);
  const bool way_out = strictness == Strictness::way_out;
  // So does the command that explains what is wrong.
  const bool tolerates_errors = way_out || row.path == "doctor";
  std::vector<Warning> passed_over;
  Context* told = nullptr;
  // Each line of a shell is checked on its own.
  const LooseFiles loose(tolerates_errors && row.path != "shell", [&](const Failure& failure) {
    const std::string message = failure.message + "; used all the same";
    told == nullptr ? passed_over.push_back({failure.code, message}) : told->notice(failure.code, message);
  });
  if (paths) {
    auto loaded = load_config(*paths);
    if (!loaded && !paths->named_config.empty())
      loaded.error().message.insert(0, typed.config_file ? "--config: " : "SVC_CONFIG: ");
    if (!loaded && tolerates_errors) {
      auto usable = load_usable_config(*paths);
      passed_over.push_back({"config", loaded.error().message + (usable ? "; what can be read of the file holds"
                                                                        : "; no configuration is used")});
      Config none;
      none.file = paths->config_file();
      loaded = usable ? std::move(*usable) : std::move(none);
    }
    if (!loaded) return refused(loaded.error());
    config = std::move(*loaded);
    if (const auto project = load_project(*config, environment.working_folder); !project) {
      if (!tolerates_errors) return refused(project.error());
      passed_over.push_back({"project_file", "passed over: " + project.error().message});
      config->project.clear();
    }
    // A command that repairs profiles must not be stopped by a bad one.
    auto chosen = choose_profile(typed.profile, environment, *config);
    // The way out for an account that was typed needs no profile.
    const bool is_certain = way_out && !typed.profile && (typed.signer || global_words.account);
    if (!chosen && (is_certain || (tolerates_errors && !way_out)))
      passed_over.push_back({"profile", chosen.error().message + "; passed over"});
    if (!chosen && !is_certain && strictness != Strictness::repairing) return refused(chosen.error());
    if (chosen) profile = *chosen;
  }
  const Config* known = config ? &*config : nullptr;
  auto terms = settle(row, global_words, environment, known, profile, strictness, shell_session);
  if (!terms && way_out) {
    passed_over.push_back({"output", terms.error().message + "; shown without that"});
    terms = settle(row, without_display_flags(global_words), environment, known, profile, strictness, shell_session);
  }
  if (!terms) return refused(terms.error());

  Context context(environment, std::move(terms->globals),
                  {.command = row.path, .schema = schema, .is_way_out = way_out, .words = parts.rest}, entry_points,
                  shell_session);
  told = &context;
  environment.leave_readers(way_out ? Environment::Unwaited::err : Environment::Unwaited::neither);
  const Placed* network = profile.find(profile_network_key);
  for (const Explained& one : terms->layers) {
    for (const auto& [layer, problem] : one.unusable)
      context.notice("setting", layer.place + ": " + problem + "; not used", Context::Frequency::once_per_shell);
  }
  context.adopt(std::move(terms->layers), network == nullptr ? std::nullopt : std::optional(network->value));
  if (config) context.adopt(*paths, std::move(*config));
  context.adopt(terms->presentation);
  for (Warning& one : passed_over) context.notice(std::move(one.code), std::move(one.message));
  if (row.path.starts_with("local ")) context.prefer_network("local");
  if (const auto found_account = find_account(context); !found_account)
    return report_failure(context, found_account.error(), terms->presentation);
  if (global_words.account) prefer_own_wallet(context);
  if (!line.shared.repeat) {
    const int exit = run_once(line, context, terms->presentation);
    // Nobody must think that nothing happened, and send it again.
    const bool may_be_unread = exit == code_of(ExitCode::broken_pipe) || exit == code_of(ExitCode::internal);
    if (may_be_unread && context.facts().has_sent_write)
      environment.err(
          concat("svc: a write was sent; ", command_line(context, "journal list"), " tells what became of it\n"));
    return exit;
  }
  if (context.globals().format == Format::json && context.leave_stored_format("--watch prints more than one document"))
    terms->presentation = context.presentation();
  const auto pause_ms = line.shared.pause_ms(context.globals());
  if (!pause_ms) return refused(pause_ms.error());
  if (const auto named = name_markets(context, line.arguments); !named)
    return report_failure(context, named.error(), terms->presentation);
  return run_repeated(line, context, *pause_ms, terms->presentation);
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // Prompts and installers ask for this, so it is answered before anything else is read.
  if (words.size() == 1 && words.front() == "--version") {
    const std::string line = version_line();
    if (::write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return 0;
  }
  // A file that is opened later must not get the number of a standard stream that is closed, and take its text. Writing
  // to these fails, as to a closed one.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
  // A file that reaches the size limit is a failure like a full disk, instead of a signal.
  ::signal(SIGXFSZ, SIG_IGN);
  // Whoever starts us may ignore SIGCHLD. Then the exit code of a program that we start would be lost.
  ::signal(SIGCHLD, SIG_DFL);
  // A sandbox holds no user's keys, and its core dumps are useful.
  if (words.empty() || words.front() != "serve") {
    unlock::keep_out_of_dumps();
    wipe_freed_memory();
  }
  Environment environment = process_environment();
  return run(words, environment);
}

}  // namespace svc::cli
