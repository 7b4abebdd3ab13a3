// The stream client against a scripted server.
#include "api/stream/stream_client.h"

#include <gtest/gtest.h>

#include "api/stream/live_book.h"
#include "api/tiers.h"
#include "base/limits.h"

namespace svc::api {
namespace SVC_FILE {

const StreamKey fills{.channel = StreamChannel::fills};
const StreamKey book{.channel = StreamChannel::book, .market = "BTC"};
const StreamKey positions{.channel = StreamChannel::positions};

// The unread messages of the server, and the messages it received.
struct Wire {
  std::deque<LinkEvent> incoming;
  std::vector<std::string> told;
  std::size_t pings = 0;
  bool open = false;
};

class FakeLink final : public MessageLink {
 public:
  FakeLink(Wire& wire, ManualClock& clock) : wire_(wire), clock_(clock) { wire_.open = true; }
  ~FakeLink() override { wire_.open = false; }
  bool send(std::string_view text) override {
    wire_.told.emplace_back(text);
    return true;
  }
  bool ping() override { return ++wire_.pings > 0; }
  void close() override {}
  std::optional<LinkEvent> next(std::int64_t wait_ms) override {
    if (wire_.incoming.empty()) {
      clock_.advance(wait_ms);
      return std::nullopt;
    }
    LinkEvent event = wire_.incoming.front();
    wire_.incoming.pop_front();
    return event;
  }

 private:
  Wire& wire_;
  ManualClock& clock_;
};

TEST(StreamMark, FindsAnEndedOrderInTheStreamAndInTheHistory) {
  const std::string update = R"({"id":"7","created_at":100,"updated_at":150,"client_id":"mine"})";
  const std::string ended = R"({"id":"7","created_at_ms":100,"completed_at_ms":150,"client_id":"mine"})";
  const std::string mark = ended_order_mark(update);
  EXPECT_EQ(mark, ended_order_mark(ended));
  EXPECT_TRUE(is_marked_order(mark, ended));
  for (const std::string other :
       {R"({"id":"8","created_at_ms":100,"client_id":"mine"})", R"({"id":"7","created_at_ms":101,"client_id":"mine"})",
        R"({"id":"7","created_at_ms":100,"client_id":"other"})"})
    EXPECT_FALSE(is_marked_order(mark, other)) << other;
  for (const std::string silent : {R"({"id":"7","created_at_ms":100})", R"({"id":"7","client_id":"mine"})"})
    EXPECT_TRUE(is_marked_order(mark, silent)) << silent;
  EXPECT_EQ(mark, ended_order_mark(R"({"id":"7","created_at":100,"created_at_ms":100,"client_id":"mine"})"))
      << "an order that tells its time under both names";
  EXPECT_TRUE(is_marked_order("7", ended)) << "of a former version";
  EXPECT_FALSE(is_marked_order("", ended));
  EXPECT_EQ(ended_order_mark("{}"), "");
}

struct ScriptedServer final : StreamDoor {
  explicit ScriptedServer(std::vector<StreamKey> keys, StreamMarks since = {})
      : client(*this, clock, std::move(keys), std::move(since)) {}

  Result<std::unique_ptr<MessageLink>, LinkRefusal> open() override {
    ++opened;
    if (refusal) return unexpected(*refusal);
    wire.incoming.clear();
    wire.told.clear();
    return std::unique_ptr<MessageLink>(std::make_unique<FakeLink>(wire, clock));
  }
  Result<std::string, LinkRefusal> newest_row(const StreamKey&) override { return rows.empty() ? "" : rows.back(); }
  Result<StreamRows, LinkRefusal> rows_after(const StreamKey&, const std::optional<std::string>& row_id) override {
    if (rest_refusal) return unexpected(*std::exchange(rest_refusal, std::nullopt));
    const auto last = std::ranges::find(rows, row_id);
    const bool is_there = last != rows.end();
    StreamRows found{.payloads = {}, .complete = is_there || row_id == ""};
    for (auto row = is_there ? last + 1 : rows.begin(); row != rows.end(); ++row)
      found.payloads.push_back("{\"id\":\"" + *row + "\",\"price\":0.10}");
    return found;
  }
  void pause(std::int64_t ms) override {
    clock.advance(ms);
    paused_ms += ms;
    if (late.empty()) return;
    rows.push_back(late.front());
    late.erase(late.begin());
  }

