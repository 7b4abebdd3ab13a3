// A process of its own for what a test starts, that does not outlive the test and says when it is ready.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>

namespace svc::test {

class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~ChildProcess() { end(SIGKILL); }

  // The child exits with what `run` returns. Returns what it wrote to `ready_fd` until it closed that or ended.
  std::string start(const std::function<int(int ready_fd)>& run) {
    int ends[2];
    if (::pipe(ends) != 0) return {};
    id_ = ::fork();
    if (id_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      ::_exit(run(ends[1]));
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(count));
    ::close(ends[0]);
    return text;
  }

  // Its status as waitpid() tells it; 0 if none runs.
  int wait() {
    int status = 0;
    if (id_ > 0) ::waitpid(std::exchange(id_, 0), &status, 0);
    return status;
  }
  int end(int signal) {
    send(signal);
    return wait();
  }
  void send(int signal) const {
    if (id_ > 0) ::kill(id_, signal);
  }
  [[nodiscard]] pid_t id() const { return id_; }

 private:
  pid_t id_ = 0;
};

}  // namespace svc::test
