// What a running sandbox needs in memory for each idle kept connection, each reader of a stream, each account that is
// signed in and has an API key, and each resting order.
//
//   memory_bench READY_FILE    prints "NAME BOUND BYTES" for each
//
// The sandbox runs without bots and limits, and has 50 development accounts.
#include "api/http/url.h"
#include "bench/memory_use.h"
#include "sim/sim.h"

int main(int argc, char** argv) {
  using namespace svc::bench;
  std::ifstream file(argc == 2 ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: memory_bench READY_FILE\n");
    return 2;
  }
  const MemoryUse use = memory_use(ready, svc::api::parse_url(ready["url"].get<std::string>())->port, 1'000);
  namespace limits = svc::limits;
  std::printf("connection %zu %zu\nreader %zu %zu\naccount %zu %zu\norder %zu %zu\n", limits::connection_bytes,
              use.connection, limits::reader_bytes, use.reader, limits::account_bytes, use.account, limits::order_bytes,
              use.order);
  return 0;
}
