// Every scenario file of this folder passes, invariants after each step included.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "sim/scenario/scenario_file.h"
#include "surroundings.h"

namespace svc::sim::scenario {
namespace SVC_FILE {

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / "tests/scenario")) {
    const auto kind = entry.path().extension();
    if (kind == ".json" || kind == ".scenario") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  EXPECT_TRUE(std::filesystem::exists(file)) << file;
  return file_text(file);
}

class ScenarioFiles : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioFiles, EveryStoryEndsAsExpected) {
  const auto report = run_scenarios(text_of(GetParam()));
  ASSERT_TRUE(report) << report.error();
  for (const ScenarioResult& result : report->results) {
    EXPECT_NE(result.verdict, Verdict::failed) << result.id << " " << result.title;
    for (const std::string& difference : result.differences) ADD_FAILURE() << result.id << ": " << difference;
  }
}

// Nothing is wrong in them, so an update has nothing to write.
TEST_P(ScenarioFiles, AnUpdateLeavesThemAsTheyAre) {
  if (!GetParam().ends_with(".scenario")) return;
  const std::string text = text_of(GetParam());
  const auto updated = update_story_text(text);
  ASSERT_TRUE(updated) << updated.error();
  EXPECT_EQ(*updated, text);
}

std::string file_name(const testing::TestParamInfo<std::string>& info) {
  const std::filesystem::path path = info.param;
  return path.stem().string() + "_" + path.extension().string().substr(1);
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioFiles, testing::ValuesIn(scenario_files()), file_name);

}  // namespace SVC_FILE
}  // namespace svc::sim::scenario
