#include "api/values.h"

#include <gtest/gtest.h>

namespace svc::api {
namespace SVC_FILE {

TEST(MarketId, IsUpperCaseSegmentsJoinedBySingleHyphens) {
  for (const char* text : {"BTC-USDX-PERP", "A", "1", "A-1-B2", "NDQ100"}) EXPECT_TRUE(is_market_id(text)) << text;
  for (const char* text : {"", "-", "A-", "-A", "A--B", "a", "Btc", "A B", "A_B", "A/B", "Ä", "A.B"})
    EXPECT_FALSE(is_market_id(text)) << text;
}

TEST(MarketId, HasAtMost64Characters) {
  EXPECT_TRUE(is_market_id(std::string(64, 'A')));
  EXPECT_FALSE(is_market_id(std::string(65, 'A')));
}

}  // namespace SVC_FILE
}  // namespace svc::api
