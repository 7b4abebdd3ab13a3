#include "sim/gateway/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <system_error>
#include <thread>

#include "base/assert.h"
#include "base/containers.h"
#include "sim/gateway/http_server_loop.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace {

namespace ip = boost::asio::ip;
using Endpoint = ip::tcp::endpoint;

constexpr std::int64_t accept_pause_ms = 100;  // when the process is out of descriptors
constexpr int accepts_per_turn_max = 16;
constexpr std::string_view interim_continue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::size_t idle_output_bytes_max = 64 * 1024;  // kept for the next reply
constexpr std::size_t copied_body_bytes_max = 8 * 1024;   // a longer one is sent from where it was written
constexpr std::size_t parts_per_write_max = 64;

bool is_without_family(int error) {
  return error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
}

bool is_out_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

// What is behind `sent` bytes.
iovec unsent_part(const std::string& bytes, std::size_t sent) {
  sent = std::min(sent, bytes.size());
  return {.iov_base = const_cast<char*>(bytes.data()) + sent, .iov_len = bytes.size() - sent};
}

TransportRefusal transport_refusal_of(api::ParseFailure failure) {
  switch (failure) {
    case api::ParseFailure::malformed: return TransportRefusal::malformed_request;
    case api::ParseFailure::start_line_too_long: return TransportRefusal::request_line_too_long;
    case api::ParseFailure::header_too_large: return TransportRefusal::header_too_large;
    case api::ParseFailure::body_too_large: return TransportRefusal::body_too_large;
    case api::ParseFailure::unknown_expectation: return TransportRefusal::expectation_failed;
    case api::ParseFailure::unknown_transfer_coding:
    case api::ParseFailure::tunnel_asked_for: return TransportRefusal::not_implemented;
  }
  SVC_ASSERT(false);
}

api::ParserLimits parser_limits(const HttpServerOptions& options, const Peer& peer) {
  api::ParserLimits limits = options.requests;
  if (options.is_roomy)
    limits.is_roomy = [&options, &peer](std::string_view target, std::string_view name, std::string_view value) {
      return options.is_roomy(peer, target, name, value);
    };
  return limits;
}

std::string head_of(const api::HttpRequest& request) {
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const api::Header& field : request.headers)
    head.append(field.name).append(": ").append(field.value).append("\r\n");
  return head + "\r\n";
}

bool asks_to_close(const api::HttpResponse& response) {
  const auto connection = response.headers.find("connection");
  return connection && api::same_header_name(*connection, "close");
}

// Shared by the connections of a server. Outlives them.
struct HttpServerShared {
  HttpServerOptions options;
  HttpHandler handler;
  std::atomic<std::size_t> connections{0};
};

// Counted among the connections of its server while it exists.
class CountedMember : public LoopMember {
 public:
  CountedMember(HttpServerLoop& loop, HttpServerShared& shared, Descriptor socket)
      : LoopMember(loop, std::move(socket)), shared_(shared) {
    shared_.connections.fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedMember() override { shared_.connections.fetch_sub(1, std::memory_order_relaxed); }

 protected:
  HttpServerShared& shared_;
};

using State = WatchedSocket::Moved::State;

constexpr int unsent_bytes_max = 64 * 1024;  // of a stream, in the system. (D-929)

// A connection after its upgrade: shared bytes out in order, bytes in to the owner of the stream.
class HttpServerStream final : public CountedMember {
 public:
  using CountedMember::CountedMember;

  // `unsent` are replies from before the upgrade, `received` the bytes after its head.
  void start(const StreamOpened& opened, std::string unsent, std::string_view received) {
    // What the system holds back unsent is small: else a slow reader would get books that are minutes old, and would
    // seem to stand still for as long as a third of megabytes takes.
    static_cast<void>(
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes_max, sizeof unsent_bytes_max));
    handle_ = std::make_shared<Handle>(loop_.mailbox(), weak_from_this());
    if (!unsent.empty()) {
      handle_->queued.fetch_add(unsent.size(), std::memory_order_relaxed);
      send(std::make_shared<const std::string>(std::move(unsent)));
    }
    events_ = opened(handle_);
    if (!events_) return kill();
    if (!received.empty()) events_->received(received);
    await();
  }

