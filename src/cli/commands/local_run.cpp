// local run [SERVE FLAGS] -- CMD...: a sandbox of its own for one program
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/decimal.h"
#include "base/process.h"
#include "cli/arguments/durations.h"
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"
#include "cli/machine/programs.h"
#include "cli/store/network.h"

// local list, status, wait, env, time, fund, invariants

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array shell_words{"sh"sv, "fish"sv, "json"sv, "dotenv"sv};

class ShowStatus final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.text("--name", name_, "NAME", "the sandbox of this name");
    arguments.refused("--all", "svc local list shows all of them");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (!name_) return show(SVC_TRY(ask_sandbox<control::GetStatus>(context)).body);
    const auto one = SVC_TRY(sandbox_named(context, *name_));
    auto status = status_of(context, one);
    if (!status) return unexpected(Stop(no_such_sandbox(name_)));
    return show(std::move(*status));
  }

 private:
  Answer show(Json status) const { return {.data = std::move(status), .view = view()}; }

  std::optional<std::string> name_;
};

constexpr std::int64_t patience_ms_default = 30'000;
constexpr std::int64_t pause_between_looks_ms = 50;
constexpr std::int64_t first_quotes_ms = 3'000;  // bots need one second and a step

// Bots are there and have not quoted yet: who buys now meets an empty book. On a clock that is set by hand they may
// never.
bool waits_for_bots(const Json& status) {
  const auto* bots = status.at("flow.bots");
  const auto* quotes = status.at("flow.has_quotes");
  return bots != nullptr && bots->truth() && quotes != nullptr && !quotes->truth() &&
         status.string_at("clock.mode") != "manual";
}

class WaitForSandbox final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--name", name_, "NAME", "the sandbox of this name");
    arguments.integer("--pid", pid_, "N", "the sandbox of this process, such as $!; fails as soon as that has ended");
    // Here the time that matters is that of the start, not that of one request.
    arguments.give_way("--timeout");
    arguments.text("--timeout", timeout_, "D", "wait at most so long, such as 90s (default 30s); then exit 17");
  }

  Result<Answer, Stop> run(Context& context) override {
    std::int64_t timeout_ms = patience_ms_default;
    if (timeout_) {
      const auto given_ms = SVC_TRY(parse_patience("--timeout", *timeout_));
      timeout_ms = given_ms;
    }
    if (context.globals().dry_run)
      return unexpected(
          dry_run(Json::object({{"dry_run", true}, {"operation", "local_wait"}, {"timeout_ms", timeout_ms}})));
    const TimestampMs began_ms = context.now_ms();
    for (;;) {
      const std::int64_t waited_ms = context.now_ms() - began_ms;
      auto seen = look(context, std::max(pause_between_looks_ms, timeout_ms - waited_ms));
      if (!seen) return unexpected(Stop(seen.error()));
      if (seen->status && (waited_ms >= first_quotes_ms || !waits_for_bots(*seen->status)))
        return show(*seen->status, context.now_ms() - began_ms);
      if (waited_ms >= timeout_ms)
        return unexpected(Stop(Failure{
            .exit = ExitCode::wait_ended,
            .code = "not_ready",
            .message = "no sandbox took requests within " + std::to_string(timeout_ms / second_ms) + " s: " + seen->why,
            .retryable = true}));
      if (context.environment().interrupted())
        return unexpected(
            Stop(Failure{.exit = ExitCode::interrupted, .code = "interrupted", .message = "interrupted"}));
      context.environment().sleep_ms(pause_between_looks_ms);
    }
  }

 private:
  struct Seen {
    std::optional<Json> status{};  // of the sandbox, once it is ready
    std::string why{};             // it is not yet
  };

  // The error is what waiting does not mend.
  Result<Seen, Failure> look(Context& context, std::int64_t timeout_ms) const {
    const auto paths = SVC_TRY(context.paths());
    if (!name_ && !pid_) return look_at_network(context, *paths, timeout_ms);
    for (const RunningSandbox& one : running_sandboxes(*paths)) {
      if ((name_ && one.name != *name_) || (pid_ && one.pid != static_cast<std::int64_t>(*pid_))) continue;
      auto status = ask_status(context, one.url, timeout_ms);
      if (!status) return Seen{.why = status.error()};
      if (status->integer_at("pid") == one.pid) return Seen{.status = std::move(*status)};
    }
    if (pid_ && process_state(static_cast<pid_t>(std::min<std::uint64_t>(*pid_, INT32_MAX))) == ProcessState::gone)
      return unexpected(Failure{.exit = ExitCode::internal,
                                .code = "no_sandbox",
                                .message = "process " + std::to_string(*pid_) + " ended before it took requests"});
    return Seen{.why = pid_ ? "process " + std::to_string(*pid_) + " is not ready" : "none is named " + *name_};
  }

  static Result<Seen, Failure> look_at_network(Context& context, const Paths& paths, std::int64_t timeout_ms) {
    context.prefer_network("local");
    const auto name = SVC_TRY(context.network_name());
    const auto config = SVC_TRY(context.config());
    // Asked anew each time: whose file is there changes while sandboxes come and go.
    const auto network = find_network(name, *config, paths, context.environment());
    if (!network && network.error().code == "several_sandboxes") return Seen{.why = network.error().message};
    if (!network) return unexpected(network.error());
    auto status = ask_status(context, network->origin(), timeout_ms);
    if (!status) return Seen{.why = status.error()};
    return Seen{.status = std::move(*status)};
  }

  static Answer show(const Json& status, std::int64_t waited_ms) {
    Json row = Json::object({});
    for (const std::string_view name : {"name", "url", "pid", "network"})
      if (const Json* value = status.find(name)) row.set(name, *value);
    row.set("waited_ms", waited_ms);
    return {.data = std::move(row)};
  }

  std::optional<std::string> name_, timeout_;
  std::optional<std::uint64_t> pid_;
};

