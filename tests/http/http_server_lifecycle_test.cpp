#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>
#include <vector>

#include "http/raw_connection.h"
#include "http/running_server.h"
#include "sim/gateway/http_server.h"

namespace svc::sim {
namespace SVC_FILE {

using api::HttpResponse;
using test::Desk;
using test::get;
using test::RawConnection;
using test::RunningServer;
using test::text;

TEST(HttpServerLifecycle, StopAnswersWhatIsInProgressAndEndsIdleConnections) {
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

TEST(HttpServerLifecycle, StopDoesNotWaitForARequestThatIsNeverAnswered) {
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

TEST(HttpServerLifecycle, StopBeforeRunEndsTheRun) {
  HttpServer server(test::server_options(), test::echo);
  ASSERT_TRUE(server.listen("127.0.0.1", 0));
  server.stop();
  server.stop();
  server.run();
  EXPECT_EQ(server.connections(), 0u);
}

TEST(HttpServerLifecycle, ListenNamesAddressAndReason) {
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

#ifndef __SANITIZE_ADDRESS__  // the sanitizers open descriptors themselves to look at memory
TEST(HttpServerLifecycle, AcceptsAgainOnceTheProcessHasDescriptors) {
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
#endif

TEST(HttpServerLifecycle, ManyConnectionsOnManyThreadsKeepTheirOrder) {
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

}  // namespace SVC_FILE
}  // namespace svc::sim
