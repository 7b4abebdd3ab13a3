// Requests that the sandbox signs for its development accounts.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

class SignedRequests : public ::testing::Test {
 protected:
  explicit SignedRequests(SandboxOptions options = test_options()) : exchange(std::move(options)) {}

  [[nodiscard]] std::string account(std::size_t index = 0) const {
    return to_string(exchange.sandbox.accounts().at(index).address);
  }
  Reply ask(const Json& request, std::size_t index = 0) {
    return exchange.control("/accounts/" + account(index) + "/requests", request);
  }
  // The answer that the API gave.
  Json answer(const char* method, const std::string& path, const Json& body = nullptr) {
    const Reply reply = ask({{"method", method}, {"path", path}, {"body", body}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.body;
  }
  Json last_request() { return exchange.get("/_svc/requests?limit=1").body["requests"][0]; }

  TestExchange exchange;
};

class SignedActions : public SignedRequests {
 protected:
  static SandboxOptions with_actions() {
    SandboxOptions options = test_options();
    options.require_action = true;
    return options;
  }
  SignedActions() : SignedRequests(with_actions()) {}
};

TEST_F(SignedRequests, PassThroughTheWholeGateway) {
  const Json placed = answer("POST", "/v1/orders", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(placed["status"], 201) << placed;
  EXPECT_EQ(placed["body"]["order"]["status"], "Open") << placed;
  const Json logged = last_request();
  EXPECT_EQ(logged["operation"], "place_order");
  EXPECT_EQ(logged["credential"], "hmac");
  EXPECT_EQ(logged["account"], account());
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST_F(SignedRequests, OfOneMomentShareOneKeyAndOneSession) {
  {
    std::vector<std::jthread> pages;
    for (int page = 0; page < 4; ++page)
      pages.emplace_back([&] { EXPECT_EQ(answer("GET", "/orders")["status"], 200); });
  }
  EXPECT_EQ(answer("GET", "/keys")["body"].size(), 1u);
  const auto ends_ms = exchange.get("/_svc/time").body["next_expiry_ms"];
  exchange.machine.advance(1'000);
  exchange.control("/time", {{"advance_ms", 1'000}});
  EXPECT_EQ(answer("GET", "/keys")["status"], 200);
  EXPECT_EQ(exchange.get("/_svc/time").body["next_expiry_ms"], ends_ms) << "the session of before is used again";
}

TEST_F(SignedRequests, MayHaveAnIdempotencyKey) {
  const Json withdrawal = {{"method", "POST"},
                           {"path", "/api/v1/bridge/withdrawals"},
                           {"body", {{"amount", "1000000"}}},
                           {"idempotency_key", "rent"}};
  const Json first = ask(withdrawal).body;
  EXPECT_LT(first["status"], 300) << first;
  EXPECT_EQ(ask(withdrawal).body["body"]["id"], first["body"]["id"]) << "the same withdrawal";
}

TEST_F(SignedRequests, MayLeaveOutTheBaseAndHaveAQuery) {
  EXPECT_EQ(answer("GET", "/orders")["status"], 200);
  EXPECT_EQ(answer("GET", "/api/v1/orders")["status"], 200);
  EXPECT_EQ(answer("GET", "/v1/orders?market_id=BTC-USDX-PERP")["status"], 200);
  const Reply reply = ask({{"method", "GET"}, {"path", "/fills"}, {"query", "limit=5&market_id=BTC-USDX-PERP"}});
  EXPECT_EQ(reply.body["status"], 200) << reply.body;
  EXPECT_TRUE(reply.body["body"].is_array()) << reply.body;
}

TEST_F(SignedRequests, AreAnsweredWithTheRefusalIfRefused) {
  const Json refused = answer("POST", "/orders", limit_order("Buy", "0.1", "59000.1"));
  EXPECT_EQ(refused["status"], 400);
  EXPECT_EQ(refused["body"]["code"], "InvalidTickSize");
  EXPECT_EQ(answer("POST", "/orders", {{"side", "Buy"}})["status"], 400);
  EXPECT_EQ(answer("DELETE", "/orders/1?market_id=BTC-USDX-PERP")["status"], 404);
  EXPECT_EQ(answer("GET", "/nowhere")["status"], 404);
  EXPECT_EQ(answer("GET", "/stream")["status"], 404);
  EXPECT_EQ(answer("GET", "/_svc/status")["status"], 404) << "this is no way around";
}

TEST_F(SignedActions, BearTheActionOfAnOperationThatHasOne) {
  const Json placed = answer("POST", "/orders", limit_order("Buy", "0.1", "59000"));
  ASSERT_EQ(placed["status"], 201) << placed;
  const std::string order = placed["body"]["order"]["id"];
  const Json amended = answer("PATCH", "/orders/" + order + "?market_id=BTC-USDX-PERP", {{"price", "58000"}});
  EXPECT_EQ(amended["status"], 200) << amended;
  const Json canceled = answer("DELETE", "/orders?market_id=BTC-USDX-PERP");
  EXPECT_EQ(canceled["status"], 200) << canceled;
  EXPECT_EQ(answer("POST", "/leverage", {{"market_id", "BTC-USDX-PERP"}, {"leverage", 5}})["status"], 200);
}

// With a clock that stands, a client signs with the time as its nonce, then with numbers that follow.
TEST_F(SignedActions, SpendNoNonceOfTheWallet) {
  ASSERT_EQ(answer("POST", "/orders", limit_order("Buy", "0.1", "59000"))["status"], 201);
  ASSERT_EQ(answer("POST", "/orders", limit_order("Buy", "0.1", "59000"))["status"], 201);
  const Reply agents = Trader(exchange, 0).get("/agents");
  ASSERT_EQ(agents.body.size(), 1u) << agents.body;
  EXPECT_EQ(agents.body[0]["label"], "console");
  EXPECT_NE(agents.body[0]["address"], account());
}

TEST_F(SignedActions, OfOneMomentDoNotRefuseEachOther) {
  std::atomic<int> placed = 0;
  {
    std::vector<std::jthread> pages;
    for (int page = 0; page < 4; ++page)
      pages.emplace_back([&] {
        for (int i = 0; i < 5; ++i)
          placed += answer("POST", "/orders", limit_order("Buy", "0.1", "59000"))["status"] == 201 ? 1 : 0;
      });
  }
  EXPECT_EQ(placed, 20);
}

TEST_F(SignedRequests, UseOneKeyAndOneAgentOfAnAccount) {
  for (int i = 0; i < 3; ++i) (void)answer("POST", "/orders", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(answer("GET", "/keys")["body"].size(), 1u);
  EXPECT_EQ(answer("GET", "/keys")["body"][0]["label"], "console");
  EXPECT_EQ(answer("GET", "/agents")["body"].size(), 1u);
}

TEST_F(SignedActions, GoOnAfterAResetAndWithoutTheKeyAndAgentOfBefore) {
  const Json order = limit_order("Buy", "0.1", "59000");
  ASSERT_EQ(answer("POST", "/orders", order)["status"], 201);
  ASSERT_EQ(exchange.control("/reset", Json::object()).status, 200);
  EXPECT_EQ(answer("POST", "/orders", order)["status"], 201);
  const std::string agent = answer("GET", "/agents")["body"][0]["address"];
  ASSERT_EQ(answer("DELETE", "/agents/" + agent)["status"], 200);
  const std::string key = answer("GET", "/keys")["body"][0]["key_id"];
  ASSERT_EQ(answer("DELETE", "/keys/" + key)["status"], 200);
  EXPECT_EQ(answer("POST", "/orders", order)["status"], 201);
}

TEST_F(SignedRequests, MintTheTokenOfAStream) {
  const Json minted = answer("POST", "/ws/token");
  EXPECT_EQ(minted["status"], 200) << minted;
  EXPECT_EQ(minted["body"]["token"].get<std::string>().size(), 48u);
}

TEST_F(SignedRequests, TellTheBudget) {
  SandboxOptions options = test_options();
  options.limits = {.multiplier = 1};
  TestExchange bounded(std::move(options));
  Reply reply;
  for (int i = 0; i < 10'000 && (i == 0 || reply.body["status"] == 200); ++i)
    reply = bounded.control("/accounts/" + account() + "/requests", {{"method", "GET"}, {"path", "/orders"}});
  EXPECT_EQ(reply.body["status"], 429);
  EXPECT_TRUE(reply.body["headers"].contains("Retry-After")) << reply.body;
  EXPECT_EQ(reply.body["headers"]["X-RateLimit-Remaining"], "0") << reply.body;
}

TEST_F(SignedRequests, TellThatAFaultLostThem) {
  ASSERT_EQ(exchange.control("/faults", {{"operation", "place_order"}, {"drop_after_send", true}}).status, 200);
  const Json lost = answer("POST", "/orders", limit_order("Buy", "0.1", "59000"));
  EXPECT_EQ(lost["status"], 0) << lost;
  EXPECT_EQ(lost["body"], nullptr);
  EXPECT_EQ(answer("GET", "/orders")["body"].size(), 1u);
}

TEST_F(SignedRequests, AreThoseOfDevelopmentAccounts) {
  const Reply stranger =
      exchange.control("/accounts/0x" + std::string(40, 'a') + "/requests", {{"method", "GET"}, {"path", "/orders"}});
  EXPECT_EQ(stranger.status, 404) << stranger.body;
  SandboxOptions options = test_options();
  options.network = api::NetworkId::testnet;
  TestExchange elsewhere(std::move(options));
  EXPECT_EQ(elsewhere.control("/accounts/" + account() + "/requests", {{"method", "GET"}, {"path", "/orders"}}).status,
            404);
}

TEST_F(SignedRequests, AreWellFormed) {
  const struct {
    Json request;
    int status;
  } rows[] = {
      {{{"method", "GET"}, {"path", "orders"}}, 400},
      {{{"method", "GET"}, {"path", ""}}, 400},
      {{{"method", "GET"}, {"path", "/orders HTTP/1.1"}}, 400},
      {{{"method", "GET"}, {"path", "/orders"}, {"query", "a=\r\nX-Agent: 0"}}, 400},
      {{{"method", "GET"}, {"path", "/orders#1"}}, 400},
      {{{"method", "GET"}, {"path", "/" + std::string(limits::http_request_line_bytes_max, 'a')}}, 400},
      {{{"method", "TRACE"}, {"path", "/orders"}}, 400},
      {{{"method", "GET"}}, 400},
      {{{"method", "POST"}, {"path", "/withdrawals"}, {"body", {{"amount", "1"}}}}, 422},
      {{{"method", "POST"}, {"path", "/transfers"}, {"body", {{"amount", "1"}}}}, 422},
      {{{"method", "GET"}, {"path", "/admin/tiers"}}, 422},
  };
  for (const auto& row : rows) EXPECT_EQ(ask(row.request).status, row.status) << row.request;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
