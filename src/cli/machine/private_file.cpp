#include "cli/machine/private_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/files.h"

namespace svc::cli {
namespace {

using std::filesystem::path;

thread_local const LooseFiles::Tell* tell_of_loose_files = nullptr;

Failure loose_mode(const path& file, std::string_view what, std::string_view mode) {
  return guard("file_mode", what, " ", file.string(), " can be read or written by others")
      .to_try({join_words({"chmod", std::string(mode), file.string()})});
}

// Refuses a file of ours with a loose mode, unless LooseFiles accepts and reports it.
Result<void> refuse_loose(const path& file, std::string_view what, std::string_view mode) {
  Failure failure = loose_mode(file, what, mode);
  if (tell_of_loose_files == nullptr) return unexpected(std::move(failure));
  (*tell_of_loose_files)(failure);
  return {};
}

// Root can change any folder anyway; anybody else who owns this one could swap its files.
bool is_loose_folder(const struct stat& status) {
  if (status.st_uid == ::geteuid() || ::geteuid() == 0) return (status.st_mode & 077) != 0;
  return status.st_uid != 0 || (status.st_mode & 022) != 0;
}

// The program's own folders end at the one called svc; the modes above it are the user's own affair.
Result<void> check_folder(const path& folder) {
  for (path here = folder; !here.empty() && here.has_relative_path(); here = here.parent_path()) {
    struct stat status {};
    if (::stat(here.c_str(), &status) != 0) return {};  // opening the file will report it
    if (is_loose_folder(status)) SVC_TRY(refuse_loose(here, "the folder", "700"));
    if (here.filename() == "svc") return {};
  }
  return {};
}

constexpr int lock_look_ms = 2;

Result<void> replace(const path& file, std::string_view text, mode_t mode) {
  const auto beside = write_beside(file, text, mode);
  if (!beside || !rename_over(*beside, file)) return file_error(file, "cannot write");
  static_cast<void>(sync_folder(file.parent_path()));
  return {};
}

constexpr mode_t private_mode = 0600;

// systemd lets the user of a unit read root's credential by an access list, which shows as a right of the group.
bool is_credential(const struct stat& status) {
  return status.st_uid == 0 && (status.st_mode & 037) == 0;
}

// root may own our files too; anybody else's file is not trusted.
bool is_loose(const struct stat& status) {
  return (status.st_mode & 077) != 0 || (status.st_uid != ::geteuid() && status.st_uid != 0);
}

Failure no_plain_file(const path& file) {
  return failed(file_error_code, file.string(), " is no plain file").to_try({"ls -l " + file.string()});
}

// The status of an open file of ours. Refuses what is no plain file: reading a pipe could block.
Result<struct stat> examine(const path& file, const Descriptor& handle) {
  struct stat status {};
  if (::fstat(handle.get(), &status) != 0) return file_error(file, "cannot examine");
  if (!S_ISREG(status.st_mode)) {
    return unexpected(no_plain_file(file));
  }
  if (is_loose(status)) SVC_TRY(refuse_loose(file, "the file", "600"));
  return status;
}

constexpr std::size_t chance_chars = beside_suffix.size() - 1;

// "w.json.aB3dE6"
bool is_name_of_leftover(std::string_view name) {
  constexpr std::string_view suffix = ".json.";
  return name.size() > suffix.size() + chance_chars && name.substr(0, name.size() - chance_chars).ends_with(suffix);
}

// An empty one may belong to a writer that has not locked it yet; removing it loses nothing.
bool is_left_behind(const path& file) {
  const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status {};
  return handle && ::fstat(handle.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
         ::flock(handle.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

Failure file_error(const path& file, std::string_view doing, ExitCode exit) {
  return failed(exit, file_error_code, doing, " ", file.string(), ": ", std::strerror(errno));
}

LooseFiles::LooseFiles(bool accepted, Tell tell) : tell_(std::move(tell)), before_(tell_of_loose_files) {
  if (accepted && before_ == nullptr) tell_of_loose_files = &tell_;
}

LooseFiles::~LooseFiles() {
  tell_of_loose_files = before_;
}

Result<void> make_private_folder(const path& folder) {
  if (const path missing = make_folders(folder); !missing.empty()) return file_error(missing, "cannot make");
  return check_folder(folder);
}

Result<std::optional<std::string>> read_private(const path& file, std::size_t bytes_max) {
  const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!handle) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>{};
    return file_error(file, "cannot open");
  }
  SVC_TRY(check_private(file, handle));
  std::string text;
  if (!read_all(handle.get(), bytes_max, text)) return file_error(file, "cannot read");
  return std::optional(std::move(text));
}

Result<void> check_private(const path& file, const Descriptor& handle) {
  SVC_TRY(examine(file, handle));
  return check_folder(file.parent_path());
}

Result<void> write_private(const path& file, std::string_view text) {
  SVC_TRY(make_private_folder(file.parent_path()));
  const path target = link_target(file);
  struct stat status {};
  // A link may lead to a device, which must not be replaced by a file.
  if (target != file && ::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return unexpected(no_plain_file(target));
  return replace(target, text, private_mode);
}

Result<bool> write_new_private(const path& file, std::string_view text) {
  SVC_TRY(make_private_folder(file.parent_path()));
  const auto beside = write_beside(file, text, private_mode);
  if (!beside) return file_error(file, "cannot write");
  const auto linked = rename_to_new(beside->name, file);
  if (!linked || !*linked) ::unlink(beside->name.c_str());
  return linked;
}

Result<bool> rename_to_new(const path& file, const path& name) {
  // Unlike rename(2) and access(2), link(2) checks and takes the name in one step.
  if (::link(file.c_str(), name.c_str()) != 0) {
    if (errno == EEXIST) return false;
    return file_error(name, "cannot make");
  }
  static_cast<void>(sync_folder(name.parent_path()));
  if (::unlink(file.c_str()) != 0) return file_error(file, "cannot remove");
  return true;
}

bool is_taken(const path& file) {
  struct stat status {};
  return ::lstat(file.c_str(), &status) == 0;
}

std::vector<path> leftovers_of(const path& file) {
  const std::string stem = file.filename().string() + ".";
  std::vector<path> left;
  for (const std::string& name : list_private(file.parent_path())) {
    if (name.size() == stem.size() + chance_chars && name.starts_with(stem)) left.push_back(file.parent_path() / name);
  }
  return left;
}

Result<void> append_private(const path& file, std::string_view text) {
  SVC_TRY(make_private_folder(file.parent_path()));
  const Descriptor handle(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!handle) return file_error(file, "cannot open");
  const auto status = SVC_TRY(examine(file, handle));
  const bool fresh = status.st_size == 0;
  if (!write_and_sync(handle, text)) return file_error(file, "cannot write");
  if (fresh) static_cast<void>(sync_folder(file.parent_path()));
  return {};
}

Result<void> check_new_given(const path& file) {
  if (file == "-") return usage_error("- is no file to write to: name a new one, such as ./-");
  if (is_taken(file)) return usage_error(file.string(), " exists already; it is not overwritten");
  const path folder = file.has_parent_path() ? file.parent_path() : path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return file_error(file, "cannot make", ExitCode::usage);
  return {};
}

Result<void> write_new_given(const path& file, std::string_view text) {
  SVC_TRY(check_new_given(file));
  const Descriptor handle(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!handle) return file_error(file, "cannot make", ExitCode::usage);
  if (write_and_sync(handle, text)) return {};
  const Failure failure = file_error(file, "cannot write");
  ::unlink(file.c_str());  // an empty file would be taken for the whole one
  return unexpected(failure);
}

Result<void> replace_given(const path& file, std::string_view text) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return file_error(file, "cannot examine", ExitCode::usage);
  if (!S_ISREG(status.st_mode)) return usage_error(file.string(), " is no plain file");
  return replace(link_target(file), text, status.st_mode & 0777);
}

Result<bool> remove_private(const path& file) {
  if (::unlink(file.c_str()) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return file_error(file, "cannot remove");
}

Result<std::vector<std::string>> names_in(const path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  const bool is_absent = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  errno = error.value();
  if (error && !is_absent) return file_error(folder, "cannot read");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> list_private(const path& folder) {
  auto names = names_in(folder);
  return names ? std::move(*names) : std::vector<std::string>();
}

Result<std::string> read_given(const path& file, std::string_view what, std::size_t bytes_max, LooseMode mode,
                               PipePatience patience_ms) {
  // A pipe that nobody writes to opens at once.
  const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!handle || ::fstat(handle.get(), &status) != 0)
    return file_error(file, "cannot open " + std::string(what), ExitCode::usage);
  const bool is_trusted = mode == LooseMode::accept || !S_ISREG(status.st_mode) || !is_loose(status) ||
                          (mode == LooseMode::accept_credential && is_credential(status));
  if (!is_trusted) return unexpected(loose_mode(file, what, "600"));
  std::string text;
  const bool comes = !S_ISFIFO(status.st_mode) || wait_for_bytes(handle.get(), patience_ms);
  if (comes && read_all(handle.get(), bytes_max, text, patience_ms)) return text;
  return file_error(file, "cannot read " + std::string(what));
}

Result<std::string> read_descriptor(int descriptor, std::string_view what, std::size_t bytes_max,
                                    PipePatience patience_ms) {
  std::string text;
  if (read_all(descriptor, bytes_max, text, patience_ms)) return text;
  return usage_error("cannot read ", what, " from descriptor ", descriptor, ": ", std::strerror(errno));
}

void keep_from_children(int descriptor) {
  if (descriptor > STDERR_FILENO) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  if (descriptor != STDIN_FILENO || ::isatty(STDIN_FILENO) == 1) return;
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDIN_FILENO);
}

Result<Descriptor> open_private(const path& file) {
  SVC_TRY(make_private_folder(file.parent_path()));
  Descriptor handle(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!handle) return file_error(file, "cannot open");
  return handle;
}

bool wait_for_lock(int descriptor, std::int64_t patience_ms) {
  for (const std::int64_t until_ms = steady_ms() + patience_ms;;) {
    if (TEMP_FAILURE_RETRY(::flock(descriptor, LOCK_EX | LOCK_NB)) == 0) return true;
    if (errno != EWOULDBLOCK || steady_ms() >= until_ms) return false;
    ::poll(nullptr, 0, lock_look_ms);
  }
}

Result<FileLock> FileLock::take(const path& file, std::int64_t patience_ms) {
  auto lock = SVC_TRY(try_take(file, patience_ms));
  if (lock) return std::move(*lock);
  return failed(ExitCode::unavailable, file_error_code, "another program holds ", file.string(),
                " and does not let go of it")
      .as_retryable();
}

Result<std::optional<FileLock>> FileLock::try_take(const path& file, std::int64_t patience_ms) {
  auto handle = SVC_TRY(open_private(file));
  if (wait_for_lock(handle.get(), patience_ms)) return std::optional(FileLock(std::move(handle)));
  if (errno == EWOULDBLOCK) return std::optional<FileLock>();
  return file_error(file, "cannot lock");
}

Result<FileLock> lock_beside(const path& file, std::int64_t patience_ms) {
  return FileLock::take(file.string() + ".lock", patience_ms);
}

Result<std::optional<FileLock>> try_lock_beside(const path& file) {
  return FileLock::try_take(file.string() + ".lock");
}

Result<void> sweep_leftovers(const path& folder) {
  std::vector<path> left;
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (is_name_of_leftover(at->path().filename().string()) && is_left_behind(at->path())) left.push_back(at->path());
  }
  for (const path& file : left) SVC_TRY(remove_private(file));
  return {};
}

}  // namespace svc::cli
