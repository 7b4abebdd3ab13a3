// The log of the latest requests.
#include "sim/gateway/world.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(RequestLog, KeepsTheLatestAndNumbersThem) {
  RequestLog log(3);
  for (int i = 0; i < 5; ++i) log.add({.path = "/" + std::to_string(i)});
  const auto entries = log.since();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries.front().number, 3u);
  EXPECT_EQ(entries.back().path, "/4");
  EXPECT_EQ(log.since(4).size(), 1u);
  EXPECT_TRUE(log.since(5).empty());
}

TEST(RequestLog, TruncatesTextsFromClients) {
  RequestLog log;
  log.add({.path = std::string(100'000, 'x')});
  EXPECT_EQ(log.since().front().path.size(), limits::request_log_text_max);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
