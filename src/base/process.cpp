#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

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

constexpr int flags_field = 6;
constexpr int start_field = 19;

// Writes as much as the descriptor takes at once, and takes that off the text. nullopt: there may be more to write.
std::optional<Written> write_some(int descriptor, std::string_view& text, std::size_t bytes_max) {
  const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), bytes_max));
  if (written < 0 && errno == EINTR) return std::nullopt;
  if (written <= 0) return written < 0 && errno == EPIPE ? Written::reader_gone : Written::failed;
  text.remove_prefix(static_cast<std::size_t>(written));
  return std::nullopt;
}

// In a folder such as /tmp, where everybody makes files, a link may be somebody's trap: it is followed only if it is
// ours or the folder owner's, as the system does with fs.protected_symlinks.
bool is_trusted(const std::filesystem::path& link) {
  struct stat own {};
  struct stat folder {};
  const std::filesystem::path parent = link.has_parent_path() ? link.parent_path() : ".";
  if (::lstat(link.c_str(), &own) != 0 || ::stat(parent.c_str(), &folder) != 0) return false;
  const bool is_shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return !is_shared || own.st_uid == ::geteuid() || own.st_uid == folder.st_uid;
}

}  // namespace

std::filesystem::path link_target(const std::filesystem::path& file) {
  constexpr int links_max = 40;  // as many as the system follows
  std::filesystem::path target = file;
  for (int i = 0; i < links_max; ++i) {
    std::error_code no_link;
    const auto next = std::filesystem::read_symlink(target, no_link);
    if (no_link || !is_trusted(target)) break;
    target = target.parent_path() / next;
  }
  return target;
}

std::string file_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();  // an iterator over the stream would throw if the process ended
  return std::move(text).str();
}

Written write_all(int descriptor, std::string_view text) {
  if (text.empty()) {
    pollfd entry{descriptor, POLLOUT, 0};
    return ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLERR) != 0 ? Written::reader_gone : Written::whole;
  }
  while (!text.empty()) {
    if (run_is_ending != 0) {
      std::int64_t patience_ms = 1'000;
      return write_within(descriptor, text, patience_ms);
    }
    if (const auto end = write_some(descriptor, text, text.size())) return *end;
  }
  return Written::whole;
}

Written write_within(int descriptor, std::string_view text, std::int64_t& patience_ms) {
  constexpr std::size_t piece = 256;  // a pipe or terminal that has room takes so much at once
  constexpr std::int64_t look_ms = 10;
  while (!text.empty()) {
    pollfd room{descriptor, POLLOUT, 0};
    const std::int64_t wait_ms = std::min(patience_ms, look_ms);
    const int ready = ::poll(&room, 1, static_cast<int>(wait_ms));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && wait_ms > 0) {
      patience_ms -= wait_ms;
      continue;
    }
    if (ready == 0) errno = EAGAIN;
    if (ready <= 0) return Written::failed;
    if (const auto end = write_some(descriptor, text, piece)) return *end;
  }
  return Written::whole;
}

bool sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return done;
}

ProcessState process_state(std::string_view stat, std::string_view status) {
  const std::string_view fields = fields_after_name(stat);
  if (fields.empty()) return ProcessState::runs;
  if (fields.front() == 'Z' || fields.front() == 'X') return ProcessState::gone;
  if ((number_of<unsigned>(field(fields, flags_field), 10) & flag_exiting) != 0) return ProcessState::ending;
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
  return process_state(file_text(folder + "/stat"), file_text(folder + "/status"));
}

std::uint64_t start_of_process(pid_t process) {
  const std::string stat = file_text("/proc/" + std::to_string(process) + "/stat");
  return number_of<std::uint64_t>(field(fields_after_name(stat), start_field), 10);
}

ProcessState process_state(pid_t process, std::uint64_t start) {
  if (start != 0 && start_of_process(process) != start) return ProcessState::gone;
  return process_state(process);
}

}  // namespace svc
