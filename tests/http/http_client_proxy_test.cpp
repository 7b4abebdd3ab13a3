#include <gtest/gtest.h>

#include <mutex>

#include "api/http/http_client.h"
#include "http/listening_peer.h"
#include "http/running_server.h"
#include "http/tls_peer.h"

namespace svc::api {
namespace SVC_FILE {

using test::RawConnection;
using test::RunningServer;

HttpRequest get(std::string target) {
  return {.method = "GET", .target = std::move(target), .headers = {}, .body = {}};
}

HttpClientOptions through(std::string_view proxy, Url origin) {
  auto parsed = parse_proxy(proxy);
  EXPECT_TRUE(parsed) << proxy;
  return {.dial = {.origin = std::move(origin), .proxy = std::move(*parsed)}, .answer_ms = test::patience_ms};
}

// Every name leads to one port of the loopback interface; remembers what it was asked.
class TunnelProxy {
 public:
  enum class Speaks : std::uint8_t { connect, socks5 };

  TunnelProxy(Speaks speaks, std::uint16_t destination, std::string verdict)
      : destination_(destination), verdict_(std::move(verdict)), peer_([this, speaks](RawConnection& client, int) {
          const bool agreed = speaks == Speaks::connect ? connect(client) : socks5(client);
          if (!agreed) return;
          const RawConnection target(destination_);
          test::relay(client.fd(), target.fd());
        }) {}

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(peer_.port()); }
  [[nodiscard]] std::string asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void remember(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    asked_ += bytes;
  }

  bool connect(RawConnection& client) {
    remember(client.bytes_until("\r\n\r\n"));
    client.send(verdict_);
    return verdict_.starts_with("HTTP/1.1 200");
  }

  // The verdict is the reply code as one byte, or 0xff to refuse every way to authenticate.
  bool socks5(RawConnection& client) {
    const std::string greeting = client.bytes(2);
    const std::string ways = client.bytes(static_cast<unsigned char>(greeting.at(1)));
    if (verdict_[0] == '\xff') {
      client.send("\x05\xff");
      return false;
    }
    const bool by_password = ways.find('\x02') != std::string::npos;
    client.send(by_password ? std::string("\x05\x02", 2) : std::string("\x05\x00", 2));
    if (by_password) {
      client.bytes(1);
      for (int i = 0; i < 2; ++i) {
        const std::string length = client.bytes(1);
        remember(client.bytes(static_cast<unsigned char>(length.at(0))) + " ");
      }
      client.send(std::string("\x01\x00", 2));
    }
    const std::string head = client.bytes(4);
    std::size_t size = 4;
    if (head.at(3) == 3) size = static_cast<unsigned char>(client.bytes(1).at(0));
    const std::string host = client.bytes(size);
    const std::string port = client.bytes(2);
    remember((head.at(3) == 3 ? "name " : "address ") + host);
    // The address it bound is a name here: the longest form.
    client.send(std::string{'\x05', verdict_[0], 0, 3, 4} + "here" + std::string(2, '\0'));
    return verdict_[0] == 0;
  }

