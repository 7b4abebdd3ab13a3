// The C library's file calls of this binary. Those of a simulated process (world.h) on its disk may fail, be torn
// or be its last, and their changes are recorded as not yet synced; all others go to the kernel unchanged.
//
// The product does not know: the tested code is what users run.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <string>

#include "vopr/world.h"

namespace svc::vopr {
namespace {

struct OpenFile {
  Process* process = nullptr;
  std::string_view path;
};

// The running process, if the file is on its disk.
OpenFile file_of(int descriptor) {
  Process* const process = running();
  if (process == nullptr) return {};
  const std::string_view path = process->disk.path_of(descriptor);
  if (path.empty()) return {};
  return {.process = process, .path = path};
}

Process* process_of(const char* path) {
  Process* const process = running();
  return process != nullptr && process->disk.holds(path) ? process : nullptr;
}

int fail(int error) {
  errno = error;
  return -1;
}

// The result of an all-or-nothing call: -1 if it fails before anything happened.
template <class Call>
int all_or_nothing(Process& process, std::string_view name, std::string_view path, Call call) {
  switch (process.file_fate({.name = name, .path = path})) {
    case FileFate::killed_before:
    case FileFate::killed_within: process.die(); return fail(EIO);
    case FileFate::failed:
    case FileFate::full:
    case FileFate::in_part: return fail(EIO);
    case FileFate::killed_after: {
      const int result = call();
      process.die();
      return result < 0 ? result : fail(EIO);
    }
    case FileFate::done: return call();
  }
  return fail(EIO);
}

bool is_there(const char* path) {
  return ::syscall(SYS_access, path, F_OK) == 0;
}

int raw_open(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  Process* const process = folder == AT_FDCWD || path[0] == '/' ? process_of(path) : nullptr;
  if (process == nullptr) return raw_open(folder, path, flags, mode);
  if (process->is_dead()) return fail(EIO);
  const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  const bool is_new = (flags & O_CREAT) != 0 && !is_there(path);
  const auto open_it = [&] {
    const int descriptor = raw_open(AT_FDCWD, path, flags & ~O_TRUNC, mode);
    if (descriptor < 0) return descriptor;
    process->disk.opened(descriptor, path, is_new);
    if ((flags & O_TRUNC) != 0 && !is_new) {
      process->disk.will_cut(descriptor, 0);
      (void)::syscall(SYS_ftruncate, descriptor, 0);
    }
    return descriptor;
  };
  if (!changes || (!is_new && (flags & O_TRUNC) == 0)) return open_it();
  switch (process->file_fate({.name = "open", .path = path})) {
    case FileFate::done: return open_it();
    case FileFate::killed_after:
      if (const int descriptor = open_it(); descriptor >= 0) {
        process->disk.closed(descriptor);
        (void)::syscall(SYS_close, descriptor);
      }
      process->die();
      return fail(EIO);
    case FileFate::killed_before:
    case FileFate::killed_within: process->die(); return fail(EIO);
    default: return fail(EIO);
  }
}

off_t end_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

ssize_t raw_write(int descriptor, const void* bytes, std::size_t size, off_t at) {
  return at < 0 ? ::syscall(SYS_write, descriptor, bytes, size) : ::syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

// At the descriptor's own position if `at` is negative.
ssize_t write_file(int descriptor, const void* bytes, std::size_t size, off_t at) {
  const auto [process, path] = file_of(descriptor);
  if (process == nullptr) return raw_write(descriptor, bytes, size, at);
  const auto place = [&] {
    if (at >= 0) return at;
    const bool appends = (::syscall(SYS_fcntl, descriptor, F_GETFL) & O_APPEND) != 0;
    return appends ? end_of(descriptor) : static_cast<off_t>(::syscall(SYS_lseek, descriptor, 0, SEEK_CUR));
  };
  const auto put = [&, of = process](std::size_t count) {
    of->disk.will_write(descriptor, place(), {static_cast<const char*>(bytes), count});
    return raw_write(descriptor, bytes, count, at);
  };
  const bool grows = place() + static_cast<off_t>(size) > end_of(descriptor);
  switch (process->file_fate({.name = "write", .path = path, .bytes = size, .grows = grows})) {
    case FileFate::done: return put(size);
    case FileFate::failed: errno = EIO; return -1;
    case FileFate::full: errno = ENOSPC; return -1;
    case FileFate::in_part: return put(1 + process->chance.below(size - 1));
    case FileFate::killed_before: break;
    case FileFate::killed_within: (void)put(1 + process->chance.below(size - 1)); break;
    case FileFate::killed_after: (void)put(size); break;
  }
  process->die();
  errno = EIO;
  return -1;
}

int cut_file(int descriptor, off_t size) {
  const auto [process, path] = file_of(descriptor);
  const auto cut = [&] { return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size)); };
  if (process == nullptr) return cut();
  return all_or_nothing(*process, "ftruncate", path, [&, of = process] {
    of->disk.will_cut(descriptor, size);
    return cut();
  });
}

int sync_file(int descriptor, long number) {
  const auto [process, path] = file_of(descriptor);
  const auto sync = [&] { return static_cast<int>(::syscall(number, descriptor)); };
  if (process == nullptr) return sync();
  return all_or_nothing(*process, "fsync", path, [&, of = process] {
    of->disk.synced(descriptor);
    return 0;
  });
}

int remove_file(const char* path) {
  const auto remove = [&] { return static_cast<int>(::syscall(SYS_unlink, path)); };
  Process* const process = process_of(path);
  if (process == nullptr || !is_there(path)) return remove();
  return all_or_nothing(*process, "unlink", path, [&] {
    process->disk.will_remove(path);
    return remove();
  });
}

int rename_file(const char* from, const char* to) {
  const auto rename = [&] { return static_cast<int>(::syscall(SYS_rename, from, to)); };
  Process* const process = process_of(to);
  if (process == nullptr || !is_there(from)) return rename();
  return all_or_nothing(*process, "rename", to, [&] {
    process->disk.will_rename(from, to);
    return rename();
  });
}

int link_file(const char* from, const char* to) {
  const auto link = [&] { return static_cast<int>(::syscall(SYS_link, from, to)); };
  Process* const process = process_of(to);
  if (process == nullptr) return link();
  return all_or_nothing(*process, "link", to, [&] {
    const int result = link();
    if (result == 0) process->disk.linked(to);
    return result;
  });
}

int make_folder(const char* path, mode_t mode) {
  const auto make = [&] { return static_cast<int>(::syscall(SYS_mkdir, path, mode)); };
  Process* const process = process_of(path);
  if (process == nullptr || is_there(path)) return make();
  return all_or_nothing(*process, "mkdir", path, [&] {
    const int result = make();
    if (result == 0) process->disk.made_folder(path);
    return result;
  });
}

// Instead of blocking, lets the others run.
int lock_file(int descriptor, int operation) {
  const auto lock = [&](int how) { return static_cast<int>(::syscall(SYS_flock, descriptor, how)); };
  Process* const process = file_of(descriptor).process;
  const bool may_wait = (operation & (LOCK_NB | LOCK_UN)) == 0;
  if (process == nullptr || !may_wait || !process->is_client) return lock(operation);
  while (!process->is_dead()) {
    if (lock(operation | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK) return -1;
    process->world.pause(1);
  }
  return fail(EIO);
}

int close_file(int descriptor) {
  if (Process* const process = running(); process != nullptr) process->disk.closed(descriptor);
  return static_cast<int>(::syscall(SYS_close, descriptor));
}

}  // namespace
}  // namespace svc::vopr

