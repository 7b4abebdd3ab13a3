#include "sim/control/control_stream.h"

#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"
#include "sim/streams/world.h"

namespace svc::sim {
namespace SVC_FILE {

using streams_test::Client;

// A follower of /_svc/stream.
struct Follower {
  Follower(TestExchange& of, const std::string& query = "", const api::Headers& headers = {})
      : exchange(of), client("/_svc/stream" + query, "") {
    api::HttpRequest request = client.request();
    for (const api::Header& field : headers) request.headers.set(field.name, field.value);
    exchange.sandbox.upgrade(std::move(request), client.head(),
                             {.refuse = [this](api::HttpResponse response) { status = response.status; },
                              .accept =
                                  [this](const StreamOpened& open) {
                                    status = 101;
                                    client.opened(open);
                                  }});
  }
  ~Follower() { client.vanish(); }

  // What came by now.
  std::vector<streams_test::Json> heard(const std::string& type) {
    exchange.sandbox.pass_time();
    return client.heard("type", type);
  }
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> found;
    for (const auto& frame : heard("timeline"))
      for (const auto& entry : frame["entries"]) found.push_back(entry["number"]);
    return found;
  }

  TestExchange& exchange;
  Client client;
  int status = 0;
};

using Numbers = std::vector<std::uint64_t>;

TEST(ControlStream, BeginsWithTheStatusAndTellsEntriesAsTheyCome) {
  TestExchange exchange;
  (void)exchange.get("/v1/nowhere");
  Follower follower(exchange);
  ASSERT_EQ(follower.status, 101);
  const auto status = follower.heard("status");
  ASSERT_EQ(status.size(), 1u);
  EXPECT_EQ(status[0]["time"]["mode"], "manual");
  EXPECT_EQ(status[0]["flow"]["bots"], false);
  EXPECT_EQ(status[0]["faults"]["faults"].size(), 0u);
  EXPECT_EQ(status[0]["markets"][0]["market_id"], "BTC-USDX-PERP");
  EXPECT_EQ(status[0]["markets"][0]["status"], "active");
  (void)exchange.get("/v1/nowhere");
  EXPECT_EQ(follower.numbers(), (Numbers{2}));
  EXPECT_EQ(follower.numbers(), Numbers{});
}

TEST(ControlStream, BeginsWithTheStatusForAReaderThatAsksAtOnceToo) {
  for (const Json& frame : {Json{{"watch", 1}, {"path", "/_svc/switches"}}, Json("x")}) {
    TestExchange exchange;
    Follower follower(exchange);
    follower.client.say(frame);
    exchange.sandbox.pass_time();
    std::vector<std::string> types;
    for (const auto& heard : follower.client.heard()) types.push_back(heard["type"]);
    ASSERT_GE(types.size(), 2u);
    EXPECT_EQ(types[0], "status");
    EXPECT_EQ(types[1], frame.is_object() ? "state" : "error");
    EXPECT_EQ(std::ranges::count(types, "status"), 1);
  }
}

TEST(ControlStream, BeginsAfterAGivenEntry) {
  TestExchange exchange;
  for (int i = 0; i < 3; ++i) (void)exchange.get("/v1/nowhere");
  EXPECT_EQ(Follower(exchange, "?after=1").numbers(), (Numbers{2, 3}));
  EXPECT_EQ(Follower(exchange, "?after=0").numbers(), (Numbers{1, 2, 3}));
  // Of a sandbox that was here before.
  EXPECT_EQ(Follower(exchange, "?after=99").numbers(), (Numbers{1, 2, 3}));
  EXPECT_EQ(Follower(exchange, "?after=x").status, 400);
}

TEST(ControlStream, ReadsAreToldWhileItIsOpen) {
  TestExchange exchange;
  {
    Follower follower(exchange);
    EXPECT_EQ(exchange.get("/v1/markets").status, 200);
    EXPECT_EQ(follower.numbers(), (Numbers{1}));
  }
  EXPECT_EQ(exchange.get("/v1/markets").status, 200);
  EXPECT_EQ(exchange.get("/_svc/timeline").body["last"], 1);
}

TEST(ControlStream, TellsTheStatusAgainWhenALeverMoved) {
  TestExchange exchange;
  Follower follower(exchange);
  EXPECT_EQ(follower.heard("status").size(), 1u);
  const auto changed = [&](const char* path, const Json& body) {
    EXPECT_EQ(exchange.control(path, body).status / 100, 2) << path;
    exchange.machine.advance(limits::control_stream_look_ms);
    const auto heard = follower.heard("status");
    EXPECT_EQ(heard.size(), 1u) << path;
    return heard.empty() ? streams_test::Json() : heard.back();
  };
  EXPECT_EQ(changed("/markets/BTC-USDX-PERP/halt", {{"reason", "test"}})["markets"][0]["status"], "halted");
  EXPECT_EQ(changed("/faults", {{"operation", "list_markets"}, {"latency_ms", 1}})["faults"]["faults"].size(), 1u);
  EXPECT_EQ(changed("/time", {{"advance_ms", 5'000}})["time"]["now_ms"], test_start_ms + 5'000);
  EXPECT_EQ(changed("/prices", {{"ETH-USDX-PERP", "3100"}})["markets"][1]["by_hand"], true);
  exchange.machine.advance(limits::control_stream_look_ms);
  for (const auto& frame : follower.heard("status")) ADD_FAILURE() << frame;
}

TEST(ControlStream, TimeThatPassesIsNoNews) {
  for (const char* mode : {"real", "manual"}) {
    TestExchange exchange;
    exchange.control("/time", {{"mode", mode}});
    Follower follower(exchange);
    EXPECT_EQ(follower.heard("status").size(), 1u);
    exchange.machine.advance(5'000);
    for (const auto& frame : follower.heard("status")) ADD_FAILURE() << frame;
  }
}

TEST(ControlStream, ALaterReaderIsToldTheTimeOfNow) {
  TestExchange exchange;
  exchange.control("/time", {{"mode", "real"}});
  Follower first(exchange);
  EXPECT_EQ(first.heard("status").size(), 1u);
  exchange.machine.advance(60'000);
  Follower second(exchange);
  const auto status = second.heard("status");
  ASSERT_EQ(status.size(), 1u);
  EXPECT_EQ(status[0]["time"]["now_ms"], exchange.get("/_svc/time").body["now_ms"]);
}

Json watch(const std::string& path) {
  return {{"watch", 7}, {"path", path}};
}

TEST(ControlStream, TellsWhatIsWatchedAtOnceAndWhenItIsAnother) {
  TestExchange exchange;
  Follower follower(exchange);
  const auto heard = [&] {
    exchange.machine.advance(limits::control_stream_look_ms);
    return follower.heard("state");
  };
  follower.client.say(watch("/_svc/switches"));
  auto states = heard();
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0]["watch"], 7);
  EXPECT_EQ(states[0]["status"], 200);
  EXPECT_EQ(Json(states[0]["body"]), exchange.get("/_svc/switches").body);
  EXPECT_EQ(heard().size(), 0u);
  exchange.control("/switches", {{"credits", false}});
  states = heard();
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0]["body"]["credits"], false);
  follower.client.say({{"watch", 7}});
  exchange.control("/switches", {{"credits", true}});
  EXPECT_EQ(heard().size(), 0u);
}

TEST(ControlStream, TellsWhatIsWrongWithAFrame) {
  TestExchange exchange;
  Follower follower(exchange);
  for (const Json& frame : {Json("x"), Json{{"watch", "a"}}, Json{{"watch", 1}, {"account", "0x1"}},
                            Json{{"watch", 1}, {"pth", "/_svc/time"}}}) {
    follower.client.say(frame);
    const auto heard = follower.heard("error");
    ASSERT_EQ(heard.size(), 1u) << frame;
    EXPECT_FALSE(heard[0]["message"].get<std::string>().empty());
  }
}

TEST(ControlStream, WatchesWhatBelongsToADevelopmentAccount) {
  TestExchange exchange;
  const std::string account = exchange.get("/_svc/status").body["accounts"][0]["address"];
  Follower follower(exchange);
  const auto state = [&](Json message) {
    follower.client.say(message);
    const auto heard = follower.heard("state");
    return heard.empty() ? Json() : Json(heard.back());
  };
  const Json mine = {{"watch", 1}, {"path", "/v1/account"}, {"account", account}};
  const auto before = exchange.get("/_svc/requests").body["requests"].size();
  const Json first = state(mine);
  EXPECT_EQ(first["status"], 200);
  EXPECT_TRUE(first["body"].contains("equity")) << first;
  exchange.control("/fund", {{"account", account}, {"amount", "1"}});
  exchange.machine.advance(limits::control_stream_look_ms);
  EXPECT_NE(follower.heard("state").at(0)["body"]["equity"], first["body"]["equity"]);
  // It is no request.
  EXPECT_EQ(exchange.get("/_svc/requests").body["requests"].size(), before);
  EXPECT_EQ(exchange.get("/_svc/coverage").body["met"]["operations"], 0);

  const Json unnamed = state({{"watch", 1}, {"path", "/v1/account"}});
  EXPECT_EQ(unnamed["status"], 422);
  EXPECT_EQ(unnamed["body"]["message"], "get_account cannot be watched without an account");
  for (const auto& [path, name] : {std::pair{"/v1/keys", "list_keys"}, {"/v1/admin/tiers", "list_tiers"}}) {
    const Json keyless = state({{"watch", 1}, {"path", path}, {"account", account}});
    EXPECT_EQ(keyless["status"], 422) << path;
    EXPECT_EQ(keyless["body"]["message"], std::string(name) + " takes no API key, so it cannot be watched");
  }
  EXPECT_EQ(state({{"watch", 1}, {"path", "/v1/account"}, {"account", "0x" + std::string(40, '1')}})["status"], 404);
  EXPECT_EQ(state(watch("/v1/nowhere"))["status"], 404);
  EXPECT_EQ(state(watch("/_svc/nowhere"))["status"], 404);
  EXPECT_EQ(state(watch("/_svc/state"))["status"], 404);
  EXPECT_EQ(state(watch("/v1/stream"))["status"], 426);
}

TEST(ControlStream, WatchesAreLimited) {
  TestExchange exchange;
  Follower follower(exchange);
  for (std::size_t i = 0; i <= limits::control_stream_watches_max; ++i)
    follower.client.say({{"watch", i}, {"path", "/_svc/switches"}});
  follower.client.say_text("not JSON");
  const auto heard = follower.heard("state");
  ASSERT_EQ(heard.size(), limits::control_stream_watches_max + 1);
  for (std::size_t i = 0; i < limits::control_stream_watches_max; ++i) EXPECT_EQ(heard[i]["status"], 200);
  EXPECT_EQ(heard.back()["status"], 429);
}

TEST(ControlStream, TellsTickersAndThenThoseThatChanged) {
  TestExchange exchange;
  Follower follower(exchange);
  auto told = follower.heard("tickers");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["tickers"].size(), exchange.get("/v1/tickers").body.size());
  exchange.control("/prices", {{"ETH-USDX-PERP", "3100"}});
  exchange.machine.advance(limits::control_stream_look_ms);
  told = follower.heard("tickers");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["tickers"].size(), 1u);
  EXPECT_EQ(Json(told[0]["tickers"]["ETH-USDX-PERP"]), exchange.get("/v1/markets/ETH-USDX-PERP/ticker").body);
  exchange.machine.advance(limits::control_stream_look_ms);
  EXPECT_EQ(follower.heard("tickers").size(), 0u);
}

