#include "api/cpp17/ws_codec.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc::api {
namespace SVC_FILE {

constexpr std::size_t message_max = 1000;

// A client and a server codec with a wire between them that carries `chunk` bytes at a time.
struct Wire {
  WsCodec client;
  WsCodec server = WsCodec::server({.server_name = "svc", .message_bytes_max = message_max});
  std::size_t chunk;
  std::vector<WsEvent> at_client;
  std::vector<WsEvent> at_server;

  explicit Wire(std::size_t chunk_bytes = 1 << 20)
      : client(WsCodec::client({.uri = "ws://localhost:9090/ws?token=abc",
                                .headers = {{"X-Svc-Api-Version", "0.9.0"}},
                                .user_agent = "svc",
                                .message_bytes_max = message_max})),
        chunk(chunk_bytes) {
    settle();
  }

  bool carry(WsCodec& from, WsCodec& to, std::vector<WsEvent>& events) {
    const std::string bytes = from.take_output();
    for (std::size_t at = 0; at < bytes.size(); at += chunk) to.feed(std::string_view(bytes).substr(at, chunk));
    for (WsEvent& event : to.take_events()) events.push_back(std::move(event));
    return !bytes.empty();
  }

  void settle() {
    while (carry(client, server, at_server) | carry(server, client, at_client)) {
    }
  }
};

std::string masked_frame(unsigned char first, std::string_view payload) {
  std::string frame{static_cast<char>(first), static_cast<char>(0x80 | payload.size()), 0, 0, 0, 0};
  return frame.append(payload);
}

TEST(WsCodec, TheServerAddsFieldsToItsAnswer) {
  WsCodec client = WsCodec::client({.uri = "ws://localhost:9090/ws"});
  WsCodec server = WsCodec::server({.headers = {{"Deprecation", "@1"}}});
  server.feed(client.take_output());
  const std::string answer = server.take_output();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 101 ")) << answer;
  EXPECT_NE(answer.find("\r\nDeprecation: @1\r\n"), std::string::npos) << answer;
}

TEST(WsCodec, HandshakeAndEchoInOneProcess) {
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{1 << 20}}) {
    Wire wire(chunk);
    ASSERT_TRUE(wire.client.open()) << "chunk " << chunk;
    ASSERT_TRUE(wire.server.open()) << "chunk " << chunk;
    ASSERT_EQ(wire.at_client.at(0).kind, WsEvent::Kind::opened);
    ASSERT_EQ(wire.at_server.at(0).kind, WsEvent::Kind::opened);

    ASSERT_TRUE(wire.client.send_text("grüß dich"));
    wire.settle();
    ASSERT_EQ(wire.at_server.size(), 2u);
    EXPECT_EQ(wire.at_server[1].kind, WsEvent::Kind::text);
    EXPECT_EQ(wire.at_server[1].payload, "grüß dich");
    ASSERT_TRUE(wire.server.send_binary(wire.at_server[1].payload));
    wire.settle();
    ASSERT_EQ(wire.at_client.size(), 2u);
    EXPECT_EQ(wire.at_client[1].kind, WsEvent::Kind::binary);
    EXPECT_EQ(wire.at_client[1].payload, "grüß dich");
  }
}

TEST(WsCodec, ClientFramesAreMaskedAndServerFramesAreNot) {
  Wire wire;
  ASSERT_TRUE(wire.client.send_text("hello"));
  const std::string from_client = wire.client.take_output();
  EXPECT_EQ(static_cast<unsigned char>(from_client.at(1)), 0x80 | 5);
  EXPECT_EQ(from_client.size(), 2u + 4u + 5u);
  ASSERT_TRUE(wire.server.send_text("hello"));
  EXPECT_EQ(wire.server.take_output(), std::string("\x81\x05hello"));
}

TEST(WsCodec, FrameInTheSameBytesAsTheHandshakeIsHeard) {
  WsCodec server = WsCodec::server({.server_name = "", .message_bytes_max = message_max});
  server.feed(
      "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
      masked_frame(0x81, "hi"));
  const std::string answer = server.take_output();
  EXPECT_EQ(answer.substr(0, answer.find("\r\n")), "HTTP/1.1 101 Switching Protocols");
  EXPECT_NE(answer.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos);
  const auto events = server.take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].payload, "hi");
}

TEST(WsCodec, FragmentsAreJoinedAroundAPing) {
  Wire wire;
  wire.server.feed(masked_frame(0x01, "one ") + masked_frame(0x89, "p") + masked_frame(0x00, "two ") +
                   masked_frame(0x80, "three"));
  const auto events = wire.server.take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, WsEvent::Kind::ping);
  EXPECT_EQ(events[1].payload, "one two three");
  EXPECT_EQ(wire.server.take_output(), std::string("\x8a\x01p"));
}

