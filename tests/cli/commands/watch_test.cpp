// `svc watch` against the sandbox in this process.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>

#include "cli/client/watch_loop.h"
#include "cli/client_machine.h"
#include "cli/stream_line.h"

namespace svc::cli {
namespace SVC_FILE {

const std::string btc = "BTC-USDX-PERP";

std::vector<Json> lines_of(const RunResult& ran) {
  std::vector<Json> lines;
  std::string_view rest = ran.out;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    auto line = parse_json(rest.substr(0, end));
    EXPECT_TRUE(line) << rest.substr(0, end);
    if (line) lines.push_back(std::move(*line));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return lines;
}

std::vector<Json> of_type(const std::vector<Json>& lines, std::string_view type) {
  std::vector<Json> found;
  for (const Json& line : lines)
    if (line.string_at("type") == type) found.push_back(line);
  return found;
}

// Alice makes an order, bob takes it, alice watches.
struct Venue : ClientMachine {
  Venue() {
    variables["SVC_NETWORK"] = "local";
    add_trader("bob");
    add_trader("alice");
  }
  void trade(const std::string& size = "0.1") {
    EXPECT_EQ(run("--signer alice sell " + size + " " + btc + " @ 60000").exit, 0);
    EXPECT_EQ(run("--signer bob buy " + size + " " + btc + " @ 60000").exit, 0);
  }
};

TEST(Watch, PrintsTypedLinesForFillsAndTheEnd) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade(); }, [&] { machine.trade("0.2"); }};
  const RunResult ran = machine.run("watch fills --count 2");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto lines = lines_of(ran);
  const auto events = of_type(lines, "event");
  ASSERT_EQ(events.size(), 2u) << ran.out;
  EXPECT_EQ(events[0].string_at("payload.size"), "0.1");
  EXPECT_EQ(events[1].string_at("payload.size"), "0.2");
  EXPECT_EQ(events[1].integer_at("seq"), *events[0].integer_at("seq") + 1);
  EXPECT_EQ(lines.back().string_at("type"), "end");
  EXPECT_EQ(lines.back().string_at("meta.reason"), "count");
  EXPECT_EQ(lines.back().string_at("meta.cursor"), events[1].string_at("cursor"));
}

TEST(Watch, EndsOnAQuietMarketWhenItsReaderIsGone) {
  Venue machine;
  machine.meanwhile = {[&] { machine.reader_is_gone = true; }};
  const RunResult ran = machine.run("watch trades BTC-USDX-PERP");
  EXPECT_EQ(ran.exit, 141) << ran.out;
  EXPECT_TRUE(of_type(lines_of(ran), "event").empty());
}

TEST(Watch, FiltersEachLineWithJq) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade(); }, [&] { machine.trade("0.2"); }};
  const RunResult ran = machine.run("watch fills --count 2 --jq 'select(.type==\"event\")|.payload.size'");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "0.1\n0.2\n");
  // A status line has no payload and is not an event.
  machine.meanwhile = {[&] { machine.trade("0.4"); }};
  EXPECT_EQ(machine.run("watch fills --count 1 --jq .payload.size").out, "0.4\n");
  // With -o json there is one document, which the expression filters.
  machine.meanwhile = {[&] { machine.trade("0.3"); }};
  EXPECT_EQ(machine.run("watch fills --count 1 -o json --jq '.data|map(select(.type==\"event\"))[0].payload.size'").out,
            "0.3\n");
  for (const std::string format : {"csv", "tsv"}) {
    const RunResult refused = machine.run("watch fills --count 1 -o " + format);
    EXPECT_EQ(refused.exit, 2) << format;
    EXPECT_TRUE(has(refused.err, "has no columns"));
  }
}

