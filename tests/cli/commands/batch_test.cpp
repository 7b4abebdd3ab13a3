// Orders from a file: formats, validation, and the lines that are left to send again.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "api/codec.h"
#include "cli/client/client_id.h"
#include "cli/client_machine.h"
#include "cli/commands/batch.h"

namespace svc::cli {
namespace SVC_FILE {

std::string order(std::string_view price, std::string_view more = "") {
  return R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":")" + std::string(price) +
         R"(","quantity":"0.001")" + std::string(more) + "}";
}

struct OrdersBatch : ClientMachine {
  OrdersBatch() { add_trader("alice"); }
  RunResult batch(const std::string& flags) { return run("-n local --json orders batch " + flags); }
  std::size_t batches() const {
    std::size_t count = 0;
    for (const auto& request : sent) count += request.path() == "/orders/batch" ? 1u : 0u;
    return count;
  }
};

TEST(BatchFile, FormatIsDetectedFromTheContent) {
  OrdersBatch machine;
  const std::string files[] = {order("50000") + "\n\n" + order("50001") + "\n",
                               "[" + order("50000") + "," + order("50001") + "]",
                               "market_id,side,order_type,price,quantity\nBTC-USDX-PERP,Buy,Limit,50000,0.001\n"
                               "BTC-USDX-PERP,Buy,Limit,50001,0.001\n",
                               "\xEF\xBB\xBFmarket_id,side,order_type,price,quantity\n"
                               "BTC-USDX-PERP,Buy,Limit,50000,0.001\nBTC-USDX-PERP,Buy,Limit,50001,0.001\n"};
  for (const std::string& text : files) {
    machine.input = text;
    const RunResult ran = machine.batch("-f -");
    EXPECT_EQ(ran.exit, 0) << ran.out;
    EXPECT_EQ(ran.rows().size(), 2u) << text;
  }
  machine.input = files[2];
  EXPECT_EQ(machine.batch("-f - --format ndjson").exit, 2);
}

TEST(BatchFile, FailedLinesAreWrittenToAFileThatCanBeSentAgain) {
  OrdersBatch machine;
  const auto file =
      machine.write("desk.ndjson", order("50000") + "\n" + order("50000.3", R"(,"client_id":"odd")") + "\n");
  const RunResult ran = machine.batch("-f " + file.string());
  EXPECT_EQ(ran.exit, 15);
  const std::string failed = ran.document().text_at("error.details.failed_file");
  EXPECT_EQ(failed, file.string() + ".failed");
  EXPECT_EQ(ran.document().at("error.actions")->items()[0].text(), "svc -n local orders batch -f " + failed);
  const std::string left = machine.read("desk.ndjson.failed");
  EXPECT_TRUE(has(left, R"("client_id":"odd")"));
  EXPECT_FALSE(has(left, "\"50000\""));
  // Once corrected, the order is accepted under the same id.
  std::string mended = left;
  mended.replace(mended.find("50000.3"), 7, "50000.5");
  machine.write("mended", mended);
  const RunResult again = machine.batch("-f " + (machine.home() / "mended").string());
  EXPECT_EQ(again.exit, 0) << again.out;
  EXPECT_EQ(again.rows()[0].string_at("order.client_id"), "odd");
  // A second failure does not overwrite the first one's file.
  const RunResult more = machine.batch("-f " + file.string());
  EXPECT_EQ(more.document().string_at("error.details.failed_file"), failed + ".2") << more.out;
}

