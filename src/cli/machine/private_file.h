// Files that belong to one user: mode 0600 in folders of mode 0700, replaced whole or not at all.
//
// Looser modes are refused with the chmod that mends them: what others could read or write is not
// trusted with credentials, and not trusted as a source of settings either.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// Makes what is missing of it, mode 0700.
[[nodiscard]] Result<void, Failure> make_private_folder(const std::filesystem::path& folder);

// nullopt if there is no such file.
[[nodiscard]] Result<std::optional<std::string>, Failure> read_private(const std::filesystem::path& file);

// Exit 14 if others can read or write it; for files too large to be read whole.
[[nodiscard]] Result<void, Failure> check_private(const std::filesystem::path& file);

// Written beside the file, synced, then renamed over it. Missing folders are made.
[[nodiscard]] Result<void, Failure> write_private(const std::filesystem::path& file, std::string_view text);

// The same under a name that nothing has yet, linked into place: false if the name is taken, by whatever it is.
[[nodiscard]] Result<bool, Failure> write_new_private(const std::filesystem::path& file, std::string_view text);
// Gives a file another name in the same way. Cut off in the middle it has both.
[[nodiscard]] Result<bool, Failure> rename_to_new(const std::filesystem::path& file, const std::filesystem::path& name);
// By a file, a folder, or a link that leads nowhere.
[[nodiscard]] bool is_taken(const std::filesystem::path& file);

// What killed writers of that file left beside it. Nobody may be writing it: the caller holds its lock.
[[nodiscard]] std::vector<std::filesystem::path> leftovers_of(const std::filesystem::path& file);

// Appends and syncs: when this returns, the text survives a power cut.
[[nodiscard]] Result<void, Failure> append_private(const std::filesystem::path& file, std::string_view text);

// A new file of the user's choosing, mode 0600; exit 2 if there is one already.
[[nodiscard]] Result<void, Failure> write_new_given(const std::filesystem::path& file, std::string_view text);

// True if there was one.
[[nodiscard]] Result<bool, Failure> remove_private(const std::filesystem::path& file);

// Names in a folder, sorted; none if there is no folder.
[[nodiscard]] std::vector<std::string> list_private(const std::filesystem::path& folder);

// The user's own file named by a flag, such as a password. `what` names it in messages.
enum class LooseMode : std::uint8_t { refuse, accept };
struct GivenFile {
  std::string text;
  bool loose = false;  // others may read it (LooseMode::accept)
};
[[nodiscard]] Result<GivenFile, Failure> read_given(const std::filesystem::path& file, std::string_view what,
                                                    std::size_t bytes_max, LooseMode mode);

// While the outermost of these lives, this thread uses files of ours that others can read or write as well, and `tell`
// hears of each. For the way out: modes are to be mended, and a position does not wait for that.
class LooseFiles {
 public:
  using Tell = std::function<void(const Failure&)>;
  LooseFiles(bool accepted, Tell tell);
  ~LooseFiles();
  LooseFiles(const LooseFiles&) = delete;
  LooseFiles& operator=(const LooseFiles&) = delete;

 private:
  Tell tell_;
  const Tell* before_;
};

// What an open descriptor has to give; whoever opened it answers for its mode.
[[nodiscard]] Result<std::string, Failure> read_descriptor(int descriptor, std::string_view what,
                                                           std::size_t bytes_max);

// What was read from there to its end, a file above all, can be read again by nobody whom we start.
void keep_from_children(int descriptor);

// What is refused here because of a disk or its permissions.
inline constexpr std::string_view file_error_code = "file_error";

inline constexpr std::int64_t lock_patience_ms = 30'000;  // for another process: it holds a lock for milliseconds

// Holds the file's lock against other processes until destroyed.
class FileLock {
 public:
  // Fails if another process that hangs holds it all that time.
  [[nodiscard]] static Result<FileLock, Failure> take(const std::filesystem::path& file,
                                                      std::int64_t patience_ms = lock_patience_ms);
  // nullopt while another process holds it.
  [[nodiscard]] static Result<std::optional<FileLock>, Failure> try_take(const std::filesystem::path& file);
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  static Result<FileLock, Failure> open(const std::filesystem::path& file);
  int descriptor_;
};

// What writers that were killed left beside the files that they wrote.

// Removes it from the folder and all below it. Those that live hold the lock of what they write.
[[nodiscard]] Result<void, Failure> sweep_leftovers(const std::filesystem::path& folder);

}  // namespace svc::cli
