// A success that answers another call, as when a proxy swaps the answers of two connections, is no answer.
#include <gtest/gtest.h>

#include <array>

#include "base/encoding.h"
#include "cli/client/redaction.h"
#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

struct OtherAnswer : testing::Test {
  OtherAnswer() {
    machine.add_trader("alice");
    machine.add_trader("bob");
    EXPECT_EQ(machine.run("-n local --signer bob buy 0.02 BTC-USDX-PERP @ 50000 --client-id bob-1").exit, 0);
    EXPECT_EQ(machine.run("-n local --signer alice buy 0.02 BTC-USDX-PERP @ 50000 --client-id alice-1").exit, 0);
  }

  // What a GET of that path is answered with.
  void answer(std::string path, std::string body) {
    machine.intercept = [path = std::move(path), body = std::move(body)](const api::HttpRequest& request) {
      const bool is_it = request.method == "GET" && request.target.find(path) != std::string::npos;
      return is_it ? answered(200, body, {{"Content-Type", "application/json"}}) : std::nullopt;
    };
  }
  // The open orders of that wallet, as the service shows them.
  std::string orders_of(const std::string& wallet) {
    return machine.run("-n local -o raw --signer " + wallet + " orders list").out;
  }
  int exit_of(const std::string& command) {
    const RunResult ran = machine.run("-n local --signer alice --json " + command);
    last = ran.document();
    return ran.exit;
  }
  void lose_an_order() {
    machine.intercept = [this](const api::HttpRequest& request) -> Intercepted {
      if (request.method != "POST" || !request.target.ends_with("/orders")) return std::nullopt;
      machine.intercept = {};
      static_cast<void>(machine.deliver(request));
      return unanswered(api::Delivery::unknown);
    };
    ASSERT_EQ(exit_of("buy 0.02 BTC-USDX-PERP @ 50000 --client-id lost-1 --no-reconcile"), 11);
    lost = last.text_at("error.details.outbox");
    machine.clock.advance(2 * minute_ms);
  }

  ClientMachine machine;
  Json last;
  std::string lost;  // in the journal
};

constexpr const char* fill_rows =
    R"([{"id":"f1","order_id":"o1","market_id":"BTC-USDX-PERP","side":"buy","price":"50000","size":"0.02","fee":"1",)"
    R"("taker_or_maker":"taker","timestamp":1,"is_liquidation":false}])";

TEST_F(OtherAnswer, RowsOfAnotherReadAreNoOrders) {
  answer("/orders", fill_rows);
  EXPECT_EQ(exit_of("orders list"), 10);
  EXPECT_EQ(last.string_at("error.code"), "unreadable_answer");
  EXPECT_NE(exit_of("orders cancel-all --side buy"), 0);
}

TEST_F(OtherAnswer, ARedirectAndATimeoutOfAProxyAreWorthARepeat) {
  for (const int status : {301, 304, 408})
    for (const std::string body : {"", "{}"}) {
      std::size_t asked = 0;
      machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
        if (!request.target.ends_with("/orders")) return std::nullopt;
        ++asked;
        return answered(status, body, {});
      };
      EXPECT_EQ(exit_of("--retries 1 orders list"), 10) << status << body;
      EXPECT_EQ(asked, 2u) << status << body;
      EXPECT_TRUE(last.truth_at("error.retryable")) << last.dump();
    }
}

TEST_F(OtherAnswer, OrdersOfAnotherAccountAreNotOnesOwn) {
  answer("/orders", orders_of("bob"));
  EXPECT_EQ(exit_of("orders list"), 10);
  EXPECT_TRUE(has(last.text_at("error.message"), "not of 0x")) << last.dump();
}

TEST_F(OtherAnswer, APositionOfUnknownSizeSideOrMarketIsNotClosed) {
  ASSERT_EQ(machine.run("-n local --signer bob buy 0.02 BTC-USDX-PERP @ 59990").exit, 0);
  ASSERT_EQ(exit_of("sell 0.02 BTC-USDX-PERP @ 59990"), 0) << last.dump();
  ASSERT_EQ(machine.run("-n local --signer bob sell 0.02 BTC-USDX-PERP @ 60010").exit, 0);
  const std::string positions = machine.run("-n local -o raw --signer alice positions list").out;
  const auto with = [&](std::string_view member, std::string_view value) {
    std::string other = positions;
    const std::size_t begin = other.find(member) + member.size();
    return other.replace(begin, other.find(',', begin) - begin, value);
  };
  for (const std::string& row : {with(R"("size":)", "null"), with(R"("size":)", R"("2e-2")"),
                                 with(R"("side":)", "null"), with(R"("market_id":)", "null")}) {
    answer("/positions", row);
    EXPECT_EQ(exit_of("flatten"), 15) << row;
    EXPECT_EQ(exit_of("flatten --market BTC-USDX-PERP"), 15) << row;
    EXPECT_EQ(exit_of("positions close BTC-USDX-PERP"), 10) << row;
    EXPECT_EQ(exit_of("buy 50%pos BTC-USDX-PERP"), 10) << row;
  }
  answer("/positions", with(R"("size":)", "0.02"));
  EXPECT_EQ(exit_of("positions close BTC-USDX-PERP"), 0) << "a number says how much: " << last.dump();
}

