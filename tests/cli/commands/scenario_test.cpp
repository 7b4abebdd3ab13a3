// `svc local scenario run`: its output, its files, its exit code. And a recording that is no scenario.

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "cli/client_machine.h"
#include "sim/sequencer/full_disk.h"
#include "surroundings.h"

namespace svc::cli {
namespace SVC_FILE {

constexpr std::string_view two_stories =
    "topic two\nmarket X tick 1 lot 1\n"
    "= GOOD it is there\ndeposit bob 10\naccounts\n  name  balance\n  bob   10\n"
    "= BAD it is <not> there # 1\ndeposit bob 10\naccounts\n  name  balance\n  bob   11\n";

constexpr std::string_view formulas = R"({"topic": "f", "vectors": [{"id": "F-1", "given": {}, "expect": {}}]})";

class ScenarioRun : public testing::Test {
 protected:
  std::string path(const std::string& name) { return (machine.home() / name).string(); }
  RunResult run(const std::string& words) { return machine.run("local scenario run " + words); }

  ClientMachine machine;
};

TEST_F(ScenarioRun, ReportsEachScenarioAndTheDifferencesOfFailedOnes) {
  machine.write("two.scenario", two_stories);
  const RunResult ran = run(path("two.scenario"));
  EXPECT_EQ(ran.out,
            "passed   GOOD  it is there\n"
            "failed   BAD  it is <not> there\n"
            "         snapshots.line 10.accounts.bob.balance (line 10): expected 11, got 10\n"
            "1 passed, 1 failed\n");
  EXPECT_EQ(ran.exit, 1);
}

TEST_F(ScenarioRun, AFolderMeansItsFilesWithoutFormulas) {
  std::filesystem::create_directories(machine.home() / "stories/deep");
  machine.write("stories/b.json", formulas);
  machine.write("stories/deep/a.scenario", two_stories.substr(0, two_stories.find("= BAD")));
  machine.write("stories/notes.txt", "not a scenario");
  const RunResult ran = run(path("stories"));
  EXPECT_EQ(ran.out, "skipped  F-1  (no steps: a formula)\npassed   GOOD  it is there\n1 passed, 0 failed\n");
  EXPECT_EQ(ran.exit, 0);
}

TEST_F(ScenarioRun, TapHasAPlanAndAFinalComment) {
  machine.write("two.scenario", two_stories);
  machine.write("f.json", formulas);
  const RunResult ran = run(path("two.scenario") + " " + path("f.json") + " --tap");
  EXPECT_EQ(ran.out,
            "TAP version 13\n1..3\nok 1 - GOOD  it is there\nnot ok 2 - BAD  it is <not> there\n  ---\n  file: \"" +
                path("two.scenario") +
                "\"\n  differences:\n    - \"snapshots.line 10.accounts.bob.balance (line 10): expected 11, got 10\"\n"
                "  ...\nok 3 - F-1 # SKIP no steps: a formula\n# 1 passed, 1 failed\n");
  EXPECT_EQ(ran.exit, 1);
}

TEST_F(ScenarioRun, JunitIsWrittenToAFile) {
  machine.write("two.scenario", two_stories);
  const RunResult ran = run(path("two.scenario") + " --junit " + path("report.xml"));
  EXPECT_TRUE(ran.out.ends_with("1 passed, 1 failed\n"));
  const std::string report = machine.read("report.xml");
  EXPECT_TRUE(has(report, R"(tests="2" failures="1" errors="0" skipped="0")"));
  EXPECT_TRUE(has(report, R"(<testcase classname="two" name="BAD  it is &lt;not&gt; there">)"));
  EXPECT_EQ(run(path("two.scenario") + " --junit " + path("no/such/folder.xml")).exit, 2);
}

TEST_F(ScenarioRun, JsonHasARowForEachScenario) {
  machine.write("two.scenario", two_stories);
  const RunResult ran = run(path("two.scenario") + " --json");
  const Json document = ran.document();
  const Json* rows = document.find("data");
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->items().size(), 2u);
  EXPECT_EQ(rows->items()[1].find("verdict")->text(), "failed");
  EXPECT_EQ(ran.exit, 1);
}

TEST_F(ScenarioRun, AFileThatCannotBeReadIsNamed) {
  machine.write("bad.json", "{\"vectors\": [");
  machine.write("bad.scenario", "market X\n= A b\njump\n");
  std::filesystem::create_directories(machine.home() / "empty");
  const std::pair<std::string, std::string> rows[] = {
      {"", "name a scenario file, or a folder of them"},
      {path("none.json"), "none.json: no such file or folder"},
      {path("empty"), "empty: no .json or .scenario file in this folder"},
      {path("bad.json"), "bad.json: not JSON at line 1, column 14"},
      {path("bad.scenario"), "bad.scenario: line 3: neither a step nor an expectation: jump"},
  };
  for (const auto& [words, message] : rows) {
    const RunResult ran = run(words);
    EXPECT_EQ(ran.exit, 2) << words;
    EXPECT_EQ(ran.out, "") << words;
    EXPECT_TRUE(has(ran.err, message));
  }
}

TEST_F(ScenarioRun, TheExamplesOfTheDocumentPass) {
  const std::string document = file_text(test::source_folder() / "docs/scenarios.md");
  const auto block_after = [&](std::string_view heading, std::string_view fence) {
    const auto at = document.find(fence, document.find(heading)) + fence.size();
    return document.substr(at, document.find("\n```", at) + 1 - at);
  };
  machine.write("example.scenario", block_after("\n## The text\n", "\n```\n"));
  machine.write("example.json", block_after("\n## The JSON\n", "\n```json\n"));
  for (const char* name : {"example.scenario", "example.json"}) {
    const RunResult ran = run(path(name));
    EXPECT_EQ(ran.exit, 0) << name << "\n" << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "1 passed, 0 failed\n"));
  }
}

