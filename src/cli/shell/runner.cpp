#include "cli/shell/runner.h"

#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "cli/arguments/globals.h"
#include "cli/arguments/line_words.h"
#include "cli/commands/command_table.h"
#include "cli/machine/programs.h"
#include "cli/terminal/answer.h"

namespace svc::cli {
namespace {

// For lines that run without the user: nothing is asked, and nothing is shown unless the caller takes it.
void leave_user_alone(Environment& environment) {
  environment.err = [](std::string_view) {};
  environment.leave_readers = [](Environment::Unwaited) {};  // what is waited for is decided by the line that is typed
  environment.out_is_terminal = environment.err_is_terminal = environment.in_is_terminal = false;
  environment.ask = [](std::string_view, Echo) { return std::nullopt; };
  // The document of a signal would not go where the output goes.
  environment.print_on_signal = [print = environment.print_on_signal](SignalMessages words) {
    words.interrupted_out.clear();
    words.terminated_out.clear();
    return print(std::move(words));
  };
}

struct Pool {
  Pool(Connect connect, const Clock& time) : open(std::move(connect)), clock(time) {}

  using Key = std::tuple<std::string, std::int64_t, std::optional<std::string>, std::optional<std::string>>;
  struct Kept {
    std::unique_ptr<api::Transport> transport;
    TimestampMs since_ms;
  };

  Connect open;
  const Clock& clock;
  std::mutex mutex;
  std::multimap<Key, Kept> idle;  // guarded by mutex

  // Null if there is no recent one; older ones are closed, those of other routes as well.
  std::unique_ptr<api::Transport> take(const Key& key) {
    const std::lock_guard lock(mutex);
    std::erase_if(idle, [&](const auto& one) { return clock.now_ms() - one.second.since_ms > kept_ms_max; });
    auto found = idle.extract(key);
    return found ? std::move(found.mapped().transport) : nullptr;
  }
  void give_back(const Key& key, std::unique_ptr<api::Transport> transport) {
    const std::lock_guard lock(mutex);
    idle.emplace(key, Kept{std::move(transport), clock.now_ms()});
  }
};

// Returns the connection to the pool when the command is done, unless something went wrong on it.
class BorrowedTransport final : public api::Transport {
 public:
  BorrowedTransport(std::shared_ptr<Pool> pool, Pool::Key key, std::unique_ptr<api::Transport> transport)
      : pool_(std::move(pool)), key_(std::move(key)), transport_(std::move(transport)) {}
  ~BorrowedTransport() override {
    if (sound_) pool_->give_back(key_, std::move(transport_));
  }
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    auto answer = transport_->send(request);
    sound_ = answer.has_value();
    return answer;
  }

 private:
  std::shared_ptr<Pool> pool_;
  Pool::Key key_;
  std::unique_ptr<api::Transport> transport_;
  bool sound_ = false;
};

}  // namespace

Result<Json> document_of(const Captured& seen, const std::string& about) {
  auto document = parse_json(seen.out);
  if (!document) return usage_error(about, ": ", seen.err);
  if (seen.exit == 0) return std::move(*document);
  const Json error = document->value_at("error");
  return Failure{.exit = static_cast<ExitCode>(seen.exit),
                 .code = error.text_at("code"),
                 .message = concat(about, ": ", error.string_at("message").value_or("no reason is given")),
                 .retryable = error.truth_at("retryable"),
                 .retry_after_ms = error.integer_at("retry_after_ms"),
                 .details = error.value_at("details"),
                 .actions = error.texts_at("actions")};
}

TypedLine::TypedLine(const std::vector<std::string>& words) {
  const auto found = find_command(words);
  if (found) command_.emplace(*found->row);
  Arguments& arguments = command_ ? command_->arguments : bare_.arguments;
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(found ? found->words : 0);
  static_cast<void>(arguments.parse({begin, words.end()}));
}