  void send_text(std::string text) { wire.incoming.push_back({.text = std::move(text)}); }
  void send_joined(const std::string& channel, std::uint64_t seq, const std::string& market = "null") {
    send_text("{\"op\":\"subscribed\",\"channel\":\"" + channel + "\",\"market\":" + market +
              ",\"seq_at_join\":" + std::to_string(seq) + "}");
  }
  void send_fill(std::uint64_t seq, const std::string& id) {
    send_text("{\"op\":\"event\",\"channel\":\"fills\",\"market\":null,\"seq\":" + std::to_string(seq) +
              ",\"payload\":{\"id\":\"" + id + "\",\"price\":0.10}}");
  }
  // The connection is made, and the first fill is on its way.
  void begin_with_a_fill() {
    (void)heard();
    send_joined("fills", 0);
    send_fill(1, "a");
  }
  void send_out_of_sync(const std::string& oldest = "null") {
    send_text("{\"op\":\"out_of_sync\",\"channel\":\"fills\",\"market\":null,\"oldest_seq\":" + oldest + "}");
  }
  void cut() { wire.incoming.push_back({.kind = LinkEvent::Kind::ended, .text = "cut"}); }

  // One line per news until there are no more.
  std::vector<std::string> heard() {
    std::vector<std::string> lines;
    while (auto news = client.next(0)) lines.push_back(line(*news));
    return lines;
  }
  static std::string line(const StreamNews& news) {
    using enum StreamNews::Kind;
    const auto end = [](const std::optional<std::uint64_t>& seq) { return seq ? std::to_string(*seq) : "?"; };
    switch (news.kind) {
      case connected: return "connected";
      case disconnected: return "disconnected " + news.code;
      case subscribed: return "subscribed " + std::to_string(news.seq);
      case event:
        return (news.from_rest ? "rest " : news.snapshot ? "state " : "event ") + string_member(news.payload, "id");
      case gap: return "gap " + end(news.first) + ".." + end(news.last);
      case resync:
        return std::string("resync ") +
               (news.repair == StreamRepair::replay     ? "replay"
                : news.repair == StreamRepair::rest     ? "rest"
                : news.repair == StreamRepair::snapshot ? "snapshot"
                                                        : "none") +
               (news.complete ? "" : " incomplete");
      case error: return "error " + news.code;
    }
    return {};
  }

  ManualClock clock{1'000'000};
  Wire wire;
  std::vector<std::string> rows;  // ids known to REST, oldest first
  std::vector<std::string> late;  // become known, one each time the client pauses
  std::optional<LinkRefusal> refusal;
  std::optional<LinkRefusal> rest_refusal;
  std::size_t opened = 0;
  std::int64_t paused_ms = 0;
  StreamClient client;
};

using Lines = std::vector<std::string>;

TEST(StreamClient, ReportsEachEventOnceAndKeepsTheDigitsOfItsPayload) {
  ScriptedServer server({fills});
  EXPECT_EQ(server.heard(), Lines{"connected"});
  EXPECT_EQ(server.wire.told, Lines{R"({"op":"subscribe","channel":"fills"})"});
  server.send_joined("fills", 7);
  server.send_fill(7, "before");
  server.send_fill(8, "a");
  server.send_fill(8, "a");
  EXPECT_EQ(server.heard(), (Lines{"subscribed 7", "event a"}));
  server.send_fill(9, "b");
  const auto news = server.client.next(0);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->payload, R"({"id":"b","price":0.10})");
  EXPECT_EQ(to_string(server.client.marks()), "fills=9:b");
}

TEST(StreamClient, RequestsMissingEventsAgainAndKeepsTheOrder) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.send_fill(4, "d");
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..3"}));
  EXPECT_EQ(server.wire.told.back(), R"({"op":"subscribe","channel":"fills","since":1})");
  server.send_fill(5, "e");  // sent before the server read the request
  server.send_joined("fills", 5);
  for (const auto& [seq, id] : std::map<std::uint64_t, std::string>{{2, "b"}, {3, "c"}, {4, "d"}, {5, "e"}})
    server.send_fill(seq, id);
  EXPECT_EQ(server.heard(), (Lines{"event b", "event c", "resync replay", "event d", "event e"}));
}

