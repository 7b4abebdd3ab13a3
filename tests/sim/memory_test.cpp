// The memory that a sandbox process needs for each connection, reader, account and order.

#include <gtest/gtest.h>

#include <fstream>

#include "api/http/url.h"
#include "bench/memory_use.h"
#include "sim/child_process.h"
#include "sim/sim.h"

namespace svc::sim {
namespace SVC_FILE {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need memory of their own
TEST(Memory, OneMoreOfEachStaysWithinItsBytes) {
  test::ChildProcess process;
  const std::string line = process.start([](int ready_fd) {
    SandboxOptions options;
    options.port = 0;
    options.flow = FlowKind::none;
    options.limits.multiplier = 0;
    options.ready_fd = ready_fd;
    const auto drop = [](std::string_view text) { return text.size(); };
    return serve(options, drop, drop) ? 0 : 9;
  });
  const auto ready = bench::Json::parse(line, nullptr, false);
  ASSERT_TRUE(ready.is_object()) << line;

  const bench::MemoryUse use = bench::memory_use(ready, api::parse_url(ready["url"].get<std::string>())->port, 200);
  EXPECT_LE(use.connection, limits::connection_bytes);
  EXPECT_LE(use.reader, limits::reader_bytes);
  EXPECT_LE(use.account, limits::account_bytes);
  EXPECT_LE(use.order, limits::order_bytes);
  // Nothing was counted otherwise.
  EXPECT_GT(use.connection, 0u);
  EXPECT_GT(use.reader, 0u);
  EXPECT_GT(use.account, 0u);
  EXPECT_GT(use.order, 0u);
}
#endif

}  // namespace SVC_FILE
}  // namespace svc::sim
