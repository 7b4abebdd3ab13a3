#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace {

signing::PrivateKey stranger() {
  return *signing::PrivateKey::from_hex(std::string(64, '7'));
}

Reply as_operator(Exchange& exchange, std::string_view method, std::string_view target, const Json& body = {}) {
  return exchange.send(method, target, body.is_null() ? "" : body.dump(),
                       {{"Authorization", "Bearer operator-secret"}});
}

TEST(Account, OfAStrangerIsEmptyFromItsFirstLogin) {
  Exchange exchange;
  const Trader trader(exchange, stranger());
  EXPECT_EQ(trader.get("/account").body,
            Json::parse(R"({"balance":"0","collateral":"0","equity":"0","available_margin":"0","positions":[]})"));
  const Json state = trader.get("/account/state").body;
  EXPECT_EQ(state["summary"], trader.get("/account/summary").body);
  EXPECT_EQ(state["positions"], Json::array());
  EXPECT_EQ(trader.get("/positions/pnl").body, Json::array());
}

TEST(PositionPnl, PartsAddUpToTheTotal) {
  Exchange exchange;
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
  Exchange exchange(std::move(options));
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
  Exchange exchange;
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
  Exchange exchange;
  const Trader trader(exchange, 0);
  (void)as_operator(exchange, "PUT", "/admin/tiers", {{"address", trader.account()}, {"tier", "Unlimited"}});
  EXPECT_EQ(trader.get("/account/rate-limit").body,
            Json::parse(R"({"tier":"unlimited","limit":null,"remaining":null,"reset_at_ms":null,"buckets":{}})"));
}

TEST(Leverage, IsSetPerMarketWithinItsCeiling) {
  Exchange exchange;
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
  Exchange exchange;
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
  Exchange exchange;
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

}  // namespace
}  // namespace svc::sim