TEST(StreamClient, ReadsByRestWhatAReplayOwes) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.send_fill(3, "c");
  server.send_joined("fills", 3);  // and no replay
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..2"}));
  server.rows = {"a", "b", "c"};
  EXPECT_FALSE(server.client.next(stream_limits::replay_wait_ms - 1));
  EXPECT_EQ(server.wire.told.size(), 2u);
  EXPECT_FALSE(server.client.next(1)) << "the gap was told";
  EXPECT_EQ(server.wire.told.back(), R"({"op":"subscribe","channel":"fills"})");
  server.send_joined("fills", 3);
  server.send_fill(4, "d");
  EXPECT_EQ(server.heard(), (Lines{"rest b", "rest c", "resync rest", "event d"}));

  server.cut();
  (void)server.heard();
  server.clock.advance(stream_limits::backoff_ms_max);
  (void)server.heard();
  server.send_joined("fills", 6);  // and no replay
  EXPECT_EQ(server.heard(), Lines{});
  const auto gap = server.client.next(stream_limits::replay_wait_ms);
  ASSERT_TRUE(gap);
  EXPECT_EQ(ScriptedServer::line(*gap), "gap 5..6");
  EXPECT_EQ(server.wire.told.back(), R"({"op":"subscribe","channel":"fills"})");
  server.rows = {"a", "b", "c", "d", "e", "f"};
  server.send_joined("fills", 6);
  EXPECT_EQ(server.heard(), (Lines{"rest e", "rest f", "resync rest"}));
  EXPECT_FALSE(server.client.next(stream_limits::replay_wait_ms)) << "nothing is owed any more";
}

TEST(StreamClient, WaitsForTheRowsOfAReconnectionWithoutReplay) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.cut();
  (void)server.heard();
  server.clock.advance(stream_limits::backoff_ms_max);
  (void)server.heard();
  server.send_joined("fills", 2);
  server.send_fill(3, "c");
  EXPECT_EQ(server.heard(), Lines{"gap 2..?"});
  server.rows = {"a"};
  server.late = {"b", "c"};
  server.send_joined("fills", 3);
  EXPECT_EQ(server.heard(), (Lines{"rest b", "rest c", "resync rest"}));
}

TEST(StreamClient, WaitsForAReplayThatGoesOn) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.send_fill(4, "d");
  server.send_joined("fills", 5);
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..3"}));
  EXPECT_FALSE(server.client.next(stream_limits::replay_wait_ms - 1));
  server.send_fill(2, "b");
  EXPECT_EQ(server.heard(), Lines{"event b"});
  EXPECT_FALSE(server.client.next(stream_limits::replay_wait_ms - 1));
  server.send_fill(3, "c");
  EXPECT_EQ(server.heard(), (Lines{"event c", "resync replay"}));
  // Whoever handles an event leaves the rest unread for so long.
  server.clock.advance(2 * stream_limits::replay_wait_ms);
  server.send_fill(4, "d");
  server.send_fill(5, "e");
  EXPECT_EQ(server.heard(), (Lines{"event d", "event e"}));
  EXPECT_EQ(server.wire.told.size(), 2u);
}

TEST(StreamClient, ReadsForgottenEventsByRestAndReportsNoRowTwice) {
  ScriptedServer server({fills});
  server.rows = {"old"};
  server.begin_with_a_fill();
  server.send_out_of_sync();
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..?"}));
  server.rows = {"old", "a", "b", "c"};
  server.send_joined("fills", 900);
  server.send_fill(901, "c");  // REST has it as well
  server.send_fill(902, "d");
  EXPECT_EQ(server.heard(), (Lines{"rest b", "rest c", "resync rest", "event d"}));
  EXPECT_EQ(to_string(server.client.marks()), "fills=902:d");
}

