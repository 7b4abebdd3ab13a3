// Trading commands besides placing: amend, preview, cancel, close, flatten.
#include <gtest/gtest.h>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

// Alice makes the market: 2 bid at 59900, 2 asked at 60100.
struct OrderCommands : ClientMachine {
  OrderCommands() {
    add_trader("alice");
    add_trader("bob");
    run("-n local --signer alice buy 2 BTC-USDX-PERP @ 59900");
    run("-n local --signer alice sell 2 BTC-USDX-PERP @ 60100");
  }
  RunResult bob(const std::string& line) { return run("-n local --json --signer bob " + line); }
  std::string placed(const std::string& line) { return bob(line).document().text_at("data.order.id"); }
};

TEST(Amend, ReplacesTheOrderAndShowsOldAndNew) {
  OrderCommands machine;
  const std::string id = machine.placed("buy 0.5 BTC-USDX-PERP @ 59000");
  EXPECT_TRUE(has(machine.run("-n local --signer bob orders get " + id).out, "side\tbuy\n"));
  machine.sent.clear();
  const RunResult rows =
      machine.run("-n local --signer bob orders amend " + id + " --price 59100 --fields replaces,side,price,size");
  EXPECT_EQ(rows.out, "replaces\tside\tprice\tsize\n" + id + "\tbuy\t59100\t0.5\n") << rows.err;
  EXPECT_EQ(machine.sent.back().method, "PATCH");
  EXPECT_EQ(machine.sent.back().query(), "market_id=BTC-USDX-PERP");
  const auto left = machine.bob("orders list").rows();
  ASSERT_EQ(left.size(), 1u);
  const std::string now = left[0].text_at("id");
  EXPECT_NE(now, id);
  const RunResult table = machine.run("-n local --signer bob -o table orders amend " + now +
                                      " --size 0.25 --fields price,size --no-header");
  EXPECT_EQ(table.out, "59100  0.5→0.25\n") << table.err;
  EXPECT_EQ(machine.bob("orders list").rows()[0].string_at("quantity"), "0.25");
  EXPECT_EQ(machine.bob("orders amend " + id + " --size 0.1").exit, 7);  // it has ended
  EXPECT_EQ(machine.bob("orders amend nobody --size 0.1").exit, 5);
}

// The lists may lag behind an order that was just placed.
TEST(Amend, OfAnOrderThatIsNotListedIsDecidedByTheService) {
  OrderCommands machine;
  const std::string id = machine.placed("buy 0.5 BTC-USDX-PERP @ 59000");
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    const bool is_list = request.path() == "/orders" || request.path() == "/orders/history";
    if (request.method != "GET" || !is_list) return std::nullopt;
    return answered(200, "[]", {{"Content-Type", "application/json"}});
  };
  const RunResult amended = machine.bob("orders amend " + id + " --price 59100");
  EXPECT_EQ(amended.exit, 0) << amended.out;
  EXPECT_EQ(amended.document().string_at("data.price"), "59100");
  machine.sent.clear();
  EXPECT_EQ(machine.bob("orders amend nobody --price 59100").exit, 5);
  EXPECT_EQ(std::ranges::count(machine.sent, "PATCH", &api::HttpRequest::method), 1) << "the service says so";
  EXPECT_EQ(machine.bob("orders amend nobody --price mid-5bps").exit, 10);
}

TEST(Amend, TakesARelativePrice) {
  OrderCommands machine;
  const std::string id = machine.placed("sell 0.5 BTC-USDX-PERP @ 61000");
  EXPECT_EQ(machine.bob("orders amend " + id + " --price mid+1%").document().string_at("data.price"), "60600");
}

