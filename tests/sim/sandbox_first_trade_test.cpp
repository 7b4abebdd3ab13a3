// A first trade through the whole system: two wallets, one price, exact numbers.

#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

TEST(FirstTrade, TwoWalletsTradeAndEverybodySeesTheSameNumbers) {
  TestExchange exchange;
  const Trader maker(exchange, 0);
  const Trader taker(exchange, 1);

  // Alice rests a bid of half a bitcoin at 60,000.
  const Reply rested = maker.post("/orders", {{"market_id", "BTC-USDX-PERP"},
                                              {"side", "Buy"},
                                              {"order_type", "Limit"},
                                              {"quantity", "0.5"},
                                              {"price", "60000"},
                                              {"time_in_force", "GTC"},
                                              {"client_id", "bid-1"}});
  ASSERT_EQ(rested.status, 201) << rested.body;
  const Json& order = rested.body["order"];
  EXPECT_EQ(order["status"], "Open");
  EXPECT_EQ(order["price"], "60000");
  EXPECT_EQ(order["quantity"], "0.5");
  EXPECT_EQ(order["filled_qty"], "0");
  EXPECT_EQ(order["account_id"], maker.account());
  EXPECT_TRUE(order.contains("cancellation_reason"));
  EXPECT_EQ(order["cancellation_reason"], nullptr);
  EXPECT_EQ(order["client_id"], "bid-1");
  EXPECT_EQ(order["created_at"], test_start_ms);
  EXPECT_EQ(rested.body["fills"], Json::array());

  const Reply book = exchange.get("/v1/markets/BTC-USDX-PERP/orderbook");
  EXPECT_EQ(book.body["bids"], Json::parse("[[60000,0.5]]"));
  EXPECT_EQ(book.body["asks"], Json::array());

  // Bob sells two tenths at market.
  const Reply taken = taker.post("/orders", {{"market_id", "BTC-USDX-PERP"},
                                             {"side", "Sell"},
                                             {"order_type", "Market"},
                                             {"quantity", "0.2"},
                                             {"time_in_force", "IOC"}});
  ASSERT_EQ(taken.status, 201) << taken.body;
  EXPECT_EQ(taken.body["order"]["status"], "Filled");
  EXPECT_EQ(taken.body["order"]["price"], "0");
  ASSERT_EQ(taken.body["fills"].size(), 1u);
  const Json& taker_fill = taken.body["fills"][0];
  EXPECT_EQ(taker_fill["price"], "60000");
  EXPECT_EQ(taker_fill["size"], "0.2");
  EXPECT_EQ(taker_fill["fee"], "6");  // 5 bps of 12,000
  EXPECT_EQ(taker_fill["side"], "sell");
  EXPECT_EQ(taker_fill["taker_or_maker"], "taker");
  EXPECT_EQ(taker_fill["order_id"], taken.body["order"]["id"]);

  const Json maker_fills = maker.get("/fills").body;
  ASSERT_EQ(maker_fills.size(), 1u);
  EXPECT_EQ(maker_fills[0]["fee"], "-2.4");  // a rebate of 2 bps
  EXPECT_EQ(maker_fills[0]["taker_or_maker"], "maker");
  EXPECT_EQ(maker_fills[0]["client_id"], "bid-1");
  EXPECT_EQ(taker.get("/fills").body, taken.body["fills"]);

  const Json position = maker.get("/positions").body[0];
  EXPECT_EQ(position["side"], "Long");
  EXPECT_EQ(position["size"], "0.2");
  EXPECT_EQ(position["entry_price"], "60000");
  EXPECT_EQ(position["notional_value"], "12000");
  EXPECT_EQ(position["margin_used"], "300");  // a fortieth
  EXPECT_EQ(position["unrealized_pnl"], "0");
  EXPECT_EQ(position["funding_paid"], "0");
  EXPECT_EQ(position["margin_mode"], "cross");
  EXPECT_EQ(taker.get("/positions").body[0]["side"], "Short");

  // The mark moves up by 1,000: Alice gains 200, Bob loses as much.
  ASSERT_EQ(exchange.control("/prices", {{"BTC-USDX-PERP", "61000"}}).status, 200);
  const Json alice = maker.get("/account").body;
  EXPECT_EQ(alice["balance"], "100002.4");
  EXPECT_EQ(alice["collateral"], "100002.4");
  EXPECT_EQ(alice["equity"], "100202.4");
  // 61,000 * 0.2 / 40 for the position; 60,000 * 0.3 / 40 and 5 bps of it for the order that still rests.
  EXPECT_EQ(alice["available_margin"], "99438.4");
  const Json bob = taker.get("/account").body;
  EXPECT_EQ(bob["balance"], "99994");
  EXPECT_EQ(bob["equity"], "99794");
  EXPECT_EQ(bob["positions"][0]["unrealized_pnl"], "-200");
  EXPECT_EQ(bob["positions"][0]["roe"], "-0.655737");

  const Json summary = taker.get("/account/summary").body;
  EXPECT_EQ(summary["total_equity"], "99794");
  EXPECT_EQ(summary["total_unrealized_pnl"], "-200");
  EXPECT_EQ(summary["total_volume_24h"], "12000");
  EXPECT_EQ(summary["open_positions_count"], 1);
  EXPECT_EQ(summary["open_orders_count"], 0);
  EXPECT_EQ(summary["margin_used"], "305");

  const Json trade = exchange.get("/v1/markets/BTC-USDX-PERP/trades").body[0];
  EXPECT_EQ(trade["price"].dump(), "60000");
  EXPECT_EQ(trade["amount"].dump(), "0.2");
  EXPECT_EQ(trade["cost"].dump(), "12000");
  EXPECT_EQ(trade["side"], "sell");
  EXPECT_EQ(trade["takerOrMaker"], nullptr);
  EXPECT_EQ(exchange.violations(), Json::array());
}

TEST(FirstTrade, ClosingRealisesTheProfitAndLeavesARecord) {
  TestExchange exchange;
  const Trader alice(exchange, 0);
  const Trader bob(exchange, 1);
  (void)alice.limit("Buy", "0.1", "60000");
  (void)bob.limit("Sell", "0.1", "60000");
  (void)bob.limit("Buy", "0.1", "60500");
  const Json sold = alice.limit("Sell", "0.1", "60500");
  EXPECT_EQ(sold["status"], "Filled");
  EXPECT_EQ(alice.get("/positions").body, Json::array());
  // + 50 realised, + 2 bps of 6,000 as maker, - 5 bps of 6,050 as taker
  EXPECT_EQ(alice.get("/account").body["balance"], "100048.175");
  const Json closed = alice.get("/positions/closed").body;
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0]["side"], "Long");
  EXPECT_EQ(closed[0]["size"], "0.1");
  EXPECT_EQ(closed[0]["entry_price"], "60000");
  EXPECT_EQ(closed[0]["exit_price"], "60500");
  EXPECT_EQ(closed[0]["realized_pnl"], "50");
  EXPECT_EQ(alice.get("/account/summary").body["total_realized_pnl_24h"], "50");
  EXPECT_EQ(exchange.violations(), Json::array());
}

}  // namespace SVC_FILE
}  // namespace svc::sim
