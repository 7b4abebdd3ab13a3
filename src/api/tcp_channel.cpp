#include "api/tcp_channel.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace svc::api {
namespace {

std::string error_text(int number) {
  return std::generic_category().message(number);
}

ChannelError timed_out() {
  return {ChannelError::Kind::timed_out, "timed out"};
}

ChannelError socket_error(int number) {
  const bool ended = number == ECONNRESET || number == EPIPE || number == ENOTCONN;
  return {ended ? ChannelError::Kind::ended : ChannelError::Kind::other, error_text(number)};
}

SocketAddress address_of(const sockaddr* address, socklen_t size) {
  SocketAddress out;
  std::memcpy(&out.storage, address, size);
  out.size = size;
  return out;
}

SocketAddress v4_address(in_addr host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr = host;
  address.sin_port = htons(port);
  return address_of(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

SocketAddress v6_address(in6_addr host, std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = host;
  address.sin6_port = htons(port);
  return address_of(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// A look-up, shared with the thread that makes it: that one may be given up, but not interrupted.
struct Lookup {
  std::mutex mutex;
  std::condition_variable answered;
  bool done = false;
  int outcome = 0;
  std::vector<SocketAddress> addresses;
};

void look_up(const HostPort& place, Lookup& lookup) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int outcome = ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &list);
  const std::lock_guard lock(lookup.mutex);
  for (const addrinfo* found = list; found; found = found->ai_next) {
    lookup.addresses.push_back(address_of(found->ai_addr, found->ai_addrlen));
  }
  if (list) ::freeaddrinfo(list);
  lookup.outcome = outcome;
  lookup.done = true;
  lookup.answered.notify_one();
}

Result<std::vector<SocketAddress>, ChannelError> ask_resolver(const HostPort& place, Deadline deadline) {
  const auto lookup = std::make_shared<Lookup>();
  std::thread thread([place, lookup] { look_up(place, *lookup); });
  std::unique_lock lock(lookup->mutex);
  if (!lookup->answered.wait_until(lock, deadline, [&] { return lookup->done; })) {
    thread.detach();  // getaddrinfo cannot be interrupted; it ends by deadlines of its own (D-163)
    return unexpected(timed_out());
  }
  lock.unlock();
  thread.join();
  if (lookup->outcome != 0) return unexpected(ChannelError{ChannelError::Kind::other, ::gai_strerror(lookup->outcome)});
  return std::move(lookup->addresses);
}

Result<std::unique_ptr<TcpChannel>, ChannelError> connect_to(const SocketAddress& address, Deadline deadline) {
  const int fd = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return unexpected(socket_error(errno));
  auto channel = std::make_unique<TcpChannel>(fd);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return channel;
  if (errno != EINPROGRESS) return unexpected(socket_error(errno));
  SVC_TRY(channel->wait(POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return unexpected(socket_error(error));
  return channel;
}

}  // namespace

Result<std::vector<SocketAddress>, ChannelError> resolve(const HostPort& place, Deadline deadline) {
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, place.host.c_str(), &v4) == 1) return std::vector{v4_address(v4, place.port)};
  if (::inet_pton(AF_INET6, place.host.c_str(), &v6) == 1) return std::vector{v6_address(v6, place.port)};
  if (is_loopback(place.host)) {
    v4.s_addr = htonl(INADDR_LOOPBACK);
    return std::vector{v4_address(v4, place.port), v6_address(in6addr_loopback, place.port)};
  }
  return ask_resolver(place, deadline);
}

Result<std::unique_ptr<TcpChannel>, ChannelError> TcpChannel::connect(const HostPort& place, Deadline deadline) {
  auto addresses = SVC_TRY(resolve(place, deadline));
  ChannelError last{ChannelError::Kind::other, "the name has no address"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // An address that does not answer leaves time for those after it.
    auto channel = connect_to(addresses[i], share_of(deadline, addresses.size() - i));
    if (channel) return channel;
    last = std::move(channel).error();
  }
  return unexpected(std::move(last));
}

TcpChannel::~TcpChannel() {
  ::close(fd_);
}

ssize_t TcpChannel::receive_now(std::span<char> into) {
  return ::recv(fd_, into.data(), into.size(), 0);
}

ssize_t TcpChannel::send_now(std::string_view bytes) {
  const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count > 0) bytes_sent_ += static_cast<std::uint64_t>(count);
  return count;
}

Result<void, ChannelError> TcpChannel::wait(short poll_events, Deadline deadline) {
  while (true) {
    pollfd entry{fd_, poll_events, 0};
    const int ready = ::poll(&entry, 1, remaining_ms(deadline));
    if (ready > 0) return {};
    if (ready == 0) return unexpected(timed_out());
    if (errno != EINTR) return unexpected(socket_error(errno));
  }
}

Result<std::size_t, ChannelError> TcpChannel::read_some(std::span<char> into, Deadline deadline) {
  while (true) {
    const ssize_t count = receive_now(into);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return unexpected(socket_error(errno));
    SVC_TRY(wait(POLLIN, deadline));
  }
}

Result<void, ChannelError> TcpChannel::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t count = send_now(bytes);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (auto waited = wait(POLLOUT, deadline); !waited) return waited;
    } else if (errno != EINTR) {
      return unexpected(socket_error(errno));
    }
  }
  return {};
}

bool TcpChannel::quiet() {
  pollfd entry{fd_, POLLIN, 0};
  return ::poll(&entry, 1, 0) == 0;
}

}  // namespace svc::api
