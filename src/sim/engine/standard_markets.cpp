// The markets that a sandbox lists unless it is given others.

#include "sim/engine/market_spec.h"

namespace svc::engine {
namespace {

constexpr Usdx usdx(std::int64_t whole) {
  return {whole * usdx_one};
}

// What the three have in common: fees of -2 and 5 bps, maintenance at half the initial rate.
MarketSpec perpetual(std::string base, Decimal tick, Decimal lot) {
  MarketSpec spec;
  spec.id = base + "-USDX-PERP";
  spec.base_asset = std::move(base);
  spec.quote_asset = "USDX";
  spec.tick_size = tick;
  spec.lot_size = lot;
  spec.min_notional = usdx(10);
  spec.maker_fee = Ppm{-200};
  spec.taker_fee = Ppm{500};
  return spec;
}

MarginTier tier(Usdx lower, std::int64_t leverage) {
  return {.lower_notional = lower, .imr = {1, leverage}, .mmr = {1, 2 * leverage}};
}

}  // namespace

std::vector<MarketSpec> standard_markets() {
  MarketSpec btc = perpetual("BTC", {5, 1}, {1, 3});
  btc.max_order_size = Lots{100'000};  // 100 BTC
  btc.price_max = Ticks{20'000'000};   // 10,000,000 USDX
  btc.max_leverage = 40;
  btc.tiers = {tier({}, 40), tier(usdx(150'000'000), 20)};
  btc.open_interest_cap = usdx(500'000'000);

  MarketSpec eth = perpetual("ETH", {1, 2}, {1, 4});
  eth.max_order_size = Lots{100'000'000};  // 10,000 ETH
  eth.price_max = Ticks{100'000'000};      // 1,000,000 USDX
  eth.max_leverage = 25;
  eth.tiers = {tier({}, 25), tier(usdx(100'000'000), 15)};
  eth.open_interest_cap = usdx(300'000'000);

  MarketSpec sol = perpetual("SOL", {1, 3}, {1, 3});
  sol.max_order_size = Lots{100'000'000};  // 100,000 SOL
  sol.price_max = Ticks{100'000'000};      // 100,000 USDX
  sol.max_leverage = 20;
  sol.tiers = {tier({}, 20), tier(usdx(70'000'000), 10)};
  sol.open_interest_cap = usdx(100'000'000);
  sol.impact_notional = usdx(6'000);

  return {btc, eth, sol};
}

}  // namespace svc::engine
