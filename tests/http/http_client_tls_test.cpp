#include <gtest/gtest.h>

#include "api/http/http_client.h"
#include "http/tls_peer.h"

namespace svc::api {
namespace SVC_FILE {

using test::Authority;
using test::TlsPeer;

constexpr const char* ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const HttpRequest get{.method = "GET", .target = "/", .headers = {}, .body = {}};
const HttpRequest post{.method = "POST", .target = "/", .headers = {}, .body = "order"};

HttpClientOptions to(std::uint16_t port, std::string host, std::string authorities) {
  return {
      .dial = {.origin = {Scheme::https, std::move(host), port, ""}, .certificate_authorities = std::move(authorities)},
      .answer_ms = test::patience_ms};
}

TEST(HttpClientTls, VerifiedByFileOrHashedDirectoryAndKeptAlive) {
  Authority authority;
  for (const std::string& trust : {authority.file(), authority.directory()}) {
    TlsPeer peer(authority.issue("DNS:localhost"), ok);
    HttpClient client(to(peer.port(), "localhost", trust));
    for (int i = 0; i < 5; ++i) {
      const auto response = client.send(i % 2 == 0 ? get : post);
      ASSERT_TRUE(response) << response.error().reason;
      EXPECT_EQ(response->body, "ok");
    }
    EXPECT_EQ(client.connections_opened(), 1u);
    EXPECT_EQ(peer.server_name(), "localhost");
  }
}

TEST(HttpClientTls, LargeBodiesPassBothWays) {
  Authority authority;
  const std::string body(3 << 20, 'b');
  TlsPeer peer(authority.issue("DNS:localhost"),
               "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  HttpClient client(to(peer.port(), "localhost", authority.file()));
  const auto response =
      client.send({.method = "POST", .target = "/", .headers = {}, .body = std::string(1 << 20, 'a')});
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(response->body, body);
}

TEST(HttpClientTls, AddressIsVerifiedAsAddressAndSendsNoServerName) {
  Authority authority;
  TlsPeer peer(authority.issue("IP:127.0.0.1"), ok);
  HttpClient client(to(peer.port(), "127.0.0.1", authority.file()));
  const auto response = client.send(get);
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(peer.server_name(), "");
}

TEST(HttpClientTls, HostFieldIsTheNameThatIsVerified) {
  Authority authority;
  TlsPeer peer(authority.issue("DNS:api.example.com"), ok);
  auto options = to(peer.port(), "127.0.0.1", authority.file());
  options.dial.host_header = "api.example.com";
  HttpClient client(options);
  const auto response = client.send(get);
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(peer.server_name(), "api.example.com");
}

TEST(HttpClientTls, WhoCannotProveHisNameGetsNoByteOfTheRequest) {
  Authority authority;
  Authority stranger;
  struct Row {
    const char* what;
    std::shared_ptr<Authority::Leaf> leaf;
    std::string host;
    std::string reason;
  };
  const Row rows[] = {
      {"unknown authority", stranger.issue("DNS:localhost"), "localhost", "unable to get local issuer certificate"},
      {"other name", authority.issue("DNS:example.com"), "localhost", "hostname mismatch"},
      {"common name alone", authority.issue_by_common_name("localhost"), "localhost", "hostname mismatch"},
      {"wildcard that is too wide", authority.issue("DNS:*"), "localhost", "hostname mismatch"},
      {"address as a name", authority.issue("DNS:127.0.0.1"), "127.0.0.1", "IP address mismatch"},
  };
  for (const Row& row : rows) {
    TlsPeer peer(row.leaf, ok);
    HttpClient client(to(peer.port(), row.host, authority.file()));
    const auto response = client.send(post);
    ASSERT_FALSE(response) << row.what;
    EXPECT_EQ(response.error().delivery, Delivery::not_sent) << row.what;
    EXPECT_EQ(response.error().reason, "TLS with " + row.host + ": certificate verify failed: " + row.reason);
    EXPECT_EQ(peer.requests(), 0) << row.what;
  }
}

TEST(HttpClientTls, ServerWithoutTlsOrWithoutWordsIsNotSent) {
  test::ListeningPeer plain(
      [](test::RawConnection& connection, int) { connection.send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  Authority authority;
  HttpClient client(to(plain.port(), "localhost", authority.file()));
  const auto response = client.send(post);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::not_sent);
  EXPECT_EQ(response.error().reason.substr(0, 20), "TLS with localhost: ");

  const test::Listener silent;
  auto options = to(silent.port(), "localhost", authority.file());
  options.connect_ms = 30;
  HttpClient waiting(options);
  const auto nothing = waiting.send(post);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().delivery, Delivery::not_sent);
  EXPECT_EQ(nothing.error().reason, "TLS with localhost: timed out");
}

TEST(HttpClientTls, AnswerThatEndsWithTheConnectionMustEndInsideTls) {
  Authority authority;
  for (const bool orderly : {true, false}) {
    TlsPeer peer(authority.issue("DNS:localhost"),
                 std::string("HTTP/1.1 200 OK\r\n") + (orderly ? "X-Orderly: yes\r\n" : "") + "\r\nbalance: 100");
    HttpClient client(to(peer.port(), "localhost", authority.file()));
    const auto response = client.send(post);
    ASSERT_EQ(response.has_value(), orderly);
    if (orderly) {
      EXPECT_EQ(response->body, "balance: 100");
    } else {
      EXPECT_EQ(response.error().delivery, Delivery::unknown) << "it may have been cut";
    }
  }
}

TEST(HttpClientTls, AuthoritiesThatCannotBeReadAreNamed) {
  HttpClient client(to(9, "localhost", "/no/such/place"));
  // The port is dialled first: a listener makes the difference visible.
  const test::Listener listener;
  HttpClient dialling(to(listener.port(), "localhost", "/no/such/place"));
  const auto response = dialling.send(get);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::not_sent);
  EXPECT_EQ(response.error().reason, "certificate authorities /no/such/place: No such file or directory");
}

}  // namespace SVC_FILE
}  // namespace svc::api
