#include "cli/machine/programs.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace svc::cli {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

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

// The attributes for posix_spawn, freed at the end.
class Attributes {
 public:
  explicit Attributes(const Start& program) {
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&signals, signal);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    const int group = program.own_session ? POSIX_SPAWN_SETSID : program.own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group));
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class Descriptors {
 public:
  Descriptors(int input, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    if (input >= 0) ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    if (output >= 0) ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
  }
  ~Descriptors() { ::posix_spawn_file_actions_destroy(&actions_); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Like posix_spawn, but the kernel kills the program when its parent ends, which posix_spawn cannot request. Between
// fork and exec only async-signal-safe calls are allowed.
int spawn_bound(const Start& program, char* const* arguments, char* const* environment, pid_t& process) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return errno;
  const pid_t us = ::getpid();
  process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // If our parent has already ended, the kernel's signal would never come.
    if (::getppid() != us) ::_exit(1);
    if (program.own_group) ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
    if (program.input >= 0) ::dup2(program.input, STDIN_FILENO);
    if (program.output >= 0) ::dup2(program.output, STDOUT_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execvpe(arguments[0], arguments, environment);
    const int error = errno;
    static_cast<void>(!::write(report[1], &error, sizeof error));
    ::_exit(1);
  }
  int error = process < 0 ? errno : 0;
  ::close(report[1]);
  int told = 0;
  ssize_t count = -1;
  do {
    count = ::read(report[0], &told, sizeof told);
  } while (count < 0 && errno == EINTR);
  if (process > 0 && count == sizeof told) {
    error = told;
    ::waitpid(process, nullptr, 0);
  }
  ::close(report[0]);
  return error;
}

}  // namespace

bool holds_secret(std::string_view variable) {
  using namespace std::string_view_literals;
  static constexpr std::array words{"SECRET"sv, "PASSWORD"sv, "PASSPHRASE"sv, "TOKEN"sv, "MNEMONIC"sv, "PRIVATE"sv};
  if (!variable.starts_with("SVC_") || variable.ends_with("_FILE") || variable.ends_with("_COMMAND")) return false;
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return variable.find(word) != std::string_view::npos; });
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
  int error = 0;
  if (program.dies_with_us) {
    error = spawn_bound(program, arguments.data(), environment.data(), process);
  } else {
    const Descriptors descriptors(program.input, program.output);
    const Attributes attributes(program);
    error = ::posix_spawnp(&process, arguments.front(), descriptors.get(), attributes.get(), arguments.data(),
                           environment.data());
  }
  if (error != 0) return unexpected(words.front() + " cannot be run: " + std::strerror(error));
  return process;
}

int exit_code_of(int status) {
  constexpr int signal_base = 128;
  return WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return exit_code_of(status);
}

