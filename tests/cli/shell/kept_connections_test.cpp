#include "cli/shell/runner.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace svc::cli {
namespace SVC_FILE {

struct Answering final : api::Transport {
  bool fails = false;
  explicit Answering(bool failing) : fails(failing) {}
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest&) override {
    if (fails) return unexpected(api::TransportError{});
    return api::HttpResponse{};
  }
};

TEST(KeptConnections, AreReusedForTheSameRouteWhileFreshAndIntact) {
  ManualClock clock{1'000};
  std::size_t opened = 0;
  bool fails = false;
  const Connect kept = keeping_connections(
      [&](const Route&) -> Result<std::unique_ptr<api::Transport>, std::string> {
        ++opened;
        return std::unique_ptr<api::Transport>(std::make_unique<Answering>(fails));
      },
      clock);
  const auto use = [&](const Route& route) {
    const auto transport = kept(route);
    ASSERT_TRUE(transport.has_value());
    static_cast<void>((*transport)->send({}));
  };
  const Route here{"https://a", 1'000, {}, {}};
  use(here);
  use(here);
  EXPECT_EQ(opened, 1U);
  use({"https://b", 1'000, {}, {}});
  EXPECT_EQ(opened, 2U);
  clock.advance(kept_ms_max);
  use(here);
  EXPECT_EQ(opened, 2U);
  clock.advance(kept_ms_max + 1);
  fails = true;
  use(here);  // too old, so reconnected; fails, so not kept
  EXPECT_EQ(opened, 3U);
  use(here);
  EXPECT_EQ(opened, 4U);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