TEST(BatchFile, FailedLinesAreKeptSomewhereWhateverIsInTheirPlace) {
  OrdersBatch machine;
  const std::string lines = order("50000") + "\n" + order("50000.3") + "\n";
  const std::string pipe = (machine.home() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name :
       {machine.home().string(), (machine.home() / "nodir/x").string(), pipe, std::string("-")}) {
    machine.input = lines;
    machine.sent.clear();
    EXPECT_EQ(machine.batch("-f - --failed " + name).exit, 2) << name;
    EXPECT_TRUE(machine.sent.empty()) << name;
  }
  const auto kept_in = [&](const std::string& name) {
    machine.input = lines;
    const RunResult ran = machine.batch("-f - --new-ids --failed " + name);
    EXPECT_EQ(ran.exit, 15) << ran.out;
    const std::string file = ran.document().text_at("error.details.failed_file");
    std::ifstream left(file);
    const std::string text{std::istreambuf_iterator<char>(left), {}};
    EXPECT_TRUE(has(text, "50000.3")) << file;
    return file;
  };
  const std::string there = machine.write("there", "of yesterday").string();
  EXPECT_EQ(kept_in(there), there + ".2");
  EXPECT_EQ(machine.read("there"), "of yesterday");
  const auto folder = machine.home() / "folder";
  std::filesystem::create_directory(folder);
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "POST") std::filesystem::remove(folder);
    return std::nullopt;
  };
  EXPECT_TRUE(kept_in((folder / "x").string()).starts_with(machine.state().string())) << "its folder is gone meanwhile";
}

TEST(BatchFile, FailedLinesThatCanBeKeptNowhereAreToldOf) {
  OrdersBatch machine;
  machine.input = order("50000") + "\n" + order("50000.3") + "\n";
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/orders/batch") return std::nullopt;
    std::filesystem::remove_all(machine.state() / "batch");
    machine.write(".local/state/svc/batch", "no folder");
    return std::nullopt;
  };
  const RunResult ran = machine.batch("-f -");
  EXPECT_EQ(ran.exit, 15) << ran.out;
  EXPECT_EQ(ran.document().at("error.details.failed_file"), nullptr) << ran.out;
  EXPECT_TRUE(has(ran.err, "the orders that may be sent again could not be kept: "));
}

TEST(BatchFile, FileOfFailedLinesHasNoneWithAnUnknownOutcome) {
  OrdersBatch machine;
  std::string lines;
  for (int i = 0; i < 6; ++i)
    lines += order("5000" + std::to_string(i), R"(,"client_id":"c)" + std::to_string(i) + "\"") + "\n";
  const auto file = machine.write("six.ndjson", lines);
  int seen = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() != "/orders/batch" || ++seen != 2) return std::nullopt;
    return unanswered(api::Delivery::unknown, "reset");
  };
  const RunResult ran = machine.batch("--no-reconcile --chunk 2 -f " + file.string());
  EXPECT_EQ(ran.exit, 11);
  const std::string left = machine.read("six.ndjson.failed");
  EXPECT_FALSE(has(left, "\"c0\""));
  EXPECT_FALSE(has(left, "\"c2\""));
  EXPECT_TRUE(has(left, "\"c4\""));
  EXPECT_EQ(ran.rows()[2].string_at("outcome"), "unknown");
}

TEST(BatchFile, IsValidatedCompletelyBeforeAnythingIsSent) {
  OrdersBatch machine;
  machine.input = order("50000") + "\n" + order("50000.3") + "\n" + order("1") + "\n" + order("1.2") + "\n" +
                  R"({"market_id":"XX-USDX-PERP","side":"Buy","order_type":"Market","quantity":"1"})";
  machine.sent.clear();
  const RunResult ran = machine.batch("-f - --atomic-check");
  EXPECT_EQ(ran.exit, 7) << ran.out;
  EXPECT_EQ(machine.batches(), 0u);
  const Json document = ran.document();
  const Json* lines = document.at("error.details.lines");
  ASSERT_NE(lines, nullptr);
  ASSERT_EQ(lines->items().size(), 3u) << ran.out;
  EXPECT_EQ(lines->items()[0].string_at("problem"), "price 50000.3 is not a multiple of the tick 0.5");
  EXPECT_EQ(lines->items()[1].integer_at("line"), 4);
  machine.run("-n local local halt BTC-USDX-PERP");
  machine.input = order("50000");
  EXPECT_TRUE(has(machine.batch("-f - --atomic-check").out, "is halted"));
}