TEST_F(ScenarioRun, ARecordingSaysThatItEndsWithTheSandbox) {
  machine.run("local flow none");
  machine.run("local reset");
  const RunResult started = machine.run("local record start");
  EXPECT_EQ(started.exit, 0) << started.err;
  EXPECT_TRUE(has(started.err, "lost when the sandbox ends"));
}

TEST_F(ScenarioRun, ARecordingThatIsNoScenarioIsKeptUnderAnotherName) {
  for (const char* line : {"local flow none", "local reset", "local snapshot here", "local record start",
                           "local price BTC-USDX-PERP 61000", "local revert here"}) {
    const RunResult ran = machine.run(line);
    ASSERT_EQ(ran.exit, 0) << line << ran.err;
  }
  const RunResult stopped = machine.run("local record stop " + path("told.scenario"));
  EXPECT_EQ(stopped.exit, 1);
  EXPECT_TRUE(has(stopped.err, "told.scenario.failed"));
  EXPECT_FALSE(std::filesystem::exists(path("told.scenario")));
  EXPECT_TRUE(has(machine.read("told.scenario.failed"), "\nmark BTC-USDX-PERP 61000\n"));
}

TEST_F(ScenarioRun, ASessionWhoseFileCannotBeWrittenIsPrintedOnStandardError) {
  for (const char* line : {"local flow none", "local reset", "local record start", "local price BTC-USDX-PERP 61000"}) {
    const RunResult ran = machine.run(line);
    ASSERT_EQ(ran.exit, 0) << line << ran.err;
  }
  std::optional<sim::FullDisk> full;
  machine.intercept = [&](const api::HttpRequest&) -> Intercepted {
    full.emplace();
    return std::nullopt;
  };
  const RunResult stopped = machine.run("local record stop " + path("told.scenario"));
  full.reset();
  EXPECT_EQ(stopped.exit, 1);
  EXPECT_TRUE(has(stopped.err, "cannot write " + path("told.scenario")));
  EXPECT_TRUE(has(stopped.err, "\nmark BTC-USDX-PERP 61000\n"));
  EXPECT_FALSE(std::filesystem::exists(path("told.scenario"))) << "it would block the name";
}

}  // namespace SVC_FILE
}  // namespace svc::cli
