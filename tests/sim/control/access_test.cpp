#include "sim/control/control_surface.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(ControlAccess, LoopbackIsTheWholeNetworkAndItsMappedForm) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback_address(address)) << address;
  for (const char* address : {"128.0.0.1", "10.0.0.1", "::2", "", "localhost", "127.evil"})
    EXPECT_FALSE(is_loopback_address(address)) << address;
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

TEST(ControlAccess, ThePageOfThisMachineIsAdmitted) {
  const ControlAccess access;
  for (const char* host : {"localhost:9090", "127.0.0.1:9090", "[::1]:9090", "localhost"}) {
    const std::string origin = "http://" + std::string(host);
    EXPECT_TRUE(access.admits({{"Host", host}, {"Sec-Fetch-Site", "same-origin"}}, "127.0.0.1")) << host;
    EXPECT_TRUE(access.admits({{"Host", host}, {"Origin", origin}}, "127.0.0.1")) << host;
    EXPECT_TRUE(access.admits({{"Host", host}, {"Origin", origin}, {"Sec-Fetch-Site", "same-origin"}}, "::1")) << host;
    EXPECT_FALSE(access.admits({{"Host", host}, {"Origin", origin}}, "192.0.2.1")) << host;
  }
}

TEST(ControlAccess, NoOtherPageIsAdmitted) {
  const ControlAccess access;
  for (const char* origin : {"http://localhost:3000", "http://localhost", "https://localhost:9090",
                             "http://127.0.0.1:9090", "http://localhost:90900", "http://evil.example", "null", ""})
    EXPECT_FALSE(access.admits({{"Host", "localhost:9090"}, {"Origin", origin}}, "127.0.0.1")) << origin;
  // Re-pointed names are same-origin to the browser.
  EXPECT_FALSE(access.admits(
      {{"Host", "evil.example:9090"}, {"Origin", "http://evil.example:9090"}, {"Sec-Fetch-Site", "same-origin"}},
      "127.0.0.1"));
  EXPECT_FALSE(access.admits(
      {{"Host", "localhost:9090"}, {"Origin", "http://localhost:9090"}, {"Origin", "http://evil.example"}},
      "127.0.0.1"));
  EXPECT_FALSE(access.admits({{"Origin", "http://"}}, "127.0.0.1")) << "a page has a host";
  EXPECT_FALSE(
      access.admits({{"Host", "localhost:9090"}, {"Origin", "http://localhost:9090"}, {"Sec-Fetch-Site", "cross-site"}},
                    "127.0.0.1"));
}

TEST(ControlAccess, ThePasswordOfBasicIsTheTokenForTheConsoleOnly) {
  const ControlAccess access{.token = Secret(std::string("open:sesame")), .client_ip_header = {}};
  const auto asks = [&](std::string_view pair, api::Headers headers) {
    headers.add("Authorization", "Basic " + to_base64(pair));
    headers.add("Host", "sandbox.example");
    return access.admits(headers, "192.0.2.1");
  };
  EXPECT_TRUE(asks("anybody:open:sesame", {}));
  EXPECT_TRUE(asks(":open:sesame", {{"Sec-Fetch-Site", "none"}}));
  EXPECT_TRUE(asks("a:open:sesame", {{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://sandbox.example"}}));
  EXPECT_TRUE(asks("a:open:sesame", {{"Origin", "https://sandbox.example"}})) << "a proxy adds TLS";
  EXPECT_FALSE(asks("a:open sesame", {}));
  EXPECT_FALSE(asks("open:sesame", {}));
  EXPECT_FALSE(asks("", {}));
  EXPECT_FALSE(asks("a:open:sesame", {{"Sec-Fetch-Site", "cross-site"}}));
  EXPECT_FALSE(asks("a:open:sesame", {{"Sec-Fetch-Site", "same-site"}}));
  EXPECT_FALSE(asks("a:open:sesame", {{"Origin", "http://evil.example"}}));
  EXPECT_FALSE(ControlAccess().admits({{"Authorization", "Basic Og=="}}, "192.0.2.1")) << "no token, no password";
}

// Browsers request images and scripts without Origin, but they send Sec-Fetch-Site.
TEST(ControlAccess, ARequestThatABrowserMadeForAPageNeedsTheToken) {
  for (const char* token : {"", "t"}) {
    const ControlAccess access{.token = Secret(std::string(token)), .client_ip_header = {}};
    for (const char* site : {"cross-site", "same-site", ""})
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
