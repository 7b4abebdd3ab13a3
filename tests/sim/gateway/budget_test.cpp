// Who pays for a request, how much, and which refusals cost nothing.
#include "sim/gateway/world.h"

namespace svc::sim {
namespace SVC_FILE {

TEST_F(GatewayTest, AddressesAreMeteredSeparatelyAndUnresolvedOnesTogether) {
  options.client_ip_header = "X-Real-IP";
  rebuild();
  const auto passes = [&](const char* address) {
    int count = 0;
    while (count < 100) {
      HttpRequest request = get("/tickers");
      if (address != nullptr) request.headers.add("X-Real-IP", address);
      if (send(std::move(request)).status != 200) break;
      ++count;
    }
    return count;
  };
  EXPECT_EQ(passes("203.0.113.7"), 50);
  EXPECT_EQ(passes("203.0.113.8"), 50);
  EXPECT_EQ(passes(nullptr), 5);
  EXPECT_EQ(passes("unknown"), 0);  // the same bucket
}

TEST_F(GatewayTest, RefusedCredentialsAreChargedOnlyToTheAddress) {
  const auto minted = mint(local);
  HttpRequest forged = signed_read(local, minted);
  forged.headers.set("X-Signature", std::string(64, '0'));
  for (int i = 0; i < 50; ++i) {
    const HttpResponse refused = send(forged);
    ASSERT_EQ(refused.status, 401);
    ASSERT_FALSE(refused.headers.contains("X-RateLimit-Remaining"));
  }
  const HttpResponse limited = send(forged);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.find("x-ratelimit-bucket"), "ip");
  EXPECT_EQ(send(forged, "192.0.2.7").status, 401) << "another address has its own";
  const HttpResponse passed = send(signed_read(local, minted));
  EXPECT_EQ(passed.status, 200);
  EXPECT_EQ(passed.headers.find("x-ratelimit-remaining"), "19");
}

TEST_F(GatewayTest, ARefusedOwnerSignatureCostsTheAddressOneUnit) {
  for (int i = 0; i < 50; ++i) ASSERT_EQ(send(get("/transfers")).status, 401) << i;
  EXPECT_EQ(send(get("/transfers")).status, 429);
  const auto login = [&] { return send({"POST", "/auth/login", {{"X-Agent", to_string(alice)}}, "{}"}).status; };
  for (int i = 0; i < 5; ++i) ASSERT_EQ(login(), 401) << i;
  EXPECT_EQ(login(), 429);
}

struct FailedSignatures : GatewayTest {
  HttpRequest forged(const char* method) {
    return {method,
            "/orders",
            {{"X-Agent", to_string(alice)},
             {"X-Timestamp", std::to_string(clock.now_ms())},
             {"X-Nonce", "1"},
             {"X-Signature", "0x" + std::string(128, '1') + "1b"}},
            {}};
  }
  int refused_until_limited(const char* method) {
    int count = 0;
    while (count < 1'000 && send(forged(method)).status == 401) ++count;
    return count;
  }
};

TEST_F(FailedSignatures, AreLimitedPerAddressWithoutAffectingOthersThere) {
  const auto minted = mint(local);
  EXPECT_EQ(refused_until_limited("POST"), 50);
  const HttpResponse limited = send(forged("GET"));
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.find("x-ratelimit-bucket"), "ip");
  EXPECT_EQ(limited.headers.find("retry-after"), "1");
  EXPECT_EQ(last().rule, "budget");
  EXPECT_EQ(send(signed_read(local, minted)).status, 200) << "a key costs no recovery";
  EXPECT_EQ(send(get("/tickers")).status, 200);
  EXPECT_EQ(send(forged("GET"), "192.0.2.7").status, 401) << "another address has its own";
  EXPECT_EQ(refused_until_limited("DELETE"), 50) << "and cancels have theirs";
  clock.advance(second_ms);
  EXPECT_EQ(refused_until_limited("POST"), 50);
}

TEST_F(FailedSignatures, ThatAreNotCheckedAreChargedLikeOtherRefusedCredentials) {
  const auto stale = [&] {
    HttpRequest request = forged("POST");
    request.headers.set("X-Timestamp", "1");
    return send(std::move(request)).status;
  };
  for (int i = 0; i < 50; ++i) ASSERT_EQ(stale(), 401);
  EXPECT_EQ(stale(), 429);
  EXPECT_EQ(send(forged("POST")).status, 401) << "the dear ones have a bucket of their own";
}

TEST_F(FailedSignatures, OfActionsWithAValidKeyAreLimitedAsWell) {
  const auto minted = mint(local);
  HttpRequest request = signed_request(
      local, minted, "POST", "/orders",
      R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Market","quantity":"1","time_in_force":"IOC"})");
  request.headers.set("X-Action-Signature", "0x" + std::string(128, '1') + "1b");
  request.headers.set("X-Action-Timestamp", std::to_string(start_ms));
  request.headers.set("X-Action-Nonce", "1");
  for (int i = 0; i < 50; ++i) ASSERT_EQ(send(request).status, 401) << i;
  EXPECT_EQ(send(request).status, 429);
}

// Each of its orders is hashed before it is known who signed it.
TEST_F(FailedSignatures, OfABatchCostWhatItsOrdersWeigh) {
  const auto batch_of = [&](int orders) {
    HttpRequest request = forged("POST");
    request.target = "/orders/batch";
    request.body = "[{}";
    for (int i = 1; i < orders; ++i) request.body += ",{}";
    request.body += "]";
    return send(std::move(request));
  };
  for (int i = 0; i < 4; ++i) ASSERT_EQ(batch_of(400).status, 401) << "eleven tokens of fifty";
  EXPECT_EQ(batch_of(400).status, 429);
  EXPECT_EQ(refused_until_limited("POST"), 6);
  const HttpResponse too_large = batch_of(limits::batch_orders_max + 1);
  EXPECT_EQ(too_large.status, 429);
  clock.advance(second_ms);
  EXPECT_EQ(batch_of(limits::batch_orders_max + 1).status, 401) << "whoever is not known is told nothing";
  EXPECT_EQ(refused_until_limited("POST"), 50 - 26);
}

TEST_F(FailedSignatures, AKnownCallerIsToldThatABatchIsTooLarge) {
  const auto minted = mint(local);
  const std::string order =
      R"({"market_id":"BTC","side":"Buy","order_type":"Market","quantity":"1","time_in_force":"IOC"})";
  std::string body = "[" + order;
  for (std::size_t i = 0; i < limits::batch_orders_max; ++i) body += "," + order;
  HttpRequest request = signed_request(local, minted, "POST", "/orders/batch", body + "]");
  const HttpResponse refused = send(request);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("BatchTooLarge"), std::string::npos) << refused.body;
  EXPECT_EQ(refused.headers.find("x-ratelimit-remaining"), "0") << "it costs what it weighs";
  request.headers.set("X-Action-Signature", "0x" + std::string(128, '1') + "1b");
  request.headers.set("X-Action-Timestamp", std::to_string(start_ms));
  request.headers.set("X-Action-Nonce", "1");
  EXPECT_EQ(send(request).status, 401) << "the action is not his";
  clock.advance(second_ms);
  const HttpResponse broken = send(signed_request(local, minted, "POST", "/orders/batch", body + "}"));
  EXPECT_NE(broken.body.find("invalid_json"), std::string::npos) << broken.body;
  EXPECT_EQ(last().cost, 1u);
}

