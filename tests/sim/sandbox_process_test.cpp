// The sandbox as a process: ready line, port, signals. It runs in a child process of the test.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "api/http/http_client.h"
#include "base/files.h"
#include "http/raw_connection.h"
#include "sim/child_process.h"
#include "sim/sim.h"

namespace svc::sim {
namespace SVC_FILE {

using Json = nlohmann::json;

LogSink keep_in(std::string& all) {
  return [&all](std::string_view text) {
    all += text;
    return text.size();
  };
}

class SandboxProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/svc-process-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.port = 0;
    options_.accounts = 2;
    options_.ready_file = folder_ / "ready.json";
    options_.running_file = folder_ / "run" / "default.json";
  }

  void TearDown() override {
    child_.end(SIGKILL);
    std::filesystem::remove_all(folder_);
  }

  // Returns the ready line; nothing if it ends before.
  std::string start() {
    return child_.start([this](int ready_fd) {
      options_.ready_fd = ready_fd;
      std::ofstream log(folder_ / "log");
      const auto write_out = [&](std::string_view text) {
        std::ofstream(folder_ / "out") << text;
        return text.size();
      };
      const auto served = serve(options_, write_out, [&](std::string_view text) {
        if (reads_log_) log << text << std::flush;
        return reads_log_ ? text.size() : 0;
      });
      if (!served) log << served.error() << std::flush;
      log.close();
      return served ? 0 : 9;
    });
  }

  // The content of a running-sandbox file, without the time at which its process started.
  static Json running(const std::filesystem::path& path) {
    Json document = Json::parse(file_text(path));
    EXPECT_GT(document.value("start_ticks", 0), 0);
    document.erase("start_ticks");
    return document;
  }

