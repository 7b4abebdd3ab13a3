// What writers that were killed left beside the files that they wrote.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

// Removes it from the folder and all below it. Those that live hold the lock of what they write.
[[nodiscard]] Result<void, Failure> sweep_leftovers(const std::filesystem::path& folder);

}  // namespace svc::cli
