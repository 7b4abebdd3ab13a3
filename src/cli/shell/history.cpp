#include "cli/shell/history.h"

#include "base/encoding.h"
#include "base/limits.h"
#include "cli/machine/private_file.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// By command, not by what a secret looks like: a password may look like anything.
constexpr std::array secret_commands{"keystore"sv, "login"sv, "admin"sv, "\\set"sv, "api"sv};

bool has_key_digits(std::string_view line) {
  constexpr int key_digits = 64;
  const auto is_digit = [](char c, bool wanted) { return (hex_digit(c) >= 0) == wanted; };
  return std::search_n(line.begin(), line.end(), key_digits, true, is_digit) != line.end();
}

}  // namespace

bool may_be_kept(std::string_view line, Aliases aliases) {
  if (line.empty() || line.size() > history_line_bytes_max) return false;
  if (line.front() == ' ' || line.front() == '\t') return false;
  // Flags and settings may stand before the command.
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (word.starts_with("\\!")) return false;  // what follows may stand right behind it
    if (std::ranges::find(secret_commands, trimmed(word, "'\"")) != secret_commands.end()) return false;
    // Each alias once: it may lead to itself.
    const auto alias = aliases.extract(std::string(word));
    if (alias && !may_be_kept(joined(alias.mapped(), {}, " "), aliases)) return false;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return !has_key_digits(line);
}

Result<History, Failure> History::open(std::filesystem::path file) {
  const auto lock = SVC_TRY(lock_beside(file));
  History history(std::move(file));
  SVC_TRY(history.read());
  return history;
}

Result<void, Failure> History::read() {
  std::error_code none;
  // Written before there was a limit, and too long to be read.
  if (const auto bytes = std::filesystem::file_size(file_, none); !none && bytes > limits::private_file_bytes_max)
    std::filesystem::rename(file_, file_.string() + ".old", none);
  const auto text = SVC_TRY(read_private(file_));
  lines_.clear();
  if (!text) return {};
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (!line.empty()) lines_.emplace_back(line);
  }
  if (lines_.size() <= history_lines_max && text->size() <= history_bytes_max) return {};
  const std::size_t bytes_max = text->size() > history_bytes_max ? history_bytes_max / 2 : history_bytes_max;
  std::size_t kept = 0, bytes = 0;
  while (kept < std::min(lines_.size(), history_lines_max) && bytes <= bytes_max)
    bytes += lines_[lines_.size() - ++kept].size() + 1;
  lines_.erase(lines_.begin(), lines_.end() - static_cast<std::ptrdiff_t>(kept));
  return write_private(file_, joined(lines_, {}, "\n") + "\n");
}

Result<void, Failure> History::add(const std::string& line) {
  if (!may_be_kept(line) || (!lines_.empty() && lines_.back() == line)) return {};
  const auto lock = SVC_TRY(lock_beside(file_));
  SVC_TRY(append_private(file_, line + "\n"));
  lines_.push_back(line);
  std::error_code none;
  // A file that grew beyond what is read would keep the next shell from starting.
  if (const auto bytes = std::filesystem::file_size(file_, none); !none && bytes > history_bytes_max) return read();
  return {};
}

}  // namespace svc::cli
