#include "cli/shell/child.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "cli/programs/start.h"

namespace svc::cli {
namespace {

// A program that closes its input must not end us: its signal stays away from this thread while we write.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) static_cast<void>(::sigtimedwait(&pipe_, nullptr, &at_once));
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

std::optional<Child> Child::start(const std::string& command, Input input) {
  int ends[2] = {-1, -1};
  if (input == Input::piped && ::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const auto process = cli::start({.words = shell_words(command), .input = ends[0]});
  if (ends[0] >= 0) ::close(ends[0]);
  if (!process) {
    if (ends[1] >= 0) ::close(ends[1]);
    return std::nullopt;
  }
  return Child(*process, ends[1]);
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)), input_(std::exchange(other.input_, -1)) {}

Child::~Child() {
  if (process_ >= 0) finish();
}

Written Child::write(std::string_view text) {
  const NoPipeSignal none;
  while (!text.empty()) {
    const ssize_t count = ::write(input_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 && errno == EPIPE ? Written::reader_gone : Written::failed;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return Written::whole;
}

int Child::finish() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
  return wait_for(std::exchange(process_, -1));
}

}  // namespace svc::cli
