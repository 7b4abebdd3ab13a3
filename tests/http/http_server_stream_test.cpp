#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>

#include "api/cpp17/ws_codec.h"
#include "http/raw_connection.h"
#include "http/running_server.h"

namespace svc::sim {
namespace SVC_FILE {

using api::HttpRequest;
using api::WsCodec;
using api::WsEvent;
using test::RawConnection;
using test::RunningServer;

constexpr std::string_view handshake =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

// Says every text message back; the codec answers pings and closes. Holds a lock of its own while it is called, as
// owners with several streams do: sending must not call it from within.
class WebSocketEcho final : public ByteStreamEvents {
 public:
  WebSocketEcho(std::shared_ptr<ByteStream> stream, std::string_view head, std::atomic<int>& closed)
      : stream_(std::move(stream)), closed_(closed) {
    received(head);
  }

  void received(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    codec_.feed(bytes);
    for (const WsEvent& event : codec_.take_events()) {
      if (event.kind == WsEvent::Kind::text) codec_.send_text(event.payload);
    }
    flush();
  }
  void drained() override { const std::lock_guard lock(mutex_); }
  void stopping() override {
    codec_.close(api::ws_close::going_away, "server stops");
    flush();
  }
  void closed() override {
    codec_.eof();
    ++closed_;
  }

 private:
  void flush() {
    if (std::string output = codec_.take_output(); !output.empty()) stream_->send(std::move(output));
    if (codec_.finished()) stream_->close();
  }

  std::mutex mutex_;
  std::shared_ptr<ByteStream> stream_;
  std::atomic<int>& closed_;
  WsCodec codec_ = WsCodec::server({});
};

struct WebSocketServer {
  std::atomic<int> closed{0};
  RunningServer server{options(), test::echo};

  HttpServerOptions options() {
    auto options = test::server_options();
    options.upgrade = [this](HttpRequest&& request, std::string head, const Peer&, const Upgrade& upgrade) {
      if (request.target != "/ws") return upgrade.refuse({.status = 404, .headers = {}, .body = "no stream here"});
      upgrade.accept([this, head = std::move(head)](std::shared_ptr<ByteStream> stream) {
        return std::make_shared<WebSocketEcho>(std::move(stream), head, closed);
      });
    };
    return options;
  }
};

TEST(HttpServerStream, OnePortServesHttpAndThenWebSocketOnTheSameConnection) {
  WebSocketServer venue;
  RawConnection client(venue.server.port());
  client.send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.response().body, "GET /plain");
  // A frame in the same bytes as the head must not be lost.
  client.send(std::string(handshake) + std::string("\x81\x82\0\0\0\0hi", 8));
  EXPECT_EQ(client.bytes_until("\r\n\r\n").substr(0, 34), "HTTP/1.1 101 Switching Protocols\r\n");
  EXPECT_EQ(client.bytes(4), std::string("\x81\x02hi"));
  client.send(std::string("\x89\x80\0\0\0\0", 6));
  EXPECT_EQ(client.bytes(2), std::string("\x8a\x00", 2));
  client.send(std::string("\x88\x82\0\0\0\0\x03\xe8", 8));
  EXPECT_EQ(client.bytes(4), std::string("\x88\x02\x03\xe8"));
  EXPECT_EQ(client.end(), RawConnection::End::orderly);
  EXPECT_TRUE(test::eventually([&] { return venue.closed == 1; }));
}

// Says goodbye at the first byte.
class Farewell final : public ByteStreamEvents {
 public:
  Farewell(std::shared_ptr<ByteStream> stream, std::atomic<int>& closed)
      : stream_(std::move(stream)), closed_(closed) {}

  void received(std::string_view) override {
    stream_->send(std::string("farewell"));
    stream_->close();
  }
  void closed() override { ++closed_; }

