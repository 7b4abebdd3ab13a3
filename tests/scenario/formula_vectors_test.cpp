// The vectors without steps: one formula each, exact numbers.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/decimal.h"
#include "base/limits.h"
#include "sim/engine/admission.h"
#include "sim/engine/margin.h"
#include "sim/engine/order_store.h"
#include "sim/engine/state.h"
#include "surroundings.h"

namespace svc::engine {
namespace SVC_FILE {

using nlohmann::json;

json vectors(const std::string& topic, const std::string& prefix) {
  std::ifstream stream(test::source_folder() / "tests/scenario/vectors" / (topic + ".json"));
  const json file = json::parse(stream);
  json matching = json::array();
  for (const json& vector : file.at("vectors")) {
    if (vector.at("id").get<std::string>().starts_with(prefix)) matching.push_back(vector);
  }
  EXPECT_FALSE(matching.empty()) << prefix;
  return matching;
}

std::string text(const json& object, const char* name, const std::string& otherwise = "") {
  return object.value(name, otherwise);
}
Decimal decimal(const std::string& value) {
  return parse_decimal(value).value();
}
Usdx usdx(const std::string& value) {
  return {parse_scaled(value, usdx_decimals).value()};
}
Rational rate(const json& object, const char* name, const char* otherwise) {
  return *parse_rational(text(object, name, otherwise));
}

MarketSpec market_of(const json& given) {
  MarketSpec spec = standard_markets().front();
  spec.tick_size = decimal(text(given, "tick", "0.1"));
  spec.lot_size = decimal(text(given, "lot", "0.00001"));
  spec.max_leverage = given.value("max_leverage", 40);
  spec.price_max = Ticks{10'000'000};
  spec.max_order_size = Lots{100'000'000};
  spec.min_notional = {};
  spec.open_interest_cap = {};
  spec.tiers.clear();
  for (const json& tier : given.value("tiers", json::array())) {
    // A tier that names only one of the two rates leaves the other out of the question.
    const Rational mmr = rate(tier, "mmr", "0.0125");
    const Rational imr = tier.contains("imr") ? rate(tier, "imr", "1") : Rational{1, 1};
    spec.tiers.push_back({usdx(text(tier, "lower")), imr, mmr});
  }
  if (spec.tiers.empty()) {
    const Rational imr = given.contains("imr") ? rate(given, "imr", "1") : rate(given, "initial_margin_rate", "0.01");
    spec.tiers.push_back({{}, imr, given.contains("mmr") ? rate(given, "mmr", "1") : imr});
  }
  return spec;
}

TEST(FormulaVectors, FeesAreRoundedTowardPlusInfinity) {
  for (const json& vector : vectors("fixed_point", "FP-FEE")) {
    const json& given = vector["given"];
    const Usdx fee = fee_of(usdx(text(given, "notional")), {given["rate_ppm"].get<std::int64_t>()});
    EXPECT_EQ(format_usdx(fee), text(vector["expect"], "fee")) << vector["id"];
  }
}

TEST(FormulaVectors, WhatIsOffTheGridIsRefusedByName) {
  for (const json& vector : vectors("fixed_point", "FP-TICK")) {
    const json& given = vector["given"];
    Market market({}, market_of(given));
    market.index_price = Ticks{500'000};
    market.set_mark(Ticks{500'000});
    OrderParams params;
    params.price = measure_price(market.spec, decimal(text(given, "price")));
    params.quantity = measure_lots(market.spec, decimal(text(given, "quantity")));
    const Reject reject = check_form(market, params, 0);
    const json& error = vector["expect"]["error"];
    EXPECT_EQ(to_string(reject), error.is_null() ? "" : error.get<std::string>()) << vector["id"];
  }
}

TEST(FormulaVectors, PriceTimesQuantityIsExact) {
  for (const json& vector : vectors("fixed_point", "FP-NOT")) {
    const json& given = vector["given"];
    const Market market({}, market_of(given));
    const Usdx notional = market.quote(measure_price(market.spec, decimal(text(given, "price"))).value,
                                       measure_lots(market.spec, decimal(text(given, "quantity"))).value);
    EXPECT_EQ(format_usdx(notional), text(vector["expect"], "notional")) << vector["id"];
  }
}

TEST(FormulaVectors, MaintenanceMarginIsContinuousAcrossTiers) {
  for (const json& vector : vectors("margin", "MM-TIER")) {
    const Market market({}, market_of(vector["given"]));
    const Usdx margin{narrow(market.schedule.maintenance(usdx(text(vector["given"], "notional")).value))};
    EXPECT_EQ(format_usdx(margin), text(vector["expect"], "maintenance_margin")) << vector["id"];
  }
}

TEST(FormulaVectors, InitialMarginIsTheLargerOfLeverageAndTier) {
  for (const json& vector : vectors("margin", "IM-")) {
    const json& given = vector["given"];
    const Market market({}, market_of(given));
    const i128 notional = usdx(text(given, "notional")).value;
    const Usdx initial{narrow(market.schedule.initial(notional, given["leverage"].get<std::int64_t>()))};
    const Usdx maintenance{narrow(market.schedule.maintenance(notional))};
    EXPECT_EQ(format_usdx(initial), text(vector["expect"], "initial_margin")) << vector["id"];
    EXPECT_EQ(format_usdx(maintenance), text(vector["expect"], "maintenance_margin")) << vector["id"];
  }
}

TEST(FormulaVectors, LeverageStopsAtTheInverseOfTheRate) {
  for (const json& vector : vectors("margin", "LEV-")) {
    EXPECT_EQ(leverage_ceiling(market_of(vector["given"])), vector["expect"]["effective_max"].get<std::int64_t>())
        << vector["id"];
  }
}

// What resting orders reserve, with the orders and the position put in place directly.
i128 reserved(const json& given) {
  json terms = given;
  terms["tick"] = "1";
  terms["lot"] = "1";
  MarketSpec spec = market_of(terms);
  spec.price_max = spec.max_order_size.value > 0 ? Ticks{1'000'000} : spec.price_max;
  spec.max_order_size = Lots{1'000'000};
  // A vector gives either a margin rate or a leverage.
  const Rational margin_rate = given.contains("margin_rate") ? rate(given, "margin_rate", "1") : Rational{1, 1000};
  spec.tiers = {{{}, margin_rate, {1, 1000}}};
  spec.taker_fee = {given.value("taker_rate_ppm", 0)};
  spec.maker_fee = {};
  spec.max_leverage = 100;

  State state;
  state.markets.emplace_back(MarketIndex{0}, spec);
  state.accounts.push_back({.address = {}, .holdings = std::vector<Holding>(1)});
  Market& market = state.markets.front();
  Holding& holding = state.holding({0}, {0});
  holding.leverage = given.value("leverage", 100);
  holding.position.size = {parse_scaled(text(given, "position"), 0).value()};
  json orders = given.value("orders", json::array());
  if (given.contains("order")) orders.push_back(given["order"]);
  for (const json& row : orders) {
    Order order;
    state.last_order.value += 1;
    order.id = state.last_order;
    order.side = text(row, "side") == "Buy" ? Side::buy : Side::sell;
    order.price = static_cast<std::int32_t>(parse_scaled(text(row, "price"), 0).value());
    order.quantity = static_cast<std::int32_t>(parse_scaled(text(row, "quantity"), 0).value());
    order.reduce_only = row.value("reduce_only", false);
    const i128 full = order.reduce_only ? 0 : reservation(market, holding.leverage, {order.price}, order.remaining());
    const Slot slot = state.orders.add(order, {});
    const OpenEntry::Claim claim{.lots = order.reduce_only ? 0 : order.quantity, .reserved = narrow(full)};
    holding.open(order.side).insert(state.orders.entry(slot), order.price, slot, claim);
  }
  const i128 margin = order_margin(market, holding);
  EXPECT_EQ(margin, recomputed_order_margin(state, market, holding));
  return margin;
}

TEST(FormulaVectors, OrderMarginCountsOnlyWhatIncreasesThePosition) {
  for (const json& vector : vectors("margin", "OM-")) {
    const Usdx margin{narrow(reserved(vector["given"]))};
    EXPECT_EQ(format_usdx(margin), text(vector["expect"], "order_margin")) << vector["id"];
  }
}

Ticks tenths(const std::string& price, int decimals) {
  return {parse_scaled(price, decimals).value()};
}

TEST(FormulaVectors, TrailingOrdersFollowTheBestMarkAndFireAtTheOffset) {
  for (const json& vector : vectors("triggers", "TRAIL-")) {
    const json& given = vector["given"];
    const Side side = text(given, "side") == "Buy" ? Side::buy : Side::sell;
    Ticks anchor = tenths(text(given, "mark_at_placement"), 2);
    std::vector<bool> fired;
    for (const json& mark : given["marks"]) {
      const Trail moved = trail(side, anchor, tenths(mark.get<std::string>(), 2), given["trailing_offset_bps"]);
      anchor = moved.anchor;
      fired.push_back(moved.fires);
    }
    EXPECT_EQ(fired, vector["expect"]["fired"].get<std::vector<bool>>()) << vector["id"];
  }
}

TEST(FormulaVectors, TrailingLimitPricesRoundToTheTighterTick) {
  for (const json& vector : vectors("triggers", "TLIM-")) {
    const json& given = vector["given"];
    const Side side = text(given, "side") == "Buy" ? Side::buy : Side::sell;
    const int decimals = decimal(text(given, "tick")).scale;
    const Ticks price =
        trailing_limit_price(side, tenths(text(given, "fire_price"), decimals), given["limit_offset_bps"]);
    EXPECT_EQ(format_scaled(price.value, decimals), text(vector["expect"], "limit_price")) << vector["id"];
  }
}

TEST(FormulaVectors, StopsFireOnTheAdverseTakeProfitsOnTheFavourableCrossing) {
  for (const json& vector : vectors("triggers", "TRIG-")) {
    const json& given = vector["given"];
    const std::string type = text(given, "order_type");
    Order order;
    order.id = {1};
    order.side = text(given, "side") == "Buy" ? Side::buy : Side::sell;
    order.type = type.starts_with("Stop") ? OrderType::stop_market : OrderType::take_profit_market;
    order.trigger = static_cast<std::int32_t>(tenths(text(given, "trigger_price"), 1).value);
    OrderStore orders;
    Triggers triggers;
    const Slot slot = orders.add(order, {});
    triggers.add(slot, order);
    std::vector<bool> fired;
    for (const json& mark : given["marks"]) {
      std::vector<Slot> hit;
      triggers.collect(tenths(mark.get<std::string>(), 1), orders, hit);
      fired.push_back(hit == std::vector{slot});
    }
    EXPECT_EQ(fired, vector["expect"]["fired"].get<std::vector<bool>>()) << vector["id"];
  }
}

}  // namespace SVC_FILE
}  // namespace svc::engine