TEST_F(OtherAnswer, APositionInWhatIsNoMarketIdIsCountedAsOpenAndHoldsUpNoOther) {
  ASSERT_EQ(machine.run("-n local --signer bob buy 0.02 BTC-USDX-PERP @ 59990").exit, 0);
  ASSERT_EQ(exit_of("sell 0.02 BTC-USDX-PERP @ 59990"), 0) << last.dump();
  ASSERT_EQ(machine.run("-n local --signer bob sell 0.02 BTC-USDX-PERP @ 60010").exit, 0);
  const auto shown = parse_json(machine.run("-n local -o raw --signer alice positions list").out);
  ASSERT_TRUE(shown.has_value());
  Json rows = Json::array();
  rows.push(Json(shown->items().at(0)).set("market_id", "kPEPE-USDX-PERP"));
  rows.push(shown->items().at(0));
  answer("/positions", rows.dump());
  EXPECT_EQ(exit_of("flatten"), 15) << last.dump();
  EXPECT_EQ(last.integer_at("error.details.closed"), 1) << last.dump();
  EXPECT_EQ(last.integer_at("error.details.left"), 1) << last.dump();
}

TEST_F(OtherAnswer, ASideOrMarketThatCannotBeReadIsNotPassedOverAndDoesNotHoldUpTheOthers) {
  int tick = 0;
  const std::pair<std::string, std::string> values[] = {
      {R"("side":)", "null"}, {R"("side":)", R"("buy")"}, {R"("market_id":)", "null"}, {R"("market_id":)", R"("btc")"}};
  for (const auto& [member, value] : values) {
    ASSERT_EQ(exit_of("buy 0.02 BTC-USDX-PERP @ " + std::to_string(50001 + tick++)), 0) << last.dump();
    const auto without = [&, &member = member, &value = value] {
      std::string orders = orders_of("alice");
      const std::size_t begin = orders.find(member) + member.size();
      return orders.replace(begin, orders.find(',', begin) - begin, value);
    };
    answer("/orders", without());
    EXPECT_EQ(exit_of("orders cancel-all --side buy --market BTC-USDX-PERP"), 15) << last.dump();
    EXPECT_EQ(last.string_at("error.code"), "partly_cancelled");
    EXPECT_EQ(last.find("data")->items().size(), 1u);
    machine.intercept = {};
    EXPECT_EQ(parse_json(orders_of("alice"))->items().size(), 1u);
    answer("/orders", without());
    EXPECT_EQ(exit_of("orders cancel-all --side buy --market BTC-USDX-PERP"), 10) << "nothing was done";
    EXPECT_EQ(exit_of("orders cancel-all --side sell --market ETH-USDX-PERP"), 0) << "the other member tells";
    machine.intercept = {};
  }
}

TEST_F(OtherAnswer, ALookUpConcludesNothingFromIt) {
  const std::string of_bob = orders_of("bob");
  lose_an_order();
  for (const std::string& rows : {std::string(fill_rows), of_bob}) {
    answer("/orders", rows);
    EXPECT_NE(exit_of("outbox resolve " + lost), 2);
    EXPECT_FALSE(has(last.dump(), "not_accepted"));
  }
  machine.intercept = {};
  EXPECT_EQ(exit_of("outbox resolve " + lost), 0) << last.dump();
  EXPECT_TRUE(has(last.dump(), "\"accepted\""));
}

TEST_F(OtherAnswer, APriceOfAnotherMarketIsNone) {
  const std::string mark = machine.run("-n local -o raw markets mark-price ETH-USDX-PERP").out;
  answer("/markets/BTC-USDX-PERP/mark-price", mark);
  EXPECT_EQ(exit_of("markets mark-price BTC-USDX-PERP"), 10);
  const std::string ticker = machine.run("-n local -o raw markets ticker ETH-USDX-PERP").out;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    for (const auto& [path, body] :
         {std::pair("/BTC-USDX-PERP/ticker", ticker), std::pair("/BTC-USDX-PERP/mark-price", mark)})
      if (request.target.find(path) != std::string::npos)
        return answered(200, body, {{"Content-Type", "application/json"}});
    return std::nullopt;
  };
  EXPECT_EQ(exit_of("buy 500usdx BTC-USDX-PERP"), 10);
}

