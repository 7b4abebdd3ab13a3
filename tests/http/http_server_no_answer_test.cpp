// Requests that the handler wants to be lost.
#include <gtest/gtest.h>

#include "http/raw_connection.h"
#include "http/running_server.h"
#include "sim/gateway/delay_line.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {
namespace SVC_FILE {

using test::get;
using test::RawConnection;
using test::RunningServer;
using test::text;

void lose_lost(api::HttpRequest&& request, const Peer&, const SendReply& reply) {
  reply(request.target == "/lost" ? no_answer() : text(request.target));
}

TEST(HttpServerNoAnswer, EndsTheConnectionWithoutAByte) {
  RunningServer server(lose_lost);
  RawConnection client(server.port());
  ASSERT_TRUE(client.send(get("/lost")));
  EXPECT_EQ(client.bytes(1), "");
}

TEST(HttpServerNoAnswer, ComesAfterTheAnswersBeforeIt) {
  RunningServer server(lose_lost);
  RawConnection client(server.port());
  ASSERT_TRUE(client.send(get("/1") + get("/lost") + get("/2")));
  EXPECT_EQ(client.response().body, "/1");
  EXPECT_EQ(client.bytes(1), "");
}

TEST(HttpServerNoAnswer, LeavesOtherConnectionsAlone) {
  RunningServer server(lose_lost);
  RawConnection lost(server.port());
  RawConnection other(server.port());
  ASSERT_TRUE(other.send(get("/1")));
  EXPECT_EQ(other.response().body, "/1");
  ASSERT_TRUE(lost.send(get("/lost")));
  EXPECT_EQ(lost.bytes(1), "");
  ASSERT_TRUE(other.send(get("/2")));
  EXPECT_EQ(other.response().body, "/2");
}

// The answer is held back on another thread: the one that serves goes on serving.
TEST(DelayLine, HoldsNobodyElseUp) {
  DelayLine delays;
  RunningServer server([&](api::HttpRequest&& request, const Peer&, const SendReply& reply) {
    if (request.target != "/late") return reply(text(request.target));
    delays.after_ms(50, [reply] { reply(text("/late")); });
  });
  RawConnection late(server.port());
  RawConnection other(server.port());
  ASSERT_TRUE(late.send(get("/late")));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(other.send(get("/now")));
    EXPECT_EQ(other.response().body, "/now");
  }
  EXPECT_EQ(late.response().body, "/late");
}

TEST(DelayLine, DropsWhatStillWaitsAtItsEnd) {
  bool done = false;
  {
    DelayLine delays;
    delays.after_ms(600'000, [&] { done = true; });
  }
  EXPECT_FALSE(done);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
