// Rules of decoding and encoding, on the most important records.
#include "api/codec.h"

#include <gtest/gtest.h>

#include "api/contract/account.h"
#include "api/contract/admin.h"
#include "api/contract/control.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/venue.h"

namespace svc::api {
namespace SVC_FILE {

const std::string limit_order =
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})";

std::string with(std::string_view member) {
  return limit_order.substr(0, limit_order.size() - 1) + "," + std::string(member) + "}";
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text = limit_order;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refusal(std::string_view json) {
  const auto order = decode_json<OrderRequest>(json);
  return order ? "accepted" : to_string(order.error());
}

TEST(DecodeOrder, ReadsEveryField) {
  const auto order = decode_json<OrderRequest>(
      R"({"market_id":"SOL-USDX-PERP","side":"Sell","order_type":"TrailingLimit","quantity":"1.50","time_in_force":"PostOnly",
          "price":"-0.0","reduce_only":true,"trigger_price":"3","stop_price":"2","trailing_offset_bps":0,
          "limit_offset_bps":9999,"stp":"DecrementAndCancel","max_slippage_bps":4294967295,"client_id":"né"})");
  ASSERT_TRUE(order) << to_string(order.error());
  EXPECT_EQ(order->market_id.text, "SOL-USDX-PERP");
  EXPECT_EQ(order->side, Side::sell);
  EXPECT_EQ(order->order_type, OrderType::trailing_limit);
  EXPECT_EQ(order->quantity.text, "1.50") << "the text is kept: it is what was signed";
  EXPECT_EQ(order->time_in_force, TimeInForce::post_only);
  EXPECT_EQ(order->price->text, "-0.0");
  EXPECT_TRUE(order->reduce_only);
  EXPECT_EQ(order->trigger_price->text, "3");
  EXPECT_EQ(order->stop_price->text, "2");
  EXPECT_EQ(order->trailing_offset_bps, 0u);
  EXPECT_EQ(order->limit_offset_bps, 9999u);
  EXPECT_EQ(order->stp, StpMode::decrement_and_cancel);
  EXPECT_EQ(order->max_slippage_bps, 4294967295u);
  EXPECT_EQ(order->client_id, "né");
}

TEST(DecodeOrder, NullIsAbsence) {
  const auto order =
      decode_json<OrderRequest>(with(R"("stp":null,"client_id":null,"reduce_only":null,"stop_price":null)"));
  ASSERT_TRUE(order) << to_string(order.error());
  EXPECT_FALSE(order->stp || order->client_id || order->reduce_only || order->stop_price);
}

TEST(DecodeOrder, RefusalNamesTheFieldAndWhatWasExpected) {
  const struct {
    std::string json;
    std::string message;
  } rows[] = {
      {with(R"("colour":"red")"), "unknown field colour"},
      {replaced(R"("quantity":"0.1",)", ""), R"(missing quantity: expected a decimal as a string, such as "0.5")"},
      {with(R"("side":"Sell")"), "duplicate field side"},
      {replaced(R"("0.1")", "0.1"), R"(quantity: expected a decimal as a string, such as "0.5")"},
      {replaced(R"("0.1")", R"("0,1")"), R"(quantity: expected a decimal as a string, such as "0.5")"},
      {replaced(R"("0.1")", R"("1e3")"), R"(quantity: expected a decimal as a string, such as "0.5")"},
      {replaced(R"("0.1")", R"("")"), R"(quantity: expected a decimal as a string, such as "0.5")"},
      {replaced(R"("0.1")", "null"), R"(quantity: expected a decimal as a string, such as "0.5")"},
      {replaced(R"("Buy")", R"("buy")"), "side: expected one of Buy, Sell"},
      {replaced(R"("GTC")", R"("GTD")"), "time_in_force: expected one of GTC, IOC, FOK, PostOnly"},
      {with(R"("reduce_only":"true")"), "reduce_only: expected true or false"},
      {with(R"("trailing_offset_bps":-1)"), "trailing_offset_bps: expected an integer from 0 to 4294967295"},
      {with(R"("trailing_offset_bps":4294967296)"), "trailing_offset_bps: expected an integer from 0 to 4294967295"},
      {with(R"("trailing_offset_bps":1.0)"), "trailing_offset_bps: expected an integer from 0 to 4294967295"},
      {with(R"("trailing_offset_bps":1e2)"), "trailing_offset_bps: expected an integer from 0 to 4294967295"},
      {with(R"("trailing_offset_bps":"1")"), "trailing_offset_bps: expected an integer from 0 to 4294967295"},
      {with(R"("client_id":"")"), "client_id: expected a text that is not empty, or nothing"},
      {with(R"("client_id":7)"), "client_id: expected a string"},
      {"[]", "the body: expected an object"},
      {"\"x\"", "the body: expected an object"},
      {"null", "the body: expected an object"},
  };
  for (const auto& row : rows) EXPECT_EQ(refusal(row.json), row.message) << row.json;
}

