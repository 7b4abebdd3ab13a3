#include <gtest/gtest.h>

#include "sim/sandbox_exchange.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs next_hour = (test_start_ms / hour_ms + 1) * hour_ms;

class Funding : public ::testing::Test {
 protected:
  Funding() : long_(exchange_, 0), short_(exchange_, 1) {
    (void)long_.limit("Buy", "0.5", "60000");
    (void)short_.limit("Sell", "0.5", "60000");
  }

  TestExchange exchange_;
  Trader long_;
  Trader short_;
};

TEST_F(Funding, IsPaidAtTheFullHourByTheClockOfTheSandbox) {
  exchange_.control("/time", {{"set_ms", next_hour - 1}});
  EXPECT_EQ(long_.get("/funding").body, Json::array());
  exchange_.control("/time", {{"advance_ms", 1}});

  // Only the base rate: 0.01 % per 8 hours on 30,000 USDX is 0.375 per hour.
  const Reply paid = long_.get("/funding");
  EXPECT_EQ(paid.body, Json::array({{{"market_id", "BTC-USDX-PERP"},
                                     {"amount", "-0.375"},
                                     {"direction", "paid"},
                                     {"funding_rate", "0.0000125"},
                                     {"position_size", "0.5"},
                                     {"timestamp", next_hour}}}));
  EXPECT_EQ(paid.headers.find("x-svc-funding-oldest-ms"), std::to_string(next_hour));
  EXPECT_EQ(paid.headers.find("x-svc-funding-truncated"), "false");
  EXPECT_EQ(short_.get("/funding?market_id=BTC-USDX-PERP").body[0]["amount"], "0.375");
  EXPECT_EQ(short_.get("/funding?market_id=BTC-USDX-PERP").body[0]["position_size"], "-0.5");
  EXPECT_EQ(short_.get("/funding?market_id=ETH-USDX-PERP").body, Json::array());

  EXPECT_EQ(long_.get("/positions").body[0]["funding_paid"], "0.375");
  EXPECT_EQ(short_.get("/positions").body[0]["funding_paid"], "-0.375");
  EXPECT_EQ(long_.get("/positions/pnl").body[0]["funding_pnl"], "-0.375");
  EXPECT_EQ(exchange_.violations(), Json::array());
}

TEST_F(Funding, AJumpOverManyHoursHasTheSameEffectAsWaiting) {
  exchange_.control("/time", {{"set_ms", next_hour + 5 * hour_ms}});
  const Json jumped = long_.get("/funding").body;
  EXPECT_EQ(jumped.size(), 6u);

  TestExchange patient;
  const Trader buyer(patient, 0);
  const Trader seller(patient, 1);
  (void)buyer.limit("Buy", "0.5", "60000");
  (void)seller.limit("Sell", "0.5", "60000");
  while (patient.sandbox.clock().now_ms() < next_hour + 5 * hour_ms)
    patient.control("/time", {{"advance_ms", 20 * minute_ms}});
  patient.control("/time", {{"advance_ms", 0}});
  const Json waited = buyer.get("/funding").body;
  EXPECT_EQ(waited, jumped);
}

TEST_F(Funding, RatesAreListedNewestFirstAndSamplesOldestFirst) {
  exchange_.control("/time", {{"set_ms", next_hour + hour_ms}});
  const Json rates = exchange_.get("/markets/BTC-USDX-PERP/funding").body;
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_EQ(rates[0], Json::parse(R"({"timestamp":1700006400000,"funding_rate":"0.0000125","premium_index":"0",
                                      "mark_price":"60000","oracle_price":"60000"})"));
  EXPECT_EQ(rates[1]["timestamp"], next_hour);
  const Json samples = exchange_.get("/markets/BTC-USDX-PERP/funding-samples?limit=3").body;
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[2], (Json{{"timestamp", next_hour + hour_ms}, {"premium_index", "0"}}));
  EXPECT_EQ(samples[0]["timestamp"], next_hour + hour_ms - 2 * minute_ms);
}

