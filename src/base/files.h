// Files of this machine: where a link leads, reading one whole, replacing one, and folders.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace svc {

// Where the path leads if it is a link, or a link to a link; the file need not exist. Whoever replaces a file by a
// rename replaces this one, so that its user's links stay. A stranger's link in a shared folder is not followed.
[[nodiscard]] std::filesystem::path link_target(const std::filesystem::path& file);

// The text of a file; empty if it cannot be read, or is no plain file: a pipe would be waited for. Files below /proc
// vanish when their process ends.
[[nodiscard]] std::string file_text(const std::filesystem::path& file);

// Creates the missing parts of the path with mode 0700. (D-1041) The part that could not be made, with errno; empty:
// all are there.
[[nodiscard]] std::filesystem::path make_folders(const std::filesystem::path& folder);

// Writes the whole text, and waits until it is on the disk; false with errno.
[[nodiscard]] bool write_and_sync(const Descriptor& file, std::string_view text);
// Makes sure that the names in the folder outlive a power cut; empty: the working folder. False: errno has the reason.
[[nodiscard]] bool sync_folder(const std::filesystem::path& folder);

// A file is replaced by a new one that is written beside it, synced, and then renamed over it: whoever reads it sees
// the former text or this one, also after a crash. The new name is the file's with this suffix, whose X mkostemp(3)
// replaces.
inline constexpr std::string_view beside_suffix = ".XXXXXX";
struct FileBeside {
  std::string name;
  Descriptor handle;  // locked, which tells a live writer from one that was killed
};
// A link of that name is not followed. nullopt with errno.
[[nodiscard]] std::optional<FileBeside> write_beside(const std::filesystem::path& file, std::string_view text,
                                                     mode_t mode);
// False with errno: the new file is gone then. sync_folder() makes sure of the new name.
[[nodiscard]] bool rename_over(const FileBeside& beside, const std::filesystem::path& file);

}  // namespace svc
