#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>

#include "http/raw_connection.h"
#include "http/running_server.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {
namespace SVC_FILE {

using api::HttpRequest;
using api::HttpResponse;
using test::Desk;
using test::get;
using test::RawConnection;
using test::RunningServer;
using test::text;

struct RefusedBytes {
  const char* what;
  std::string bytes;
  int status;
};

const RefusedBytes refused_bytes[] = {
    {"no HTTP", "hello\r\n", 400},
    {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"length and chunks", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"bad chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
    {"body announced too long", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n", 413},
    {"chunk announced too long", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413},
    {"long request line", get("/" + std::string(200, 'a')), 414},
    {"unknown expectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", 417},
    {"long field", "GET / HTTP/1.1\r\nHost: x\r\na: " + std::string(1000, 'b') + "\r\n\r\n", 431},
    {"endless field", "GET / HTTP/1.1\r\nHost: x\r\na: " + std::string(100'000, 'b'), 431},
    {"many fields",
     "GET / HTTP/1.1\r\nHost: x\r\n" +
         [] {
           std::string fields;
           for (int i = 0; i < 20; ++i) fields += "a: b\r\n";
           return fields;
         }() +
         "\r\n",
     431},
    {"gzip", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
};

HttpServerOptions small_limits() {
  auto options = test::server_options();
  options.requests.start_line_bytes_max = 100;
  options.requests.header_bytes_max = 500;
  options.requests.header_fields_max = 10;
  options.requests.body_bytes_max = 100;
  return options;
}

TEST(HttpServerLimits, ATargetMayTakeALargerBodyIfAFieldShowsWhoSendsIt) {
  auto options = small_limits();
  options.requests.roomy_below = "/room";
  options.is_roomy = [](const Peer& peer, std::string_view target, std::string_view name, std::string_view value) {
    return peer.address == "127.0.0.1" && target == "/roomy" && name == "X-Who" && value == "friend";
  };
  options.requests.roomy_body_bytes_max = 200;
  RunningServer server(options, test::echo);
  const auto status = [&](const std::string& target, std::size_t bytes, const std::string& who = "friend") {
    RawConnection client(server.port());
    client.send("PUT " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(bytes) +
                "\r\nX-Who: " + who + "\r\n\r\n" + std::string(bytes, 'b'));
    return client.response().status;
  };
  EXPECT_EQ(status("/roomy", 200), 200);
  EXPECT_EQ(status("http://x/roomy", 200), 200) << "absolute form";
  EXPECT_EQ(status("http://x/roomy", 101, "foe"), 413);
  EXPECT_EQ(status("/roomy", 101, "foe"), 413);
  EXPECT_EQ(status("/roomy", 201), 413);
  EXPECT_EQ(status("/roomy?", 101), 413);
  EXPECT_EQ(status("/other", 101), 413);
}

TEST(HttpServerLimits, RefusalIsSeenAfterTheRepliesBeforeItAndEndsTheConnectionOrderly) {
  auto options = small_limits();
  options.refuse = [](TransportRefusal refusal) {
    return HttpResponse{.status = status_of(refusal), .headers = {{"X-Refused", "yes"}}, .body = "{}"};
  };
  RunningServer server(options, test::echo);
  for (const RefusedBytes& row : refused_bytes) {
    RawConnection client(server.port());
    client.send(get("/before") + row.bytes);
    EXPECT_EQ(client.response().body, "GET /before") << row.what;
    const HttpResponse response = client.response();
    EXPECT_EQ(response.status, row.status) << row.what;
    EXPECT_EQ(response.body, "{}") << row.what;
    EXPECT_EQ(response.headers.find("X-Refused"), "yes") << row.what;
    EXPECT_EQ(response.headers.find("Connection"), "close") << row.what;
    EXPECT_EQ(client.end(), RawConnection::End::orderly) << row.what;
  }
}

TEST(HttpServerLimits, RequestsAtTheLimitsAreServed) {
  RunningServer server(small_limits(), test::echo);
  RawConnection client(server.port());
  const std::string line_end = " HTTP/1.1\r\n";
  client.send("GET /" + std::string(100 - 5 - line_end.size(), 'a') + line_end + "Host: x\r\n\r\n");
  EXPECT_EQ(client.response().status, 200);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'b'));
  EXPECT_EQ(client.response().status, 200);
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\na: ";
  client.send(head + std::string(500 - head.size() - 4, 'b') + "\r\n\r\n");
  EXPECT_EQ(client.response().status, 200);
}

TEST(HttpServerLimits, ClientThatSendsItsWholeOversizedBodyFirstStillSeesTheRefusal) {
  RunningServer server(small_limits(), test::echo);
  RawConnection client(server.port());
  const std::size_t megabytes = 8;
  ASSERT_TRUE(
      client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(megabytes << 20) + "\r\n\r\n"));
  for (std::size_t i = 0; i < megabytes; ++i) ASSERT_TRUE(client.send(std::string(1 << 20, 'b')));
  EXPECT_EQ(client.response().status, 413);
  EXPECT_EQ(client.end(), RawConnection::End::orderly);
}

TEST(HttpServerLimits, PeerThatNeverEndsAfterARefusalIsCut) {
  auto options = small_limits();
  options.linger_ms = 10;
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  client.send("hello\r\n");
  EXPECT_EQ(client.response().status, 400);
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; })) << "while our side is still open";
}

