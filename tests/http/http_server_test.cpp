#include "sim/gateway/http_server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <stdexcept>

#include "http/raw_connection.h"
#include "http/running_server.h"

namespace svc::sim {
namespace {

using api::HttpRequest;
using api::HttpResponse;
using test::Desk;
using test::RawConnection;
using test::RunningServer;

std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

HttpResponse text(std::string body) {
  return {.status = 200, .headers = {}, .body = std::move(body)};
}

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
  RunningServer server([&](HttpRequest&&, const Peer& peer, const Reply& reply) {
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
  options.request_line_bytes_max = 100;
  options.header_bytes_max = 500;
  options.header_fields_max = 10;
  options.body_bytes_max = 100;
  return options;
}

TEST(HttpServer, RefusalIsSeenAfterTheRepliesBeforeItAndEndsTheConnectionOrderly) {
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

TEST(HttpServer, RequestsAtTheLimitsAreServed) {
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

TEST(HttpServer, ClientThatSendsItsWholeOversizedBodyFirstStillSeesTheRefusal) {
  RunningServer server(small_limits(), test::echo);
  RawConnection client(server.port());
  const std::size_t megabytes = 8;
  ASSERT_TRUE(
      client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(megabytes << 20) + "\r\n\r\n"));
  for (std::size_t i = 0; i < megabytes; ++i) ASSERT_TRUE(client.send(std::string(1 << 20, 'b')));
  EXPECT_EQ(client.response().status, 413);
  EXPECT_EQ(client.end(), RawConnection::End::orderly);
}

TEST(HttpServer, PeerThatNeverEndsAfterARefusalIsCut) {
  auto options = small_limits();
  options.linger_ms = 10;
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  client.send("hello\r\n");
  EXPECT_EQ(client.response().status, 400);
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; })) << "while our side is still open";
}

TEST(HttpServer, SlowRequestsAreToldSoAndIdleConnectionsJustEnd) {
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
  auto options = test::server_options();
  options.idle_ms = options.header_ms = options.body_ms = 20;
  RunningServer server(options, test::echo);
  for (const Row& row : rows) {
    RawConnection client(server.port());
    client.send(row.bytes);
    EXPECT_EQ(client.response().status, row.status) << row.what;
    EXPECT_EQ(client.end(), RawConnection::End::orderly) << row.what;
  }
}

TEST(HttpServer, IdleTimeDoesNotRunWhileARequestIsUnanswered) {
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

TEST(HttpServer, BodyThatWillBeRefusedIsNotAskedFor) {
  RunningServer server(small_limits(), test::echo);
  RawConnection client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(client.response().status, 413);
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
  RunningServer server([](HttpRequest&& request, const Peer&, const Reply& reply) {
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
  client.send(get("/asked") + "GET /half");
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
  RunningServer server(options, [](HttpRequest&& request, const Peer& peer, const Reply& reply) {
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

TEST(HttpServer, ConnectionsBeyondTheBoundAreTold503AndThoseFarBeyondAreClosed) {
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

void big_or_small(HttpRequest&& request, const Peer&, const Reply& reply) {
  reply(text(request.target == "/big" ? std::string(big_bytes, 'x') : request.target));
}

TEST(HttpServer, ReaderThatStallsIsCutAndOthersAreServedMeanwhile) {
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

TEST(HttpServer, ReadingPausesWhileTooMuchIsUnsent) {
  std::atomic<int> handled{0};
  RunningServer server([&](HttpRequest&& request, const Peer& peer, const Reply& reply) {
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

TEST(HttpServer, DateIsTheVenuesAndTransportFieldsOfAReplyAreTheServers) {
  RunningServer server([](HttpRequest&&, const Peer&, const Reply& reply) {
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

TEST(HttpServer, StopAnswersWhatIsInProgressAndEndsIdleConnections) {
  Desk desk;
  auto options = test::server_options();
  options.stop_grace_ms = test::patience_ms;
  RunningServer server(options, desk.handler());
  RawConnection idle(server.port());
  RawConnection busy(server.port());
  busy.send(get("/busy"));
  auto cases = desk.take(1);
  ASSERT_EQ(cases.size(), 1u);
  server.server().stop();
  EXPECT_EQ(idle.end(), RawConnection::End::orderly);
  EXPECT_FALSE(RawConnection(server.port()).connected());
  cases[0].reply(text("done"));
  const HttpResponse response = busy.response();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.headers.find("Connection"), "close");
  EXPECT_EQ(busy.end(), RawConnection::End::orderly);
  busy.reset();
  server.stop();
}

TEST(HttpServer, StopDoesNotWaitForARequestThatIsNeverAnswered) {
  Desk desk;
  std::vector<Desk::Case> cases;
  {
    RunningServer server(desk.handler());
    RawConnection client(server.port());
    client.send(get("/"));
    cases = desk.take(1);
    ASSERT_EQ(cases.size(), 1u);
    server.stop();
    EXPECT_NE(client.end(), RawConnection::End::none);
  }
  cases[0].reply(text("the server is gone"));
}

TEST(HttpServer, StopBeforeRunEndsTheRun) {
  HttpServer server(test::server_options(), test::echo);
  ASSERT_TRUE(server.listen("127.0.0.1", 0));
  server.stop();
  server.stop();
  server.run();
  EXPECT_EQ(server.connections(), 0u);
}

TEST(HttpServer, ListenNamesAddressAndReason) {
  HttpServer first(test::server_options(), test::echo);
  const auto port = first.listen("localhost", 0);
  ASSERT_TRUE(port);
  HttpServer second(test::server_options(), test::echo);
  const auto taken = second.listen("127.0.0.1", *port);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error(), "listen on 127.0.0.1:" + std::to_string(*port) + ": Address already in use");
  const auto taken_v6 = second.listen("::1", *port);
  ASSERT_FALSE(taken_v6);
  EXPECT_EQ(taken_v6.error(), "listen on [::1]:" + std::to_string(*port) + ": Address already in use");
  const auto name = second.listen("example.com", 0);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error(), "listen on example.com: not an IP address or localhost");
}

TEST(HttpServer, AcceptsAgainOnceTheProcessHasDescriptors) {
  RunningServer server(test::echo);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(STDIN_FILENO);
  ::close(next);
  rlimit one_more = before;
  one_more.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  RawConnection client(server.port());
  client.send(get("/patient"));
  pollfd answer{client.fd(), POLLIN, 0};
  const int answered = ::poll(&answer, 1, 20);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(answered, 0) << "there was no descriptor to accept with";
  EXPECT_EQ(client.response().body, "GET /patient");
}

TEST(HttpServer, ManyConnectionsOnManyThreadsKeepTheirOrder) {
  constexpr int clients = 8;
  constexpr int requests = 200;
  auto options = test::server_options();
  options.io_threads = 3;
  Desk desk;
  RunningServer server(options, desk.handler());
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      RawConnection client(server.port());
      std::string all;
      for (int i = 0; i < requests; ++i) all += get("/" + std::to_string(c) + "/" + std::to_string(i));
      client.send(all);
      for (int i = 0; i < requests; ++i) {
        if (client.response().body != "/" + std::to_string(c) + "/" + std::to_string(i)) ++wrong;
      }
    });
  }
  for (int answered = 0; answered < clients * requests;) {
    auto cases = desk.take(1);
    ASSERT_FALSE(cases.empty());
    for (auto it = cases.rbegin(); it != cases.rend(); ++it) it->reply(text(it->request.target));
    answered += static_cast<int>(cases.size());
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace svc::sim