  void ready(Readiness now) override {
    if (now.room && writing_) {
      writing_ = false;
      if (!closing_) loop_.set_deadline(*this, TimerWheel::never);
      write();
    }
    if (now.input && !closed_) receive();
    await();
  }

  void deadline_passed() override { kill(); }

  void stop_gracefully() override {
    if (closed_) return;
    if (!events_) return kill();  // only waiting for the peer
    events_->stopping();
    // After its last message, which was posted as well.
    loop_.mailbox()->post([weak = weak_from_this()] {
      if (const auto stream = weak.lock()) static_cast<HttpServerStream&>(*stream).close();
    });
  }

  void kill() override {
    if (closed_) return;
    closed_ = true;
    socket_.close();
    output_.clear();
    loop_.release(*this);
    if (const auto events = std::exchange(events_, nullptr)) events->closed();
  }

  void flush() override {
    if (closed_ || writing_) return;
    write();
    await();
  }

  void count_waiting(WaitingBytes& all) const override {
    for (const SharedBytes& bytes : output_) all.add(bytes);
  }
  [[nodiscard]] std::size_t waiting_for_it_alone() const override {
    std::size_t alone = 0;
    for (const SharedBytes& bytes : output_)
      if (bytes.use_count() == 1) alone += bytes->size();
    return alone;
  }

 private:
  // The owner's handle. Refers to the stream weakly, so it may be kept and used from anywhere.
  class Handle final : public ByteStream {
   public:
    Handle(std::shared_ptr<LoopMailbox> mailbox, std::weak_ptr<LoopMember> stream)
        : mailbox_(std::move(mailbox)), stream_(std::move(stream)) {}

    using ByteStream::send;
    void send(SharedBytes bytes) override {
      queued.fetch_add(bytes->size(), std::memory_order_relaxed);
      on_loop([bytes = std::move(bytes)](HttpServerStream& stream) mutable { stream.send(std::move(bytes)); });
    }
    [[nodiscard]] std::size_t queued_bytes() const override { return queued.load(); }
    void post(std::function<void()> task) override { mailbox_->post(std::move(task)); }
    void close() override {
      on_loop([](HttpServerStream& stream) { stream.close(); });
    }
    void abort() override {
      on_loop([](HttpServerStream& stream) { stream.kill(); });
    }

    std::atomic<std::size_t> queued{0};  // bytes, including those on their way to the loop

   private:
    // Posted even on the loop's own thread: the caller may hold a lock that the owner's events need, and messages
    // that two threads send in order under a lock keep that order.
    template <class Action>
    void on_loop(Action action) {
      mailbox_->post([weak = stream_, action = std::move(action)]() mutable {
        if (const auto stream = weak.lock()) action(static_cast<HttpServerStream&>(*stream));
      });
    }

    std::shared_ptr<LoopMailbox> mailbox_;
    std::weak_ptr<LoopMember> stream_;
  };

  // Takes it over from the caller: see waiting_for_it_alone().
  void send(SharedBytes&& bytes) {
    if (closed_ || closing_ || bytes->empty()) {
      handle_->queued.fetch_sub(bytes->size(), std::memory_order_relaxed);
      return;
    }
    output_.push_back(std::move(bytes));
    if (writing_)
      loop_.set_waiting(*this, handle_->queued.load(std::memory_order_relaxed), HttpServerLoop::Reader::stood);
    if (!closed_ && !writing_) loop_.gather(*this);
  }

  void close() {
    if (closed_) return;
    if (std::exchange(closing_, true)) return;
    if (output_.empty()) return linger();
    loop_.set_deadline(*this, loop_.tick_after(shared_.options.write_ms));
  }

  // Closing a socket with unread bytes resets it, and the peer loses the last bytes sent. So our side is shut down,
  // and input is dropped until the peer closes, or for a while.
  void linger() {
    if (!socket_.end_output()) return kill();
    loop_.set_deadline(*this, loop_.tick_after(shared_.options.linger_ms));
    if (const auto events = std::exchange(events_, nullptr)) events->closed();
  }

