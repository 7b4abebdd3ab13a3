// A write whose answer is lost is never sent again and never reported as a failure: it may have happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

bool is_order(const api::HttpRequest& request) {
  return request.method == "POST" && request.path() == "/orders";
}

std::size_t orders_sent(const ClientMachine& machine) {
  return static_cast<std::size_t>(std::count_if(machine.sent.begin(), machine.sent.end(), is_order));
}

// Orders arrive, and their answers do not.
Intercept lose_answers_to_orders(ClientMachine& machine) {
  return after(machine, is_order, unanswered(api::Delivery::unknown));
}

// Without the look-up, which outbox_test.cpp covers.
constexpr std::string_view buy = "-n local --json --no-reconcile buy 0.1 BTC-USDX-PERP @ 59000";

TEST(LostAnswer, EndsWithExitElevenAndTheLookUpCommand) {
  TraderMachine machine;
  machine.sent.clear();
  machine.intercept = when(is_order, unanswered(api::Delivery::unknown));
  const RunResult ran = machine.run(buy);
  EXPECT_EQ(ran.exit, 11);
  EXPECT_EQ(orders_sent(machine), 1u);
  const Json document = ran.document();
  EXPECT_EQ(document.string_at("error.code"), "outcome_unknown");
  EXPECT_EQ(document.string_at("error.category"), "ambiguous");
  EXPECT_FALSE(document.at("error.retryable")->truth());
  const std::string id = document.text_at("error.details.client_id");
  EXPECT_TRUE(id.starts_with("svc-")) << id;
  EXPECT_EQ(document.at("error.actions")->items().at(0).text(), "svc -n local orders get --client-id " + id);
  EXPECT_EQ(document.string_at("meta.client_id"), id);
}

TEST(LostAnswer, OfALeverageIsLookedUpInItsMarket) {
  TraderMachine machine;
  machine.intercept =
      when([](const api::HttpRequest& request) { return request.is("POST") && request.path() == "/leverage"; },
           unanswered(api::Delivery::unknown));
  const RunResult ran = machine.run("-n local --no-reconcile margin leverage BTC-USDX-PERP 5");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  EXPECT_TRUE(has(ran.err, "margin mode get BTC-USDX-PERP\n")) << ran.err;
}

TEST(LostAnswer, OfAnAcceptedOrderIsRecoveredByClientId) {
  TraderMachine machine;
  machine.intercept = lose_answers_to_orders(machine);
  const RunResult lost = machine.run(buy);
  ASSERT_EQ(lost.exit, 11);
  machine.intercept = nullptr;
  const std::string id = lost.document().text_at("error.details.client_id");
  const RunResult found = machine.run("-n local --json orders get --client-id " + id);
  EXPECT_EQ(found.exit, 0) << found.out;
  EXPECT_EQ(found.document().string_at("data.client_id"), id);
  EXPECT_EQ(found.document().string_at("data.status"), "Open");
  EXPECT_EQ(machine.run("-n local orders get --client-id svc-none").exit, 5);
}

TEST(LostAnswer, OfAnOrderWithoutAClientIdIsNotWaitedFor) {
  TraderMachine machine;
  const std::string order =
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"59000",)"
      R"("time_in_force":"GTC"})";
  const std::string with_id = R"({"client_id":"mine-1",)" + order.substr(1);
  for (const std::string& words : {"/orders -d '" + order + "'", "/orders/batch -d '[" + order + "]'",
                                   "/orders/batch -d '[" + order + "," + with_id + "]'"}) {
    machine.intercept = when(is_write, unanswered(api::Delivery::unknown));
    machine.slept_ms = 0;
    const RunResult ran = machine.run("-n local --json api POST " + words);
    EXPECT_EQ(ran.exit, 11) << ran.out;
    EXPECT_EQ(machine.slept_ms, 0) << words;
    EXPECT_FALSE(has(ran.err, "looking for it"));
    EXPECT_TRUE(has(ran.document().text_at("error.message"), "no client id")) << ran.out;
    const std::string id = ran.document().text_at("error.details.outbox");
    machine.sent.clear();
    EXPECT_EQ(machine.run("-n local --json outbox resolve " + id).exit, 11);
    EXPECT_EQ(machine.slept_ms, 0) << words;
    EXPECT_TRUE(machine.sent.empty()) << words << ": asked for " << machine.sent.front().target;
    machine.run("-n local outbox drop --yes " + id);
  }
}

TEST(LostAnswer, AfterAFailedConnectionTheWriteIsRetried) {
  TraderMachine machine;
  machine.sent.clear();
  machine.intercept = when(is_order, unanswered(api::Delivery::not_sent));
  const RunResult ran = machine.run(buy);
  EXPECT_EQ(ran.exit, 10);
  EXPECT_EQ(orders_sent(machine), 3u);
  EXPECT_TRUE(ran.document().at("error.retryable")->truth());
  EXPECT_EQ(machine.run("-n local --retries 0" + std::string(buy.substr(8))).exit, 10);
  EXPECT_EQ(orders_sent(machine), 4u);
}

