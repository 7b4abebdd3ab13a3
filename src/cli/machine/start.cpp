#include "cli/machine/start.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

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

// What the program starts with, given back at the end.
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

// As posix_spawn, but the kernel kills the program when its parent ends; posix_spawn cannot ask for that. Between fork and
// exec only async-signal-safe calls are made.
int spawn_bound(const Start& program, char* const* arguments, char* const* environment, pid_t& process) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return errno;
  const pid_t us = ::getpid();
  process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Whoever is an orphan already was too late to be told.
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

// Read by the handler, which may not follow what is being changed.
std::atomic<const LastWords*> words_now{nullptr};

void say(int descriptor, const std::string& text) {
  static_cast<void>(!::write(descriptor, text.data(), text.size()));
}

extern "C" void speak_and_end(int number) {
  if (const LastWords* words = words_now.load()) {
    const bool interrupted = number == SIGINT;
    say(STDERR_FILENO, interrupted ? words->interrupted_err : words->terminated_err);
    say(STDOUT_FILENO, interrupted ? words->interrupted_out : words->terminated_out);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

SaysLastWords::SaysLastWords(LastWords words) : words_(std::move(words)) {
  before_ = words_now.exchange(&words_);
  struct sigaction action {};
  action.sa_handler = speak_and_end;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    struct sigaction before {};
    if (::sigaction(signals_[i], nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    taken_[i] = ::sigaction(signals_[i], &action, nullptr) == 0;
  }
}

SaysLastWords::~SaysLastWords() {
  // Where others stand before these, they took the signals and keep them.
  for (std::size_t i = 0; i < signals_.size(); ++i)
    if (taken_[i]) ::signal(signals_[i], SIG_DFL);
  words_now.store(before_);
}

}  // namespace svc::cli
