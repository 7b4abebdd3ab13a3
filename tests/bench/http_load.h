// What the measurements over HTTP share: one server's kept connections, driven from one thread that never sleeps (being
// woken would be work of the server's core), and figures of a run.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "signing/hmac.h"

namespace svc::bench {

[[noreturn]] inline void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

inline void run_on_core(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) fail("sched_setaffinity");
}

inline std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of a process so far, in seconds.
inline double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) fail("processor time");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Key {
  std::string id;
  signing::HmacKey secret;
};

inline Key key_of(const std::string& id, const std::string& secret) {
  auto key = signing::HmacKey::from_hex(secret);
  if (!key) fail("a secret is not hex");
  return {id, std::move(*key)};
}

// `target` is a path with an optional query; `key` may be null. Further headers end in "\r\n" each.
inline std::string request_of(std::string_view method, const std::string& target, const Key* key,
                              const std::string& body, std::int64_t at_ms, std::string_view more_headers = {}) {
  std::string request = std::string(method) + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (key != nullptr) {
    const std::size_t mark = std::min(target.find('?'), target.size());
    const std::string path = target.substr(0, mark);
    const std::string query = target.substr(std::min(mark + 1, target.size()));
    const std::string canonical =
        signing::hmac_canonical({.method = method, .path = path, .query = query, .body = body}, at_ms);
    request += "X-API-Key: " + key->id + "\r\nX-Timestamp: " + std::to_string(at_ms) +
               "\r\nX-Signature: " + key->secret.sign_hex(canonical) + "\r\n";
  }
  if (!body.empty())
    request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  return request.append(more_headers) + "\r\n" + body;
}

inline int dial(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// Bytes of the whole answer; 0 while its header is not whole.
inline std::size_t answer_size(std::string_view answer) {
  const auto end = answer.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  const auto length = answer.substr(0, end + 2).find("\r\nContent-Length: ");
  if (length == std::string_view::npos) fail("an answer without a length");
  return end + 4 + std::strtoull(answer.data() + length + 18, nullptr, 10);
}

// Sends one request and returns the whole answer.
inline std::string answer_to(int fd, const std::string& request) {
  if (write(fd, request.data(), request.size()) != static_cast<ssize_t>(request.size())) fail("write");
  std::string answer;
  std::vector<char> buffer(1 << 16);
  while (answer_size(answer) == 0 || answer.size() < answer_size(answer)) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count <= 0) fail("read");
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

struct Run {
  std::size_t answers = 0;
  double seconds = 0;
  double processor = 0;            // of the server
  std::vector<float> latencies{};  // microseconds, sorted

  [[nodiscard]] double rate() const { return static_cast<double>(answers) / seconds; }
  [[nodiscard]] double processor_us() const { return processor * 1e6 / static_cast<double>(answers); }
  [[nodiscard]] double percentile(double part) const {
    return latencies[static_cast<std::size_t>(part * static_cast<double>(latencies.size() - 1))];
  }
};

// Kept connections to one server.
class Load {
 public:
  Load(std::uint16_t port, pid_t server, std::size_t connections) : server_(server), pool_(connections) {
    poll_ = epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      pool_[i].fd = dial(port);
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      epoll_ctl(poll_, EPOLL_CTL_ADD, pool_[i].fd, &event);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const Connection& connection : pool_) close(connection.fd);
    close(poll_);
  }

  // Each connection sends the next request when its last one was answered; next(connection) returns nullptr after the
  // last.
  Run run(const std::function<const std::string*(std::size_t connection)>& next,
          const std::function<void(const std::string&)>& judge) {
    Run run;
    const double processor = processor_seconds(server_);
    const double start = seconds_now();
    std::size_t open = 0;
    for (std::size_t i = 0; i < pool_.size(); ++i) open += send(pool_[i], next(i)) ? 1U : 0U;
    std::vector<epoll_event> events(pool_.size());
    std::vector<char> buffer(1 << 18);
    while (open > 0) {
      const int ready = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 0);
      for (int i = 0; i < ready; ++i) {
        const std::size_t number = events[static_cast<std::size_t>(i)].data.u64;
        Connection& connection = pool_[number];
        const ssize_t count = read(connection.fd, buffer.data(), buffer.size());
        if (count <= 0) fail("read");
        connection.answer.append(buffer.data(), static_cast<std::size_t>(count));
        if (connection.size == 0) connection.size = answer_size(connection.answer);
        if (connection.size == 0 || connection.answer.size() < connection.size) continue;
        ++run.answers;
        run.latencies.push_back(static_cast<float>((seconds_now() - connection.sent_at) * 1e6));
        judge(connection.answer);
        connection.answer.clear();
        connection.size = 0;
        if (!send(connection, next(number))) --open;
      }
    }
    run.seconds = seconds_now() - start;
    run.processor = processor_seconds(server_) - processor;
    std::sort(run.latencies.begin(), run.latencies.end());
    return run;
  }

 private:
  struct Connection {
    int fd = -1;
    std::string answer;    // what has come of it
    std::size_t size = 0;  // of the whole answer; 0: not known yet
    double sent_at = 0;
  };

  static bool send(Connection& connection, const std::string* request) {
    if (request == nullptr) return false;
    connection.sent_at = seconds_now();
    if (write(connection.fd, request->data(), request->size()) != static_cast<ssize_t>(request->size())) fail("write");
    return true;
  }

  pid_t server_;
  std::vector<Connection> pool_;
  int poll_ = -1;
};

// A server of our own in a process of its own on a core: serve(listener) never returns.
class BareServer {
 public:
  BareServer(int core, const std::function<void(int listener)>& serve) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 4096) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      fail("listen");
    port_ = ntohs(address.sin_port);
    process_ = fork();
    if (process_ < 0) fail("fork");
    if (process_ == 0) {
      run_on_core(core);
      serve(listener);
      _exit(1);
    }
    close(listener);
  }
  BareServer(const BareServer&) = delete;
  BareServer& operator=(const BareServer&) = delete;
  ~BareServer() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  std::uint16_t port_ = 0;
  pid_t process_ = 0;
};

inline int accept_on(int listener, int poll) {
  const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  const int on = 1;
  setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{.events = EPOLLIN, .data = {.fd = accepted}};
  epoll_ctl(poll, EPOLL_CTL_ADD, accepted, &event);
  return accepted;
}

// Waits for connections and bytes; received(fd) reads them.
[[noreturn]] inline void serve_bare(int listener, const std::function<void(int fd)>& accepted,
                                    const std::function<void(int fd)>& received) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener}};
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  std::vector<epoll_event> events(128);
  while (true) {
    const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener)
        accepted(accept_on(listener, poll));
      else
        received(fd);
    }
  }
}

// The floor of this kernel: whatever comes on a connection, it writes the same bytes. One recv and one send.
[[noreturn]] inline void answer_all(int listener, const std::string& bytes) {
  std::vector<char> buffer(1 << 16);
  serve_bare(
      listener, [](int) {},
      [&](int fd) {
        if (recv(fd, buffer.data(), buffer.size(), 0) <= 0 || send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0)
          close(fd);
      });
}

}  // namespace svc::bench