// What is stored says how things look, not whether they run.
TEST(Watch, GoesOnWithoutAStoredFormatThatItCannotHave) {
  Venue machine;
  ASSERT_EQ(machine.run("config set output csv").exit, 0);
  const RunResult lines = machine.run("watch fills --for 1s");
  EXPECT_EQ(lines.exit, 0) << lines.err;
  EXPECT_EQ(of_type(lines_of(lines), "status").size(), 2u) << lines.out;
  EXPECT_TRUE(has(lines.err, "output = csv; not used, because the stream has no columns"));
  EXPECT_EQ(machine.run("watch fills --for 1s -o csv").exit, 2) << "it was typed";
  EXPECT_FALSE(has(machine.run("guard -- ./bot").err, "-o csv"));
  ASSERT_EQ(machine.run("config set output json").exit, 0);
  EXPECT_EQ(machine.run("orders list --fields side,size").exit, 0);
  machine.meanwhile = {[] { ::raise(SIGTERM); }};
  EXPECT_EQ(machine.run("watch fills").exit, 143) << "until a signal comes";
  int requests = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/trades") != std::string::npos && ++requests % 2 == 0) ::raise(SIGTERM);
    return std::nullopt;
  };
  for (const std::string line : {"markets trades btc --follow", "markets trades btc --watch=1"})
    EXPECT_EQ(machine.run(line).exit, 143) << line;
  for (const std::string line : {"markets trades btc --follow", "markets trades btc --watch=1", "watch fills"})
    EXPECT_EQ(machine.run(line + " --json").exit, 2) << line;
}

TEST(Watch, RefusesATemplate) {
  Venue machine;
  machine.out_is_terminal = true;  // where the first two are pages
  for (const std::string line : {"watch trades BTC-USDX-PERP", "watch positions", "watch fills --count 1",
                                 "watch --public stats --count 1", "ws raw --count 1", "guard -- true"}) {
    const RunResult refused = machine.run("--template '{type}' " + line);
    EXPECT_EQ(refused.exit, 2) << line;
    EXPECT_TRUE(has(refused.err, " has no columns; -o ndjson prints")) << line << refused.err;
    EXPECT_EQ(refused.out, "") << line;
  }
  EXPECT_TRUE(has(machine.run("watch top --template x").err, "no --template"));
}

TEST(Watch, FiltersFollowedRowsWithJq) {
  Venue machine;
  machine.trade();
  machine.trade("0.2");
  machine.intercept = terminated_at(2, "/trades");
  const RunResult ran = machine.run("markets trades btc --follow --jq .amount");
  EXPECT_EQ(ran.exit, 143);
  EXPECT_EQ(ran.out, "0.1\n0.2\n") << ran.err;
}

TEST(Watch, EndsByTimeConditionOrClosedPipe) {
  Venue machine;
  EXPECT_EQ(machine.run("watch fills --for 5s").exit, 0);
  const RunResult late = machine.run("watch fills --count 1 --for 5s");
  EXPECT_EQ(late.exit, 17) << late.err;
  for (const std::string condition : {"payload.amount >= 0.3", "type=event && payload.amount=0.3"}) {
    machine.meanwhile = {[&] { machine.trade(); }, [&] { machine.trade("0.3"); }, [&] { machine.trade(); }};
    const RunResult until = machine.run({"watch", "trades", btc, "--until", condition});
    EXPECT_EQ(until.exit, 0) << until.err;
    EXPECT_EQ(of_type(lines_of(until), "event").size(), 2u);
  }
  EXPECT_EQ(machine.run({"watch", "trades", btc, "--until", "type=event &&"}).exit, 2);
  machine.meanwhile = {[&] { ::raise(SIGINT); }};
  const RunResult stopped = machine.run("watch fills");
  EXPECT_EQ(stopped.exit, 130);
  EXPECT_EQ(lines_of(stopped).back().string_at("meta.reason"), "interrupted");
  machine.reader_is_gone = true;
  EXPECT_EQ(machine.run("watch fills").exit, 141);
}

