#include "sim/control/controlled_venue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "api/codec.h"
#include "base/files.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

ReadyReport sample() {
  ReadyReport report;
  report.name = "default";
  report.url = "http://127.0.0.1:9090";
  report.ws = "ws://127.0.0.1:9090/v1";
  report.control = "http://127.0.0.1:9090/_svc";
  report.network = "local";
  report.deployment = "svc-local";
  report.domain_name = "Svc Exchange";
  report.pid = 42;
  report.seed = 7;
  report.accounts = {{.index = 0,
                      .address = *parse_address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
                      .private_key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
                      .balance = api::DecimalText("100000")}};
  return report;
}

TEST(ReadyReport, IsOneLineThatNamesEveryUrl) {
  EXPECT_EQ(
      api::to_json(sample()),
      R"({"name":"default","url":"http://127.0.0.1:9090","ws":"ws://127.0.0.1:9090/v1",)"
      R"("control":"http://127.0.0.1:9090/_svc","network":"local","deployment":"svc-local",)"
      R"("domain_name":"Svc Exchange","pid":42,"seed":7,"accounts":[{"index":0,)"
      R"("address":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",)"
      R"("private_key":"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80","balance":"100000"}]})");
}

TEST(ReadyReport, NamesWhereToReachTheSandbox) {
  for (const auto& [host, place] : std::map<std::string, std::string>{{"127.0.0.1", "127.0.0.1:9090"},
                                                                      {"localhost", "127.0.0.1:9090"},
                                                                      {"::1", "[::1]:9090"},
                                                                      {"0.0.0.0", "127.0.0.1:9090"},
                                                                      {"::", "[::1]:9090"},
                                                                      {"0::0", "[::1]:9090"},
                                                                      {"::ffff:0.0.0.0", "127.0.0.1:9090"},
                                                                      {"192.0.2.0", "192.0.2.0:9090"}}) {
    SandboxOptions options;
    options.allow_remote = true;
    options.host = host;
    const ReadyReport report = TestExchange(options).sandbox.report();
    EXPECT_EQ(report.url, "http://" + place);
    EXPECT_EQ(report.ws, "ws://" + place + "/v1");
    EXPECT_EQ(report.control, "http://" + place + "/_svc");
  }
}

TEST(ReadyReport, OddTextInSettingsStaysOneValidLine) {
  ReadyReport report = sample();
  report.deployment = "a\"b\nc\xff";
  const std::string line = api::to_json(report);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(line)["deployment"], "a\"b\nc\xef\xbf\xbd");
}

class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/svc-whole-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(WholeFile, ReplacesTheTargetAndLeavesNothingElse) {
  const auto path = folder_ / "deep" / "er" / "ready.json";
  ASSERT_TRUE(write_whole_file(path, "first, the longer one\n").has_value());
  ASSERT_TRUE(write_whole_file(path, "second\n").has_value());
  EXPECT_EQ(file_text(path), "second\n");
  const std::filesystem::directory_iterator entries(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(WholeFile, IsReadableByItsOwnerOnly) {
  const auto path = folder_ / "ready.json";
  ASSERT_TRUE(write_whole_file(path, "x").has_value());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(WholeFile, WritesIntoNoFileThatSomebodyPrepared) {
  const auto path = folder_ / "dump.json";
  const std::string prepared = path.string() + "." + std::to_string(::getpid()) + ".part";
  std::ofstream(prepared) << "theirs";
  ASSERT_EQ(::chmod(prepared.c_str(), 0666), 0);
  ASSERT_TRUE(write_whole_file(path, "a secret").has_value());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(file_text(prepared), "theirs");
  EXPECT_EQ(file_text(path), "a secret");
}

TEST_F(WholeFile, EachFolderThatItMakesIsItsOwnersOnly) {
  const mode_t before = ::umask(0);
  const auto written = write_whole_file(folder_ / "deep" / "er" / "ready.json", "x");
  ::umask(before);
  ASSERT_TRUE(written.has_value()) << written.error();
  for (const char* made : {"deep", "deep/er"})
    EXPECT_EQ(std::filesystem::status(folder_ / made).permissions(), std::filesystem::perms::owner_all) << made;
}

TEST_F(WholeFile, ALinkStaysAndLeadsToTheNewFile) {
  std::filesystem::create_directory(folder_ / "kept");
  std::ofstream(folder_ / "kept" / "real") << "old";
  std::filesystem::create_symlink("kept/real", folder_ / "link");
  std::filesystem::create_symlink("kept/later", folder_ / "dangling");
  for (const char* name : {"link", "dangling"}) {
    ASSERT_TRUE(write_whole_file(folder_ / name, "new").has_value());
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / name)) << name;
    EXPECT_EQ(file_text(folder_ / name), "new");
  }
  EXPECT_EQ(file_text(folder_ / "kept" / "real"), "new");
}

// A pipe stands for every device here: a mistake would replace the machine's own.
TEST_F(WholeFile, APipeGetsTheTextAndStays) {
  const auto path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(write_whole_file(path, "x").has_value()) << "nobody reads it";
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_whole_file(path, "text").has_value());
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  EXPECT_STREQ(text, "text");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(WholeFile, ReportsWhatCouldNotBeWritten) {
  const auto path = folder_ / "taken";
  std::filesystem::create_directory(path);
  std::ofstream(path / "inside") << "x";
  const auto result = write_whole_file(path, "x");
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(result.error().starts_with("cannot rename to ")) << result.error();
}

}  // namespace SVC_FILE
}  // namespace svc::sim