TEST_F(OtherAnswer, AnotherOrderIsNotTheOneAskedFor) {
  const std::string of_alice = machine.run("-n local -o raw --signer alice orders list").out;
  const auto row = parse_json(of_alice);
  ASSERT_TRUE(row);
  const std::string other = row->items().front().dump();
  ASSERT_EQ(exit_of("buy 0.02 BTC-USDX-PERP @ 49000"), 0);
  const std::string id = last.text_at("data.order.id");
  answer("/orders/" + id, other);
  EXPECT_EQ(exit_of("orders get " + id), 10);
}

// A key that was deleted elsewhere lies beside one that works.
TEST_F(OtherAnswer, AKeyThatTheServiceRefusesIsPassedOver) {
  machine.clock.advance(second_ms);
  ASSERT_EQ(exit_of("keys create --label newer"), 0);
  const std::string newer = last.text_at("data.key_id");
  ASSERT_EQ(exit_of("api DELETE /keys/" + newer), 0) << last.dump();
  EXPECT_EQ(exit_of("orders list"), 0);
  EXPECT_TRUE(has(last.dump(), "key_refused"));
  EXPECT_EQ(exit_of("orders cancel-all"), 0);
  EXPECT_EQ(exit_of("keys delete " + newer), 5) << "the service does not know it";
  EXPECT_TRUE(has(last.dump(), "key_forgotten"));
  EXPECT_EQ(exit_of("orders list"), 0);
  EXPECT_FALSE(has(last.dump(), "key_refused")) << "it is no longer kept here";
}

// A nonce or an action may be refused, and the key is good.
TEST_F(OtherAnswer, AWriteIsNotSentUnderEachKeyInTurn) {
  machine.clock.advance(second_ms);
  ASSERT_EQ(exit_of("keys create --label newer"), 0);
  const std::string newer = last.text_at("data.key_id");
  std::size_t sent = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "POST" || request.path() != "/orders") return std::nullopt;
    ++sent;
    return answered(401, R"({"code":"unauthorized","message":"unauthorized"})", {{"Content-Type", "application/json"}});
  };
  EXPECT_EQ(exit_of("buy 0.01 BTC-USDX-PERP @ 48000"), 4) << last.dump();
  EXPECT_FALSE(has(last.dump(), "key_refused"));
  EXPECT_LE(sent, 2u) << "once more if the sandbox may have changed";
  machine.intercept = {};
  ASSERT_EQ(exit_of("api DELETE /keys/" + newer), 0) << last.dump();
  EXPECT_EQ(exit_of("buy 0.01 BTC-USDX-PERP @ 48001"), 0) << last.dump();
  EXPECT_TRUE(has(last.dump(), "key_refused"));
}

// The session has ended by the service's clock, so that neither the keys of before nor those of now can be read.
TEST_F(OtherAnswer, AKeyThatAnEndedSessionWouldMakeIsRefused) {
  machine.intercept = [](const api::HttpRequest& request) -> Intercepted {
    if (!request.path().ends_with("/keys")) return std::nullopt;
    return answered(401, R"({"code":"unauthorized","message":"unauthorized"})", {{"Content-Type", "application/json"}});
  };
  EXPECT_EQ(exit_of("keys create"), 4) << last.dump();
  machine.intercept = {};
  EXPECT_EQ(machine.open_entries(), 0u);
}

TEST_F(OtherAnswer, AnotherAccountDeletesNoKeyAndForgetsNone) {
  ASSERT_EQ(exit_of("keys list"), 0);
  const std::string key = last.at("data")->items().front().text_at("key_id");
  const RunResult refused = machine.run("-n local --json --signer bob keys delete " + key);
  EXPECT_EQ(refused.exit, 4) << refused.out;
  EXPECT_EQ(refused.code(), "another_account");
  EXPECT_EQ(exit_of("orders cancel-all"), 0) << "the key is still there and here";
  EXPECT_FALSE(has(last.dump(), "key_refused"));
}

