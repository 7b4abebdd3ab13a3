#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"
#include "sim/wallet_owner.h"

namespace svc::sim {
namespace SVC_FILE {

signing::PrivateKey stranger() {
  return *signing::PrivateKey::from_hex(std::string(64, '7'));
}

Reply as_operator(TestExchange& exchange, std::string_view method, std::string_view target, const Json& body = {}) {
  return exchange.send(method, target, body.is_null() ? "" : body.dump(),
                       {{"Authorization", "Bearer operator-secret"}});
}

TEST(Account, IsEmptyAtTheFirstLogin) {
  TestExchange exchange;
  const Trader trader(exchange, stranger());
  EXPECT_EQ(trader.get("/account").body,
            Json::parse(R"({"balance":"0","collateral":"0","equity":"0","available_margin":"0","positions":[]})"));
  const Json state = trader.get("/account/state").body;
  EXPECT_EQ(state["summary"], trader.get("/account/summary").body);
  EXPECT_EQ(state["positions"], Json::array());
  EXPECT_EQ(trader.get("/positions/pnl").body, Json::array());
}

TEST(PositionPnl, PartsAddUpToTheTotal) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Sell", "0.2", "60000");
  (void)bob.limit("Buy", "0.2", "60000");
  (void)alice.limit("Buy", "0.1", "60600");
  (void)bob.limit("Sell", "0.1", "60600");
  exchange.control("/prices", {{"BTC-USDX-PERP", "60500"}});
  const Json row = bob.get("/positions/pnl").body[0];
  EXPECT_EQ(row["price_pnl"], "110");  // 60 realised on a tenth, 50 open on the other
  EXPECT_EQ(row["fee_pnl"], "-9.03");  // 6 and 3.03
  EXPECT_EQ(row["funding_pnl"], "0");
  EXPECT_EQ(row["total_pnl"], "100.97");
  EXPECT_EQ(row["mark_price"], "60500");
}

TEST(RateLimit, ShowsEveryBucketOfTheCallerAndCostsNothing) {
  SandboxOptions options = test_options();
  options.limits = {.multiplier = 1};
  TestExchange exchange(std::move(options));
  const Trader trader(exchange, 0);
  exchange.control("/time", {{"advance_ms", 1'000}});  // minting the key was charged as well
  EXPECT_EQ(trader.get("/orders").status, 200);
  const Json status = trader.get("/account/rate-limit").body;
  EXPECT_EQ(trader.get("/account/rate-limit").body, status);
  EXPECT_EQ(status["tier"], "pro");
  EXPECT_EQ(status["limit"], 20);
  EXPECT_EQ(status["remaining"], 19);
  EXPECT_EQ(status["reset_at_ms"], test_start_ms + 1'050);
  EXPECT_EQ(status["buckets"]["key"]["remaining"], 19);
  EXPECT_EQ(status["buckets"]["owner"]["remaining"], 19);
  EXPECT_EQ(status["buckets"]["order"], (Json{{"limit", 20}, {"remaining", 20}, {"reset_at_ms", 0}}));
  EXPECT_EQ(status["buckets"]["cancel"]["remaining"], 20);
  exchange.control("/time", {{"advance_ms", 50}});
  EXPECT_EQ(trader.get("/account/rate-limit").body["remaining"], 20);
}

TEST(Tiers, AreListedAssignedAndReset) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(exchange.get("/admin/tiers").status, 403);
  const Json row{{"address", trader.account()}, {"tier", "MarketMaker"}};
  EXPECT_EQ(as_operator(exchange, "PUT", "/admin/tiers", row).body, row);
  EXPECT_EQ(as_operator(exchange, "GET", "/admin/tiers").body, Json::array({row}));
  EXPECT_EQ(trader.get("/account/rate-limit").body["tier"], "marketmaker");
  EXPECT_EQ(as_operator(exchange, "DELETE", "/admin/tiers/" + trader.account()).body,
            (Json{{"address", trader.account()}, {"tier", "Pro"}}));
  EXPECT_EQ(as_operator(exchange, "DELETE", "/admin/tiers/" + trader.account()).status, 404);
  EXPECT_EQ(as_operator(exchange, "GET", "/admin/tiers").body, Json::array());
}

TEST(Tiers, UnlimitedHasNoNumbers) {
  TestExchange exchange;
  const Trader trader(exchange, stranger());
  (void)as_operator(exchange, "PUT", "/admin/tiers", {{"address", trader.account()}, {"tier", "Unlimited"}});
  EXPECT_EQ(trader.get("/account/rate-limit").body,
            Json::parse(R"({"tier":"unlimited","limit":null,"remaining":null,"reset_at_ms":null,"buckets":{}})"));
}

TEST(Tiers, UnlimitedAndFundsExcludeEachOther) {
  SandboxOptions options = test_options();
  options.faucet = true;
  TestExchange exchange(options);
  const Trader trader(exchange, 0);
  const Json unlimited{{"address", trader.account()}, {"tier", "Unlimited"}};
  const Reply refused = as_operator(exchange, "PUT", "/admin/tiers", unlimited);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.code(), "unprocessable");
  EXPECT_EQ(as_operator(exchange, "GET", "/admin/tiers").body, Json::array()) << "nothing was changed";

  const Trader gateway(exchange, stranger());
  const Json row{{"address", gateway.account()}, {"tier", "Unlimited"}};
  EXPECT_EQ(as_operator(exchange, "PUT", "/admin/tiers", row).body, row);
  for (const auto& [path, body] : {std::pair{"/faucet", Json()},
                                   {"/account/credit", Json{{"amount", "1"}}},
                                   {"/deposits", Json{{"amount", "1"}}},
                                   {"/account/deposit", Json{{"amount", "1"}}}}) {
    const Reply paid = body.is_null() ? gateway.post(path) : gateway.post(path, body);
    EXPECT_EQ(paid.status, 403) << path << paid.body;
  }
  EXPECT_EQ(gateway.get("/account").body["balance"], "0");
  (void)as_operator(exchange, "DELETE", "/admin/tiers/" + gateway.account());
  EXPECT_EQ(gateway.post("/account/credit").body["amount"], "500") << "the refusals cost nothing of the allowance";
  EXPECT_EQ(gateway.post("/faucet").status, 200);
}

TEST(Tiers, MoneyInTransitAlsoExcludesUnlimited) {
  SandboxOptions options = test_options();
  options.faucet = true;
  TestExchange exchange(options);
  Owner owner(exchange, stranger());
  const Trader trader(exchange, stranger());
  ASSERT_EQ(trader.post("/account/credit", {{"amount", "100"}}).status, 200);
  ASSERT_EQ(owner.withdraw("100").status, 200);
  ASSERT_EQ(trader.get("/account").body["balance"], "0");
  const Json unlimited{{"address", trader.account()}, {"tier", "Unlimited"}};
  EXPECT_EQ(as_operator(exchange, "PUT", "/admin/tiers", unlimited).status, 422) << "it comes back if it fails";
  exchange.control("/time", {{"advance_ms", hour_ms}});
  EXPECT_EQ(as_operator(exchange, "PUT", "/admin/tiers", unlimited).status, 200);
}

TEST(Credit, IsOneAllowanceForAllKeysOfAnAccount) {
  SandboxOptions options = test_options();
  options.faucet = true;
  TestExchange exchange(options);
  const Trader first(exchange, 0);
  const Trader second(exchange, 0);
  ASSERT_NE(first.key_id(), second.key_id());
  EXPECT_EQ(first.post("/account/credit", {{"amount", "300"}}).body["credited_today"], "300");
  const Reply refused = second.post("/account/credit", {{"amount", "201"}});
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.body["credited_today"], "300");
  EXPECT_EQ(second.post("/account/credit").body["amount"], "200");
  EXPECT_EQ(first.post("/account/credit").code(), "daily_limit_exceeded");
}

TEST(Leverage, IsSetPerMarketWithinItsCeiling) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  EXPECT_EQ(trader.post("/leverage", {{"market_id", "BTC-USDX-PERP"}, {"leverage", 10}}).body,
            (Json{{"market_id", "BTC-USDX-PERP"}, {"leverage", 10}}));
  const Reply refused = trader.post("/leverage", {{"market_id", "BTC-USDX-PERP"}, {"leverage", 41}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.code(), "InvalidLeverage");
  EXPECT_EQ(refused.body["message"], "leverage is a whole number from 1 to 40");
  (void)trader.limit("Buy", "0.1", "60000");
  // 6,000 / 10 for the margin and 5 bps for the fee
  EXPECT_EQ(trader.get("/account").body["available_margin"], "99397");
}

TEST(MarginMode, IsReadAndSetPerMarketAndLockedByAnOrder) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const std::string query = "/account/margin-mode?market_id=BTC-USDX-PERP";
  EXPECT_EQ(trader.get(query).body["margin_mode"], "cross");
  EXPECT_EQ(trader.get(query).body["source"], "account_default");
  const Json isolated{{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}};
  EXPECT_EQ(trader.post("/account/margin-mode", isolated).body["margin_mode"], "isolated");
  EXPECT_EQ(trader.get(query).body["source"], "market_setting");
  (void)trader.limit("Buy", "0.1", "59000");
  const Reply locked = trader.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "cross"}});
  EXPECT_EQ(locked.status, 422);
  EXPECT_EQ(locked.code(), "MarginModeLocked");
  EXPECT_EQ(trader.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "both"}}).status, 422);
}

