#include "api/tiers.h"

#include <gtest/gtest.h>

namespace svc::api {
namespace SVC_FILE {

TEST(Tiers, HaveTheNumbersOfTheApiText) {
  const struct {
    Tier tier;
    std::uint32_t rate, connections, subscriptions, frames;
    bool per_client_address;
  } rows[] = {{Tier::pro, 20, 5, 50, 10, false},
              {Tier::market_maker, 2'000, 100, 1'000, 50, false},
              {Tier::unlimited, 50, 0, 0, 0, true}};
  for (const auto& row : rows) {
    const TierLimits& limits = limits_of(row.tier);
    EXPECT_EQ(limits.requests_per_second, row.rate);
    EXPECT_EQ(limits.orders_per_second, row.rate);
    EXPECT_EQ(limits.cancels_per_second, row.rate);
    EXPECT_EQ(limits.ws_connections, row.connections);
    EXPECT_EQ(limits.ws_subscriptions, row.subscriptions);
    EXPECT_EQ(limits.ws_frames_per_second, row.frames);
    EXPECT_EQ(limits.per_client_address, row.per_client_address);
  }
  EXPECT_EQ(default_tier, Tier::pro);
  EXPECT_EQ(default_key_ceiling_per_second, 20u);
}

TEST(Tiers, AreCapitalisedInRefusalsAndLowerCaseInTheStatus) {
  EXPECT_EQ(to_string(Tier::market_maker), "MarketMaker");
  EXPECT_EQ(tier_lower_texts[static_cast<std::size_t>(Tier::market_maker)], "marketmaker");
}

}  // namespace SVC_FILE
}  // namespace svc::api
