// A listening socket and a thread: servers and proxies that do exactly what a test says.
#pragma once

#include <arpa/inet.h>

#include <functional>
#include <thread>
#include <utility>

#include "http/raw_connection.h"

namespace svc::test {

// A listening socket on 127.0.0.1 and a free port.
class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 16), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(fd_); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // -1 once shut down.
  [[nodiscard]] int accept() { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  void shut_down() { ::shutdown(fd_, SHUT_RDWR); }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

// Serves one connection after the other: serve(connection, number of the connection).
class ListeningPeer {
 public:
  explicit ListeningPeer(std::function<void(RawConnection&, int)> serve)
      : thread_([this, serve = std::move(serve)] {
          for (int number = 0;; ++number) {
            const int fd = listener_.accept();
            if (fd < 0) return;
            RawConnection connection(fd);
            serve(connection, number);
          }
        }) {}
  ~ListeningPeer() {
    listener_.shut_down();
    thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }

 private:
  Listener listener_;
  std::thread thread_;
};

// Copies both ways until both have ended or one is reset.
inline void relay(int left, int right) {
  std::array<std::pair<int, int>, 2> ways{{{left, right}, {right, left}}};
  std::array<bool, 2> open{true, true};
  while (open[0] || open[1]) {
    std::array<pollfd, 2> entries{};
    for (std::size_t i = 0; i < 2; ++i) entries[i] = {open[i] ? ways[i].first : -1, POLLIN, 0};
    if (::poll(entries.data(), entries.size(), patience_ms) <= 0) return;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!open[i] || entries[i].revents == 0) continue;
      std::array<char, 16 * 1024> buffer;
      const ssize_t count = ::recv(ways[i].first, buffer.data(), buffer.size(), 0);
      if (count < 0) return;
      if (count == 0) {
        ::shutdown(ways[i].second, SHUT_WR);
        open[i] = false;
      } else if (::send(ways[i].second, buffer.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) != count) {
        return;
      }
    }
  }
}

}  // namespace svc::test
