// What a running sandbox needs in memory for each idle kept connection, each reader of a stream, each account that is
// signed in and has an API key, and each resting order.
//
//   memory_bench READY_FILE    prints "NAME BYTES" for each
//
// The sandbox runs without bots and limits, and has 50 development accounts.
#include "api/http/url.h"
#include "bench/memory_use.h"

int main(int argc, char** argv) {
  using namespace svc::bench;
  std::ifstream file(argc == 2 ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: memory_bench READY_FILE\n");
    return 2;
  }
  const MemoryUse use = memory_use(ready, svc::api::parse_url(ready["url"].get<std::string>())->port, 1'000);
  std::printf("connection %zu\nreader %zu\naccount %zu\norder %zu\n", use.connection, use.reader, use.account,
              use.order);
  return 0;
}
