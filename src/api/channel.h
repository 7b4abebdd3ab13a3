// A connected byte stream with a deadline on every wait: TCP, or TLS over it. For a synchronous
// client a poll() is all the reactor it needs. (D-151)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/deadline.h"
#include "base/result.h"

namespace svc::api {

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

  // At least one byte, or 0 at the orderly end of the peer's bytes.
  [[nodiscard]] virtual Result<std::size_t, ChannelError> read_some(std::span<char> into, Deadline deadline) = 0;
  // All of them, or the reason why not.
  [[nodiscard]] virtual Result<void, ChannelError> write(std::string_view bytes, Deadline deadline) = 0;

  // Bytes given to the system so far, TLS records included. Unchanged means that nothing has left.
  [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;
  // Nothing has come in and the peer has not closed: fit for another request.
  [[nodiscard]] virtual bool quiet() = 0;
  // For poll().
  [[nodiscard]] virtual int fd() const = 0;
};

}  // namespace svc::api
