#include "cli/watch/event_hook.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/programs/start.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

std::string system_text(int error) {
  return std::strerror(error);
}

// A pipe's end that closes itself.
struct End {
  int fd = -1;
  ~End() { close(); }
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

Result<void, std::string> verdict(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status)) return unexpected("ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return unexpected("was ended by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace

Result<void, std::string> run_hook(const std::string& command, const Json& line) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return unexpected("cannot be started: " + system_text(errno));
  End input{ends[0]};
  End output{ends[1]};
  const auto pid =
      SVC_TRY(start({.words = shell_words(command),
                     .variables = {{"SVC_EVENT_CHANNEL", std::string(line.string_at("channel").value_or(""))}},
                     .input = input.fd,
                     .output = STDERR_FILENO}));
  input.close();
  // A line is shorter than a pipe holds; who does not read it, does not.
  const std::string text = line.dump(LargeIntegers::as_text) + "\n";
  struct sigaction ignore {};
  struct sigaction former {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &former);
  static_cast<void>(::fcntl(output.fd, F_SETFL, O_NONBLOCK));
  static_cast<void>(!::write(output.fd, text.data(), text.size()));
  output.close();
  ::sigaction(SIGPIPE, &former, nullptr);

  const End handle{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  pollfd ended{handle.fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = handle.fd < 0 ? 1 : ::poll(&ended, 1, static_cast<int>(watch_limits::hook_ms_max));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (ready == 0)
    return unexpected("took longer than " + std::to_string(watch_limits::hook_ms_max / 1'000) + " s and was killed");
  return verdict(status);
}

std::string notification(const std::string& text) {
  return "\a\x1b]9;" + text + "\x1b\\" + text + "\n";
}

}  // namespace svc::cli