TEST(HttpServerLimits, SlowRequestsAreToldSoAndIdleConnectionsJustEnd) {
  struct Row {
    const char* what;
    std::string bytes;
    int status;  // 0: nothing is said
  };
  const Row rows[] = {
      {"idle from the start", "", 0},
      {"half a request line", "GET / HT", 408},
      {"half a header", "GET / HTTP/1.1\r\nHost: x\r\n", 408},
      {"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc", 408},
      {"half a chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", 408},
  };
  for (const Row& row : rows) {
    auto options = test::server_options();
    options.header_ms = options.body_ms = 20;
    if (row.bytes.empty()) options.idle_ms = 20;  // else a busy machine is idle before it has sent anything
    RunningServer server(options, test::echo);
    RawConnection client(server.port());
    client.send(row.bytes);
    EXPECT_EQ(client.response().status, row.status) << row.what;
    EXPECT_EQ(client.end(), RawConnection::End::orderly) << row.what;
  }
}

TEST(HttpServerLimits, RequestsThatTheirSenderBreaksOffAreRefusedAfterTheRepliesBeforeThem) {
  auto options = test::server_options();
  options.refuse = [](TransportRefusal refusal) {
    return HttpResponse{.status = status_of(refusal), .headers = {{"X-Refused", "yes"}}, .body = "{}"};
  };
  RunningServer server(options, test::echo);
  for (const char* half :
       {"GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    for (const std::string& before : {std::string(), get("/before")}) {
      RawConnection client(server.port());
      client.send(before + half);
      client.end_sending();
      if (!before.empty()) {
        EXPECT_EQ(client.response().body, "GET /before") << half;
      }
      const HttpResponse response = client.response();
      EXPECT_EQ(response.status, 400) << half;
      EXPECT_EQ(response.headers.find("X-Refused"), "yes") << half;
      EXPECT_EQ(response.headers.find("Connection"), "close") << half;
      EXPECT_EQ(client.end(), RawConnection::End::orderly) << half;
    }
  }
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; }));
}

TEST(HttpServerLimits, IdleTimeDoesNotRunWhileARequestIsUnanswered) {
  Desk desk;
  auto options = test::server_options();
  options.idle_ms = 10;
  RunningServer server(options, desk.handler());
  RawConnection client(server.port());
  client.send(get("/slow"));
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  RawConnection idle(server.port());
  EXPECT_EQ(idle.end(), RawConnection::End::orderly) << "idle time has passed for both";
  cases[0].reply(text("late"));
  EXPECT_EQ(client.response().body, "late");
}

TEST(HttpServerLimits, BodyThatWillBeRefusedIsNotAskedFor) {
  RunningServer server(small_limits(), test::echo);
  RawConnection client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(client.response().status, 413);
}

TEST(HttpServerLimits, ConnectionsBeyondTheBoundAreTold503AndThoseFarBeyondAreClosed) {
  auto options = test::server_options();
  options.connections_max = 1;
  options.connections_refused_max = 1;
  RunningServer server(options, test::echo);
  RawConnection first(server.port());
  first.send(get("/"));
  EXPECT_EQ(first.response().status, 200);
  RawConnection second(server.port());
  EXPECT_EQ(second.response().status, 503);
  RawConnection third(server.port());
  EXPECT_EQ(third.bytes(1), "");
  first.send(get("/still"));
  EXPECT_EQ(first.response().status, 200);
  first.reset();
  second.reset();
  ASSERT_TRUE(test::eventually([&] { return server.connections() == 0; }));
  RawConnection fourth(server.port());
  fourth.send(get("/"));
  EXPECT_EQ(fourth.response().status, 200);
}

// More than the sockets of both sides take up.
constexpr std::size_t big_bytes = 8 << 20;

void big_or_small(HttpRequest&& request, const Peer&, const SendReply& reply) {
  reply(text(request.target == "/big" ? std::string(big_bytes, 'x') : request.target));
}

