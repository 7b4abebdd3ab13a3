#include "api/http/http_client.h"

#include <gtest/gtest.h>

#include <atomic>

#include "http/listening_peer.h"
#include "http/running_server.h"

namespace svc::api {
namespace SVC_FILE {

using test::ListeningPeer;
using test::RawConnection;
using test::RunningServer;

HttpClientOptions to(std::uint16_t port) {
  return {.dial = {.origin = {Scheme::http, "localhost", port, ""}}, .answer_ms = test::patience_ms};
}

HttpRequest get(std::string target) {
  return {.method = "GET", .target = std::move(target), .headers = {}, .body = {}};
}
HttpRequest post(std::string body) {
  return {.method = "POST", .target = "/p", .headers = {}, .body = std::move(body)};
}

constexpr std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST(HttpClient, KeepsOneConnectionForManyRequests) {
  RunningServer server(test::echo);
  HttpClient client(to(server.port()));
  for (int i = 0; i < 20; ++i) {
    const auto response = client.send(i % 2 == 0 ? get("/a?b=c") : post("body"));
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, i % 2 == 0 ? "GET /a?b=c" : "POST /p body");
    EXPECT_EQ(response->headers.find("content-type"), "text/plain");
  }
  const auto head = client.send({.method = "HEAD", .target = "/", .headers = {}, .body = {}});
  ASSERT_TRUE(head);
  EXPECT_EQ(head->body, "");
  EXPECT_TRUE(client.send(get("/")));
  EXPECT_EQ(client.connections_opened(), 1u);
}

TEST(HttpClient, OpensAnotherConnectionWhenTheServerSaidClose) {
  RunningServer server([](HttpRequest&&, const sim::Peer&, const sim::SendReply& reply) {
    reply({.status = 200, .headers = {{"Connection", "close"}}, .body = "bye"});
  });
  HttpClient client(to(server.port()));
  EXPECT_TRUE(client.send(post("1")));
  EXPECT_TRUE(client.send(post("2")));
  EXPECT_EQ(client.connections_opened(), 2u);
}

TEST(HttpClient, WritesExactlyTheFieldsItPromises) {
  std::string seen;
  ListeningPeer peer([&](RawConnection& connection, int) {
    seen = connection.request();
    connection.send(ok);
  });
  auto options = to(peer.port());
  options.dial.host_header = "testnet.localhost:9090";
  HttpClient client(options);
  ASSERT_TRUE(client.send({.method = "POST",
                           .target = "/v1/orders?x=%20",
                           .headers = {{"X-Timestamp", "5"}, {"Host", "evil"}, {"content-length", "7"}},
                           .body = "{}"}));
  EXPECT_EQ(seen,
            "POST /v1/orders?x=%20 HTTP/1.1\r\nHost: testnet.localhost:9090\r\nUser-Agent: svc\r\nX-Timestamp: 5\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

TEST(HttpClient, PostWithoutBodySaysLengthZeroAndGetSaysNone) {
  std::vector<std::string> seen;
  ListeningPeer peer([&](RawConnection& connection, int) {
    for (int i = 0; i < 2; ++i) {
      seen.push_back(connection.request());
      connection.send(ok);
    }
  });
  HttpClient client(to(peer.port()));
  ASSERT_TRUE(client.send(post("")));
  ASSERT_TRUE(client.send(get("/")));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_NE(seen[0].find("\r\nContent-Length: 0\r\n"), std::string::npos);
  EXPECT_EQ(seen[1].find("Content-Length"), std::string::npos);
}

TEST(HttpClient, RequestThatCouldBecomeTwoIsNotSent) {
  HttpClient client(to(1));
  const HttpRequest bad[] = {
      {.method = "GET /x HTTP/1.1\r\nA:", .target = "/", .headers = {}, .body = {}},
      {.method = "GET", .target = "/ HTTP/1.1\r\nA: b", .headers = {}, .body = {}},
      {.method = "GET", .target = "/a b", .headers = {}, .body = {}},
      {.method = "GET", .target = "http://elsewhere/", .headers = {}, .body = {}},
      {.method = "GET", .target = "/", .headers = {{"A", "b\r\nC: d"}}, .body = {}},
      {.method = "GET", .target = "/", .headers = {{"A:\r\nB", "b"}}, .body = {}},
      {.method = "GET", .target = "/", .headers = {{"", "b"}}, .body = {}},
  };
  for (const HttpRequest& request : bad) {
    const auto response = client.send(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().delivery, Delivery::not_sent);
    EXPECT_EQ(response.error().reason.substr(0, 9), "request: ");
  }
  EXPECT_EQ(client.connections_opened(), 0u);
}

TEST(HttpClient, RedirectComesBackAsItIs) {
  std::atomic<int> connections{0};
  ListeningPeer peer([&](RawConnection& connection, int) {
    ++connections;
    connection.request();
    connection.send(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://localhost/elsewhere\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client(to(peer.port()));
  const auto response = client.send(post("credentials"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 307);
  EXPECT_EQ(response->headers.find("location"), "http://localhost/elsewhere");
  EXPECT_EQ(connections, 1);
}

TEST(HttpClient, RefusedConnectionIsNotSentAndNamesTheAddress) {
  std::uint16_t port = 0;
  {
    const test::Listener listener;
    port = listener.port();
  }
  auto options = to(port);
  options.dial.origin.host = "127.0.0.1";
  HttpClient client(options);
  const auto response = client.send(post("x"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::not_sent);
  EXPECT_EQ(response.error().reason, "connect 127.0.0.1:" + std::to_string(port) + ": Connection refused");
}

TEST(HttpClient, NameThatDoesNotExistIsNotSent) {
  auto options = to(9);
  options.dial.origin.host = "no-such-host.invalid";
  options.connect_ms = 2'000;
  HttpClient client(options);
  const auto response = client.send(get("/"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::not_sent);
  EXPECT_EQ(response.error().reason.substr(0, 31), "connect no-such-host.invalid:9:");
}

struct BrokenAnswer {
  const char* what;
  std::string answer;
  bool resets;
  std::string reason;
};

const BrokenAnswer broken_answers[] = {
    {"closed without an answer", "", false, "the connection was closed before it was complete"},
    {"reset without an answer", "", true, "Connection reset by peer"},
    {"cut in the header", "HTTP/1.1 200 OK\r\nConte", false, "the connection was closed before it was complete"},
    {"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", false,
     "the connection was closed before it was complete"},
    {"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok", false,
     "the connection was closed before it was complete"},
    {"another protocol", "220 smtp.example ready\r\n", false, "it is not well-formed HTTP, or cut off"},
    {"body announced too large", "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", false, "its body is too large"},
    {"body too large", "HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x'), false, "its body is too large"},
    {"header too large", "HTTP/1.1 200 OK\r\nA: " + std::string(2000, 'x') + "\r\n\r\n", false,
     "its header is too large"},
    {"endless interim answers",
     [] {
       std::string all;
       for (int i = 0; i < 9; ++i) all += "HTTP/1.1 103 Early Hints\r\n\r\n";
       return all;
     }(),
     false, "an interim answer that was not asked for"},
    {"switching protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", false,
     "an interim answer that was not asked for"},
};

TEST(HttpClient, BrokenAnswerToAWriteIsUnknownAndSentOnce) {
  for (const BrokenAnswer& row : broken_answers) {
    std::atomic<int> connections{0};
    ListeningPeer peer([&](RawConnection& connection, int) {
      ++connections;
      connection.request();
      connection.send(row.answer);
      if (row.resets) connection.reset();
    });
    auto options = to(peer.port());
    options.header_bytes_max = 1000;
    options.body_bytes_max = 1000;
    HttpClient client(options);
    const auto response = client.send(post("order"));
    ASSERT_FALSE(response) << row.what;
    EXPECT_EQ(response.error().delivery, Delivery::unknown) << row.what;
    EXPECT_EQ(response.error().reason, "answer of localhost:" + std::to_string(peer.port()) + ": " + row.reason)
        << row.what;
    EXPECT_EQ(connections, 1) << row.what;
  }
}

TEST(HttpClient, BodyAtTheBoundPassesHoweverItIsFramed) {
  const std::string body(1000, 'x');
  for (const std::string& answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + body,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" + body + "\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n" + body}) {
    ListeningPeer peer([&](RawConnection& connection, int) {
      connection.request();
      connection.send(answer);
    });
    auto options = to(peer.port());
    options.body_bytes_max = 1000;
    HttpClient client(options);
    const auto response = client.send(get("/"));
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->body, body);
  }
}

TEST(HttpClient, SilenceAfterSendingIsUnknownAndNotRepeatedEvenForGet) {
  std::atomic<int> connections{0};
  test::Desk desk;
  RunningServer server(desk.handler());
  auto options = to(server.port());
  options.answer_ms = 30;
  HttpClient client(options);
  for (const HttpRequest& request : {get("/slow"), post("slow")}) {
    const auto response = client.send(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().delivery, Delivery::unknown);
    EXPECT_EQ(response.error().reason, "answer of localhost:" + std::to_string(server.port()) + ": timed out");
  }
  EXPECT_EQ(desk.take(2).size(), 2u);
  EXPECT_EQ(desk.waiting(), 0u);
}

TEST(HttpClient, GivesUpAnEndlessAnswerAfterItsTimeout) {
  ListeningPeer peer([&](RawConnection& connection, int) {
    connection.request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    const std::string part(64 * 1024, 'x');
    while (connection.send(part)) {
    }
  });
  auto options = to(peer.port());
  options.answer_ms = 1;
  options.body_bytes_max = 1'000'000'000;
  HttpClient client(options);
  const auto response = client.send(get("/endless"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().delivery, Delivery::unknown);
  EXPECT_NE(response.error().reason.find("timed out"), std::string::npos) << response.error().reason;
}

TEST(HttpClient, AWaitIsGivenUpWhenItsCallerSaysSo) {
  test::Desk desk;
  RunningServer server(desk.handler());
  HttpClient client(to(server.port()));
  int asked = 0;
  const std::function<bool()> at_the_second_look = [&] { return ++asked == 2; };
  {
    const EndsWaits ends(at_the_second_look);
    const auto response = client.send(get("/slow"));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().delivery, Delivery::unknown);
  }
  EXPECT_EQ(asked, 2);
  std::jthread next([&] { desk.take(2)[1].reply({.status = 200, .headers = {}, .body = "ok"}); });
  EXPECT_TRUE(client.send(get("/next")));
}

TEST(HttpClient, InterimAnswersAreSkipped) {
  ListeningPeer peer([&](RawConnection& connection, int) {
    connection.request();
    connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + std::string(ok));
  });
  HttpClient client(to(peer.port()));
  const auto response = client.send(get("/"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "ok");
}

// Answers the first request of its first connection, and ends that one when the second comes in.
struct ForgetfulPeer {
  std::atomic<int> requests{0};
  ListeningPeer peer{[this](RawConnection& connection, int number) {
    while (!connection.request().empty()) {
      ++requests;
      if (number == 0 && requests == 2) return connection.reset();
      connection.send(ok);
    }
  }};
};

TEST(HttpClient, KeptConnectionThatDiesUnderAGetIsReplacedUnseen) {
  ForgetfulPeer forgetful;
  HttpClient client(to(forgetful.peer.port()));
  EXPECT_TRUE(client.send(get("/1")));
  const auto second = client.send(get("/2"));
  ASSERT_TRUE(second) << second.error().reason;
  EXPECT_EQ(second->body, "ok");
  EXPECT_EQ(client.connections_opened(), 2u);
  EXPECT_EQ(forgetful.requests, 3);
}

TEST(HttpClient, KeptConnectionThatOnlyStaysSilentIsNotReplaced) {
  test::Desk desk;
  RunningServer server(desk.handler());
  auto options = to(server.port());
  options.answer_ms = 1'000;  // the first answer comes in time on a busy machine, too
  HttpClient client(options);
  std::jthread first([&] {
    for (auto& one : desk.take(1)) one.reply({.status = 200, .headers = {}, .body = "ok"});
  });
  ASSERT_TRUE(client.send(get("/1")));
  first.join();
  const auto second = client.send(get("/2"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().delivery, Delivery::unknown);
  EXPECT_EQ(client.connections_opened(), 1u);
}

TEST(HttpClient, KeptConnectionThatDiesUnderAWriteIsUnknown) {
  for (const char* method : {"POST", "DELETE", "PUT", "PATCH"}) {
    ForgetfulPeer forgetful;
    HttpClient client(to(forgetful.peer.port()));
    EXPECT_TRUE(client.send(get("/1")));
    const auto second = client.send({.method = method, .target = "/orders", .headers = {}, .body = "{}"});
    ASSERT_FALSE(second) << method;
    EXPECT_EQ(second.error().delivery, Delivery::unknown) << method;
    EXPECT_EQ(client.connections_opened(), 1u) << method;
    EXPECT_EQ(forgetful.requests, 2) << method;
  }
}

TEST(HttpClient, KeptConnectionThatClosedWhileIdleIsReplacedForWritesToo) {
  for (const std::string_view farewell : {"", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"}) {
    std::atomic<bool> closed{false};
    std::atomic<int> requests{0};
    ListeningPeer peer([&](RawConnection& connection, int) {
      connection.request();
      ++requests;
      connection.send(ok);
      connection.send(farewell);
      connection.end_sending();
      closed = true;
    });
    HttpClient client(to(peer.port()));
    ASSERT_TRUE(client.send(get("/1")));
    ASSERT_TRUE(test::eventually([&] { return closed.load(); }));
    const auto second = client.send(post("2"));
    ASSERT_TRUE(second) << second.error().reason;
    EXPECT_EQ(second->status, 200);
    EXPECT_EQ(client.connections_opened(), 2u);
    EXPECT_EQ(requests, 2);
  }
}

TEST(HttpClient, AnswerOfAServerThatHangsUpOnTheRestOfTheRequestIsSeen) {
  ListeningPeer peer([](RawConnection& connection, int) {
    connection.bytes_until("\r\n\r\n");
    connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno");
    connection.reset();
  });
  HttpClient client(to(peer.port()));
  const auto response = client.send(post(std::string(32 << 20, 'x')));
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(response->status, 413);
}

TEST(HttpClient, AnswerThatComesBeforeTheWholeRequestWasReadIsSeen) {
  sim::HttpServerOptions options = test::server_options();
  options.requests.body_bytes_max = 1000;
  RunningServer server(options, test::echo);
  HttpClient client(to(server.port()));
  const auto response = client.send(post(std::string(4 << 20, 'x')));
  ASSERT_TRUE(response) << response.error().reason;
  EXPECT_EQ(response->status, 413);
  EXPECT_TRUE(client.send(post("small")));
  EXPECT_EQ(client.connections_opened(), 2u);
}

}  // namespace SVC_FILE
}  // namespace svc::api
