#include "cli/cutting_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace svc::cli {
namespace {

constexpr int silence_ms_max = 30'000;  // after that much silence nothing more is expected

class Handle {
 public:
  explicit Handle(int descriptor) : descriptor_(descriptor) {}
  ~Handle() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// The first descriptor with input; -1 if there is none.
int first_ready(std::initializer_list<int> descriptors) {
  std::vector<pollfd> waits;
  for (const int descriptor : descriptors) waits.push_back({descriptor, POLLIN, 0});
  if (::poll(waits.data(), waits.size(), silence_ms_max) <= 0) return -1;
  for (const pollfd& wait : waits)
    if (wait.revents != 0) return wait.fd;
  return -1;
}

std::size_t bytes_of(Piece piece, const std::string& message) {
  const std::size_t head = message.find("\r\n\r\n") + 4;
  switch (piece) {
    case Piece::nothing: return 0;
    case Piece::first_byte: return 1;
    case Piece::half_the_head: return head / 2;
    case Piece::head: return head;
    case Piece::all_but_one_byte: return message.size() - 1;
    case Piece::everything: return message.size();
  }
  return 0;
}

bool names(const std::filesystem::path& log, const std::string& client_id) {
  for (const auto& file : std::filesystem::directory_iterator(log)) {
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);)
      if (line.find('"' + client_id + '"') != std::string::npos) return true;
  }
  return false;
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the receiver is gone
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t server) : server_(server) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(0);
  EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener_, 8), 0);
}

CuttingProxy::~CuttingProxy() {
  if (listener_ >= 0) ::close(listener_);
}

std::string CuttingProxy::url() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

std::string CuttingProxy::read_message(int socket) {
  std::string message;
  std::size_t wanted = std::string::npos;
  while (message.size() < wanted) {
    char buffer[4096];
    if (first_ready({socket}) < 0) return {};
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) return {};
    message.append(buffer, static_cast<std::size_t>(got));
    const std::size_t end = message.find("\r\n\r\n");
    if (wanted != std::string::npos || end == std::string::npos) continue;
    std::string head = message.substr(0, end + 2);
    std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t length = head.find("\r\ncontent-length:");
    wanted = end + 4 + (length == std::string::npos ? 0 : std::stoul(head.substr(length + 17)));
  }
  return message;
}

std::string CuttingProxy::exchange(const std::string& request) const {
  const Handle server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(server_);
  EXPECT_EQ(::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  send_all(server.get(), request);
  return read_message(server.get());
}

bool CuttingProxy::carry_until(const CutPoint& point, const std::filesystem::path& log, const std::string& client_id,
                               const std::function<void()>& cut) {
  using Where = CutPoint::Where;
  const Handle watch(::inotify_init1(IN_CLOEXEC));
  EXPECT_GE(::inotify_add_watch(watch.get(), log.c_str(), IN_MODIFY), 0) << log;
  for (;;) {
    if (first_ready({listener_}) < 0) return false;
    const Handle client(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    for (;;) {
      const int ready =
          point.where == Where::entry ? first_ready({watch.get(), client.get()}) : first_ready({client.get()});
      if (ready < 0) return false;
      if (ready == watch.get()) {
        cut();
        ::close(std::exchange(listener_, -1));
        return true;
      }
      const std::string request = read_message(client.get());
      if (request.empty()) break;  // the client opens another connection
      const bool is_order = request.starts_with("POST /") && request.find("/orders HTTP/1.1") != std::string::npos;
      if (!is_order && point.where != Where::look_up) {
        send_all(client.get(), exchange(request));
        continue;
      }
      // The intent must be in the log before any part of the order is visible.
      EXPECT_EQ(is_order, names(log, client_id));
      const std::size_t let_through = bytes_of(point.piece, request);
      if (point.where == Where::answer) {
        const std::string answer = exchange(request);
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 201") || answer.starts_with("HTTP/1.1 200")) << answer;
        send_all(client.get(), std::string_view(answer).substr(0, bytes_of(point.piece, answer)));
      } else if (point.where == Where::request && let_through > 0) {
        const Handle server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in address = loopback(server_);
        EXPECT_EQ(::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        send_all(server.get(), std::string_view(request).substr(0, let_through));
      }
      cut();
      ::close(std::exchange(listener_, -1));
      return true;
    }
  }
}

}  // namespace svc::cli