// The service goes back to an earlier state, in which the last row was not there yet.
TEST(StreamClient, ReportsNoRowAgainAfterARevert) {
  ScriptedServer server({fills});
  server.rows = {"older", "old"};
  server.begin_with_a_fill();
  server.send_fill(2, "b");
  server.send_out_of_sync();
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "event b", "gap 3..?"}));
  server.rows = {"older", "old", "a", "c"};
  server.send_joined("fills", 7);
  EXPECT_EQ(server.heard(), (Lines{"rest c", "resync rest incomplete"}));
  server.send_out_of_sync();
  EXPECT_EQ(server.heard(), Lines{"gap 8..?"});
  server.rows = {"older", "old", "a"};
  server.send_joined("fills", 9);
  EXPECT_EQ(server.heard(), Lines{"resync rest incomplete"});
}

TEST(StreamClient, WaitsUntilRestShowsWhatTheStreamHasTold) {
  for (const bool comes : {true, false}) {
    ScriptedServer server({fills});
    (void)server.heard();
    server.send_joined("fills", 0);
    server.send_fill(1, "a");
    server.send_text(R"({"op":"out_of_sync","channel":"fills","market":null,"oldest_seq":3})");
    EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..2"}));
    server.rows = {"a"};
    if (comes) server.late = {"b", "c"};
    server.send_joined("fills", 3);
    server.send_fill(4, "d");
    const Lines all{"rest b", "rest c", "resync rest", "event d"};
    EXPECT_EQ(server.heard(), comes ? all : (Lines{"resync rest incomplete", "event d"}));
  }
}

// The event behind the gap tells how many rows there are, whatever the refusal says.
TEST(StreamClient, WaitsForTheRowsOfAGapWhoseReplayIsRefused) {
  for (const char* oldest : {"null", "1", "2", "3"}) {
    for (const bool comes : {true, false}) {
      ScriptedServer server({fills});
      (void)server.heard();
      server.send_joined("fills", 0);
      server.send_fill(1, "a");
      server.send_fill(3, "c");
      EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..2"})) << oldest;
      server.send_out_of_sync(oldest);
      EXPECT_EQ(server.heard(), Lines{}) << "the gap was told";
      server.rows = {"a"};
      if (comes) server.late = {"b", "c"};
      server.send_joined("fills", 3);
      server.send_fill(4, "d");
      const Lines all{"rest b", "rest c", "resync rest", "event d"};
      EXPECT_EQ(server.heard(), comes ? all : (Lines{"resync rest incomplete", "event d"})) << oldest;
    }
  }
}

TEST(StreamClient, WaitsForTheRowsOfAGapThatNoReplayFills) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  std::uint64_t seq = 3;
  for (std::size_t i = 0; i < stream_limits::repairs_max; ++i, ++seq) {
    server.send_fill(seq, "ahead");
    server.send_joined("fills", seq);
  }
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "gap 2..2"}));
  server.send_fill(seq, "ahead");
  EXPECT_EQ(server.heard(), Lines{});
  EXPECT_EQ(server.wire.told.back(), R"({"op":"subscribe","channel":"fills"})") << "no replay again";
  server.rows = {"a"};
  server.late = {"b", "c", "d", "e", "f"};
  server.send_joined("fills", seq);
  EXPECT_EQ(server.heard(), (Lines{"rest b", "rest c", "rest d", "rest e", "rest f", "resync rest"}));
}

