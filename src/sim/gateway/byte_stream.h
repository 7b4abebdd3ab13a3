// A connection that left HTTP: bytes both ways. What an accepted upgrade is handed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace svc::sim {

// Bytes that many connections may send without copying them.
using SharedBytes = std::shared_ptr<const std::string>;

// What the owner of a stream wants to hear. Called on the connection's I/O thread, never two calls
// at once; none after closed().
class ByteStreamEvents {
 public:
  virtual ~ByteStreamEvents() = default;
  virtual void received(std::string_view bytes) = 0;
  // Everything queued has left. May come often: use it to refill, not to count.
  virtual void drained() {}
  // The server stops: a last word may be sent now. The stream is closed once that has left.
  virtual void stopping() {}
  // The connection is gone, for whatever reason. Called exactly once.
  virtual void closed() = 0;
};

// All functions may be called from any thread, in any order, also after the connection is gone
// (then they do nothing), and with any lock held: none of them calls the owner back. What they cause
// happens later, on the connection's I/O thread, in the order in which it was asked for under one lock.
// The connection is held by the server, not by this handle.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Queues bytes; whoever sends must look at queued_bytes() and drop or conflate, as a stalled reader
  // is cut off only after the server's write timeout.
  virtual void send(SharedBytes bytes) = 0;
  void send(std::string bytes) { send(std::make_shared<const std::string>(std::move(bytes))); }
  [[nodiscard]] virtual std::size_t queued_bytes() const = 0;
  // Runs the function on the connection's I/O thread, in order with what is received there.
  virtual void post(std::function<void()> task) = 0;
  // Closes once everything queued has left, gently: the peer can read all of it. What still comes in is dropped.
  virtual void close() = 0;
  // Closes at once.
  virtual void abort() = 0;
};

}  // namespace svc::sim