void judge_invariants(Context&, Answer& answer) {
  const Json* violations = answer.data.find("violations");
  if (violations == nullptr || violations->items().empty()) return;
  answer.failure = Failure{.exit = ExitCode::internal,
                           .code = "invariant_violated",
                           .message = std::to_string(violations->items().size()) + " invariants do not hold"};
}

class ListSandboxes final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--name", name_, "NAME", "only the sandbox of this name");
    arguments.flag("--all", all_, "all of them, which is the default");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto paths = SVC_TRY(context.paths());
    Answer answer{.data = Json::array()};
    if (name_ && all_) return unexpected(Stop(usage_error("--name and --all exclude each other")));
    for (const RunningSandbox& one : running_sandboxes(*paths)) {
      if (name_ && one.name != *name_) continue;
      const Json status = status_of(context, one).value_or(Json());
      Json row = Json::object({{"name", one.name}, {"url", one.url}, {"pid", one.pid}});
      const Json* accounts = status.find("accounts");
      const auto integer = [&](const char* name) {
        const auto value = status.integer_at(name);
        row.set(name, value ? Json(*value) : Json());
      };
      integer("uptime_ms");
      const auto mode = status.string_at("clock.mode");
      row.set("clock", mode ? Json(*mode) : Json());
      row.set("accounts", accounts == nullptr ? Json() : Json(accounts->items().size()));
      integer("requests");
      integer("rss_bytes");
      answer.data.push(std::move(row));
    }
    return answer;
  }

 private:
  std::optional<std::string> name_;
  bool all_ = false;
};

// Variables by which other programs, and this one, find the sandbox.
class ShowEnvironment final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--shell", shell_, shell_words, "form of the lines (default sh)");
    arguments.text("--name", name_, "NAME", "the sandbox of this name, where several run");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto url = SVC_TRY(url_of(context));
    const std::string form = shell_.value_or("sh");
    Json data = Json::object({{"SVC_NETWORK", "local"}, {"SVC_LOCAL_URL", url}});
    std::string text;
    for (std::size_t i = 0; i < data.keys().size(); ++i) {
      const std::string& name = data.keys()[i];
      const std::string& value = data.items()[i].text();
      if (form == "sh") text += "export " + name + "='" + value + "'\n";
      if (form == "fish") text += "set -gx " + name + " '" + value + "'\n";
      if (form == "dotenv") text += name + "=" + value + "\n";
    }
    if (form == "json") text = data.dump() + "\n";
    return Answer{.data = std::move(data), .text = std::move(text)};
  }

 private:
  Result<std::string, Failure> url_of(Context& context) const {
    if (name_) {
      const auto one = sandbox_named(context, *name_);
      return one ? Result<std::string, Failure>(one->url) : unexpected(one.error());
    }
    const auto exchange = SVC_TRY(Exchange::open(context));
    return exchange.network().origin();
  }

  std::optional<std::string> shell_, name_;
};

