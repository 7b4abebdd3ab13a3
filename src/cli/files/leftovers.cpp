#include "cli/files/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

// "w.json.aB3dE6": six characters by mkostemp.
bool is_name_of_leftover(const std::string& name) {
  constexpr std::string_view suffix = ".json.";
  constexpr std::size_t chance_chars = 6;
  return name.size() > suffix.size() + chance_chars &&
         name.compare(name.size() - suffix.size() - chance_chars, suffix.size(), suffix) == 0;
}

// One that is empty still may belong to a writer that has not locked it yet; nothing is lost with it.
bool is_left_behind(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool left = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
                    ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return left;
}

}  // namespace

Result<void, Failure> sweep_leftovers(const fs::path& folder) {
  std::vector<fs::path> left;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_name_of_leftover(at->path().filename().string()) && is_left_behind(at->path())) left.push_back(at->path());
  }
  for (const fs::path& file : left) {
    SVC_TRY(remove_private(file));
  }
  return {};
}

}  // namespace svc::cli
