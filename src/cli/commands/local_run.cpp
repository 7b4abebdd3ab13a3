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

#include "cli/commands/groups.h"
#include "cli/commands/read.h"
#include "cli/programs/start.h"

namespace svc::cli {
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

// SIGINT, SIGTERM and SIGHUP are for the program: they are passed on to it, and its end is waited for. What the terminal
// sends has reached the program already, for it is in our group.
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
      return unexpected(Stop(DryRun{Json::object({{"dry_run", true}, {"serve", serving}, {"run", running}})}));
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

constexpr std::array local_run_rows{
    CommandRow{"local run", "[SERVE FLAGS] -- CMD...",
               "Run a program with a sandbox of its own, and stop that after it", make<RunWithSandbox>},
};

}  // namespace

std::span<const CommandRow> local_run_commands() {
  return local_run_rows;
}

}  // namespace svc::cli