TEST(DecodeOrder, TextThatIsNotJsonIsReportedAsSuch) {
  for (const std::string& json : {std::string(), std::string("{"), limit_order + "x", with(R"("colour":"red")") + "}",
                                  limit_order.substr(0, 30), std::string(R"({"side":1,)")}) {
    const auto order = decode_json<OrderRequest>(json);
    ASSERT_FALSE(order) << json;
    EXPECT_EQ(order.error().failure, DecodeFailure::not_json) << json;
  }
}

TEST(DecodeOrder, MalformedMarketHasItsOwnCode) {
  for (const char* market : {"", "btc-USDX-PERP", "BTC--PERP", "-BTC", "BTC-", "BTC USDX", "BTC_USDX"}) {
    const auto order = decode_json<OrderRequest>(replaced("BTC-USDX-PERP", market));
    ASSERT_FALSE(order) << market;
    EXPECT_EQ(order.error().code, ErrorCode::invalid_market_id) << market;
  }
  const auto wrong_type = decode_json<OrderRequest>(replaced(R"("BTC-USDX-PERP")", "7"));
  ASSERT_FALSE(wrong_type);
  EXPECT_EQ(wrong_type.error().code, ErrorCode::invalid_json);
}

TEST(DecodeBatch, IsABareArrayAndErrorsNameTheItem) {
  const auto batch = decode_json<OrderBatchRequest>("[" + limit_order + "," + limit_order + "]");
  ASSERT_TRUE(batch) << to_string(batch.error());
  EXPECT_EQ(batch->orders.size(), 2u);

  const auto bad = decode_json<OrderBatchRequest>("[" + limit_order + "," + replaced(R"("50000")", "50000") + "]");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().field, "[1].price");

  EXPECT_FALSE(decode_json<OrderBatchRequest>(limit_order));
  EXPECT_TRUE(decode_json<OrderBatchRequest>("[]"));
}

TEST(Decode, LenientReadersCollectUnknownAndMissingFields) {
  DecodeReport report;
  const auto status = decode_json<MarketStatus>(
      R"({"market_id":"A","status":"halted","halt_reason":null,"until":7,"info":{"a":[1]}})", lenient, &report);
  ASSERT_TRUE(status) << to_string(status.error());
  EXPECT_EQ(status->status, MarketState::halted);
  EXPECT_EQ(report.unknown_fields, (std::vector<std::string>{"until", "info"}));
  EXPECT_EQ(report.missing_fields, std::vector<std::string>{"adl_event_count"});
}

TEST(Decode, LenientReadersStillRefuseAFieldTwice) {
  EXPECT_FALSE(decode_json<MarkPrice>(R"({"market_id":"A","mark_price":"1","mark_price":"2"})", lenient));
  DecodeReport report;
  EXPECT_FALSE(decode_json<MarkPrice>(R"({"market_id":"A","mark_price":"1","x":1,"x":2})", lenient, &report));
}

// Each name is compared with those before it.
TEST(Decode, AMapOfNamesIsBounded) {
  const auto object_of = [](int members) {
    std::string text = "{";
    for (int i = 0; i < members; ++i) text.append(i == 0 ? "\"m" : ",\"m").append(std::to_string(i) + "\":\"1\"");
    return text + "}";
  };
  for (const auto& [members, is_taken] : {std::pair{1'024, true}, {1'025, false}})
    EXPECT_EQ(decode_json<control::Prices>(object_of(members)).has_value(), is_taken) << members;
}

TEST(Decode, LenientReadersNameFieldsInsideLists) {
  DecodeReport report;
  const auto samples =
      decode_json<List<ThroughputSample>>(R"([{"timestamp":1,"fills":2},{"timestamp":2,"x":0}])", lenient, &report);
  ASSERT_TRUE(samples);
  EXPECT_EQ(report.unknown_fields, std::vector<std::string>{"[1].x"});
  EXPECT_EQ(report.missing_fields, std::vector<std::string>{"[1].fills"});
}

TEST(Encode, OrderKeepsFieldOrderAndWritesNulls) {
  Order order{.id = "id",
              .market_id = "BTC-USDX-PERP",
              .side = Side::sell,
              .price = DecimalText("0"),
              .quantity = DecimalText("1.5")};
  order.cancellation_reason = CancellationReason{.word = "User", .stp = {}};
  EXPECT_EQ(
      to_json(order),
      R"({"id":"id","market_id":"BTC-USDX-PERP","account_id":"0x0000000000000000000000000000000000000000","side":"Sell",)"
      R"("order_type":"Limit","price":"0","quantity":"1.5","filled_qty":"0","status":"Open","cancellation_reason":"User",)"
      R"("time_in_force":"GTC","limit_offset_bps":null,"stp":null,"max_slippage_bps":null,"created_at":0,"updated_at":0,)"
      R"("client_id":null,"reduce_only":null,"trigger_price":null,"trailing_offset_bps":null,"triggered_at":null})");
}

