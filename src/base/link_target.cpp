#include "base/link_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace svc {
namespace {

// In a folder such as /tmp, where everybody makes files, a link may be somebody's trap: it is followed only if it is
// ours or the folder owner's, as the system does with fs.protected_symlinks.
bool is_trusted(const std::filesystem::path& link) {
  struct stat own {};
  struct stat folder {};
  const std::filesystem::path parent = link.has_parent_path() ? link.parent_path() : ".";
  if (::lstat(link.c_str(), &own) != 0 || ::stat(parent.c_str(), &folder) != 0) return false;
  const bool is_shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return !is_shared || own.st_uid == ::geteuid() || own.st_uid == folder.st_uid;
}

}  // namespace

std::filesystem::path link_target(const std::filesystem::path& file) {
  constexpr int links_max = 40;  // as many as the system follows
  std::filesystem::path target = file;
  for (int i = 0; i < links_max; ++i) {
    std::error_code no_link;
    const auto next = std::filesystem::read_symlink(target, no_link);
    if (no_link || !is_trusted(target)) break;
    target = target.parent_path() / next;
  }
  return target;
}

}  // namespace svc
