#include "api/http/dialler.h"

#include <gtest/gtest.h>

namespace svc::api {
namespace SVC_FILE {

TEST(Proxy, ReadsItsAddress) {
  struct Row {
    const char* text;
    ProxyKind kind;
    const char* host;
    std::uint16_t port;
    const char* user;
    const char* password;
  };
  const Row rows[] = {
      {"proxy.example:3128", ProxyKind::http, "proxy.example", 3128, "", ""},
      {"http://proxy.example", ProxyKind::http, "proxy.example", 80, "", ""},
      {"http://u:p@proxy.example:3128/", ProxyKind::http, "proxy.example", 3128, "u", "p"},
      {"socks5://127.0.0.1", ProxyKind::socks5, "127.0.0.1", 1080, "", ""},
      {"socks5h://a%40b:c%3Ad@[::1]:9", ProxyKind::socks5h, "::1", 9, "a@b", "c:d"},
      {"socks5h://user@x", ProxyKind::socks5h, "x", 1080, "user", ""},
      {"http://u:p@ss@x", ProxyKind::http, "x", 80, "u", "p@ss"},
  };
  for (const Row& row : rows) {
    const auto proxy = parse_proxy(row.text);
    ASSERT_TRUE(proxy) << row.text << ": " << proxy.error();
    EXPECT_EQ(proxy->kind, row.kind) << row.text;
    EXPECT_EQ(proxy->host, row.host) << row.text;
    EXPECT_EQ(proxy->port, row.port) << row.text;
    EXPECT_EQ(proxy->user, row.user) << row.text;
    EXPECT_EQ(proxy->password.reveal(), row.password) << row.text;
  }
}

TEST(Proxy, RefusesWhatItCannotUseWithoutRepeatingIt) {
  for (const char* text : {"https://hunter2", "socks4://hunter2", "http://", "http://hunter2:x", "http://u:%zz@hunter2",
                           "http://:hunter2@x", "http://hunter2/path", "http://hunter2 x"}) {
    const auto proxy = parse_proxy(text);
    ASSERT_FALSE(proxy) << text;
    EXPECT_EQ(proxy.error().find("hunter2"), std::string::npos) << proxy.error();
  }
}

TEST(Proxy, NoProxyNamesHostsSuffixesPortsAndNetworks) {
  struct Row {
    const char* url;
    const char* no_proxy;
    bool bypassed;
  };
  const Row rows[] = {
      {"https://api.example.com", "", false},
      {"https://api.example.com", "*", true},
      {"https://api.example.com", "api.example.com", true},
      {"https://api.example.com", "example.com", true},
      {"https://api.example.com", ".example.com", true},
      {"https://api.example.com", "*.example.com", true},
      {"https://api.example.com", "ample.com", false},
      {"https://api.example.com", "EXAMPLE.com", true},
      {"https://api.example.com", "other.org, example.com", true},
      {"https://api.example.com", "other.org example.com", true},
      {"https://api.example.com", "api.example.com:443", true},
      {"https://api.example.com", "api.example.com:8443", false},
      {"https://api.example.com:8443", "api.example.com:8443", true},
      {"http://10.1.2.3", "10.1.2.3", true},
      {"http://10.1.2.3", "10.0.0.0/8", true},
      {"http://10.1.2.3", "10.1.2.0/31", false},
      {"http://10.1.2.3", "0.0.0.0/0", true},
      {"http://10.1.2.3", "10.0.0.0/33", false},
      {"http://10.1.2.3", "10.0.0.0/", false},
      {"http://[fd00::7]", "fd00::/8", true},
      {"http://[fd00::7]", "fd00::7", true},
      {"http://[fd00::7]", "[fd00::7]", true},
      {"http://[fd00::7]", "10.0.0.0/8", false},
      {"http://example.com", "10.0.0.0/8", false},
      {"http://example.com", ",,  ,", false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(bypasses_proxy(*parse_url(row.url), row.no_proxy), row.bypassed) << row.url << " " << row.no_proxy;
}

TEST(Proxy, FlagThenEnvironmentThenDirectly) {
  const ProxyEnvironment environment{
      .http_proxy = "plain:1", .https_proxy = "tls:2", .all_proxy = "socks5://all:3", .no_proxy = "inside.example"};
  const ProxyEnvironment only_all{.http_proxy = "", .https_proxy = "", .all_proxy = "socks5://all:3", .no_proxy = ""};
  struct Row {
    const char* url;
    std::optional<std::string> flag;
    const ProxyEnvironment* environment;
    const char* host;  // empty: directly
  };
  const Row rows[] = {
      {"http://x", std::nullopt, &environment, "plain"},
      {"https://x", std::nullopt, &environment, "tls"},
      {"ws://x", std::nullopt, &environment, "plain"},
      {"wss://x", std::nullopt, &environment, "tls"},
      {"https://x", std::nullopt, &only_all, "all"},
      {"http://x", std::nullopt, &only_all, "all"},
      {"https://inside.example", std::nullopt, &environment, ""},
      {"http://localhost:9090", std::nullopt, &environment, ""},
      {"http://testnet.localhost:9090", std::nullopt, &environment, ""},
      {"http://127.0.0.1:9090", std::nullopt, &environment, ""},
      {"https://x", "flag:9", &environment, "flag"},
      {"https://inside.example", "flag:9", &environment, "flag"},
      {"http://localhost:9090", "flag:9", &environment, ""},
      {"ws://127.0.0.1:9090", "socks5://flag:9", &environment, ""},
      {"http://[::1]:9090", "10.0.0.7:9", &environment, ""},
      {"http://localhost:9090", "127.0.0.1:9", &environment, "127.0.0.1"},
      {"https://x", "none", &environment, ""},
      {"https://x", "", &environment, ""},
  };
  for (const Row& row : rows) {
    const auto proxy = choose_proxy(*parse_url(row.url), row.flag, *row.environment);
    ASSERT_TRUE(proxy) << row.url;
    EXPECT_EQ(*proxy ? (*proxy)->host : "", row.host) << row.url << " flag " << row.flag.value_or("-");
  }
  EXPECT_FALSE(choose_proxy(*parse_url("https://x"), "ftp://x", environment)) << "a bad flag is an error, not no proxy";
}

}  // namespace SVC_FILE
}  // namespace svc::api