void assign(NetworkInstance& network, api::Tier tier) {
  (void)served(network.services, AssignTier{.account = alice, .tier = tier}, start_ms);
  network.fill_budgets(alice);
}

TEST_F(GatewayTest, ATierChangeAppliesToTheNextRequest) {
  const auto minted = mint(local);
  assign(local, api::Tier::market_maker);
  // The key minted under Pro keeps its ceiling; a key minted now has the tier's.
  EXPECT_EQ(send(signed_read(local, minted)).headers.find("x-ratelimit-limit"), "20");
  const auto another = mint(local);
  EXPECT_EQ(send(signed_read(local, another)).headers.find("x-ratelimit-limit"), "2000");
  assign(local, api::Tier::unlimited);
  EXPECT_EQ(send(signed_read(local, another)).headers.find("x-ratelimit-limit"), "50");
}

TEST_F(GatewayTest, AssigningEvenTheSameTierFillsTheBudgets) {
  const auto minted = mint(local);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(send(signed_read(local, minted)).status, 200);
  ASSERT_EQ(send(signed_read(local, minted)).status, 429);
  assign(local, api::Tier::pro);
  EXPECT_EQ(send(signed_read(local, minted)).status, 200);
}

TEST_F(GatewayTest, ABrokenBatchPaysTheBaseUnit) {
  const auto minted = mint(local);
  std::string body = "[{}";
  for (int i = 1; i < 100; ++i) body += ",{}";
  HttpRequest request = signed_request(local, minted, "POST", "/orders/batch", body);
  EXPECT_EQ(send(std::move(request)).status, 400);
  EXPECT_EQ(last().cost, 1u);
}