TEST(LostAnswer, OfAReadIsRetried) {
  ClientMachine machine;
  int failures = 2;
  machine.intercept = [&](const api::HttpRequest&) {
    return failures-- > 0 ? unanswered(api::Delivery::unknown) : Intercepted();
  };
  EXPECT_EQ(machine.run("-n local --json markets list").exit, 0);
  EXPECT_EQ(machine.sent.size(), 3u);
  EXPECT_EQ(machine.slept_ms, 250 + 500);
  failures = 3;
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local markets list").exit, 10);
  EXPECT_EQ(machine.sent.size(), 3u);
  failures = 1;
  EXPECT_EQ(machine.run("-n local --retries 0 markets list").exit, 10);
}

TEST(LostAnswer, StatusDecidesWhetherTheOutcomeIsKnown) {
  struct Row {
    int status;
    std::string_view body;
    int exit;
  };
  const Row rows[] = {
      {502, "", 11},
      {502, R"({"code":"BAD_GATEWAY","message":"m"})", 11},
      {503, "", 11},
      {504, "", 11},
      {500, "oops", 11},
      {500, R"({"code":"INTERNAL_ERROR","message":"m"})", 11},
      {502, R"({"code":"authoritative_margin_unavailable"})", 11},
      {501, "", 11},
      {406, "", 11},
      {499, "", 11},
      {404, "<html>", 11},
      {403, "<html>", 11},
      {400, "<html>", 11},
      {409, "", 11},
      {429, "", 11},
      {409, R"({"code":"SomethingElse","message":"m"})", 11},
      {400, R"({"code":"made_up_code","message":"m"})", 11},
      // A known code, but not an answer of this operation.
      {404, R"({"code":"deposit_not_found","message":"m"})", 11},
      // As the second copy of an accepted request is refused.
      {401, R"({"code":"unauthorized"})", 11},
      {401, "", 11},
      {501, R"({"code":"not_implemented","message":"m"})", 1},
      {503, R"({"code":"service_unavailable","message":"m"})", 10},
      {400, R"({"code":"InsufficientMargin","error":"InsufficientMargin","message":"m"})", 12},
      {400, R"({"code":"MarketHalted","error":"MarketHalted","message":"m"})", 13},
      {409, R"({"code":"ClientIdTaken","error":"ClientIdTaken","message":"m"})", 11},
      {201, R"({"order":)", 11},
      {302, "", 11},
      {408, "<html>", 11},
      // A success that does not tell about the order proves nothing.
      {200, "{}", 11},
      {200, "", 11},
      {200, "null", 11},
      {200, "[]", 11},
      {204, "", 11},
      {201, R"({"order":{}})", 11},
      {201, R"({"order":{"id":"1","client_id":"somebody-elses"}})", 11},
      {201, R"({"order":{"id":"1"}})", 11},
  };
  for (const Row& row : rows) {
    TraderMachine machine;
    machine.sent.clear();
    machine.intercept = when(is_order, answered(row.status, std::string(row.body)));
    const RunResult ran = machine.run(buy);
    EXPECT_EQ(ran.exit, row.exit) << row.status << " " << row.body << "\n" << ran.out;
    EXPECT_EQ(orders_sent(machine), 1u) << row.status;
  }
}

// Delivers a request twice and returns the answer to the second copy.
Intercepted deliver_twice(ClientMachine& machine, const api::HttpRequest& request) {
  machine.deliver(request);
  return machine.deliver(request);
}

TEST(DuplicateDelivery, AWriteIsReportedAsAcceptedAndClosed) {
  struct Row {
    std::string line;
    int exit;
  };
  const std::string signs = " --password-file PASSWORD";
  const Row rows[] = {
      {"buy 0.1 BTC-USDX-PERP @ 30000" + signs, 0},
      {"buy 0.1 BTC-USDX-PERP @ 30000", 0},
      {"buy 0.1 BTC-USDX-PERP @ 30000 --tif IOC", 19},  // it has ended, and its client id is taken
      {"orders batch --file @" + signs, 0},
      {"orders amend ORDER --price 29990" + signs, 0},
      {"orders amend ORDER --price 29990", 0},
      {"orders cancel ORDER" + signs, 0},
      {"orders cancel ORDER", 0},
      {"orders cancel-all" + signs, 0},
      {"margin mode set ETH-USDX-PERP isolated" + signs, 0},
      {"margin leverage BTC-USDX-PERP 5" + signs, 0},
      {"withdrawals submit 25" + signs, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.line);
    TraderMachine machine;
    std::string line = row.line;
    const auto fill = [&](std::string_view mark, const std::string& text) { line = with_each(line, mark, text); };
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 31000 --client-id resting").exit, 0);
    const Json resting = machine.run("-n local --json orders get --client-id resting").document();
    fill("ORDER", resting.text_at("data.id"));
    fill("PASSWORD", (machine.home() / "password").string());
    fill(
        "@",
        line.find("batch") == std::string::npos
            ? "@"
            : machine
                  .write(
                      "two",
                      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000"}
)")
                  .string());
    machine.sent.clear();
    machine.intercept = [&](const api::HttpRequest& request) {
      return request.method == "GET" ? Intercepted() : deliver_twice(machine, request);
    };
    const RunResult ran = machine.run("-n local --json " + line);
    EXPECT_EQ(ran.exit, row.exit) << ran.out << ran.err;
    // The second delivery is refused for its nonce, and a cancel whose action is refused goes once more without it.
    const bool goes_again = std::string_view(row.line).starts_with("orders cancel") && row.line.ends_with(signs);
    EXPECT_EQ(std::ranges::count_if(machine.sent, is_write), goes_again ? 2 : 1);
    EXPECT_EQ(machine.open_entries(), row.exit == 11 ? 1u : 0u);
  }
}

