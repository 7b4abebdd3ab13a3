// Many readers of one WebSocket server on loopback, that count frames and throw them away.
//
//   stream_readers PORT PATH READERS FRAMES [SUBSCRIPTION]
//
// Prints "ready" once all are connected and have said SUBSCRIPTION; then, when each has had FRAMES text frames, one
// line of JSON: seconds from the first byte to the last, frames and bytes.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Reader {
  int fd = -1;
  bool open = false;
  std::string head;            // of the answer to the upgrade, until it is whole
  unsigned char header[14]{};  // of the frame that is coming
  std::size_t header_bytes = 0;
  std::uint64_t payload_left = 0;
  bool counts = false;  // the frame is a whole text
  std::uint64_t frames = 0;
};

// Bytes of a frame's header, as far as it is known.
std::size_t header_size(const Reader& reader) {
  if (reader.header_bytes < 2) return 2;
  const unsigned length = reader.header[1] & 0x7fu;
  return length == 127 ? 10 : length == 126 ? 4 : 2;
}

std::uint64_t payload_size(const Reader& reader) {
  const unsigned length = reader.header[1] & 0x7fu;
  if (length < 126) return length;
  std::uint64_t size = 0;
  for (std::size_t i = 2; i < header_size(reader); ++i) size = size << 8 | reader.header[i];
  return size;
}

void take(Reader& reader, const char* bytes, std::size_t count) {
  while (count > 0) {
    if (reader.payload_left > 0) {
      const std::size_t part = reader.payload_left < count ? static_cast<std::size_t>(reader.payload_left) : count;
      reader.payload_left -= part;
      bytes += part;
      count -= part;
      if (reader.payload_left == 0 && reader.counts) ++reader.frames;
      continue;
    }
    reader.header[reader.header_bytes++] = static_cast<unsigned char>(*bytes++);
    --count;
    if (reader.header_bytes < 2 || reader.header_bytes < header_size(reader)) continue;
    reader.counts = (reader.header[0] & 0x0fu) == 1;
    reader.payload_left = payload_size(reader);
    reader.header_bytes = 0;
    if (reader.payload_left == 0 && reader.counts) ++reader.frames;
  }
}

std::string masked_frame(const std::string& text) {
  std::string frame = "\x81";
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(text.size() >> 8);
    frame += static_cast<char>(text.size() & 0xff);
  }
  return frame + std::string(4, '\0') + text;  // a mask of zeros changes nothing
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
  return fd;
}

void write_all(int fd, const std::string& text) {
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail("write");
}

// The handshake, one reader at a time.
void upgrade(Reader& reader, int port, const std::string& path, const std::string& subscription) {
  reader.fd = connect_to(port);
  write_all(reader.fd, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                           "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  char byte = 0;
  while (!reader.head.ends_with("\r\n\r\n")) {
    if (::read(reader.fd, &byte, 1) != 1) fail("the upgrade was not answered");
    reader.head += byte;
  }
  if (!reader.head.starts_with("HTTP/1.1 101")) {
    std::fprintf(stderr, "%s", reader.head.c_str());
    std::exit(1);
  }
  if (!subscription.empty()) write_all(reader.fd, masked_frame(subscription));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int port = std::atoi(argv[1]);
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
