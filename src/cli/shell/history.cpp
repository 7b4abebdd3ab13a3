#include "cli/shell/history.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// By class of command, not by what a secret looks like: a password may look like anything.
constexpr std::array secret_commands{"keystore"sv, "login"sv, "admin"sv, "\\set"sv, "\\!"sv, "api"sv};

std::string_view first_word(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t"));
}

bool has_key_digits(std::string_view line) {
  constexpr std::size_t key_digits = 64;
  std::size_t run = 0;
  for (const char c : line) {
    run = std::isxdigit(static_cast<unsigned char>(c)) != 0 ? run + 1 : 0;
    if (run >= key_digits) return true;
  }
  return false;
}

std::filesystem::path lock_of(const std::filesystem::path& file) {
  return file.string() + ".lock";
}

}  // namespace

bool may_be_kept(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t') return false;
  const std::string_view command = first_word(line);
  if (std::find(secret_commands.begin(), secret_commands.end(), command) != secret_commands.end()) return false;
  return !has_key_digits(line);
}

Result<History, Failure> History::open(std::filesystem::path file) {
  SVC_TRY(make_private_folder(file.parent_path()));
  const auto lock = SVC_TRY(FileLock::take(lock_of(file)));
  const auto text = SVC_TRY(read_private(file));
  History history(std::move(file));
  if (!text) return history;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (!line.empty()) history.lines_.emplace_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (history.lines_.size() <= history_lines_max) return history;
  history.lines_.erase(history.lines_.begin(), history.lines_.end() - static_cast<std::ptrdiff_t>(history_lines_max));
  std::string kept;
  for (const std::string& line : history.lines_) kept += line + "\n";
  SVC_TRY(write_private(history.file_, kept));
  return history;
}

Result<void, Failure> History::add(const std::string& line) {
  if (!may_be_kept(line) || (!lines_.empty() && lines_.back() == line)) return {};
  const auto lock = SVC_TRY(FileLock::take(lock_of(file_)));
  SVC_TRY(append_private(file_, line + "\n"));
  lines_.push_back(line);
  return {};
}

}  // namespace svc::cli