// The write is accepted, but the answer is something else.
TEST(MisleadingAnswer, AfterAcceptanceLeadsToALookUp) {
  struct Row {
    int status;
    std::string_view body;
  };
  const Row rows[] = {{409, ""},
                      {409, R"({"code":"Unheard","message":"m"})"},
                      {409, R"({"code":"ClientIdTaken","error":"ClientIdTaken","message":"m"})"},
                      {400, R"({"code":"made_up_code","message":"m"})"},
                      {400, "<html>"},
                      {401, R"({"code":"unauthorized"})"},
                      {401, ""},
                      {403, "<html>"},
                      {404, "<html>"},
                      {429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})"},
                      {503, R"({"code":"service_unavailable","message":"m"})"},
                      {501, ""}};
  for (const Row& row : rows) {
    // A signed nonce does not make an id of ours somebody else's.
    for (const bool is_signed : {false, true}) {
      TraderMachine machine;
      machine.intercept = after(machine, is_order, answered(row.status, std::string(row.body)));
      const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000" +
                                        (is_signed ? machine.with_password : " --action omit"));
      EXPECT_EQ(ran.exit, 0) << row.status << row.body << ran.out << ran.err;
      EXPECT_EQ(orders_sent(machine), 1u);
    }
  }
}

// A success of another order, amount or setting says nothing of this write.
TEST(MisleadingAnswer, ThatTellsOfSomethingElseLeadsToALookUp) {
  struct Row {
    std::string line;
    std::string told;
    std::string misleading;
  };
  const Row rows[] = {
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("quantity":"0.1")", R"("quantity":"5")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("price":"30000")", R"("price":"60000")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("quantity":"0.1")", R"("quantity":"0.05")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("side":"Buy")", R"("side":"Sell")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("market_id":"BTC-USDX-PERP")", R"("market_id":"ETH-USDX-PERP")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("order_type":"Limit")", R"("order_type":"Market")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("order":{"id":")", R"("order":{"id":"","was":")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("client_id":")", R"("client_id":7,"was":")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("client_id":")", R"("of":")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("status":"Open")", R"("status":"Open","trigger_price":"31000")"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("status":"Open")", R"("status":null)"},
      {"buy 0.1 BTC-USDX-PERP @ 30000", R"("status":"Open")", R"("status":"Open","status":"Filled")"},
      {"orders amend ORDER --price 29990", R"("price":"29990")", R"("price":"99999")"},
      {"orders amend ORDER --size 0.2", R"("quantity":"0.2")", R"("quantity":"7")"},
      {"orders cancel ORDER", R"("status":"Cancelled")", R"("status":"Open")"},
      {"orders cancel ORDER", R"("id":")", R"("id":"x)"},
      {"withdrawals submit 25", R"("amount":"25")", R"("amount":"500")"},
      {"deposits submit --amount 9", R"("amount":"9")", R"("amount":"500")"},
      {"margin leverage BTC-USDX-PERP 5", R"("leverage":5)", R"("leverage":50)"},
      {"margin mode set ETH-USDX-PERP isolated", R"("margin_mode":"isolated")", R"("margin_mode":"other")"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.line + row.misleading);
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 31000 --client-id resting").exit, 0);
    const Json resting = machine.run("-n local --json orders get --client-id resting").document();
    const std::string line = with_each(row.line, "ORDER", resting.text_at("data.id"));
    bool misled = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (request.method == "GET") return {};
      auto answer = machine.sandbox.handle(request);
      const auto at = answer.body.find(row.told);
      misled = at != std::string::npos;
      if (misled) answer.body.replace(at, row.told.size(), row.misleading);
      return answer;
    };
    const RunResult ran = machine.run("-n local --json" + machine.with_password + " " + line);
    EXPECT_TRUE(misled);
    EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "reconciled"));
    EXPECT_FALSE(has(ran.out, row.misleading));
  }
}

// What may only reduce is clamped to the position: that is no other order, told at once or looked for.
TEST(ClampedOrder, IsTheOneThatWasSent) {
  for (const bool is_lost : {false, true}) {
    for (const std::string line :
         {"sell 0.2 BTC-USDX-PERP @ 61000 --reduce-only", "sell 0.2 BTC-USDX-PERP --reduce-only"}) {
      TraderMachine machine;
      machine.add_trader("bob");
      ASSERT_EQ(machine.run("-n local --signer alice sell 1 BTC-USDX-PERP @ 60000").exit, 0);
      ASSERT_EQ(machine.run("-n local --signer bob buy 0.1 BTC-USDX-PERP @ 60000").exit, 0);
      ASSERT_EQ(machine.run("-n local --signer alice buy 1 BTC-USDX-PERP @ 59000").exit, 0);
      if (is_lost) machine.intercept = lose_answers_to_orders(machine);
      const RunResult ran = machine.run("-n local --json --signer bob " + line);
      EXPECT_EQ(ran.exit, 0) << ran.out;
      EXPECT_EQ(ran.document().string_at("data.order.quantity"), "0.1") << ran.out;
    }
  }
}

