// Ten real processes with one key: one budget, one sequence of nonces, no 429 and no conflict.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/terminal/json.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;

// Runs the binary with its own home folder; its standard output goes to a file.
class SharedHome {
 public:
  SharedHome() {
    std::string pattern = (fs::temp_directory_path() / "svc-many-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    std::ofstream(home_ / "password") << "correct horse\n";
    ::chmod((home_ / "password").c_str(), 0600);
  }
  ~SharedHome() {
    for (const pid_t pid : running_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }
  SharedHome(const SharedHome&) = delete;
  SharedHome& operator=(const SharedHome&) = delete;

  pid_t start(const std::string& line, const std::string& output) {
    const bool several = line.find("&&") != std::string::npos;
    std::string shell = "/bin/sh", flag = "-c";
    std::string text =
        "exec >" + path(output) + " 2>&1; " + (several ? "" : "exec ") + test::svc_program() + " " + line;
    char* argv[] = {shell.data(), flag.data(), text.data(), nullptr};
    std::string home = "HOME=" + home_.string(), runtime = "XDG_RUNTIME_DIR=" + home_.string();
    char* environment[] = {home.data(), runtime.data(), nullptr};
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, argv, environment), 0);
    running_.push_back(pid);
    return pid;
  }
  int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    std::erase(running_, pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int run(const std::string& line, const std::string& output = "out") { return wait(start(line, output)); }

  std::string read(const std::string& name) const {
    std::ifstream file(home_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path(const std::string& name) const { return (home_ / name).string(); }

 private:
  fs::path home_;
  std::vector<pid_t> running_;
};

TEST(ManyProcesses, ShareOneBudgetAndOneSequenceOfNonces) {
  SharedHome shared_home;
  // The sandbox writes its ready line into a pipe, so reading it waits until requests are accepted.
  ASSERT_EQ(::mkfifo(shared_home.path("served").c_str(), 0600), 0);
  shared_home.start("serve --local --port 0 --flow none --log none", "served");
  std::ifstream served(shared_home.path("served"));
  std::string ready;
  ASSERT_TRUE(std::getline(served, ready));
  const std::string password = " --password-file " + shared_home.path("password");
  for (const std::string& line : {"keystore new alice" + password, "login --wallet alice" + password,
                                  std::string("keys create"), std::string("deposits submit --amount 10000")}) {
    ASSERT_EQ(shared_home.run("-n local " + line), 0) << line << shared_home.read("out");
  }
  // Thirty signed orders at 20 a second, each with a nonce of the same wallet.
  constexpr int processes = 10;
  std::vector<pid_t> started;
  for (int i = 0; i < processes; ++i) {
    const std::string order =
        "-n local" + password + " buy 0.001 BTC-USDX-PERP @ 3000" + std::to_string(i) + " --action sign";
    const std::string again = " && " + test::svc_program() + " " + order;
    const std::string three = order + again + again;
    started.push_back(shared_home.start(three, "bot" + std::to_string(i)));
  }
  for (int i = 0; i < processes; ++i) {
    EXPECT_EQ(shared_home.wait(started[static_cast<std::size_t>(i)]), 0) << shared_home.read("bot" + std::to_string(i));
  }
  ASSERT_EQ(shared_home.run("-n local --json api GET /_svc/requests?limit=1000", "log"), 0);
  const auto log = parse_json(shared_home.read("log"));
  ASSERT_TRUE(log.has_value());
  const Json* requests = log->at("data.requests");
  ASSERT_NE(requests, nullptr);
  int orders = 0;
  for (const Json& row : requests->items()) {
    EXPECT_NE(row.integer_at("status"), 429) << row.dump();
    EXPECT_NE(row.integer_at("status"), 401) << row.dump();
    if (row.string_at("method") == "POST" && row.string_at("path") == "/orders") ++orders;
  }
  EXPECT_EQ(orders, 3 * processes);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