TEST(IsolatedMargin, MovesBetweenTheBalanceAndThePosition) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}});
  const auto adjust = [&](const char* amount, const char* direction) {
    return alice.post("/account/margin",
                      {{"market_id", "BTC-USDX-PERP"}, {"amount", amount}, {"direction", direction}});
  };
  EXPECT_EQ(adjust("10", "add").code(), "NoOpenPosition");
  EXPECT_EQ(adjust("10", "add").status, 404);
  (void)bob.limit("Sell", "0.1", "60000");
  (void)alice.limit("Buy", "0.1", "60000");  // 150 to the position, 3 of fee
  const Reply added = adjust("1000", "add");
  EXPECT_EQ(added.body, Json::parse(R"({"market_id":"BTC-USDX-PERP","allocated_margin":"1150","collateral":"99997"})"));
  EXPECT_EQ(alice.get("/account").body["balance"], "98847");
  EXPECT_EQ(alice.get("/positions").body[0]["margin_mode"], "isolated");
  EXPECT_EQ(adjust("1100", "remove").code(), "InsufficientMargin");
  EXPECT_EQ(adjust("0", "add").code(), "InvalidAmount");
  EXPECT_EQ(adjust("0.0000001", "add").code(), "InvalidAmount");
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(Leverage, IsReadableWithoutAPositionAndByAgents) {
  TestExchange exchange;
  const Trader trader(exchange, 0);
  const auto settings = [&] { return Json(trader.get("/account/state").body["market_settings"]); };
  const Json untouched{{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "cross"}, {"leverage", 40}};
  ASSERT_EQ(settings().size(), 3u);
  EXPECT_EQ(settings()[0], untouched);
  (void)trader.post("/leverage", {{"market_id", "BTC-USDX-PERP"}, {"leverage", 7}});
  (void)trader.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}});
  EXPECT_EQ(settings()[0], (Json{{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}, {"leverage", 7}}));
  EXPECT_EQ(trader.get("/account/margin-mode?market_id=BTC-USDX-PERP").body["leverage"], 7);
  EXPECT_EQ(trader.get("/account/margin-mode?market_id=ETH-USDX-PERP").body["leverage"], 25);
  EXPECT_TRUE(trader.get("/account/margin-mode").body["leverage"].is_null()) << "of no market in particular";
}

