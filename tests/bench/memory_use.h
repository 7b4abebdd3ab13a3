// The memory that a running sandbox needs for each connection, reader, account and order: many are added, and the
// growth of its resident memory is divided by their number.
#pragma once

#include <sys/resource.h>

#include <fstream>

#include "bench/account.h"
#include "bench/stream_reader.h"

// The most memory that a sandbox needs for each of these.
namespace svc::limits {
inline constexpr std::size_t connection_bytes = 8 * 1024;  // an idle kept connection
inline constexpr std::size_t reader_bytes = 24 * 1024;     // a stream with one channel
inline constexpr std::size_t account_bytes = 8 * 1024;     // an account with a session and an API key
inline constexpr std::size_t order_bytes = 2 * 1024;       // a resting order in the engine and in all views
}  // namespace svc::limits

namespace svc::bench {

struct MemoryUse {
  std::size_t connection = 0;  // kept and idle
  std::size_t reader = 0;      // of trades, on a stream
  std::size_t account = 0;     // signed in, with an API key
  std::size_t order = 0;       // resting, with all that readers see of it
};

inline std::size_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  if (!(file >> all >> resident)) fail("statm");
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Of a sandbox without bots and limits, and with 10 development accounts or more; `ready` is its ready line. Adds a
// fifth of `count` first: what is needed once is there when counting begins.
inline MemoryUse memory_use(const Json& ready, std::uint16_t port, std::size_t count) {
  constexpr std::size_t orders_in_batch = 20;
  const pid_t process = ready["pid"];
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<int> open;
  const auto growth = [&](const std::function<void()>& add) {
    for (std::size_t i = 0; i < count / 5; ++i) add();
    usleep(20'000);  // what was sent last arrives
    const std::size_t before = resident_bytes(process);
    for (std::size_t i = 0; i < count; ++i) add();
    usleep(20'000);  // what was sent last arrives
    const std::size_t after = resident_bytes(process);
    return after < before ? 0 : (after - before) / count;
  };

  MemoryUse use;
  const std::string ticker = request_of("GET", "/markets/BTC-USDX-PERP/ticker", nullptr, "", 0);
  use.connection = growth([&] { answer_to(open.emplace_back(dial(port)), ticker); });
  use.reader = growth([&] {
    Reader reader;
    upgrade(reader, port, "/v1/stream", R"({"subscribe":["trades:BTC-USDX-PERP"]})");
    open.push_back(reader.fd);
  });

  const int fd = open.emplace_back(dial(port));
  std::size_t wallets = 0;
  use.account = growth([&] {
    char key[67];
    std::snprintf(key, sizeof key, "0x%064zx", ++wallets);
    sign_in(fd, ready["domain_name"], key);
  });

  std::vector<Key> traders;
  for (const Json& account : ready["accounts"]) {
    const Account trader = sign_in(fd, ready["domain_name"], account["private_key"]);
    traders.push_back(key_of(trader.id, trader.secret));
  }
  std::size_t orders = 0;
  use.order = growth([&] {
                const Key& key = traders[orders / orders_in_batch % traders.size()];
                Json batch = Json::array();
                for (std::size_t i = 0; i < orders_in_batch; ++i)
                  batch.push_back(limit_order("Buy", std::to_string(40'000 + ++orders % 15'000)));
                const std::string request = request_of("POST", "/orders/batch", &key, batch.dump(), now_ms());
                for (const Json& result : body_of(answer_to(fd, request), "orders"))
                  if (result.contains("error") && !result["error"].is_null()) fail(result.dump());
              }) /
              orders_in_batch;
  for (const int each : open) close(each);
  return use;
}

}  // namespace svc::bench
