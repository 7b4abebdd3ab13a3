#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "cli/context.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "cli/program_version.h"
#include "cli/render.h"
#include "cli/spelling.h"
#include "cli/watch/repeat.h"

namespace svc::cli {
namespace {

int code_of(ExitCode exit) {
  return static_cast<int>(exit);
}

int print(Environment& environment, std::string_view text, ExitCode exit) {
  switch (environment.out(text)) {
    case Written::whole: return code_of(exit);
    case Written::reader_gone: return code_of(ExitCode::broken_pipe);
    case Written::failed: break;
  }
  environment.err("svc: standard output cannot be written; the result is incomplete\n");
  return code_of(ExitCode::internal);
}

std::string version_line() {
  return "svc " + std::string(program_version) + "\n";
}

// Before a command is known there is no format but what the words say.
int refuse(Environment& environment, const std::vector<std::string>& words, const Failure& failure,
           std::string schema) {
  if (!wants_json(words)) {
    environment.err(render_failure(failure));
    return code_of(failure.exit);
  }
  EnvelopeFacts facts;
  facts.schema = std::move(schema);
  facts.network = named_network(words);
  return print(environment, render_envelope(nullptr, &failure, facts), failure.exit);
}

// The words of the command's name, and all others in their order.
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
      naming = !find_command(result.name) && begins_command(result.name);
      continue;
    }
    result.rest.push_back(word);
    if (is_flag && takes_next_word(globals, word) && i + 1 < words.size()) result.rest.push_back(words[++i]);
  }
  return result;
}

Failure unknown_command(const std::vector<std::string>& name, const std::vector<std::string>& rest) {
  std::vector<std::string> words = name;
  for (const std::string& word : rest) {
    if (!word.starts_with('-')) words.push_back(word);
  }
  std::vector<std::string_view> known = command_paths();
  for (const std::string_view path : command_paths()) known.push_back(path.substr(0, path.find(' ')));
  std::string typed;
  std::optional<std::string_view> near;
  for (std::size_t count = 1; count <= std::min<std::size_t>(words.size(), 3); ++count) {
    typed += (typed.empty() ? "" : " ") + words[count - 1];
    // A longer match is the better guess.
    if (const auto nearer = nearest(typed, known)) near = nearer;
  }
  std::string shown;
  for (const std::string& word : name) shown += (shown.empty() ? "" : " ") + word;
  Failure failure = usage_error("unknown command \"" + shown + "\"");
  if (near) failure.message += "; did you mean \"" + std::string(*near) + "\"?";
  failure.actions = {"svc --help"};
  return failure;
}

// "svc help orders place" is "svc orders place --help".
std::vector<std::string> asked_of_help(const std::vector<std::string>& rest, const Arguments& globals) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool is_flag = rest[i].starts_with('-');
    if (!is_flag) words.push_back(rest[i]);
    if (is_flag && takes_next_word(globals, rest[i])) ++i;
  }
  words.emplace_back("--help");
  return words;
}

// The environment, then the configuration, where no flag was given.
void fill_in(GlobalWords& words, const Environment& environment, const Config* config) {
  for (const Setting& setting : settings()) {
    std::optional<std::string>& word = setting.word(words);
    const bool given = word || (setting.key == "output" && words.json) ||
                       (setting.key == "password_file" && words.globals.password_fd);
    if (given) continue;
    word = environment.variable(setting.variable);
    if (word || config == nullptr) continue;
    if (const auto found = config->defaults.find(setting.key); found != config->defaults.end()) word = found->second;
  }
}

Presentation presentation_of(const Globals& globals, const Environment& environment) {
  Presentation presentation;
  presentation.format = globals.format.value_or(environment.out_is_terminal ? Format::table : Format::tsv);
  presentation.header = !globals.no_header;
  const bool automatic = environment.out_is_terminal && !environment.variable("NO_COLOR");
  presentation.color = globals.color == "always" || (globals.color != "never" && automatic);
  presentation.fields = globals.fields;
  return presentation;
}

int report_failure(Context& context, const Failure& failure, const Presentation& presentation) {
  Environment& environment = context.environment();
  if (presentation.format == Format::json) {
    return print(environment, render_envelope(nullptr, &failure, context.facts()), failure.exit);
  }
  if (presentation.format == Format::ndjson) {
    return print(environment, render_ndjson(nullptr, &failure, context.facts()), failure.exit);
  }
  environment.err(render_failure(failure));
  // Where the server's bytes are the result, those of a refusal are too.
  const bool as_received = presentation.format == Format::raw || context.row().path == "api";
  if (failure.raw && as_received) return print(environment, *failure.raw, failure.exit);
  return code_of(failure.exit);
}

