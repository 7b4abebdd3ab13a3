#include "base/descriptor.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/secret.h"

namespace svc {
namespace {

// Writes as much as the descriptor takes at once, and takes that off the text. nullopt: there may be more to write.
std::optional<Written> write_some(int descriptor, std::string_view& text, std::size_t bytes_max) {
  const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), bytes_max));
  if (written < 0 && errno == EINTR) return std::nullopt;
  if (written <= 0) return written < 0 && errno == EPIPE ? Written::reader_gone : Written::failed;
  text.remove_prefix(static_cast<std::size_t>(written));
  return std::nullopt;
}

}  // namespace

bool wait_for_bytes(int descriptor, PipePatience patience_ms) {
  pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
  const auto ready = TEMP_FAILURE_RETRY(::poll(&waited, 1, patience_ms ? static_cast<int>(*patience_ms) : -1));
  if (ready == 0) errno = ETIMEDOUT;
  return ready > 0;
}

bool read_all(int descriptor, std::size_t limit, std::string& text, PipePatience patience_ms) {
  char buffer[8'192];  // holds most files; a stack that is larger costs a page fault for each of its pages
  for (;;) {
    if (patience_ms && !wait_for_bytes(descriptor, patience_ms)) return false;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN && wait_for_bytes(descriptor, patience_ms)) continue;
    if (count < 0) return false;
    if (count == 0) {
      wipe(buffer, std::min(sizeof buffer, text.size()));
      return true;
    }
    if (text.size() + static_cast<std::size_t>(count) > limit) {
      errno = EFBIG;
      return false;
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
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

}  // namespace svc