// Self-trade prevention subtracts what it met of the account's own orders, here 0.02.
TEST(DecrementedOrder, IsTheOneThatWasSent) {
  for (const bool is_lost : {false, true}) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local sell 0.02 BTC-USDX-PERP @ 61000").exit, 0);
    if (is_lost) machine.intercept = lose_answers_to_orders(machine);
    const RunResult ran = machine.run("-n local --json buy 0.05 BTC-USDX-PERP @ 61000 --stp decrement-and-cancel");
    EXPECT_EQ(ran.exit, 0) << ran.out;
    EXPECT_EQ(ran.document().string_at("data.order.quantity"), "0.03") << ran.out;
  }
}

TEST(CancelOrder, TakesTheIdInAnyCase) {
  TraderMachine machine;
  std::string id;
  while (id.find_first_of("abcdef") == std::string::npos) {
    const RunResult placed = machine.run("-n local --json buy 0.001 BTC-USDX-PERP @ 50000 --allow-duplicate");
    ASSERT_EQ(placed.exit, 0) << placed.out;
    id = placed.document().text_at("data.order.id");
  }
  for (char& c : id) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(machine.run("-n local orders cancel " + id + " --market BTC-USDX-PERP").exit, 0);
}

TEST(MisleadingAnswer, CancelsNothing) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 31000 --client-id resting").exit, 0);
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "DELETE") return {};
    return request.path() == "/orders" ? answered(200, "[]") : answered(200, R"({"id":"x","status":"Cancelled"})");
  };
  const RunResult all = machine.run("-n local --json orders cancel-all");
  EXPECT_EQ(all.exit, 15) << all.out;
  EXPECT_EQ(all.code(), "not_cancelled") << all.out;
  const RunResult cancel = machine.run("-n local --json orders cancel --client-id resting");
  EXPECT_EQ(cancel.exit, 11) << cancel.out;
  const RunResult flat = machine.run("-n local --json flatten");
  EXPECT_EQ(flat.exit, 15) << flat.out;
  EXPECT_TRUE(has(flat.document().text_at("error.message"), "1 order is open")) << flat.out;
}

TEST(LostAnswer, OfCancelAllSaysThatItListsNoOrders) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 31000").exit, 0);
  machine.intercept = after(machine, to("DELETE"), unanswered(api::Delivery::unknown));
  const RunResult all = machine.run("-n local --json orders cancel-all");
  EXPECT_EQ(all.exit, 0) << all.out;
  EXPECT_EQ(all.document().find("data")->dump(), "[]");
  EXPECT_TRUE(has(all.out, "no order of before is open; those that it cancelled are not listed"));
}

// Each cancel is sent, whatever became of the one before; then they are looked for.
TEST(LostAnswer, OfOneCancelHoldsUpNoOther) {
  struct Row {
    Intercepted fate;
    int exit;
  };
  const Row rows[] = {{unanswered(api::Delivery::unknown), 11},
                      {answered(500, "{}"), 11},
                      {answered(503, R"({"code":"service_unavailable","message":"m"})"), 15}};
  for (const Row& row : rows) {
    TraderMachine machine;
    for (const std::string id : {"a", "b", "c"})
      ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 31000 --client-id " + id).exit, 0);
    std::string first;
    std::vector<std::string> sent;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      sent.push_back(request.method + " " + std::string(request.path()));
      if (request.method != "DELETE") return {};
      if (first.empty()) first = request.path();
      return request.path() == first ? row.fate : Intercepted();
    };
    const RunResult ran = machine.run("-n local --json orders cancel --client-id a --client-id b --client-id c");
    EXPECT_EQ(ran.exit, row.exit) << ran.out;
    const auto results = ran.rows();
    ASSERT_EQ(results.size(), 3u) << ran.out;
    EXPECT_NE(results[0].string_at("status"), "Cancelled");
    EXPECT_EQ(results[1].string_at("status"), "Cancelled");
    EXPECT_EQ(results[2].string_at("status"), "Cancelled");
    const auto last_cancel = std::find_if(sent.rbegin(), sent.rend(), [](const auto& one) { return one[0] == 'D'; });
    const auto first_look = std::ranges::find(sent, "GET /orders/history");
    if (row.exit == 11) {
      EXPECT_LT(last_cancel.base() - sent.begin(), first_look - sent.begin() + 1) << ran.out;
    }
  }
}

