// Sandboxes of this user that run now, as their files in the runtime folder tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/files/paths.h"

namespace svc::cli {

struct RunningSandbox {
  std::string name;
  std::string url;  // host root
  std::int64_t pid = 0;
};

// Only those that take requests and whose process exists, by name. Files left behind by a killed sandbox are passed
// over.
[[nodiscard]] std::vector<RunningSandbox> running_sandboxes(const Paths& paths);

// Those that have their name and no address yet; `url` is empty.
[[nodiscard]] std::vector<RunningSandbox> starting_sandboxes(const Paths& paths);

}  // namespace svc::cli
