#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

signing::PrivateKey newcomer() {
  return *signing::PrivateKey::from_hex(std::string(64, '8'));
}

SandboxOptions testnet() {
  SandboxOptions options = test_options();
  options.network = api::NetworkId::testnet;
  return options;
}

TEST(Deposits, AreConfirmedAtOnce) {
  TestExchange exchange;
  const Trader trader(exchange, newcomer());
  const Reply receipt = trader.post("/deposits", {{"amount", "250.5"}});
  ASSERT_EQ(receipt.status, 200) << receipt.body;
  EXPECT_EQ(receipt.body["balance"], "250.5");
  EXPECT_EQ(receipt.body["status"], "confirmed");
  EXPECT_EQ(receipt.body["asset"], "USDX");
  EXPECT_EQ(trader.post("/account/deposit", {{"amount", "0.000001"}}).body, (Json{{"balance", "250.500001"}}));

  const Json listed = trader.get("/deposits").body;
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0]["amount"], "0.000001");
  EXPECT_EQ(listed[1]["id"], receipt.body["id"]);
  EXPECT_EQ(listed[1]["kind"], "deposit");
  EXPECT_EQ(listed[1]["account"], trader.account());
  EXPECT_EQ(listed[1]["timestamp"], test_start_ms);
  EXPECT_EQ(trader.get("/deposits?limit=1").body.size(), 1u);
  EXPECT_EQ(trader.get("/account").body["balance"], "250.500001");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(Deposits, AnAmountIsPositiveAndNoFinerThanAMillionth) {
  TestExchange exchange;
  const Trader trader(exchange, newcomer());
  for (const char* amount : {"0", "-1", "0.0000001", "1e3", "", "99999999999999999999"}) {
    const Reply reply = trader.post("/deposits", {{"amount", amount}});
    EXPECT_EQ(reply.status, 400) << amount;
    EXPECT_EQ(reply.code(), "InvalidAmount") << amount;
  }
  const Reply of_doge = trader.post("/deposits", {{"amount", "1"}, {"asset", "DOGE"}});
  EXPECT_EQ(of_doge.status, 400);
  EXPECT_EQ(of_doge.code(), "invalid_json");
  EXPECT_EQ(trader.get("/deposits").body, Json::array());
}

TEST(DepositCollateral, CreditsTheCallerOnly) {
  TestExchange exchange;
  const Trader trader(exchange, newcomer());
  EXPECT_EQ(trader.post("/account/deposit", {{"amount", "5"}, {"account_id", trader.account()}}).status, 200);
  EXPECT_EQ(trader.post("/account/deposit", {{"amount", "5"}, {"account_id", "0x" + std::string(40, '1')}}).status,
            403);
  EXPECT_EQ(trader.get("/account").body["balance"], "5");
}

TEST(Faucet, PaysOncePer24Hours) {
  TestExchange exchange(testnet());
  const Trader trader(exchange, newcomer());
  const Reply claim = trader.post("/faucet");
  ASSERT_EQ(claim.status, 200) << claim.body;
  EXPECT_EQ(claim.body, (Json{{"amount", "1000"}, {"available_at_ms", test_start_ms + day_ms}}));
  const Reply early = trader.post("/faucet");
  EXPECT_EQ(early.status, 429);
  EXPECT_EQ(early.code(), "faucet_cooldown");
  EXPECT_EQ(early.body["available_at_ms"], test_start_ms + day_ms);
  EXPECT_EQ(early.headers.find("Retry-After"), "86400");
  exchange.control("/time", {{"advance_ms", day_ms}});
  EXPECT_EQ(trader.post("/faucet").status, 200);
  EXPECT_EQ(trader.get("/account").body["balance"], "2000");
  EXPECT_EQ(trader.get("/deposits").body[0]["kind"], "faucet");
}

TEST(Credit, IsAnAllowancePerKeyAndUtcDay) {
  TestExchange exchange(testnet());
  const Trader trader(exchange, newcomer());
  EXPECT_EQ(trader.post("/account/credit", {{"amount", "120"}}).body,
            (Json{{"amount", "120"}, {"credited_today", "120"}, {"daily_limit", "500"}}));
  EXPECT_EQ(trader.post("/account/credit").body["amount"], "380");
  const Reply spent = trader.post("/account/credit");
  EXPECT_EQ(spent.status, 429);
  EXPECT_EQ(spent.code(), "daily_limit_exceeded");
  EXPECT_EQ(spent.body["credited_today"], "500");
  EXPECT_EQ(spent.body["daily_limit"], "500");
  EXPECT_EQ(trader.get("/account").body["balance"], "500");
  exchange.control("/time", {{"set_ms", (test_start_ms / day_ms + 1) * day_ms}});
  EXPECT_EQ(trader.post("/account/credit").body["amount"], "500");
}

TEST(Faucet, ExistsOnTestnetAndOnLocalIfAskedFor) {
  TestExchange plain;
  EXPECT_EQ(Trader(plain, newcomer()).post("/faucet").status, 404);
  SandboxOptions options = test_options();
  options.faucet = true;
  TestExchange generous(std::move(options));
  EXPECT_EQ(Trader(generous, newcomer()).post("/faucet").status, 200);
}

TEST(DevAccounts, AreFundedOnLocalOnly) {
  TestExchange local;
  EXPECT_EQ(local.sandbox.accounts().size(), 10u);
  EXPECT_EQ(to_string(local.sandbox.accounts()[0].address), "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
  EXPECT_EQ(Trader(local, 9).get("/account").body["balance"], "100000");
  TestExchange test(testnet());
  EXPECT_TRUE(test.sandbox.accounts().empty());
  const auto key = signing::PrivateKey::from_hex(local.sandbox.accounts()[0].private_key);
  EXPECT_EQ(Trader(test, *key).get("/account").body["balance"], "0");
}

}  // namespace SVC_FILE
}  // namespace svc::sim