TEST_F(Funding, TheSnapshotPredictsThePaymentOfTheHour) {
  exchange_.control("/prices", {{"BTC-USDX-PERP", "60500"}});
  exchange_.control("/time", {{"set_ms", next_hour - 1}});
  const Json snapshot = long_.get("/account/funding-snapshot").body;
  EXPECT_EQ(snapshot, (Json{{"status", "ok"},
                            {"timestamp", next_hour - 1},
                            {"next_funding_ms", next_hour},
                            {"markets", Json::array({{{"market_id", "BTC-USDX-PERP"},
                                                      {"status", "ok"},
                                                      {"position_size", "0.5"},
                                                      {"funding_rate", "0.0000125"},
                                                      {"index_price", "60500"},
                                                      {"next_payment", "-0.378125"},
                                                      {"funding_paid", "0"}}})}}));
  EXPECT_EQ(short_.get("/api/v1/account/funding-snapshot").body["markets"][0]["next_payment"], "0.378125");
  exchange_.control("/time", {{"advance_ms", 1}});
  EXPECT_EQ(long_.get("/funding").body[0]["amount"], "-0.378125");
  EXPECT_EQ(long_.get("/funding").body[0]["funding_rate"], snapshot["markets"][0]["funding_rate"]);
  const Json after = long_.get("/account/funding-snapshot").body;
  EXPECT_EQ(after["markets"][0]["funding_paid"], "0.378125");
  EXPECT_EQ(after["next_funding_ms"], next_hour + hour_ms);
}

TEST_F(Funding, TheSnapshotOfOneMarketNeedsNoPosition) {
  const Json row = long_.get("/account/funding-snapshot?market_id=ETH-USDX-PERP").body["markets"];
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0]["position_size"], "0");
  EXPECT_EQ(row[0]["next_payment"], "0");
  EXPECT_EQ(row[0]["index_price"], "3000");
  EXPECT_EQ(long_.get("/account/funding-snapshot?market_id=DOGE-USDX-PERP").code(), "UnknownMarket");
  EXPECT_EQ(long_.get("/account/funding-snapshot?market_id=x").code(), "INVALID_MARKET_ID");
}

TEST(Liquidation, OfABankruptAccountIsVisibleToEverybodyInvolved) {
  TestExchange exchange;
  const Trader whale(exchange, 0);
  const Trader poor(exchange, *signing::PrivateKey::from_hex(std::string(64, '5')));
  exchange.control("/fund", {{"account", poor.account()}, {"amount", "200"}});
  (void)whale.limit("Sell", "0.1", "60000");
  EXPECT_EQ(poor.limit("Buy", "0.1", "60000")["status"], "Filled");
  // 20 % down: the account owes 1,000 more than it has, and there are no bids.
  exchange.control("/prices", {{"BTC-USDX-PERP", "48000"}});
  EXPECT_EQ(poor.get("/positions").body, Json::array());
  EXPECT_EQ(exchange.violations(), Json::array());

  const Json events = whale.get("/markets/BTC-USDX-PERP/adl-events").body;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["target_account"], poor.account());
  EXPECT_EQ(events[0]["bankruptcy_price"], "48000");  // the fund absorbed the loss
  EXPECT_EQ(events[0]["bad_debt_absorbed_by_fund"], "1003");
  EXPECT_EQ(events[0]["counterparty_closures"],
            Json::array({{{"account_id", whale.account()}, {"position_closed", "0.1"}, {"settlement_amount", "0"}}}));
  EXPECT_EQ(poor.get("/account/" + poor.account() + "/adl-history").body, events);
  EXPECT_EQ(whale.get("/account/" + whale.account() + "/adl-history").body, events);
  EXPECT_EQ(whale.get("/account/" + poor.account() + "/adl-history").status, 404);
  EXPECT_EQ(exchange.get("/markets/BTC-USDX-PERP/status").body["adl_event_count"], 1);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