 private:
  std::shared_ptr<ByteStream> stream_;
  std::atomic<int>& closed_;
};

// A socket that is closed with unread bytes in it resets its connection, and the peer loses what it was told last.
TEST(HttpServerStream, LastWordsReachAPeerWhoGoesOnTalking) {
  std::atomic<int> closed{0};
  auto options = test::server_options();
  options.upgrade = [&](HttpRequest&&, std::string, const Peer&, const Upgrade& upgrade) {
    upgrade.accept([&](std::shared_ptr<ByteStream> stream) { return std::make_shared<Farewell>(stream, closed); });
  };
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  EXPECT_TRUE(client.send(std::string(handshake) + std::string(8 << 20, 'x')));
  EXPECT_EQ(client.bytes(8), "farewell");
  EXPECT_TRUE(test::eventually([&] { return closed == 1; })) << "its owner is told at once";
  EXPECT_EQ(client.end(), RawConnection::End::orderly);
  client.end_sending();
  EXPECT_TRUE(test::eventually([&] { return server.connections() == 0; }));
}

TEST(HttpServerStream, RefusedUpgradeIsAPlainAnswerAndTheConnectionGoesOn) {
  WebSocketServer venue;
  RawConnection client(venue.server.port());
  client.send("GET /nothing HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(client.response().status, 404);
  client.send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.response().body, "GET /plain");
}

TEST(HttpServerStream, WithoutAHookAnUpgradeIsAnOrdinaryRequest) {
  RunningServer server(test::echo);
  RawConnection client(server.port());
  client.send(handshake);
  EXPECT_EQ(client.response().body, "GET /ws");
}

TEST(HttpServerStream, UpgradeBehindAnUnansweredRequestIsAnOrdinaryRequest) {
  std::atomic<int> upgrades{0};
  auto options = test::server_options();
  options.upgrade = [&](HttpRequest&&, std::string, const Peer&, const Upgrade&) { ++upgrades; };
  test::Desk desk;
  RunningServer server(options, desk.handler());
  RawConnection client(server.port());
  client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(handshake));
  auto cases = desk.take(2);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].request.target, "/ws");
  EXPECT_EQ(upgrades, 0);
}

TEST(HttpServerStream, ForgottenUpgradeIs500) {
  auto options = test::server_options();
  options.upgrade = [](HttpRequest&&, std::string, const Peer&, const Upgrade&) {};
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  client.send(handshake);
  EXPECT_EQ(client.response().status, 500);
}

TEST(HttpServerStream, DecisionFromAnotherThreadWaitsWithWhatCameAfterTheHead) {
  std::mutex mutex;
  std::vector<std::pair<std::string, Upgrade>> undecided;
  std::atomic<int> closed{0};
  auto options = test::server_options();
  options.upgrade = [&](HttpRequest&&, std::string head, const Peer&, Upgrade upgrade) {
    const std::lock_guard lock(mutex);
    undecided.emplace_back(std::move(head), std::move(upgrade));
  };
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  client.send(std::string(handshake) + std::string("\x81\x82\0\0\0\0hi", 8));
  ASSERT_TRUE(test::eventually([&] {
    const std::lock_guard lock(mutex);
    return !undecided.empty();
  }));
  {
    const std::lock_guard lock(mutex);
    undecided[0].second.accept([&](std::shared_ptr<ByteStream> stream) {
      return std::make_shared<WebSocketEcho>(std::move(stream), undecided[0].first, closed);
    });
    undecided[0].second.refuse({.status = 400, .headers = {}, .body = "too late to refuse"});
  }
  client.bytes_until("\r\n\r\n");
  EXPECT_EQ(client.bytes(4), std::string("\x81\x02hi"));
}

