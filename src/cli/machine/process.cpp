#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cli/machine/companion.h"
#include "cli/machine/start.h"

namespace svc::cli {
namespace {

constexpr std::int64_t grace_ms = 5'000;  // between SIGTERM and SIGKILL
constexpr std::int64_t process_look_ms = 20;

volatile sig_atomic_t stop_asked = 0;  // by this signal

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

class Process final : public Companion {
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
      seen.spoke = true;
      static_cast<void>(!::write(STDERR_FILENO, buffer.data(), static_cast<std::size_t>(count)));
    }
  }

  static constexpr std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
  pid_t pid_;
  int output_;
  std::optional<int> exit_;
};

// Writes the input and reads the output as far as both go, without either waiting for the other.
Result<std::string, std::string> converse(Ends& input, Ends& output, const Errand& errand) {
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

Result<std::unique_ptr<Companion>, std::string> start_process(const std::vector<std::string>& words,
                                                              const Variables& variables) {
  Ends output;
  if (!open_pipe(output)) return unexpected(std::string("no pipe: ") + std::strerror(errno));
  const auto pid = start({.words = words, .variables = variables, .output = output.write, .own_group = true,
                          .dies_with_us = true});
  output.close_write();
  if (!pid) {
    output.close_read();
    return unexpected(pid.error());
  }
  ::fcntl(output.read, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Companion>(std::make_unique<Process>(*pid, output.read));
}

Result<std::string, std::string> run_errand(const Errand& errand) {
  Ends input;
  Ends output;
  if (!open_pipe(input) || !open_pipe(output)) return unexpected(std::string("no pipe: ") + std::strerror(errno));
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);  // it may end before it has read everything
  const auto pid = start({.words = errand.words,
                          .input = input.read,
                          .output = output.write,
                          .own_group = true});
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