  [[nodiscard]] WatchedSocket::Moved write_some() const {
    std::array<iovec, parts_per_write_max> parts;
    const std::size_t count = std::min(output_.size(), parts.size());
    parts[0] = unsent_part(*output_.front(), sent_);
    for (std::size_t i = 1; i < count; ++i) parts[i] = unsent_part(*output_[i], 0);
    return socket_.send(std::span(parts).first(count));
  }

  void write() {
    const bool had_output = !output_.empty();
    auto reader = HttpServerLoop::Reader::stood;
    while (!output_.empty()) {
      const auto [taken, state] = write_some();
      if (state != State::open) return kill();
      if (taken == 0) {
        loop_.set_waiting(*this, handle_->queued.load(std::memory_order_relaxed), reader);
        return closed_ ? void() : wait_for_room();
      }
      std::size_t left = taken;
      reader = HttpServerLoop::Reader::moved;
      handle_->queued.fetch_sub(left);  // ordered before drained(), for who looks whether the queue is empty
      while (left > 0) {
        const std::size_t rest = output_.front()->size() - sent_;
        if (left < rest) {
          sent_ += left;
          break;
        }
        left -= rest;
        sent_ = 0;
        output_.pop_front();
      }
    }
    loop_.set_waiting(*this, 0, reader);
    if (closing_) return linger();
    if (had_output) events_->drained();
  }

  void wait_for_room() {
    writing_ = true;
    loop_.set_deadline(*this, loop_.tick_after(shared_.options.write_ms));
  }

  void receive() {
    const std::span<char> scratch = loop_.scratch();
    const auto [count, state] = socket_.receive(scratch);
    if (state != State::open) return kill();
    if (count > 0 && !closing_) events_->received({scratch.data(), count});
  }

  void await() {
    if (!closed_ && !socket_.await({.input = true, .room = writing_})) kill();
  }

  std::shared_ptr<ByteStreamEvents> events_;
  std::shared_ptr<Handle> handle_;
  Deque<SharedBytes> output_;
  std::size_t sent_ = 0;  // of the first of output_
  bool writing_ = false;  // waiting for room in the socket
  bool closing_ = false;
  bool closed_ = false;
};

// One HTTP connection of the server: parses requests, passes them on, writes replies in order.
class HttpServerConnection final : public CountedMember {
 public:
  enum class Admission : std::uint8_t { served, refused };  // refused: answered with 503

  HttpServerConnection(HttpServerLoop& loop, HttpServerShared& shared, Descriptor socket, Peer peer)
      : CountedMember(loop, shared, std::move(socket)),
        peer_(std::move(peer)),
        parser_(parser_limits(shared.options, peer_)) {}

  void start(Admission admission) {
    const int on = 1;
    if (::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) return kill();
    stage_due_ = loop_.tick_after(shared_.options.idle_ms);
    if (admission == Admission::refused) refuse(TransportRefusal::too_many_connections);
    end_turn();
  }

  void ready(Readiness now) override {
    if (now.failed && !reads_on()) return kill();  // nobody is left to read the replies
    if (now.room && writing_) {
      writing_ = false;
      write_due_ = TimerWheel::never;
    }
    if (now.input && reads_on()) receive();
    end_turn();
  }

  void deadline_passed() override {
    const bool in_request = phase_ == Phase::open && !writing_ && stage_ != api::ParserState::empty;
    if (!in_request) return kill();  // idle, lingering, or a reader that does not read
    refuse(TransportRefusal::request_timeout);
    end_turn();
  }

  void stop_gracefully() override {
    if (phase_ == Phase::open && slots_.empty() && unsent() == 0) return kill();
    if (phase_ == Phase::open) phase_ = Phase::draining;
    end_turn();
  }

  void kill() override {
    if (phase_ == Phase::closed) return;
    phase_ = Phase::closed;
    in_turn_ = false;
    socket_.close();
    drop_slots();
    // Now, because this connection lives until the loop has served the others.
    std::string().swap(output_);
    std::string().swap(body_);
    sent_ = 0;
    loop_.release(*this);
  }

  void flush() override { end_turn(); }

 private:
  enum class Phase : std::uint8_t {
    open,       // requests are read
    upgrading,  // one request waits for the decision on its upgrade; nothing is read
    draining,   // no more requests are read; closes after the last reply was sent
    lingering,  // everything is sent and our side is shut down: further input is dropped, so that the peer sees the
                // last reply instead of a reset
    closed,
  };