// svc local time [show | set TIME | advance MS|DURATION | pause | run [xN]]
class MoveTime final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.remaining("ACTION", words_, "show, set TIME, advance DURATION, pause, run [xN]");
    arguments.choice("--to", to_, targets, "advance to the next of these, on the sandbox's clock");
  }
  Result<Answer, Stop> run(Context& context) override {
    const bool shows = words_.empty() || words_ == std::vector<std::string>{"show"};
    if (!shows && to_ && words_ != std::vector<std::string>{"advance"})
      return unexpected(Stop(usage_error("--to belongs to svc local time advance")));
    control::TimeChange wanted;
    if (!shows && !to_) wanted = SVC_TRY(change_of_words());
    auto exchange = SVC_TRY(Exchange::open(context));
    if (shows) return shown(context, SVC_TRY(exchange.call(call_of<control::GetTime>())));
    if (to_) {
      const auto time = SVC_TRY(exchange.call(call_of<control::GetTime>()));
      wanted.set_ms = time.body.integer_at(*to_ == "next-funding" ? "next_funding_ms" : "next_expiry_ms");
      if (!wanted.set_ms)
        return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                       .code = "nothing_expires",
                                       .message = "no session, agent, order or cool-down ends by the clock"}));
    }
    return shown(context, SVC_TRY(exchange.call(call_of<control::MoveTime>(wanted))));
  }

 private:
  Result<control::TimeChange, Failure> change_of_words() const {
    const std::string& action = words_.front();
    const std::string value = words_.size() > 1 ? words_[1] : "";
    const std::size_t words = words_.size();
    if (action == "set" && words == 2) {
      return control::TimeChange{.set_ms = SVC_TRY(parse_time("TIME", value))};
    }
    if (action == "advance" && words == 2) {
      const auto step_ms = duration_ms(value);
      if (!step_ms)
        return unexpected(usage_error("DURATION must be such as 500ms, 90s, 15m, 8h or 1d, not \"" + value + "\""));
      return control::TimeChange{.advance_ms = *step_ms};
    }
    if (action == "pause" && words == 1) return control::TimeChange{.mode = control::ClockMode::manual};
    if (action == "run" && words == 1) return control::TimeChange{.mode = control::ClockMode::real};
    if (action == "run" && words == 2 && value.starts_with('x')) {
      const auto rate = parse_decimal(std::string_view(value).substr(1));
      if (!rate) return unexpected(usage_error("the rate must be such as x10, not \"" + value + "\""));
      return control::TimeChange{.mode = control::ClockMode::scaled, .rate = control::TypedDecimal(value.substr(1))};
    }
    return unexpected(usage_error("svc local time takes show, set TIME, advance DURATION, pause or run [xN]"));
  }

  // Milliseconds without a unit.
  static std::optional<std::int64_t> duration_ms(std::string_view text) {
    struct Unit {
      std::string_view name;
      std::int64_t ms;
    };
    constexpr std::array units{Unit{"ms", 1}, Unit{"s", second_ms}, Unit{"m", minute_ms}, Unit{"h", hour_ms},
                               Unit{"d", day_ms}};
    std::int64_t unit_ms = 1;
    for (const Unit& unit : units) {
      const std::string_view digits = text.substr(0, text.size() - std::min(unit.name.size(), text.size()));
      const bool is_unit =
          text.ends_with(unit.name) && digits.find_first_not_of("0123456789") == std::string_view::npos;
      if (!is_unit) continue;
      unit_ms = unit.ms;
      text = digits;
      break;
    }
    const auto count = parse_scaled(text, 0);
    constexpr std::int64_t count_max = 1'000'000'000'000;
    if (!count || *count < 0 || *count > count_max || *count > count_max / unit_ms) return std::nullopt;
    return *count * unit_ms;
  }

  static constexpr std::array targets{"next-funding"sv, "next-expiry"sv};
  std::vector<std::string> words_;
  std::optional<std::string> to_;
};

}  // namespace