TEST(ControlStream, ReadsPushOutReadsOnly) {
  TestExchange exchange;
  (void)exchange.send("POST", "/v1/nowhere", "{}");
  Follower follower(exchange);
  for (std::size_t i = 0; i <= limits::timeline_reads_max; ++i) (void)exchange.get("/v1/markets");
  (void)exchange.send("POST", "/v1/nowhere", "{}");
  const std::uint64_t last = limits::timeline_reads_max + 3;
  EXPECT_EQ(exchange.get("/_svc/timeline/1").status, 200);
  EXPECT_EQ(exchange.get("/_svc/timeline/2").status, 404);
  EXPECT_EQ(exchange.get("/_svc/timeline/3").status, 200);
  const auto numbers = [&](const std::string& query) {
    Numbers found;
    const Json page = exchange.get("/_svc/timeline" + query).body;
    for (const Json& entry : page["entries"]) found.push_back(entry["number"]);
    return found;
  };
  EXPECT_EQ(numbers("?after=0&limit=3"), (Numbers{1, 3, 4}));
  EXPECT_EQ(numbers("?limit=2"), (Numbers{last - 1, last}));
  EXPECT_EQ(numbers("?before=4&limit=5"), (Numbers{1, 3}));
  EXPECT_EQ(numbers("?after=1&before=5"), (Numbers{3, 4}));
  EXPECT_EQ(numbers("?status=4xx"), (Numbers{1, last}));
}