TEST(StreamClient, WaitsForTheRowsOfAReconnectionThatIsRefused) {
  struct Row {
    std::uint64_t join;
    bool comes;
    Lines heard;
  };
  const Row table[] = {{2, false, {"resync rest"}},  // nothing happened meanwhile
                       {3, true, {"rest c", "resync rest"}},
                       {3, false, {"resync rest incomplete"}}};
  for (const Row& row : table) {
    ScriptedServer server({fills});
    (void)server.heard();
    server.send_joined("fills", 0);
    server.send_fill(1, "a");
    server.send_fill(2, "b");
    server.cut();
    (void)server.heard();
    server.clock.advance(stream_limits::backoff_ms_max);
    (void)server.heard();
    server.rows = {"a", "b"};
    if (row.comes) server.late = {"c"};
    server.send_out_of_sync();
    EXPECT_EQ(server.heard(), Lines{"gap 3..?"});
    server.paused_ms = 0;
    server.send_joined("fills", row.join);
    EXPECT_EQ(server.heard(), row.heard);
    EXPECT_EQ(server.paused_ms > 0, row.join > 2);
  }
}

// The numbers that a revert took back have no rows.
TEST(StreamClient, DoesNotWaitAfterARevert) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.send_out_of_sync();
  (void)server.heard();
  server.rows = {"a"};
  server.send_joined("fills", 9);
  EXPECT_EQ(server.heard(), Lines{"resync rest"});
  EXPECT_EQ(server.paused_ms, 0);
}

TEST(StreamClient, AServerThatEndsEachSubscriptionIsLeftForLongerEachTime) {
  ScriptedServer server({fills});
  std::vector<std::int64_t> pauses;
  while (pauses.size() < 5) {
    const auto news = server.client.next(1'000'000);
    if (!news || news->kind == StreamNews::Kind::connected) {
      server.send_joined("fills", 0);
      for (int i = 0; i < 10; ++i) server.send_out_of_sync();
    }
    if (news && news->kind == StreamNews::Kind::disconnected) pauses.push_back(news->retry_ms);
  }
  EXPECT_GE(pauses.back(), (stream_limits::backoff_ms << 4) / 2);
}

TEST(StreamClient, StartsOverWhenRestFailsDuringARepair) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.send_out_of_sync();
  (void)server.heard();
  server.rows = {"a", "b"};
  server.rest_refusal = LinkRefusal{.code = "no_connection", .reason = "refused"};
  server.send_joined("fills", 5);
  server.send_fill(6, "c");
  EXPECT_EQ(server.heard(), (Lines{"disconnected no_connection"}));
  server.clock.advance(stream_limits::backoff_ms_max);
  EXPECT_EQ(server.heard(), Lines{"connected"});
  server.rows.push_back("c");
  server.send_joined("fills", 6);
  EXPECT_EQ(server.heard(), (Lines{"rest b", "rest c", "resync rest"})) << "the gap was told before";
}

TEST(StreamClient, ResumesAfterALostConnectionAndChecksThatItIsTheSameStream) {
  ScriptedServer server({fills});
  server.begin_with_a_fill();
  server.cut();
  EXPECT_EQ(server.heard(), (Lines{"subscribed 0", "event a", "disconnected connection_lost"}));
  server.clock.advance(stream_limits::backoff_ms_max);
  EXPECT_EQ(server.heard(), Lines{"connected"});
  EXPECT_EQ(server.wire.told, Lines{R"({"op":"subscribe","channel":"fills","since":0})"}) << "one event back";
  server.send_joined("fills", 2);
  server.send_fill(1, "a");
  server.send_fill(2, "b");
  EXPECT_EQ(server.heard(), Lines{"event b"});

  // Another life of the server: sequence 2 is a different event.
  server.cut();
  (void)server.heard();
  server.clock.advance(stream_limits::backoff_ms_max);
  (void)server.heard();
  server.rows = {"a", "b", "x", "y"};
  server.send_joined("fills", 3);
  server.send_fill(2, "x");
  EXPECT_EQ(server.heard(), Lines{"gap 3..?"});
  server.send_joined("fills", 3);
  EXPECT_EQ(server.heard(), (Lines{"rest x", "rest y", "resync rest"}));
}