TEST(Refusal, StandsIfTheLookUpFindsNothingOrIsRefusedToo) {
  struct Row {
    bool reads_too;
    int status;
    std::string_view body;
    int exit;
  };
  const Row rows[] = {{false, 401, R"({"code":"unauthorized"})", 4},
                      {true, 401, R"({"code":"unauthorized"})", 4},
                      {false, 429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", 9},
                      {true, 429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", 9},
                      {true, 503, R"({"code":"service_unavailable","message":"m"})", 10}};
  // Reads that are retried during a look-up are not in doubt themselves.
  const std::string_view lines[] = {
      "--retries 0 buy 0.1 BTC-USDX-PERP @ 30000", "--retries 0 margin leverage BTC-USDX-PERP 5",
      "--retries 2 buy 0.1 BTC-USDX-PERP @ 30000", "--retries 2 margin leverage BTC-USDX-PERP 5"};
  for (const Row& row : rows) {
    for (const std::string_view line : lines) {
      TraderMachine machine;
      bool sent = false;
      machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
        const bool is_write = request.method != "GET";
        sent = sent || is_write;
        const bool is_public = request.path() == "/metadata" || request.path().starts_with("/markets");
        if (!is_write && (!sent || !row.reads_too || is_public)) return {};
        return answered(row.status, std::string(row.body));
      };
      const RunResult ran = machine.run("-n local --json " + std::string(line));
      EXPECT_EQ(ran.exit, row.exit) << row.status << line << ran.out;
      EXPECT_EQ(machine.open_entries(), 0u) << row.status << line;
    }
  }
}

// A proxy that delivered the first copy may answer for the second.
TEST(Refusal, IsTheEndOfAPaymentThatCannotBeLookedUp) {
  TraderMachine machine;
  int writes = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "GET") ++writes;
    const bool is_public = request.path() == "/metadata" || request.path().starts_with("/markets");
    if (is_public || writes == 0) return {};
    return request.method == "GET"
               ? answered(503, R"({"code":"service_unavailable","message":"m"})")
               : answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", {{"Retry-After", "1"}});
  };
  EXPECT_EQ(machine.run("-n local --json deposits submit --amount 5").exit, 9);
  EXPECT_EQ(writes, 1) << "nothing is sent again";
}

// Other commands may have spent the budget that the look-up needs.
TEST(Refusal, StandsAfterALookUpThatWaitedForTheRateLimit) {
  for (const bool is_told_by_server : {true, false}) {
    TraderMachine machine;
    bool is_refused = false;
    int reads = 0;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (is_order(request)) {
        is_refused = true;
        return answered(401, R"({"code":"unauthorized"})");
      }
      const bool is_public = request.path() == "/metadata" || request.path().starts_with("/markets");
      if (!is_refused || is_public || ++reads > 1) return {};
      if (is_told_by_server)
        return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m"})", api::Headers{{"Retry-After", "5"}});
      api::HttpResponse spent = machine.sandbox.handle(request);
      spent.headers.set("X-RateLimit-Limit", "1");
      spent.headers.set("X-RateLimit-Remaining", "0");
      return spent;
    };
    const RunResult ran = machine.run("-n local --json --retries 0 buy 0.1 BTC-USDX-PERP @ 30000");
    EXPECT_EQ(ran.exit, 4) << is_told_by_server << ran.out;
    EXPECT_GT(reads, 1);
    EXPECT_EQ(machine.open_entries(), 0u) << is_told_by_server;
  }
}

TEST(Refusal, OfReadsAfterACancelCausesNoLookUp) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --client-id mine").exit, 0);
  const Json orders = machine.run("-n local --json orders list").document();
  const std::string id = orders.find("data")->items().front().text_at("id");
  bool sent = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "GET" && !sent) return {};
    sent = true;
    return answered(request.method == "GET" ? 503 : 404, R"({"code":"service_unavailable","message":"m"})");
  };
  const RunResult ran = machine.run("-n local --json orders cancel " + id + " --market BTC-USDX-PERP");
  EXPECT_EQ(ran.exit, 11) << ran.out;
  machine.intercept = {};
  EXPECT_EQ(machine.open_entries(), 1u);
}

// The ids of two that rest.
std::pair<std::string, std::string> two_orders(ClientMachine& machine) {
  for (const std::string price : {"30000", "30001"})
    EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ " + price).exit, 0);
  const auto open = machine.run("-n local --json orders list").rows();
  EXPECT_EQ(open.size(), 2u);
  return {open.at(0).text_at("id"), open.at(1).text_at("id")};
}

TEST(Refusal, OfACancelStandsForAnOrderThatEndedOtherwise) {
  TraderMachine machine;
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000 --tif IOC").exit, 19);
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
  ASSERT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  machine.clock.advance(minute_ms);
  const auto ended = machine.run("-n local --json orders history").rows();
  EXPECT_EQ(ended.size(), 2u);
  for (const Json& row : ended) {
    const RunResult ran = machine.run("-n local --json orders cancel " + row.text_at("id"));
    EXPECT_EQ(ran.exit, 5) << row.dump() << ran.out;
    EXPECT_EQ(ran.code(), "OrderNotFound");
  }
}

