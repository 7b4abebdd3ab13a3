#include "api/http/url.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc::api {
namespace SVC_FILE {

TEST(Url, ReadsBaseAddressesAndWritesThemCanonically) {
  struct Row {
    const char* text;
    Url url;
    const char* canonical;
    const char* authority;
  };
  const Row rows[] = {
      {"http://localhost:9090", {Scheme::http, "localhost", 9090, ""}, "http://localhost:9090", "localhost:9090"},
      {"http://localhost:9090/", {Scheme::http, "localhost", 9090, ""}, "http://localhost:9090", "localhost:9090"},
      {"HTTPS://API.Example.com/V1//",
       {Scheme::https, "api.example.com", 443, "/V1"},
       "https://api.example.com/V1",
       "api.example.com"},
      {"https://api.example.com:443/v1",
       {Scheme::https, "api.example.com", 443, "/v1"},
       "https://api.example.com/v1",
       "api.example.com"},
      {"http://[::1]:80/a/b", {Scheme::http, "::1", 80, "/a/b"}, "http://[::1]/a/b", "[::1]"},
      {"ws://127.0.0.1:65535", {Scheme::ws, "127.0.0.1", 65535, ""}, "ws://127.0.0.1:65535", "127.0.0.1:65535"},
      {"https://x.example./v1", {Scheme::https, "x.example", 443, "/v1"}, "https://x.example/v1", "x.example"},
      {"wss://x", {Scheme::wss, "x", 443, ""}, "wss://x", "x"},
  };
  for (const Row& row : rows) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << row.text << ": " << url.error();
    EXPECT_EQ(*url, row.url) << row.text;
    EXPECT_EQ(to_string(*url), row.canonical);
    EXPECT_EQ(authority(*url), row.authority);
    EXPECT_EQ(*parse_url(to_string(*url)), *url);
  }
}

TEST(Url, RefusesWhatIsNoBaseAddress) {
  const std::string refused[] = {"",
                                 "localhost:9090",
                                 "ftp://x",
                                 "http:/x",
                                 "http://",
                                 "http:///v1",
                                 "http://:80",
                                 "http://x:0",
                                 "http://x:65536",
                                 "http://x:8o",
                                 "http://x:",
                                 "http://x:-1",
                                 "http://u:p@x",
                                 "http://x/?q",
                                 "http://x/#f",
                                 "http://x /v1",
                                 "http://x\r\nHost: y",
                                 "http://[::1",
                                 "http://[::g]",
                                 "http://[1.2.3.4]",
                                 "http://::1",
                                 "http://-x",
                                 "http://x/\x7f",
                                 "http://ex\xc3\xa4mple",
                                 "http://x:80:80",
                                 "http://" + std::string(254, 'a'),
                                 "http://x/" + std::string(limits::url_bytes_max, 'a')};
  for (const std::string& text : refused) EXPECT_FALSE(parse_url(text)) << text;
}

TEST(Url, ErrorsDoNotRepeatCredentials) {
  const auto url = parse_url("http://user:hunter2@example.com");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error(), "credentials do not belong into an address");
}

TEST(Url, LoopbackIsWhatNeverLeavesTheMachine) {
  for (const char* host : {"localhost", "testnet.localhost", "127.0.0.1", "127.255.0.1", "::1", "0:0:0:0:0:0:0:1",
                           "::ffff:127.0.0.1", "::ffff:7f00:2"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"localhost.example.com", "notlocalhost", "128.0.0.1", "127.0.0.1.example.com", "::2", "",
                           "::ffff:128.0.0.1", "::127.0.0.1", "::1:0", "fe80::1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(Url, AnyAddressIsTheUnspecifiedOneInAnySpelling) {
  for (const char* host : {"0.0.0.0", "::", "0::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "0::FFFF:0:0"})
    EXPECT_TRUE(is_any_address(host)) << host;
  for (const char* host : {"0.0.0.1", "127.0.0.1", "::1", "localhost", "0", "", "::ffff:127.0.0.1", "::fffe:0:0"})
    EXPECT_FALSE(is_any_address(host)) << host;
}

}  // namespace SVC_FILE
}  // namespace svc::api