  // A request that is not answered yet, or whose answer waits for earlier ones.
  struct Slot {
    ResponseShape shape;
    std::unique_ptr<api::HttpResponse> response{};  // if it waits
  };

  // The right to answer one request. It refers to the connection weakly: a connection belongs to its loop's thread
  // alone, which decides when it ends.
  class Ticket final : public SendReply::Receiver {
   public:
    Ticket(HttpServerLoop& loop, std::weak_ptr<LoopMember> connection, std::uint64_t sequence)
        : loop_(loop), mailbox_(loop.mailbox()), connection_(std::move(connection)), sequence_(sequence) {}
    ~Ticket() override { answer(nullptr); }

    void receive(api::HttpResponse&& response) override { answer(&response); }

    void leave_http(StreamOpened opened) {
      if (used_.exchange(true, std::memory_order_relaxed)) return;
      mailbox_->post([weak = std::move(connection_), sequence = sequence_, opened = std::move(opened)] {
        if (const auto member = weak.lock()) static_cast<HttpServerConnection&>(*member).leave_http(sequence, opened);
      });
    }

   private:
    // `response` is null if the handler failed.
    void answer(api::HttpResponse* response) {
      if (used_.exchange(true, std::memory_order_relaxed)) return;
      // `loop_` may be gone: it is only compared with the running loop.
      if (HttpServerLoop::is_current(loop_)) return deliver(connection_, sequence_, response);
      mailbox_->post([connection = std::move(connection_), sequence = sequence_,
                      kept = response != nullptr ? std::optional(std::move(*response)) : std::nullopt]() mutable {
        deliver(connection, sequence, kept ? &*kept : nullptr);
      });
    }

    static void deliver(const std::weak_ptr<LoopMember>& connection, std::uint64_t sequence,
                        api::HttpResponse* response) {
      if (const auto member = connection.lock()) static_cast<HttpServerConnection&>(*member).answer(sequence, response);
    }

    HttpServerLoop& loop_;
    std::shared_ptr<LoopMailbox> mailbox_;
    std::weak_ptr<LoopMember> connection_;
    std::uint64_t sequence_;
    std::atomic<bool> used_{false};
  };

  void receive() {
    const std::span<char> scratch = loop_.scratch();
    const auto [count, state] = socket_.receive(scratch);
    if (state == State::broken) return kill();
    in_turn_ = true;
    if (state == State::peer_ended) on_end_of_input();
    if (count > 0 && phase_ == Phase::open) take({scratch.data(), count});
    in_turn_ = false;
  }

  void on_end_of_input() {
    peer_ended_ = true;
    if (phase_ != Phase::open) return;
    // Complete requests are still answered: a peer may shut down its side and wait. An incomplete request is refused.
    if (stage_ != api::ParserState::empty) return refuse(TransportRefusal::malformed_request);
    phase_ = Phase::draining;
  }

  void take(std::string_view bytes) {
    if (input_.empty()) {
      input_ = parse(bytes);
      return;
    }
    input_ += bytes;
    const std::size_t left = parse(input_).size();
    input_.erase(0, input_.size() - left);
  }

  // Returns what was not consumed.
  [[nodiscard]] std::string_view parse(std::string_view bytes) {
    while (phase_ == Phase::open && may_take_more() && !bytes.empty()) {
      bytes.remove_prefix(parser_.feed(bytes));
      const api::ParserState state = parser_.state();
      if (state == api::ParserState::failed) {
        refuse(transport_refusal_of(parser_.failure()));
      } else if (state == api::ParserState::complete) {
        hand_over();
      } else {
        if (state != stage_) {
          const bool in_body = state == api::ParserState::body;
          stage_due_ = loop_.tick_after(in_body ? shared_.options.body_ms : shared_.options.header_ms);
          stage_ = state;
        }
        return bytes;
      }
    }
    return phase_ == Phase::open || phase_ == Phase::upgrading ? bytes : std::string_view{};
  }