TEST(IsolatedMargin, OfAPositionIsReadable) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}});
  (void)bob.limit("Sell", "0.1", "60000");
  (void)alice.limit("Buy", "0.1", "60000");
  const auto added =
      alice.post("/account/margin", {{"market_id", "BTC-USDX-PERP"}, {"amount", "50"}, {"direction", "add"}});
  const Json row = alice.get("/positions").body[0];
  EXPECT_EQ(row["allocated_margin"], added.body["allocated_margin"]);
  EXPECT_EQ(row["allocated_margin"], "200");
  EXPECT_EQ(row["margin_used"], "150") << "what the position needs at mark";
  EXPECT_EQ(alice.get("/account/state").body["positions"][0]["allocated_margin"], "200");
  EXPECT_TRUE(bob.get("/positions").body[0]["allocated_margin"].is_null()) << "a cross position shares all there is";
}

TEST(TooMany, OtherRefusalsHaveTheHeadersOfABudgetRefusal) {
  SandboxOptions options = test_options();
  options.faucet = true;
  options.limits = {.multiplier = 1};
  TestExchange exchange(options);
  const Trader trader(exchange, 0);
  const auto expect_told = [&](const Reply& refused, const char* code, std::int64_t retry_after_s) {
    EXPECT_EQ(refused.status, 429) << refused.body;
    EXPECT_EQ(refused.code(), code);
    EXPECT_EQ(refused.body["bucket"], "owner") << "minting the key was charged there as well";
    EXPECT_EQ(refused.body["tier"], "Pro");
    EXPECT_EQ(refused.headers.find("X-RateLimit-Bucket"), "owner");
    EXPECT_EQ(refused.headers.find("X-RateLimit-Limit"), "20");
    EXPECT_TRUE(refused.headers.contains("X-RateLimit-Remaining"));
    EXPECT_EQ(refused.headers.find("X-RateLimit-Reset"), std::to_string(test_start_ms / second_ms + retry_after_s));
    EXPECT_EQ(refused.headers.find("Retry-After"), std::to_string(retry_after_s)) << code;
  };
  EXPECT_EQ(trader.post("/account/credit").status, 200);
  const std::int64_t to_midnight_s = (day_ms - test_start_ms % day_ms) / second_ms;
  expect_told(trader.post("/account/credit"), "daily_limit_exceeded", to_midnight_s);
  EXPECT_EQ(trader.post("/faucet").status, 200);
  expect_told(trader.post("/faucet"), "faucet_cooldown", day_ms / second_ms);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
