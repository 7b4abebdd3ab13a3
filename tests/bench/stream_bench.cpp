// Single trades, one at a time, to many readers: how long until the last reader has the frame. Beside it a bare epoll
// loop that writes the same bytes to as many connections, in turns.
//
//   stream_bench PORT READERS TRADES TURNS    standard input: two lines "KEY_ID SECRET", a maker's and a taker's
//
// The sandbox must run on core 0; the loop runs there as well and the readers on core 1. Prints a line of JSON: frames
// a second, ours / loop, as [median, smallest, largest] of the turns.
#include <sys/resource.h>

#include <iostream>

#include "bench/stream_reader.h"

namespace {

using namespace svc::bench;

constexpr const char* subscription = R"({"subscribe":["trades:BTC-USDX-PERP"]})";
constexpr std::size_t samples = 3;

// Readers of one server, and their wait for the next frame.
class Audience {
 public:
  explicit Audience(std::size_t readers) : readers_(readers) { poll_ = epoll_create1(EPOLL_CLOEXEC); }

  template <class Connect>
  void connect(Connect connect) {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      connect(readers_[i]);
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      epoll_ctl(poll_, EPOLL_CTL_ADD, readers_[i].fd, &event);
    }
  }

  // Until each has had `frames` in all.
  void wait(std::uint64_t frames) {
    std::size_t waiting = 0;
    for (const Reader& reader : readers_) waiting += reader.frames < frames ? 1 : 0;
    while (waiting > 0) {
      const int ready = epoll_wait(poll_, events_.data(), static_cast<int>(events_.size()), 0);
      for (int i = 0; i < ready; ++i) {
        Reader& reader = readers_[events_[static_cast<std::size_t>(i)].data.u64];
        const ssize_t count = read(reader.fd, buffer_.data(), buffer_.size());
        if (count <= 0) fail("a reader was disconnected");
        const bool had = reader.frames >= frames;
        take(reader, buffer_.data(), static_cast<std::size_t>(count));
        waiting -= !had && reader.frames >= frames ? 1 : 0;
      }
    }
  }

  [[nodiscard]] std::uint64_t frames() const { return readers_.front().frames; }

 private:
  std::vector<Reader> readers_;
  std::vector<epoll_event> events_ = std::vector<epoll_event>(1'024);
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  int poll_ = -1;
};

class Trades {
 public:
  explicit Trades(std::uint16_t port) : fd_(dial(port)) {
    std::string id;
    std::string secret;
    while (keys_.size() < 2 && std::cin >> id >> secret) keys_.push_back(key_of(id, secret));
    if (keys_.size() < 2) fail("stream_bench: two keys on standard input");
  }
  void make() {
    order(0, "Sell");
    order(1, "Buy");
  }

 private:
  void order(std::size_t trader, const std::string& side) {
    const std::string body = R"({"market_id":"BTC-USDX-PERP","side":")" + side +
                             R"(","order_type":"Limit","quantity":"0.001","price":"60000","time_in_force":"GTC"})";
    const std::string answer = answer_to(fd_, request_of("POST", "/orders", &keys_[trader], body, now_ms()));
    if (!answer.starts_with("HTTP/1.1 201")) fail(answer);
  }

  int fd_;
  std::vector<Key> keys_{};
};

// The bytes of one frame, as a reader gets them.
std::string frame_of(std::uint16_t port, Trades& trades) {
  Reader reader;
  upgrade(reader, port, "/v1/stream", subscription);
  std::string bytes;
  char buffer[4096];
  for (std::size_t i = 0; i < samples; ++i) {  // what comes before the first trade is dropped
    trades.make();
    bytes.clear();
    usleep(100'000);
    const ssize_t count = recv(reader.fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) bytes.assign(buffer, static_cast<std::size_t>(count));
  }
  close(reader.fd);
  Reader check;
  take(check, bytes.data(), bytes.size());
  if (check.frames != 1 || check.payload_left != 0) fail("stream_bench: no single frame came");
  return bytes;
}

// Writes the frame to all readers whenever a byte comes; the first connection is the one that the bytes come from.
[[noreturn]] void broadcast(int listener, const std::string& frame) {
  std::vector<int> connections;
  serve_bare(
      listener, [&](int fd) { connections.push_back(fd); },
      [&](int fd) {
        char byte = 0;
        if (recv(fd, &byte, 1, 0) <= 0) return void(close(fd));
        for (std::size_t i = 1; i < connections.size(); ++i)
          if (send(connections[i], frame.data(), frame.size(), MSG_NOSIGNAL) < 0) close(connections[i]);
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: stream_bench PORT READERS TRADES TURNS <KEYS\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::size_t readers = std::strtoul(argv[2], nullptr, 10);
  const int trades_per_turn = std::atoi(argv[3]);
  const int turns = std::atoi(argv[4]);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  run_on_core(1);

  Trades trades(port);
  const std::string frame = frame_of(port, trades);
  const BareServer loop(0, [&](int listener) { broadcast(listener, frame); });
  const int trigger = dial(loop.port());
  Audience ours(readers);
  Audience theirs(readers);
  ours.connect([&](Reader& reader) { upgrade(reader, port, "/v1/stream", subscription); });
  theirs.connect([&](Reader& reader) { reader.fd = dial(loop.port()); });
  usleep(500'000);  // subscriptions have arrived
  trades.make();
  usleep(500'000);
  ours.wait(1);

  const auto timed = [&](Audience& audience, const auto& trade) {
    double seconds = 0;
    for (int i = 0; i < trades_per_turn; ++i) {
      const std::uint64_t before = audience.frames();
      const double start = seconds_now();
      trade();
      audience.wait(before + 1);
      seconds += seconds_now() - start;
    }
    return seconds;
  };
  std::vector<double> ratios;
  for (int turn = -1; turn < turns; ++turn) {
    const double mine = timed(ours, [&] { trades.make(); });
    const double other = timed(theirs, [&] {
      if (write(trigger, "x", 1) != 1) fail("write");
    });
    if (turn >= 0) ratios.push_back(other / mine);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("{\"name\":\"single trades to %zu readers\",\"bytes\":%zu,\"rate\":[%.3f,%.3f,%.3f]}\n", readers,
              frame.size(), ratios[ratios.size() / 2], ratios.front(), ratios.back());
  return 0;
}