TEST(Refusal, OfSomeCancelsIsLookedUpOnceAllWereSent) {
  TraderMachine machine;
  const auto [doubled, once] = two_orders(machine);
  std::vector<std::string> sent;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    sent.push_back(request.method + " " + std::string(request.path()));
    if (request.path() == "/orders/" + doubled && request.method == "DELETE") return deliver_twice(machine, request);
    return {};
  };
  const std::string unknown = "00000000-0000-4000-8000-000000000000";
  const RunResult ran =
      machine.run("-n local --json orders cancel --market BTC-USDX-PERP " + unknown + " " + doubled + " " + once);
  EXPECT_EQ(ran.exit, 15) << ran.out;
  const auto rows = ran.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].string_at("error"), "OrderNotFound");
  EXPECT_EQ(rows[1].string_at("status"), "Cancelled");
  EXPECT_EQ(rows[2].string_at("status"), "Cancelled");
  const auto at = [&](const std::string& request) { return std::ranges::find(sent, request) - sent.begin(); };
  EXPECT_LT(at("DELETE /orders/" + once), at("GET /orders/history"));
  EXPECT_LT(static_cast<std::size_t>(at("GET /orders/history")), sent.size());
  machine.intercept = {};
  EXPECT_TRUE(machine.run("-n local --json outbox list").rows().empty());
}

TEST(Refusal, ThatIsNotProvedDoesNotHideTheOtherCancels) {
  TraderMachine machine;
  const auto [gone, live] = two_orders(machine);
  ASSERT_EQ(machine.run("-n local orders cancel " + gone).exit, 0);
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    return request.method == "GET" && request.path() != "/metadata" ? answered(500, "{}") : Intercepted();
  };
  const RunResult ran = machine.run("-n local --json orders cancel --market BTC-USDX-PERP " + gone + " " + live);
  EXPECT_EQ(ran.exit, 11) << ran.out;
  const auto rows = ran.rows();
  ASSERT_EQ(rows.size(), 2u) << ran.out;
  EXPECT_EQ(rows[0].string_at("error"), "outcome_unknown");
  EXPECT_EQ(rows[1].string_at("status"), "Cancelled");
}

TEST(LostAnswer, OfFlattenIsReportedWhateverLaterReadsReturn) {
  for (const auto& fate :
       {unanswered(api::Delivery::unknown), answered(500, R"({"code":"INTERNAL_ERROR","message":"m"})"),
        unanswered(api::Delivery::not_sent)}) {
    TraderMachine machine;
    ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30000").exit, 0);
    bool sent = false;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (request.method != "DELETE") return sent ? fate : Intercepted();
      sent = true;
      static_cast<void>(machine.sandbox.handle(request));
      return unanswered(api::Delivery::unknown);
    };
    const RunResult ran = machine.run("-n local --json flatten");
    EXPECT_EQ(ran.exit, 11) << ran.out;
    EXPECT_EQ(ran.code(), "outcome_unknown") << ran.out;
  }
}

TEST(LostAnswer, EveryWriteIsUnknownIfItsAnswerDoesNotTellTheOutcome) {
  TraderMachine machine;
  for (const std::string line :
       {"orders cancel 00010000-0000-4000-8000-000000000001 --market BTC-USDX-PERP", "orders cancel-all",
        "margin leverage BTC-USDX-PERP 5", "deposits submit --amount 5"}) {
    machine.intercept = [](const api::HttpRequest& request) {
      return request.method == "GET"
                 ? Intercepted()
                 : answered(200, request.method == "DELETE" && request.path() == "/orders" ? "{}" : "[]");
    };
    EXPECT_EQ(machine.run("-n local --no-reconcile " + line).exit, 11) << line;
  }
}

TEST(LostAnswer, OrdersMissingInABatchAnswerAreLookedUp) {
  for (const std::string_view answer : {"[]", "{}", R"([{"outcome":"ok","order":{"id":"1"}}])"}) {
    TraderMachine machine;
    const auto file = machine.write(
        "orders.ndjson",
        R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"50000"}
{"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"50001"}
)");
    machine.intercept = after(machine, is_write, answered(200, std::string(answer)));
    const RunResult ran = machine.run("-n local --json orders batch -f " + file.string());
    EXPECT_EQ(ran.exit, 0) << answer << ran.out;
    const auto rows = ran.rows();
    EXPECT_EQ(rows.size(), 2u);
    for (const Json& row : rows) EXPECT_EQ(row.string_at("outcome"), "ok") << row.dump();
  }
}

TEST(LostAnswer, OfABatchThatArrivesBetweenTwoReadsIsFoundCompletely) {
  TraderMachine machine;
  std::optional<api::HttpRequest> on_its_way;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.path() == "/orders/batch") {
      on_its_way = request;
      return unanswered(api::Delivery::unknown);
    }
    // After the open orders were read, before the ended ones are.
    if (request.path() == "/orders/history" && on_its_way) {
      static_cast<void>(machine.sandbox.handle(*on_its_way));
      on_its_way.reset();
    }
    return {};
  };
  const auto file = machine.write("orders.csv",
                                  "market_id,side,order_type,time_in_force,price,quantity,client_id\n"
                                  "BTC-USDX-PERP,Buy,Limit,IOC,50000,0.001,ends-at-once\n"
                                  "BTC-USDX-PERP,Buy,Limit,GTC,50000,0.001,rests\n");
  const RunResult ran = machine.run("-n local --json orders batch --format csv --file " + file.string());
  EXPECT_EQ(ran.exit, 19) << ran.out;
  const Json document = ran.document();
  ASSERT_EQ(document.at("data")->items().size(), 2u);
  for (const Json& row : document.at("data")->items()) EXPECT_EQ(row.string_at("outcome"), "ok") << ran.out;
}

