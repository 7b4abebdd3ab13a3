#include "sim/gateway/http_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "http/raw_connection.h"
#include "http/running_server.h"

namespace svc::sim {
namespace SVC_FILE {

using api::HttpRequest;
using api::HttpResponse;
using test::Desk;
using test::get;
using test::RawConnection;
using test::RunningServer;
using test::text;

TEST(HttpServer, ServesManyRequestsOnOneConnection) {
  RunningServer server(test::echo);
  RawConnection client(server.port());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.send("POST /n?i=" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"));
    const HttpResponse response = client.response();
    ASSERT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /n?i=" + std::to_string(i) + " ab");
    EXPECT_EQ(response.headers.find("content-type"), "text/plain");
    EXPECT_FALSE(response.headers.contains("connection"));
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpServer, TellsTheHandlerWhoCalls) {
  std::mutex mutex;
  std::vector<std::string> peers;
  RunningServer server([&](HttpRequest&&, const Peer& peer, const SendReply& reply) {
    const std::lock_guard lock(mutex);
    peers.push_back(peer.address);
    reply(text(""));
  });
  for (const auto family : {RawConnection::Family::v4, RawConnection::Family::v6}) {
    RawConnection client(server.port(), family);
    ASSERT_TRUE(client.connected()) << "one port on both families";
    client.send(get("/"));
    EXPECT_EQ(client.response().status, 200);
  }
  EXPECT_EQ(peers, (std::vector<std::string>{"127.0.0.1", "::1"}));
}

TEST(HttpServer, RepliesGivenInReverseLeaveInTheOrderOfTheRequests) {
  Desk desk;
  RunningServer server(desk.handler());
  RawConnection client(server.port());
  client.send(get("/1") + get("/2") + get("/3"));
  auto cases = desk.take(3);
  ASSERT_EQ(cases.size(), 3u);
  for (auto it = cases.rbegin(); it != cases.rend(); ++it) it->reply(text(it->request.target));
  EXPECT_EQ(client.response().body, "/1");
  EXPECT_EQ(client.response().body, "/2");
  EXPECT_EQ(client.response().body, "/3");
}

TEST(HttpServer, ARequestThatIsKeptHasItsOwnHeaderFieldsThoughTheNextOneWasRead) {
  Desk desk;
  RunningServer server(desk.handler());
  RawConnection client(server.port());
  client.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\nFirst: one\r\nBoth: early\r\n\r\n"
      "GET /2 HTTP/1.1\r\nHost: x\r\nBoth: late\r\nSecond: a value that is longer than the first\r\n\r\n");
  auto cases = desk.take(2);
  ASSERT_EQ(cases.size(), 2u);
  const api::Headers& first = cases[0].request.headers;
  const api::Headers& second = cases[1].request.headers;
  EXPECT_EQ(first.find("first"), "one");
  EXPECT_EQ(first.find("both"), "early");
  EXPECT_FALSE(first.contains("second"));
  EXPECT_FALSE(second.contains("first"));
  EXPECT_EQ(second.find("both"), "late");
  EXPECT_EQ(second.find("second"), "a value that is longer than the first");
  for (auto& one : cases) one.reply(text(one.request.target));
  EXPECT_EQ(client.response().body, "/1");
  EXPECT_EQ(client.response().body, "/2");
}

TEST(HttpServer, PipelinedAnswersArriveInOrderThroughSmallSocketBuffers) {
  const auto body_of = [](std::string_view target) {
    const std::size_t bytes = std::stoul(std::string(target.substr(1)));
    std::string body(bytes, 'a');
    for (std::size_t i = 0; i < bytes; ++i) body[i] = static_cast<char>('a' + (i + bytes) % 23);
    return body;
  };
  RunningServer server(
      [&](HttpRequest&& request, const Peer&, const SendReply& reply) { reply(text(body_of(request.target))); });
  constexpr int receive_buffer_bytes = 4'096;
  RawConnection client(server.port(), RawConnection::Family::v4, receive_buffer_bytes);
  const std::vector<std::string> targets = {"/1", "/100000", "/9000", "/0", "/5000000", "/20000", "/300000", "/7"};
  std::string all;
  for (const std::string& target : targets) all += get(target);
  client.send(all);
  for (const std::string& target : targets) EXPECT_TRUE(client.response().body == body_of(target)) << target;
}

TEST(HttpServer, HandsOverOnlySoManyUnansweredRequestsOfOneConnection) {
  Desk desk;
  auto options = test::server_options();
  options.pipeline_depth_max = 4;
  RunningServer server(options, desk.handler());
  RawConnection client(server.port());
  std::string all;
  for (int i = 0; i < 6; ++i) all += get("/" + std::to_string(i));
  client.send(all);
  auto first = desk.take(4);
  ASSERT_EQ(first.size(), 4u);

  // A later request of another connection comes through while the fifth of this one does not.
  RawConnection other(server.port());
  other.send(get("/other"));
  auto next = desk.take(1);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].request.target, "/other");