TEST(Watch, WhatWasGivenUpAtItsEndIsNoLostConnection) {
  Venue machine;
  bool by_signal = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.find("/ws/token") == std::string::npos) return std::nullopt;
    by_signal ? static_cast<void>(::raise(SIGINT)) : machine.clock.advance(10 * second_ms);
    return unanswered(api::Delivery::unknown, "timed out");
  };
  const RunResult over = machine.run("watch fills --for 5s --retries 0");
  EXPECT_EQ(over.exit, 0) << over.err;
  EXPECT_EQ(lines_of(over).back().string_at("meta.reason"), "for");
  EXPECT_TRUE(of_type(lines_of(over), "disconnected").empty()) << over.out;
  by_signal = true;
  const RunResult stopped = machine.run("watch fills --retries 0");
  EXPECT_EQ(stopped.exit, 130) << stopped.err;
  EXPECT_TRUE(of_type(lines_of(stopped), "disconnected").empty()) << stopped.out;
}

TEST(Watch, AnOutputThatCannotBeWrittenEndsItAsInOtherCommands) {
  Venue machine;
  machine.trade();
  machine.disk_is_full = true;
  for (const std::string& line :
       {std::string("watch fills"), std::string("watch fills --snapshot --jq .payload"), "watch --public trades " + btc,
        std::string("watch fills --snapshot"), std::string("ws raw --for 1s"), "markets trades " + btc + " --follow",
        std::string("local requests --follow"), std::string("watch positions -o table --count 1")}) {
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, 1) << line << ran.err;
    EXPECT_TRUE(has(ran.err, "standard output cannot be written")) << line << ran.err;
  }
}

TEST(Watch, ReportsLostEventsAndResyncs) {
  Venue machine;
  const RunResult rule = machine.run("local fault add --route /ws --ws gap --count 1");
  ASSERT_EQ(rule.exit, 0) << rule.err << rule.out;
  machine.meanwhile = {[&] { machine.trade("0.1"); }, [&] { machine.trade("0.2"); }};
  const RunResult ran = machine.run("watch fills --count 2");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto lines = lines_of(ran);
  ASSERT_EQ(of_type(lines, "gap").size(), 1u) << ran.out;
  const auto events = of_type(lines, "event");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].string_at("payload.size"), "0.1");
  EXPECT_EQ(of_type(lines, "resync").front().string_at("by"), "replay");

  ASSERT_EQ(machine.run("local fault add --route /ws --ws gap --count 1").exit, 0);
  machine.meanwhile = {[&] { machine.trade(); }, [&] { machine.trade(); }};
  EXPECT_EQ(machine.run("watch fills --count 2 --fail-on-gap").exit, 18);
}

TEST(Watch, ReconnectsWithAFreshTokenAndMissesNothing) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade("0.1"); },
                       [&] {
                         machine.cut_streams();
                         machine.trade("0.2");
                       }};
  const std::size_t opened = machine.streams_opened;
  const RunResult ran = machine.run("watch fills --count 2 --fail-on-gap");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(machine.streams_opened, opened + 2);
  const auto events = of_type(lines_of(ran), "event");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].string_at("payload.size"), "0.2");
}

TEST(Watch, ContinuesFromACursorEvenIfTheServerForgotIt) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade("0.1"); }};
  const auto first = of_type(lines_of(machine.run("watch fills --count 1")), "event");
  ASSERT_EQ(first.size(), 1u);
  const std::string cursor = first.back().text_at("cursor");
  machine.trade("0.2");
  machine.trade("0.3");
  const RunResult second = machine.run({"watch", "fills", "--from", cursor, "--for", "1s"});
  auto events = of_type(lines_of(second), "event");
  ASSERT_EQ(events.size(), 2u) << second.out;
  EXPECT_EQ(events[0].string_at("payload.size"), "0.2");
  EXPECT_EQ(events[0].string_at("source"), "stream");

  // With a sequence number that the server never had, the rows after the marked one are read by REST.
  const std::string other = cursor.substr(0, cursor.find("fills=")) + "fills=999999" + cursor.substr(cursor.rfind(':'));
  const RunResult third = machine.run({"watch", "fills", "--from", other, "--for", "1s"});
  events = of_type(lines_of(third), "event");
  ASSERT_EQ(events.size(), 2u) << third.out;
  EXPECT_EQ(events[0].string_at("payload.size"), "0.2");
  EXPECT_EQ(events[0].string_at("source"), "rest");
  EXPECT_EQ(of_type(lines_of(third), "resync").front().string_at("by"), "rest");

  const RunResult wider = machine.run({"watch", "fills", "orders", "positions", "--from", cursor, "--for", "1s"});
  EXPECT_TRUE(has(wider.err, "the cursor holds nothing of orders: what came before now is not told"));
  EXPECT_FALSE(has(wider.err, "nothing of fills"));
  EXPECT_FALSE(has(wider.err, "nothing of positions")) << "it begins with the present state";
  EXPECT_EQ(machine.run({"watch", "fills", "--from", "testnet" + cursor.substr(5), "--for", "1s"}).exit, 2);
  EXPECT_EQ(machine.run("watch fills --from nonsense --for 1s").exit, 2);
}