TEST(WsCodec, PingIsAnsweredWithItsPayload) {
  Wire wire;
  ASSERT_TRUE(wire.server.ping("beat 7"));
  wire.settle();
  ASSERT_EQ(wire.at_server.size(), 2u);
  EXPECT_EQ(wire.at_server[1].kind, WsEvent::Kind::pong);
  EXPECT_EQ(wire.at_server[1].payload, "beat 7");
  EXPECT_FALSE(wire.server.ping(std::string(126, 'x'))) << "a control frame carries at most 125 bytes";
}

TEST(WsCodec, CloseFromEitherSideEndsBothWithItsCodeAndReason) {
  for (const bool by_client : {true, false}) {
    Wire wire;
    ASSERT_TRUE((by_client ? wire.client : wire.server).close(ws_close::going_away, "done"));
    wire.settle();
    ASSERT_EQ(wire.at_client.size(), 2u) << "by client " << by_client;
    ASSERT_EQ(wire.at_server.size(), 2u) << "by client " << by_client;
    for (const WsEvent& event : {wire.at_client[1], wire.at_server[1]}) {
      EXPECT_EQ(event.kind, WsEvent::Kind::closed);
      EXPECT_EQ(event.close_code, ws_close::going_away);
      EXPECT_EQ(event.payload, "done");
    }
    EXPECT_TRUE(wire.client.finished());
    EXPECT_TRUE(wire.server.finished());
    EXPECT_FALSE(wire.client.send_text("late"));
  }
}

TEST(WsCodec, MessageAtTheBoundPassesAndOneByteMoreCloses1009) {
  Wire wire;
  ASSERT_TRUE(wire.client.send_text(std::string(message_max, 'a')));
  wire.settle();
  ASSERT_EQ(wire.at_server.size(), 2u);
  EXPECT_EQ(wire.at_server[1].payload.size(), message_max);

  ASSERT_TRUE(wire.client.send_text(std::string(message_max + 1, 'a')));
  wire.settle();
  ASSERT_EQ(wire.at_server.size(), 3u);
  EXPECT_EQ(wire.at_server[2].kind, WsEvent::Kind::closed);
  EXPECT_EQ(wire.at_server[2].close_code, 1009);
  EXPECT_TRUE(wire.server.finished());
  ASSERT_EQ(wire.at_client.size(), 2u);
  EXPECT_EQ(wire.at_client[1].close_code, 1009);
}

TEST(WsCodec, OversizeByFragmentsCloses1009) {
  Wire wire;
  wire.server.feed(masked_frame(0x01, std::string(100, 'a')));
  for (int i = 0; i < 10; ++i) wire.server.feed(masked_frame(0x00, std::string(100, 'a')));
  const auto events = wire.server.take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].close_code, 1009);
}

TEST(WsCodec, BrokenProtocolEndsTheConnectionOnce) {
  struct Row {
    const char* what;
    std::string bytes;
    std::uint16_t code;
  };
  const std::vector<Row> rows = {
      {"unmasked frame of a client", std::string("\x81\x02hi"), ws_close::protocol_error},
      {"reserved bit", masked_frame(0xc1, "x"), ws_close::protocol_error},
      {"reserved opcode", masked_frame(0x83, "x"), ws_close::protocol_error},
      {"fragmented ping", masked_frame(0x09, "x"), ws_close::protocol_error},
      {"continuation of nothing", masked_frame(0x80, "x"), ws_close::protocol_error},
      {"text that is not UTF-8", masked_frame(0x81, "\xff\xfe"), 1007},
      {"two bytes for a length of five", std::string("\x81\xfe\0\5\0\0\0\0hello", 13), ws_close::protocol_error},
      {"eight bytes for a length of 65,535", std::string("\x82\xff\0\0\0\0\0\0\xff\xff\0\0\0\0", 14),
       ws_close::protocol_error},
  };
  for (const Row& row : rows) {
    Wire wire;
    wire.server.feed(row.bytes + masked_frame(0x81, "after"));
    wire.server.feed(masked_frame(0x81, "later"));
    wire.server.eof();
    const auto events = wire.server.take_events();
    ASSERT_EQ(events.size(), 1u) << row.what;
    EXPECT_EQ(events[0].kind, WsEvent::Kind::closed) << row.what;
    EXPECT_EQ(events[0].close_code, row.code) << row.what;
    EXPECT_TRUE(wire.server.finished()) << row.what;
  }
}

