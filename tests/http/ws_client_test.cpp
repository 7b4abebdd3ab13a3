#include "api/stream/ws_client.h"

#include <gtest/gtest.h>

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

}  // namespace SVC_FILE
}  // namespace svc::api