TEST(Encode, SelfTradeReasonIsAnObjectOnOrdersAndATextInHistory) {
  const CancellationReason reason{.word = {}, .stp = StpMode::cancel_newest};
  EXPECT_EQ(to_json(std::optional(reason).value()), R"({"Stp":"CancelNewest"})");
  EXPECT_EQ(history_text(reason), "Stp(CancelNewest)");
  EXPECT_EQ(history_text({.word = "Expired", .stp = {}}), "Expired");
  EXPECT_EQ(decode_json<CancellationReason>(R"({"Stp":"CancelNewest"})").value(), reason);
  EXPECT_EQ(decode_json<CancellationReason>(R"("Unheard")").value().word, "Unheard");
  for (const char* json :
       {R"({"Stp":"Other"})", R"({"stp":"CancelNewest"})", "{}", "7", R"({"Stp":"CancelNewest","x":1})"}) {
    EXPECT_FALSE(decode_json<CancellationReason>(json)) << json;
  }
}

TEST(Encode, SpellingDependsOnThePlace) {
  const Fill fill{.side = Side::buy, .taker_or_maker = Liquidity::maker};
  EXPECT_NE(to_json(fill).find(R"("side":"buy")"), std::string::npos);
  EXPECT_NE(to_json(fill).find(R"("taker_or_maker":"maker")"), std::string::npos);
  const OrderHistoryEntry entry{.order_type = OrderType::take_profit_market};
  EXPECT_NE(to_json(entry).find(R"("order_type":"take_profit_market")"), std::string::npos);
  EXPECT_EQ(
      decode_json<TierOverride>(R"({"address":"0xABCDEFabcdef0123456789012345678901234567","tier":"marketMAKER"})")
          ->tier,
      Tier::market_maker);
}

TEST(Encode, BatchItemsAreOrdersOrRefusals) {
  EXPECT_EQ(to_json(OrderResult{.outcome = Outcome::err, .error = "InsufficientMargin", .message = "5 short"}),
            R"({"outcome":"err","error":"InsufficientMargin","message":"5 short"})");
  const OrderResult placed{.order = Order(), .fills = std::vector<Fill>()};
  EXPECT_TRUE(to_json(placed).starts_with(R"({"outcome":"ok","order":{"id":"",)"));
  EXPECT_TRUE(to_json(placed).ends_with(R"(,"fills":[]})"));
}

TEST(Encode, MarketDataCarriesNumbersAndArrays) {
  const OrderBook book{.symbol = "A",
                       .bids = {{NumberText("1.50"), NumberText("2")}},
                       .asks = {},
                       .timestamp = 5,
                       .datetime = "1970-01-01T00:00:00.005Z",
                       .nonce = 7};
  const std::string json =
      R"({"symbol":"A","bids":[[1.50,2]],"asks":[],"timestamp":5,"datetime":"1970-01-01T00:00:00.005Z","nonce":7})";
  EXPECT_EQ(to_json(book), json);
  EXPECT_EQ(to_json(decode_json<OrderBook>(json).value()), json);

  const List<Candle> candles{
      {{0, NumberText("1"), NumberText("2"), NumberText("0.5"), NumberText("1"), NumberText("9")}}};
  EXPECT_EQ(to_json(candles), "[[0,1,2,0.5,1,9]]");
  EXPECT_FALSE(decode_json<List<Candle>>("[[0,1,2,0.5,1]]"));
  EXPECT_FALSE(decode_json<List<Candle>>("[[0,1,2,0.5,1,9,9]]"));
  EXPECT_FALSE(decode_json<List<Candle>>(R"([[0,1,2,0.5,1,"9"]])"));
}

TEST(Encode, MapsAreObjectsKeyedInOrder) {
  RateLimitStatus status{.tier = "pro", .limit = 20, .remaining = 19, .reset_at_ms = 0};
  status.buckets["owner"] = {20, 19, 0};
  status.buckets["cancel"] = {20, 20, 0};
  EXPECT_EQ(
      to_json(status),
      R"({"tier":"pro","limit":20,"remaining":19,"reset_at_ms":0,"buckets":{)"
      R"("cancel":{"limit":20,"remaining":20,"reset_at_ms":0},"owner":{"limit":20,"remaining":19,"reset_at_ms":0}}})");
  EXPECT_EQ(to_json(Tickers{}), "{}");
  EXPECT_FALSE(decode_json<RateLimitStatus>(
      R"({"tier":"pro","limit":1,"remaining":1,"reset_at_ms":0,"buckets":{"key":{"limit":1,"remaining":1,"reset_at_ms":0},)"
      R"("key":{"limit":1,"remaining":1,"reset_at_ms":0}}})"));
}

TEST(Encode, FreeObjectsPassUnchanged) {
  const auto health =
      decode_json<ServiceHealth>(R"({"status":"ok","timestamp_ms":1,"services":{"engine": {"lag":[1 ,2]}}})");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->services.text, R"({"engine": {"lag":[1 ,2]}})");
  EXPECT_FALSE(decode_json<ServiceHealth>(R"({"status":"ok","timestamp_ms":1,"services":[]})"));
}

}  // namespace SVC_FILE
}  // namespace svc::api