TEST_F(GatewayTest, ABatchOfNoOrdersPaysTheBaseUnit) {
  const auto minted = mint(local);
  for (const char* item : {"{}", "7", R"({"market_id":"btc"})"}) {
    for (const std::size_t items : {std::size_t{80}, limits::batch_orders_max + 1}) {
      std::string body = std::string("[") + item;
      for (std::size_t i = 1; i < items; ++i) body += std::string(",") + item;
      const HttpResponse refused = send(signed_request(local, minted, "POST", "/orders/batch", body + "]"));
      EXPECT_EQ(last().cost, 1u) << items << " times " << item;
      EXPECT_EQ(refused.body.find("BatchTooLarge") != std::string::npos, items > limits::batch_orders_max) << item;
    }
  }
}

TEST_F(GatewayTest, BytesAfterTheValueBreakTheBody) {
  EXPECT_EQ(send({"POST", "/auth/login", {}, "{} "}).status, 501);
  EXPECT_EQ(send({"POST", "/auth/login", {}, "{} x"}).status, 400);
  EXPECT_EQ(send({"POST", "/auth/login", {}, "[] []"}).status, 400);
}

TEST_F(GatewayTest, BatchesPayByTheirLengthAndAtMostOneSecond) {
  struct Row {
    std::size_t orders;
    std::uint64_t cost;
    const char* remaining;
  };
  for (const Row& row :
       {Row{1, 1, "19"}, Row{39, 1, "19"}, Row{40, 2, "18"}, Row{400, 11, "9"}, Row{5'000, 126, "0"}}) {
    NetworkInstance fresh{network_settings(NetworkId::local, {"localhost"})};
    networks = {&fresh};
    rebuild();
    const auto minted = mint(fresh);
    const std::string order =
        R"({"market_id":"BTC","side":"Buy","order_type":"Market","quantity":"1","time_in_force":"IOC"})";
    std::string body = "[" + order;
    for (std::size_t i = 1; i < row.orders; ++i) body += "," + order;
    HttpRequest request = signed_request(fresh, minted, "POST", "/orders/batch", body + "]");
    const HttpResponse response = send(std::move(request));
    EXPECT_EQ(response.status, row.orders > limits::batch_orders_max ? 400 : 501) << response.body;
    EXPECT_EQ(last().cost, row.cost);
    EXPECT_EQ(last().bucket, "order");
    EXPECT_EQ(response.headers.find("x-ratelimit-remaining"), row.remaining);
  }
}

TEST_F(GatewayTest, TheAddressBudgetLimitsGuessersButNotTheOperator) {
  NetworkSettings settings = network_settings(NetworkId::local, {"localhost"});
  settings.admin_secret = Secret("operator");
  NetworkInstance network(settings);
  network.handlers.bind<ops::ListTickers>(
      [](RequestContext&, const api::Empty&) -> Answer<ops::ListTickers> { return ResponseOf<ops::ListTickers>{}; });
  network.handlers.bind<ops::ListTiers>(
      [](RequestContext&, const api::Empty&) -> Answer<ops::ListTiers> { return ResponseOf<ops::ListTiers>{}; });
  networks = {&network};
  rebuild();
  const auto ask = [&](const char* secret) {
    return send(get("/admin/tiers", {{"Authorization", std::string("Bearer ") + secret}})).status;
  };
  for (int i = 0; i < 200; ++i) ASSERT_EQ(ask("operator"), 200);
  const HttpResponse told = send(get("/admin/tiers", {{"Authorization", "Bearer operator"}}));
  EXPECT_EQ(told.headers.find("x-ratelimit-limit"), "50") << "of the address, which the operator does not pay from";
  EXPECT_EQ(told.headers.find("x-ratelimit-remaining"), "50");
  for (int i = 0; i < 50; ++i) ASSERT_EQ(ask("guess"), 403) << i;
  EXPECT_EQ(ask("guess"), 429);
  EXPECT_EQ(send(get("/tickers")).status, 429);
  EXPECT_EQ(ask("operator"), 200);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