  void hand_over() {
    api::HttpRequest& request = parser_.request();
    const HttpServerOptions& options = shared_.options;
    const bool keep_alive = parser_.keep_alive() && !loop_.stopping();
    const std::uint64_t sequence = first_sequence_ + slots_.size();
    slots_.push_back(
        {.shape = {.head = request.is("HEAD"), .close = !keep_alive, .keep_alive = keep_alive && parser_.http_1_0()}});
    stage_ = api::ParserState::empty;
    continue_sent_ = false;

    const bool may_leave =
        options.upgrade && parser_.upgrade() && !parser_.http_1_0() && slots_.size() == 1 && request.body.empty();
    if (may_leave)
      phase_ = Phase::upgrading;
    else if (!keep_alive)
      phase_ = Phase::draining;
    auto ticket = std::make_shared<Ticket>(loop_, weak_from_this(), sequence);
    // A ticket dropped without an answer has answered no_reply.
    const auto report_failure = [&](const char* what) {
      if (options.handler_failed) options.handler_failed(what);
    };
    try {
      if (may_leave) {
        std::string head = head_of(request);
        options.upgrade(std::move(request), std::move(head), peer_,
                        {.refuse = SendReply(ticket),
                         .accept = [ticket](StreamOpened opened) { ticket->leave_http(std::move(opened)); }});
      } else {
        shared_.handler(std::move(request), peer_, SendReply(std::move(ticket)));
      }
    } catch (const std::exception& error) {
      report_failure(error.what());
    } catch (...) {
      report_failure("an exception of unknown type");
    }
    ticket.reset();
    parser_.reset();
  }

  void refuse(TransportRefusal refusal) {
    slots_.push_back({.shape = {.head = false, .close = true, .keep_alive = false}});
    phase_ = Phase::draining;
    settle(slots_.size() - 1, shared_.options.refuse(refusal));
  }

  // Answers request `sequence`; nullptr: the handler failed. Ignored if already answered.
  void answer(std::uint64_t sequence, api::HttpResponse* response) {
    if (phase_ == Phase::closed || phase_ == Phase::lingering) return;
    if (sequence < first_sequence_ || sequence - first_sequence_ >= slots_.size()) return;
    const std::size_t place = sequence - first_sequence_;
    const bool closes = slots_[place].shape.close || loop_.stopping();
    if (phase_ == Phase::upgrading) phase_ = closes ? Phase::draining : Phase::open;
    if (response != nullptr)
      settle(place, std::move(*response));
    else
      settle(place, shared_.options.refuse(TransportRefusal::no_reply));
    if (!in_turn_) loop_.gather(*this);
  }

  // Writes the answer, and those that waited for it; or keeps it until those before it are written.
  void settle(std::size_t place, api::HttpResponse&& response) {
    Slot& slot = slots_[place];
    SVC_ASSERT(!slot.response);  // a ticket answers once
    if (place > 0) {
      early_bytes_ += response.body.size();
      slot.response = std::make_unique<api::HttpResponse>(std::move(response));
      return;
    }
    write_first(response);
    while (!slots_.empty() && slots_.front().response) {
      const auto next = std::move(slots_.front().response);
      early_bytes_ -= next->body.size();
      write_first(*next);
    }
    if (slots_.empty() && stage_ == api::ParserState::empty) stage_due_ = loop_.tick_after(shared_.options.idle_ms);
  }

  void write_first(api::HttpResponse& response) {
    ResponseShape shape = slots_.front().shape;
    if (is_no_answer(response)) {
      shape.close = hangs_up_ = true;
    } else {
      if (asks_to_close(response) || (phase_ == Phase::draining && slots_.size() == 1)) shape.close = true;
      if (loop_.writer().write_head(output(), response, shape)) {
        if (response.body.size() > copied_body_bytes_max)
          body_ = std::move(response.body);
        else
          output_ += response.body;
      }
    }
    slots_.pop_front();
    ++first_sequence_;
    if (!shape.close) return;
    phase_ = Phase::draining;
    drop_slots();  // later requests are not answered on this connection
  }

  void drop_slots() {
    first_sequence_ += slots_.size();
    slots_.clear();
    early_bytes_ = 0;
  }

