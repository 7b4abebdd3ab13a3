// Where a path leads.
#pragma once

#include <filesystem>

namespace svc {

// The path with the links at its end followed, also to a file that does not exist yet: a file that is replaced by a
// rename stays behind the links that its user made. A stranger's link in a shared folder is not followed.
[[nodiscard]] std::filesystem::path link_target(const std::filesystem::path& file);

}  // namespace svc
