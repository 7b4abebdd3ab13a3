#include "cli/machine/log_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace svc::cli::outbox {
namespace {

namespace fs = std::filesystem;

class LogFolder final : public LogDisk {
 public:
  explicit LogFolder(fs::path folder) : folder_(std::move(folder)) {}

  Result<std::vector<std::string>> names() const override {
    std::vector<std::string> names = SVC_TRY(names_in(folder_));
    std::erase_if(names, [](const std::string& name) { return name == lock_name || name == fresh_name; });
    return names;
  }

  Result<std::string> read(const std::string& name) const override {
    return SVC_TRY(read_private(folder_ / name, std::string::npos)).value_or("");
  }

  Result<std::uint64_t> append(const std::string& name, std::string_view text) override {
    SVC_TRY(open_to_append(name));
    const ssize_t written = TEMP_FAILURE_RETRY(::write(open_.get(), text.data(), text.size()));
    // The rest of a partly written text would follow what other processes appended meanwhile.
    if (written >= 0 && static_cast<std::size_t>(written) < text.size()) errno = ENOSPC;
    if (written < 0 || static_cast<std::size_t>(written) < text.size()) {
      return file_error(folder_ / name, "cannot write");
    }
    struct stat status {};
    if (::fstat(open_.get(), &status) != 0) return file_error(folder_ / name, "cannot examine");
    return static_cast<std::uint64_t>(status.st_size);
  }

  Result<void> sync(const std::string& name) override {
    SVC_TRY(open_to_append(name));
    if (::fsync(open_.get()) != 0) return file_error(folder_ / name, "cannot write");
    if (is_name_synced_) return {};
    SVC_TRY(sync_folder());
    is_name_synced_ = true;
    return {};
  }

  Result<void> add(const std::string& name, std::string_view text) override {
    const fs::path fresh = folder_ / fresh_name;
    ::unlink(fresh.c_str());  // of a killed run
    const auto written = append(std::string(fresh_name), text);
    const auto synced = written ? sync(std::string(fresh_name)) : Result<void>();
    open_ = Descriptor();
    const bool linked = written && synced && ::link(fresh.c_str(), (folder_ / name).c_str()) == 0;
    const int reason = errno;
    // The second name goes when the first is on the disk. (open_to_append)
    const auto named = linked ? sync_folder() : Result<void>();
    if (named) ::unlink(fresh.c_str());
    SVC_TRY(written);
    SVC_TRY(synced);
    errno = reason;
    if (!linked) return file_error(folder_ / name, "cannot make");
    return named;
  }

  Result<std::optional<FileLock>> try_lock(std::uint64_t key, Hold hold) override {
    auto handle = SVC_TRY(open_private(folder_ / lock_name));
    struct flock range = byte_of(key, hold == Hold::alone ? F_WRLCK : F_RDLCK);
    if (TEMP_FAILURE_RETRY(::fcntl(handle.get(), F_OFD_SETLK, &range)) == 0)
      return std::optional(FileLock(std::move(handle)));
    if (errno == EAGAIN || errno == EACCES) return std::optional<FileLock>();
    return file_error(folder_ / lock_name, "cannot lock");
  }

  Result<bool> is_locked(std::uint64_t key) override {
    const auto handle = SVC_TRY(open_private(folder_ / lock_name));
    struct flock range = byte_of(key, F_WRLCK);
    if (::fcntl(handle.get(), F_OFD_GETLK, &range) == 0) return range.l_type != F_UNLCK;
    return file_error(folder_ / lock_name, "cannot examine");
  }

 private:
  static constexpr std::string_view lock_name = "lock";
  static constexpr std::string_view fresh_name = "fresh";  // written under the exclusive lock

  // Of an open file description: two holders in one process exclude each other like those of two processes.
  static struct flock byte_of(std::uint64_t key, int type) {
    struct flock range {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(key >> 2);  // within the range of file offsets
    range.l_len = 1;
    return range;
  }

  Result<void> open_to_append(const std::string& name) {
    if (open_ && open_name_ == name) return {};
    SVC_TRY(make_private_folder(folder_));
    const fs::path file = folder_ / name;
    is_name_synced_ = false;
    open_ = Descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    open_name_ = name;
    if (!open_) return file_error(file, "cannot open");
    const auto sound = check_private(file, open_);
    if (!sound) open_ = Descriptor();
    // A file whose maker was killed before the name was on the disk still has two names.
    struct stat status {};
    is_name_synced_ = sound && name != fresh_name && ::fstat(open_.get(), &status) == 0 && status.st_nlink == 1;
    return sound;
  }

  Result<void> sync_folder() const {
    if (!svc::sync_folder(folder_)) return file_error(folder_, "cannot write");
    return {};
  }

  fs::path folder_;
  Descriptor open_;
  std::string open_name_;
  bool is_name_synced_ = false;  // of the open file
};

}  // namespace

std::unique_ptr<LogDisk> open_log_folder(const fs::path& folder) {
  return std::make_unique<LogFolder>(folder);
}

}  // namespace svc::cli::outbox
