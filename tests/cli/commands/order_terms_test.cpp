#include "cli/commands/order_terms.h"

#include <gtest/gtest.h>

#include "base/decimal.h"
#include "cli/client_machine.h"

namespace svc::cli {
namespace SVC_FILE {

Decimal decimal(std::string_view text) {
  const auto parsed = parse_decimal(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : Decimal{};
}

TEST(Notional, BuysWholeLotsRoundedDown) {
  struct Row {
    std::string_view notional, price, lot;
    std::optional<std::int64_t> lots;
  };
  const Row rows[] = {
      {"500", "64950", "0.001", 7},
      {"64.95", "64950", "0.001", 1},
      {"64.949999", "64950", "0.001", 0},
      {"0.000001", "0.001", "0.001", 1},
      {"1000000000", "0.5", "1", 2'000'000'000},
      {"1", "3", "0.1", 3},
      {"123456789012345678", "0.000000001", "0.000000001", std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(lots_for(decimal(row.notional), decimal(row.price), decimal(row.lot)), row.lots) << row.notional;
  }
}

TEST(Notional, IsResolvedAtTheLimitPriceOrTheMark) {
  TraderMachine machine;
  const std::string order = "-n local --json orders place BTC-USDX-PERP --side buy --notional 500";
  const RunResult at_limit = machine.run(order + " --price 50000");
  EXPECT_EQ(at_limit.document().string_at("data.order.quantity"), "0.01") << at_limit.out;
  EXPECT_EQ(at_limit.document().at("warnings")->items().at(0).string_at("message"),
            "500 USDX at 50000 is 0.01 BTC-USDX-PERP, rounded down to lots of 0.001");
  ASSERT_EQ(machine.run("-n local local price BTC-USDX-PERP 64000").exit, 0);
  const RunResult at_mark = machine.run(order);
  EXPECT_TRUE(has(at_mark.out, "500 USDX at 64000 is 0.007 "));
  EXPECT_EQ(machine.run("-n local orders place BTC-USDX-PERP --side buy --notional 5 --price 50000").exit, 2);
  EXPECT_EQ(machine.run("-n local --dry-run orders place BTC-USDX-PERP --side buy --notional 500 --price 50000").exit,
            2);
}

TEST(OrderTerms, AreTranslatedToTheWiresWords) {
  TraderMachine machine;
  struct Row {
    std::string flags;
    std::string body;
  };
  const Row rows[] = {
      {"--type stop-limit --price 59000 --trigger-price 59500 --reduce-only",
       R"("order_type":"StopLimit","quantity":"1","time_in_force":"GTC","price":"59000","reduce_only":true,"trigger_price":"59500")"},
      {"--type take-profit-market --trigger-price 70000",
       R"("order_type":"TakeProfitMarket","quantity":"1","time_in_force":"IOC","reduce_only":false,"trigger_price":"70000")"},
      {"--type trailing-limit --trailing-bps 0 --force --limit-offset-bps 25 --tif gtc",
       R"("order_type":"TrailingLimit","quantity":"1","time_in_force":"GTC","reduce_only":false,"trailing_offset_bps":0,"limit_offset_bps":25)"},
      {"--price 59000.50 --post-only --stp cancel-newest",
       R"("order_type":"Limit","quantity":"1","time_in_force":"PostOnly","price":"59000.50","reduce_only":false,"stp":"CancelNewest")"},
      {"--max-slippage-bps 10",
       R"("order_type":"Market","quantity":"1","time_in_force":"IOC","reduce_only":false,"max_slippage_bps":10)"},
  };
  for (const Row& row : rows) {
    const RunResult ran = machine.run(
        "-n local --json --dry-run orders place BTC-USDX-PERP --side SELL --size 1 --client-id x " + row.flags);
    ASSERT_EQ(ran.exit, 0) << row.flags << ran.out;
    EXPECT_EQ(ran.document().at("data.body")->dump(),
              R"({"market_id":"BTC-USDX-PERP","side":"Sell",)" + row.body + R"(,"client_id":"x"})");
  }
}

TEST(OrderTerms, AnOffsetThatTriggersAtOnceOrNeverNeedsForce) {
  TraderMachine machine;
  const std::string place =
      "-n local orders place BTC-USDX-PERP --side sell --size 0.1 --type trailing-stop --trailing-bps ";
  machine.sent.clear();
  for (const char* offset : {"0", "10000", "99999"}) {
    const RunResult ran = machine.run(place + offset);
    EXPECT_EQ(ran.exit, 14) << offset << ran.err;
    EXPECT_TRUE(has(ran.err, "trailing_offset"));
  }
  machine.write("orders.ndjson", R"({"market_id":"BTC-USDX-PERP","side":"Sell","order_type":"TrailingStop",)"
                                 R"("quantity":"0.1","trailing_offset_bps":0})");
  EXPECT_EQ(machine.run("-n local orders batch -f " + (machine.home() / "orders.ndjson").string()).exit, 14);
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(machine.run(place + "9999").exit, 0);
  const RunResult list = machine.run("-n local --fields type,trigger,offset_bps --no-header orders list");
  EXPECT_TRUE(has(list.out, "TrailingStop"));
  EXPECT_TRUE(has(list.out, "9999"));
  EXPECT_EQ(machine.run(place + "0 --force").exit, 0);
  const RunResult doubled = machine.run(
      "-n local orders place BTC-USDX-PERP --side buy --size 0.1 --type trailing-stop --trailing-bps 10000");
  EXPECT_EQ(doubled.exit, 0) << "it triggers once the price has doubled: " << doubled.err;
}

TEST(OrderTerms, ARefusedTrailingOffsetIsRefusedInAPreviewToo) {
  TraderMachine machine;
  const std::string terms = " --type trailing-stop --trailing-bps 0";
  for (const std::string& line :
       {"orders preview BTC-USDX-PERP --side sell --size 0.1" + terms, "sell 0.1 BTC-USDX-PERP --preview" + terms}) {
    const RunResult ran = machine.run("-n local " + line);
    EXPECT_EQ(ran.exit, 14) << line << ran.err;
    EXPECT_TRUE(has(ran.err, "fires at the first price"));
    EXPECT_NE(machine.run("-n local " + line + " --force").exit, 14) << line;
  }
}

// With a notional no size is given, in any of the commands.
TEST(OrderTerms, ANotionalReplacesTheSize) {
  ClientMachine machine;
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local buy 1 BTC-USDX-PERP @ 60000").exit, 0);
  ASSERT_EQ(machine.run("-n local sell 1 BTC-USDX-PERP @ 60100").exit, 0);
  machine.add_trader("alice");
  for (const char* line : {"buy BTC-USDX-PERP --notional 500 @ bid", "buy --notional 500 BTC-USDX-PERP @bid",
                           "orders place BTC-USDX-PERP --side buy --notional 500 @ bid",
                           "orders preview BTC-USDX-PERP --side buy --notional 500 @ bid"}) {
    const RunResult ran = machine.run("-n local --allow-duplicate --json " + std::string(line));
    EXPECT_EQ(ran.exit, 0) << line << ran.out << ran.err;
  }
  for (const char* line : {"buy btc --notional 500 @ bid", "buy btc --notional 500 @bid --preview"}) {
    const RunResult ran = machine.run("-n local --allow-duplicate --json " + std::string(line));
    EXPECT_EQ(ran.exit, 0) << line << ran.out << ran.err;
  }
  EXPECT_EQ(machine.open_orders(), 4u);
  const RunResult both = machine.run("-n local buy 0.1 BTC-USDX-PERP --notional 500");
  EXPECT_EQ(both.exit, 2);
  EXPECT_TRUE(has(both.err, "SIZE and --notional exclude each other"));
  EXPECT_TRUE(has(machine.run("-n local buy 0.1").err, "missing MARKET"));
  const RunResult shell = machine.run(
      {"-n", "local", "--allow-duplicate", "shell", "-c", "use BTC-USDX-PERP", "-c", "buy --notional 500 @ bid"});
  EXPECT_EQ(shell.exit, 0) << shell.err;
}

TEST(OrderTerms, AFlagThatDoesNotApplyToTheTypeIsRefused) {
  TraderMachine machine;
  for (const std::string line :
       {"buy 0.1 BTC-USDX-PERP @ 50000 --max-slippage-bps 0", "buy 0.1 BTC-USDX-PERP @ 50000 --trigger-price 49000",
        "sell 0.1 BTC-USDX-PERP --type stop-limit --trigger-price 50000 --price 49990 --max-slippage-bps 1"}) {
    const RunResult ran = machine.run("-n local " + line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_TRUE(has(ran.err, "takes no --"));
  }
  EXPECT_EQ(
      machine
          .run(
              "-n local --dry-run sell 0.1 BTC-USDX-PERP --type stop-market --trigger-price 50000 --max-slippage-bps 1")
          .exit,
      0);
}

TEST(OrderTerms, ThePriceAfterAtIsOneNumber) {
  TraderMachine machine;
  const std::size_t written = machine.journal("local").size();
  for (const std::string words : {"9000 1", "48000 0", "6000 0.5", "6000 .5", "6000. 5"}) {
    const RunResult ran = machine.run("-n local sell 0.1 BTC-USDX-PERP @ " + words);
    EXPECT_EQ(ran.exit, 2) << words;
    EXPECT_TRUE(has(ran.err, "@ takes one price"));
  }
  EXPECT_EQ(machine.run("-n local orders place BTC-USDX-PERP --side sell --size 0.1 @ 60000 5").exit, 2);
  EXPECT_EQ(machine.journal("local").size(), written);
  EXPECT_EQ(machine.run("-n local --dry-run sell 0.1 BTC-USDX-PERP @60000").exit, 0);
}

TEST(OrderTerms, AnUnfilledImmediateOrderHasAReasonAndAnExitCode) {
  ClientMachine machine;
  machine.add_trader("bob");
  ASSERT_EQ(machine.run("-n local sell 0.1 BTC-USDX-PERP @ 60100").exit, 0);
  machine.add_trader("alice");
  const struct {
    std::string line;
    int exit;
  } rows[] = {{"buy 0.2 BTC-USDX-PERP @ 60100 --tif fok", 19},
              {"buy 0.2 BTC-USDX-PERP @ 60000 --tif ioc", 19},
              {"--allow-duplicate buy 0.2 BTC-USDX-PERP @ 60100 --tif fok --wait", 19},
              {"buy 0.2 BTC-USDX-PERP --max-slippage-bps 0", 0},
              {"buy 0.2 BTC-USDX-PERP @ 59000", 0}};
  for (const auto& row : rows) {
    const RunResult ran = machine.run("-n local --json " + row.line);
    if (row.exit != 0) {
      EXPECT_EQ(ran.exit, row.exit) << row.line << ran.out;
      EXPECT_EQ(ran.code(), "not_filled") << ran.out;
      EXPECT_EQ(ran.document().string_at("data.order.status"), "Cancelled") << ran.out;
    }
  }
  const RunResult shown =
      machine.run("-n local --allow-duplicate --fields status,filled,reason buy 0.2 BTC-USDX-PERP @ 60000 --tif ioc");
  EXPECT_EQ(shown.exit, 19);
  EXPECT_TRUE(shown.out.starts_with("status\tfilled\treason\nCancelled\t0\t")) << shown.out;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