TEST(HttpServerLimits, ReaderThatStallsIsCutAndOthersAreServedMeanwhile) {
  auto options = test::server_options();
  options.write_ms = 30;
  RunningServer server(options, big_or_small);
  RawConnection stalled(server.port(), RawConnection::Family::v4, 4096);
  stalled.send(get("/big"));
  ASSERT_TRUE(test::eventually([&] { return server.connections() == 1; }));
  RawConnection reader(server.port());
  reader.send(get("/small"));
  EXPECT_EQ(reader.response().body, "/small");
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 1; })) << "only the reader is left";
  reader.send(get("/again"));
  EXPECT_EQ(reader.response().body, "/again");
}

TEST(HttpServerLimits, WhatWaitsForAllSlowReadersTogetherIsBounded) {
  auto options = test::server_options();
  options.waiting_bytes_max = 2 * big_bytes + 1;
  RunningServer server(options, big_or_small);
  std::vector<RawConnection> stalled;
  for (int i = 0; i < 5; ++i) {
    stalled.emplace_back(server.port(), RawConnection::Family::v4, 4096);
    stalled.back().send(get("/big"));
    ASSERT_TRUE(test::eventually([&] { return server.connections() == std::min<std::size_t>(stalled.size(), 2); }))
        << "the one that has stood for longest is cut";
  }
  RawConnection reader(server.port());
  reader.send(get("/big"));
  EXPECT_EQ(reader.response().body.size(), big_bytes) << "whoever reads is served";
}

TEST(HttpServerLimits, WhatAllIncompleteBodiesTogetherTakeIsBounded) {
  auto options = test::server_options();
  options.requests.body_bytes_max = big_bytes;
  options.waiting_bytes_max = 2 * big_bytes + 1;
  RunningServer server(options, test::echo);
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(big_bytes) + "\r\n\r\n";
  std::vector<RawConnection> stalled;
  for (int i = 0; i < 5; ++i) {
    stalled.emplace_back(server.port());
    stalled.back().send(head + std::string(big_bytes - 1, 'x'));
    ASSERT_TRUE(test::eventually([&] { return server.connections() == std::min<std::size_t>(stalled.size(), 2); }))
        << "the one that has stood for longest is cut";
  }
  stalled.back().send("x");
  EXPECT_EQ(stalled.back().response().status, 200);
}

// All of them come to the loop at once, so that no one's socket is looked at again in between.
TEST(HttpServerLimits, WhoIsCutGivesTheMemoryBackAtOnce) {
  constexpr std::size_t readers = 20;
  std::atomic<bool> all_have_asked{false};
  std::atomic<std::size_t> most = 0;
  const auto in_use = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  auto options = test::server_options();
  options.waiting_bytes_max = 2 * big_bytes + 1;
  RunningServer server(options, [&](HttpRequest&& request, const Peer& peer, const SendReply& reply) {
    if (request.target == "/hold") all_have_asked.wait(false);
    most = std::max(most.load(), in_use());
    big_or_small(std::move(request), peer, reply);
  });
  std::vector<RawConnection> stalled;
  for (std::size_t i = 0; i < readers; ++i) {
    stalled.emplace_back(server.port(), RawConnection::Family::v4, 4096);
    stalled.back().send(get("/small"));
    ASSERT_EQ(stalled.back().response().body, "/small");
  }
  RawConnection reader(server.port());
  reader.send(get("/hold"));
  const std::size_t before = in_use();
  for (RawConnection& each : stalled) each.send(get("/big"));
  all_have_asked = true;
  all_have_asked.notify_all();
  EXPECT_EQ(reader.response().body, "/hold");
  reader.send(get("/small"));
  EXPECT_EQ(reader.response().body, "/small");
  EXPECT_LT(most - before, readers / 2 * big_bytes);
}

TEST(HttpServerLimits, ReadingPausesWhileTooMuchIsUnsent) {
  std::atomic<int> handled{0};
  RunningServer server([&](HttpRequest&& request, const Peer& peer, const SendReply& reply) {
    ++handled;
    big_or_small(std::move(request), peer, reply);
  });
  RawConnection client(server.port(), RawConnection::Family::v4, 64 * 1024);
  client.send(get("/big") + get("/2") + get("/3"));
  ASSERT_TRUE(test::eventually([&] { return handled == 1; }));
  RawConnection other(server.port());
  other.send(get("/other"));
  EXPECT_EQ(other.response().status, 200);
  EXPECT_EQ(handled, 2) << "the second request of the first connection waits for its reader";
  EXPECT_EQ(client.response().body.size(), big_bytes);
  EXPECT_EQ(client.response().body, "/2");
  EXPECT_EQ(client.response().body, "/3");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
