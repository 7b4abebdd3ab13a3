// The binary itself: a sandbox on a port, commands through sockets, a clean stop.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/json.h"

namespace svc::cli {
namespace {

// A child process with its standard output and error.
class Child {
 public:
  Child(const std::vector<std::string>& words, const std::filesystem::path& home) {
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends_[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> all{SVC_BINARY};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables{"HOME=" + home.string(), "XDG_RUNTIME_DIR=" + home.string()};
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    EXPECT_EQ(::posix_spawn(&pid_, SVC_BINARY, &actions, nullptr, argv.data(), environment.data()), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends_[1]);
  }
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(ends_[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string line() { return read_until('\n'); }
  std::string rest() { return read_until('\0'); }
  void terminate() { ::kill(pid_, SIGTERM); }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string read_until(char end) {
    std::string text;
    for (char c = 0; ::read(ends_[0], &c, 1) == 1;) {
      text += c;
      if (c == end) break;
    }
    return text;
  }
  pid_t pid_ = -1;
  int ends_[2] = {-1, -1};
};

TEST(Served, TheBinaryServesAnswersAndStops) {
  std::string pattern = (std::filesystem::temp_directory_path() / "svc-served-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path home = pattern;
  {
    Child sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, home);
    const auto ready = parse_json(sandbox.line());
    ASSERT_TRUE(ready.has_value());
    const std::string url(ready->string_at("url").value_or(""));
    EXPECT_TRUE(url.starts_with("http://127.0.0.1:")) << url;
    EXPECT_EQ(ready->find("accounts")->items().size(), 10u);

    Child shown({"--json", "-n", "local", "network", "show"}, home);
    const auto network = parse_json(shown.rest());
    EXPECT_EQ(shown.wait(), 0);
    ASSERT_TRUE(network.has_value());
    EXPECT_EQ(network->string_at("data.rest"), url) << "found through the runtime folder";

    Child markets({"-n", "local", "markets", "list"}, home);
    EXPECT_TRUE(markets.rest().starts_with("market\tbase\t"));
    EXPECT_EQ(markets.wait(), 0);

    sandbox.terminate();
    EXPECT_EQ(sandbox.wait(), 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(home / "svc/local")) << "the running sandbox's file is gone";
  std::filesystem::remove_all(home);
}

}  // namespace
}  // namespace svc::cli