// It is rounded towards the order's own side.
TEST(Amend, TakesNoRelativePriceForAnOrderWhoseSideCannotBeRead) {
  OrderCommands machine;
  const std::string id = machine.placed("sell 0.5 BTC-USDX-PERP @ 61000");
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    api::HttpResponse answer = machine.deliver(request);
    const std::string_view side = R"("side":"Sell")";
    if (const auto at = answer.body.find(side); at != std::string::npos)
      answer.body.replace(at, side.size(), R"("side":null)");
    return answer;
  };
  machine.sent.clear();
  EXPECT_EQ(machine.bob("orders amend " + id + " --price mid+1%").exit, 10);
  EXPECT_EQ(std::ranges::count(machine.sent, "PATCH", &api::HttpRequest::method), 0);
}

TEST(Preview, PlacesNothing) {
  OrderCommands machine;
  const RunResult preview = machine.bob("buy 1 BTC-USDX-PERP --preview");
  EXPECT_EQ(preview.exit, 0) << preview.out;
  EXPECT_EQ(preview.document().string_at("schema"), "svc.orders.preview/1");
  EXPECT_EQ(preview.document().string_at("data.expected_fill_vwap"), "60100");
  EXPECT_EQ(machine.sent.back().path(), "/orders/preview");
  EXPECT_EQ(machine.bob("orders preview BTC-USDX-PERP --side buy --size 1").document().find("data")->dump(),
            preview.document().find("data")->dump());
  const RunResult refused = machine.bob("orders preview BTC-USDX-PERP --side buy --size 50 --price 60000");
  EXPECT_EQ(refused.exit, 12) << refused.out;
  EXPECT_EQ(machine.bob("positions list").document().find("data")->dump(), "[]");
  EXPECT_TRUE(machine.journal("local").back().string_at("operation") != "place_order");
}

TEST(Order, OfAClientIdIsTheLastOneThatAnAmendmentMade) {
  OrderCommands machine;
  const std::string first = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000 --client-id mine");
  const RunResult amended = machine.bob("orders amend " + first + " --price 58000");
  const std::string last = amended.document().text_at("data.id");
  ASSERT_NE(first, last);
  EXPECT_EQ(machine.bob("orders get --client-id mine").document().string_at("data.id"), last);
  ASSERT_EQ(machine.bob("orders cancel " + last).exit, 0);
  EXPECT_EQ(machine.bob("orders get --client-id mine").document().string_at("data.id"), last);
  EXPECT_EQ(machine.bob("orders get --client-id mine --history").document().string_at("data.id"), last);
  EXPECT_EQ(machine.run({"-n", "local", "orders", "reconcile", ""}).exit, 2)
      << "not exit 5, which would say that no order is there";
}

TEST(Cancel, SendsTheMarketAndTakesSeveralIds) {
  OrderCommands machine;
  const std::string first = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000");
  const std::string second = machine.placed("buy 0.1 ETH-USDX-PERP @ 2000 --client-id mine");
  machine.placed("buy 0.1 ETH-USDX-PERP @ 2001 --client-id other");
  machine.input = first + "\n";
  machine.sent.clear();
  const RunResult ran = machine.bob("orders cancel -f - --client-id mine --client-id other");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(ran.rows().size(), 3u);
  EXPECT_EQ(machine.sent.back().query(), "market_id=ETH-USDX-PERP");
  EXPECT_EQ(machine.bob("orders list").document().find("data")->dump(), "[]");
  const RunResult again = machine.bob("orders get " + second + " --history");
  EXPECT_EQ(again.document().string_at("data.status"), "Cancelled") << again.out;
  EXPECT_EQ(machine.bob("orders get --client-id mine --history").document().string_at("data.id"), second);
  EXPECT_EQ(machine.bob("orders get nobody --history").exit, 5);
}