  first[0].reply(text("a"));
  next = desk.take(1);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].request.target, "/4");
  for (std::size_t i = 1; i < 4; ++i) first[i].reply(text("b"));
  next[0].reply(text("c"));
  next = desk.take(1);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].request.target, "/5");
  next[0].reply(text("d"));
  std::string bodies;
  for (int i = 0; i < 6; ++i) bodies += client.response().body;
  EXPECT_EQ(bodies, "abbbcd");
}

TEST(HttpServer, WhatComesWhileARequestIsUnansweredWaitsForItsAnswer) {
  auto options = test::server_options();
  options.pipeline_depth_max = 1;
  Desk desk;
  RunningServer server(options, desk.handler());
  RawConnection client(server.port());
  RawConnection other(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/first"));
    auto first = desk.take(1);
    client.send(get("/second"));
    other.send(get("/other"));
    desk.take(1)[0].reply(text("other"));
    EXPECT_EQ(other.response().body, "other");
    EXPECT_EQ(desk.waiting(), 0u);
    first[0].reply(text("first"));
    desk.take(1)[0].reply(text("second"));
    EXPECT_EQ(client.response().body, "first");
    EXPECT_EQ(client.response().body, "second");
  }
}

TEST(HttpServer, AResetIsSeenThoughNothingIsReadUntilTheAnswer) {
  auto options = test::server_options();
  options.pipeline_depth_max = 1;
  Desk desk;
  RunningServer server(options, desk.handler());
  RawConnection client(server.port());
  client.send(get("/"));
  auto cases = desk.take(1);
  client.reset();
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; }));
  cases[0].reply(text("for nobody"));
}

TEST(HttpServer, BytesOneByOneMakeARequest) {
  RunningServer server(test::echo);
  RawConnection client(server.port());
  for (const char c :
       std::string("POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")) {
    ASSERT_TRUE(client.send(std::string_view(&c, 1)));
  }
  EXPECT_EQ(client.response().body, "POST /slow abc");
}

TEST(HttpServer, ContinueIsSaidOnceTheBodyIsWantedAndNotBeforeEarlierReplies) {
  Desk desk;
  RunningServer server(desk.handler());
  RawConnection client(server.port());
  const std::string post = "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  client.send(get("/first") + post);
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("first"));
  EXPECT_EQ(client.response().body, "first");
  EXPECT_EQ(client.bytes_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].request.body, "ab");
  cases[0].reply(text("second"));
  EXPECT_EQ(client.response().body, "second");

  // Who does not wait is not told to go on.
  client.send(post + "cd");
  cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("third"));
  EXPECT_EQ(client.response().body, "third");
}

TEST(HttpServer, HeadGetsTheHeaderAlone) {
  RunningServer server(test::echo);
  RawConnection client(server.port());
  client.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n" + get("/g"));
  const HttpResponse head = client.response(api::ResponseParser::Body::none);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.find("Content-Length"), std::to_string(std::string("HEAD /h").size()));
  EXPECT_EQ(client.response().body, "GET /g");
}