// The service would accept the price and ignore it.
TEST(BatchFile, APriceThatTheTypeIgnoresIsRefused) {
  for (const std::string type : {"Market", "TrailingLimit"}) {
    OrdersBatch machine;
    machine.input = R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":")" + type +
                    R"(","quantity":"0.01","price":"50000"})";
    const RunResult ran = machine.batch("-f -");
    EXPECT_EQ(ran.exit, 2) << ran.out;
    EXPECT_TRUE(has(ran.out, "an order of type " + type + " takes no price"));
    EXPECT_EQ(machine.batches(), 0u);
  }
}

// The other lines would be placed: half of a hedge.
TEST(BatchFile, AnOrderThatLacksWhatItsTypeNeedsIsRefusedBeforeAnythingIsSent) {
  OrdersBatch machine;
  const struct {
    const char* members;
    const char* says;
  } rows[] = {
      {R"("order_type":"Limit","quantity":"0.01")", "line 2: an order of type Limit needs price"},
      {R"("order_type":"Limit","quantity":"-0.01","price":"50000")", "line 2: quantity must be above 0"},
      {R"("order_type":"Limit","quantity":"0.01","price":"-1")", "line 2: price must be above 0"},
      {R"("order_type":"Limit","quantity":"0.01","price":"50000","client_id":"a b")",
       "line 2: client_id must be 1 to 64 printable characters without blanks"},
      {R"("order_type":"StopMarket","quantity":"0.01")", "line 2: an order of type StopMarket needs trigger_price"},
      {R"("order_type":"Market","quantity":"0.01","time_in_force":"PostOnly")",
       "line 2: an order of type Market cannot be PostOnly"},
      {R"("order_type":"StopMarket","quantity":"0.01","trigger_price":"90000","stop_price":"-2")",
       "line 2: stop_price is an older name of trigger_price: give one of them"},
      {R"("order_type":"StopMarket","quantity":"0.01","stop_price":"-2")", "line 2: stop_price must be above 0"},
      {R"("order_type":"TrailingStop","quantity":"0.01")",
       "line 2: an order of type TrailingStop needs trailing_offset_bps"},
  };
  for (const auto& row : rows) {
    machine.input = order("50000") + "\n" + R"({"market_id":"BTC-USDX-PERP","side":"Buy",)" + row.members + "}";
    const RunResult ran = machine.batch("-f -");
    EXPECT_EQ(ran.exit, 2) << ran.out;
    EXPECT_EQ(ran.document().string_at("error.message"), row.says);
  }
  EXPECT_EQ(machine.batches(), 0u);
}

// Else the second run would take the order of the other line for its own.
TEST(BatchFile, WithAClientIdTwiceIsRefused) {
  OrdersBatch machine;
  machine.input = order("50000", R"(,"client_id":"x")") + "\n" + order("50001", R"(,"client_id":"x")") + "\n";
  for (const std::string flags : {"-f -", "-f - --atomic-check"}) {
    const RunResult ran = machine.batch(flags);
    EXPECT_EQ(ran.exit, 2) << ran.out;
    EXPECT_EQ(ran.document().string_at("error.message"), "line 2: client id x stands in line 1 already");
  }
  EXPECT_EQ(machine.batches(), 0u);
}

TEST(BatchFile, WithAColumnTwiceIsRefused) {
  OrdersBatch machine;
  machine.input = "market_id,side,order_type,quantity,price,price\nbtc,buy,limit,0.001,20000,21000\n";
  const RunResult ran = machine.batch("-f -");
  EXPECT_EQ(ran.exit, 2) << ran.out;
  EXPECT_EQ(ran.document().string_at("error.message"), "line 1: column price stands twice");
  EXPECT_EQ(machine.batches(), 0u);
}