// The C library prescribes names and types.
extern "C" {

#define SVC_OPEN_ARGUMENTS(flags, last)                      \
  mode_t mode = 0;                                           \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {              \
    va_list arguments;                                       \
    va_start(arguments, last);                               \
    mode = static_cast<mode_t>(va_arg(arguments, unsigned)); \
    va_end(arguments);                                       \
  }

int open(const char* path, int flags, ...) {
  SVC_OPEN_ARGUMENTS(flags, flags)
  return svc::vopr::open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  SVC_OPEN_ARGUMENTS(flags, flags)
  return svc::vopr::open_file(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  SVC_OPEN_ARGUMENTS(flags, flags)
  return svc::vopr::open_file(folder, path, flags, mode);
}
// Called by hardened builds if there is no mode.
int __open_2(const char* path, int flags) {
  return svc::vopr::open_file(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char* path, int flags) {
  return svc::vopr::open_file(AT_FDCWD, path, flags, 0);
}
int __openat_2(int folder, const char* path, int flags) {
  return svc::vopr::open_file(folder, path, flags, 0);
}
int close(int descriptor) {
  return svc::vopr::close_file(descriptor);
}
ssize_t write(int descriptor, const void* bytes, size_t size) {
  return svc::vopr::write_file(descriptor, bytes, size, -1);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  return svc::vopr::write_file(descriptor, bytes, size, at);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
  return svc::vopr::write_file(descriptor, bytes, size, at);
}
ssize_t writev(int descriptor, const struct iovec* pieces, int count) {
  if (svc::vopr::file_of(descriptor).process == nullptr) return ::syscall(SYS_writev, descriptor, pieces, count);
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  return svc::vopr::write_file(descriptor, bytes.data(), bytes.size(), -1);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return svc::vopr::cut_file(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  return svc::vopr::cut_file(descriptor, size);
}
int fsync(int descriptor) {
  return svc::vopr::sync_file(descriptor, SYS_fsync);
}
int fdatasync(int descriptor) {
  return svc::vopr::sync_file(descriptor, SYS_fdatasync);
}
int unlink(const char* path) noexcept {
  return svc::vopr::remove_file(path);
}
int rename(const char* from, const char* to) noexcept {
  return svc::vopr::rename_file(from, to);
}
int link(const char* from, const char* to) noexcept {
  return svc::vopr::link_file(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return svc::vopr::make_folder(path, mode);
}
int flock(int descriptor, int operation) noexcept {
  return svc::vopr::lock_file(descriptor, operation);
}
}