TEST(RateLimit, IsWaitedOutBecauseNothingHappened) {
  TraderMachine machine;
  machine.sent.clear();
  int refusals = 1;
  machine.intercept = [&](const api::HttpRequest& request) {
    if (!is_order(request) || refusals-- <= 0) return Intercepted();
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m","bucket":"order","tier":"Pro"})",
                    {{"Retry-After", "2"}});
  };
  const RunResult ran = machine.run(buy);
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(orders_sent(machine), 2u);
  EXPECT_EQ(machine.slept_ms, 2'000);
  // Both attempts have the same client id, so they are one order.
  std::set<std::string> client_ids;
  for (const api::HttpRequest& request : machine.sent) {
    const auto body = parse_json(request.body);
    if (is_order(request) && body) client_ids.emplace(body->string_at("client_id").value_or(""));
  }
  EXPECT_EQ(client_ids.size(), 1u);
}

TEST(RateLimit, ThatNamesNoTimeIsNotAskedAgainWithoutEnd) {
  TraderMachine machine;
  machine.sent.clear();
  machine.intercept =
      when(is_order, answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m","bucket":"order","tier":"Pro"})",
                              {{"Retry-After", "0"}}));
  EXPECT_EQ(machine.run(buy).exit, 9);
  EXPECT_LE(machine.slept_ms, minute_ms);
}

// A service that has just dropped an answer may fail once more.
TEST(LostAnswer, IsLookedForAlthoughTheServiceFailsMeanwhile) {
  for (const int status : {302, 404, 408, 409, 500, 503, 520}) {
    TraderMachine machine;
    bool is_lost = false;
    int failures = 0;
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      if (is_order(request)) {
        is_lost = true;
        static_cast<void>(machine.sandbox.handle(request));
        return unanswered(api::Delivery::unknown);
      }
      return is_lost && failures++ == 0 ? answered(status, "<html>") : Intercepted();
    };
    const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 59000");
    EXPECT_EQ(ran.exit, 0) << status << ran.out;
  }
}

// A proxy delivered the first one and said 429 all the same.
TEST(RateLimit, AnOrderThatIsThereIsFoundAfterTheLastWait) {
  TraderMachine machine;
  machine.sent.clear();
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_order(request)) return {};
    if (orders_sent(machine) == 1) static_cast<void>(machine.sandbox.handle(request));
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m","bucket":"order","tier":"Pro"})",
                    {{"Retry-After", "25"}});
  };
  const RunResult ran = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(orders_sent(machine), 3u);
  EXPECT_EQ(ran.document().string_at("data.order.status"), "Open") << ran.out;
}

// A run that is killed meanwhile leaves the entry to the next one.
TEST(RateLimit, AnEntryStaysOpenWhileItsOrderWaits) {
  TraderMachine machine;
  int sent = 0;
  std::vector<std::size_t> open;
  bool looks = false;
  machine.interrupted = [&] {
    if (sent != 1 || std::exchange(looks, true)) return false;
    open.push_back(machine.open_entries());
    looks = false;
    return false;
  };
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (!is_order(request) || ++sent > 1) return {};
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"m","bucket":"order","tier":"Pro"})",
                    {{"Retry-After", "2"}});
  };
  EXPECT_EQ(machine.run(buy).exit, 0);
  ASSERT_FALSE(open.empty());
  for (const std::size_t entries : open) EXPECT_EQ(entries, 1u);
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST(RateLimit, FailsAtOnceWithRateFail) {
  TraderMachine machine;
  machine.intercept =
      when(is_order, answered(429, R"({"code":"RateLimitExceeded","message":"m","bucket":"order","tier":"Pro"})",
                              {{"Retry-After", "3"}}));
  const RunResult ran = machine.run(std::string(buy) + " --rate fail");
  EXPECT_EQ(ran.exit, 9);
  EXPECT_EQ(machine.slept_ms, 0);
  EXPECT_EQ(ran.document().integer_at("error.retry_after_ms"), 3'000);
  EXPECT_EQ(ran.document().string_at("error.details.bucket"), "order");
}

TEST(Journal, HidesASecretOfTheQuery) {
  TraderMachine machine;
  machine.run({"-n", "local", "api", "POST", "/orders?token=hidden-words&x=1", "--data",
               R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","quantity":"0.1","price":"30000"})"});
  bool is_kept = false;
  for (const Json& line : machine.journal("local")) {
    EXPECT_FALSE(has(line.dump(), "hidden-words"));
    is_kept = is_kept || line.dump().find("x=1") != std::string::npos;
  }
  EXPECT_TRUE(is_kept);
}

TEST(Journal, HasTheIntentBeforeTheFirstByteIsSent) {
  TraderMachine machine;
  const std::size_t before = machine.journal("local").size();
  std::vector<Json> at_sending;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (is_order(request)) at_sending = machine.journal("local");
    return {};
  };
  const RunResult ran = machine.run(buy);
  ASSERT_EQ(ran.exit, 0) << ran.out;
  ASSERT_EQ(at_sending.size(), before + 1);
  const Json& intent = at_sending.back();
  EXPECT_EQ(intent.string_at("type"), "intent");
  EXPECT_EQ(intent.string_at("command"), "buy");
  EXPECT_EQ(intent.at("client_ids")->items().at(0).text(), ran.document().string_at("meta.client_id"));
  const auto lines = machine.journal("local");
  ASSERT_EQ(lines.size(), before + 2);
  EXPECT_EQ(lines.back().string_at("type"), "outcome");
  EXPECT_EQ(lines.back().string_at("id"), intent.string_at("id"));
  EXPECT_EQ(lines.back().string_at("outcome"), "accepted");
}

