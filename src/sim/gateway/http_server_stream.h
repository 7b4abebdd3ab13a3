// A connection after its upgrade: shared bytes out in order, bytes in to whoever owns the stream.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <memory>
#include <string>

#include "sim/gateway/byte_stream.h"
#include "sim/gateway/http_server_loop.h"

namespace svc::sim {

struct HttpServerShared;

class HttpServerStream final : public LoopMember {
 public:
  HttpServerStream(HttpServerLoop& loop, HttpServerShared& shared, boost::asio::ip::tcp::socket socket);
  ~HttpServerStream() override;

  // `unsent` are replies from before the upgrade, `received` what came after its head.
  void start(const StreamOpened& opened, std::string unsent, std::string_view received);

  // On the loop's thread, as all that follows.
  void send(SharedBytes bytes);
  void close();
  void deadline_passed() override { kill(); }
  void stop_gracefully() override;
  void kill() override;
  void flush() override;

 private:
  class Handle;

  void read();
  void on_readable();
  void write();
  void wait_for_room();
  void linger();

  HttpServerShared& shared_;
  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<ByteStreamEvents> events_;
  std::shared_ptr<std::atomic<std::size_t>> queued_;  // bytes, those on their way to this thread included
  std::deque<SharedBytes> output_;
  std::size_t sent_ = 0;  // of the first of output_
  bool writing_ = false;  // waiting for room in the socket
  bool gathered_ = false;
  bool closing_ = false;
  bool closed_ = false;
};

}  // namespace svc::sim