namespace {

// Read by the signal handler, which must not see a text that is being changed.
std::atomic<const SignalMessages*> messages_now{nullptr};

void say(int descriptor, const std::string& text) {
  static_cast<void>(!::write(descriptor, text.data(), text.size()));
}

extern "C" void print_and_end(int number) {
  if (const SignalMessages* words = messages_now.load()) {
    const bool interrupted = number == SIGINT;
    say(STDERR_FILENO, interrupted ? words->interrupted_err : words->terminated_err);
    say(STDOUT_FILENO, interrupted ? words->interrupted_out : words->terminated_out);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

SignalMessageGuard::SignalMessageGuard(SignalMessages words) : words_(std::move(words)) {
  before_ = messages_now.exchange(&words_);
  struct sigaction action {};
  action.sa_handler = print_and_end;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    struct sigaction before {};
    if (::sigaction(signals_[i], nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    taken_[i] = ::sigaction(signals_[i], &action, nullptr) == 0;
  }
}

SignalMessageGuard::~SignalMessageGuard() {
  // If there are older ones, they keep the signals.
  for (std::size_t i = 0; i < signals_.size(); ++i)
    if (taken_[i]) ::signal(signals_[i], SIG_DFL);
  messages_now.store(before_);
}

namespace {

constexpr std::int64_t grace_ms = 5'000;  // between SIGTERM and SIGKILL
constexpr std::int64_t process_look_ms = 20;

volatile sig_atomic_t stop_asked = 0;  // the signal that asks us to stop

void note_stop(int signal) {
  stop_asked = signal;
}

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

void pause_ms(std::int64_t ms) {
  ::poll(nullptr, 0, static_cast<int>(ms));
}

struct Ends {
  int read = -1;
  int write = -1;

  void close_read() { close_one(read); }
  void close_write() { close_one(write); }

 private:
  static void close_one(int& descriptor) {
    if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
  }
};

bool open_pipe(Ends& ends) {
  int both[2];
  if (::pipe2(both, O_CLOEXEC) != 0) return false;
  ends = {.read = both[0], .write = both[1]};
  return true;
}

// SIGTERM to the whole group, SIGKILL if that is not enough.
int end_group(pid_t pid) {
  int status = 0;
  ::kill(-pid, SIGTERM);
  const std::int64_t patience_until = steady_ms() + grace_ms;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (steady_ms() > patience_until) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      break;
    }
    pause_ms(process_look_ms);
  }
  return exit_code_of(status);
}

class Process final : public SupervisedProgram {
 public:
  Process(pid_t pid, int output) : pid_(pid), output_(output) {
    stop_asked = 0;
    struct sigaction action {};
    action.sa_handler = note_stop;
    for (std::size_t i = 0; i < signals_.size(); ++i) ::sigaction(signals_[i], &action, &before_[i]);
  }
  ~Process() override {
    stop();
    ::close(output_);
    for (std::size_t i = 0; i < signals_.size(); ++i) ::sigaction(signals_[i], &before_[i], nullptr);
  }

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
  void pass_on(Seen& seen) {
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = ::read(output_, buffer.data(), buffer.size())) > 0) {
      seen.printed = true;
      static_cast<void>(!::write(STDERR_FILENO, buffer.data(), static_cast<std::size_t>(count)));
    }
  }

  static constexpr std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
  pid_t pid_;
  int output_;
  std::optional<int> exit_;
};

// Writes the input and reads the output at the same time, so that neither blocks the other.
Result<std::string, std::string> converse(Ends& input, Ends& output, const HelperRun& errand) {
  std::string answer;
  std::string_view left = errand.input;
  const std::int64_t until_ms = steady_ms() + errand.timeout_ms;
  if (left.empty()) input.close_write();
  while (true) {
    const std::int64_t wait_ms = until_ms - steady_ms();
    if (wait_ms <= 0) return unexpected(std::string("it took too long"));
    std::array<pollfd, 2> ends{pollfd{output.read, POLLIN, 0}, pollfd{input.write, POLLOUT, 0}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(wait_ms, 1'000))) < 0) continue;
    if (ends[1].revents != 0 && input.write >= 0) {
      const ssize_t written = ::write(input.write, left.data(), left.size());
      if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
      // A program that does not read its input may still answer.
      if (left.empty() || (written < 0 && errno != EAGAIN && errno != EINTR)) input.close_write();
    }
    if (ends[0].revents == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(output.read, buffer.data(), buffer.size());
    if (count == 0) return answer;
    if (count < 0) continue;
    if (answer.size() + static_cast<std::size_t>(count) > errand.bytes_max) {
      return unexpected(std::string("its answer is too long"));
    }
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::unique_ptr<SupervisedProgram>, std::string> start_process(const std::vector<std::string>& words,
                                                                      const Variables& variables) {
  Ends output;
  if (!open_pipe(output)) return unexpected(std::string("no pipe: ") + std::strerror(errno));
  const auto pid =
      start({.words = words, .variables = variables, .output = output.write, .own_group = true, .dies_with_us = true});
  output.close_write();
  if (!pid) {
    output.close_read();
    return unexpected(pid.error());
  }
  ::fcntl(output.read, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<SupervisedProgram>(std::make_unique<Process>(*pid, output.read));
}

Result<std::string, std::string> run_helper(const HelperRun& errand) {
  Ends input;
  Ends output;
  if (!open_pipe(input) || !open_pipe(output)) return unexpected(std::string("no pipe: ") + std::strerror(errno));
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);  // the program may end before it has read everything
  const auto pid = start({.words = errand.words, .input = input.read, .output = output.write, .own_group = true});
  input.close_read();
  output.close_write();
  Result<std::string, std::string> answer = unexpected(pid ? std::string() : pid.error());
  if (pid) {
    answer = converse(input, output, errand);
    input.close_write();
    int status = 0;
    if (answer) {
      ::waitpid(*pid, &status, 0);
      if (exit_code_of(status) != 0) answer = unexpected("it ended with exit " + std::to_string(exit_code_of(status)));
    } else {
      end_group(*pid);
    }
    if (!answer) answer = unexpected(errand.words.front() + ": " + answer.error());
  }
  input.close_write();
  output.close_read();
  ::sigaction(SIGPIPE, &before, nullptr);
  return answer;
}

}  // namespace svc::cli
