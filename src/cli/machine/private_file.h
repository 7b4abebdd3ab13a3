// Files of one user: mode 0600 in folders of mode 0700, replaced atomically.
//
// Looser modes are refused with the chmod that corrects them: a file that others can read or write is trusted neither
// with credentials nor as a source of settings.
#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "base/limits.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// Creates the missing parts of the path with mode 0700.
Result<void> make_private_folder(const std::filesystem::path& folder);

// nullopt if there is no such file.
Result<std::optional<std::string>> read_private(const std::filesystem::path& file,
                                                std::size_t bytes_max = limits::private_file_bytes_max);

// Open for reading and writing, made with mode 0600 if there is none; its mode is not checked.
Result<Descriptor> open_private(const std::filesystem::path& file);

// Exit 14 if others can read or write the open file, exit 1 if it is no plain file; for files that are too large to
// read at once. A file that may be a pipe is opened with O_NONBLOCK.
Result<void> check_private(const std::filesystem::path& file, const Descriptor& handle);

// Writes to a temporary file beside it, syncs, and renames that over the file. Missing folders are created. A link
// stays one: the file that it leads to is replaced.
Result<void> write_private(const std::filesystem::path& file, std::string_view text);

// The same for a name that must not exist yet, by a hard link: false if the name is taken by anything.
Result<bool> write_new_private(const std::filesystem::path& file, std::string_view text);
// Renames a file in the same way. If interrupted, it has both names.
Result<bool> rename_to_new(const std::filesystem::path& file, const std::filesystem::path& name);
// True if a file, a folder or a dangling link has the name.
[[nodiscard]] bool is_taken(const std::filesystem::path& file);

// The temporary files that killed writers of that file left. The caller holds the file's lock, so no writer is active.
[[nodiscard]] std::vector<std::filesystem::path> leftovers_of(const std::filesystem::path& file);

// Appends and syncs: when this returns, the text survives a power cut.
Result<void> append_private(const std::filesystem::path& file, std::string_view text);

// Before there is what the new file is for: exit 2 if the name is taken, is "-", which names no file elsewhere, or is
// in no folder that can be written.
Result<void> check_new_given(const std::filesystem::path& file);
// A new file where the user chose, mode 0600; exit 2 if it exists.
Result<void> write_new_given(const std::filesystem::path& file, std::string_view text);

// Replaces a file that the user named, as write_private does; its mode stays. Exit 2 if it is no plain file.
Result<void> replace_given(const std::filesystem::path& file, std::string_view text);

// True if the file existed.
Result<bool> remove_private(const std::filesystem::path& file);

// The names in a folder, sorted; none if the folder does not exist. One that cannot be read must not look empty.
Result<std::vector<std::string>> names_in(const std::filesystem::path& folder);
// The same for cleaning up, where a folder that cannot be read counts as empty.
[[nodiscard]] std::vector<std::string> list_private(const std::filesystem::path& folder);

// A file that the user named with a flag, such as a password file. `what` names it in messages.
enum class LooseMode : std::uint8_t {
  refuse,
  accept_credential,  // one of root that its group may read: in systemd's $CREDENTIALS_DIRECTORY
  accept,
};
Result<std::string> read_given(const std::filesystem::path& file, std::string_view what, std::size_t bytes_max,
                               LooseMode mode, PipePatience patience_ms = {});

// While the outermost of these exists, this thread also uses our files with loose modes, and `tell` is called for each.
// For the way out: the modes should be corrected, but a position does not wait for that.
class LooseFiles {
 public:
  using Tell = std::function<void(const Failure&)>;
  LooseFiles(bool accepted, Tell tell);
  ~LooseFiles();
  LooseFiles(LooseFiles&&) = delete;

 private:
  Tell tell_;
  const Tell* before_;
};

// Reads an open descriptor to its end; whoever opened it is responsible for its mode.
Result<std::string> read_descriptor(int descriptor, std::string_view what, std::size_t bytes_max,
                                    PipePatience patience_ms = {});

// Marks a descriptor that was read to its end so that no child process can read it again, above all a file.
void keep_from_children(int descriptor);

// The code of failures of a disk or its permissions.
inline constexpr std::string_view file_error_code = "file_error";
// "cannot open FILE: No such file or directory", by errno.
[[nodiscard]] Failure file_error(const std::filesystem::path& file, std::string_view doing,
                                 ExitCode exit = ExitCode::internal);

inline constexpr std::int64_t lock_patience_ms = 30'000;  // other processes hold a lock for milliseconds

// Locks a file, or a part of it, against other processes until destroyed, or until its process ends in any way.
class FileLock {
 public:
  explicit FileLock(Descriptor locked) : file_(std::move(locked)) {}

  // Fails if another process holds it for all that time, because it hangs.
  static Result<FileLock> take(const std::filesystem::path& file, std::int64_t patience_ms = lock_patience_ms);
  // nullopt if another process holds it for all that time.
  static Result<std::optional<FileLock>> try_take(const std::filesystem::path& file, std::int64_t patience_ms = 0);

 private:
  Descriptor file_;
};

// The lock of a file that is replaced by rename: it is on a neighbour, FILE.lock, which stays.
Result<FileLock> lock_beside(const std::filesystem::path& file, std::int64_t patience_ms = lock_patience_ms);
Result<std::optional<FileLock>> try_lock_beside(const std::filesystem::path& file);

// Waits for the lock of an open file, looking every 2 ms. False with errno, EWOULDBLOCK if somebody else holds it for
// all that time.
[[nodiscard]] bool wait_for_lock(int descriptor, std::int64_t patience_ms);

// Removes temporary files of killed writers from the folder and all below it. Those of live writers are locked.
Result<void> sweep_leftovers(const std::filesystem::path& folder);

}  // namespace svc::cli
