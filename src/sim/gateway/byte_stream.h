// A connection after its upgrade: bytes in both directions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace svc::sim {

// Bytes that many connections may send without copying them.
using SharedBytes = std::shared_ptr<const std::string>;

// Events for the owner of a stream. Called on the connection's I/O thread, one at a time; none after closed().
class ByteStreamEvents {
 public:
  virtual ~ByteStreamEvents() = default;
  virtual void received(std::string_view bytes) = 0;
  // The send queue is empty. May be called often: use it to refill, not to count.
  virtual void drained() {}
  // The server stops: a final message may be sent now. The stream is closed once that was sent.
  virtual void stopping() {}
  // The connection is gone, for whatever reason. Called exactly once.
  virtual void closed() = 0;
};

// A handle: the server owns the connection. Any thread, any lock held, also after the connection is gone: nothing
// calls the owner back. Effects come later, on the connection's I/O thread, in the order of calls under one lock.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Senders must check queued_bytes(): a stalled reader is disconnected only after the server's write timeout.
  virtual void send(SharedBytes bytes) = 0;
  void send(std::string bytes) { send(std::make_shared<const std::string>(std::move(bytes))); }
  [[nodiscard]] virtual std::size_t queued_bytes() const = 0;
  // Runs the function on the connection's I/O thread, in order with what is received there.
  virtual void post(std::function<void()> task) = 0;
  // Closes after sending everything queued, so that the peer can read all of it. Further input is dropped.
  virtual void close() = 0;
  // Closes at once.
  virtual void abort() = 0;
};

}  // namespace svc::sim
