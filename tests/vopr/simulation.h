// One world from its seed to its verdict.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vopr/plan.h"

namespace svc::vopr {

struct Verdict {
  std::vector<std::string> complaints;  // none: all promises held
  std::vector<std::string> story;
  std::array<std::uint64_t, fault_count> injected{};
  std::uint64_t events = 0;
  std::uint64_t writes_there = 0;
  std::uint64_t starts = 0;  // of the exchange
};

// `folder`: where the disks of the world are, on a memory file system.
[[nodiscard]] Verdict simulate(const Plan& plan, const std::filesystem::path& folder);

// A plan with fewer steps and fewer kinds of faults that fails as well. At most `runs` are tried.
[[nodiscard]] Plan shrink(Plan plan, const std::filesystem::path& folder, std::size_t runs);

}  // namespace svc::vopr