  void leave_http(std::uint64_t sequence, const StreamOpened& opened) {
    if (phase_ != Phase::upgrading || sequence != first_sequence_) return;
    phase_ = Phase::closed;
    auto stream = std::make_shared<HttpServerStream>(loop_, shared_, socket_.release());
    loop_.adopt(stream);
    stream->start(opened, output().substr(sent_), input_);
    loop_.release(*this);
  }

  void continue_if_expected() {
    if (phase_ != Phase::open || continue_sent_ || !slots_.empty()) return;
    if (parser_.state() != api::ParserState::body || !parser_.expects_continue()) return;
    output() += interim_continue;
    continue_sent_ = true;
  }

  // Sends the output, resumes postponed work, and starts the next wait.
  void end_turn() {
    auto reader = HttpServerLoop::Reader::stood;
    while (phase_ != Phase::closed) {
      continue_if_expected();
      while (unsent() > 0 && !writing_) {
        const auto [taken, state] = write_some();
        if (state != State::open) return kill();
        sent_ += taken;
        if (taken > 0)
          reader = HttpServerLoop::Reader::moved;
        else
          wait_for_room();
      }
      if (unsent() == 0 && sent_ > 0) {
        output_.clear();
        if (!body_.empty()) std::string().swap(body_);
        if (output_.capacity() > idle_output_bytes_max) output_.shrink_to_fit();
        sent_ = 0;
      }
      if (phase_ != Phase::open || input_.empty() || !may_take_more()) break;
      // Requests received while too many were unanswered, or too much unsent.
      const std::size_t before = input_.size();
      in_turn_ = true;
      take({});
      in_turn_ = false;
      if (input_.size() == before) break;
    }
    const std::size_t incomplete = stage_ == api::ParserState::body ? parser_.request().body.size() : 0;
    if (std::exchange(incomplete_bytes_, incomplete) < incomplete) reader = HttpServerLoop::Reader::moved;
    // Whoever wrote the body may have taken more room than it needed.
    const std::size_t spare = body_.empty() ? 0 : body_.capacity() - body_.size();
    if (phase_ != Phase::closed) loop_.set_waiting(*this, sent_ + unsent() + spare + early_bytes_ + incomplete, reader);
    if (phase_ == Phase::draining && slots_.empty() && unsent() == 0) {
      if (hangs_up_) return kill();
      linger();
    }
    if (phase_ == Phase::lingering && peer_ended_) return kill();
    if (phase_ == Phase::closed) return;
    if (!socket_.await({.input = reads_on(), .room = writing_})) return kill();
    update_deadline();
  }

  void wait_for_room() {
    writing_ = true;
    write_due_ = loop_.tick_after(shared_.options.write_ms);
  }

  void linger() {
    phase_ = Phase::lingering;
    stage_due_ = loop_.tick_after(shared_.options.linger_ms);
    if (!socket_.end_output()) kill();
  }

  void update_deadline() {
    TimerWheel::Tick due = write_due_;
    const bool is_waiting_for_answers = stage_ == api::ParserState::empty && !slots_.empty();
    if (reads_on() && !is_waiting_for_answers) due = std::min(due, stage_due_);
    loop_.set_deadline(*this, due);
  }

  [[nodiscard]] bool may_take_more() const {
    return slots_.size() < shared_.options.pipeline_depth_max &&
           unsent() + early_bytes_ < limits::http_output_bytes_high;
  }
  [[nodiscard]] bool reads_on() const {
    return phase_ == Phase::lingering || (phase_ == Phase::open && may_take_more());
  }
  [[nodiscard]] std::size_t unsent() const { return output_.size() + body_.size() - sent_; }
  // To append to.
  [[nodiscard]] std::string& output() {
    if (!body_.empty()) output_ += std::exchange(body_, {});
    return output_;
  }
  [[nodiscard]] WatchedSocket::Moved write_some() const {
    std::array parts{unsent_part(output_, sent_), unsent_part(body_, sent_ - std::min(sent_, output_.size()))};
    return socket_.send(std::span(parts).first(body_.empty() ? 1 : 2));
  }

  Peer peer_;
  api::RequestParser parser_;
  Phase phase_ = Phase::open;
  bool writing_ = false;  // waiting for room in the socket
  bool in_turn_ = false;  // replies given now are sent at the end of the turn
  bool peer_ended_ = false;
  bool hangs_up_ = false;  // close without lingering after the last reply
  bool continue_sent_ = false;

