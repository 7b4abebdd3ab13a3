// TCP by name or address, within a deadline.
#pragma once

#include <sys/socket.h>

#include <vector>

#include "api/channel.h"
#include "api/url.h"

namespace svc::api {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// Literal addresses and localhost names are answered here (RFC 6761): the common case touches no
// resolver. Other names go to the system's, and are given up at the deadline.
[[nodiscard]] Result<std::vector<SocketAddress>, ChannelError> resolve(const HostPort& place, Deadline deadline);

class TcpChannel final : public Channel {
 public:
  // Tries the addresses of the name in turn.
  [[nodiscard]] static Result<std::unique_ptr<TcpChannel>, ChannelError> connect(const HostPort& place,
                                                                                 Deadline deadline);

  explicit TcpChannel(int fd) : fd_(fd) {}
  ~TcpChannel() override;
  TcpChannel(const TcpChannel&) = delete;
  TcpChannel& operator=(const TcpChannel&) = delete;

  Result<std::size_t, ChannelError> read_some(std::span<char> into, Deadline deadline) override;
  Result<void, ChannelError> write(std::string_view bytes, Deadline deadline) override;
  [[nodiscard]] std::uint64_t bytes_sent() const override { return bytes_sent_; }
  [[nodiscard]] bool quiet() override;
  [[nodiscard]] int fd() const override { return fd_; }

  // One attempt each, as the system calls: -1 with errno, EAGAIN if it would wait.
  [[nodiscard]] ssize_t receive_now(std::span<char> into);
  [[nodiscard]] ssize_t send_now(std::string_view bytes);
  [[nodiscard]] Result<void, ChannelError> wait(short poll_events, Deadline deadline);

 private:
  int fd_;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace svc::api
