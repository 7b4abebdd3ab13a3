// Gives a sandbox a history of orders, and times the first page of it.
//
//   history_bench READY_FILE ORDERS    sends orders that end at once, in batches over 16 connections, until there are
//   as
//                                      many; prints the median of 200 first pages of GET /orders/history, in
//                                      microseconds
//
// The sandbox runs without bots and limits.
#include <fstream>

#include "api/http/url.h"
#include "bench/account.h"

namespace {

using namespace svc::bench;

constexpr std::size_t connections = 16;
constexpr std::size_t orders_in_batch = 20;
constexpr std::size_t pages = 200;

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 3 ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: history_bench READY_FILE ORDERS\n");
    return 2;
  }
  const std::size_t orders = std::strtoul(argv[2], nullptr, 10);
  const std::uint16_t port = svc::api::parse_url(ready["url"].get<std::string>())->port;
  const int fd = dial(port);
  const Account account = sign_in(fd, ready["domain_name"], ready["accounts"][0]["private_key"]);
  const Key key = key_of(account.id, account.secret);

  // Nobody sells: an order that must trade at once ends without a trade.
  Json batch = Json::array();
  for (std::size_t i = 0; i < orders_in_batch; ++i) batch.push_back(limit_order("Buy", "60000", "IOC"));
  std::size_t sent = 0;
  std::string request;
  Load load(port, ready["pid"], connections);
  (void)load.run(
      [&](std::size_t) -> const std::string* {
        if (sent * orders_in_batch >= orders) return nullptr;
        if (sent++ % 1'000 == 0) request = request_of("POST", "/orders/batch", &key, batch.dump(), now_ms());
        return &request;
      },
      [](const std::string& answer) {
        if (!answer.starts_with("HTTP/1.1 20")) fail(answer);
      });

  const std::string page = request_of("GET", "/orders/history", &key, "", now_ms());
  std::vector<double> times;
  for (std::size_t i = 0; i < pages; ++i) {
    const double begin = seconds_now();
    (void)answer_to(fd, page);
    times.push_back((seconds_now() - begin) * 1e6);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.0f\n", times[times.size() / 2]);
  return 0;
}
