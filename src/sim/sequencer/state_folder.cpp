#include "sim/sequencer/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace svc::sim {
namespace {

std::string text_of(int lock) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(lock, text.data(), text.size(), 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool put_text(int lock, std::string_view text) {
  return ::ftruncate(lock, 0) == 0 && ::pwrite(lock, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::string holder_of(int lock) {
  std::string pid = text_of(lock);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

Result<StateFolder, std::string> StateFolder::open(const std::filesystem::path& folder, const TryAgain& try_again) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    if (std::filesystem::create_directories(folder, error); error)
      return unexpected("--state: cannot create " + folder.string() + ": " + error.message());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (!std::filesystem::is_directory(folder, error)) return unexpected("--state: " + folder.string() + " is no folder");
  const std::filesystem::path path = folder / "lock";
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return unexpected("--state: cannot open " + path.string() + ": " + std::strerror(errno));
  while (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = holder_of(lock);
    if (try_again && try_again(holder)) continue;
    ::close(lock);
    return unexpected("--state: " + holder + " uses " + folder.string() + " already");
  }
  StateFolder state(folder, lock, text_of(lock));
  if (!put_text(lock, std::to_string(::getpid()) + "\n"))
    return unexpected("--state: cannot write " + path.string() + ": " + std::strerror(errno));
  return state;
}

StateFolder::StateFolder(StateFolder&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)), found_(std::move(other.found_)) {}

StateFolder::~StateFolder() {
  if (lock_ < 0) return;
  if (!found_.empty()) (void)put_text(lock_, found_);
  ::close(lock_);  // which unlocks it
}

std::filesystem::path StateFolder::journal_of(std::string_view network) const {
  return folder_ / (std::string(network) + ".db");
}

}  // namespace svc::sim