  std::string input_;  // bytes not yet parsed
  std::string output_;
  std::string body_;                  // follows the output
  std::size_t sent_ = 0;              // of both
  std::size_t early_bytes_ = 0;       // replies waiting for earlier ones
  std::size_t incomplete_bytes_ = 0;  // of the body being read

  std::deque<Slot> slots_;
  std::uint64_t first_sequence_ = 0;  // of slots_

  api::ParserState stage_ = api::ParserState::empty;  // of the request being read
  TimerWheel::Tick stage_due_ = TimerWheel::never;
  TimerWheel::Tick write_due_ = TimerWheel::never;
};

// A socket that others connect to.
class HttpServerListener final : public LoopMember {
 public:
  using Welcome = std::function<void(Descriptor socket, const Endpoint& peer)>;

  HttpServerListener(HttpServerLoop& loop, Descriptor socket, Welcome welcome)
      : LoopMember(loop, std::move(socket)), welcome_(std::move(welcome)) {}

  void listen() {
    if (!socket_.await({.input = true})) pause();
  }

  // Several at once: where many connections are ready, this turn comes seldom.
  void ready(Readiness) override {
    for (int accepts = 0; accepts < accepts_per_turn_max; ++accepts) {
      Endpoint peer;
      auto size = static_cast<socklen_t>(peer.capacity());
      Descriptor accepted(::accept4(socket_.get(), peer.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!accepted) return is_out_of_resources(errno) ? pause() : void();
      peer.resize(size);
      welcome_(std::move(accepted), peer);
    }
  }

  void deadline_passed() override { listen(); }
  void stop_gracefully() override { kill(); }
  void kill() override {
    if (socket_.get() < 0) return;
    socket_.close();
    loop_.release(*this);
  }

 private:
  void pause() {
    static_cast<void>(socket_.await({}));
    loop_.set_deadline(*this, loop_.tick_after(accept_pause_ms));
  }

  Welcome welcome_;
};

}  // namespace

api::HttpResponse plain_refusal(TransportRefusal refusal) {
  const int status = status_of(refusal);
  return {
      .status = status, .headers = {{"Content-Type", "text/plain"}}, .body = std::string(reason_phrase(status)) + "\n"};
}

api::HttpResponse no_answer() {
  return {.status = 0, .headers = {}, .body = {}};
}

struct HttpServer::Impl {
  Impl(HttpServerOptions options, HttpHandler handler) {
    SVC_ASSERT(options.now && options.refuse && handler);
    SVC_ASSERT(options.io_threads > 0 && options.pipeline_depth_max > 0);
    shared_.options = std::move(options);
    shared_.handler = std::move(handler);
    for (std::size_t i = 0; i < shared_.options.io_threads; ++i) {
      loops_.push_back(std::make_unique<HttpServerLoop>(shared_.options));
    }
  }

  enum class Family : std::uint8_t { one, all };  // whether an IPv6 wildcard takes IPv4 as well