TEST(StreamClient, ContinuesFromTheMarksOfARunKilledAtAnyPoint) {
  for (const bool forgotten : {false, true}) {
    const Lines all{"a", "b", "c", "d", "e"};
    for (std::size_t killed_after = 0; killed_after <= all.size(); ++killed_after) {
      Lines got;
      StreamMarks marks;
      {
        ScriptedServer first({fills});
        (void)first.heard();
        first.send_joined("fills", 0);
        (void)first.client.next(0);
        for (std::size_t i = 0; i < all.size(); ++i) first.send_fill(i + 1, all[i]);
        for (std::size_t i = 0; i < killed_after; ++i) got.push_back(ScriptedServer::line(*first.client.next(0)));
        const auto word = parse_stream_marks(to_string(first.client.marks()));
        ASSERT_TRUE(word) << word.error();
        marks = *word;
      }
      ScriptedServer second({fills}, marks);
      second.rows = all;
      (void)second.heard();
      if (forgotten) {
        second.send_out_of_sync();
        (void)second.heard();
        second.send_joined("fills", 1'000);
      } else {
        second.send_joined("fills", all.size());
        const std::size_t first_sent = killed_after == 0 ? 1 : killed_after;
        for (std::size_t seq = first_sent; seq <= all.size(); ++seq) second.send_fill(seq, all[seq - 1]);
      }
      for (const std::string& line : second.heard())
        if (line.starts_with("event") || line.starts_with("rest"))
          got.push_back("event " + line.substr(line.find(' ') + 1));
      EXPECT_EQ(got, (Lines{"event a", "event b", "event c", "event d", "event e"}))
          << "killed after " << killed_after << (forgotten ? ", forgotten" : "");
    }
  }
}

TEST(StreamClient, ReadsTheStateAgainForChannelsThatBeginWithIt) {
  ScriptedServer server({positions});
  (void)server.heard();
  const auto event = [&](std::uint64_t seq, const char* id, bool snapshot) {
    server.send_text("{\"op\":\"event\",\"channel\":\"positions\",\"seq\":" + std::to_string(seq) +
                     (snapshot ? ",\"snapshot\":true" : "") + ",\"payload\":{\"id\":\"" + id + "\"}}");
  };
  server.send_joined("positions", 3);
  event(3, "p", true);
  event(4, "q", false);
  event(6, "s", false);
  EXPECT_EQ(server.heard(), (Lines{"subscribed 3", "state p", "event q", "gap 5..5"}));
  EXPECT_EQ(server.wire.told.size(), 2u);
  server.send_joined("positions", 6);
  event(6, "s", true);
  EXPECT_EQ(server.heard(), (Lines{"resync snapshot", "state s"}));
}

// Only the sandbox marks the events of a snapshot.
TEST(StreamClient, ReportsAStateWithoutMarksOnce) {
  ScriptedServer server({positions});
  (void)server.heard();
  const auto event = [&](std::uint64_t seq, const char* id, bool snapshot = false) {
    server.send_text("{\"op\":\"event\",\"channel\":\"positions\",\"seq\":" + std::to_string(seq) +
                     (snapshot ? ",\"snapshot\":true" : "") + ",\"payload\":{\"id\":\"" + id + "\"}}");
  };
  server.send_joined("positions", 7);
  event(7, "p");
  event(7, "q");
  event(7, "p");
  event(8, "p2");
  event(7, "r");
  EXPECT_EQ(server.heard(), (Lines{"subscribed 7", "state p", "state q", "event p2"}));
  event(10, "p4");
  EXPECT_EQ(server.heard(), Lines{"gap 9..9"});
  server.send_joined("positions", 10);
  event(10, "p4");
  event(10, "q");
  EXPECT_EQ(server.heard(), (Lines{"resync snapshot", "state p4", "state q"})) << "also what it told before";
  server.cut();
  (void)server.heard();
  server.clock.advance(stream_limits::backoff_ms_max);
  (void)server.heard();
  server.send_joined("positions", 10);
  event(10, "p4", true);
  event(10, "p4");
  event(11, "p5");
  EXPECT_EQ(server.heard(), (Lines{"resync snapshot", "state p4", "event p5"})) << "the marked one is the state";
}

TEST(StreamClient, WaitsLongerAfterEachFailureAndObeysRetryAfter) {
  ScriptedServer server({fills});
  server.refusal = LinkRefusal{.status = 429, .code = "ws_conn_limit_exceeded", .reason = "429", .retry_after_ms = 0};
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 10; ++i) {
    const auto news = server.client.next(1'000'000);
    ASSERT_TRUE(news);
    pauses.push_back(news->retry_ms);
  }
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    const std::int64_t ceiling = std::min(stream_limits::backoff_ms << i, stream_limits::backoff_ms_max);
    EXPECT_GE(pauses[i], ceiling / 2);
    EXPECT_LE(pauses[i], ceiling);
  }
  server.refusal->retry_after_ms = 100'000;
  EXPECT_EQ(server.client.next(1'000'000)->retry_ms, 100'000);
  server.refusal->permanent = true;
  EXPECT_TRUE(server.client.next(1'000'000)->final);
  EXPECT_FALSE(server.client.next(1'000'000));
}

