#include "cli/shell/history.h"

#include <algorithm>
#include <array>

#include "base/encoding.h"
#include "base/text.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// By command, not by what a secret looks like: a password may look like anything.
constexpr std::array secret_commands{"keystore"sv, "login"sv, "admin"sv, "\\set"sv, "\\!"sv, "api"sv};

bool has_key_digits(std::string_view line) {
  constexpr int key_digits = 64;
  const auto is_digit = [](char c, bool wanted) { return (hex_digit(c) >= 0) == wanted; };
  return std::search_n(line.begin(), line.end(), key_digits, true, is_digit) != line.end();
}

}  // namespace

bool may_be_kept(std::string_view line) {
  if (line.empty() || line.size() > history_line_bytes_max) return false;
  if (line.front() == ' ' || line.front() == '\t') return false;
  // Flags and settings may stand before the command.
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (std::ranges::find(secret_commands, word) != secret_commands.end()) return false;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return !has_key_digits(line);
}

Result<History, Failure> History::open(std::filesystem::path file) {
  const auto lock = SVC_TRY(lock_beside(file));
  const auto text = SVC_TRY(read_private(file));
  History history(std::move(file));
  if (!text) return history;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (!line.empty()) history.lines_.emplace_back(line);
  }
  if (history.lines_.size() <= history_lines_max) return history;
  history.lines_.erase(history.lines_.begin(), history.lines_.end() - static_cast<std::ptrdiff_t>(history_lines_max));
  SVC_TRY(write_private(history.file_, joined(history.lines_, {}, "\n") + "\n"));
  return history;
}

Result<void, Failure> History::add(const std::string& line) {
  if (!may_be_kept(line) || (!lines_.empty() && lines_.back() == line)) return {};
  const auto lock = SVC_TRY(lock_beside(file_));
  SVC_TRY(append_private(file_, line + "\n"));
  lines_.push_back(line);
  return {};
}

}  // namespace svc::cli
