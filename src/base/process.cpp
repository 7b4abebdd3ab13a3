#include "base/process.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

namespace svc {
namespace {

constexpr unsigned flag_exiting = 0x4;                     // PF_EXITING
constexpr std::uint64_t kill_bit = 1ull << (SIGKILL - 1);  // in a set of signals
constexpr std::string_view pending_sets[] = {"\nSigPnd:\t", "\nShdPnd:\t"};

template <class Number>
Number number_of(std::string_view text, int base) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

}  // namespace

std::string process_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();  // an iterator over the stream would throw if the process ended
  return text.str();
}

ProcessState process_state(std::string_view stat, std::string_view status) {
  // The name is in parentheses and may contain parentheses itself: PID (NAME) STATE PPID PGRP SESSION TTY TPGID
  // FLAGS ...
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return ProcessState::runs;
  std::string_view rest = stat.substr(name_end + 2);
  if (rest.front() == 'Z' || rest.front() == 'X') return ProcessState::gone;
  constexpr int fields_before_flags = 6;
  for (int i = 0; i < fields_before_flags; ++i) rest.remove_prefix(std::min(rest.size(), rest.find(' ') + 1));
  if ((number_of<unsigned>(rest.substr(0, rest.find(' ')), 10) & flag_exiting) != 0) return ProcessState::ending;
  for (const std::string_view name : pending_sets) {
    const auto at = status.find(name);
    if (at == std::string_view::npos) continue;
    if ((number_of<std::uint64_t>(status.substr(at + name.size()), 16) & kill_bit) != 0) return ProcessState::ending;
  }
  return ProcessState::runs;
}

ProcessState process_state(pid_t process) {
  if (process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH)) return ProcessState::gone;
  const std::string folder = "/proc/" + std::to_string(process);
  return process_state(process_text(folder + "/stat"), process_text(folder + "/status"));
}

}  // namespace svc