TEST(HttpServer, ConnectionEndsWhenTheClientOrTheReplyOrHttp10AsksForIt) {
  struct Row {
    const char* what;
    std::string request;
    std::optional<std::string_view> connection;  // field of the reply
    bool ends;
  };
  const Row rows[] = {
      {"HTTP/1.1", get("/"), std::nullopt, false},
      {"client", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "close", true},
      {"reply", get("/close"), "close", true},
      {"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "close", true},
      {"HTTP/1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive", false},
  };
  RunningServer server([](HttpRequest&& request, const Peer&, const SendReply& reply) {
    HttpResponse response = text(request.target);
    if (request.target == "/close") response.headers.add("Connection", "Close");
    reply(std::move(response));
  });
  for (const Row& row : rows) {
    RawConnection client(server.port());
    client.send(row.request + get("/again"));
    const HttpResponse response = client.response();
    EXPECT_EQ(response.status, 200) << row.what;
    EXPECT_EQ(response.headers.find("Connection"), row.connection) << row.what;
    if (row.ends) {
      EXPECT_EQ(client.bytes(1), "") << row.what;
      EXPECT_EQ(client.end(), RawConnection::End::orderly) << row.what;
    } else {
      EXPECT_EQ(client.response().body, "/again") << row.what;
    }
  }
}

TEST(HttpServer, PeerThatShutItsSideStillGetsItsReply) {
  Desk desk;
  RunningServer server(desk.handler());
  RawConnection client(server.port());
  client.send(get("/asked"));
  client.end_sending();
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("answered"));
  EXPECT_EQ(client.response().body, "answered");
  EXPECT_EQ(client.end(), RawConnection::End::orderly);
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; }));
}

TEST(HttpServer, ResetsAtAnyPointLeaveNothingBehind) {
  Desk desk;
  RunningServer server(desk.handler());
  const std::string bytes[] = {"", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
                               get("/held")};
  for (const std::string& sent : bytes) {
    RawConnection client(server.port());
    client.send(sent);
    ASSERT_TRUE(test::eventually([&] { return server.connections() == 1; }));
    const std::size_t held = sent == bytes[3] ? 1 : 0;
    ASSERT_TRUE(test::eventually([&] { return desk.waiting() == held; }));
    client.reset();
    EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; })) << "after: " << sent;
  }
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("nobody hears this"));
  RawConnection client(server.port());
  client.send(get("/alive"));
  cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("alive"));
  EXPECT_EQ(client.response().body, "alive");
}

TEST(HttpServer, HandlerThatThrowsOrForgetsGives500AndTheConnectionGoesOn) {
  auto options = test::server_options();
  std::mutex mutex;
  std::vector<std::string> failures;
  options.handler_failed = [&](std::string what) {
    const std::lock_guard lock(mutex);
    failures.push_back(std::move(what));
  };
  RunningServer server(options, [](HttpRequest&& request, const Peer& peer, const SendReply& reply) {
    if (request.target == "/throw") throw std::runtime_error("broken");
    if (request.target == "/number") throw 7;
    if (request.target == "/forget") return;
    test::echo(std::move(request), peer, reply);
    if (request.target == "/both") throw std::runtime_error("after the reply");
  });
  RawConnection client(server.port());
  client.send(get("/throw") + get("/forget") + get("/number") + get("/fine"));
  EXPECT_EQ(client.response().status, 500);
  EXPECT_EQ(client.response().status, 500);
  EXPECT_EQ(client.response().status, 500);
  EXPECT_EQ(client.response().body, "GET /fine");
  const std::lock_guard lock(mutex);
  EXPECT_EQ(failures, (std::vector<std::string>{"broken", "an exception of unknown type"}));
}

TEST(HttpServer, SecondReplyIsIgnored) {
  Desk desk;
  RunningServer server(desk.handler());
  RawConnection client(server.port());
  client.send(get("/1"));
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("once"));
  cases[0].reply(text("twice"));
  EXPECT_EQ(client.response().body, "once");
  client.send(get("/2"));
  cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  cases[0].reply(text("thrice"));
  EXPECT_EQ(client.response().body, "thrice");
}

TEST(HttpServer, DateIsTheVenuesAndTransportFieldsOfAReplyAreTheServers) {
  RunningServer server([](HttpRequest&&, const Peer&, const SendReply& reply) {
    reply({.status = 418,
           .headers = {{"Date", "never"},
                       {"content-LENGTH", "9999"},
                       {"Transfer-Encoding", "chunked"},
                       {"X-Note", "one\r\nX-Forged: yes"}},
           .body = "tea"});
  });
  RawConnection client(server.port());
  client.send(get("/"));
  const HttpResponse response = client.response();
  EXPECT_EQ(response.status, 418);
  EXPECT_EQ(response.headers.find("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(response.headers.find("Server"), "svc");
  EXPECT_EQ(response.headers.find("X-Note"), "one  X-Forged: yes");
  EXPECT_EQ(response.body, "tea");
  EXPECT_EQ(response.headers.size(), 4u);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