TEST(BatchFile, OfListedOrdersKeepsSelfTradePreventionAndTheSlippageBound) {
  OrdersBatch machine;
  ASSERT_EQ(machine.run("-n local buy 0.001 btc @ 50000 --stp cancel-newest").exit, 0);
  ASSERT_EQ(machine.run("-n local buy 0.001 btc --type stop-market --trigger-price 62000 --max-slippage-bps 20").exit,
            0);
  machine.input = machine.run("-n local orders list -o csv").out;
  ASSERT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  ASSERT_EQ(machine.batch("-f -").exit, 0) << machine.input;
  const std::string listed = machine.run("-n local --json orders list").out;
  EXPECT_TRUE(has(listed, R"("stp":"CancelNewest")"));
  EXPECT_TRUE(has(listed, R"("max_slippage_bps":20)"));
}

TEST(BatchFile, OfListedOrdersHasAllThatMakesThem) {
  OrdersBatch machine;
  ASSERT_EQ(machine.run("-n local buy 0.001 btc @ 50000").exit, 0);
  machine.input = machine.run("-n local orders list --fields order_id,market,side,type,price,size,tif -o csv").out;
  machine.sent.clear();
  const RunResult ran = machine.batch("-f -");
  EXPECT_EQ(ran.exit, 2) << ran.out;
  EXPECT_TRUE(has(ran.out, "no column filled"));
  EXPECT_EQ(machine.batches(), 0u);
}

TEST(BatchFile, IsSplitIntoRequestsOfOneToken) {
  OrdersBatch machine;
  for (int i = 0; i < 80; ++i) machine.input += order("40000") + "\n";
  const RunResult plan = machine.run("-n local --json --dry-run orders batch -f -");
  EXPECT_EQ(plan.document().integer_at("data.requests"), 3) << plan.out;
  EXPECT_EQ(plan.document().integer_at("data.cost.weight"), 3);
  const RunResult two = machine.run("-n local --json --dry-run orders batch -f - --chunk 40");
  EXPECT_EQ(two.document().integer_at("data.cost.weight"), 4);
  machine.sent.clear();
  EXPECT_EQ(machine.batch("-f -").exit, 0);
  EXPECT_EQ(machine.batches(), 3u);
}

TEST(BatchFile, WaitsForTokensOrFailsAsConfigured) {
  OrdersBatch machine;
  for (int i = 0; i < 30; ++i) machine.input += order("40000") + "\n";
  const RunResult hasty = machine.batch("-f - --chunk 1 --rate fail");
  EXPECT_EQ(hasty.exit, 15) << hasty.out.substr(hasty.out.size() - 400);
  EXPECT_EQ(hasty.code(), "partly_accepted");
  EXPECT_EQ(hasty.document().string_at("error.details.stopped_by"), "budget_spent");
  EXPECT_FALSE(hasty.document().find("error")->find("retryable")->truth());
  EXPECT_EQ(hasty.document().integer_at("error.details.accepted").value_or(0) +
                hasty.document().integer_at("error.details.not_sent").value_or(0),
            30);
  EXPECT_EQ(hasty.rows().size(), 30u) << "a row for each line, sent or not";
  const std::string left = hasty.document().text_at("error.details.failed_file");
  EXPECT_TRUE(left.starts_with((machine.state() / "batch").string())) << left;
  EXPECT_EQ(machine.batch("--chunk 1 -f " + left).exit, 0);
  EXPECT_GT(machine.slept_ms, 0);
  EXPECT_EQ(machine.open_orders(), 30u);
}

// Thrown where the process would be killed.
struct Killed {};