std::span<const CommandRow> local_commands() {
  using control::Granted, control::Invariants, control::Status, control::Time;
  static const CommandRow rows[]{
      {"local list", "", "List the sandboxes that run", make<ListSandboxes>, Repeats::yes},
      {"local status", "", "Show what the sandbox is and does",
       operation<control::GetStatus, ShowStatus>(
           {.columns = {column<&Status::name>(), column<&Status::url>(), column<&Status::network>(),
                        column<&Status::deployment>(), column<&Status::pid>(), column<&Status::seed>(),
                        column<&Status::uptime_ms>(), placed("clock", "clock.mode"),
                        Column{"now", "clock.now_ms", nullptr, Column::Need::always, true}, column<&Status::sequence>(),
                        column<&Status::requests>(), column<&Status::rss_bytes>(), column<&Status::strict_query>(),
                        column<&Status::state_hash>()},
            .layout = Layout::sheet})},
      {"local wait", "[--pid N|--name NAME] [--timeout D]", "Wait until a sandbox takes requests",
       make<WaitForSandbox>},
      {"local env", "", "Print variables that point programs at the sandbox", make<ShowEnvironment>},
      {"local time", "[show|set TIME|advance DURATION|advance --to next-funding|next-expiry|pause|run [xN]]",
       "Show or move the sandbox's clock",
       operation<control::MoveTime, MoveTime>(
           {.columns = {time_column<&Time::now_ms>("now"), column<&Time::now_ms>(), column<&Time::mode>(),
                        column<&Time::rate>(), column<&Time::sequence>(),
                        time_column<&Time::next_funding_ms>("next_funding"),
                        time_column<&Time::next_expiry_ms>("next_expiry")}})},
      {"local fund", "ADDR AMOUNT", "Give an account play money",
       operation<control::Fund>(
           {.arguments = {positional<&control::Grant::account>("ADDR", "account; it is made if there is none"),
                          positional<&control::Grant::amount>("AMOUNT", "USDX", read_amount)},
            .columns = {column<&Granted::account>(), column<&Granted::amount>(), column<&Granted::balance>(),
                        column<&Granted::sequence>()}})},
      {"local invariants", "", "Check every invariant now",
       operation<control::GetInvariants>(
           {.columns = {column<&Invariants::sequence>(), column<&Invariants::violations>()},
            .finish = judge_invariants})},
  };
  return rows;
}

