// One HTTP connection of the server: parses requests, passes them on, writes replies in order.
//
// Phases
//   open       requests are read
//   upgrading  one request waits for the decision on its upgrade; nothing is read
//   draining   no more requests are read; closes after the last reply was sent
//   lingering  everything is sent and our side is shut down: further input is dropped, so that the peer sees the
//              last reply instead of a reset
//   closed
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "api/http/http_parser.h"
#include "sim/gateway/byte_stream.h"
#include "sim/gateway/http_server.h"
#include "sim/gateway/http_server_loop.h"

namespace svc::sim {

// Shared by the connections of a server. Outlives them.
struct HttpServerShared {
  HttpServerOptions options;
  HttpHandler handler;
  std::atomic<std::size_t> connections{0};
};

class HttpServerConnection final : public LoopMember {
 public:
  enum class Admission : std::uint8_t { served, refused };  // refused: answered with 503

  HttpServerConnection(HttpServerLoop& loop, HttpServerShared& shared, boost::asio::ip::tcp::socket socket, Peer peer);
  ~HttpServerConnection() override;

  void start(Admission admission);

  // Answers request `sequence`; nullopt: the handler failed. Ignored if already answered.
  void answer(std::uint64_t sequence, std::optional<api::HttpResponse> response);
  void leave_http(std::uint64_t sequence, const StreamOpened& opened);

  void deadline_passed() override;
  void stop_gracefully() override;
  void kill() override;
  void flush() override;

 private:
  enum class Phase : std::uint8_t { open, upgrading, draining, lingering, closed };

  // A request that is not answered yet, or whose answer waits for earlier ones.
  struct Slot {
    ResponseShape shape;
    std::optional<api::HttpResponse> response;
  };

  void read();
  void on_received(boost::system::error_code error, std::size_t count);
  void on_end_of_input();
  void take(std::string_view bytes);
  [[nodiscard]] std::string_view parse(std::string_view bytes);
  [[nodiscard]] bool may_take_more() const {
    return slots_.size() < shared_.options.pipeline_depth_max && waiting() < shared_.options.output_bytes_high;
  }
  void hand_over();
  void refuse(TransportRefusal refusal);
  void report_failure() const;
  void continue_if_expected();

  void write_ready();
  void end_turn();
  void wait_for_room();
  void linger();
  void update_deadline();
  void drop_slots();
  [[nodiscard]] std::size_t unsent() const { return output_.size() - sent_; }
  [[nodiscard]] std::size_t waiting() const { return unsent() + early_bytes_; }

  HttpServerShared& shared_;
  boost::asio::ip::tcp::socket socket_;
  Peer peer_;
  api::RequestParser parser_;
  Phase phase_ = Phase::open;
  bool reading_ = false;   // waiting for input
  bool writing_ = false;   // waiting for room in the socket
  bool in_turn_ = false;   // replies given now are sent at the end of the turn
  bool gathered_ = false;  // will be flushed by the loop
  bool peer_ended_ = false;
  bool hangs_up_ = false;  // close without lingering after the last reply
  bool continue_sent_ = false;

  std::array<char, 1024> arrived_;  // the first read after a pause: most requests fit
  std::string input_;               // bytes not yet parsed
  std::string output_;
  std::size_t sent_ = 0;         // of output_
  std::size_t early_bytes_ = 0;  // replies waiting for earlier ones

  std::deque<Slot> slots_;
  std::uint64_t first_sequence_ = 0;  // of slots_

  api::ParserState stage_ = api::ParserState::empty;  // of the request being read
  TimerWheel::Tick stage_due_ = TimerWheel::never;
  TimerWheel::Tick write_due_ = TimerWheel::never;
};

// A connection after its upgrade: shared bytes out in order, bytes in to the owner of the stream.

class HttpServerStream final : public LoopMember {
 public:
  HttpServerStream(HttpServerLoop& loop, HttpServerShared& shared, boost::asio::ip::tcp::socket socket);
  ~HttpServerStream() override;

  // `unsent` are replies from before the upgrade, `received` the bytes after its head.
  void start(const StreamOpened& opened, std::string unsent, std::string_view received);

  // On the loop's thread, as everything below.
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
  [[nodiscard]] std::size_t write_some(boost::system::error_code& error);
  void write();
  void wait_for_room();
  void linger();

  HttpServerShared& shared_;
  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<ByteStreamEvents> events_;
  std::shared_ptr<std::atomic<std::size_t>> queued_;  // bytes, including those on their way to this thread
  std::deque<SharedBytes> output_;
  std::size_t sent_ = 0;  // of the first of output_
  bool writing_ = false;  // waiting for room in the socket
  bool gathered_ = false;
  bool closing_ = false;
  bool closed_ = false;
};

}  // namespace svc::sim
