// Runs one world from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vopr/plan.h"

namespace svc::vopr {

struct Verdict {
  std::vector<std::string> complaints;  // empty: all promises were kept
  std::vector<std::string> story;
  std::array<std::uint64_t, fault_count> injected{};
  std::uint64_t events = 0;
  std::uint64_t writes_there = 0;
  std::uint64_t starts = 0;  // of the exchange
};

// `folder`: where the world's disks are, on a memory file system.
[[nodiscard]] Verdict simulate(const Plan& plan, const std::filesystem::path& folder);

// A plan with fewer steps and faults that still fails. Tries at most `runs` plans.
[[nodiscard]] Plan shrink(Plan plan, const std::filesystem::path& folder, std::size_t runs);

}  // namespace svc::vopr
