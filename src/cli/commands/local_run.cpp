// local run: a program with a sandbox of its own
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/process.h"
#include "cli/commands/command.h"
#include "cli/commands/control_call.h"
#include "cli/machine/programs.h"

namespace svc::cli {
namespace {

constexpr std::size_t ready_bytes_max = 4u << 20;

// For a signal that arrived before the program ran.
Failure ended_by(int signal) {
  constexpr int signal_base = 128;
  return failed(static_cast<ExitCode>(signal_base + signal), signal == SIGINT ? "interrupted" : "terminated",
                "ended by ", ::strsignal(signal), " before the program ran");
}

// Passes SIGINT, SIGTERM and SIGHUP on to the program. The terminal's signals have reached the program already, because
// it is in our process group.
class PassedOnSignals {
 public:
  PassedOnSignals() {
    program_to_tell = 0;
    signal_before_program = 0;
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    changed_.emplace(ending_signals, action);
  }

  // The signal that arrived before the program was started; 0: none.
  [[nodiscard]] static int early() { return signal_before_program; }

  // Its exit code, or 128 and the signal that ended it. Other children are not waited for: a shell may have some.
  static int wait_for_program(pid_t program) {
    program_to_tell = program;
    // A signal may have arrived while the program was started.
    if (signal_before_program != 0) ::kill(program, signal_before_program);
    // WNOWAIT keeps its process number valid until no signal is passed on any more.
    siginfo_t ended{};
    static_cast<void>(TEMP_FAILURE_RETRY(::waitid(P_PID, static_cast<id_t>(program), &ended, WEXITED | WNOWAIT)));
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

  static volatile sig_atomic_t program_to_tell;
  static volatile sig_atomic_t signal_before_program;
  std::optional<ChangedSignals> changed_;
};

volatile sig_atomic_t PassedOnSignals::program_to_tell = 0;
volatile sig_atomic_t PassedOnSignals::signal_before_program = 0;

class SandboxProcess {
 public:
  // Starts `svc serve` and waits for its ready line. Serve reads of standard input only what a flag names so; the rest
  // is the program's. (D-1055)
  static Result<SandboxProcess> start(std::vector<std::string> words) {
    auto pipe = Pipe::open();
    if (!pipe) return internal_error("no pipe: ", std::strerror(errno));
    words.insert(words.end(), {"--ready-fd", std::to_string(pipe->write.get())});
    const std::vector<char*> argv = pointers(words);
    const pid_t us = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) return internal_error("no process for the sandbox: ", std::strerror(errno));
    if (process == 0) {
      // It must not outlive this process, and its output must not mix with the program's.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != us) ::_exit(1);  // then that signal would never come
      ::fcntl(pipe->write.get(), F_SETFD, 0);
      // The terminal's signals are for the program; the sandbox runs until the program has ended.
      ::signal(SIGINT, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    pipe->write.close();
    SandboxProcess sandbox(process);
    std::string line;
    char buffer[4096];
    for (ssize_t count; line.find('\n') == std::string::npos && line.size() < ready_bytes_max;) {
      count = ::read(pipe->read.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR && PassedOnSignals::early() == 0) continue;
      if (count <= 0) break;
      line.append(buffer, static_cast<std::size_t>(count));
    }
    const Json ready = json_or_null(line);
    if (!ready.string_at("url")) {
      const int code = sandbox.stop();
      if (PassedOnSignals::early() != 0) return ended_by(PassedOnSignals::early());
      const std::string message = concat("the sandbox did not start (exit ", code, ")");
      return code == 2 ? usage_error(message) : failed("sandbox_ended", message);
    }
    // A program that is told of testnet could reach the real one by its own configuration.
    if (!serves_local(ready))
      return usage_error("local run tells the program of network local, and this sandbox is ", ready.text_at("network"),
                         "; start it with svc serve, and name its address with svc network add");
    sandbox.url = ready.text_at("url");
    sandbox.ws = ready.text_at("ws");
    return sandbox;
  }

  SandboxProcess(SandboxProcess&& other) noexcept
      : url(std::move(other.url)), ws(std::move(other.ws)), process_(std::exchange(other.process_, -1)) {}
  SandboxProcess& operator=(SandboxProcess&&) = delete;
  ~SandboxProcess() { static_cast<void>(stop()); }

  int stop() {
    if (process_ < 0) return 0;
    ::kill(process_, SIGTERM);
    return wait_for(std::exchange(process_, -1));
  }

  std::string url, ws;

 private:
  explicit SandboxProcess(pid_t process) : process_(process) {}
  pid_t process_;
};

// While this exists, what the program started and left behind becomes a child of this process. (D-1101)
class AdoptedOrphans {
 public:
  AdoptedOrphans() : others_(children_of_process(::getpid())) { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  AdoptedOrphans(const AdoptedOrphans&) = delete;
  AdoptedOrphans& operator=(const AdoptedOrphans&) = delete;
  ~AdoptedOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  // Ends those in our process group, which is the program's: with SIGTERM, and with SIGKILL what is still there after a
  // while. A daemon and a job of an interactive shell have a group of their own. The sandbox, and what a shell started
  // beside this command, were children before.
  void end() const {
    constexpr std::int64_t grace_ms = 5'000;
    constexpr std::int64_t killed_ms = 1'000;
    constexpr int look_ms = 10;
    const std::int64_t begun_ms = steady_ms();
    std::set<pid_t> asked;
    for (bool any = true; any && steady_ms() < begun_ms + grace_ms + killed_ms;) {
      any = false;
      for (const pid_t child : children_of_process(::getpid())) {
        if (std::ranges::count(others_, child) != 0 || ::getpgid(child) != ::getpgrp()) continue;
        any = true;
        if (::waitpid(child, nullptr, WNOHANG) == child) continue;
        if (steady_ms() >= begun_ms + grace_ms)
          ::kill(child, SIGKILL);
        else if (asked.insert(child).second)
          ::kill(child, SIGTERM);
      }
      // The children of one that ends are ours after that.
      if (any) ::poll(nullptr, 0, look_ms);
    }
  }

 private:
  std::vector<pid_t> others_;
};

Result<int> exit_of_program(const std::vector<std::string>& words, const SandboxProcess& sandbox) {
  if (const int signal = PassedOnSignals::early(); signal != 0) return ended_by(signal);
  const AdoptedOrphans orphans;
  const auto process =
      start({.words = words,
             .variables = {{"SVC_NETWORK", "local"}, {"SVC_LOCAL_URL", sandbox.url}, {"SVC_LOCAL_WS", sandbox.ws}},
             .dies_with_us = true});
  if (!process) return usage_error(process.error());
  const int code = PassedOnSignals::wait_for_program(*process);
  orphans.end();
  return code;
}

// The flags of `svc serve`, which are handed on as typed.
struct ServeFlags {
  std::unique_ptr<Command> serve = serve_commands().front().make();
  const Arguments* arguments = nullptr;