TEST(StreamClient, DoesNotMixIntervalsThatTheServerDoesNotName) {
  const auto candles = [](const char* interval) {
    return StreamKey{.channel = StreamChannel::candles, .market = "BTC", .interval = interval};
  };
  const auto send = [](ScriptedServer& server, const std::string& op, const std::string& interval) {
    server.send_text("{\"op\":\"" + op + "\",\"channel\":\"candles\",\"market\":\"BTC\"" + interval + "}");
  };
  ScriptedServer one({candles("1s")});
  (void)one.heard();
  send(one, "subscribed", ",\"seq_at_join\":3");
  send(one, "event", ",\"seq\":4,\"payload\":{\"id\":\"a\"}");
  EXPECT_EQ(one.heard(), (Lines{"subscribed 3", "event a"})) << "there is only one that it can be";

  ScriptedServer named({candles("1s"), candles("1m")});
  (void)named.heard();
  send(named, "subscribed", ",\"interval\":\"1s\",\"seq_at_join\":3");
  send(named, "subscribed", ",\"interval\":\"1m\",\"seq_at_join\":1");
  send(named, "event", ",\"interval\":\"1m\",\"seq\":2,\"payload\":{\"id\":\"b\"}");
  EXPECT_EQ(named.heard(), (Lines{"subscribed 3", "subscribed 1", "event b"}));
  send(named, "event", ",\"seq\":4,\"payload\":{\"id\":\"c\"}");
  EXPECT_EQ(named.heard(), Lines{"error several_intervals"});

  ScriptedServer unnamed({candles("1s"), candles("1m")});
  (void)unnamed.heard();
  send(unnamed, "subscribed", ",\"seq_at_join\":3");
  send(unnamed, "subscribed", ",\"seq_at_join\":1");
  const auto refused = unnamed.client.next(0);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, "several_intervals");
  EXPECT_TRUE(refused->final);
  EXPECT_NE(refused->text.find("candles/BTC"), std::string::npos) << refused->text;
  EXPECT_FALSE(unnamed.client.next(1'000));
}

TEST(StreamClient, PingsASilentServerAndLeavesADeadOne) {
  ScriptedServer server({fills});
  (void)server.heard();
  server.send_joined("fills", 0);
  (void)server.heard();
  EXPECT_FALSE(server.client.next(stream_limits::ping_ms));
  EXPECT_FALSE(server.client.next(1));
  EXPECT_EQ(server.wire.pings, 1u);
  server.wire.incoming.push_back({.kind = LinkEvent::Kind::pong});
  EXPECT_FALSE(server.client.next(stream_limits::silence_ms_max - 1)) << "the pong counts";
  const auto news = server.client.next(stream_limits::silence_ms_max);
  ASSERT_TRUE(news);
  EXPECT_EQ(ScriptedServer::line(*news), "disconnected silent_server");
}

TEST(StreamMarks, RoundTripAsOneWord) {
  StreamMarks marks;
  marks[fills] = {.seq = 41, .row_id = "f-1"};
  marks[{.channel = StreamChannel::trades, .market = "BTC"}] = {.seq = 7, .row_id = ""};
  marks[{.channel = StreamChannel::candles, .market = "BTC", .interval = "1m"}] = {.seq = 9, .row_id = {}};
  EXPECT_EQ(to_string(marks), "trades/BTC=7:,candles/BTC/1m=9,fills=41:f-1");
  EXPECT_EQ(*parse_stream_marks(to_string(marks)), marks);
  for (const char* bad : {"fills", "fills=", "fills=x", "nothing=1", "trades=1", "fills=1,fills=2", "fills/BTC=1"})
    EXPECT_FALSE(parse_stream_marks(bad)) << bad;
}

std::string book_payload(const std::string& bids, const std::string& asks, int nonce = 1) {
  return "{\"symbol\":\"BTC\",\"bids\":[" + bids + "],\"asks\":[" + asks + "],\"nonce\":" + std::to_string(nonce) + "}";
}

TEST(LiveBook, ReturnsTheNewestBookOrTheReasonWhyNot) {
  LiveBook live("BTC");
  const auto doubt = [&](TimestampMs now_ms) {
    const auto read = live.read(now_ms, 0);
    return read ? std::optional<std::string>() : read.error();
  };
  const auto event = [&](const std::string& payload) {
    live.take({.kind = StreamNews::Kind::event, .key = book, .payload = payload});
  };
  EXPECT_EQ(doubt(0), "no book has come yet");
  event(book_payload("[99.5,1],[99,2]", "[100,1]", 5));
  ASSERT_FALSE(doubt(0));
  EXPECT_EQ((*live.read(0, 0))->bids.size(), 2u);
  EXPECT_EQ(format_decimal((*live.read(0, 0))->bids[0].price), "99.5");
  EXPECT_FALSE(doubt(stream_limits::silence_ms_max));
  EXPECT_EQ(doubt(stream_limits::silence_ms_max + 1), "the server is silent");

  live.take({.kind = StreamNews::Kind::disconnected, .text = "cut"});
  EXPECT_EQ(doubt(0), "the connection is lost: cut") << "whatever it knew";
  live.take({.kind = StreamNews::Kind::resync, .key = book, .repair = StreamRepair::snapshot});
  event(book_payload("[99,1]", "[100,1]", 2));
  EXPECT_FALSE(doubt(0)) << "another connection may count anew";
  event(book_payload("[99,1]", "[100,1]", 1));
  EXPECT_EQ(doubt(0), "the last book is older than the one before it");

  event(book_payload("[9.95E+1,1e-05],[90e-1,2.50e2]", "[1e2,1]", 9));
  ASSERT_FALSE(doubt(0)) << "a number of JSON may have an exponent";
  const auto& bids = (*live.read(0, 0))->bids;
  EXPECT_EQ(format_decimal(bids[0].price) + " " + format_decimal(bids[0].size), "99.5 0.00001");
  EXPECT_EQ(format_decimal(bids[1].price) + " " + format_decimal(bids[1].size), "9 250");

  for (const std::string& payload :
       {book_payload("[99,1e]", ""), book_payload("[99,1e400]", ""), book_payload("[99,e1]", ""),
        book_payload("[100,1]", "[100,1]"), book_payload("[99,1],[99,1]", ""), book_payload("", "[101,1],[100,1]"),
        book_payload("[99,0]", ""), book_payload("[-1,1]", ""), book_payload("[99]", ""), std::string("{\"bids\":[]}"),
        std::string("[]")}) {
    event(book_payload("[99,1]", "[100,1]", 9));
    event(payload);
    EXPECT_TRUE(doubt(0).value_or("").starts_with("the last book contradicts itself: ")) << payload;
    live.take({.kind = StreamNews::Kind::gap, .key = book});
  }
}

// D-1104
TEST(StreamClient, TwoProgramsOfAnAccountMayReconnectTogether) {
  const std::uint32_t per_second = limits_of(default_tier).ws_frames_per_second;
  EXPECT_LE(2 * stream_limits::frames_at_once, limits::stream_frame_burst * per_second);
  EXPECT_LE(2 * second_ms / stream_limits::frame_every_ms, per_second);
}

}  // namespace SVC_FILE
}  // namespace svc::api
