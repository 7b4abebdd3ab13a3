#include "sim/gateway/http_server_stream.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <span>
#include <utility>

#include "sim/gateway/http_server_connection.h"

namespace svc::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t buffers_per_write_max = 64;

}  // namespace

// What the owner holds. Knows the stream weakly, so that it may be kept and used from anywhere.
class HttpServerStream::Handle final : public ByteStream {
 public:
  Handle(std::shared_ptr<LoopMailbox> mailbox, std::weak_ptr<LoopMember> stream,
         std::shared_ptr<std::atomic<std::size_t>> queued)
      : mailbox_(std::move(mailbox)), stream_(std::move(stream)), queued_(std::move(queued)) {}

  using ByteStream::send;
  void send(SharedBytes bytes) override {
    queued_->fetch_add(bytes->size(), std::memory_order_relaxed);
    on_loop([bytes = std::move(bytes)](HttpServerStream& stream) { stream.send(bytes); });
  }
  [[nodiscard]] std::size_t queued_bytes() const override { return queued_->load(std::memory_order_relaxed); }
  void post(std::function<void()> task) override { mailbox_->post(std::move(task)); }
  void close() override {
    on_loop([](HttpServerStream& stream) { stream.close(); });
  }
  void abort() override {
    on_loop([](HttpServerStream& stream) { stream.kill(); });
  }

 private:
  // By letter on the loop's own thread as well: whoever calls may hold a lock that the owner's events ask for, and
  // what two threads send one after the other under a lock keeps that order.
  template <class Action>
  void on_loop(Action action) {
    mailbox_->post([weak = stream_, action = std::move(action)] {
      if (const auto stream = weak.lock()) action(static_cast<HttpServerStream&>(*stream));
    });
  }

  std::shared_ptr<LoopMailbox> mailbox_;
  std::weak_ptr<LoopMember> stream_;
  std::shared_ptr<std::atomic<std::size_t>> queued_;
};

HttpServerStream::HttpServerStream(HttpServerLoop& loop, HttpServerShared& shared, tcp::socket socket)
    : LoopMember(loop),
      shared_(shared),
      socket_(std::move(socket)),
      queued_(std::make_shared<std::atomic<std::size_t>>(0)) {
  shared_.connections.fetch_add(1, std::memory_order_relaxed);
}

HttpServerStream::~HttpServerStream() {
  shared_.connections.fetch_sub(1, std::memory_order_relaxed);
}

void HttpServerStream::start(const StreamOpened& opened, std::string unsent, std::string_view received) {
  if (!unsent.empty()) {
    queued_->fetch_add(unsent.size(), std::memory_order_relaxed);
    send(std::make_shared<const std::string>(std::move(unsent)));
  }
  events_ = opened(std::make_shared<Handle>(loop_.mailbox(), weak_from_this(), queued_));
  if (!events_) return kill();
  if (!received.empty()) events_->received(received);
  read();
}

void HttpServerStream::send(SharedBytes bytes) {
  if (closed_ || closing_ || bytes->empty()) {
    queued_->fetch_sub(bytes->size(), std::memory_order_relaxed);
    return;
  }
  output_.push_back(std::move(bytes));
  if (writing_) loop_.set_waiting(*this, queued_->load(std::memory_order_relaxed), HttpServerLoop::Reader::stood);
  if (closed_ || writing_ || gathered_) return;
  gathered_ = true;
  loop_.gather(*this);
}

void HttpServerStream::close() {
  if (closed_) return;
  if (std::exchange(closing_, true)) return;
  if (output_.empty()) return linger();
  loop_.set_deadline(*this, loop_.tick_after(shared_.options.write_ms));
}

// A socket that is closed while it holds unread bytes is reset, and what was sent last is lost to the peer. So ours is
// shut, and what comes in is dropped until the peer shuts its side, or for a while.
void HttpServerStream::linger() {
  error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error) return kill();
  loop_.set_deadline(*this, loop_.tick_after(shared_.options.linger_ms));
  if (const auto events = std::exchange(events_, nullptr)) events->closed();
}

void HttpServerStream::flush() {
  gathered_ = false;
  if (!closed_ && !writing_) write();
}

void HttpServerStream::write() {
  const bool had_output = !output_.empty();
  auto reader = HttpServerLoop::Reader::stood;
  while (!output_.empty()) {
    std::array<asio::const_buffer, buffers_per_write_max> buffers;
    const std::size_t count = std::min(output_.size(), buffers.size());
    for (std::size_t i = 0; i < count; ++i) buffers[i] = asio::buffer(*output_[i]);
    buffers[0] += sent_;
    error_code error;
    std::size_t left = socket_.write_some(std::span(buffers).first(count), error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      loop_.set_waiting(*this, queued_->load(std::memory_order_relaxed), reader);
      return closed_ ? void() : wait_for_room();
    }
    if (error) return kill();
    reader = HttpServerLoop::Reader::moved;
    queued_->fetch_sub(left, std::memory_order_relaxed);
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

void HttpServerStream::wait_for_room() {
  writing_ = true;
  loop_.set_deadline(*this, loop_.tick_after(shared_.options.write_ms));
  socket_.async_wait(tcp::socket::wait_write, [this, self = shared_from_this()](const error_code& error) {
    writing_ = false;
    if (closed_) return;
    if (error) return kill();
    if (!closing_) loop_.set_deadline(*this, TimerWheel::never);
    write();
  });
}

void HttpServerStream::read() {
  socket_.async_wait(tcp::socket::wait_read, [this, self = shared_from_this()](const error_code& error) {
    if (closed_) return;
    if (error) return kill();
    on_readable();
  });
}

void HttpServerStream::on_readable() {
  std::vector<char>& scratch = loop_.scratch();
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(scratch), error);
  if (error && error != asio::error::would_block && error != asio::error::try_again) return kill();
  if (count > 0 && !closing_) events_->received({scratch.data(), count});
  read();
}

void HttpServerStream::stop_gracefully() {
  if (closed_) return;
  if (!events_) return kill();  // it only waits for its peer
  events_->stopping();
  // After its last word, which is a letter.
  loop_.mailbox()->post([weak = weak_from_this()] {
    if (const auto stream = weak.lock()) static_cast<HttpServerStream&>(*stream).close();
  });
}

void HttpServerStream::kill() {
  if (closed_) return;
  closed_ = true;
  error_code ignored;
  socket_.close(ignored);
  output_.clear();
  loop_.release(*this);
  if (const auto events = std::exchange(events_, nullptr)) events->closed();
}

}  // namespace svc::sim