TEST(BatchRerun, FindsAcceptedOrdersAndSendsTheOthers) {
  OrdersBatch machine;
  std::string lines;
  for (int i = 0; i < 6; ++i) lines += order("5000" + std::to_string(i / 2)) + "\n";  // each price twice
  const auto file = machine.write("six.ndjson", lines);
  int seen = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() == "/orders/batch" && ++seen == 2) throw Killed{};
    return std::nullopt;
  };
  EXPECT_THROW(machine.batch("--chunk 2 -f " + file.string()), Killed);
  ASSERT_EQ(machine.open_orders(), 2u);
  // The request may still arrive, so its orders are not sent again.
  const RunResult early = machine.batch("--chunk 2 -f " + file.string());
  EXPECT_EQ(early.exit, 11) << early.out;
  EXPECT_EQ(early.code(), "earlier_run_unknown");
  EXPECT_EQ(machine.open_orders(), 2u);
  machine.clock.advance(minute_ms);
  machine.sent.clear();
  const RunResult rerun = machine.batch("--chunk 2 -f " + file.string());
  EXPECT_EQ(rerun.exit, 0) << rerun.out;
  EXPECT_EQ(machine.batches(), 2u);
  EXPECT_EQ(machine.open_orders(), 6u);
  const auto rows = rerun.rows();
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].integer_at("line"), static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(rows[i].find("placed_before") != nullptr, i < 2) << i;
  }
  // That run is complete, so the same file is a new batch, and a notice tells that.
  const RunResult anew = machine.batch("--chunk 2 -f " + file.string());
  EXPECT_EQ(anew.exit, 0) << anew.out;
  EXPECT_TRUE(has(anew.out, "this is a new batch"));
  EXPECT_EQ(machine.open_orders(), 12u);
}

TEST(BatchRerun, OfACompletedRunSendsEverythingAgain) {
  OrdersBatch machine;
  const auto file = machine.write("one.ndjson", order("50000") + "\n");
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 0);
  machine.run("-n local orders cancel-all");
  ASSERT_EQ(machine.open_orders(), 0u);
  const RunResult again = machine.batch("-f " + file.string());
  EXPECT_EQ(again.exit, 0) << again.out;
  EXPECT_EQ(machine.open_orders(), 1u);
}

TEST(BatchRerun, OfAnotherFileWithTheSameOrdersIsANewBatch) {
  OrdersBatch machine;
  const auto file = machine.write("one.ndjson", order("50000") + "\n");
  const auto other = machine.write("other.ndjson", order("50000") + "\n");
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 0);
  const RunResult ran = machine.batch("-f " + other.string());
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_FALSE(has(ran.out, "new batch"));
  EXPECT_EQ(machine.open_orders(), 2u);
  // Standard input is recognised by its content.
  for (std::size_t open = 3; open < 5; ++open) {
    machine.input = order("50000") + "\n";
    EXPECT_EQ(machine.batch("-f -").exit, 0);
    EXPECT_EQ(machine.open_orders(), open);
  }
}

TEST(BatchRerun, OfACorrectedFileSkipsAcceptedOrders) {
  OrdersBatch machine;
  const auto file = machine.write("two.ndjson", order("50000") + "\n" + order("50000.3") + "\n");
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 15);
  ASSERT_EQ(machine.open_orders(), 1u);
  machine.write("two.ndjson", order("50000.5") + "\n" + order("50000.0") + "\n");  // as a spreadsheet saves it
  const RunResult mended = machine.batch("-f " + file.string());
  EXPECT_EQ(mended.exit, 0) << mended.out;
  EXPECT_TRUE(has(mended.out, "1 of 2 orders were placed by an earlier run"));
  EXPECT_EQ(machine.open_orders(), 2u);
}

