#include "sim/control/control_surface.h"

#include <gtest/gtest.h>

namespace svc::sim {
namespace SVC_FILE {

TEST(ControlAccess, LoopbackIsTheWholeNetworkAndItsMappedForm) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address : {"128.0.0.1", "10.0.0.1", "::2", "", "localhost", "127.evil"})
    EXPECT_FALSE(is_loopback(address)) << address;
}

TEST(ControlAccess, WithoutATokenOnlyThisMachineIsAdmitted) {
  const ControlAccess access;
  EXPECT_TRUE(access.admits({}, "127.0.0.1"));
  EXPECT_FALSE(access.admits({}, "192.0.2.1"));
  EXPECT_FALSE(access.admits({{"Authorization", "Bearer "}}, "192.0.2.1"));
}

TEST(ControlAccess, TheTokenAdmitsFromAnywhere) {
  const ControlAccess access{.token = Secret(std::string("open sesame")), .client_ip_header = {}};
  EXPECT_TRUE(access.admits({{"Authorization", "Bearer open sesame"}}, "192.0.2.1"));
  EXPECT_FALSE(access.admits({{"Authorization", "Bearer open sesam"}}, "192.0.2.1"));
  EXPECT_FALSE(access.admits({{"Authorization", "Basic open sesame"}}, "192.0.2.1"));
  EXPECT_TRUE(access.admits({}, "127.0.0.1"));
}

TEST(ControlAccess, AWebPageNeedsTheToken) {
  ControlAccess access;
  EXPECT_FALSE(access.admits({{"Origin", "https://evil.example"}}, "127.0.0.1"));
  access.token = Secret(std::string("t"));
  EXPECT_TRUE(access.admits({{"Origin", "http://localhost:3000"}, {"Authorization", "Bearer t"}}, "127.0.0.1"));
}

// Browsers request images and scripts without Origin, but they send Sec-Fetch-Site.
TEST(ControlAccess, ARequestThatABrowserMadeForAPageNeedsTheToken) {
  for (const char* token : {"", "t"}) {
    const ControlAccess access{.token = Secret(std::string(token)), .client_ip_header = {}};
    for (const char* site : {"cross-site", "same-site", "same-origin", ""})
      EXPECT_FALSE(access.admits({{"Host", "localhost:9090"}, {"Sec-Fetch-Site", site}}, "127.0.0.1")) << site;
    EXPECT_FALSE(access.admits({{"Sec-Fetch-Site", "none"}, {"Sec-Fetch-Site", "cross-site"}}, "127.0.0.1"));
    EXPECT_TRUE(access.admits({{"Host", "localhost:9090"}, {"Sec-Fetch-Site", "none"}}, "127.0.0.1"));
    EXPECT_EQ(access.admits({{"Sec-Fetch-Site", "cross-site"}, {"Authorization", "Bearer t"}}, "127.0.0.1"),
              !access.token.empty());
  }
}

TEST(ControlAccess, WithoutTheTokenTheHostMustBeALoopbackName) {
  ControlAccess access;
  for (const char* host : {"localhost", "LOCALHOST:9090", "testnet.localhost:9090", "127.0.0.1:9090", "127.8.9.1",
                           "[::1]:9090", "localhost."})
    EXPECT_TRUE(access.admits({{"Host", host}}, "127.0.0.1")) << host;
  for (const char* host : {"evil.example:9090", "evil-localhost", "localhost.evil.example", "127.0.0.1.evil.example",
                           "192.0.2.1", "[::2]", ""})
    EXPECT_FALSE(access.admits({{"Host", host}}, "127.0.0.1")) << host;
  EXPECT_FALSE(access.admits({{"Host", "localhost"}, {"Host", "evil.example"}}, "127.0.0.1"));

  access.token = Secret(std::string("t"));
  EXPECT_FALSE(access.admits({{"Host", "evil.example"}}, "127.0.0.1")) << "that there is a token admits nobody";
  EXPECT_TRUE(access.admits({{"Host", "sandbox.example"}, {"Authorization", "Bearer t"}}, "127.0.0.1"));
}

TEST(ControlAccess, BehindAProxyTheHeaderNamesTheCaller) {
  const ControlAccess access{.token = {}, .client_ip_header = "X-Real-IP"};
  EXPECT_FALSE(access.admits({{"X-Real-IP", "192.0.2.1"}}, "127.0.0.1"));
  EXPECT_FALSE(access.admits({{"X-Real-IP", "nonsense"}}, "127.0.0.1"));
  EXPECT_TRUE(access.admits({{"X-Real-IP", "127.0.0.1"}}, "127.0.0.1"));
  EXPECT_TRUE(access.admits({}, "127.0.0.1"));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
