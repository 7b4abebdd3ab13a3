// Files of settings that may lie anywhere: readable by all, writable by their user alone. What others can
// write could have been put there to steer this program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

inline constexpr std::size_t settings_file_bytes_max = 256 * 1024;

// nullopt if there is no such file; exit 14 for one that somebody else owns or may write.
[[nodiscard]] Result<std::optional<std::string>, Failure> read_settings(const std::filesystem::path& file);

struct ProjectFile {
  std::filesystem::path file;
  std::string text;
};

// .svc.toml in `from` or the nearest folder above it, as a version control system finds its own files.
[[nodiscard]] Result<std::optional<ProjectFile>, Failure> find_project(const std::filesystem::path& from);

}  // namespace svc::cli