  // The listening socket, or the error of the system.
  static Result<Descriptor, int> open(const Endpoint& endpoint, Family family) {
    Descriptor socket(::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    const int v6_only = family == Family::one ? 1 : 0;
    const bool listens = socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                         (endpoint.address().is_v4() ||
                          ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only) == 0) &&
                         ::bind(socket.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0 &&
                         ::listen(socket.get(), SOMAXCONN) == 0;
    if (!listens) return unexpected(errno);
    return socket;
  }

  static std::uint16_t port_of(const Descriptor& listening) {
    Endpoint endpoint;
    auto size = static_cast<socklen_t>(endpoint.capacity());
    SVC_ASSERT(::getsockname(listening.get(), endpoint.data(), &size) == 0);
    endpoint.resize(size);
    return endpoint.port();
  }

  // A port free in one family may be taken in the other: then the next one is tried. (D-155)
  Result<std::uint16_t, std::string> listen_on_loopback(std::uint16_t port) {
    const Endpoint wanted(ip::address_v4::loopback(), port);
    for (int attempt = 0; attempt < limits::listen_port_attempts_max; ++attempt) {
      auto v4 = open(wanted, Family::one);
      if (!v4) return failed(wanted, v4.error());
      const std::uint16_t bound = port_of(*v4);
      const Endpoint other(ip::address_v6::loopback(), bound);
      auto v6 = open(other, Family::one);
      if (!v6 && !is_without_family(v6.error())) {
        if (port == 0 && v6.error() == EADDRINUSE) continue;
        return failed(other, v6.error());
      }
      listening_.push_back(*std::move(v4));
      if (v6) listening_.push_back(*std::move(v6));
      return bound;
    }
    return unexpected(std::string("listen on localhost: no port is free on both 127.0.0.1 and ::1"));
  }

  static Unexpected<std::string> failed(const Endpoint& endpoint, int error) {
    const std::string address = endpoint.address().to_string();
    return unexpected("listen on " + (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
                      std::to_string(endpoint.port()) + ": " + std::generic_category().message(error));
  }

  void accept_on(Descriptor listening) {
    HttpServerLoop& loop = *loops_.front();
    auto listener = std::make_shared<HttpServerListener>(
        loop, std::move(listening),
        [this](Descriptor socket, const Endpoint& peer) { welcome(std::move(socket), peer); });
    loop.adopt(listener);
    listener->listen();
    listeners_.push_back(std::move(listener));
  }

  void welcome(Descriptor socket, const Endpoint& from) {
    HttpServerLoop& loop = *loops_[next_loop_];
    next_loop_ = (next_loop_ + 1) % loops_.size();
    const HttpServerOptions& options = shared_.options;
    const std::size_t others = shared_.connections.load(std::memory_order_relaxed);
    if (others >= options.connections_max + options.connections_refused_max) return;
    Peer peer = peer_at(from.address().to_string());
    using Admission = HttpServerConnection::Admission;
    const std::size_t kept = is_loopback_address(peer.address) ? 0 : options.connections_max / limits::http_own_share;
    const Admission admission = others + kept < options.connections_max ? Admission::served : Admission::refused;
    auto connection = std::make_shared<HttpServerConnection>(loop, shared_, std::move(socket), std::move(peer));
    auto start = [&loop, connection = std::move(connection), admission] {
      if (loop.stopping()) return;
      loop.adopt(connection);
      connection->start(admission);
    };
    if (HttpServerLoop::is_current(loop)) return start();
    // No reference stays here: a connection ends on the thread of its loop.
    loop.mailbox()->post(std::move(start));
  }

  HttpServerShared shared_;
  std::vector<std::unique_ptr<HttpServerLoop>> loops_;
  std::vector<Descriptor> listening_;  // until it runs
  std::vector<std::shared_ptr<HttpServerListener>> listeners_;
  std::size_t next_loop_ = 0;
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() = default;

Result<std::uint16_t, std::string> HttpServer::listen(const std::string& host, std::uint16_t port) {
  if (host.empty() || host == "localhost") return impl_->listen_on_loopback(port);
  boost::system::error_code error;
  const auto address = ip::make_address(host, error);
  if (error) return unexpected("listen on " + host + ": not an IP address or localhost");
  auto listening = Impl::open({address, port}, Impl::Family::all);
  if (!listening) return Impl::failed({address, port}, listening.error());
  impl_->listening_.push_back(*std::move(listening));
  return Impl::port_of(impl_->listening_.back());
}

void HttpServer::run() {
  SVC_ASSERT(!impl_->listening_.empty());
  for (Descriptor& listening : std::exchange(impl_->listening_, {})) impl_->accept_on(std::move(listening));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < impl_->loops_.size(); ++i)
    threads.emplace_back([loop = impl_->loops_[i].get()] { loop->run(); });
  impl_->loops_.front()->run();
}

void HttpServer::stop() {
  for (const auto& loop : impl_->loops_) {
    loop->mailbox()->post([impl = impl_.get(), loop = loop.get()] {
      // First, so that whoever sees another connection end can open none.
      if (loop == impl->loops_.front().get())
        for (const auto& listener : impl->listeners_) listener->kill();
      loop->begin_stop();
    });
  }
}

std::size_t HttpServer::connections() const {
  return impl_->shared_.connections.load(std::memory_order_relaxed);
}

}  // namespace svc::sim