TEST(WsCodec, LengthsAreAsShortAsTheyCanBeInPiecesOfAnySize) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
    WsCodec server = WsCodec::server({.server_name = "", .message_bytes_max = 70'000});
    WsCodec client = WsCodec::client({.uri = "ws://localhost/"});
    server.feed(client.take_output());
    client.feed(server.take_output());
    std::string bytes;
    for (const std::size_t size : {0UL, 125UL, 126UL, 65'535UL, 65'536UL}) {
      ASSERT_TRUE(client.send_text(std::string(size, 'x')));
      bytes += client.take_output();
    }
    bytes += std::string("\x81\xfe\0\x7d", 4);
    for (std::size_t at = 0; at < bytes.size(); at += piece) server.feed(std::string_view(bytes).substr(at, piece));
    const auto events = server.take_events();
    ASSERT_EQ(events.size(), 7u) << "opened, five messages, closed; pieces of " << piece;
    EXPECT_EQ(events[5].payload.size(), 65'536u);
    EXPECT_EQ(events[6].close_code, ws_close::protocol_error);
  }
}

TEST(WsCodec, EventsSayWhatWasWrittenBeforeThem) {
  Wire wire;
  wire.server.feed(masked_frame(0x89, "p") + masked_frame(0x81, "hello") + masked_frame(0x88, "\x03\xe8"));
  const auto events = wire.server.take_events();
  const std::string output = wire.server.take_output();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].kind, WsEvent::Kind::text);
  EXPECT_EQ(output.substr(0, events[1].output_before), "\x8a\x01p") << "the pong comes before the message's answer";
  EXPECT_EQ(output.substr(events[1].output_before), "\x88\x02\x03\xe8") << "and the close after it";
}

TEST(WsCodec, EndOfBytesWithoutCloseIsAbnormal) {
  Wire wire;
  wire.server.eof();
  wire.server.eof();
  const auto events = wire.server.take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, WsEvent::Kind::closed);
  EXPECT_EQ(events[0].close_code, 1006);
}

TEST(WsCodec, HandshakesThatAreNoneFail) {
  struct Row {
    const char* what;
    std::string bytes;
    std::string answer;
  };
  const std::string head = "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  const std::vector<Row> rows = {
      {"no upgrade", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 426 "},
      {"no key", head + "Sec-WebSocket-Version: 13\r\n\r\n", "HTTP/1.1 400 "},
      {"draft version", head + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n\r\n",
       "HTTP/1.1 426 "},
      {"future version", head + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 14\r\n\r\n",
       "HTTP/1.1 400 "},
  };
  for (const Row& row : rows) {
    WsCodec server = WsCodec::server({.server_name = "", .message_bytes_max = message_max});
    server.feed(row.bytes);
    const std::string answer = server.take_output();
    EXPECT_EQ(answer.substr(0, row.answer.size()), row.answer) << row.what;
    const auto events = server.take_events();
    ASSERT_EQ(events.size(), 1u) << row.what;
    EXPECT_EQ(events[0].kind, WsEvent::Kind::failed) << row.what;
    EXPECT_TRUE(server.finished()) << row.what;
  }
}

TEST(WsCodec, ClientRefusesAnAnswerThatIsNoHandshake) {
  struct Row {
    const char* what;
    std::string answer;
  };
  const std::vector<Row> rows = {
      {"plain answer", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"},
      {"wrong accept key",
       "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
       "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"},
      {"no HTTP at all", "hello\r\n\r\n"},
  };
  for (const Row& row : rows) {
    WsCodec client = WsCodec::client({.uri = "ws://localhost/ws", .message_bytes_max = message_max});
    EXPECT_EQ(client.take_output().substr(0, 8), "GET /ws ");
    client.feed(row.answer);
    const auto events = client.take_events();
    ASSERT_EQ(events.size(), 1u) << row.what;
    EXPECT_EQ(events[0].kind, WsEvent::Kind::failed) << row.what;
    EXPECT_FALSE(client.open()) << row.what;
  }
}

TEST(WsCodec, ClientWithABadAddressFailsAtOnce) {
  WsCodec client = WsCodec::client({.uri = "not an address", .message_bytes_max = message_max});
  EXPECT_EQ(client.take_output(), "");
  const auto events = client.take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, WsEvent::Kind::failed);
}

TEST(WsCodec, TextThatIsNotUtf8IsNotSent) {
  Wire wire;
  EXPECT_FALSE(wire.client.send_text("\xff"));
  EXPECT_EQ(wire.client.take_output(), "");
}

TEST(WsCodec, AbandonedInEveryStateWithoutALeak) {
  { const WsCodec unfed = WsCodec::server({.server_name = "", .message_bytes_max = message_max}); }
  {
    WsCodec half = WsCodec::server({.server_name = "", .message_bytes_max = message_max});
    half.feed("GET /ws HTTP/1.1\r\nHo");
  }
  { const WsCodec dialled = WsCodec::client({.uri = "ws://localhost/ws", .message_bytes_max = message_max}); }
  const Wire open;
  WsCodec moved_from = WsCodec::server({.server_name = "", .message_bytes_max = message_max});
  const WsCodec moved_to = std::move(moved_from);
  EXPECT_FALSE(moved_to.open());
}

}  // namespace SVC_FILE
}  // namespace svc::api
