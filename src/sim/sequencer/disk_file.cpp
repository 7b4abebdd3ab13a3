#include "sim/sequencer/disk_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace svc::sim {
namespace {

sqlite3_vfs* vfs_of(const DiskName& disk) {
  return sqlite3_vfs_find(disk.empty() ? nullptr : disk.c_str());
}

// As SQLite names files to a VFS.
std::string full_name(sqlite3_vfs& vfs, const std::filesystem::path& path) {
  std::vector<char> name(static_cast<std::size_t>(vfs.mxPathname) + 1);
  if (vfs.xFullPathname(&vfs, path.c_str(), static_cast<int>(name.size()), name.data()) != SQLITE_OK) return path;
  return name.data();
}

}  // namespace

Result<DiskFile, std::string> DiskFile::open(const std::filesystem::path& path, Access access, const DiskName& disk) {
  sqlite3_vfs* const vfs = vfs_of(disk);
  if (vfs == nullptr) return unexpected("there is no disk named " + disk);
  if (access == Access::write) SVC_TRY(create(path, disk));
  auto* const memory = static_cast<sqlite3_file*>(std::calloc(1, static_cast<std::size_t>(vfs->szOsFile)));
  if (memory == nullptr) return unexpected("cannot open " + path.string() + ": out of memory");
  std::unique_ptr<sqlite3_file, Close> file(memory);
  // Of all kinds of files this is the one from which a VFS expects nothing.
  const int kind = SQLITE_OPEN_SUPER_JOURNAL;
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const std::string name = full_name(*vfs, path);
  if (const int opened = vfs->xOpen(vfs, name.c_str(), memory, kind | flags, nullptr); opened != SQLITE_OK)
    return unexpected("cannot open " + path.string() + ": " + sqlite3_errstr(opened));
  return DiskFile(std::move(file));
}

bool DiskFile::is_there(const std::filesystem::path& path, const DiskName& disk) {
  sqlite3_vfs* const vfs = vfs_of(disk);
  int there = 0;
  return vfs != nullptr &&
         vfs->xAccess(vfs, full_name(*vfs, path).c_str(), SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK && there != 0;
}

Result<void, std::string> DiskFile::create(const std::filesystem::path& path, const DiskName& disk) {
  if (!disk.empty()) return {};
  // SQLite gives the files beside it the mode of this one.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return unexpected("cannot open " + path.string() + ": " + std::strerror(errno));
  ::close(descriptor);
  return {};
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