// Orders that ended meanwhile are read back to the last end that was told.
TEST(Watch, ReadsEveryOrderThatEndedIfTheServerForgotThem) {
  Venue machine;
  const auto place_and_cancel = [&](int count) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(machine.run("buy 0.01 " + btc + " @ 50000").exit, 0);
    EXPECT_EQ(machine.run("orders cancel-all").exit, 0);
  };
  machine.meanwhile = {[&] { place_and_cancel(1); }};
  const auto first =
      of_type(lines_of(machine.run("watch orders --until payload.OrderUpdate.order.status=Cancelled")), "event");
  ASSERT_FALSE(first.empty());
  const std::string cursor = first.back().text_at("cursor");
  place_and_cancel(120);
  const auto after = [&](const std::string& mark) {
    const std::string from = cursor.substr(0, cursor.find("orders=")) + "orders=999999" + mark;
    return lines_of(machine.run({"watch", "orders", "--from", from, "--for", "1s"}));
  };
  const auto known = after(cursor.substr(cursor.rfind(':')));
  EXPECT_EQ(of_type(known, "event").size(), 120u);
  EXPECT_TRUE(of_type(known, "resync").front().at("complete")->truth());
  const auto unknown = after("");
  EXPECT_EQ(of_type(unknown, "event").size(), 100u);
  EXPECT_FALSE(of_type(unknown, "resync").front().at("complete")->truth()) << "one of 121 is not among the newest 100";
}

// A sandbox that goes back gives the ids of orders out again.
TEST(Watch, AnOrderAfterARevertIsNotTakenForTheLastOneThatEnded) {
  Venue machine;
  const auto place_and_cancel = [&] {
    for (const std::string price : {"50000", "50001"})
      EXPECT_EQ(machine.run("buy 0.01 " + btc + " @ " + price).exit, 0);
    EXPECT_EQ(machine.run("orders cancel-all").exit, 0);
  };
  ASSERT_EQ(machine.run("local snapshot before").exit, 0);
  machine.meanwhile = {place_and_cancel};
  const auto told = of_type(lines_of(machine.run("watch orders --count 4")), "event");
  ASSERT_EQ(told.size(), 4u);
  const std::string cursor = told.back().text_at("cursor");
  ASSERT_EQ(machine.run("local revert before").exit, 0);
  place_and_cancel();
  const auto lines = lines_of(machine.run({"watch", "orders", "--from", cursor, "--for", "1s"}));
  EXPECT_FALSE(of_type(lines, "resync").front().truth_at("complete"));
  std::set<std::string> ids;
  for (const Json& event : of_type(lines, "event")) ids.insert(event.text_at("payload.OrderHistory.id"));
  EXPECT_EQ(ids.size(), 2u) << "both are told";
  EXPECT_TRUE(ids.contains(told.back().text_at("payload.OrderUpdate.order.id"))) << "under the ids of before";
}

TEST(Watch, BeginsWithASnapshot) {
  Venue machine;
  machine.trade("0.1");
  ASSERT_EQ(machine.run("--signer alice sell 0.5 " + btc + " @ 61000").exit, 0);
  const auto events = of_type(lines_of(machine.run("--signer alice watch account --snapshot --for 1s")), "event");
  std::map<std::string, int> count;
  for (const Json& event : events) ++count[event.text_at("channel")];
  EXPECT_EQ(count["fills"], 1);
  EXPECT_EQ(count["positions"], 1);
  EXPECT_EQ(count["balances"], 1);
  EXPECT_GE(count["orders"], 1);
}

