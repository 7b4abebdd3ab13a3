// Orders as fast as a server answers them: 64 kept connections, each of which sends the next request when the last
// was answered. Every second order trades with the one before it.
//
//   order_load PORT PATH ORDERS    standard input: two lines "KEY_ID SECRET", the maker's and the taker's
//
// All requests are signed before the clock starts. Prints one line of JSON: requests per second, and how many were
// answered with 201.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "signing/hmac.h"

namespace {

constexpr std::size_t connections = 64;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

struct Key {
  std::string id;
  svc::signing::HmacKey secret;
};

Key read_key() {
  std::string id;
  std::string secret;
  if (!(std::cin >> id >> secret)) fail("order_load: two keys on standard input");
  auto key = svc::signing::HmacKey::from_hex(secret);
  if (!key) fail("order_load: a secret is not hex");
  return {id, std::move(*key)};
}

std::string request_of(const std::string& path, const Key& key, const std::string& body, std::int64_t at_ms) {
  const std::string canonical =
      svc::signing::hmac_canonical({.method = "POST", .path = path, .query = "", .body = body}, at_ms);
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-API-Key: " + key.id +
         "\r\nX-Timestamp: " + std::to_string(at_ms) + "\r\nX-Signature: " + key.secret.sign_hex(canonical) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::vector<std::string> requests_of(const std::string& path, std::size_t count) {
  const Key maker = read_key();
  const Key taker = read_key();
  const std::int64_t at_ms = now_ms();
  std::vector<std::string> requests;
  requests.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Both sides in turn, so that positions stay small.
    const bool maker_turn = i % 2 == 0;
    const bool maker_buys = i / 2 % 2 == 0;
    const std::string side = maker_turn == maker_buys ? "Buy" : "Sell";
    const std::string body = R"({"market_id":"BTC-USDX-PERP","side":")" + side +
                             R"(","order_type":"Limit","quantity":"0.01","price":"60000","time_in_force":")" +
                             (maker_turn ? "GTC" : "IOC") + R"("})";
    requests.push_back(request_of(path, maker_turn ? maker : taker, body, at_ms));
  }
  return requests;
}

struct Connection {
  int fd = -1;
  std::string answer;  // what has come of it
};

int dial(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// True if the answer is whole.
bool whole(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  auto at = answer.find("ontent-");
  while (at != std::string::npos && answer.compare(at + 7, 7, "ength: ") != 0 && answer.compare(at + 7, 7, "Length:") != 0) {
    at = answer.find("ontent-", at + 1);
  }
  if (at == std::string::npos || at > end) fail("order_load: an answer without a length");
  const auto colon = answer.find(':', at);
  return answer.size() >= end + 4 + std::strtoull(answer.c_str() + colon + 1, nullptr, 10);
}

void send_whole(const Connection& connection, const std::string& request) {
  if (write(connection.fd, request.data(), request.size()) != static_cast<ssize_t>(request.size())) fail("write");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: order_load PORT PATH ORDERS <KEYS\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::vector<std::string> requests = requests_of(argv[2], std::strtoull(argv[3], nullptr, 10));
  std::vector<Connection> pool(connections);
  const int poll = epoll_create1(0);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    pool[i].fd = dial(port);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(poll, EPOLL_CTL_ADD, pool[i].fd, &event);
  }

  std::size_t sent = 0;
  std::size_t answered = 0;
  std::size_t created = 0;
  std::string unexpected;
  const auto start = std::chrono::steady_clock::now();
  for (Connection& connection : pool) {
    if (sent < requests.size()) send_whole(connection, requests[sent++]);
  }
  std::vector<epoll_event> events(connections);
  std::vector<char> buffer(1 << 16);
  while (answered < requests.size()) {
    // Never asleep: being woken would be work of the server's core.
    const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < ready; ++i) {
      Connection& connection = pool[events[static_cast<std::size_t>(i)].data.u64];
      const ssize_t count = read(connection.fd, buffer.data(), buffer.size());
      if (count <= 0) fail("read");
      connection.answer.append(buffer.data(), static_cast<std::size_t>(count));
      if (!whole(connection.answer)) continue;
      ++answered;
      if (connection.answer.starts_with("HTTP/1.1 201")) {
        ++created;
      } else if (unexpected.empty()) {
        unexpected = connection.answer;
      }
      connection.answer.clear();
      if (sent < requests.size()) send_whole(connection, requests[sent++]);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!unexpected.empty()) std::fprintf(stderr, "order_load: not created:\n%s\n", unexpected.c_str());
  std::printf("{\"per_second\":%.0f,\"created\":%zu,\"sent\":%zu}\n", static_cast<double>(answered) / seconds, created, sent);
  return created == answered ? 0 : 1;
}
