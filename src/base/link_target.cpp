#include "base/link_target.h"

#include <system_error>

namespace svc {

std::filesystem::path link_target(const std::filesystem::path& file) {
  constexpr int links_max = 40;  // as many as the system follows
  std::filesystem::path target = file;
  for (int i = 0; i < links_max; ++i) {
    std::error_code no_link;
    const auto next = std::filesystem::read_symlink(target, no_link);
    if (no_link) break;
    target = target.parent_path() / next;
  }
  return target;
}

}  // namespace svc