TEST(Journal, RecordsAnUnknownOutcome) {
  TraderMachine machine;
  machine.intercept = when(is_order, unanswered(api::Delivery::unknown));
  ASSERT_EQ(machine.run(buy).exit, 11);
  const auto lines = machine.journal("local");
  EXPECT_EQ(lines.back().string_at("outcome"), "ambiguous");
  EXPECT_EQ(lines.back().integer_at("exit"), 11);
}

TEST(Batch, KeepsResultsFromBeforeTheConnectionBroke) {
  TraderMachine machine;
  std::string lines;
  for (int i = 0; i < 4; ++i) {
    lines += R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.001"})"
             "\n";
  }
  const auto file = machine.write("orders.ndjson", lines);
  int batches = 0;
  machine.intercept = [&](const api::HttpRequest& request) {
    return request.path() == "/orders/batch" && ++batches == 2 ? unanswered(api::Delivery::unknown) : Intercepted();
  };
  const RunResult ran = machine.run("-n local --json --no-reconcile orders batch --chunk 2 -f " + file.string());
  EXPECT_EQ(ran.exit, 11);
  ASSERT_EQ(ran.document().at("data")->items().size(), 4u);
  EXPECT_EQ(ran.document().at("data")->items()[1].string_at("outcome"), "ok");
  EXPECT_EQ(ran.document().at("data")->items()[2].string_at("outcome"), "unknown");
  EXPECT_EQ(ran.document().integer_at("error.details.accepted"), 2);
  EXPECT_EQ(ran.document().integer_at("error.details.failed_from_line"), 3);
  EXPECT_EQ(ran.document().integer_at("error.details.not_sent"), 0);
  EXPECT_EQ(ran.document().at("error.details.client_ids")->items().size(), 2u);
}

TEST(Batch, PartlyAcceptedEndsWithExitFifteen) {
  TraderMachine machine;
  const auto file = machine.write("orders.csv",
                                  "market_id,side,order_type,price,quantity,client_id\n"
                                  "BTC-USDX-PERP,Buy,Limit,50000,0.001,a1\n"
                                  "BTC-USDX-PERP,Buy,Limit,50000.3,0.001,a2\n"
                                  "BTC-USDX-PERP,Buy,Market,,0.001,a3\n");
  const RunResult ran = machine.run("-n local --json orders batch --format csv --file " + file.string());
  EXPECT_EQ(ran.exit, 15) << ran.out;
  const Json document = ran.document();
  ASSERT_EQ(document.at("data")->items().size(), 3u);
  EXPECT_EQ(document.at("data")->items()[0].string_at("order.client_id"), "a1");
  EXPECT_EQ(document.at("data")->items()[1].string_at("error"), "InvalidTickSize");
  EXPECT_EQ(document.at("data")->items()[1].integer_at("line"), 3);
  EXPECT_EQ(document.string_at("error.code"), "partly_accepted");
}

TEST(Batch, IsNotSentIfOneLineIsInvalidOrOfAnotherType) {
  const std::string first = R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Market","quantity":"1"})"
                            "\n";
  const std::string second = R"({"market_id":"BTC-USDX-PERP","side":"Sell","order_type":)";
  for (const std::string rest :
       {R"("Market","quantity":1})", R"("Limit","quantity":"1","price":"61000","trigger_price":"40000"})",
        R"("Limit","quantity":"1","price":"61000","stop_price":"40000"})",
        R"("StopMarket","quantity":"1","trigger_price":"40000","trailing_offset_bps":50})",
        R"("TrailingStop","quantity":"1","trailing_offset_bps":50,"limit_offset_bps":5})",
        R"("Limit","quantity":"1","price":"61000","max_slippage_bps":5})"}) {
    TraderMachine machine;
    machine.sent.clear();
    const auto file = machine.write("orders.ndjson", first + second + rest + "\n");
    const RunResult ran = machine.run("-n local orders batch -f " + file.string());
    EXPECT_EQ(ran.exit, 2) << rest;
    EXPECT_TRUE(has(ran.err, "line 2: "));
    EXPECT_TRUE(machine.sent.empty()) << rest;
  }
}

}  // namespace SVC_FILE
}  // namespace svc::cli