TEST(Cancel, TakesAListedTableAndReportsWordsThatAreNoIds) {
  OrderCommands machine;
  for (const std::string format : {"csv", "tsv"}) {
    for (const char* price : {"59000", "59001"}) machine.placed(std::string("buy 0.1 BTC-USDX-PERP @ ") + price);
    machine.input = machine.run("-n local --signer bob orders list -o " + format).out;
    const RunResult ran = machine.bob("orders cancel -f -");
    EXPECT_EQ(ran.exit, 0) << ran.out;
    EXPECT_EQ(machine.bob("orders list").document().find("data")->dump(), "[]");
  }
  const std::string id = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000");
  machine.input = "buy,me\nhistory\n" + id + "\nsome text\n";
  const RunResult ran = machine.bob("orders cancel -f -");
  EXPECT_EQ(ran.exit, 15) << ran.out;
  EXPECT_EQ(ran.rows().size(), 4u);
  EXPECT_EQ(machine.bob("orders list").document().find("data")->dump(), "[]");
  EXPECT_EQ(machine.bob("orders cancel no/id").exit, 2) << "nothing is left to cancel";
  EXPECT_EQ(machine.bob("--dry-run orders cancel " + id + " no/id").exit, 2);
  const RunResult gone = machine.bob("orders cancel nobody no/id");
  EXPECT_EQ(gone.exit, 5) << gone.out;
  EXPECT_EQ(gone.rows().size(), 2u);
}

