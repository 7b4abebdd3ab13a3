// An HttpServer on a thread of its own, on a free port of the loopback interface.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "sim/gateway/http_server.h"

namespace svc::test {

inline constexpr TimestampMs test_time_ms = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT

inline sim::HttpServerOptions server_options() {
  sim::HttpServerOptions options;
  options.now = [] { return test_time_ms; };
  options.timer_tick_ms = 5;
  options.stop_grace_ms = 20;  // tests end with requests that nobody answers
  return options;
}

class RunningServer {
 public:
  RunningServer(sim::HttpServerOptions options, sim::HttpHandler handler)
      : server_(std::move(options), std::move(handler)) {
    const auto listened = server_.listen("localhost", 0);
    port_ = listened ? *listened : 0;
    thread_ = std::thread([this] { server_.run(); });
  }
  explicit RunningServer(sim::HttpHandler handler) : RunningServer(server_options(), std::move(handler)) {}
  ~RunningServer() { stop(); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return server_.connections(); }
  sim::HttpServer& server() { return server_; }

  // Returns when the server has ended.
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  sim::HttpServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// Answers with what it was asked: "POST /path?query body".
inline void echo(api::HttpRequest&& request, const sim::Peer&, const sim::SendReply& reply) {
  reply({.status = 200,
         .headers = {{"Content-Type", "text/plain"}},
         .body = request.method + " " + request.target + (request.body.empty() ? "" : " " + request.body)});
}

inline std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

inline api::HttpResponse text(std::string body) {
  return {.status = 200, .headers = {}, .body = std::move(body)};
}

// A handler that answers nothing by itself: the test takes the requests and answers when it likes.
class Desk {
 public:
  struct Case {
    api::HttpRequest request;
    sim::SendReply reply;
  };

  sim::HttpHandler handler() {
    return [this](api::HttpRequest&& request, const sim::Peer&, sim::SendReply reply) {
      {
        const std::lock_guard lock(mutex_);
        cases_.push_back({std::move(request), std::move(reply)});
      }
      arrived_.notify_all();
    };
  }

  // Waits until so many requests lie here, and takes them.
  std::vector<Case> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, std::chrono::seconds(300), [&] { return cases_.size() >= count; });
    std::vector<Case> taken;
    taken.swap(cases_);
    return taken;
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return cases_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Case> cases_;
};

// True as soon as the condition holds; false if it does not within ten seconds.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace svc::test
