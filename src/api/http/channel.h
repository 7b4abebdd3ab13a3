// A connected byte stream with a deadline on every wait: TCP, or TLS over it. A synchronous client needs no reactor
// besides poll(). (D-151)
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/url.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace svc::api {

// A point in real time at which a wait is given up. Only here does the client read a clock other than the venue's.
using Deadline = std::chrono::steady_clock::time_point;

[[nodiscard]] Deadline deadline_in(std::int64_t ms);
// For poll(), rounded up; 0 once it has passed.
[[nodiscard]] int remaining_ms(Deadline deadline);

// While it exists, this thread's waits at channels end once `now` returns true, as if their time were over. A wait asks
// ten times a second. For requests that a user may give up.
class EndsWaits {
 public:
  explicit EndsWaits(const std::function<bool()>& now);
  EndsWaits(const EndsWaits&) = delete;
  EndsWaits& operator=(const EndsWaits&) = delete;
  ~EndsWaits();

 private:
  const std::function<bool()> now_;  // a copy, so that each EndsWaits has its own address
};

struct ChannelError {
  enum class Kind : std::uint8_t {
    timed_out,
    ended,  // the peer closed or reset the connection
    other,
  };
  Kind kind = Kind::other;
  std::string reason;
};

class Channel {
 public:
  virtual ~Channel() = default;

  // At least one byte, or 0 at an orderly end of the stream.
  [[nodiscard]] virtual Result<std::size_t, ChannelError> read_some(std::span<char> into, Deadline deadline) = 0;
  // All of them, or the reason why not.
  [[nodiscard]] virtual Result<void, ChannelError> write(std::string_view bytes, Deadline deadline) = 0;

  // Bytes given to the system so far, TLS records included. If unchanged, nothing was sent.
  [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;
  // Nothing was received and the peer has not closed: fit for another request.
  [[nodiscard]] virtual bool quiet() = 0;
};

// TCP by name or address, within a deadline.

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// Literal addresses and localhost names are resolved here (RFC 6761), so the common case needs no resolver. Other
// names go to the system's resolver, limited by the deadline.
[[nodiscard]] Result<std::vector<SocketAddress>, ChannelError> resolve(const HostPort& place, Deadline deadline);

class TcpChannel final : public Channel {
 public:
  // Tries the addresses of the name in turn.
  [[nodiscard]] static Result<std::unique_ptr<TcpChannel>, ChannelError> connect(const HostPort& place,
                                                                                 Deadline deadline);

  explicit TcpChannel(Descriptor socket) : socket_(std::move(socket)) {}

  Result<std::size_t, ChannelError> read_some(std::span<char> into, Deadline deadline) override;
  Result<void, ChannelError> write(std::string_view bytes, Deadline deadline) override;
  [[nodiscard]] std::uint64_t bytes_sent() const override { return bytes_sent_; }
  [[nodiscard]] bool quiet() override;

  // One attempt each, like the system calls: -1 with errno, EAGAIN if it would block.
  [[nodiscard]] ssize_t receive_now(std::span<char> into);
  [[nodiscard]] ssize_t send_now(std::string_view bytes);
  [[nodiscard]] Result<void, ChannelError> wait(short poll_events, Deadline deadline);

 private:
  Descriptor socket_;
  std::uint64_t bytes_sent_ = 0;
  bool is_drained_ = false;  // the last read got less than it could take: another one is likely to wait
};

// TLS 1.2 or later over TCP, with the peer's certificate and name verified.

// The trusted certificates. Created for the first https address and kept, because that costs more than a request.
struct TlsContext;
// Of a directory with names hashed by OpenSSL (certificates are read when needed), or of a PEM file.
[[nodiscard]] Result<std::shared_ptr<TlsContext>, std::string> make_tls_context(
    const std::string& certificate_authorities);

// Performs the TLS handshake. `name` is a host name, sent as SNI, or an IP address.
[[nodiscard]] Result<std::unique_ptr<Channel>, ChannelError> secure(std::unique_ptr<TcpChannel> tcp,
                                                                    TlsContext& context, const std::string& name,
                                                                    Deadline deadline);

}  // namespace svc::api