TEST(Watch, RowsOfASnapshotAreEventsLikeTheOthers) {
  Venue machine;
  for (const char* size : {"0.1", "0.2", "0.3"}) machine.trade(size);
  const auto one = lines_of(machine.run("watch fills --snapshot --count 1"));
  EXPECT_EQ(of_type(one, "event").size(), 1u);
  EXPECT_FALSE(of_type(one, "event").front().string_at("cursor")) << "the other two come before any cursor";
  const RunResult until = machine.run({"watch", "fills", "--snapshot", "--until", "payload.size=0.3", "--exec",
                                       "cat >>" + (machine.home() / "seen").string()});
  EXPECT_EQ(until.exit, 0) << until.err;
  const auto rows = of_type(lines_of(until), "event");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(has(machine.read("seen"), "\"size\":\"0.1\""));
  const std::string cursor = rows.back().text_at("cursor");
  machine.meanwhile = {[&] { machine.trade("0.4"); }};
  const auto later = of_type(lines_of(machine.run({"watch", "fills", "--from", cursor, "--count", "1"})), "event");
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later.front().string_at("payload.size"), "0.4");
}

TEST(Watch, RunsACommandForEachEvent) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade("0.1"); }, [&] { machine.trade("0.2"); }};
  const std::string file = (machine.home() / "seen").string();
  const RunResult ran =
      machine.run({"watch", "fills", "--count", "2", "--notify", "--exec", "cat >>" + file + "; echo >>" + file});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const std::string seen = machine.read("seen");
  EXPECT_TRUE(has(seen, "\"size\":\"0.2\""));
  EXPECT_TRUE(has(ran.err, "fills  BTC-USDX-PERP sell 0.2 @ 60000"));
  machine.meanwhile = {[&] { machine.trade(); }};
  EXPECT_TRUE(has(machine.run("watch fills --count 1 --exec false").err, "ended with exit code 1"));
}

