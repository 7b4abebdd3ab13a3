#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(Fees, ShowTheMarketSchedulesAndTheVolumeOfThirtyDays) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  EXPECT_EQ(alice.get("/account/fees").body["volume_30d"], "0");
  (void)alice.limit("Sell", "0.1", "60000");
  (void)bob.limit("Buy", "0.1", "60000");
  const Json fees = alice.get("/api/v1/account/fees").body;
  EXPECT_EQ(fees["maker_fee_bps"], -2);
  EXPECT_EQ(fees["taker_fee_bps"], 5);
  EXPECT_EQ(fees["tier"], "base");
  EXPECT_EQ(fees["schedule"], "standard");
  EXPECT_EQ(fees["volume_30d"], "6000");
  EXPECT_EQ(fees["volume_30d_estimated"], false);
  EXPECT_EQ(fees["discounts"], Json::array());
  EXPECT_EQ(fees["markets"].size(), 3u);
  EXPECT_EQ(alice.get("/account/fees?market_id=ETH-USDX-PERP").body["markets"],
            Json::array({{{"market_id", "ETH-USDX-PERP"}, {"maker_fee_bps", -2}, {"taker_fee_bps", 5}}}));
  EXPECT_EQ(alice.get("/account/fees?market_id=DOGE-USDX-PERP").code(), "UnknownMarket");
  EXPECT_EQ(alice.get("/account/fees?market_id=btc").code(), "INVALID_MARKET_ID");
  EXPECT_EQ(bob.get("/account/fees").body["volume_30d"], "6000");
}

TEST(Referrals, NobodyHasACodeAndNobodyJoinedWithOne) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(trader.get("/account/referrals").body, Json::parse(R"({"code":null,"referred_count":0})"));
  EXPECT_EQ(trader.get("/api/v1/account/referrals").status, 200);
}

TEST(DepositTarget, IsTheBridgeWhereThereIsNoFaucet) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Json target = trader.get("/account/deposit-target").body;
  EXPECT_EQ(target["mode"], "onchain");
  EXPECT_EQ(target["account"], trader.account());
  EXPECT_EQ(target["min_amount"], "1");
  EXPECT_FALSE(target.contains("cooldown_secs"));
  const Json assets = exchange.get("/api/v1/bridge/assets").body["chains"][0];
  EXPECT_EQ(target["chain"], assets["chain"]);
  EXPECT_EQ(target["chain_id"], assets["chain_id"]);
  EXPECT_EQ(target["asset"], assets["deposit_assets"][0]["symbol"]);
  EXPECT_EQ(target["min_amount"], assets["deposit_assets"][0]["min_amount"]);
  EXPECT_EQ(trader.get("/api/v1/account/deposit-target").body, target);
  EXPECT_EQ(trader.get("/api/v1/bridge/deposit-addresses").body[0]["address"], target["address"]);
  EXPECT_NE(Trader(exchange, 1).get("/account/deposit-target").body["address"], target["address"]);
}

TEST(DepositTarget, IsTheFaucetWhereThereIsOne) {
  SandboxOptions options = test_options();
  options.faucet = true;
  TestExchange exchange(std::move(options));
  const Trader trader(exchange, 0);
  const Json target = trader.get("/account/deposit-target").body;
  EXPECT_EQ(target["mode"], "testnet-faucet");
  EXPECT_EQ(target["amount"], "1000");
  EXPECT_EQ(target["cooldown_secs"], 86'400);
  EXPECT_FALSE(target.contains("address"));
  EXPECT_EQ(trader.post("/faucet").body["amount"], target["amount"]);
}

TEST(CancelOnDisconnect, IsOffUntilSwitchedOnAndNamesItsGrace) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const Trader other(exchange, 1);
  const std::string path = "/account/cancel-on-disconnect";
  const Json off = Json::parse(R"({"enabled":false,"active":false,"grace_secs":10})");
  const Json on = Json::parse(R"({"enabled":true,"active":false,"grace_secs":10})");
  EXPECT_EQ(trader.get(path).body, off);
  EXPECT_EQ(trader.put(path, {{"enabled", true}}).body, on);
  EXPECT_EQ(trader.get("/api/v1" + path).body, on);
  EXPECT_EQ(other.get(path).body, off);
  EXPECT_EQ(trader.put("/api/v1" + path, {{"enabled", false}}).body, off);
  EXPECT_EQ(trader.get(path).body, off);
  for (const Json& body : {Json::object(), Json{{"enabled", "yes"}}, Json{{"enabled", true}, {"grace_secs", 3}}})
    EXPECT_EQ(trader.put(path, body).code(), "invalid_json") << body;
}

}  // namespace SVC_FILE
}  // namespace svc::sim
