// Whose address counts as the client's.
#include <gtest/gtest.h>

#include "sim/gateway/request_context.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(ClientAddress, IsThePeersUnlessAHeaderIsConfigured) {
  EXPECT_EQ(client_address({}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(client_address({{"X-Real-IP", "203.0.113.7"}}, "127.0.0.1", "x-real-ip"), "203.0.113.7");
}

TEST(ClientAddress, IsUnresolvedWhenTheNamedHeaderDoesNotHoldOneAddress) {
  for (const char* value : {"", "unknown", "203.0.113.7, 10.0.0.1", "203.0.113.7:80", "203.0.113", "::ffff:1.2.3.4.5"})
    EXPECT_EQ(client_address({{"X-Real-IP", value}}, "127.0.0.1", "X-Real-IP"), std::nullopt) << value;
  EXPECT_EQ(client_address({}, "127.0.0.1", "X-Real-IP"), std::nullopt);
  EXPECT_EQ(client_address({{"X-Real-IP", "10.0.0.1"}, {"x-real-ip", "10.0.0.1"}}, "127.0.0.1", "X-Real-IP"),
            std::nullopt);
  EXPECT_EQ(client_address({}, "", ""), std::nullopt);
}

TEST(ClientAddress, HasOneSpelling) {
  EXPECT_EQ(normal_address("::FFFF:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(normal_address("2001:DB8:0:0::1"), "2001:db8::1");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