TEST_F(OtherAnswer, AnAnswerThatRepeatsTheRequestShowsNoSecret) {
  std::string token;
  int status = 503;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    const auto sent = request.headers.find("Authorization");
    if (!sent) return std::nullopt;
    token = std::string(sent->substr(sent->find(' ') + 1));
    return answered(status, R"({"code":"INTERNAL_ERROR","message":"got Authorization: )" + std::string(*sent) + "\"}",
                    {{"Content-Type", "application/json"}, {"X-Forwarded-Authorization", std::string(*sent)}});
  };
  for (const int answered_with : {503, 200}) {
    status = answered_with;
    const RunResult ran = machine.run("-n local --signer alice --json --debug-http keys list");
    ASSERT_FALSE(token.empty());
    EXPECT_FALSE(has(ran.out, token));
    EXPECT_FALSE(has(ran.err, token)) << status;
  }
}

TEST_F(OtherAnswer, ASecretThatIsRepeatedInAnotherSpellingIsNotShownEither) {
  std::string token;
  for (const bool is_escaped : {false, true}) {
    machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
      const auto sent = request.headers.find("Authorization");
      if (!sent) return std::nullopt;
      token = upper_case(sent->substr(sent->find(' ') + 1));
      std::string told = token;
      if (is_escaped) told.replace(0, 1, "\\u00" + to_hex(std::array{static_cast<std::uint8_t>(token.front())}));
      return answered(503, R"({"code":"INTERNAL_ERROR","message":"got )" + told + "\"}");
    };
    const RunResult ran = machine.run("-n local --signer alice --json --debug-http keys list");
    ASSERT_FALSE(token.empty());
    EXPECT_FALSE(has(ran.out, token));
    EXPECT_FALSE(has(ran.err, token.substr(1)));
  }
}

TEST_F(OtherAnswer, ASecretWithAnEscapedSlashIsHidden) {
  api::HttpRequest request;
  request.headers.add("Authorization", "Bearer abcdef/ghijklmnop");
  api::HttpResponse response{.status = 401, .headers = {}, .body = R"({"message":"got abcdef\/ghijklmnop"})"};
  hide_echo(request, response);
  EXPECT_FALSE(has(response.body, "ghijklmnop"));
}

// A proxy answers 429 after it has passed the request on.
TEST_F(OtherAnswer, AKeyThatWasMadeBeforeA429IsNotMadeTwice) {
  std::size_t sent = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "POST" || !request.target.ends_with("/keys") || ++sent > 1) return std::nullopt;
    static_cast<void>(machine.deliver(request));
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"slow down"})", {{"Retry-After", "1"}});
  };
  EXPECT_NE(exit_of("keys create --label second"), 0);
  EXPECT_EQ(last.string_at("error.code"), "key_secret_lost") << last.dump();
  EXPECT_EQ(sent, 1u);
}

TEST_F(OtherAnswer, AKeyThatWasDeletedBeforeA429IsDeleted) {
  ASSERT_EQ(exit_of("keys create --label second"), 0);
  const std::string second = last.text_at("data.key_id");
  std::size_t sent = 0;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "DELETE" || ++sent > 1) return std::nullopt;
    static_cast<void>(machine.deliver(request));
    return answered(429, R"({"code":"RATE_LIMIT_EXCEEDED","message":"slow down"})", {{"Retry-After", "1"}});
  };
  EXPECT_EQ(exit_of("keys delete " + second), 0) << last.dump();
}

// `svc api` sends PATH as it is typed.
TEST_F(OtherAnswer, ToACancelOfAnEscapedIdIsTheOneOfThatId) {
  ASSERT_EQ(exit_of("orders get --client-id alice-1"), 0);
  const std::string id = with_each(last.text_at("data.id"), "-", "%2D");
  EXPECT_EQ(exit_of("api DELETE '/orders/" + id + "?market_id=BTC-USDX-PERP'"), 0) << last.dump();
  EXPECT_EQ(exit_of("outbox list"), 0);
  EXPECT_EQ(last.find("data")->items().size(), 0u);
}

TEST_F(OtherAnswer, AKeyWithAnEscapedIdThatIsStillListedIsNotGone) {
  ASSERT_EQ(exit_of("keys create --label second"), 0);
  const std::string id = last.text_at("data.key_id");
  bool is_delivered = false;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method != "DELETE") return std::nullopt;
    if (is_delivered) static_cast<void>(machine.deliver(request));
    return unanswered(api::Delivery::unknown);
  };
  const std::string first = to_hex(std::array{static_cast<std::uint8_t>(id.front())});
  const std::string command = concat("api DELETE /keys/%", first, id.substr(1));
  EXPECT_NE(exit_of(command), 0) << last.dump();
  is_delivered = true;
  EXPECT_EQ(exit_of(command), 0) << last.dump();
}

}  // namespace SVC_FILE
}  // namespace svc::cli
