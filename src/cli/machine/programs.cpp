#include "cli/machine/programs.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "cli/terminal/text.h"

namespace svc::cli {
namespace {

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : variables) settings.push_back(name + "=" + value);
  for (char** ours = ::environ; ours != nullptr && *ours != nullptr; ++ours) {
    const std::string_view text(*ours);
    const bool replaced = std::any_of(variables.begin(), variables.end(),
                                      [&](const auto& variable) { return text.starts_with(variable.first + "="); });
    if (!replaced && !holds_secret(text.substr(0, text.find('=')))) settings.emplace_back(text);
  }
  return settings;
}

// By fork, because posix_spawn cannot request that the kernel kills a program when its parent ends. Between fork and
// exec only async-signal-safe calls are allowed.
int spawn(const Start& program, char* const* arguments, char* const* environment, pid_t& process) {
  auto report = Pipe::open();
  if (!report) return errno;
  const pid_t us = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // our handlers must not run in the child
  process = ::fork();
  if (process == 0) {
    if (program.dies_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // If our parent has already ended, the kernel's signal would never come.
    if (program.dies_with_us && ::getppid() != us) ::_exit(1);
    if (program.own_session) ::setsid();
    if (program.own_group) ::setpgid(0, 0);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP}) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (program.input >= 0) ::dup2(program.input, STDIN_FILENO);
    if (program.output >= 0) ::dup2(program.output, STDOUT_FILENO);
    if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
      for (long fd = ::sysconf(_SC_OPEN_MAX); --fd > STDERR_FILENO;) ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
    ::execvpe(arguments[0], arguments, environment);
    const int error = errno;
    static_cast<void>(!::write(report->write.get(), &error, sizeof error));
    ::_exit(1);
  }
  int error = process < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  report->write.close();
  int told = 0;
  const ssize_t count = TEMP_FAILURE_RETRY(::read(report->read.get(), &told, sizeof told));
  if (process > 0 && count == sizeof told) {
    error = told;
    ::waitpid(process, nullptr, 0);
  }
  return error;
}