// After three lost answers in a row the rest is not sent before it is known what became of those three.
TEST(Cancel, OfManyGoesOnIfOnlyTheAnswersAreLost) {
  OrderCommands machine;
  for (int i = 0; i < 8; ++i)
    static_cast<void>(machine.placed("buy 0.1 BTC-USDX-PERP @ " + std::to_string(59'000 + i)));
  machine.intercept = after(machine, to("DELETE"), unanswered(api::Delivery::unknown));
  const RunResult ran = machine.bob("orders cancel-all --side buy");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  for (const Json& row : ran.rows()) EXPECT_EQ(row.string_at("status"), "Cancelled");
  machine.intercept = nullptr;
  EXPECT_TRUE(machine.bob("orders list").rows().empty());
}

TEST(Cancel, OfManyTellsHowManyWereNotSentIfTheCancelsAreLost) {
  OrderCommands machine;
  for (int i = 0; i < 5; ++i)
    static_cast<void>(machine.placed("buy 0.1 BTC-USDX-PERP @ " + std::to_string(59'000 + i)));
  machine.intercept = when(to("DELETE"), unanswered(api::Delivery::unknown));
  const RunResult ran = machine.bob("orders cancel-all --side buy");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_EQ(ran.document().integer_at("error.details.not_sent"), 2);
  EXPECT_TRUE(has(ran.document().text_at("error.message"), "; 2 cancels were not sent"));
  machine.intercept = nullptr;
  EXPECT_EQ(machine.bob("orders list").rows().size(), 5u);
}

// A script that reads "nothing was sent" would be wrong: one order is cancelled.
TEST(Cancel, ThatEndsHalfwayIsPartAndTellsEveryRow) {
  OrderCommands machine;
  const std::string first = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000");
  const std::string second = machine.placed("buy 0.1 BTC-USDX-PERP @ 59001");
  const std::string third = machine.placed("buy 0.1 BTC-USDX-PERP @ 59002");
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "DELETE" || request.path() == "/orders/" + first) return std::nullopt;
    return unanswered(api::Delivery::not_sent, "no route");
  };
  const RunResult ran = machine.bob("orders cancel " + first + " " + second + " " + third);
  EXPECT_EQ(ran.exit, 15) << ran.out;
  const auto rows = ran.rows();
  ASSERT_EQ(rows.size(), 3u) << ran.out;
  EXPECT_EQ(rows[0].string_at("status"), "Cancelled");
  EXPECT_EQ(rows[1].string_at("error"), "not_sent");
  EXPECT_EQ(rows[2].string_at("id"), third);
  EXPECT_EQ(rows[2].string_at("error"), "not_sent");
  // What was not cancelled is not waited for, and keeps its error.
  machine.intercept = nullptr;
  const std::string fourth = machine.placed("buy 0.1 BTC-USDX-PERP @ 59003");
  machine.intercept = when(to("DELETE", "/orders/" + second), answered(403, R"({"code":"RESTRICTED_JURISDICTION"})"));
  const TimestampMs began_ms = machine.clock.now_ms();
  const RunResult waited = machine.bob("orders cancel " + fourth + " " + second + " " + third + " --wait");
  EXPECT_EQ(waited.exit, 15) << waited.out;
  EXPECT_EQ(waited.rows()[2].string_at("error"), "not_sent") << waited.out;
  EXPECT_LT(machine.clock.now_ms() - began_ms, 10'000);
  machine.intercept = nullptr;
}

TEST(Cancel, TakesIdsWithBlanksAroundThemAndEachOnce) {
  OrderCommands machine;
  const std::string first = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000");
  const std::string second = machine.placed("buy 0.1 BTC-USDX-PERP @ 59001 --client-id two");
  machine.input = "  " + first + " \n \t \n" + second + "\t\n" + first + "\n";
  const RunResult ran = machine.bob("orders cancel -f - --client-id two " + first);
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(ran.rows().size(), 2u) << ran.out;
  EXPECT_EQ(machine.bob("orders list").document().find("data")->dump(), "[]");
}

TEST(Cancel, IdsThatDifferInLetterCaseAloneAreBothCancelled) {
  OrderCommands machine;
  machine.sent.clear();
  const RunResult ran = machine.bob("orders cancel ab12 AB12 ab12");
  EXPECT_EQ(ran.rows().size(), 2u) << ran.out;
  std::vector<std::string> cancelled;
  for (const api::HttpRequest& request : machine.sent)
    if (request.method == "DELETE") cancelled.emplace_back(request.path());
  EXPECT_EQ(cancelled, (std::vector<std::string>{"/orders/ab12", "/orders/AB12"}));
}

TEST(Cancel, IsSentEvenIfTheOpenOrdersCannotBeRead) {
  OrderCommands machine;
  const std::string id = machine.placed("buy 0.1 BTC-USDX-PERP @ 59000");
  machine.intercept = when(to("GET", "/orders"), answered(500, R"({"code":"INTERNAL_ERROR","message":"m"})"));
  EXPECT_EQ(machine.bob("orders cancel " + id).exit, 0);
}

TEST(ClosePosition, ClosesAPartInWholeLotsOrEverything) {
  OrderCommands machine;
  machine.bob("buy 0.333 BTC-USDX-PERP");
  const RunResult part = machine.bob("positions close BTC-USDX-PERP --pct 50");
  EXPECT_EQ(part.document().string_at("data.order.quantity"), "0.166") << part.out;
  EXPECT_EQ(part.document().string_at("data.order.side"), "Sell");
  EXPECT_TRUE(part.document().at("data.order.reduce_only")->truth());
  const RunResult rest = machine.bob("positions close BTC-USDX-PERP --price ask-1t");
  EXPECT_EQ(rest.document().string_at("data.order.quantity"), "0.167") << rest.out;
  EXPECT_EQ(rest.document().string_at("data.order.price"), "60099.5");
  EXPECT_EQ(machine.bob("positions close ETH-USDX-PERP").exit, 5);
}

TEST(ClosePosition, ThatTheBookTakesInPartIsNoSuccess) {
  OrderCommands machine;
  machine.bob("buy 1 BTC-USDX-PERP");
  machine.run("-n local --signer alice orders cancel-all");
  machine.run("-n local --signer alice buy 0.4 BTC-USDX-PERP @ 59900");
  const RunResult ran = machine.bob("positions close BTC-USDX-PERP");
  EXPECT_EQ(ran.exit, 15) << ran.out;
  EXPECT_EQ(ran.code(), "not_flat");
  EXPECT_EQ(ran.document().string_at("data.order.filled_qty"), "0.4");
  machine.run("-n local --signer alice buy 0.2 BTC-USDX-PERP @ 59900");
  const RunResult sold = machine.run("-n local --signer bob sell 0.5 BTC-USDX-PERP");
  EXPECT_EQ(sold.exit, 0) << "the user asked for what there is";
  EXPECT_TRUE(has(sold.err, "0.2 of 0.5 was filled"));
}

TEST(ClosePosition, DoesNotTradeWithTheAccountsOwnOrders) {
  OrderCommands machine;
  machine.bob("buy 0.4 BTC-USDX-PERP");
  machine.bob("buy 1 BTC-USDX-PERP @ 60000");  // the best bid
  machine.run("-n local --signer alice buy 1 BTC-USDX-PERP @ 59900");
  EXPECT_EQ(machine.bob("sell 50%pos BTC-USDX-PERP").document().string_at("data.order.stp"), "CancelOldest");
  EXPECT_EQ(machine.bob("positions list").rows()[0].string_at("size"), "0.2");
  machine.bob("buy 1 BTC-USDX-PERP @ 60000");
  const RunResult ran = machine.bob("positions close BTC-USDX-PERP");
  EXPECT_EQ(ran.document().string_at("data.order.status"), "Filled") << ran.out;
  EXPECT_EQ(machine.bob("positions list").document().find("data")->dump(), "[]");
  EXPECT_EQ(machine.bob("orders list").document().find("data")->dump(), "[]");
}

TEST(Flatten, CancelsThenClosesAndReportsTheRest) {
  OrderCommands machine;
  machine.bob("buy 1 BTC-USDX-PERP");
  machine.bob("buy 0.1 BTC-USDX-PERP @ 50000");
  machine.run("-n local --signer alice orders cancel-all");
  machine.run("-n local --signer alice buy 0.4 BTC-USDX-PERP @ 59900");
  const RunResult ran = machine.run("-n local --signer bob flatten");
  EXPECT_EQ(ran.exit, 15);
  EXPECT_EQ(ran.out,
            "step\tmarket\tresult\ncancel\tall\t1 cancelled\n"
            "close\tBTC-USDX-PERP\tclosed 0.4 of 1 at 59900\n");
  machine.run("-n local --signer alice buy 4 BTC-USDX-PERP @ 59900");
  EXPECT_EQ(machine.bob("flatten --market ETH-USDX-PERP").exit, 0);
  EXPECT_EQ(machine.bob("flatten").exit, 0);
  EXPECT_EQ(machine.bob("positions list").document().find("data")->dump(), "[]");
}

TEST(Flatten, SaysWhatItDoesNotKnow) {
  OrderCommands machine;
  machine.bob("buy 1 BTC-USDX-PERP");
  machine.bob("buy 0.1 BTC-USDX-PERP @ 50000");
  machine.intercept = when(to("", "/positions"), unanswered(api::Delivery::unknown));
  const Json blind = machine.bob("flatten").document();
  EXPECT_EQ(blind.at("error.details.left")->dump(), "null") << blind.dump();
  machine.bob("buy 0.1 BTC-USDX-PERP @ 50000");
  machine.intercept = when(to("DELETE"), answered(503, R"({"code":"service_unavailable"})"));
  const RunResult closed = machine.bob("flatten");
  EXPECT_EQ(closed.exit, 15) << closed.out;
  EXPECT_EQ(closed.document().integer_at("error.details.left"), 0);
  EXPECT_TRUE(closed.document().text_at("error.message").starts_with("the orders were not cancelled")) << closed.out;
}

TEST(Flatten, ClosesInPartsWhatIsLargerThanTheLargestOrder) {
  OrderCommands machine;
  for (const std::string name : {"alice", "bob"})
    EXPECT_EQ(machine.run("-n local --signer " + name + " deposits submit --amount 100000000").exit, 0);
  machine.run("-n local --signer alice orders cancel-all");
  for (const std::string size : {"100", "100", "50"}) {
    EXPECT_EQ(machine.run("-n local --signer alice sell " + size + " BTC-USDX-PERP @ 60000").exit, 0);
    EXPECT_EQ(machine.bob("buy " + size + " BTC-USDX-PERP @ 60000").exit, 0);
  }
  for (const std::string size : {"100", "30"})
    EXPECT_EQ(machine.run("-n local --signer alice buy " + size + " BTC-USDX-PERP @ 59900").exit, 0);
  const RunResult refused = machine.bob("positions close BTC-USDX-PERP");
  EXPECT_EQ(refused.exit, 7);
  EXPECT_TRUE(has(refused.out, "flatten --market BTC-USDX-PERP"));
  const RunResult thin = machine.run("-n local --signer bob flatten");
  EXPECT_EQ(thin.exit, 15);
  EXPECT_EQ(thin.out,
            "step\tmarket\tresult\ncancel\tall\t0 cancelled\n"
            "close\tBTC-USDX-PERP\tclosed 100 at 59900\nclose\tBTC-USDX-PERP\tclosed 30 of 100 at 59900\n");
  for (const std::string size : {"100", "20"})
    EXPECT_EQ(machine.run("-n local --signer alice buy " + size + " BTC-USDX-PERP @ 59900").exit, 0);
  EXPECT_EQ(machine.run("-n local --signer bob flatten").out,
            "step\tmarket\tresult\ncancel\tall\t0 cancelled\n"
            "close\tBTC-USDX-PERP\tclosed 100 at 59900\nclose\tBTC-USDX-PERP\tclosed 20 at 59900\n");
  EXPECT_EQ(machine.bob("positions list").document().find("data")->dump(), "[]");
}

TEST(Terms, AreSentWithoutLeadingZeros) {
  OrderCommands machine;
  const Json order = machine.bob("buy 00.1 BTC-USDX-PERP @ 059000").document();
  EXPECT_EQ(order.string_at("data.order.quantity"), "0.1") << order.dump();
  const std::string& body = machine.sent.back().body;
  EXPECT_TRUE(has(body, R"("quantity":"0.1")"));
  EXPECT_TRUE(has(body, R"("price":"59000")"));
}

TEST(RelativeTerms, AreResolvedExactlyAndReported) {
  OrderCommands machine;
  struct Row {
    std::string line;
    std::string_view field;
    std::string_view value;
    std::string_view told;
  };
  const Row rows[] = {
      {"buy 0.1 BTC-USDX-PERP @ mid-5bps", "data.order.price", "59970", "price mid-5bps is 59970 (mid 60000)"},
      {"buy 0.1 BTC-USDX-PERP @ mid-7bps", "data.order.price", "59958", "price mid-7bps is 59958 (mid 60000)"},
      {"buy 0.1 BTC-USDX-PERP @ mid-0.11bps", "data.order.price", "59999",
       "price mid-0.11bps is 59999.34 (mid 60000), rounded down to ticks of 0.5: 59999"},
      {"sell 0.1 BTC-USDX-PERP @ MID+0.11bps", "data.order.price", "60001",
       "price MID+0.11bps is 60000.66 (mid 60000), rounded up to ticks of 0.5: 60001"},
      {"buy 0.1 BTC-USDX-PERP @ bid+1t", "data.order.price", "59900.5", "(bid 59900)"},
      {"sell 0.1 BTC-USDX-PERP @ ask-12.25", "data.order.price", "60088", "60087.75"},
      {"buy 500usdx BTC-USDX-PERP @ 50000", "data.order.quantity", "0.01", "500 USDX at 50000 is 0.01 BTC-USDX-PERP"},
      {"buy max@3x BTC-USDX-PERP @ 50000 --tif fok --preview", "data.required_initial_margin", "",
       "max@3x of 10000 USDX free margin, less the fee and what is lost against the mark, at 50000 is 0.599 "
       "BTC-USDX-PERP"},
      {"orders place BTC-USDX-PERP --side sell --size 1 --type stop-market --trigger-price bid-2%",
       "data.order.trigger_price", "58702", "trigger price bid-2% is 58702 (bid 59900)"},
  };
  for (const Row& row : rows) {
    const RunResult ran = machine.bob(row.line);
    const Json document = ran.document();
    EXPECT_TRUE(has(ran.err, row.told)) << row.line << "\n" << ran.err << ran.out;
    if (row.value.empty()) continue;
    EXPECT_EQ(document.string_at(row.field), row.value) << row.line << ran.out;
    machine.bob("orders cancel-all");
  }
  const RunResult dry = machine.bob("--dry-run buy 0.1 BTC-USDX-PERP @ mid-5bps");
  EXPECT_EQ(dry.exit, 2) << dry.out;
  EXPECT_EQ(machine.bob("sell 50%pos BTC-USDX-PERP").exit, 5);
  machine.bob("buy 0.3 BTC-USDX-PERP");
  EXPECT_EQ(machine.bob("sell 50% BTC-USDX-PERP @ 62000").document().string_at("data.order.quantity"), "0.15");
}

TEST(RelativeTerms, AreSentSignedAndLoggedAsAbsoluteTerms) {
  OrderCommands machine;
  machine.bob("buy 500usdx BTC-USDX-PERP @ bid+1t");
  EXPECT_FALSE(has(machine.sent.back().body, "bid"));
  const auto lines = machine.journal("local");
  EXPECT_EQ(lines[lines.size() - 2].string_at("body.price"), "59900.5");
  EXPECT_EQ(lines[lines.size() - 2].string_at("body.quantity"), "0.008");
}

TEST(RelativeTerms, AreRefusedIfTheBookIsStaleOrEmpty) {
  OrderCommands machine;
  machine.server_ahead_ms = 7'000;
  const RunResult stale = machine.bob("buy 0.1 BTC-USDX-PERP @ mid-5bps");
  EXPECT_EQ(stale.exit, 14);
  EXPECT_EQ(stale.code(), "stale_book");
  machine.server_ahead_ms = 0;
  EXPECT_EQ(machine.bob("buy 0.1 ETH-USDX-PERP @ mid-5bps").code(), "no_reference_price");
  for (const Json& line : machine.journal("local")) EXPECT_NE(line.string_at("body.market_id"), "ETH-USDX-PERP");
}

TEST(RelativeTerms, AreNotSentOnceTheirPricesAreOld) {
  OrderCommands machine;
  const auto limited_for_s = [&](const std::string& seconds) {
    machine.intercept = [seconds, done = false](const api::HttpRequest& request) mutable -> Intercepted {
      if (request.method != "POST" || request.path() != "/orders" || std::exchange(done, true)) return {};
      return answered(429, R"({"error":{"code":"RATE_LIMIT_EXCEEDED","message":"wait"}})", {{"Retry-After", seconds}});
    };
  };
  limited_for_s("9");
  const RunResult late = machine.bob("buy 0.1 BTC-USDX-PERP @ bid");
  EXPECT_EQ(late.exit, 14) << late.out;
  EXPECT_EQ(late.document().string_at("error.code"), "stale_book");
  limited_for_s("9");
  EXPECT_EQ(machine.bob("buy 0.1 BTC-USDX-PERP @ 59000").exit, 0) << "a plain price does not age";
  limited_for_s("2");
  EXPECT_EQ(machine.bob("buy 0.1 BTC-USDX-PERP @ bid").exit, 0);
  machine.intercept = nullptr;
  machine.bob("buy 0.1 BTC-USDX-PERP");
  limited_for_s("9");
  EXPECT_EQ(machine.bob("sell 100%pos BTC-USDX-PERP @ ask --reduce-only").exit, 0) << "the way out";
}

TEST(Sort, OrdersRowsByNumberNotByText) {
  OrderCommands machine;
  for (const std::string price : {"9000", "59000", "1000.5"}) machine.placed("buy 0.1 BTC-USDX-PERP @ " + price);
  const std::string list = "-n local --signer bob --no-header --fields price orders list --sort price";
  EXPECT_EQ(machine.run(list).out, "1000.5\n9000\n59000\n");
  EXPECT_EQ(machine.run(list + ":desc").out, "59000\n9000\n1000.5\n");
  EXPECT_EQ(machine.run("-n local --signer bob fills list --sort price:up").exit, 2);
  EXPECT_EQ(machine.bob("orders list --sort price").rows()[0].string_at("price"), "1000.5");
}

}  // namespace SVC_FILE
}  // namespace svc::cli
