#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/decimal.h"
#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

std::int64_t micro(const Json& decimal) {
  const auto amount = parse_scaled(decimal.get<std::string>(), usdx_decimals);
  EXPECT_TRUE(amount) << decimal;
  return amount ? *amount : 0;
}

std::int64_t sum_of(const Json& rows) {
  std::int64_t sum = 0;
  for (const Json& row : rows) sum += micro(row["amount"]);
  return sum;
}

// All rows of a list, page by page.
Json all_pages(const Trader& trader, const std::string& path, std::size_t limit) {
  Json rows = Json::array();
  std::string cursor;
  do {
    const Reply page =
        trader.get(path + "?limit=" + std::to_string(limit) + (cursor.empty() ? "" : "&cursor=" + cursor));
    EXPECT_EQ(page.status, 200) << page.body;
    EXPECT_LE(page.body.size(), limit);
    for (const Json& row : page.body) rows.push_back(row);
    cursor = page.headers.find("X-Next-Cursor").value_or("");
  } while (!cursor.empty());
  return rows;
}

class History : public ::testing::Test {
 protected:
  // Both trade, one of them isolated, prices move, funding is paid.
  void trade() {
    (void)bob_.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}});
    (void)alice_.limit("Sell", "0.3", "60000");
    (void)bob_.limit("Buy", "0.3", "60000");
    exchange_.control("/time", {{"advance_ms", hour_ms + 1'234}});
    exchange_.control("/prices", {{"BTC-USDX-PERP", "60500"}});
    (void)alice_.limit("Buy", "0.1", "60600");
    (void)bob_.limit("Sell", "0.2", "60600");
    (void)bob_.post("/account/margin", {{"market_id", "BTC-USDX-PERP"}, {"amount", "100"}, {"direction", "add"}});
    exchange_.control("/time", {{"advance_ms", 7'000}});
  }

  TestExchange exchange_;
  Trader alice_{exchange_, 0};
  Trader bob_{exchange_, 1};
};

TEST_F(History, ActivityNamesEveryCauseAndAddsUpToTheCollateral) {
  trade();
  for (const Trader* trader : {&alice_, &bob_}) {
    const Json rows = trader->get("/account/activity").body;
    EXPECT_EQ(sum_of(rows), micro(trader->get("/account").body["collateral"]));
    std::set<std::string> causes;
    for (const Json& row : rows) causes.insert(row["cause"]);
    EXPECT_EQ(causes, (std::set<std::string>{"deposit", "fill", "fee", "funding"}));
  }
  const Json rows = bob_.get("/api/v1/account/activity").body;
  ASSERT_EQ(rows.size(), 6u);
  // Sold 0.1 of 0.3 bought at 60,000; no maker rebate, because he was the taker.
  const Json fill = bob_.get("/fills").body[0];
  EXPECT_EQ(rows[1], (Json{{"id", "act_5"},
                           {"cause", "fill"},
                           {"market_id", "BTC-USDX-PERP"},
                           {"amount", "60"},
                           {"asset", "USDX"},
                           {"reference", fill["id"]},
                           {"timestamp", fill["timestamp"]}}));
  EXPECT_EQ(rows[0]["cause"], "fee");
  EXPECT_EQ(rows[0]["amount"], "-3.03");
  EXPECT_EQ(rows[0]["reference"], fill["id"]);
  EXPECT_EQ(rows[2]["cause"], "funding");
  EXPECT_EQ(rows[2]["amount"], bob_.get("/funding").body[0]["amount"]);
  EXPECT_EQ(rows[2]["reference"], nullptr);
  EXPECT_EQ(rows[3]["cause"], "fee");
  EXPECT_EQ(rows[4]["amount"], "0");  // opened the position
  EXPECT_EQ(rows[5]["cause"], "deposit");
  EXPECT_EQ(rows[5]["reference"], std::to_string(bob_.get("/deposits").body[0]["id"].get<std::uint64_t>()));
  EXPECT_EQ(exchange_.violations(), Json::array());
}

TEST_F(History, ActivityOfALiquidationWithoutBidsAddsUpForEverybodyInvolved) {
  const Trader poor(exchange_, *signing::PrivateKey::from_hex(std::string(64, '5')));
  exchange_.control("/fund", {{"account", poor.account()}, {"amount", "200"}});
  (void)alice_.limit("Sell", "0.1", "60000");
  (void)poor.limit("Buy", "0.1", "60000");
  exchange_.control("/prices", {{"BTC-USDX-PERP", "48000"}});
  const Json rows = poor.get("/account/activity").body;
  EXPECT_EQ(sum_of(rows), 0);
  EXPECT_EQ(rows[0]["cause"], "adl");
  EXPECT_EQ(rows[0]["amount"], "-1200");
  EXPECT_EQ(rows[0]["reference"],
            std::to_string(poor.get("/account/" + poor.account() + "/adl-history").body[0]["sequence"].get<int>()));
  EXPECT_EQ(rows[1]["cause"], "insurance");
  EXPECT_EQ(rows[1]["amount"], "1003");
  EXPECT_EQ(rows.back()["cause"], "operator_grant");
  EXPECT_EQ(sum_of(alice_.get("/account/activity").body), micro(alice_.get("/account").body["collateral"]));
  EXPECT_EQ(exchange_.violations(), Json::array());
}

// Regression: the guard against a day's loss read this figure as 0.
TEST_F(History, TheDaysRealizedPnlIncludesDeleveragingAndDelisting) {
  const Trader poor(exchange_, *signing::PrivateKey::from_hex(std::string(64, '5')));
  exchange_.control("/fund", {{"account", poor.account()}, {"amount", "200"}});
  (void)alice_.limit("Sell", "0.2", "60000");
  (void)poor.limit("Buy", "0.1", "60000");
  (void)bob_.limit("Buy", "0.1", "60000");
  exchange_.control("/prices", {{"BTC-USDX-PERP", "48000"}});
  const auto realized = [](const Trader& trader) {
    const std::string summary = trader.get("/account/summary").body["total_realized_pnl_24h"];
    EXPECT_EQ(trader.get("/account/state").body["summary"]["total_realized_pnl_24h"], summary);
    return summary;
  };
  EXPECT_EQ(realized(poor), "-1200");
  EXPECT_EQ(realized(alice_), "1200");
  EXPECT_EQ(realized(bob_), "0");
  exchange_.control("/markets/BTC-USDX-PERP/halt", {{"reason", "drill"}});
  exchange_.control("/markets/BTC-USDX-PERP/settle", {{"price", "47000"}});
  EXPECT_EQ(realized(alice_), "2500");
  EXPECT_EQ(realized(bob_), "-1300");
  EXPECT_EQ(bob_.get("/account/activity").body[0]["cause"], "settlement");
  EXPECT_EQ(bob_.get("/account/activity").body[0]["reference"], nullptr);
  exchange_.control("/time", {{"advance_ms", 25 * hour_ms}});
  EXPECT_EQ(realized(alice_), "0");
  EXPECT_EQ(exchange_.violations(), Json::array());
}

// The fund's payment for a fill beyond the zero price is reported with that fill.
TEST_F(History, EveryReferenceOfALiquidationLeadsToItsFillAndItsOrder) {
  const Trader poor(exchange_, *signing::PrivateKey::from_hex(std::string(64, '5')));
  exchange_.control("/fund", {{"account", poor.account()}, {"amount", "200"}});
  (void)alice_.limit("Sell", "0.1", "60000");
  (void)poor.limit("Buy", "0.1", "60000");
  (void)bob_.limit("Buy", "0.04", "58300");
  (void)bob_.limit("Buy", "0.06", "57900");
  exchange_.control("/prices", {{"BTC-USDX-PERP", "58500"}});
  const Json fills = poor.get("/fills").body;
  ASSERT_EQ(fills.size(), 3u);
  std::set<std::string> orders;
  for (const Json& fill : fills) {
    EXPECT_EQ(fill.contains("liquidation_fee"), fill["is_liquidation"].get<bool>()) << fill;
    if (fill["is_liquidation"]) {
      EXPECT_EQ(fill["fee"], "0") << "it is no fee for trading";
    }
    const Reply order = poor.get("/orders/" + fill["order_id"].get<std::string>() + "?market_id=BTC-USDX-PERP");
    ASSERT_EQ(order.status, 200) << fill;
    EXPECT_EQ(order.body["account_id"], poor.account());
    orders.insert(fill["order_id"]);
  }
  const Json history = poor.get("/orders/history").body;
  EXPECT_EQ(history.size(), orders.size());
  EXPECT_EQ(history[0]["order_type"], "market");
  EXPECT_EQ(history[0]["side"], "sell");
  std::set<std::string> ids;
  for (const Json& fill : fills) ids.insert(fill["id"]);
  bool paid = false;
  for (const Json& row : poor.get("/account/activity").body) {
    if (row["cause"] == "operator_grant") continue;
    EXPECT_TRUE(ids.contains(row["reference"].get<std::string>())) << row;
    paid = paid || row["cause"] == "insurance" || row["cause"] == "liquidation_fee";
  }
  EXPECT_TRUE(paid);
  EXPECT_EQ(exchange_.violations(), Json::array());
}

TEST_F(History, PagesOfAnySizeFormTheWholeActivityInOrder) {
  trade();
  const Json whole = alice_.get("/account/activity").body;
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{500}})
    EXPECT_EQ(all_pages(alice_, "/account/activity", limit), whole);
  EXPECT_EQ(alice_.get("/account/activity?limit=100000").body, whole);
  EXPECT_EQ(alice_.get("/account/activity?cursor=nonsense&colour=red").body, whole);
  EXPECT_EQ(alice_.get("/account/activity?limit=0").code(), "invalid_parameter");
}

TEST_F(History, EquityIsTheAccountsFigureAtEveryFifthSecond) {
  trade();
  const TimestampMs now = exchange_.sandbox.clock().now_ms();
  const Json points = bob_.get("/account/equity-history").body;
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points.size(), 720u);
  EXPECT_EQ(points.back()["timestamp_ms"], now / 5'000 * 5'000);
  EXPECT_TRUE(points.back()["equity"].is_number());
  EXPECT_EQ(points.back()["equity"].dump(), bob_.get("/account").body["equity"].get<std::string>());
  for (std::size_t i = 1; i < points.size(); ++i)
    ASSERT_EQ(points[i]["timestamp_ms"].get<std::int64_t>() - points[i - 1]["timestamp_ms"].get<std::int64_t>(), 5'000);

  exchange_.control("/prices", {{"BTC-USDX-PERP", "60400"}});
  exchange_.control("/time", {{"advance_ms", 5'000}});
  const Json later = bob_.get("/api/v1/account/equity-history?limit=2").body;
  EXPECT_EQ(later[0], points.back());
  EXPECT_EQ(later[1]["equity"].dump(), bob_.get("/account").body["equity"].get<std::string>());
  EXPECT_NE(later[1]["equity"], later[0]["equity"]);
}

TEST_F(History, EquityAfterAJumpIsThatAfterWaiting) {
  trade();
  exchange_.control("/time", {{"advance_ms", 40 * minute_ms}});
  const Json jumped = bob_.get("/account/equity-history").body;

  TestExchange patient;
  exchange_.control("/time", {{"advance_ms", 0}});
  const Trader seller(patient, 0);
  const Trader buyer(patient, 1);
  (void)buyer.post("/account/margin-mode", {{"market_id", "BTC-USDX-PERP"}, {"margin_mode", "isolated"}});
  (void)seller.limit("Sell", "0.3", "60000");
  (void)buyer.limit("Buy", "0.3", "60000");
  const auto wait = [&](std::int64_t delta_ms) {
    for (; delta_ms > 7'777; delta_ms -= 7'777) patient.control("/time", {{"advance_ms", 7'777}});
    patient.control("/time", {{"advance_ms", delta_ms}});
  };
  wait(hour_ms + 1'234);
  patient.control("/prices", {{"BTC-USDX-PERP", "60500"}});
  (void)seller.limit("Buy", "0.1", "60600");
  (void)buyer.limit("Sell", "0.2", "60600");
  (void)buyer.post("/account/margin", {{"market_id", "BTC-USDX-PERP"}, {"amount", "100"}, {"direction", "add"}});
  wait(7'000 + 40 * minute_ms);
  EXPECT_EQ(buyer.get("/account/equity-history").body, jumped);
}

TEST_F(History, PagesOfEquityLeadBackFromTheLatest) {
  exchange_.control("/time", {{"advance_ms", 60'000}});
  const Json whole = alice_.get("/account/equity-history").body;
  const Reply latest = alice_.get("/account/equity-history?limit=5");
  EXPECT_EQ(latest.body, Json(std::vector<Json>(whole.end() - 5, whole.end())));
  const std::string cursor(latest.headers.find("X-Next-Cursor").value_or(""));
  EXPECT_EQ(alice_.get("/account/equity-history?limit=3&cursor=" + cursor).body,
            Json(std::vector<Json>(whole.end() - 8, whole.end() - 5)));
  EXPECT_EQ(all_pages(alice_, "/account/equity-history", 4).size(), whole.size());
}

TEST_F(History, PortfolioWindowsHaveTheirCadenceAndTheirPoints) {
  exchange_.control("/time", {{"advance_ms", day_ms + hour_ms}});
  const TimestampMs now = exchange_.sandbox.clock().now_ms();
  const struct {
    const char* window;
    std::int64_t cadence_ms;
    std::int64_t points_max;
  } rows[] = {{"day", 5 * minute_ms, 288}, {"week", hour_ms, 168}, {"month", 6 * hour_ms, 120}, {"all", day_ms, 366}};
  for (const auto& row : rows) {
    const std::string path = "/account/portfolio-history?window=" + std::string(row.window);
    const Json history = alice_.get(path).body;
    EXPECT_EQ(history["window"], row.window);
    EXPECT_EQ(history["cadence_ms"], row.cadence_ms);
    const Json& points = history["points"];
    const std::int64_t lived = now / row.cadence_ms - (test_start_ms - 1) / row.cadence_ms;
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), std::min(lived, row.points_max));
    EXPECT_EQ(points.back()["timestamp_ms"], now / row.cadence_ms * row.cadence_ms);
    EXPECT_EQ(alice_.get(path + "&limit=1").body["points"], Json::array({points.back()}));
    EXPECT_EQ(alice_.get("/api/v1" + path + "&limit=1000").body, history);
  }
  EXPECT_EQ(alice_.get("/account/portfolio-history").body["window"], "day");
}

TEST_F(History, ProfitDoesNotChangeWithDeposits) {
  trade();
  exchange_.control("/time", {{"advance_ms", 5 * minute_ms}});
  const auto last = [&] { return Json(alice_.get("/account/portfolio-history").body["points"].back()); };
  const Json before = last();
  const Json account = alice_.get("/account").body;
  EXPECT_EQ(before["equity"], account["equity"]);
  EXPECT_EQ(micro(before["pnl"]), micro(account["equity"]) - 100'000 * usdx_one);
  EXPECT_EQ(before["volume"], "24060");  // 0.3 at 60,000 and 0.1 at 60,600
  (void)alice_.post("/deposits", {{"amount", "1000"}});
  exchange_.control("/time", {{"advance_ms", 5 * minute_ms}});
  EXPECT_EQ(last()["pnl"], before["pnl"]);
  EXPECT_EQ(micro(last()["equity"]), micro(before["equity"]) + 1'000 * usdx_one);
}

TEST_F(History, TheChartEndsWithThePresent) {
  trade();
  exchange_.control("/time", {{"advance_ms", 5 * minute_ms}});
  const Json before = alice_.get("/account/portfolio-history").body;
  exchange_.control("/prices", {{"BTC-USDX-PERP", "60700"}});
  exchange_.control("/time", {{"advance_ms", 1'234}});
  const Json history = alice_.get("/account/portfolio-history?limit=1").body;
  const Json now = exchange_.get("/_svc/time").body["now_ms"];
  EXPECT_EQ(history["points"], Json::array({before["points"].back()})) << "no sampled instant has passed";
  EXPECT_EQ(history["now"]["timestamp_ms"], now);
  const Json account = alice_.get("/account").body;
  EXPECT_EQ(history["now"]["equity"], account["equity"]);
  EXPECT_EQ(micro(history["now"]["pnl"]), micro(account["equity"]) - 100'000 * usdx_one);
  EXPECT_EQ(history["now"]["volume"], before["points"].back()["volume"]);
  EXPECT_NE(history["now"]["equity"], before["points"].back()["equity"]);
}

TEST_F(History, AnUnknownWindowIsRefused) {
  for (const char* window : {"year", "", "Day", "day,week"}) {
    const Reply reply = alice_.get("/account/portfolio-history?window=" + std::string(window));
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.code(), "invalid_window") << window;
  }
}

TEST_F(History, AStrangerHasNone) {
  const Trader stranger(exchange_, *signing::PrivateKey::from_hex(std::string(64, '7')));
  EXPECT_EQ(stranger.get("/account/activity").body, Json::array());
  EXPECT_EQ(stranger.get("/account/equity-history").body, Json::array());
  EXPECT_EQ(stranger.get("/account/portfolio-history").body["points"], Json::array());
  EXPECT_TRUE(stranger.get("/account/portfolio-history").body["now"].is_null());
  EXPECT_EQ(stranger.get("/account/" + stranger.account() + "/adl-history").body, Json::array());
}

// Over the life of a position: fills, funding and fees add up to positions/pnl.
TEST_F(History, PnlOfAPositionIsTheSumOfItsFillsFundingAndFees) {
  trade();
  exchange_.control("/prices", {{"BTC-USDX-PERP", "60700"}});
  for (const Trader* trader : {&alice_, &bob_}) {
    const Json row = trader->get("/positions/pnl").body[0];
    const Json position = trader->get("/positions").body[0];
    std::int64_t realized = 0;
    std::int64_t fees = 0;
    std::int64_t funding = 0;
    for (const Json& entry : trader->get("/account/activity").body) {
      if (entry["cause"] == "fill") realized += micro(entry["amount"]);
      if (entry["cause"] == "fee") fees += micro(entry["amount"]);
      if (entry["cause"] == "funding") funding += micro(entry["amount"]);
    }
    std::int64_t fees_of_fills = 0;
    for (const Json& fill : trader->get("/fills").body) fees_of_fills -= micro(fill["fee"]);
    EXPECT_EQ(fees, fees_of_fills);
    EXPECT_EQ(sum_of(trader->get("/funding").body), funding);
    EXPECT_EQ(micro(row["price_pnl"]), realized + micro(position["unrealized_pnl"]));
    EXPECT_EQ(micro(row["funding_pnl"]), funding);
    EXPECT_EQ(micro(row["funding_pnl"]), -micro(position["funding_paid"]));
    EXPECT_EQ(micro(row["fee_pnl"]), fees);
    EXPECT_EQ(micro(row["total_pnl"]), micro(trader->get("/account").body["equity"]) - 100'000 * usdx_one);
  }
}

}  // namespace SVC_FILE
}  // namespace svc::sim