TEST(HttpServerStream, WhatComesBehindARefusedUpgradeIsAnswered) {
  std::promise<Upgrade> asked;
  auto options = test::server_options();
  options.upgrade = [&](HttpRequest&&, std::string, const Peer&, Upgrade upgrade) {
    asked.set_value(std::move(upgrade));
  };
  RunningServer server(options, test::echo);
  RawConnection client(server.port());
  client.send("GET /h2c HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + test::get("/at-once"));
  Upgrade upgrade = asked.get_future().get();
  client.send(test::get("/later"));
  upgrade.refuse({.status = 404, .headers = {}, .body = "no stream here"});
  EXPECT_EQ(client.response().status, 404);
  EXPECT_EQ(client.response().body, "GET /at-once");
  EXPECT_EQ(client.response().body, "GET /later");
}

TEST(HttpServerStream, StopSaysGoodbye) {
  WebSocketServer venue;
  RawConnection client(venue.server.port());
  client.send(handshake);
  client.bytes_until("\r\n\r\n");
  venue.server.stop();
  EXPECT_EQ(venue.closed, 1);
  const std::string goodbye = client.bytes(16);
  ASSERT_EQ(goodbye.size(), 16u);
  EXPECT_EQ(goodbye.substr(0, 4), std::string("\x88\x0e\x03\xe9"));
  EXPECT_EQ(goodbye.substr(4), "server stops");
}

// Keeps the stream for the test and counts.
class Held final : public ByteStreamEvents {
 public:
  void received(std::string_view) override {}
  void closed() override { ++closed_count; }
  std::atomic<int> closed_count{0};
};

struct HeldStream {
  std::shared_ptr<Held> events = std::make_shared<Held>();
  std::shared_ptr<ByteStream> stream;
  std::atomic<bool> ready{false};

  HttpServerOptions options() {
    auto options = test::server_options();
    options.upgrade = [this](HttpRequest&&, std::string, const Peer&, const Upgrade& upgrade) {
      upgrade.accept([this](std::shared_ptr<ByteStream> opened) {
        stream = std::move(opened);
        ready = true;
        return events;
      });
    };
    return options;
  }
};

TEST(HttpServerStream, SharedBytesSentFromManyThreadsArriveWhole) {
  HeldStream held;
  RunningServer server(held.options(), test::echo);
  RawConnection client(server.port());
  client.send(handshake);
  ASSERT_TRUE(test::eventually([&] { return held.ready.load(); }));
  const auto bytes = std::make_shared<const std::string>("0123456789");
  {
    std::vector<std::jthread> senders;
    for (int t = 0; t < 4; ++t) {
      senders.emplace_back([&] {
        for (int i = 0; i < 250; ++i) held.stream->send(bytes);
      });
    }
  }
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += *bytes;
  EXPECT_EQ(client.bytes(expected.size()), expected);
  EXPECT_TRUE(test::eventually([&] { return held.stream->queued_bytes() == 0; }));
  held.stream->send("last");
  held.stream->close();
  held.stream->send("too late");
  EXPECT_EQ(client.bytes(8), "last");
  EXPECT_TRUE(test::eventually([&] { return held.events->closed_count == 1; }));
  held.stream->abort();
  EXPECT_EQ(held.events->closed_count, 1);
}

TEST(HttpServerStream, StalledReaderIsSeenInTheQueueAndThenCut) {
  HeldStream held;
  auto options = held.options();
  options.write_ms = 50;
  RunningServer server(options, test::echo);
  RawConnection client(server.port(), RawConnection::Family::v4, 4096);
  client.send(handshake);
  ASSERT_TRUE(test::eventually([&] { return held.ready.load(); }));
  held.stream->send(std::string(8 << 20, 'x'));
  EXPECT_GT(held.stream->queued_bytes(), 0u);
  EXPECT_TRUE(test::eventually([&] { return held.events->closed_count == 1; }));
}

TEST(HttpServerStream, WhatAReaderHasNotTakenWaitsInTheQueueAndNotInTheSystem) {
  HeldStream held;
  RunningServer server(held.options(), test::echo);
  RawConnection client(server.port(), RawConnection::Family::v4, 4096);
  client.send(handshake);
  ASSERT_TRUE(test::eventually([&] { return held.ready.load(); }));
  constexpr std::size_t all = 8 << 20, taken = 256 << 10;
  held.stream->send(std::string(all, 'x'));
  EXPECT_EQ(client.bytes(taken).size(), taken);
  EXPECT_GT(held.stream->queued_bytes(), all - taken - (512 << 10));
}

TEST(HttpServerStream, BytesThatWaitForSeveralReadersCountOnce) {
  constexpr std::size_t readers = 8, large = 4 << 20;
  std::vector<HeldStream> held(readers);
  std::atomic<std::size_t> opened{0};
  auto options = test::server_options();
  options.io_threads = 1;
  options.waiting_bytes_max = 2 * large;
  options.upgrade = [&](HttpRequest&&, std::string, const Peer&, const Upgrade& upgrade) {
    upgrade.accept([&](std::shared_ptr<ByteStream> stream) {
      HeldStream& next = held[opened];
      next.stream = std::move(stream);
      ++opened;
      return next.events;
    });
  };
  RunningServer server(options, test::echo);
  std::vector<RawConnection> clients;
  for (std::size_t i = 0; i < readers; ++i) {
    clients.emplace_back(server.port(), RawConnection::Family::v4, 4096);
    clients.back().send(handshake);
    ASSERT_TRUE(test::eventually([&] { return opened == i + 1; }));
  }
  const auto shared = std::make_shared<const std::string>(large, 'x');
  for (HeldStream& each : held) each.stream->send(shared);
  EXPECT_EQ(clients.back().bytes(large / 2).size(), large / 2);
  EXPECT_EQ(server.connections(), readers) << "it is in memory once";
  for (HeldStream& each : held) each.stream->send(std::string(large, 'y'));
  EXPECT_TRUE(test::eventually([&] { return server.connections() <= 2; })) << "each of these is in memory by itself";
}

TEST(HttpServerStream, UpgradeInHttp10IsAnOrdinaryRequest) {
  WebSocketServer venue;
  RawConnection client(venue.server.port());
  std::string old(handshake);
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  client.send(old);
  EXPECT_EQ(client.response().body, "GET /ws");
}

// Notes when it is called while somebody else is at work on the same thread: that one may hold a lock.
class NeverFromWithin final : public ByteStreamEvents {
 public:
  void received(std::string_view) override { note(); }
  void drained() override {
    note();
    ++drains;
  }
  void closed() override {
    note();
    ++closes;
  }

  std::atomic<bool> at_work{false};
  std::atomic<int> from_within{0};
  std::atomic<int> drains{0};
  std::atomic<int> closes{0};

 private:
  void note() {
    if (at_work) ++from_within;
  }
};

TEST(HttpServerStream, WhoeverSendsOnItsThreadIsNotCalledBackFromWithin) {
  const auto events = std::make_shared<NeverFromWithin>();
  std::shared_ptr<ByteStream> stream;
  auto options = test::server_options();
  options.upgrade = [&](HttpRequest&&, std::string, const Peer&, const Upgrade& upgrade) {
    upgrade.accept([&](std::shared_ptr<ByteStream> opened) {
      stream = std::move(opened);
      stream->send("opened");
      return events;
    });
  };
  // One I/O thread: requests are handled on that of the stream.
  RunningServer server(options, [&](HttpRequest&& request, const Peer&, const sim::SendReply& reply) {
    events->at_work = true;
    if (request.target == "/send") stream->send("told");
    if (request.target == "/close") stream->close();
    if (request.target == "/abort") stream->abort();
    events->at_work = false;
    reply(test::text(request.target));
  });
  for (const std::string end : {"/close", "/abort"}) {
    RawConnection reader(server.port());
    reader.send(handshake);
    EXPECT_EQ(reader.bytes(6), "opened");
    RawConnection other(server.port());
    other.send(test::get("/send"));
    EXPECT_EQ(other.response().body, "/send");
    EXPECT_EQ(reader.bytes(4), "told");
    other.send(test::get(end));
    EXPECT_EQ(other.response().body, end);
    (void)reader.end();
  }
  EXPECT_TRUE(test::eventually([&] { return events->closes == 2; }));
  EXPECT_GE(events->drains, 4);
  EXPECT_EQ(events->from_within, 0);
}

TEST(HttpServerStream, HandleOutlivesTheServer) {
  HeldStream held;
  {
    RunningServer server(held.options(), test::echo);
    RawConnection client(server.port());
    client.send(handshake);
    ASSERT_TRUE(test::eventually([&] { return held.ready.load(); }));
  }
  EXPECT_EQ(held.events->closed_count, 1);
  held.stream->send("nobody");
  held.stream->post([] { FAIL() << "no thread is left to run this"; });
  held.stream->close();
}

}  // namespace SVC_FILE
}  // namespace svc::sim
