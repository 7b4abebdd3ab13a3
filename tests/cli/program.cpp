#include "cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "cli/machine/programs.h"
#include "surroundings.h"

namespace svc::cli {
namespace {

constexpr std::chrono::seconds patience{300};

}  // namespace

FreshHome::FreshHome() {
  std::string pattern = (std::filesystem::temp_directory_path() / "svc-program-XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

FreshHome::~FreshHome() {
  std::filesystem::remove_all(path_);
}

Program::Program(const std::vector<std::string>& words, const std::filesystem::path& home, Stdio stdio,
                 const std::vector<std::string>& more) {
  std::vector<std::string> all{test::svc_program()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables{"HOME=" + home.string(), "XDG_RUNTIME_DIR=" + home.string(), "TERM=xterm",
                                     "PATH=/usr/bin:/bin"};
  variables.insert(variables.end(), more.begin(), more.end());
  const auto argv = pointers(all), environment = pointers(variables);
  if (stdio == Stdio::terminal) {
    const winsize size{24, 100, 0, 0};
    process_ = ::forkpty(&output_, nullptr, nullptr, &size);
    if (process_ == 0) {
      ::execve(argv.front(), argv.data(), environment.data());
      ::_exit(127);
    }
    EXPECT_GT(process_, 0);
    return;
  }
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  EXPECT_EQ(::posix_spawn(&process_, argv.front(), &actions, nullptr, argv.data(), environment.data()), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
}

Program::~Program() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(output_);
}

std::string Program::read_until(std::string_view text) {
  std::string all;
  // An overall deadline: other output does not extend it.
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto left_ms = [&] {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  };
  pollfd wait{output_, POLLIN, 0};
  while (::poll(&wait, 1, left_ms()) == 1) {
    char c = 0;
    if (::read(output_, &c, 1) != 1) return all;
    all += c;
    if (!text.empty() && all.ends_with(text)) return all;
  }
  ADD_FAILURE() << "waited in vain for \"" << text << "\" after \"" << all << '"';
  return all;
}

void Program::type(std::string_view keys) {
  EXPECT_EQ(::write(output_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

void Program::terminate() {
  send_signal(SIGTERM);
}

void Program::send_signal(int signal) {
  ::kill(process_, signal);
}

void Program::stop_and_show_keys() {
  send_signal(SIGSTOP);
  int status = 0;
  EXPECT_EQ(::waitpid(process_, &status, WUNTRACED), process_);
  EXPECT_TRUE(WIFSTOPPED(status));
  termios modes{};
  EXPECT_EQ(::tcgetattr(output_, &modes), 0);
  modes.c_lflag |= static_cast<tcflag_t>(ECHO | ICANON);
  EXPECT_EQ(::tcsetattr(output_, TCSANOW, &modes), 0);
}

void Program::see_keys_hidden() {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  termios modes{};
  do EXPECT_EQ(::tcgetattr(output_, &modes), 0);
  while ((modes.c_lflag & static_cast<tcflag_t>(ECHO)) != 0 && std::chrono::steady_clock::now() < deadline &&
         ::sched_yield() == 0);
  EXPECT_EQ(modes.c_lflag & static_cast<tcflag_t>(ECHO), 0U);
}

void Program::cut() {
  ::kill(process_, SIGKILL);
  static_cast<void>(wait());
}

int Program::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace svc::cli