// The line's flags take precedence over \pset, and those over the shell's flags. What belongs to another format than
// the line's is left out.
std::vector<std::string> Runner::whole(const std::vector<std::string>& words, For reader) const {
  std::set<std::string> said;
  if (reader == For::shell) said = {"--dry-run", "--curl", "--jq", "--fields", "--template"};
  const auto say = [&](std::string_view name) { return said.emplace(name == "--json" ? "--output" : name).second; };
  const TypedLine line(words);
  const auto& [globals, arguments] = line.flags();
  for (const std::string_view name : arguments.given()) say(name);
  const Format format = wanted_format(globals, std::nullopt);
  if (format == Format::json || format == Format::ndjson) said.insert("--fields");
  const bool is_own_format = said.contains("--template") || said.contains("--jq");
  if (is_own_format) said.insert({"--output", "--fields", "--template"});
  if (said.contains("--output") || said.contains("--fields")) said.insert("--template");
  std::vector<std::string> all;
  for (const auto* flags : {&state_.print_settings, &state_.globals}) {
    for (const FlagWords& flag : *flags) {
      const Declared* declared = arguments.find_flag(flag_of(flag.front()));
      const bool is_new = declared == nullptr || say(long_name(declared->names));
      if (is_new) all.insert(all.end(), flag.begin(), flag.end());
    }
  }
  return followed_by(std::move(all), words);
}

// Standard input belongs to the shell, so the command finds it empty.
Environment Runner::inside() const {
  Environment environment = outside_;
  environment.read_input = [](std::size_t) { return Result<std::string, std::string>(std::string()); };
  environment.interrupted = [this] { return interrupted(); };
  environment.signals_are_taken = static_cast<bool>(interrupts);
  environment.connect = connect_;
  if (when_answered)
    environment.ask = [answered = when_answered, ask = environment.ask](std::string_view question, Echo echo) {
      auto answer = ask(question, echo);
      answered();
      return answer;
    };
  if (when_writing)
    environment.print_on_signal = [tell = when_writing, print = environment.print_on_signal](SignalMessages words) {
      tell(words);
      return print(std::move(words));
    };
  return environment;
}

int Runner::run(const std::vector<std::string>& words, const std::string& input, const Out& out) {
  Environment environment = inside();
  environment.read_input = [&](std::size_t) { return Result<std::string, std::string>(input); };
  if (out) {
    environment.out = out;
    environment.out_is_terminal = false;
  }
  state_.last = state_.last_row = Json();  // a command that fails has no answer, and must not seem to have an older one
  environment.answered = [this](const Answer& answer) {
    state_.last = answer.data;
    state_.last_columns = answer.view.columns;
    const Json& rows = answer.shown();
    const bool is_list = rows.is(Json::Kind::array);
    state_.last_row = !is_list ? rows : rows.items().empty() ? Json() : rows.items().front();
    if (is_list) state_.last_rows = rows;
  };
  return state_.last_exit = run_line_(whole(words), environment, &state_.shell_session);
}

int Runner::run_unseen(Environment& environment, const std::vector<std::string>& words, For reader) const {
  ShellSession unseen{.pinned = state_.shell_session.pinned, .in_background = state_.shell_session.in_background};
  return run_line_(whole(words, reader), environment, &unseen);
}

int Runner::follow(const std::vector<std::string>& words, const Out& out) const {
  Environment environment = inside();
  leave_user_alone(environment);
  environment.out = out;
  return run_unseen(environment, words, For::shell);
}

Captured Runner::dry_run(const std::vector<std::string>& words) const {
  Environment environment = inside();
  environment.dry_runs_may_read = true;
  return capture_in(std::move(environment), followed_by({"--json", "--dry-run"}, words), For::shell);
}

Captured Runner::capture_in(Environment environment, const std::vector<std::string>& words, For reader) const {
  Captured captured;
  leave_user_alone(environment);
  environment.out = [&](std::string_view text) {
    captured.out += text;
    return Written::whole;
  };
  environment.err = [&](std::string_view text) { captured.err += text; };
  captured.exit = run_unseen(environment, words, reader);
  return captured;
}

Connect keeping_connections(Connect connect, const Clock& clock) {
  return [pool = std::make_shared<Pool>(std::move(connect), clock)](
             const Route& route) -> Result<std::unique_ptr<api::Transport>, std::string> {
    Pool::Key key{route.origin, route.timeout_ms, route.proxy, route.ca};
    std::unique_ptr<api::Transport> transport = pool->take(key);
    if (!transport) {
      auto opened = pool->open(route);
      if (!opened) return opened;
      transport = std::move(*opened);
    }
    return std::unique_ptr<api::Transport>(
        std::make_unique<BorrowedTransport>(pool, std::move(key), std::move(transport)));
  };
}

}  // namespace svc::cli