  std::uint16_t destination_;
  std::string verdict_;
  mutable std::mutex mutex_;
  std::string asked_;
  test::ListeningPeer peer_;
};

constexpr const char* agreed = "HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n";

TEST(HttpClientProxy, HttpsGoesThroughConnectAndIsVerifiedEndToEnd) {
  test::Authority authority;
  test::TlsPeer server(authority.issue("DNS:api.example.com"), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  TunnelProxy proxy(TunnelProxy::Speaks::connect, server.port(), agreed);
  auto options = through("http://me:pass%20word@" + proxy.address(), {Scheme::https, "api.example.com", 443, ""});
  options.dial.certificate_authorities = authority.file();
  HttpClient client(options);
  for (int i = 0; i < 3; ++i) {
    const auto response = client.send(get("/"));
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->body, "ok");
  }
  EXPECT_EQ(client.connections_opened(), 1u);
  EXPECT_EQ(proxy.asked(),
            "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n"
            "Proxy-Authorization: Basic bWU6cGFzcyB3b3Jk\r\n\r\n");
}

TEST(HttpClientProxy, HttpGoesInAbsoluteForm) {
  std::string seen;
  test::ListeningPeer proxy([&](RawConnection& connection, int) {
    seen = connection.bytes_until("\r\n\r\n");
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client(through("http://me:secret@127.0.0.1:" + std::to_string(proxy.port()),
                            {Scheme::http, "api.example.com", 8080, ""}));
  const auto response = client.send(get("/v1/markets?x=1"));
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(
      seen,
      "GET http://api.example.com:8080/v1/markets?x=1 HTTP/1.1\r\nHost: api.example.com:8080\r\nUser-Agent: svc\r\n"
      "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n");
}

TEST(HttpClientProxy, SocksCarriesNamesOrAddressesAsItsSchemeSays) {
  struct Row {
    std::string scheme;
    std::string credentials;
    std::string host;
    std::string asked;
  };
  const Row rows[] = {
      {"socks5h", "", "api.example.com", "name api.example.com"},
      {"socks5h", "me:secret@", "api.example.com", "me secret name api.example.com"},
      {"socks5h", "", "127.0.0.1", std::string("address \x7f\0\0\x01", 12)},
      {"socks5", "", "localhost", std::string("address \x7f\0\0\x01", 12)},
  };
  RunningServer server(test::echo);
  for (const Row& row : rows) {
    TunnelProxy proxy(TunnelProxy::Speaks::socks5, server.port(), std::string(1, '\0'));
    HttpClient client(
        through(row.scheme + "://" + row.credentials + proxy.address(), {Scheme::http, row.host, 80, ""}));
    const auto response = client.send(get("/through"));
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->body, "GET /through");
    EXPECT_EQ(proxy.asked(), row.asked);
  }
}

TEST(HttpClientProxy, RefusalOfTheProxyIsNotSentAndNamesItsReason) {
  struct Row {
    TunnelProxy::Speaks speaks;
    std::string verdict;
    std::string reason;
  };
  const Row rows[] = {
      {TunnelProxy::Speaks::connect, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 5\r\n\r\nsorry",
       "the proxy refused CONNECT with status 407"},
      {TunnelProxy::Speaks::connect, "SSH-2.0-proxy\r\n", "the proxy does not speak HTTP"},
      {TunnelProxy::Speaks::connect, "", "the proxy closed the connection"},
      {TunnelProxy::Speaks::socks5, "\x05", "the proxy could not connect: connection refused"},
      {TunnelProxy::Speaks::socks5, "\x63", "the proxy could not connect: unknown reason"},
      {TunnelProxy::Speaks::socks5, "\xff", "the proxy accepts none of the ways to authenticate that were offered"},
  };
  for (const Row& row : rows) {
    TunnelProxy proxy(row.speaks, 9, row.verdict);
    const bool socks = row.speaks == TunnelProxy::Speaks::socks5;
    HttpClient client(through((socks ? "socks5h://u:hunter2@" : "http://u:hunter2@") + proxy.address(),
                              {socks ? Scheme::http : Scheme::https, "api.example.com", 443, ""}));
    const auto response = client.send(get("/"));
    ASSERT_FALSE(response) << row.reason;
    EXPECT_EQ(response.error().delivery, Delivery::not_sent) << row.reason;
    EXPECT_EQ(response.error().reason, "proxy " + proxy.address() + ": " + row.reason);
  }
}

TEST(HttpClientProxy, AProxyThatIsNotReachedIsNamed) {
  const std::string nobody = "127.0.0.1:" + std::to_string(RunningServer(test::echo).port());
  HttpClient client(through("http://" + nobody, {Scheme::https, "api.example.com", 443, ""}));
  const auto response = client.send(get("/"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::not_sent);
  EXPECT_EQ(response.error().reason, "proxy " + nobody + ": Connection refused");
}

}  // namespace SVC_FILE
}  // namespace svc::api