int report_answer(Context& context, const Answer& answer, const Presentation& presentation) {
  Environment& environment = context.environment();
  const ExitCode exit = answer.failure ? answer.failure->exit : answer.exit;
  environment.answered(context.row(), answer);
  if (answer.printed) return code_of(exit);
  if (presentation.format == Format::json) {
    return print(environment, render_envelope(&answer, nullptr, context.facts()), exit);
  }
  if (presentation.format == Format::ndjson) {
    return print(environment, render_ndjson(&answer, nullptr, context.facts()), exit);
  }
  const auto text = render_rows(answer, presentation);
  if (!text) return report_failure(context, text.error(), presentation);
  if (answer.failure) environment.err(render_failure(*answer.failure));
  return print(environment, *text, exit);
}

int report_dry_run(Context& context, DryRun dry_run, const Presentation& presentation) {
  Answer answer{.data = std::move(dry_run.plan), .view = {.columns = {}, .layout = Layout::sheet}};
  const auto curl = answer.data.string_at("curl");  // what is done here alone has none
  if (context.globals().curl && curl) answer.text = std::string(*curl) + "\n";
  return report_answer(context, answer, presentation);
}

int run_once(Command& command, Context& context, const Presentation& presentation) {
  auto outcome = command.run(context);
  if (outcome) return report_answer(context, *outcome, presentation);
  if (auto* dry_run = std::get_if<DryRun>(&outcome.error().why)) {
    return report_dry_run(context, std::move(*dry_run), presentation);
  }
  return report_failure(context, std::get<Failure>(outcome.error().why), presentation);
}

}  // namespace

int run(const std::vector<std::string>& words, Environment& environment) {
  if (words == std::vector<std::string>{"--version"}) return print(environment, version_line(), ExitCode::success);
  GlobalWords global_words;
  Arguments arguments;
  declare_globals(arguments, global_words);
  const std::size_t globals_declared = arguments.declared().size();
  const Split parts = split(words, arguments);

  if (parts.name.empty()) {
    if (parts.version) return print(environment, version_line(), ExitCode::success);
    if (parts.help) return print(environment, overview(), ExitCode::success);
    if (words.empty()) {
      environment.err(overview());
      return code_of(ExitCode::usage);
    }
    return refuse(environment, words, usage_error("no command is named; svc --help lists them"), "svc.usage/1");
  }
  if (parts.name.front() == "help") return run(asked_of_help(parts.rest, arguments), environment);
  const auto found = find_command(parts.name);
  if (!found) {
    if (!begins_command(parts.name))
      return refuse(environment, words, unknown_command(parts.name, parts.rest), "svc.usage/1");
    std::string noun;
    for (const std::string& word : parts.name) noun += (noun.empty() ? "" : " ") + word;
    if (parts.help) return print(environment, overview(noun), ExitCode::success);
    Failure failure = usage_error("svc " + noun + " needs one more word");
    failure.actions = {"svc " + noun + " --help"};
    return refuse(environment, words, failure, "svc.usage/1");
  }

  const CommandRow& row = *found->row;
  const std::unique_ptr<Command> command = row.make();
  command->declare(arguments);
  RepeatFlag repeat;
  if (row.repeats == Repeats::yes) repeat.declare(arguments);
  if (parts.help) return print(environment, command_help(row, arguments, globals_declared), ExitCode::success);
  const std::string schema = Context(environment, {}, row).facts().schema;
  if (const auto parsed = arguments.parse(parts.rest); !parsed) {
    Failure failure = parsed.error();
    failure.actions = {"svc " + std::string(row.path) + " --help"};
    return refuse(environment, words, failure, schema);
  }

  // A command that needs no files works without a home; one that does says so itself.
  const auto paths = find_paths(environment);
  std::optional<Config> config;
  if (paths) {
    auto loaded = load_config(*paths);
    if (!loaded) return refuse(environment, words, loaded.error(), schema);
    config = std::move(*loaded);
  }
  fill_in(global_words, environment, config ? &*config : nullptr);
  auto globals = understand(std::move(global_words));
  if (!globals) return refuse(environment, words, globals.error(), schema);

  Context context(environment, std::move(*globals), row);
  context.typed(parts.rest);
  if (config) context.adopt(*paths, std::move(*config));
  const Presentation presentation = presentation_of(context.globals(), environment);
  const auto once = [&] { return run_once(*command, context, presentation); };
  if (!repeat.given) return once();
  const auto pause_ms = repeat.understand(context.globals());
  if (!pause_ms) return refuse(environment, words, pause_ms.error(), schema);
  return run_again_and_again(context, *pause_ms, once);
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // Asked by every shell prompt and installer: answered before anything else is looked at.
  if (words.size() == 1 && words.front() == "--version") {
    const std::string line = version_line();
    if (::write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return 0;
  }
  Environment environment = process_environment();
  return run(words, environment);
}

}  // namespace svc::cli
