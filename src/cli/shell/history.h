// Lines typed earlier, one file per network, without secrets.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

inline constexpr std::size_t history_lines_max = 5'000;

// False for what must not be kept: lines that begin with a blank, that name a command whose arguments may be
// secret, or that carry 64 hexadecimal digits, as a private key does.
[[nodiscard]] bool may_be_kept(std::string_view line);

class History {
 public:
  // What was kept; an absent file is an empty history. At most the newest `history_lines_max` lines.
  [[nodiscard]] static Result<History, Failure> open(std::filesystem::path file);

  // Keeps the line if it may be kept and is not the one before. Other shells' lines stay in the file.
  [[nodiscard]] Result<void, Failure> add(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  explicit History(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  std::vector<std::string> lines_;
};

}  // namespace svc::cli
