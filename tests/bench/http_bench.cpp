// Requests to a running sandbox beside a bare epoll loop that writes the same bytes, in turns, over 64 kept
// connections, each of which sends the next request when the last was answered.
//
//   http_bench PORT PROCESS TURNS MILLISECONDS    standard input, one measurement a line:
//     NAME GET TARGET [KEY_ID SECRET]             a read, signed or not
//     NAME GET TARGET Bearer TOKEN                a read of a session
//     NAME ORDERS PATH KEY_ID SECRET KEY_ID SECRET    limit orders of two accounts; every second trades with the one
//     before
//
// The sandbox must run on core 0; the loop runs there as well and the load on core 1. Prints a line of JSON for each:
// bytes of an answer, and the ratios ours / loop of answers a second, of the server's processor time for an answer, of
// the median and of the 99th percentile of latency, each as [median, smallest, largest] of the turns; and both servers'
// processor time in microseconds.
#include <iostream>
#include <optional>
#include <sstream>

#include "bench/http_load.h"

namespace {

using namespace svc::bench;

constexpr std::size_t connections = 64;
constexpr int load_core = 1;
constexpr int server_core = 0;
constexpr std::size_t orders_per_second_max = 60'000;  // signed before a turn

struct Ratios {
  std::vector<double> values{};

  [[nodiscard]] std::string text() {
    std::sort(values.begin(), values.end());
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, "[%.3f,%.3f,%.3f]", values[values.size() / 2], values.front(), values.back());
    return buffer;
  }
};

struct Measurement {
  std::string name{};
  std::string kind{};
  std::string target{};
  std::vector<Key> keys{};
  std::string token{};
};

std::optional<Measurement> read_measurement(const std::string& line) {
  std::istringstream words(line);
  Measurement wanted;
  if (!(words >> wanted.name >> wanted.kind >> wanted.target)) return std::nullopt;
  std::string id;
  std::string secret;
  while (words >> id >> secret) {
    if (id == "Bearer")
      wanted.token = secret;
    else
      wanted.keys.push_back(key_of(id, secret));
  }
  return wanted;
}

std::string order_of(const Measurement& wanted, std::size_t number, std::int64_t at_ms) {
  // Both sides in turn, so that positions stay small.
  const bool maker_turn = number % 2 == 0;
  const bool maker_buys = number / 2 % 2 == 0;
  const std::string side = maker_turn == maker_buys ? "Buy" : "Sell";
  const std::string body = R"({"market_id":"BTC-USDX-PERP","side":")" + side +
                           R"(","order_type":"Limit","quantity":"0.01","price":"60000","time_in_force":")" +
                           (maker_turn ? "GTC" : "IOC") + R"("})";
  return request_of("POST", wanted.target, &wanted.keys.at(maker_turn ? 0 : 1), body, at_ms);
}

// What one turn sends, signed before its clock starts.
std::vector<std::string> requests_of(const Measurement& wanted, double seconds) {
  const std::int64_t at_ms = now_ms();
  if (!wanted.token.empty())
    return {"GET " + wanted.target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + wanted.token +
            "\r\n\r\n"};
  if (wanted.kind == "GET")
    return {request_of("GET", wanted.target, wanted.keys.empty() ? nullptr : &wanted.keys[0], "", at_ms)};
  std::vector<std::string> orders;
  for (std::size_t i = 0; i < static_cast<std::size_t>(seconds * orders_per_second_max); ++i)
    orders.push_back(order_of(wanted, i, at_ms));
  return orders;
}

Run run_for(Load& load, const std::vector<std::string>& requests, double seconds, std::string& unexpected) {
  const double end = seconds_now() + seconds;
  std::size_t sent = 0;
  return load.run(
      [&]() -> const std::string* {
        const bool over = seconds_now() >= end || (requests.size() > 1 && sent == requests.size());
        return over ? nullptr : &requests[sent++ % requests.size()];
      },
      [&](const std::string& answer) {
        if (!answer.starts_with("HTTP/1.1 20")) unexpected = answer;
      });
}

// The answer that the loop is to repeat: of orders the one with fills.
std::string sample_of(std::uint16_t port, const Measurement& wanted) {
  const int fd = dial(port);
  std::string sample;
  if (wanted.kind == "GET") {
    sample = answer_to(fd, requests_of(wanted, 0).front());
  } else {
    for (std::size_t i = 0; i < 2; ++i) sample = answer_to(fd, order_of(wanted, i, now_ms()));
  }
  close(fd);
  return sample;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: http_bench PORT PROCESS TURNS MILLISECONDS <MEASUREMENTS\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const pid_t server = std::atoi(argv[2]);
  const int turns = std::atoi(argv[3]);
  const double seconds = std::atof(argv[4]) / 1e3;
  run_on_core(load_core);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto wanted = read_measurement(line);
    if (!wanted) continue;
    const std::string sample = sample_of(port, *wanted);
    if (!sample.starts_with("HTTP/1.1 20")) {
      std::printf("{\"name\":\"%s\",\"missing\":\"%.12s\"}\n", wanted->name.c_str(), sample.c_str());
      continue;
    }
    const BareServer loop(server_core, [&](int listener) { answer_all(listener, sample); });
    Load ours(port, server, connections);
    Load theirs(loop.port(), loop.process(), connections);
    Ratios rate, processor, median, p99;
    Ratios our_us, loop_us;
    std::string unexpected;
    for (int turn = -1; turn < turns; ++turn) {
      const auto requests = requests_of(*wanted, seconds);
      const Run a = run_for(ours, requests, seconds, unexpected);
      const Run b = run_for(theirs, requests, seconds, unexpected);
      if (turn < 0) continue;  // warm-up
      rate.values.push_back(a.rate() / b.rate());
      processor.values.push_back(a.processor_us() / b.processor_us());
      median.values.push_back(a.percentile(0.5) / b.percentile(0.5));
      p99.values.push_back(a.percentile(0.99) / b.percentile(0.99));
      our_us.values.push_back(a.processor_us());
      loop_us.values.push_back(b.processor_us());
    }
    if (!unexpected.empty()) std::fprintf(stderr, "http_bench: %s: %.200s\n", wanted->name.c_str(), unexpected.c_str());
    std::printf(
        "{\"name\":\"%s\",\"bytes\":%zu,\"rate\":%s,\"processor\":%s,\"p50\":%s,\"p99\":%s,\"us\":%s,\"loop_us\":%s}\n",
        wanted->name.c_str(), sample.size(), rate.text().c_str(), processor.text().c_str(), median.text().c_str(),
        p99.text().c_str(), our_us.text().c_str(), loop_us.text().c_str());
    std::fflush(stdout);
  }
  return 0;
}
