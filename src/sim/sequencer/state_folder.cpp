#include "sim/sequencer/state_folder.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace svc::sim {
namespace {

constexpr std::size_t lock_chars_max = 32;

// What the lock says: a process id, or nothing. Of a longer text, which is none of ours, one character too many.
std::string text_of(int lock) {
  std::array<char, lock_chars_max + 1> text{};
  const ssize_t size = ::pread(lock, text.data(), text.size(), 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool is_text_of_lock(std::string_view text) {
  // A power cut may leave zeros.
  const auto may_be_there = [](char c) { return is_digit(c) || is_blank(c) || c == '\0'; };
  return text.size() <= lock_chars_max && std::ranges::all_of(text, may_be_there);
}

bool put_text(int lock, std::string_view text) {
  return ::ftruncate(lock, 0) == 0 && ::pwrite(lock, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::string holder_of(int lock) {
  std::string pid = text_of(lock);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

sqlite3_vfs* vfs_of(const DiskName& disk) {
  return sqlite3_vfs_find(disk.empty() ? nullptr : disk.c_str());
}

// The name that SQLite passes to a VFS.
std::string full_name(sqlite3_vfs& vfs, const std::filesystem::path& path) {
  std::vector<char> name(static_cast<std::size_t>(vfs.mxPathname) + 1);
  if (vfs.xFullPathname(&vfs, path.c_str(), static_cast<int>(name.size()), name.data()) != SQLITE_OK) return path;
  return name.data();
}

// A pipe would be waited for, and a link may lead to the files of another folder. Folders are not looked into.
Result<void, std::string> check_files(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto kind = entry.symlink_status(error).type();
    // Another sandbox may have the folder still, and removes files of its own.
    if (kind == std::filesystem::file_type::not_found) continue;
    if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::directory)
      return unexpected("--state: " + entry.path().string() + " is no plain file");
  }
  return {};
}

}  // namespace

Result<StateFolder, std::string> StateFolder::open(const std::filesystem::path& folder, const TryAgain& try_again) {
  std::error_code error;
  if (!make_folders(folder).empty())
    return unexpected("--state: cannot create " + folder.string() + ": " + std::strerror(errno));
  if (!std::filesystem::is_directory(folder, error)) return unexpected("--state: " + folder.string() + " is no folder");
  SVC_TRY(check_files(folder));
  SVC_TRY(check_files(folder / "snapshots"));
  const std::filesystem::path path = folder / "lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return unexpected("--state: cannot open " + path.string() + ": " + std::strerror(errno));
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = holder_of(lock.get());
    const std::string reason = holder + " uses " + folder.string();
    if (try_again && try_again(reason)) continue;
    return unexpected("--state: " + reason + " already");
  }
  std::string found = text_of(lock.get());
  // The text of a lock is replaced. A file of that name with any other text is somebody's, and stays as it is.
  if (!is_text_of_lock(found))
    return unexpected("--state: " + path.string() + " is not the lock of a sandbox; if nobody needs it, remove it");
  StateFolder state(folder, std::move(lock), std::move(found));
  if (!put_text(state.lock_.get(), std::to_string(::getpid()) + "\n"))
    return unexpected("--state: cannot write " + path.string() + ": " + std::strerror(errno));
  return state;
}

StateFolder::~StateFolder() {
  if (lock_ && !found_.empty()) (void)put_text(lock_.get(), found_);
}

// The open lock keeps its inode, so that no other file can have the same one.
std::string StateFolder::problem() const {
  struct stat locked {};
  struct stat found {};
  const bool is_there = ::fstat(lock_.get(), &locked) == 0 && ::stat((folder_ / "lock").c_str(), &found) == 0 &&
                        locked.st_dev == found.st_dev && locked.st_ino == found.st_ino;
  return is_there ? std::string()
                  : folder_.string() +
                        " is not the folder that was opened: it was moved, removed or replaced, or its "
                        "lock was; put it back, or start again";
}

Result<DiskFile, std::string> DiskFile::open(const std::filesystem::path& path, Access access, const DiskName& disk) {
  sqlite3_vfs* const vfs = vfs_of(disk);
  if (vfs == nullptr) return unexpected("there is no disk named " + disk);
  if (access == Access::write) SVC_TRY(create(path, disk));
  auto* const memory = static_cast<sqlite3_file*>(std::calloc(1, static_cast<std::size_t>(vfs->szOsFile)));
  if (memory == nullptr) return unexpected("cannot open " + path.string() + ": out of memory");
  auto name = std::make_unique<const std::string>(full_name(*vfs, path));
  std::unique_ptr<sqlite3_file, Close> file(memory);
  // A VFS expects nothing in particular of this kind of file.
  const int kind = SQLITE_OPEN_SUPER_JOURNAL;
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (const int opened = vfs->xOpen(vfs, name->c_str(), memory, kind | flags, nullptr); opened != SQLITE_OK)
    return unexpected("cannot open " + path.string() + ": " + sqlite3_errstr(opened));
  return DiskFile(std::move(name), std::move(file));
}

bool DiskFile::is_there(const std::filesystem::path& path, const DiskName& disk) {
  sqlite3_vfs* const vfs = vfs_of(disk);
  int there = 0;
  return vfs != nullptr &&
         vfs->xAccess(vfs, full_name(*vfs, path).c_str(), SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK && there != 0;
}

Result<void, std::string> DiskFile::create(const std::filesystem::path& path, const DiskName& disk) {
  if (!disk.empty()) return {};
  // SQLite creates the files beside it with the same mode.
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return unexpected("cannot open " + path.string() + ": " + std::strerror(errno));
  return {};
}

bool DiskFile::sync_folder_of(const std::filesystem::path& path, const DiskName& disk) {
  return !disk.empty() || sync_folder(path.parent_path());
}

std::int64_t DiskFile::size() const {
  sqlite3_int64 size = 0;
  return file_->pMethods->xFileSize(file_.get(), &size) == SQLITE_OK ? size : 0;
}

bool DiskFile::read(std::int64_t at, std::span<char> bytes) const {
  return file_->pMethods->xRead(file_.get(), bytes.data(), static_cast<int>(bytes.size()), at) == SQLITE_OK;
}

bool DiskFile::write(std::int64_t at, std::string_view bytes) {
  return file_->pMethods->xWrite(file_.get(), bytes.data(), static_cast<int>(bytes.size()), at) == SQLITE_OK;
}

bool DiskFile::sync() {
  return file_->pMethods->xSync(file_.get(), SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) == SQLITE_OK;
}

void DiskFile::Close::operator()(sqlite3_file* file) const {
  // Without methods it was never opened.
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  std::free(file);
}

}  // namespace svc::sim