  int wait() {
    const int status = child_.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int stop(int signal) {
    child_.send(signal);
    return wait();
  }

  SandboxOptions options_;
  std::filesystem::path folder_;
  test::ChildProcess child_;
  bool reads_log_ = true;
};

TEST_F(SandboxProcess, ReportsItsAddressServesAndStopsCleanly) {
  const std::string line = start();
  ASSERT_FALSE(line.empty()) << file_text(folder_ / "log");
  const Json ready = Json::parse(line);
  EXPECT_EQ(ready["pid"], child_.id());
  EXPECT_EQ(ready["accounts"].size(), 2u);
  EXPECT_EQ(line, file_text(options_.ready_file));
  EXPECT_EQ(ready, running(options_.running_file));

  api::HttpClient client({.dial = {.origin = *api::parse_url(ready["url"].get<std::string>())}});
  const auto status = client.send({.method = "GET", .target = "/_svc/status", .headers = {}, .body = {}});
  ASSERT_TRUE(status.has_value()) << status.error().reason;
  EXPECT_EQ(Json::parse(status->body)["url"], ready["url"]);
  const auto markets = client.send({.method = "GET", .target = "/markets", .headers = {}, .body = {}});
  ASSERT_TRUE(markets.has_value());
  EXPECT_EQ(Json::parse(markets->body).size(), 3u);

  EXPECT_EQ(stop(SIGTERM), 0);
  EXPECT_EQ(line, file_text(folder_ / "out"));
  EXPECT_TRUE(file_text(folder_ / "log").ends_with(" 200 GET /markets\n")) << file_text(folder_ / "log");
  EXPECT_FALSE(std::filesystem::exists(options_.running_file));
}

TEST_F(SandboxProcess, AnInterruptStopsItCleanly) {
  ASSERT_FALSE(start().empty());
  EXPECT_EQ(stop(SIGINT), 0);
}

TEST_F(SandboxProcess, ResetsAreAnsweredWhileStreamsAreReadAndItStillStops) {
  const Json ready = Json::parse(start());
  const auto url = api::parse_url(ready["url"].get<std::string>());
  std::vector<test::RawConnection> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back(url->port);
    readers.back().send(
        "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    EXPECT_TRUE(readers.back().bytes_until("\r\n\r\n").starts_with("HTTP/1.1 101"));
    const std::string subscribe = R"({"subscribe":["trades:*","book:*"]})";
    readers.back().send(std::string("\x81") + static_cast<char>(0x80 | subscribe.size()) + std::string(4, '\0') +
                        subscribe);
  }
  api::HttpClient client({.dial = {.origin = *url}});
  for (int i = 0; i < 20; ++i) {
    const auto reset = client.send({.method = "POST", .target = "/_svc/reset", .headers = {}, .body = "{}"});
    ASSERT_TRUE(reset.has_value()) << "round " << i << ": " << reset.error().reason;
    EXPECT_EQ(reset->status, 200);
  }
  EXPECT_EQ(stop(SIGTERM), 0);
}

TEST_F(SandboxProcess, AnUnreadLogDelaysNothing) {
  reads_log_ = false;
  const Json ready = Json::parse(start());
  api::HttpClient client({.dial = {.origin = *api::parse_url(ready["url"].get<std::string>())}});
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(client.send({.method = "GET", .target = "/markets", .headers = {}, .body = {}}).has_value());
  EXPECT_EQ(stop(SIGTERM), 0);
}

TEST(LogSink, TakesWhatFitsInThePipeWithoutWaiting) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const LogSink log = log_to(ends[1]);
  const std::string line(1'000, 'x');
  std::size_t taken = 0;
  for (std::size_t last = 1; last > 0; taken += last) last = log(line);
  EXPECT_GE(taken, 4'096u);
  EXPECT_EQ(log(line), 0u);
  std::string read(taken, ' ');
  ASSERT_EQ(::read(ends[0], read.data(), read.size()), static_cast<ssize_t>(taken));
  EXPECT_EQ(log(line), line.size());
  // Text for a reader that is gone counts as taken.
  ::signal(SIGPIPE, SIG_IGN);
  ::close(ends[0]);
  EXPECT_EQ(log(line), line.size());
  ::close(ends[1]);
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_F(SandboxProcess, ATakenPortIsReported) {
  const std::string line = start();
  ASSERT_FALSE(line.empty());
  const auto url = api::parse_url(Json::parse(line)["url"].get<std::string>());
  SandboxOptions second = options_;
  second.port = url->port;
  std::string told;
  const auto served = serve(second, keep_in(told), log_to(STDERR_FILENO));
  ASSERT_FALSE(served.has_value());
  EXPECT_NE(served.error().find(std::to_string(url->port)), std::string::npos) << served.error();
  EXPECT_EQ(told, "");
  EXPECT_TRUE(std::filesystem::exists(options_.running_file));  // the file of the first one
}

TEST_F(SandboxProcess, ASecondSandboxOfTheSameNameGetsItsOwnName) {
  const Json first = Json::parse(start());
  test::ChildProcess first_child = std::move(child_);
  const Json second = Json::parse(start());
  EXPECT_EQ(first["name"], "default");
  EXPECT_EQ(second["name"], "default-" + std::to_string(child_.id()));
  EXPECT_EQ(running(options_.running_file), first);
  EXPECT_EQ(running(folder_ / "run" / (second["name"].get<std::string>() + ".json")), second);
  EXPECT_EQ(stop(SIGTERM), 0);
  EXPECT_TRUE(std::filesystem::exists(options_.running_file));
  child_ = std::move(first_child);
  EXPECT_EQ(stop(SIGTERM), 0);
}

TEST_F(SandboxProcess, ASandboxRemovesItsOwnRunningFileOnly) {
  ASSERT_FALSE(start().empty());
  test::ChildProcess first_child = std::move(child_);
  std::filesystem::remove(options_.running_file);
  const Json second = Json::parse(start());
  EXPECT_EQ(second["name"], "default");
  first_child.end(SIGTERM);
  EXPECT_EQ(running(options_.running_file), second);
  EXPECT_EQ(stop(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(options_.running_file));
}

// The test's own process has the id, and started at another time.
TEST_F(SandboxProcess, AnIdThatAnotherProcessHasByNowHoldsNoName) {
  std::filesystem::create_directories(options_.running_file.parent_path());
  std::ofstream(options_.running_file) << Json{{"pid", ::getpid()}, {"start_ticks", 1}};
  EXPECT_EQ(Json::parse(start())["name"], "default");
  EXPECT_EQ(stop(SIGTERM), 0);
  std::ofstream(options_.running_file) << Json{{"pid", ::getpid()}};
  EXPECT_NE(Json::parse(start())["name"], "default") << "without a time, the id counts";
  EXPECT_EQ(stop(SIGTERM), 0);
}

TEST_F(SandboxProcess, WhatIsNoFileInThePlaceOfItsRunningFileStaysAndTheNameCountsAsInUse) {
  const std::filesystem::path place = options_.running_file;
  const std::filesystem::path password = folder_ / "password";
  std::filesystem::create_directories(place.parent_path());
  std::ofstream(password) << "secret";
  const std::function<void()> makers[] = {
      [&] { std::filesystem::create_directory(place); },
      [&] { std::filesystem::create_symlink(password, place); },
      [&] { ASSERT_EQ(::mkfifo(place.c_str(), S_IRUSR | S_IWUSR), 0); },
  };
  for (const auto& make : makers) {
    make();
    const auto kind = std::filesystem::symlink_status(place).type();
    const std::string line = start();
    ASSERT_FALSE(line.empty()) << file_text(folder_ / "log");
    EXPECT_EQ(Json::parse(line)["name"], "default-" + std::to_string(child_.id()));
    EXPECT_EQ(stop(SIGTERM), 0);
    EXPECT_EQ(std::filesystem::symlink_status(place).type(), kind);
    std::filesystem::remove(place);
  }
  EXPECT_EQ(file_text(password), "secret");
}

TEST_F(SandboxProcess, AReadyLineThatCannotBeWrittenEndsIt) {
  options_.running_file.clear();
  const auto take_nothing = [](std::string_view) { return 0; };
  const auto served = serve(options_, take_nothing, log_to(STDERR_FILENO));
  ASSERT_FALSE(served.has_value());
  EXPECT_EQ(served.error(), "the ready line cannot be written");
}

TEST_F(SandboxProcess, AStandardStreamStaysOpenAfterTheReadyLine) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    const std::filesystem::path copy = folder_ / ("stream" + std::to_string(stream));
    const std::string line = child_.start([&](int tell) {
      ::dup2(::open(copy.c_str(), O_WRONLY | O_CREAT, S_IRUSR | S_IWUSR), stream);
      options_.ready_fd = stream;
      const auto write_out = [&](std::string_view text) {
        const bool is_open = ::fcntl(stream, F_GETFD) >= 0;
        const bool is_told = is_open && write_all(tell, text) == Written::whole;
        ::close(tell);
        return is_told ? text.size() : 0;
      };
      return serve(options_, write_out, [](std::string_view text) { return text.size(); }) ? 0 : 9;
    });
    EXPECT_NE(line, "") << stream;
    EXPECT_EQ(line, file_text(copy)) << stream;
    EXPECT_EQ(stop(SIGTERM), 0) << stream;
  }
}

TEST_F(SandboxProcess, ARemotelyReachableAddressRequiresAllowRemote) {
  options_.host = "0.0.0.0";
  std::string told;
  const auto served = serve(options_, keep_in(told), log_to(STDERR_FILENO));
  ASSERT_FALSE(served.has_value());
  EXPECT_NE(served.error().find("--allow-remote"), std::string::npos);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