TEST(ControlStream, ASlowReaderIsToldHowManyEntriesItLost) {
  TestExchange exchange;
  Follower follower(exchange);
  (void)follower.heard("status");
  follower.client.stall();
  // More than is kept. Those that were queued before the reader's queue was full are not lost.
  for (std::size_t i = 0; i < limits::timeline_entries_max + 3'000; ++i) {
    (void)exchange.get("/v1/nowhere");
    if (i % 100 == 0) exchange.sandbox.pass_time();
  }
  follower.client.catch_up();
  exchange.sandbox.pass_time();
  std::uint64_t next = 1;
  std::uint64_t lost = 0;
  for (const auto& frame : follower.client.heard()) {
    if (frame["type"] == "gap") {
      lost += frame["lost"].get<std::uint64_t>();
      next += frame["lost"].get<std::uint64_t>();
    }
    if (frame["type"] != "timeline") continue;
    for (const auto& entry : frame["entries"]) EXPECT_EQ(entry["number"], next++);
  }
  EXPECT_GT(lost, 0u);
  EXPECT_GT(next, limits::timeline_entries_max);
}

TEST(ControlStream, IsRefusedToPagesAndAnsweredPlainlyWithoutAnUpgrade) {
  TestExchange exchange;
  EXPECT_EQ(Follower(exchange, "", {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(Follower(exchange, "", {{"Host", "evil.example"}}).status, 403);
  const Reply plain = exchange.get("/_svc/stream");
  EXPECT_EQ(plain.status, 426);
  EXPECT_EQ(plain.headers.find("Upgrade"), "websocket");
}

TEST(ControlStream, ASeatIsFreeAgainWhenItsConnectionIsGone) {
  TestExchange exchange;
  std::vector<std::unique_ptr<Follower>> followers;
  for (std::size_t i = 0; i < limits::control_streams_max; ++i)
    followers.push_back(std::make_unique<Follower>(exchange));
  EXPECT_EQ(followers.back()->status, 101);
  EXPECT_EQ(Follower(exchange).status, 429);
  followers.pop_back();
  EXPECT_EQ(Follower(exchange).status, 101);
}

TEST(ControlStream, PingsASilentReaderAndDropsADeadOne) {
  TestExchange exchange;
  Follower follower(exchange);
  (void)follower.heard("status");
  const std::size_t before = follower.client.pings();
  exchange.machine.advance(limits::stream_ping_ms);
  (void)follower.heard("status");
  EXPECT_EQ(follower.client.pings(), before + 1);
  EXPECT_FALSE(follower.client.stream().aborted);
  exchange.machine.advance(limits::stream_silence_ms_max);
  exchange.sandbox.pass_time();
  EXPECT_TRUE(follower.client.stream().aborted);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
