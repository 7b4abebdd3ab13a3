#include "cli/config/settings_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/files/private_file.h"

namespace svc::cli {

Result<std::optional<std::string>, Failure> read_settings(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>{};
    return unexpected(usage_error("cannot read " + file.string() + ": " + std::strerror(errno)));
  }
  struct stat status {};
  const bool own = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                   (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & 022) == 0;
  Result<std::string, Failure> text = unexpected(Failure{});
  if (own) text = read_descriptor(descriptor, file.string(), settings_file_bytes_max);
  ::close(descriptor);
  if (!own) {
    Failure failure = guard("file_mode", file.string() + " belongs to somebody else or can be written by others");
    failure.actions = {"chmod go-w " + file.string()};
    return unexpected(std::move(failure));
  }
  if (!text) return unexpected(text.error());
  return std::optional(std::move(*text));
}

Result<std::optional<ProjectFile>, Failure> find_project(const std::filesystem::path& from) {
  for (std::filesystem::path folder = from;; folder = folder.parent_path()) {
    const std::filesystem::path file = folder / ".svc.toml";
    auto text = SVC_TRY(read_settings(file));
    if (text) return std::optional(ProjectFile{file, std::move(*text)});
    if (folder == folder.parent_path()) return std::optional<ProjectFile>{};
  }
}

}  // namespace svc::cli
