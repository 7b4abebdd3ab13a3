#include "base/process.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/text.h"

namespace svc {
namespace {

constexpr unsigned flag_exiting = 0x4;                     // PF_EXITING
constexpr std::uint64_t kill_bit = 1ull << (SIGKILL - 1);  // in a set of signals
constexpr std::string_view pending_sets[] = {"\nSigPnd:\t", "\nShdPnd:\t"};

// The fields of /proc/PID/stat after the name. That is in parentheses and may contain parentheses itself: PID (NAME)
// STATE PPID PGRP SESSION TTY TPGID FLAGS ... Empty if the text is none.
std::string_view fields_after_name(std::string_view stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return {};
  return stat.substr(name_end + 2);
}

std::string_view field(std::string_view fields, int index) {
  for (int i = 0; i < index; ++i) fields.remove_prefix(std::min(fields.size(), fields.find(' ') + 1));
  return fields.substr(0, fields.find(' '));
}

constexpr int parent_field = 1;
constexpr int flags_field = 6;
constexpr int start_field = 19;

}  // namespace

ProcessState process_state(std::string_view stat, std::string_view status) {
  const std::string_view fields = fields_after_name(stat);
  if (fields.empty()) return ProcessState::runs;
  if (fields.front() == 'Z' || fields.front() == 'X') return ProcessState::gone;
  if ((parse_integer<unsigned>(field(fields, flags_field)).value_or(0) & flag_exiting) != 0)
    return ProcessState::ending;
  for (const std::string_view name : pending_sets) {
    const auto at = status.find(name);
    if (at == std::string_view::npos) continue;
    std::string_view after = status.substr(at + name.size());
    const auto pending = parse_integer<std::uint64_t>(take_line(after), 16);
    if ((pending.value_or(0) & kill_bit) != 0) return ProcessState::ending;
  }
  return ProcessState::runs;
}

ProcessState process_state(pid_t process) {
  if (process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH)) return ProcessState::gone;
  const std::string folder = "/proc/" + std::to_string(process);
  return process_state(file_text(folder + "/stat"), file_text(folder + "/status"));
}

std::uint64_t start_of_process(pid_t process) {
  const std::string stat = file_text("/proc/" + std::to_string(process) + "/stat");
  return parse_integer<std::uint64_t>(field(fields_after_name(stat), start_field)).value_or(0);
}

std::vector<pid_t> children_of_process(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code none;
  for (const auto& one : std::filesystem::directory_iterator("/proc", none)) {
    const auto process = parse_integer<pid_t>(one.path().filename().string());
    if (!process) continue;
    const std::string stat = file_text(one.path() / "stat");
    if (parse_integer<pid_t>(field(fields_after_name(stat), parent_field)) == parent) children.push_back(*process);
  }
  return children;
}

ProcessState process_state(pid_t process, std::uint64_t start) {
  if (start != 0 && start_of_process(process) != start) return ProcessState::gone;
  return process_state(process);
}

}  // namespace svc
