#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace svc {
namespace {

// In a folder such as /tmp, where everybody makes files, a link may be a trap. It is trusted there if we or the owner
// of the folder made it; with fs.protected_symlinks the system has the same rule.
bool is_trusted(const std::filesystem::path& link) {
  struct stat own {};
  struct stat folder {};
  const std::filesystem::path parent = link.has_parent_path() ? link.parent_path() : ".";
  if (::lstat(link.c_str(), &own) != 0 || ::stat(parent.c_str(), &folder) != 0) return false;
  const bool is_shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return !is_shared || own.st_uid == ::geteuid() || own.st_uid == folder.st_uid;
}

// Keeps the reason of what failed before.
void unlink_quietly(const std::string& name) {
  const int why = errno;
  ::unlink(name.c_str());
  errno = why;
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

std::string file_text(const std::filesystem::path& file) {
  std::string text;
  const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (handle && ::fstat(handle.get(), &status) == 0 && S_ISREG(status.st_mode))
    static_cast<void>(read_all(handle.get(), std::string::npos, text));
  return text;
}

std::filesystem::path make_folders(const std::filesystem::path& folder) {
  if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) return {};
  if (auto failed = make_folders(folder.parent_path()); !failed.empty()) return failed;
  if (::mkdir(folder.c_str(), 0700) != 0) return errno == EEXIST ? std::filesystem::path() : folder;
  // A umask such as 0177 takes from the owner what makes a folder usable.
  return ::chmod(folder.c_str(), 0700) == 0 ? std::filesystem::path() : folder;
}

bool write_and_sync(const Descriptor& file, std::string_view text) {
  return write_all(file.get(), text) == Written::whole && ::fsync(file.get()) == 0;
}

bool sync_folder(const std::filesystem::path& folder) {
  const Descriptor handle(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return handle && ::fsync(handle.get()) == 0;
}

std::optional<FileBeside> write_beside(const std::filesystem::path& file, std::string_view text, mode_t mode) {
  std::string name = file.string() + std::string(beside_suffix);
  Descriptor handle(::mkostemp(name.data(), O_CLOEXEC));
  if (!handle) return std::nullopt;
  ::flock(handle.get(), LOCK_EX | LOCK_NB);
  if (::fchmod(handle.get(), mode) == 0 && write_and_sync(handle, text))
    return FileBeside{std::move(name), std::move(handle)};
  unlink_quietly(name);
  return std::nullopt;
}

bool rename_over(const FileBeside& beside, const std::filesystem::path& file) {
  if (::rename(beside.name.c_str(), file.c_str()) == 0) return true;
  unlink_quietly(beside.name);
  return false;
}

}  // namespace svc