TEST(Watch, GivesACommandTheWholeOfALongLineWhetherItReadsItOrNot) {
  const Json line = Json::object({{"channel", "book"}, {"levels", std::string(300'000, 'x')}});
  const std::string length = std::to_string(line.dump().size() + 1);
  EXPECT_TRUE(run_hook("test $(wc -c) = " + length, line).has_value());
  EXPECT_TRUE(run_hook("true", line).has_value());
}

TEST(Watch, RefusesUnknownChannels) {
  Venue machine;
  EXPECT_EQ(machine.run("watch nonsense").exit, 2);
  EXPECT_EQ(machine.run("watch trades").exit, 2);
  EXPECT_EQ(machine.run("watch fills --interval 1m").exit, 2);
  EXPECT_EQ(machine.run("watch fills " + btc).exit, 2);
  EXPECT_EQ(machine.run("--json watch fills").exit, 2);
  const RunResult unknown = machine.run("watch trades NO-SUCH");
  EXPECT_EQ(unknown.exit, 5) << unknown.out;
  machine.variables["HOME"] = (machine.home() / "nobody").string();
  EXPECT_EQ(machine.run("watch fills").exit, 4);
}

TEST(Watch, FollowsThePublicStreamWithoutAKey) {
  Venue machine;
  machine.meanwhile = {[&] { machine.trade(); }, [&] { machine.cut_streams(); }, [&] { machine.trade("0.3"); }};
  const RunResult ran = machine.run("watch --public trades " + btc + " --count 2");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  const auto lines = lines_of(ran);
  const auto events = of_type(lines, "event");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].string_at("channel"), "trades");
  EXPECT_EQ(of_type(lines, "gap").size(), 1u) << "nothing tells what came in between";
  EXPECT_EQ(of_type(lines_of(machine.run("watch --public book --count 3")), "event").size(), 3u) << "every market";
  EXPECT_EQ(machine.run("watch --public fills").exit, 2);
}

TEST(WsCommands, WriteATokenOnlyToAFile) {
  Venue machine;
  const RunResult masked = machine.run("--json ws token");
  EXPECT_EQ(masked.exit, 0) << masked.err;
  EXPECT_EQ(masked.document().string_at("data.token"), "********");
  const std::string file = (machine.home() / "token").string();
  ASSERT_EQ(machine.run("ws token --to " + file).exit, 0);
  EXPECT_EQ(machine.read("token").size(), 49u);
  EXPECT_EQ(machine.run("ws token --to " + file).exit, 2) << "the file is there";
  EXPECT_EQ(machine.run("ws token --legacy").exit, 0);
}

TEST(WsCommands, PrintFramesUnchanged) {
  Venue machine;
  machine.input = R"({"op":"subscribe","channel":"trades","market":"BTC-USDX-PERP"})"
                  "\n";
  machine.meanwhile = {[&] { machine.trade(); }};
  const RunResult ran = machine.run("ws raw --send - --count 2");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto lines = lines_of(ran);
  ASSERT_EQ(lines.size(), 3u) << ran.out;
  EXPECT_EQ(lines[0].string_at("op"), "subscribed");
  EXPECT_EQ(lines[1].string_at("op"), "event");
  machine.input = R"({"subscribe":["book:BTC-USDX-PERP"]})"
                  "\n";
  const RunResult open = machine.run("ws raw --public --send - --count 1");
  EXPECT_EQ(lines_of(open).front().string_at("type"), "BookUpdate") << open.out;
}

TEST(WsCommands, PrintNoFrameThatMovesATerminal) {
  Venue machine;
  machine.out_is_terminal = true;
  machine.input = "{\"op\":\"subscribe\",\"channel\":\"x\u202ey\"}\n";
  const RunResult ran = machine.run("ws raw --send - --count 1");
  EXPECT_TRUE(has(ran.out, "x\\u202ey")) << ran.out << ran.err;
  EXPECT_FALSE(has(ran.out, "\u202e"));
}

TEST(WsCommands, RefuseALineThatIsNoFrame) {
  Venue machine;
  const std::string sound = R"({"op":"sync"})"
                            "\n\n";
  const std::map<std::string, std::string> reasons{{"{\"op\":\"\xff\"}", "not UTF-8"},
                                                   {std::string(watch_limits::raw_line_bytes_max + 1, 'x'), "longer"}};
  for (const auto& [line, why] : reasons) {
    machine.input = sound + line + "\n";
    const RunResult ran = machine.run("ws raw --send - --count 1");
    EXPECT_EQ(ran.exit, 2) << ran.err;
    EXPECT_TRUE(has(ran.err, "line 3: "));
    EXPECT_TRUE(has(ran.err, why));
    EXPECT_FALSE(has(ran.out, "synced")) << "nothing was sent";
  }
  machine.input = sound + std::string(watch_limits::raw_line_bytes_max, 'x') + "\n";
  EXPECT_EQ(machine.run("ws raw --send - --count 1").exit, 0) << "the edge";
}

TEST(OrderWait, EndsOnFillOtherEndOrTimeout) {
  Venue machine;
  const auto rest = [&](const std::string& flags) {
    return machine.run("--json --signer alice sell 0.1 " + btc + " @ 60000 " + flags);
  };
  const std::string id = rest("").document().text_at("data.order.id");
  ASSERT_FALSE(id.empty());
  const RunResult open = machine.run("--json --signer alice orders wait " + id + " --for open");
  EXPECT_EQ(open.exit, 0) << open.out;
  EXPECT_TRUE(has(machine.run("orders wait " + id + " --timeout 0s").err, "--timeout must"));
  const RunResult late = machine.run("--json --signer alice orders wait " + id + " --timeout 2s");
  EXPECT_EQ(late.exit, 17);
  EXPECT_EQ(late.document().string_at("data.order.status"), "Open") << "the state is known";
  // Whoever sets the clock meanwhile changes nothing of that.
  for (const std::int64_t set_by_ms : {hour_ms, -hour_ms}) {
    machine.meanwhile = {[&] {
      machine.clock.advance(set_by_ms);
      machine.uptime_ahead_ms -= set_by_ms;
    }};
    const RunResult set = machine.run("--json --signer alice orders wait " + id + " --timeout 2s");
    EXPECT_EQ(set.exit, 17);
    EXPECT_LE(set.document().integer_at("data.waited_ms").value_or(0), 3'000) << set.out;
  }
  machine.meanwhile = {[&] { machine.run("--signer bob buy 0.04 " + btc + " @ 60000"); },
                       [&] { machine.run("--signer bob buy 0.06 " + btc + " @ 60000"); }};
  const RunResult filled = machine.run("--json --signer alice orders wait " + id);
  EXPECT_EQ(filled.exit, 0) << filled.out;
  EXPECT_EQ(filled.document().string_at("data.order.status"), "Filled");
  EXPECT_EQ(filled.document().at("data.fills")->items().size(), 2u);

  machine.meanwhile = {[&] { machine.run("--signer alice orders cancel-all"); }};
  const RunResult cancelled = rest("--wait");
  EXPECT_EQ(cancelled.exit, 6) << cancelled.out;
  EXPECT_EQ(cancelled.document().string_at("data.order.status"), "Cancelled");
  EXPECT_EQ(cancelled.code(), "order_ended");
  machine.meanwhile = {[&] {
    const Json orders = machine.run("--json --signer alice orders list").document();
    machine.run("--signer alice orders amend " + orders.at("data")->items().front().text_at("id") + " --price 60001");
  }};
  const RunResult amended = rest("--wait");
  EXPECT_EQ(amended.exit, 6) << amended.out;
  EXPECT_TRUE(has(amended.document().text_at("error.message"), "another order is in its place"));
  EXPECT_EQ(machine.run("--signer alice orders cancel-all").exit, 0);
  machine.meanwhile = {[&] { machine.run("--signer bob buy 0.1 " + btc + " @ 60000"); }};
  EXPECT_EQ(rest("--wait=filled --wait-timeout 5").exit, 0);
  EXPECT_EQ(rest("--wait=nonsense").exit, 2);
  EXPECT_EQ(rest("--wait-timeout 5").exit, 2);
  EXPECT_EQ(rest("--wait=open").exit, 0);
}

// The end of the account's last stream would start the timer that cancels its orders.
TEST(OrderWait, OpensNoStreamThatCancelOnDisconnectWouldMiss) {
  Venue machine;
  EXPECT_EQ(machine.run("--signer alice account cancel-on-disconnect on").exit, 0);
  const RunResult placed = machine.run("--json --signer alice sell 0.1 " + btc + " @ 60000 --wait --wait-timeout 2s");
  EXPECT_EQ(placed.exit, 17) << placed.out;
  EXPECT_EQ(machine.streams_opened, 0U);
  const RunResult watched = machine.run("--json --signer alice watch orders --for 1s");
  EXPECT_TRUE(has(watched.out, "cancel_on_disconnect"));
  EXPECT_EQ(machine.run("--signer alice account cancel-on-disconnect off").exit, 0);
  const RunResult harmless = machine.run("--json --signer alice watch orders --for 1s");
  EXPECT_FALSE(has(harmless.out, "cancel_on_disconnect"));
}

TEST(OrderWait, ReadsTheOrderOnceMoreBeforeItGivesUp) {
  Venue machine;
  const RunResult placed = machine.run("--json --signer alice sell 0.1 " + btc + " @ 60000");
  const std::string id = placed.document().text_at("data.order.id");
  EXPECT_EQ(machine.run("local fault add --ws gap --count 100").exit, 0);
  machine.meanwhile = {[&] { machine.run("--signer bob buy 0.1 " + btc + " @ 60000"); }};
  const RunResult filled = machine.run("--json --signer alice orders wait " + id + " --timeout 2s");
  EXPECT_EQ(filled.exit, 0) << filled.out;
  EXPECT_EQ(filled.document().string_at("data.order.status"), "Filled");
}

TEST(OrderWait, OpensNoStreamWhileCancelOnDisconnectCannotBeRead) {
  Venue machine;
  machine.intercept =
      when(to("", "/account/cancel-on-disconnect"), answered(500, R"({"code":"internal_error","message":"m"})"));
  EXPECT_EQ(machine.run("--signer alice sell 0.1 " + btc + " @ 60000 --wait --wait-timeout 2s").exit, 17);
  EXPECT_EQ(machine.streams_opened, 0U);
  const RunResult watched = machine.run("--json --signer alice watch orders --for 1s");
  EXPECT_TRUE(has(watched.out, "whether cancel-on-disconnect is on cannot be read"));
}

TEST(OrderWait, PollsRestWithoutAStream) {
  Venue machine;
  const RunResult placed = machine.run("--json --signer alice sell 0.1 " + btc + " @ 60000");
  const std::string id = placed.document().text_at("data.order.id");
  int looks = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.target.starts_with("/orders/")) {
      if (++looks == 3) machine.run("--signer bob buy 0.1 " + btc + " @ 60000");
    }
    if (!request.target.starts_with("/ws/token")) return std::nullopt;
    return answered(403, R"({"code":"forbidden","message":"no"})");
  };
  const RunResult filled = machine.run("--json --signer alice orders wait " + id + " --timeout 10s");
  EXPECT_EQ(filled.exit, 0) << filled.out;
  EXPECT_EQ(filled.document().string_at("data.order.status"), "Filled");
  EXPECT_GE(looks, 3);
}

TEST(Watch, ADryRunOfThePublicStreamShowsItsRequest) {
  Venue machine;
  for (const std::string& line : {"watch trades " + btc + " --public", std::string("ws raw --public")}) {
    const RunResult ran = machine.run("--json --dry-run " + line + " --for 1s");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, "public_stream"));
  }
  EXPECT_EQ(machine.run("ws raw --public --count 0").exit, 2);
}

