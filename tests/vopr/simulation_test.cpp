// Runs many worlds by seed. SVC_PROPERTY_SEED moves the search and SVC_VOPR_SEEDS widens it; SVC_VOPR_SEED runs one
// world and prints its story. A failure prints the shortest failing plan found, and its story.
#include "vopr/simulation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "surroundings.h"

namespace svc::vopr {
namespace SVC_FILE {

using test::setting;

// A folder of this process, deleted at its end.
class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code error;
    const auto root = std::filesystem::is_directory(memory, error) ? memory : std::filesystem::temp_directory_path();
    path_ = root / ("svc-vopr-" + std::to_string(::getpid()));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

TEST(Simulation, KeepsItsPromisesInEveryWorld) {
  constexpr std::uint64_t usual_seeds = 60;
  const std::size_t shrinking_runs = setting("SVC_VOPR_SHRINKING", 300);
  const Folder folder;
  const std::uint64_t one = setting("SVC_VOPR_SEED", 0);
  const std::uint64_t first = one != 0 ? one : setting("SVC_PROPERTY_SEED", 1);
  const std::uint64_t seeds = one != 0 ? 1 : setting("SVC_VOPR_SEEDS", usual_seeds);
  std::array<std::uint64_t, fault_count> injected{};
  std::uint64_t events = 0, writes = 0, starts = 0, wrong = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Plan plan = draw_plan(seed);
    const Verdict verdict = simulate(plan, folder.path());
    for (std::size_t i = 0; i < fault_count; ++i) injected[i] += verdict.injected[i];
    events += verdict.events;
    writes += verdict.writes_there;
    starts += verdict.starts;
    if (one != 0) std::cout << describe(plan) << "\n" << lines_of(verdict.story);
    if (verdict.complaints.empty()) continue;
    ++wrong;
    const Plan shortest = shrink(plan, folder.path(), shrinking_runs);
    const Verdict again = simulate(shortest, folder.path());
    ADD_FAILURE() << describe(plan) << "\n"
                  << lines_of(verdict.complaints) << "shrunk to " << describe(shortest) << "\n"
                  << lines_of(again.complaints) << "story\n"
                  << lines_of(again.story);
    if (wrong >= setting("SVC_VOPR_FAILURES", 1)) break;
  }
  const auto took_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
  std::cout << seeds << " seeds from " << first << ", " << events << " events, " << writes << " writes, " << starts
            << " starts of the exchange, " << took_ms << " ms\n";
  for (std::size_t i = 0; i < fault_count; ++i)
    std::cout << injected[i] << " " << to_string(static_cast<Fault>(i)) << "\n";
}

TEST(Simulation, IsAFunctionOfItsSeed) {
  const Folder folder;
  for (const std::uint64_t seed : {3u, 7u, 11u}) {
    const Plan plan = draw_plan(seed);
    const Verdict once = simulate(plan, folder.path());
    const Verdict again = simulate(plan, folder.path());
    EXPECT_EQ(lines_of(once.story), lines_of(again.story)) << "seed " << seed;
    EXPECT_GT(once.story.size(), plan.steps.size());
  }
}

}  // namespace SVC_FILE
}  // namespace svc::vopr
