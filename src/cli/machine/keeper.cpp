#include "cli/machine/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/process.h"

namespace svc::cli {
namespace {

constexpr int kill_looks_max = 200;
constexpr int kill_look_ms = 10;

class KeeperProcess final : public Keeper {
 public:
  KeeperProcess(pid_t process, int line) : process_(process), line_(line) {}
  ~KeeperProcess() override {
    if (line_ >= 0) ::close(line_);
  }

  void set_group(pid_t group) override { say(std::to_string(group)); }
  void dismiss() override {
    if (line_ < 0) return;
    say(std::string(keeper_dismissal));
    ::close(std::exchange(line_, -1));
    static_cast<void>(wait_for(process_));
  }

 private:
  void say(const std::string& word) const {
    const std::string line = word + "\n";
    struct sigaction ignored {};
    struct sigaction before {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, &before);  // the keeper may have been killed too
    static_cast<void>(!::write(line_, line.data(), line.size()));
    ::sigaction(SIGPIPE, &before, nullptr);
  }

  pid_t process_;
  int line_;  // its standard input
};

// Returns how many processes were found.
std::size_t kill_once(const std::string& entry) {
  std::size_t found = 0;
  std::error_code none;
  for (const auto& one : std::filesystem::directory_iterator("/proc", none)) {
    const std::string name = one.path().filename().string();
    pid_t process = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc{} || stop != name.data() + name.size() || process == ::getpid()) continue;
    const std::string environment = std::string(1, '\0') + process_text((one.path() / "environ").string());
    if (environment.find(entry) == std::string::npos) continue;
    ++found;
    ::kill(process, SIGKILL);
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Keeper>, std::string> start_keeper(const std::vector<std::string>& words,
                                                          const Variables& variables) {
  int line[2];
  if (::pipe2(line, O_CLOEXEC) != 0) return unexpected(std::string("no pipe: ") + std::strerror(errno));
  std::vector<std::string> all{"/proc/self/exe"};
  all.insert(all.end(), words.begin(), words.end());
  const auto process = start({.words = all, .variables = variables, .input = line[0], .own_session = true});
  ::close(line[0]);
  if (process) return std::unique_ptr<Keeper>(std::make_unique<KeeperProcess>(*process, line[1]));
  ::close(line[1]);
  return unexpected(process.error());
}

void kill_marked(const std::string& mark) {
  const std::string entry = std::string(1, '\0') + std::string(guard_mark) + "=" + mark + std::string(1, '\0');
  for (int look = 0; look < kill_looks_max && kill_once(entry) > 0; ++look) ::poll(nullptr, 0, kill_look_ms);
}

}  // namespace svc::cli
