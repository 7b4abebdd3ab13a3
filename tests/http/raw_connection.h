// A client made of a socket and nothing else, to send what no proper client sends. Every wait is
// bounded: a server that does not answer fails the test instead of hanging it.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/http/http_parser.h"

namespace svc::test {

inline constexpr int patience_ms = 120'000;

class RawConnection {
 public:
  enum class Family : std::uint8_t { v4, v6 };

  explicit RawConnection(std::uint16_t port, Family family = Family::v4, int receive_buffer_bytes = 0) {
    fd_ = ::socket(family == Family::v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes > 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    v6.sin6_addr = in6addr_loopback;
    const int failed = family == Family::v4 ? ::connect(fd_, reinterpret_cast<const sockaddr*>(&v4), sizeof v4)
                                            : ::connect(fd_, reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
    connected_ = failed == 0;
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  explicit RawConnection(int accepted) : fd_(accepted), connected_(accepted >= 0) {}
  RawConnection(RawConnection&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), input_(std::move(other.input_)) {}
  RawConnection& operator=(RawConnection&&) = delete;
  ~RawConnection() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int fd() const { return fd_; }

  // False once the peer has reset the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!wait_for(POLLOUT)) return false;
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void end_sending() { ::shutdown(fd_, SHUT_WR); }

  // Closes with a reset instead of an orderly end.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(std::exchange(fd_, -1));
  }

  // The next response; status 0 if the connection ended, broke, or brought something else.
  api::HttpResponse response(api::ResponseParser::Body body = api::ResponseParser::Body::as_framed) {
    api::ResponseParser parser({.start_line_bytes_max = 1000,
                                .header_bytes_max = 10'000,
                                .header_fields_max = 100,
                                .body_bytes_max = 1 << 26});
    parser.begin(body);
    while (true) {
      input_.erase(0, parser.feed(input_));
      if (parser.state() == api::ParserState::complete) return std::move(parser.response());
      if (parser.state() == api::ParserState::failed || !receive()) break;
    }
    return {.status = 0, .headers = {}, .body = {}};
  }

  // The next request as it came, head and body; empty if the connection ended before it was whole.
  std::string request() {
    api::RequestParser parser({.start_line_bytes_max = 1000,
                               .header_bytes_max = 10'000,
                               .header_fields_max = 100,
                               .body_bytes_max = 1 << 26});
    std::string whole;
    while (true) {
      const std::size_t taken = parser.feed(input_);
      whole += input_.substr(0, taken);
      input_.erase(0, taken);
      if (parser.state() == api::ParserState::complete) return whole;
      if (parser.state() == api::ParserState::failed || !receive()) return {};
    }
  }

  // Exactly so many bytes; fewer if the connection ended.
  std::string bytes(std::size_t count) {
    while (input_.size() < count && receive()) {
    }
    const std::string taken = input_.substr(0, count);
    input_.erase(0, taken.size());
    return taken;
  }
  std::string bytes_until(std::string_view end) {
    while (input_.find(end) == std::string::npos && receive()) {
    }
    const std::size_t at = input_.find(end);
    return bytes(at == std::string::npos ? input_.size() : at + end.size());
  }

  enum class End : std::uint8_t { orderly, reset, none };
  // Waits for the end of the connection; what came before it is dropped.
  End end() {
    while (receive()) {
    }
    return end_;
  }

 private:
  bool wait_for(short events) const {
    pollfd entry{fd_, events, 0};
    return ::poll(&entry, 1, patience_ms) == 1;
  }

  bool receive() {
    if (!wait_for(POLLIN)) {
      ADD_FAILURE() << "nothing was received in time";
      end_ = End::none;
      return false;
    }
    std::array<char, 64 * 1024> buffer;
    const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
      end_ = count == 0 ? End::orderly : End::reset;
      return false;
    }
    input_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }

  int fd_ = -1;
  bool connected_ = false;
  std::string input_;
  End end_ = End::none;
};

}  // namespace svc::test
