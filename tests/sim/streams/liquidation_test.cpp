// The liquidations channel: bands by equity over maintenance margin, and what was closed.
#include <gtest/gtest.h>

#include "sim/streams/world.h"

namespace svc::sim::streams_test {
namespace SVC_FILE {

using api::AlertSeverity;
using engine::Side;

TEST(AlertBands, AreOpenAboveAndClosedBelow) {
  struct Row {
    std::int64_t equity;
    std::optional<AlertSeverity> severity;
  };
  constexpr std::int64_t maintenance = 1'000'000;
  for (const Row& row :
       {Row{1'500'001, std::nullopt}, Row{1'500'000, AlertSeverity::warning}, Row{1'200'001, AlertSeverity::warning},
        Row{1'200'000, AlertSeverity::critical}, Row{1'050'001, AlertSeverity::critical},
        Row{1'050'000, AlertSeverity::imminent}, Row{1, AlertSeverity::imminent}}) {
    EXPECT_EQ(severity_of({.market = {}, .equity = row.equity, .maintenance = maintenance}), row.severity)
        << row.equity;
  }
  EXPECT_EQ(severity_of({.market = {}, .equity = 5, .maintenance = 0}), std::nullopt);
}

TEST(AlertBands, ReportEachStepDownOnceAndNoneUp) {
  AlertBands bands;
  const auto look = [&](std::int64_t equity) {
    const BucketHealth health{.market = {}, .equity = equity, .maintenance = 100};
    return bands.update(std::span(&health, 1)).size();
  };
  EXPECT_EQ(look(140), 0u) << "where it stood";
  EXPECT_EQ(look(130), 0u);
  EXPECT_EQ(look(110), 1u);
  EXPECT_EQ(look(140), 0u);
  EXPECT_EQ(look(200), 0u);
  EXPECT_EQ(look(104), 1u) << "two bands at once are one step";
  EXPECT_EQ(look(104), 0u);
}

TEST(Liquidations, AreAnnouncedStepByStepAndThenReported) {
  SandboxOptions options;
  options.balance = Usdx{10'000 * usdx_one};
  StreamWorld world(options);
  world.trade(1'000, 60'000);  // bob is long one bitcoin
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("liquidations"));
  EXPECT_EQ(client->heard().size(), 1u) << "no snapshot";
  std::vector<std::string> told;
  Json liquidation;
  // A counterparty is needed for the position.
  world.limit(world.alice, Side::buy, 900, 48'000);
  for (std::int64_t price = 59'000; price > 49'000 && liquidation.is_null(); price -= 50) {
    world.price(price);
    world.dispatch();
    for (const Json& event : client->heard()) {
      const Json& payload = event["payload"];
      if (payload.contains("LiquidationAlert")) {
        told.push_back(payload["LiquidationAlert"]["severity"]);
        EXPECT_EQ(payload["LiquidationAlert"]["market_id"], nullptr);
      }
      if (payload.contains("PortfolioLiquidation")) liquidation = payload["PortfolioLiquidation"];
    }
  }
  EXPECT_EQ(told, (std::vector<std::string>{"Warning", "Critical", "Imminent"}));
  ASSERT_FALSE(liquidation.is_null());
  EXPECT_EQ(liquidation["account_id"], to_string(world.bob));
  ASSERT_FALSE(liquidation["closures"].empty());
  EXPECT_EQ(liquidation["closures"][0]["market_id"], btc);
  EXPECT_EQ(liquidation["closures"][0]["settlement_price"], "48000");
  EXPECT_EQ(liquidation["closures"][0]["settlement_amount"].get<std::string>()[0], '-');
  // 10000 - 30 of fees - 9550 at a mark of 50450; nine tenths were sold 2450 below it, and the insurance fund paid
  // for keeping the remaining tenth as healthy as before.
  EXPECT_EQ(liquidation["equity_before"], "420");
  EXPECT_EQ(liquidation["equity_after"], "42");
}

// Its margin is used up, so nothing reaches the balance: the loss is reported all the same.
TEST(Liquidations, ADeleveragingOfAnIsolatedPositionSettlesWhatItRealized) {
  SandboxOptions options;
  options.balance = Usdx{10'000 * usdx_one};
  StreamWorld world(options);
  (void)world.exchange.sequencer().submit(engine::SetMarginMode{world.bob, {0}, engine::MarginMode::isolated});
  world.trade(100, 60'000);  // bob is long a tenth of a bitcoin, on 150 of margin
  const auto client = world.account_stream(world.bob);
  client->say(subscribe("liquidations"));
  (void)client->heard();
  world.price(54'000);
  world.dispatch();
  Json liquidation;
  for (const Json& event : client->heard())
    if (event["payload"].contains("PortfolioLiquidation")) liquidation = event["payload"]["PortfolioLiquidation"];
  ASSERT_FALSE(liquidation.is_null());
  ASSERT_EQ(liquidation["closures"].size(), 1u);
  EXPECT_EQ(liquidation["closures"][0]["position_size_closed"], "0.1");
  EXPECT_EQ(liquidation["closures"][0]["settlement_price"], "54000") << "the fund absorbed the debt";
  EXPECT_EQ(liquidation["closures"][0]["settlement_amount"], "-600");
}

}  // namespace SVC_FILE
}  // namespace svc::sim::streams_test
