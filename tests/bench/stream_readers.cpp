// Many readers of one WebSocket server on loopback, that count frames and throw them away.
//
//   stream_readers PORT PATH READERS FRAMES [SUBSCRIPTION]
//
// Prints "ready" once all are connected and have said SUBSCRIPTION; then, when each has had FRAMES text frames, one
// line of JSON: seconds from the first byte to the last, frames and bytes.
#include <sys/resource.h>

#include <chrono>

#include "bench/stream_reader.h"

using namespace svc::bench;

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::size_t count = std::strtoul(argv[3], nullptr, 10);
  const std::uint64_t wanted = std::strtoull(argv[4], nullptr, 10);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Reader> readers(count);
  for (std::size_t i = 0; i < count; ++i) {
    upgrade(readers[i], port, argv[2], argc > 5 ? argv[5] : "");
    epoll_event interest{};
    interest.events = EPOLLIN;
    interest.data.u64 = i;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, readers[i].fd, &interest) != 0) fail("epoll_ctl");
  }
  std::puts("ready");
  std::fflush(stdout);

  using Clock = std::chrono::steady_clock;
  Clock::time_point first{};
  std::uint64_t bytes = 0;
  std::vector<char> buffer(256 * 1024);
  std::vector<epoll_event> events(256);
  for (std::size_t done = 0; done < count;) {
    const int ready = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), 60'000);
    if (ready <= 0) fail("nothing came for a minute");
    if (bytes == 0) first = Clock::now();
    for (int i = 0; i < ready; ++i) {
      Reader& reader = readers[events[static_cast<std::size_t>(i)].data.u64];
      const ssize_t got = ::read(reader.fd, buffer.data(), buffer.size());
      if (got <= 0) fail("a connection ended");
      const bool before = reader.frames >= wanted;
      take(reader, buffer.data(), static_cast<std::size_t>(got));
      bytes += static_cast<std::uint64_t>(got);
      if (!before && reader.frames >= wanted) ++done;
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - first).count();
  std::printf("{\"seconds\":%.6f,\"frames\":%llu,\"bytes\":%llu}\n", seconds,
              static_cast<unsigned long long>(count * wanted), static_cast<unsigned long long>(bytes));
  return 0;
}