TEST(WatchFlag, RepeatsAListUntilStopped) {
  Venue machine;
  // The stream is silent, so the signal comes with the third request.
  machine.intercept = terminated_at(3, "/ticker");
  const RunResult ran = machine.run("markets ticker " + btc + " --watch=0.5 --no-header");
  EXPECT_EQ(ran.exit, 143) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3);
  EXPECT_EQ(machine.run("--json markets tickers --watch").exit, 2);
  EXPECT_EQ(machine.run("markets tickers --watch=x").exit, 2);
  EXPECT_EQ(machine.run("orders cancel-all --watch").exit, 2);
}

TEST(WatchFlag, ShowsEachRoundAsWideAsTheTerminalIsThen) {
  Venue machine;
  machine.variables.insert_or_assign("TERM", "dumb");  // which has no screen beside the one that scrolls
  machine.out_is_terminal = true;
  machine.out_columns = 200;
  const auto ended = terminated_at(4, "/markets");
  machine.intercept = [&](const api::HttpRequest& request) {
    machine.out_columns = 60;  // the first round has asked already
    return ended(request);
  };
  const RunResult ran = machine.run("markets list --watch=0.5");
  EXPECT_EQ(ran.exit, 143) << ran.err;
  const auto second = ran.out.find("market ", 1);
  ASSERT_NE(second, std::string::npos) << ran.out;
  EXPECT_TRUE(has(ran.out.substr(0, second), "status")) << ran.out;
  EXPECT_FALSE(has(ran.out.substr(second), "status")) << ran.out;
}

TEST(WatchPage, StaysOpenAndIsMarkedStaleIfTheServiceHangs) {
  TraderMachine machine;
  int answered = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/positions" || ++answered < 2) return std::nullopt;
    machine.clock.advance(machine.timeout_ms);
    return unanswered(api::Delivery::unknown, "timed out");
  };
  const TimestampMs began_ms = machine.clock.now_ms();
  const RunResult ran = machine.run("-n local watch positions -o table --count 8");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "STALE"));
  EXPECT_FALSE(has(ran.out, "\n\n\n"));  // the window is not filled up
  EXPECT_LT(machine.clock.now_ms() - began_ms, 8 * 3 * second_ms);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