namespace {

constexpr std::size_t ready_bytes_max = 4u << 20;

Failure system_error(const std::string& what) {
  return internal_error(what + ": " + std::strerror(errno));
}

// A signal that came before the program ran.
Failure ended_by(int signal) {
  constexpr int signal_base = 128;
  return {.exit = static_cast<ExitCode>(signal_base + signal),
          .code = signal == SIGINT ? "interrupted" : "terminated",
          .message = std::string("ended by ") + ::strsignal(signal) + " before the program ran"};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// SIGINT, SIGTERM and SIGHUP are for the program: they are passed on to it, and its end is waited for. What the
// terminal sends has reached the program already, for it is in our group.
class PassedOnSignals {
 public:
  PassedOnSignals() {
    program_to_tell = 0;
    signal_before_program = 0;
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
  }
  ~PassedOnSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  PassedOnSignals(const PassedOnSignals&) = delete;
  PassedOnSignals& operator=(const PassedOnSignals&) = delete;

  // The one that came before there was a program; 0: none.
  [[nodiscard]] static int early() { return signal_before_program; }

  // Its exit code, or 128 and the signal that ended it.
  static int wait_for_program(pid_t program) {
    program_to_tell = program;
    // One that came while the program was started.
    if (signal_before_program != 0) ::kill(program, signal_before_program);
    // It keeps its number until nothing is passed on any more.
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(program), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    program_to_tell = 0;
    return wait_for(program);
  }

 private:
  static void pass_on(int signal, siginfo_t* info, void*) {
    const int error = errno;
    if (program_to_tell == 0)
      signal_before_program = signal;
    else if (info->si_code != SI_KERNEL)
      ::kill(program_to_tell, signal);
    errno = error;
  }

  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  static volatile sig_atomic_t program_to_tell;
  static volatile sig_atomic_t signal_before_program;
  std::array<struct sigaction, 3> before_{};
};

volatile sig_atomic_t PassedOnSignals::program_to_tell = 0;
volatile sig_atomic_t PassedOnSignals::signal_before_program = 0;

class SandboxProcess {
 public:
  // Starts `svc serve` and waits for its ready line.
  static Result<SandboxProcess, Failure> start(std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return unexpected(system_error("no pipe"));
    words.insert(words.end(), {"--ready-fd", std::to_string(ends[1])});
    const std::vector<char*> argv = pointers(words);
    const pid_t process = ::fork();
    if (process < 0) return unexpected(system_error("no process for the sandbox"));
    if (process == 0) {
      // It must not outlive us, however we end; what it prints is not the program's.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::fcntl(ends[1], F_SETFD, 0);
      // A terminal's signals are for the program; the sandbox stays until that has ended.
      ::signal(SIGINT, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      const int nothing = ::open("/dev/null", O_RDWR);
      ::dup2(nothing, STDIN_FILENO);
      ::dup2(nothing, STDOUT_FILENO);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    SandboxProcess sandbox(process);
    std::string line;
    char buffer[4096];
    for (ssize_t count; line.find('\n') == std::string::npos && line.size() < ready_bytes_max;) {
      count = ::read(ends[0], buffer, sizeof buffer);
      if (count < 0 && errno == EINTR && PassedOnSignals::early() == 0) continue;
      if (count <= 0) break;
      line.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    const auto ready = parse_json(line);
    if (!ready || !ready->string_at("url")) {
      const int code = sandbox.stop();
      if (PassedOnSignals::early() != 0) return unexpected(ended_by(PassedOnSignals::early()));
      return unexpected(Failure{.exit = code == 2 ? ExitCode::usage : ExitCode::internal,
                                .code = "no_sandbox",
                                .message = "the sandbox did not start (exit " + std::to_string(code) + ")"});
    }
    sandbox.url_ = std::string(*ready->string_at("url"));
    sandbox.ws_ = std::string(ready->string_at("ws").value_or(""));
    return sandbox;
  }

  SandboxProcess(SandboxProcess&& other) noexcept
      : process_(std::exchange(other.process_, -1)), url_(std::move(other.url_)), ws_(std::move(other.ws_)) {}
  SandboxProcess& operator=(SandboxProcess&&) = delete;
  ~SandboxProcess() { static_cast<void>(stop()); }

  int stop() {
    if (process_ < 0) return 0;
    ::kill(process_, SIGTERM);
    return wait_for(std::exchange(process_, -1));
  }

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const std::string& ws() const { return ws_; }

 private:
  explicit SandboxProcess(pid_t process) : process_(process) {}
  pid_t process_;
  std::string url_, ws_;
};

class RunWithSandbox final : public Command {
 public:
  void declare(Arguments& arguments) override {
    serve_ = serve_commands().front().make();
    serve_->declare(arguments);
    arguments.remaining("CMD", command_, "the program and its arguments, after --");
    arguments_ = &arguments;
  }

  Result<Answer, Stop> run(Context& context) override {
    const std::vector<std::string>& words = arguments_->words();
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes == words.end() || dashes + 1 == words.end())
      return unexpected(Stop(usage_error("name the program after --, such as svc local run -- npm test")));
    std::vector<std::string> program(dashes + 1, words.end());
    std::vector<std::string> serve{"svc", "serve"};
    serve.insert(serve.end(), words.begin(), dashes);
    const auto given = [&](std::string_view flag) {
      return std::any_of(words.begin(), dashes, [&](const std::string& word) {
        return word == flag || word.starts_with(std::string(flag) + "=");
      });
    };
    if (!given("--local")) serve.emplace_back("--local");
    if (!given("--port")) serve.insert(serve.end(), {"--port", "0"});
    if (!given("--log")) serve.insert(serve.end(), {"--log", "none"});
    if (context.globals().dry_run) {
      Json serving = Json::array(), running = Json::array();
      for (const std::string& word : serve) serving.push(word);
      for (const std::string& word : program) running.push(word);
      return unexpected(dry_run(Json::object({{"dry_run", true}, {"serve", serving}, {"run", running}})));
    }
    const PassedOnSignals signals;
    auto sandbox = SVC_TRY(SandboxProcess::start(std::move(serve)));
    const auto code = SVC_TRY(run_program(program, sandbox));
    Answer answer{.printed = true};
    // The program's code is ours, whatever it means to it.
    if (code != 0) answer.failure = Failure{.exit = static_cast<ExitCode>(code)};
    return answer;
  }

 private:
  static Result<int, Failure> run_program(const std::vector<std::string>& program, const SandboxProcess& sandbox) {
    if (const int signal = PassedOnSignals::early(); signal != 0) return unexpected(ended_by(signal));
    const auto process = start(
        {.words = program,
         .variables = {{"SVC_NETWORK", "local"}, {"SVC_LOCAL_URL", sandbox.url()}, {"SVC_LOCAL_WS", sandbox.ws()}},
         .dies_with_us = true});
    if (!process) return unexpected(usage_error(process.error()));
    return PassedOnSignals::wait_for_program(*process);
  }

  std::unique_ptr<Command> serve_;
  const Arguments* arguments_ = nullptr;
  std::vector<std::string> command_;
};

}  // namespace

std::span<const CommandRow> local_run_commands() {
  static const CommandRow rows[]{{"local run", "[SERVE FLAGS] -- CMD...",
                                  "Run a program with a sandbox of its own, and stop that after it",
                                  make<RunWithSandbox>}};
  return rows;
}

// local stop

namespace {

constexpr std::int64_t stop_look_ms = 50;
constexpr std::int64_t stop_ms_max = 15'000;  // requests in progress are answered first

class StopSandboxes final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--name", name_, "NAME", "the one of this name");
    arguments.flag("--all", all_, "every sandbox of this user");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (name_ && all_) return unexpected(Stop(usage_error("--name and --all exclude each other")));
    const auto paths = SVC_TRY(context.paths());
    if (!context.globals().dry_run) let_starts_end(context, *paths);
    std::vector<RunningSandbox> chosen;
    for (const RunningSandbox& one : running_sandboxes(*paths))
      if (!name_ || one.name == *name_) chosen.push_back(one);
    if (chosen.empty()) return unexpected(Stop(no_such_sandbox(name_)));
    if (chosen.size() > 1 && !all_ && !name_)
      return unexpected(Stop(usage_error("several sandboxes run; --name says which, --all means every one")));
    Answer answer{.data = Json::array()};
    for (const RunningSandbox& one : chosen) {
      Json row = Json::object({{"name", one.name}, {"url", one.url}, {"pid", one.pid}});
      if (!context.globals().dry_run) {
        const bool stopped = stop(context, *paths, one);
        row.set("stopped", stopped);
        if (!stopped)
          answer.failure =
              Failure{.exit = ExitCode::unavailable,
                      .code = "not_stopped",
                      .message = "sandbox " + one.name + " (" + std::to_string(one.pid) + ") did not stop"};
      }
      answer.data.push(std::move(row));
    }
    if (context.globals().dry_run)
      return unexpected(dry_run(
          Json::object({{"dry_run", true}, {"operation", "local_stop"}, {"sandboxes", std::move(answer.data)}})));
    return answer;
  }

 private:
  // One that is about to take requests would be missed.
  void let_starts_end(Context& context, const Paths& paths) const {
    const auto is_meant = [this](const RunningSandbox& one) { return !name_ || one.name == *name_; };
    for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
      const auto starting = starting_sandboxes(paths);
      if (std::none_of(starting.begin(), starting.end(), is_meant)) return;
      context.environment().sleep_ms(stop_look_ms);
    }
  }

  static bool stop(Context& context, const Paths& paths, const RunningSandbox& one) {
    if (!status_of(context, one) || ::kill(static_cast<pid_t>(one.pid), SIGTERM) != 0) return false;
    for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
      context.environment().sleep_ms(stop_look_ms);
      bool runs = false;
      for (const RunningSandbox& other : running_sandboxes(paths)) runs = runs || other.pid == one.pid;
      if (!runs) return true;
    }
    return false;
  }

  std::optional<std::string> name_;
  bool all_ = false;
};

}  // namespace

std::span<const CommandRow> local_stop_commands() {
  static const CommandRow rows[]{{"local stop", "[--name NAME]", "Stop a sandbox that runs", make<StopSandboxes>}};
  return rows;
}

}  // namespace svc::cli
