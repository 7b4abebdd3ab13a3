// What a sandbox needs in memory for one more of each, as a process.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "api/http/url.h"
#include "bench/memory_use.h"
#include "sim/sim.h"

namespace svc::sim {
namespace SVC_FILE {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need memory of their own
TEST(Memory, OneMoreOfEachStaysWithinItsBytes) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(pipe_ends[0]);
    SandboxOptions options;
    options.port = 0;
    options.flow = FlowKind::none;
    options.limits.multiplier = 0;
    options.ready_fd = pipe_ends[1];
    std::ofstream out("/dev/null");
    ::_exit(serve(options, out, [](std::string_view text) { return text.size(); }) ? 0 : 9);
  }
  ::close(pipe_ends[1]);
  std::string line;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0;)
    line.append(buffer, static_cast<std::size_t>(count));
  ::close(pipe_ends[0]);
  const auto ready = bench::Json::parse(line, nullptr, false);
  ASSERT_TRUE(ready.is_object()) << line;

  const bench::MemoryUse use = bench::memory_use(ready, api::parse_url(ready["url"].get<std::string>())->port, 200);
  ::kill(process, SIGTERM);
  ::waitpid(process, nullptr, 0);
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