TEST(BatchRerun, FindsWhatAFormerVersionPlacedWhoseIdsToldSpellingsApart) {
  OrdersBatch machine;
  const auto file = machine.write("two.ndjson", order("50000.3") + "\n");
  ASSERT_NE(machine.batch("-f " + file.string()).exit, 0);
  const auto runs = parse_json(machine.read(".local/state/svc/batch/runs.json"));
  ASSERT_TRUE(runs && runs->items_at("runs").size() == 1);
  const auto lines = parse_batch(order("50000"), std::nullopt);
  ASSERT_TRUE(lines.has_value());
  const std::string id = derive_client_id(
      concat(runs->items_at("runs").front().text_at("id"), "\n", api::to_json(lines->front().order), "\n", 0));
  ASSERT_EQ(machine.run("-n local buy 0.001 BTC-USDX-PERP @ 50000 --client-id " + id).exit, 0);
  machine.write("two.ndjson", order("50000") + "\n" + order("50000.5") + "\n");
  const RunResult mended = machine.batch("-f " + file.string());
  EXPECT_EQ(mended.exit, 0) << mended.out;
  EXPECT_TRUE(has(mended.out, "1 of 2 orders were placed by an earlier run"));
  EXPECT_EQ(machine.open_orders(), 2u);
}

// A guard has a new prefix at each start.
TEST(BatchRerun, UnderAnotherPrefixFindsWhatTheFirstRunPlaced) {
  for (const auto& [first, second] : {std::pair{"bot-", ""}, std::pair{"", "bot-"}, std::pair{"bot-", "mm-"}}) {
    OrdersBatch machine;
    const auto file = machine.write("two.ndjson", order("50000") + "\n" + order("50000.3") + "\n");
    machine.variables["SVC_CLIENT_ID_PREFIX"] = first;
    ASSERT_EQ(machine.batch("-f " + file.string()).exit, 15);
    ASSERT_EQ(machine.open_orders(), 1u);
    machine.write("two.ndjson", order("50000") + "\n" + order("50000.5") + "\n");
    machine.variables["SVC_CLIENT_ID_PREFIX"] = second;
    const RunResult mended = machine.batch("-f " + file.string());
    EXPECT_EQ(mended.exit, 0) << mended.out;
    EXPECT_TRUE(has(mended.out, "1 of 2 orders were placed by an earlier run"));
    EXPECT_FALSE(has(mended.out, "outside_guard"));
    EXPECT_EQ(machine.open_orders(), 2u);
    const auto rows = mended.rows();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_TRUE(rows[0].text_at("client_id").starts_with(first + std::string("svc-"))) << mended.out;
    EXPECT_TRUE(rows[1].text_at("client_id").starts_with(second + std::string("svc-"))) << mended.out;
  }
}

// The service takes a repeat under the same id for the same order, if it was placed after all.
TEST(BatchRerun, UnderAGuardSendsAnOrderUnderTheIdItHadAndSaysThatTheGuardLeavesIt) {
  OrdersBatch machine;
  machine.run("-n local local halt BTC-USDX-PERP");
  const auto file = machine.write("one.ndjson", order("50000") + "\n");
  const RunResult refused = machine.batch("-f " + file.string());
  ASSERT_NE(refused.exit, 0);
  const auto rows = refused.rows();
  ASSERT_EQ(rows.size(), 1u);
  machine.run("-n local local resume BTC-USDX-PERP");
  machine.variables["SVC_CLIENT_ID_PREFIX"] = "bot-";
  const RunResult again = machine.batch("-f " + file.string());
  EXPECT_EQ(again.exit, 0) << again.out;
  const auto placed = again.rows();
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_EQ(placed[0].text_at("client_id"), rows[0].text_at("client_id"));
  EXPECT_TRUE(has(again.out, "outside_guard"));
}

TEST(BatchRerun, OfAnInterruptedRunContinuesItForHalfADay) {
  OrdersBatch machine;
  const auto file = machine.write("two.ndjson", order("50000") + "\n" + order("50000.3") + "\n");
  machine.clock.advance(11 * hour_ms + 30 * minute_ms);
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 15);
  machine.clock.advance(hour_ms);  // past midnight
  EXPECT_EQ(machine.batch("-f " + file.string()).exit, 15);
  EXPECT_EQ(machine.open_orders(), 1u);
  machine.clock.advance(12 * hour_ms);
  const RunResult late = machine.batch("-f " + file.string());
  EXPECT_TRUE(has(late.out, "did not end; this is a new batch"));
  EXPECT_EQ(machine.open_orders(), 2u);
}

