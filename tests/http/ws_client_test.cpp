#include "api/stream/ws_client.h"

#include <gtest/gtest.h>

#include "api/cpp17/ws_codec.h"
#include "api/version.h"
#include "http/listening_peer.h"

namespace svc::api {
namespace SVC_FILE {

TEST(WsClient, NamesItsVersionInTheHandshake) {
  std::string head;
  {
    test::ListeningPeer peer([&](test::RawConnection& connection, int) {
      head = connection.bytes_until("\r\n\r\n");
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    const auto origin = parse_url("http://127.0.0.1:" + std::to_string(peer.port()));
    ASSERT_TRUE(origin);
    WsOpening opening{.target = "/ws?token=abc", .api_version = "0.8.5"};
    opening.dial.origin = *origin;
    const auto link = open_websocket(std::move(opening));
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().status, 404);
  }
  EXPECT_NE(head.find("\r\n" + std::string(version_header) + ": 0.8.5\r\n"), std::string::npos) << head;
}

// (RFC 6455, 4.1)
TEST(WsClient, RefusesAHandshakeThatItDidNotOffer) {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  struct Row {
    Fields fields;
    std::string accept;  // empty: the right one
    std::string reason;  // empty: the connection is opened
  };
  const Row table[] = {
      {{}, "", ""},
      {{{"Sec-WebSocket-Extensions", "permessage-deflate"}}, "", "an extension that was not offered"},
      {{{"Sec-WebSocket-Protocol", "chat"}}, "", "a subprotocol that was not offered"},
      {{}, "AAAA", "Sec-WebSocket-Accept"},
  };
  for (const Row& row : table) {
    test::ListeningPeer peer([&](test::RawConnection& connection, int) {
      WsCodec codec = WsCodec::server({.headers = row.fields});
      codec.feed(connection.bytes_until("\r\n\r\n"));
      std::string answer = codec.take_output();
      const std::string name = "Sec-WebSocket-Accept: ";
      const auto at = answer.find(name);
      ASSERT_NE(at, std::string::npos) << answer;
      const auto value = at + name.size();
      if (!row.accept.empty()) answer.replace(value, answer.find("\r\n", at) - value, row.accept);
      connection.send(answer);
    });
    WsOpening opening{.target = "/ws?token=abc"};
    opening.dial.origin = *parse_url("http://127.0.0.1:" + std::to_string(peer.port()));
    const auto link = open_websocket(std::move(opening));
    ASSERT_EQ(link.has_value(), row.reason.empty()) << row.reason;
    if (link) continue;
    EXPECT_EQ(link.error().status, 101);
    EXPECT_NE(link.error().reason.find(row.reason), std::string::npos) << link.error().reason;
  }
}

TEST(WsClient, ARefusalToldToWaitForWeeksIsWaitedForADay) {
  const auto waited_ms = [](const std::string& after) {
    return refusal_of_upgrade("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: " + after +
                              "\r\n\r\n")
        .retry_after_ms;
  };
  EXPECT_EQ(waited_ms("3"), 3'000);
  EXPECT_EQ(waited_ms("999999"), 86'400'000);
  EXPECT_EQ(waited_ms("soon"), 0);
}

TEST(WsClient, NamesWhatIsWrongWithA101) {
  const auto reason_of = [](const std::string& fields) {
    return refusal_of_upgrade("HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\n").reason;
  };
  EXPECT_EQ(reason_of("Connection: Upgrade\r\n"),
            "the upgrade was answered with 101, but its Upgrade is not websocket");
  EXPECT_EQ(reason_of("Upgrade: WebSocket\r\nConnection: keep-alive\r\n"),
            "the upgrade was answered with 101, but its Connection is not Upgrade");
  EXPECT_EQ(reason_of("Upgrade: websocket\r\nConnection: keep-alive\r\nConnection: Upgrade\r\n"),
            "the upgrade was answered with 101, but its Sec-WebSocket-Accept is not the answer to the key");
}

}  // namespace SVC_FILE
}  // namespace svc::api