  void declare(Arguments& declared) {
    serve->declare(declared);
    declared.give_way("--ready-fd");
    declared.refused("--ready-fd", "local run reads the ready line itself; --ready-file FILE keeps a copy");
    arguments = &declared;
  }
};

Result<Answer> run_with_sandbox(Context& context, const ServeFlags& flags, const std::vector<std::string>&) {
  const std::vector<std::string>& words = flags.arguments->words();
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end() || dashes + 1 == words.end())
    return usage_error("name the program after --, such as svc local run -- npm test");
  const std::vector<std::string> program(dashes + 1, words.end());
  std::vector<std::string> serve{"svc", "serve"};
  serve.insert(serve.end(), words.begin(), dashes);
  const std::vector<std::string_view> given = flags.arguments->given();
  const auto unless_given = [&](std::string_view flag, std::initializer_list<std::string> added) {
    if (!is_among(flag, given)) serve.insert(serve.end(), added);
  };
  unless_given("--local", {"--local"});
  unless_given("--port", {"--port", "0"});
  unless_given("--log", {"--log", "none"});
  if (context.globals().dry_run) {
    std::erase_if(serve, [](const std::string& word) { return word == "--dry-run" || word == "--curl"; });
    return dry_run(Json::object({{"dry_run", true}, {"serve", Json::list(serve)}, {"run", Json::list(program)}}));
  }
  const PassedOnSignals signals;
  auto sandbox = SVC_TRY(SandboxProcess::start(std::move(serve)));
  const auto code = SVC_TRY(exit_of_program(program, sandbox));
  Answer answer{.printed = true};
  // The program's exit code is returned unchanged.
  if (code != 0) answer.failure = Failure{.exit = static_cast<ExitCode>(code)};
  return answer;
}

}  // namespace

std::vector<CommandRow> local_run_commands() {
  return {{"local run", "[SERVE FLAGS] -- CMD...", "Run a program with a sandbox of its own, and stop that after it",
           "",
           Output{"*", "",
                  "What the program prints, and nothing of ours: its output is its own. Only what is refused before it "
                  "starts is a document of the usual kind.",
                  As::lines},
           calls(run_with_sandbox, {{"CMD", "the program and its arguments, after --"}})}};
}

}  // namespace svc::cli