int exit_code_of(int status) {
  constexpr int signal_base = 128;
  return WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

// Read by the signal handler, which must not see a text that is being changed.
std::atomic<const SignalMessages*> messages_now{nullptr};
std::atomic<const TerminalModes*> terminal_now{nullptr};

// A reader that takes nothing does not hold up the end.
void say_in_passing(int descriptor, const std::string& text) {
  pollfd room{descriptor, POLLOUT, 0};
  if (::poll(&room, 1, 0) > 0) static_cast<void>(!::write(descriptor, text.data(), text.size()));
}

extern "C" void print_and_end(int number) {
  if (const TerminalModes* terminal = terminal_now.load()) ::tcsetattr(terminal->descriptor, TCSANOW, &terminal->modes);
  if (const SignalMessages* words = messages_now.load()) {
    const bool interrupted = number == SIGINT;
    say_in_passing(STDERR_FILENO, interrupted ? words->interrupted_err : words->terminated_err);
    say_in_passing(STDOUT_FILENO, interrupted ? words->interrupted_out : words->terminated_out);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

volatile std::sig_atomic_t screen_is_empty = 0;

extern "C" void stop_outside_screen(int number);

struct sigaction stops_outside_screen() {
  struct sigaction action {};
  action.sa_handler = stop_outside_screen;
  action.sa_flags =
      static_cast<int>(SA_RESTART | SA_RESETHAND | SA_NODEFER);  // raised again it stops the process, as usual
  return action;
}

extern "C" void stop_outside_screen(int number) {
  static_cast<void>(!::write(STDOUT_FILENO, leave_alternate_screen.data(), leave_alternate_screen.size()));
  ::raise(number);
  const struct sigaction again = stops_outside_screen();
  ::sigaction(number, &again, nullptr);
  static_cast<void>(!::write(STDOUT_FILENO, enter_alternate_screen.data(), enter_alternate_screen.size()));
  screen_is_empty = 1;
}

constexpr int kill_looks_max = 200;
constexpr int kill_look_ms = 10;

std::size_t kill_once(const std::string& entry) {
  std::size_t found = 0;
  std::error_code none;
  for (const auto& one : std::filesystem::directory_iterator("/proc", none)) {
    const auto process = parse_integer<pid_t>(one.path().filename().string());
    if (!process || *process == ::getpid()) continue;
    const std::string environment = std::string(1, '\0') + file_text(one.path() / "environ");
    if (environment.find(entry) == std::string::npos) continue;
    ++found;
    ::kill(*process, SIGKILL);
  }
  return found;
}

constexpr std::int64_t grace_ms = 5'000;  // between SIGTERM and SIGKILL

volatile sig_atomic_t stop_asked = 0;  // the signal that asks us to stop

struct sigaction handled_by(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART, so that waits end early
  return action;
}

std::string no_pipe() {
  return std::string("no pipe: ") + std::strerror(errno);
}

// SIGTERM to the whole group, SIGKILL if that is not enough.
int end_group(pid_t pid) {
  ::kill(-pid, SIGTERM);
  if (const auto exit = exit_until(pid, steady_ms() + grace_ms)) return *exit;
  ::kill(-pid, SIGKILL);
  return wait_for(pid);
}

class Process final : public SupervisedProgram {
 public:
  Process(pid_t pid, Descriptor output) : pid_(pid), output_(std::move(output)) {
    stop_asked = 0;
    noted_.emplace(ending_signals, [](int signal) { stop_asked = signal; });
  }
  ~Process() override { stop(); }

  Seen look() override {
    Seen seen;
    if (stop_asked != 0) seen.signal = stop_asked;
    pass_on(seen);
    int status = 0;
    if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_) exit_ = exit_code_of(status);
    if (exit_) pass_on(seen);
    seen.exit = exit_;
    return seen;
  }

  std::optional<pid_t> group() const override { return pid_; }

  void stop() override {
    if (!exit_) exit_ = end_group(pid_);
  }

 private:
  // What nobody reads is dropped: a bot is not left alone for it.
  void pass_on(Seen& seen) {
    std::array<char, 4096> buffer{};
    std::int64_t patience_ms = 100;
    ssize_t count = 0;
    for (int reads = 0; reads < reads_max && (count = ::read(output_.get(), buffer.data(), buffer.size())) > 0;
         ++reads) {
      seen.printed = true;
      static_cast<void>(write_within(STDERR_FILENO, {buffer.data(), static_cast<std::size_t>(count)}, patience_ms));
    }
  }
  static constexpr int reads_max = 64;  // in one look

  pid_t pid_;
  Descriptor output_;
  std::optional<int> exit_;
  std::optional<ChangedSignals> noted_;
};

// Writes the input and reads the output at the same time, so that neither blocks the other. The answer is what was
// printed until the program ended: one that it left behind may hold the output open.
Result<std::string, std::string> converse(pid_t pid, Descriptor& input, const Descriptor& output,
                                          const HelperRun& errand, std::int64_t until_ms) {
  std::string answer;
  std::string_view left = errand.input;
  const Descriptor program(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  for (const int end : {input.get(), output.get()}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  if (left.empty()) input.close();
  while (true) {
    const std::int64_t wait_ms = until_ms - steady_ms();
    if (wait_ms <= 0) return unexpected(std::string("it took too long"));
    std::array<pollfd, 3> ends{pollfd{output.get(), POLLIN, 0}, pollfd{input.get(), POLLOUT, 0},
                               pollfd{program.get(), POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(wait_ms, 1'000))) < 0) continue;
    if (ends[1].revents != 0 && input) {
      const ssize_t written = ::write(input.get(), left.data(), left.size());
      if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
      // A program that does not read its input may still answer.
      if (left.empty() || (written < 0 && errno != EAGAIN && errno != EINTR)) input.close();
    }
    const bool has_ended = ends[2].revents != 0;
    if (ends[0].revents == 0 && !has_ended) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(output.get(), buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno == EAGAIN && has_ended)) return answer;
    if (count < 0) continue;
    if (answer.size() + static_cast<std::size_t>(count) > errand.bytes_max) {
      return unexpected(std::string("its answer is too long"));
    }
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

bool holds_secret(std::string_view variable) {
  using namespace std::string_view_literals;
  static constexpr std::array words{"SECRET"sv, "PASSWORD"sv, "PASSPHRASE"sv, "TOKEN"sv, "MNEMONIC"sv, "PRIVATE"sv};
  if (!variable.starts_with("SVC_") || variable.ends_with("_FILE") || variable.ends_with("_COMMAND")) return false;
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return variable.find(word) != std::string_view::npos; });
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> shell_words(const std::string& line) {
  return {"/bin/sh", "-c", line};
}

Result<pid_t, std::string> start(const Start& program) {
  std::vector<std::string> words = program.words;
  std::vector<std::string> settings = environment_with(program.variables);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(settings);
  pid_t process = -1;
  const int error = spawn(program, arguments.data(), environment.data(), process);
  if (error != 0) return unexpected(words.front() + " cannot be run: " + std::strerror(error));
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return exit_code_of(status);
}

std::optional<int> exit_until(pid_t process, std::int64_t until_ms) {
  constexpr int look_ms = 20;  // between two looks, where the kernel has no pidfd to wait for
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  pollfd ended{handle.get(), POLLIN, 0};
  int status = 0;
  for (;;) {
    const pid_t found = ::waitpid(process, &status, WNOHANG);
    if (found == process) return exit_code_of(status);
    if (found < 0) return 1;
    if (steady_ms() > until_ms) return std::nullopt;
    ::poll(&ended, 1, look_ms);
  }
}

// Starts it as a grandchild, so that nobody has to wait for its end.
void start_apart(const std::vector<std::string>& words) {
  std::vector<std::string> all = followed_by({"svc"}, words);
  const std::vector<char*> arguments = pointers(all);
  const pid_t child = ::fork();
  if (child > 0) static_cast<void>(wait_for(child));
  if (child != 0) return;
  ::setsid();
  if (::fork() == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    ::closefrom(STDERR_FILENO + 1);
    ::execv("/proc/self/exe", arguments.data());
  }
  ::_exit(0);
}

// A browser that was not running stays in the foreground of xdg-open, and talks. The shell leaves it to the system and
// ends, so nothing is left for us to wait for.
bool show_page(const std::string& address) {
  constexpr const char* line =
      "command -v xdg-open >/dev/null || exit 1; exec </dev/null >/dev/null 2>&1; xdg-open \"$0\" &";
  auto words = shell_words(line);
  words.push_back(address);
  const auto shell = start({.words = std::move(words), .own_session = true});
  return shell && wait_for(*shell) == 0;
}

ChangedSignals::ChangedSignals(std::span<const int> signals, const struct sigaction& action, IsLeft is_left) {
  for (const int signal : signals) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (is_left != nullptr && is_left(now)) continue;
    ::sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, now);
  }
}

ChangedSignals::ChangedSignals(std::span<const int> signals, void (*handler)(int), IsLeft is_left)
    : ChangedSignals(signals, handled_by(handler), is_left) {}

ChangedSignals::~ChangedSignals() {
  for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
}

ScreenLeftWhenStopped::ScreenLeftWhenStopped()
    : ChangedSignals(std::array{SIGTSTP}, stops_outside_screen(),
                     [](const struct sigaction& now) { return now.sa_handler != SIG_DFL; }) {
  screen_is_empty = 0;
}

bool ScreenLeftWhenStopped::went_on() {
  return std::exchange(screen_is_empty, 0) != 0;
}

void restore_on_signal(const TerminalModes* terminal) {
  terminal_now.store(terminal);
}

SignalMessageGuard::SignalMessageGuard(SignalMessages words)
    : words_(std::make_unique<const SignalMessages>(std::move(words))) {
  before_ = messages_now.exchange(words_.get());
  struct sigaction action {};
  action.sa_handler = print_and_end;
  for (const int number : told_signals) ::sigaddset(&action.sa_mask, number);
  for (std::size_t i = 0; i < told_signals.size(); ++i) {
    struct sigaction before {};
    if (::sigaction(told_signals[i], nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    taken_[i] = ::sigaction(told_signals[i], &action, nullptr) == 0;
  }
}

SignalMessageGuard::~SignalMessageGuard() {
  // If there are older ones, they keep the signals.
  for (std::size_t i = 0; i < told_signals.size(); ++i)
    if (taken_[i]) ::signal(told_signals[i], SIG_DFL);
  messages_now.store(before_);
}

void SignalMessageGuard::obey_none() {
  for (std::size_t i = 0; i < told_signals.size(); ++i)
    if (std::exchange(taken_[i], false)) ::signal(told_signals[i], SIG_IGN);
}

void SignalMessageGuard::replace(SignalMessages words) {
  auto newer = std::make_unique<const SignalMessages>(std::move(words));
  messages_now.store(newer.get());
  older_ = std::exchange(words_, std::move(newer));
}

NotedSignalsEnd::NotedSignalsEnd()
    : ChangedSignals(std::array{SIGINT, SIGTERM}, SIG_DFL, [](const struct sigaction& now) {
        return now.sa_handler == SIG_IGN || now.sa_handler == print_and_end;
      }) {}

Result<std::unique_ptr<SupervisedProgram>, std::string> start_process(const std::vector<std::string>& words,
                                                                      const Variables& variables) {
  auto output = Pipe::open();
  if (!output) return unexpected(no_pipe());
  const auto pid = SVC_TRY(start({.words = words,
                                  .variables = variables,
                                  .output = output->write.get(),
                                  .own_group = true,
                                  .dies_with_us = true}));
  ::fcntl(output->read.get(), F_SETFL, O_NONBLOCK);
  return std::unique_ptr<SupervisedProgram>(std::make_unique<Process>(pid, std::move(output->read)));
}

Result<std::string, std::string> run_helper(const HelperRun& errand) {
  auto input = Pipe::open();
  auto output = Pipe::open();
  if (!input || !output) return unexpected(no_pipe());
  const NoPipeSignal none;  // the program may end before it has read everything
  const auto pid = SVC_TRY(
      start({.words = errand.words, .input = input->read.get(), .output = output->write.get(), .own_group = true}));
  input->read.close();
  output->write.close();
  const std::int64_t until_ms = steady_ms() + errand.timeout_ms;
  auto answer = converse(pid, input->write, output->read, errand, until_ms);
  input->write.close();
  // A program may close its output and go on.
  const auto ended = answer ? exit_until(pid, until_ms) : std::nullopt;
  const int exit = ended ? *ended : end_group(pid);
  if (answer && !ended) answer = unexpected(std::string("it took too long"));
  if (answer && exit != 0) answer = unexpected(concat("it ended with exit ", exit));
  if (!answer) return unexpected(errand.words.front() + ": " + answer.error());
  return answer;
}

NoPipeSignal::NoPipeSignal() {
  ::sigemptyset(&pipe_);
  ::sigaddset(&pipe_, SIGPIPE);
  sigset_t pending;
  ::sigpending(&pending);
  was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

NoPipeSignal::~NoPipeSignal() {
  const int why = errno;  // of what failed before
  const timespec at_once{};
  if (!was_pending_) static_cast<void>(::sigtimedwait(&pipe_, nullptr, &at_once));
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = why;
}

void Keeper::tell(std::string_view word) const {
  const NoPipeSignal none;  // it may have been killed too
  static_cast<void>(write_all(line_.get(), concat(word, "\n")));
}

void Keeper::dismiss() {
  if (!line_) return;
  tell(keeper_dismissal);
  line_.close();
  static_cast<void>(wait_for(process_));
}

Result<std::unique_ptr<Keeper>, std::string> start_keeper(const std::vector<std::string>& words,
                                                          const Variables& variables) {
  auto line = Pipe::open();
  if (!line) return unexpected(no_pipe());
  const auto process = SVC_TRY(start({.words = followed_by({"/proc/self/exe"}, words),
                                      .variables = variables,
                                      .input = line->read.get(),
                                      .own_session = true}));
  return std::make_unique<Keeper>(process, std::move(line->write));
}

void kill_marked(const std::string& mark) {
  const std::string entry = concat('\0', guard_mark, "=", mark, '\0');
  for (int look = 0; look < kill_looks_max && kill_once(entry) > 0; ++look) ::poll(nullptr, 0, kill_look_ms);
}

}  // namespace svc::cli
