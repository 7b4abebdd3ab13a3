// A WebSocket server on Boost.Beast that does nothing but broadcast: for each number on standard input, that many times the
// frame given. Prints its port. One thread, as the tutorials have it.
//
//   beast_broadcast FRAME_TEXT
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using Shared = std::shared_ptr<const std::string>;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : stream_(std::move(socket)) {}

  void start() {
    stream_.async_accept([self = shared_from_this()](beast::error_code error) {
      if (!error) self->read();
    });
  }
  void send(const Shared& text) {
    waiting_.push_back(text);
    if (waiting_.size() == 1) write();
  }

 private:
  void read() {
    stream_.async_read(incoming_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      self->incoming_.clear();
      self->read();
    });
  }
  void write() {
    stream_.text(true);
    stream_.async_write(asio::buffer(*waiting_.front()),
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          if (error) return;
                          self->waiting_.pop_front();
                          if (!self->waiting_.empty()) self->write();
                        });
  }

  beast::websocket::stream<tcp::socket> stream_;
  beast::flat_buffer incoming_;
  std::deque<Shared> waiting_;
};

class Server {
 public:
  Server(asio::io_context& io, std::string text)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}),
        input_(io, ::dup(0)),
        text_(std::make_shared<const std::string>(std::move(text))) {
    std::printf("%d\n", acceptor_.local_endpoint().port());
    std::fflush(stdout);
    accept();
    listen();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error) return;
      auto session = std::make_shared<Session>(std::move(socket));
      sessions_.push_back(session);
      session->start();
      accept();
    });
  }
  void listen() {
    asio::async_read_until(input_, line_, '\n', [this](beast::error_code error, std::size_t) {
      if (error) return acceptor_.close();
      std::istream words(&line_);
      std::size_t count = 0;
      words >> count;
      words.ignore();
      std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
      for (std::size_t i = 0; i < count; ++i)
        for (const auto& each : sessions_)
          if (const auto session = each.lock()) session->send(text_);
      listen();
    });
  }

  tcp::acceptor acceptor_;
  asio::posix::stream_descriptor input_;
  asio::streambuf line_;
  Shared text_;
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  asio::io_context io{1};
  const Server server(io, argv[1]);
  io.run();
  return 0;
}
