// The lines typed earlier, one file per network, without secrets.
#pragma once

#include <filesystem>
#include <map>

#include "cli/terminal/failure.h"

namespace svc::cli {

inline constexpr std::size_t history_lines_max = 5'000;
inline constexpr std::size_t history_line_bytes_max = 4'096;
inline constexpr std::size_t history_bytes_max = 2 << 20;  // then half of it is kept

// The words that a name stands for.
using Aliases = std::map<std::string, std::vector<std::string>, std::less<>>;

// False for lines that must not be kept: those that are too long or begin with a blank, name a command whose arguments
// may be secret, also by an alias, or contain 64 hexadecimal digits, as private keys do.
[[nodiscard]] bool may_be_kept(std::string_view line, Aliases aliases = {});

class History {
 public:
  // Reads the newest `history_lines_max` lines; a missing file is an empty history.
  static Result<History, Failure> open(std::filesystem::path file);

  // Adds the line if it may be kept and differs from the one before. Lines of other shells stay in the file.
  Result<void, Failure> add(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  explicit History(std::filesystem::path file) : file_(std::move(file)) {}
  // Reads the file and, if it is too long, drops its oldest lines. Under its lock.
  Result<void, Failure> read();

  std::filesystem::path file_;
  std::vector<std::string> lines_;
};

}  // namespace svc::cli
