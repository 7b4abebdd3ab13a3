// HTTP/1.1 and 1.0 over TCP: bytes to requests, replies to bytes. Knows no routes and no codes.
//
// Promises
//   - Replies are sent in the order of their requests, whenever and on whatever thread they are given (pipelining); at
//     most `pipeline_depth_max` requests of a connection are unanswered.
//   - A request that violates HTTP or a limit is answered by `refuse`, after the replies before it, and the connection
//     is closed such that the client sees that answer.
//   - A connection never waits forever: each state has its deadline, kept by one coarse timer wheel.
//   - The bytes waiting for slow readers, or of bodies that are not complete, are bounded per connection and in total:
//     beyond it, the connection on which nothing has moved for longest is closed. Each I/O thread has its share of the
//     bound. (D-671)
//   - One connection in sixteen is kept for clients on this machine, so that others cannot lock them out.
//   - The server sets Content-Length, Connection, Date and Server; such fields of a reply are ignored, but
//     `Connection: close` closes after it. HEAD is passed on, and gets only the header of the reply.
//   - A connection stays on one I/O thread; connections are assigned to the threads in turn.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/http/http_message.h"
#include "api/http/http_parser.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"

namespace svc::limits {
inline constexpr std::size_t http_waiting_bytes_max = 256u << 20;  // of all connections together, unread or incomplete
inline constexpr std::size_t http_own_share = 16;                  // one connection of so many is kept for this machine
}  // namespace svc::limits

namespace svc::sim {

// Who is at the other end.
struct Peer {
  std::string address;  // as normal_address() writes it, no port: "127.0.0.1", "::1"; empty: unresolved
};

// Answers one request. May be called on any thread, now or later, also after the server is gone. The first call
// counts; if the last copy is dropped without a call, the client gets `no_reply`.
class SendReply {
 public:
  // Gets the answer. Belongs to all copies together.
  class Receiver {
   public:
    virtual ~Receiver() = default;
    virtual void receive(api::HttpResponse&& response) = 0;
  };

  explicit SendReply(std::shared_ptr<Receiver> receiver) : receiver_(std::move(receiver)) {}
  template <std::invocable<api::HttpResponse&&> Take>
  SendReply(Take take) : receiver_(std::make_shared<Taker<Take>>(std::move(take))) {}

  void operator()(api::HttpResponse&& response) const { receiver_->receive(std::move(response)); }

 private:
  template <class Take>
  class Taker final : public Receiver {
   public:
    explicit Taker(Take take) : take_(std::move(take)) {}
    void receive(api::HttpResponse&& response) override { take_(std::move(response)); }

   private:
    Take take_;
  };

  std::shared_ptr<Receiver> receiver_;
};

// Given to a SendReply: the connection ends without a byte for this request, after the earlier answers. Status 0.
[[nodiscard]] api::HttpResponse no_answer();
[[nodiscard]] inline bool is_no_answer(const api::HttpResponse& response) {
  return response.status == 0;
}

// Called on an I/O thread, which it must not block. An exception becomes `no_reply`.
using HttpHandler = std::function<void(api::HttpRequest&&, const Peer&, SendReply)>;

// Why the server answers by itself.
enum class TransportRefusal : std::uint16_t {
  malformed_request = 400,
  request_timeout = 408,  // header or body came too slowly
  body_too_large = 413,
  request_line_too_long = 414,
  expectation_failed = 417,  // an Expect other than 100-continue
  header_too_large = 431,    // too many bytes or too many fields
  no_reply = 500,            // the handler failed
  not_implemented = 501,     // a Transfer-Encoding other than chunked, or CONNECT
  too_many_connections = 503,
};

[[nodiscard]] constexpr int status_of(TransportRefusal refusal) {
  return static_cast<int>(refusal);
}
// The status with its reason phrase as text/plain, for servers without a catalogue.
[[nodiscard]] api::HttpResponse plain_refusal(TransportRefusal refusal);

// A connection after its upgrade: bytes in both directions.

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

// Runs on the connection's I/O thread with the stream; returns the receiver of its events.
using StreamOpened = std::function<std::shared_ptr<ByteStreamEvents>(std::shared_ptr<ByteStream>)>;

// An upgrade to be decided: one of the two is called, on any thread, now or later. The first call counts; dropping
// both without a call is `no_reply`.
struct Upgrade {
  SendReply refuse;  // answers as plain HTTP; the connection stays open
  // Leaves HTTP. Bytes after the head are received right after `opened`. The server answers nothing: the acceptor
  // sends the 101.
  std::function<void(StreamOpened opened)> accept;
};

// Called with a request with `Connection: Upgrade` and an `Upgrade` field, and its head as text. A request sent before
// the previous one was answered is never an upgrade, nor is one with a body or of HTTP/1.0.
using UpgradeHandler = std::function<void(api::HttpRequest&&, std::string head, const Peer&, Upgrade)>;

struct HttpServerOptions {
  std::function<TimestampMs()> now;  // for the Date field; required
  std::function<api::HttpResponse(TransportRefusal)> refuse = plain_refusal;
  std::function<void(std::string)> handler_failed;  // called with the message of a handler's exception
  UpgradeHandler upgrade;                           // none: such a request is an ordinary one
  std::size_t io_threads = 1;                       // the thread in run() is the first

  api::ParserLimits requests{.header_bytes_max = limits::http_header_bytes_max,
                             .header_fields_max = limits::http_header_fields_max,
                             .body_bytes_max = limits::http_body_bytes_max};
  // Takes the place of requests.is_roomy, because it also needs to know who asks.
  std::function<bool(const Peer& peer, std::string_view target, std::string_view name, std::string_view value)>
      is_roomy;
  std::size_t pipeline_depth_max = limits::http_pipeline_depth_max;
  std::size_t waiting_bytes_max = limits::http_waiting_bytes_max;
  std::size_t connections_max = limits::http_connections_max;
  std::size_t connections_refused_max = limits::http_connections_refused_max;

  // Milliseconds of real time, accurate to one tick.
  std::int64_t idle_ms = limits::http_idle_ms;
  std::int64_t header_ms = limits::http_header_ms;
  std::int64_t body_ms = limits::http_body_ms;
  std::int64_t write_ms = limits::http_write_ms;
  std::int64_t linger_ms = limits::http_linger_ms;
  std::int64_t stop_grace_ms = limits::http_stop_grace_ms;
  std::int64_t timer_tick_ms = limits::http_timer_tick_ms;
};

class HttpServer {
 public:
  HttpServer(HttpServerOptions options, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds and listens; connections are served once run() is called. `host` is an IP address, or "localhost" or empty
  // for 127.0.0.1 and, with IPv6, ::1. Port 0 takes any free one. Returns the port, or one line with the reason.
  [[nodiscard]] Result<std::uint16_t, std::string> listen(const std::string& host, std::uint16_t port);

  // Serves until stop(); the calling thread is the first I/O thread. Call once, after listen().
  void run();

  // Stops accepting, closes idle connections, gives requests in progress `stop_grace_ms` at most, then closes the rest;
  // run() then returns. Any thread, any number of times; not from a signal handler.
  void stop();

  // The number of open connections: serving, being refused, lingering, and streams. Any thread.
  [[nodiscard]] std::size_t connections() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::sim