TEST(BatchRerun, AfterALostAnswerSendsNothingTwice) {
  OrdersBatch machine;
  const auto file = machine.write("one.ndjson", order("50000") + "\n");
  machine.reader_is_gone = true;
  EXPECT_NE(machine.batch("-f " + file.string()).exit, 0);
  machine.reader_is_gone = false;
  EXPECT_EQ(machine.batch("-f " + file.string()).exit, 0);
  EXPECT_EQ(machine.open_orders(), 1u);
}

TEST(BatchRerun, PipesOfTheSameNameAreOtherBatches) {
  OrdersBatch machine;
  const std::string pipe = (machine.home() / "orders").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string second : {"50000.3", "50001"}) {
    std::jthread writer([&] { std::ofstream(pipe) << order("50000") << "\n" << order(second) << "\n"; });
    EXPECT_EQ(machine.batch("-f " + pipe).exit, second == "50001" ? 0 : 15);
  }
  EXPECT_EQ(machine.open_orders(), 3u);
}

TEST(BatchRerun, WithNewIdsPlacesAnInterruptedRunAgain) {
  OrdersBatch machine;
  const auto file = machine.write("two.ndjson", order("50000") + "\n" + order("50000.3") + "\n");
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 15);
  EXPECT_EQ(machine.batch("--new-ids -f " + file.string()).exit, 15);
  EXPECT_EQ(machine.open_orders(), 2u);
}

TEST(BatchRerun, IsRefusedWhileTheListOfRunsCannotBeRead) {
  OrdersBatch machine;
  const auto file = machine.write("one.ndjson", order("50000") + "\n");
  ASSERT_EQ(machine.batch("-f " + file.string()).exit, 0);
  machine.write(".local/state/svc/batch/runs.json", "{");
  const RunResult ran = machine.batch("-f " + file.string());
  EXPECT_NE(ran.exit, 0);
  EXPECT_TRUE(has(ran.out, "is damaged"));
  EXPECT_EQ(machine.open_orders(), 1u);
}

TEST(BatchRerun, OfAnotherAccountIsANewRun) {
  OrdersBatch machine;
  machine.add_trader("bob");
  const auto file = machine.write("two.ndjson", order("50000") + "\n" + order("50000.3") + "\n");
  EXPECT_EQ(machine.run("-n local --signer alice --json orders batch -f " + file.string()).exit, 15);
  EXPECT_EQ(machine.run("-n local --signer bob --json orders batch -f " + file.string()).exit, 15);
  EXPECT_EQ(machine.run("-n local --signer alice --json orders batch -f " + file.string()).exit, 15);
  for (const char* who : {"alice", "bob"}) {
    const RunResult open = machine.run("-n local --signer " + std::string(who) + " --json orders list");
    EXPECT_EQ(open.rows().size(), 1u) << who;
  }
}

TEST(BatchFile, AcceptsInformalSpellingsOfWordsAndNumbers) {
  OrdersBatch machine;
  machine.input =
      R"({"market_id":"btc","side":"buy","order_type":"limit","price":"50000.","quantity":".001","time_in_force":"post-only"})";
  const RunResult ran = machine.batch("-f -");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  machine.input = "market_id,side,order_type,trigger_price,quantity\nBTC-USDX-PERP,sell,stop-market,40000,.001\n";
  const RunResult stop = machine.batch("-f -");
  EXPECT_EQ(stop.exit, 0) << stop.out;
  machine.input = R"({"market_id":"zork","side":"buy","order_type":"limit","price":"50000","quantity":".001"})";
  EXPECT_EQ(machine.batch("-f -").exit, 5);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
