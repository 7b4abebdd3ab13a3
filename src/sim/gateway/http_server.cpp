#include "sim/gateway/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "sim/gateway/http_server_connection.h"

namespace svc::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds accept_pause{100};  // when the process is out of descriptors

std::string address_text(asio::ip::address address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address.to_string();
}

bool out_of_resources(const error_code& error) {
  return error == asio::error::no_descriptors || error == asio::error::no_memory ||
         error == asio::error::no_buffer_space || error == boost::system::errc::too_many_files_open_in_system;
}

bool no_such_family(const error_code& error) {
  return error == asio::error::address_family_not_supported || error == boost::system::errc::address_not_available;
}

}  // namespace

api::HttpResponse plain_refusal(TransportRefusal refusal) {
  const int status = status_of(refusal);
  return {
      .status = status, .headers = {{"Content-Type", "text/plain"}}, .body = std::string(reason_phrase(status)) + "\n"};
}

api::HttpResponse no_answer() {
  return {.status = 0, .headers = {}, .body = {}};
}

class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, HttpHandler handler) {
    SVC_ASSERT(options.now && options.refuse && handler);
    SVC_ASSERT(options.io_threads > 0 && options.pipeline_depth_max > 0);
    shared_.options = std::move(options);
    shared_.handler = std::move(handler);
    for (std::size_t i = 0; i < shared_.options.io_threads; ++i) {
      loops_.push_back(std::make_unique<HttpServerLoop>(shared_.options));
    }
  }

  Result<std::uint16_t, std::string> listen(const std::string& host, std::uint16_t port) {
    if (host.empty() || host == "localhost") return listen_on_loopback(port);
    error_code error;
    const auto address = asio::ip::make_address(host, error);
    if (error) return unexpected("listen on " + host + ": not an IP address or localhost");
    auto acceptor = open({address, port}, Family::all, error);
    if (!acceptor) return failed({address, port}, error);
    const std::uint16_t bound = acceptor->local_endpoint().port();
    acceptors_.push_back(std::move(acceptor));
    return bound;
  }

  void run() {
    SVC_ASSERT(!acceptors_.empty());
    for (const auto& acceptor : acceptors_) accept(*acceptor);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < loops_.size(); ++i) {
      threads.emplace_back([loop = loops_[i].get()] { loop->run(); });
    }
    loops_.front()->run();
  }

  void stop() {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      HttpServerLoop& loop = *loops_[i];
      loop.mailbox()->post([this, &loop, first = i == 0] {
        loop.begin_stop([this, first] {
          if (first) close_acceptors();
        });
      });
    }
  }

  [[nodiscard]] std::size_t connections() const { return shared_.connections.load(std::memory_order_relaxed); }

 private:
  enum class Family : std::uint8_t { one, all };  // whether an IPv6 wildcard takes IPv4 as well
  using Acceptor = std::unique_ptr<tcp::acceptor>;

  Acceptor open(const tcp::endpoint& endpoint, Family family, error_code& error) {
    auto acceptor = std::make_unique<tcp::acceptor>(loops_.front()->io());
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) acceptor->set_option(asio::ip::v6_only(family == Family::one), error);
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    return error ? nullptr : std::move(acceptor);
  }

  // A port free in one family may be taken in the other: then the next one is tried. (D-155)
  Result<std::uint16_t, std::string> listen_on_loopback(std::uint16_t port) {
    const tcp::endpoint wanted(asio::ip::address_v4::loopback(), port);
    for (int attempt = 0; attempt < limits::listen_port_attempts_max; ++attempt) {
      error_code error;
      auto v4 = open(wanted, Family::one, error);
      if (!v4) return failed(wanted, error);
      const std::uint16_t bound = v4->local_endpoint().port();
      const tcp::endpoint other(asio::ip::address_v6::loopback(), bound);
      auto v6 = open(other, Family::one, error);
      if (!v6 && !no_such_family(error)) {
        if (port == 0 && error == asio::error::address_in_use) continue;
        return failed(other, error);
      }
      acceptors_.push_back(std::move(v4));
      if (v6) acceptors_.push_back(std::move(v6));
      return bound;
    }
    return unexpected(std::string("listen on localhost: no port is free on both 127.0.0.1 and ::1"));
  }

  static Unexpected<std::string> failed(const tcp::endpoint& endpoint, const error_code& error) {
    const std::string address = endpoint.address().to_string();
    return unexpected("listen on " + (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
                      std::to_string(endpoint.port()) + ": " + error.message());
  }

  void accept(tcp::acceptor& acceptor) {
    HttpServerLoop& loop = *loops_[next_loop_];
    next_loop_ = (next_loop_ + 1) % loops_.size();
    acceptor.async_accept(loop.io(), [this, &acceptor, &loop](const error_code& error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (out_of_resources(error)) return accept_later(acceptor);
      if (!error) welcome(loop, std::move(socket));
      accept(acceptor);
    });
  }

  void accept_later(tcp::acceptor& acceptor) {
    auto timer = std::make_shared<asio::steady_timer>(loops_.front()->io(), accept_pause);
    timer->async_wait([this, &acceptor, timer](const error_code&) {
      if (acceptor.is_open()) accept(acceptor);
    });
  }

  void welcome(HttpServerLoop& loop, tcp::socket socket) {
    const HttpServerOptions& options = shared_.options;
    const std::size_t others = shared_.connections.load(std::memory_order_relaxed);
    if (others >= options.connections_max + options.connections_refused_max) return;
    error_code error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    if (error) return;  // already gone
    using Admission = HttpServerConnection::Admission;
    const Admission admission = others < options.connections_max ? Admission::served : Admission::refused;
    shared_.connections.fetch_add(1, std::memory_order_relaxed);
    auto connection =
        std::make_shared<HttpServerConnection>(loop, shared_, std::move(socket), Peer{address_text(peer.address())});
    auto start = [&loop, connection = std::move(connection), admission] {
      if (loop.stopping()) return;
      loop.adopt(connection);
      connection->start(admission);
    };
    if (HttpServerLoop::is_current(loop)) return start();
    // No reference stays here: a connection ends on the thread of its loop.
    loop.mailbox()->post(std::move(start));
  }

  void close_acceptors() {
    error_code ignored;
    for (const auto& acceptor : acceptors_) acceptor->close(ignored);
  }

  HttpServerShared shared_;
  std::vector<std::unique_ptr<HttpServerLoop>> loops_;
  std::vector<Acceptor> acceptors_;
  std::size_t next_loop_ = 0;
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() = default;
Result<std::uint16_t, std::string> HttpServer::listen(const std::string& host, std::uint16_t port) {
  return impl_->listen(host, port);
}
void HttpServer::run() {
  impl_->run();
}
void HttpServer::stop() {
  impl_->stop();
}
std::size_t HttpServer::connections() const {
  return impl_->connections();
}

}  // namespace svc::sim
