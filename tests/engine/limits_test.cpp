// Every limit at its edge and one beyond; the memory per order; trading without allocations.

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "base/limits.h"
#include "base/random.h"
#include "venue.h"

namespace svc::engine {
namespace SVC_FILE {

TEST(Limits, TheVenueHoldsMoneyUpToTheLimit) {
  Venue venue;
  EXPECT_EQ(venue.apply(Deposit{alice, {limits::funds_venue_max - 1}}).reject, Reject::none);
  EXPECT_EQ(venue.apply(Deposit{bob, {2}}).reject, Reject::funds_limit_exceeded);
  EXPECT_EQ(venue.apply(FundInsurance{{1}}).reject, Reject::none);
  EXPECT_EQ(venue.apply(FundInsurance{{1}}).reject, Reject::funds_limit_exceeded);
  EXPECT_EQ(venue.apply(Withdraw{alice, {1}}).reject, Reject::none);
  EXPECT_EQ(venue.apply(Deposit{bob, {1}}).reject, Reject::none);
}

TEST(Limits, AFailedWithdrawalComesBackToAFullVenue) {
  Venue venue;
  venue.fund({alice}, "50000");
  ASSERT_TRUE(venue.apply(Withdraw{alice, usdx("50000")}).ok());
  ASSERT_TRUE(venue.apply(Deposit{bob, {limits::funds_venue_max}}).ok());
  EXPECT_TRUE(venue.apply(Deposit{alice, usdx("50000"), FundsKind::withdrawal_reversal}).ok());
  EXPECT_EQ(venue.balance(alice), "50000");
  EXPECT_EQ(venue.apply(Deposit{bob, {1}}).reject, Reject::funds_limit_exceeded);
}

TEST(Limits, AnAmountMustBePositive) {
  Venue venue;
  for (const std::int64_t amount : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(venue.apply(Deposit{alice, {amount}}).reject, Reject::invalid_amount);
    EXPECT_EQ(venue.apply(Withdraw{alice, {amount}}).reject, Reject::invalid_amount);
    EXPECT_EQ(venue.apply(FundInsurance{{amount}}).reject, Reject::invalid_amount);
  }
}

TEST(Limits, ABatchHasAtLeastOneOrderAndAtMostTheLimit) {
  Venue venue;
  venue.fund({alice}).mark("100");
  const OrderParams params = venue.params(buy("1 @ 1").by(alice));
  EXPECT_EQ(venue.apply(PlaceBatch{alice, {}}).reject, Reject::invalid_batch_size);
  EXPECT_EQ(venue.apply(PlaceBatch{alice, std::vector(limits::batch_orders_max + 1, params)}).reject,
            Reject::invalid_batch_size);
  EXPECT_EQ(venue.apply(PlaceBatch{alice, std::vector(limits::batch_orders_max, params)}).orders.size(),
            limits::batch_orders_max);
}

// A batch costs little more than its length, however deep the book is.
TEST(Limits, ABatchEndsOnceItsOrdersHaveMetTooManyMakersInVain) {
  Venue venue;
  venue.fund({alice}, "100000").mark("100");
  const PlaceBatch makers{alice, std::vector(limits::batch_orders_max, venue.params(buy("2 @ 90").by(alice)))};
  ASSERT_EQ(venue.apply(makers).orders.back().reject, Reject::none);

  static_assert(limits::batch_makers_max == 10 * limits::batch_orders_max);
  const OrderRequest too_large = sell("2001 @ 90").by(bob).fok();
  const std::vector<OrderOutcome> items = venue.apply(PlaceBatch{bob, std::vector(12, venue.params(too_large))}).orders;
  ASSERT_EQ(items.size(), 12u);
  EXPECT_EQ(items[9].reject, Reject::none);
  EXPECT_EQ(items[9].order.status, OrderStatus::cancelled);
  EXPECT_EQ(items[10].reject, Reject::invalid_batch_size);
  EXPECT_EQ(items[11].reject, Reject::invalid_batch_size);
  EXPECT_EQ(venue.place(too_large).reject, Reject::none) << "in a request of its own";
}

TEST(Limits, ABatchMayTradeWithAnyNumberOfMakers) {
  const Unchecked unchecked;
  Venue venue;
  venue.fund({alice, bob}, "10000000").mark("100");
  const std::size_t batches = limits::batch_makers_max / limits::batch_orders_max + 1;
  for (std::size_t i = 0; i < batches; ++i) {
    const OrderRequest maker = buy("1 @ " + std::to_string(100 - i)).by(alice);
    const PlaceBatch makers{alice, std::vector(limits::batch_orders_max, venue.params(maker))};
    ASSERT_EQ(venue.apply(makers).orders.back().reject, Reject::none);
  }
  const std::vector takers(batches, venue.params(sell("1000 @ 80").by(bob)));
  for (const OrderOutcome& item : std::vector(venue.apply(PlaceBatch{bob, takers}).orders))
    EXPECT_EQ(item.order.status, OrderStatus::filled);
}

// Wallets cost nothing, and orders stay: open, in histories, by their client ids.
TEST(Limits, AfterManyOrdersAnAccountWithoutMoneyPlacesNone) {
  const Unchecked unchecked;
  MarketSpec spec = plain_market();
  spec.min_notional = usdx("0.00002");  // 0.000002 at 10x
  Venue venue({spec});
  venue.fund({alice}).mark("100");
  const OrderRequest stop = buy("1").type(OrderType::stop_market).at_trigger("150").by(bob);
  const OrderOutcome early = venue.place(stop);
  ASSERT_EQ(early.reject, Reject::none);
  const PlaceBatch batch{alice, std::vector(limits::batch_orders_max, venue.params(buy("1 @ 1").by(alice).ioc()))};
  for (std::size_t i = 1; i < limits::moneyless_orders_max; i += limits::batch_orders_max)
    ASSERT_EQ(venue.apply(batch).orders.back().reject, Reject::none);

  EXPECT_EQ(venue.place(stop).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.place(buy("1 @ 1").by(bob).ioc().client("mine")).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.engine.preview({bob, venue.params(stop)}, venue.now_ms).reject, Reject::insufficient_margin);
  EXPECT_EQ(venue.apply(AmendOrder{.account = bob, .order = early.order.id, .size = {Lots{2}, Grid::on}}).reject,
            Reject::insufficient_margin);
  EXPECT_EQ(venue.place(buy("1 @ 1").by(alice)).reject, Reject::none);
  EXPECT_EQ(venue.cancel(early), Reject::none);
  venue.fund({bob}, "0.000001");
  EXPECT_EQ(venue.place(stop).reject, Reject::insufficient_margin);
  venue.fund({bob}, "0.000001");
  EXPECT_EQ(venue.place(stop).reject, Reject::none);
}

// What is answered without an entry in the log must be what the engine would say.
TEST(Limits, ARefusedBatchOfAnAccountWithoutMoneyIsForeseenItemByItem) {
  Venue venue;
  venue.fund({alice}).mark("100").rest({sell("20 @ 100").by(alice)});
  OrderParams elsewhere = venue.params(buy("1 @ 100").by(bob));
  elsewhere.quantity = {Lots{1}, Grid::off};
  PlaceBatch batch{bob,
                   {venue.params(buy("1 @ 100").by(bob)), elsewhere, venue.params(buy("1 @ 100").by(bob).post_only()),
                    venue.params(buy("1").by(bob).reduce_only())}};
  const auto foreseen = venue.engine.refused(batch, venue.now_ms);
  ASSERT_TRUE(foreseen);
  const std::vector<OrderOutcome> told = venue.apply(batch).orders;
  ASSERT_EQ(foreseen->orders.size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_NE(told[i].reject, Reject::none) << i;
    EXPECT_EQ(foreseen->orders[i].reject, told[i].reject) << i;
  }

  batch.orders.push_back(venue.params(buy("1 @ 1").by(bob).ioc()));
  EXPECT_FALSE(venue.engine.refused(batch, venue.now_ms)) << "one is accepted, and fills nothing";
  batch.orders.pop_back();
  venue.fund({bob}, "0.000001");
  EXPECT_FALSE(venue.engine.refused(batch, venue.now_ms)) << "it has money";
}

TEST(Limits, AClientIdHasALimitedLength) {
  EXPECT_TRUE(ClientId::from(std::string(limits::client_id_chars_max, 'x')));
  EXPECT_FALSE(ClientId::from(std::string(limits::client_id_chars_max + 1, 'x')));
  EXPECT_EQ(ClientId::from("abc")->text(), "abc");
}

TEST(Limits, TheLargestOrderOfAMarketFitsTheArithmetic) {
  MarketSpec spec = plain_market();
  EXPECT_TRUE(check_listing(spec));
  spec.max_order_size = Lots{1'000'001};
  EXPECT_EQ(check_listing(spec).error(), ListingError::bounds);
}

// A settlement at the highest price is computed in 64 bits, whatever the mark was when the positions were opened.
TEST(Limits, OpenInterestHasAValueUpToTheLimitAtTheHighestPrice) {
  Venue venue;
  venue.fund({alice, bob}, "1000000").mark("1");
  venue.rest({sell("1000000 @ 1").by(bob)});
  EXPECT_EQ(venue.place(buy("1000000 @ 1").by(alice)).reject, Reject::none);
  venue.rest({sell("1 @ 1").by(bob)});
  EXPECT_EQ(venue.place(buy("1 @ 1").by(alice)).reject, Reject::open_interest_cap_exceeded);
  EXPECT_EQ(venue.apply(HaltMarket{{0}, "drill"}).reject, Reject::none);
  EXPECT_EQ(venue.apply(SettleMarket{{0}, Ticks{1'000'000}}).reject, Reject::none);
  EXPECT_EQ(venue.position(alice), Lots{});
}

// One account may hold a position of that value in each.
TEST(Limits, ManyMarketsShareTheValueOfOpenInterest) {
  std::vector<MarketSpec> markets(2 * limits::markets_of_full_value, plain_market());
  for (std::size_t i = 1; i < markets.size(); ++i) markets[i].id += std::to_string(i);
  Venue venue(markets);
  venue.fund({alice, bob}, "1000000").mark("1");
  venue.rest({sell("500000 @ 1").by(bob), sell("1 @ 1").by(bob)});
  EXPECT_EQ(venue.place(buy("500000 @ 1").by(alice)).reject, Reject::none);
  EXPECT_EQ(venue.place(buy("1 @ 1").by(alice)).reject, Reject::open_interest_cap_exceeded);
}

// Whoever stays in a position and trades with itself turns over more than 64 bits hold.
TEST(Limits, TurnoverOfAPositionHasNoLimit) {
  const Unchecked unchecked;
  Venue venue;
  venue.fund({alice}, "9000000000").fund({bob}, "1000000").mark("100000");
  venue.rest({sell("1 @ 100000").by(bob)});
  ASSERT_EQ(venue.place(buy("1 @ 100000").by(alice)).reject, Reject::none);
  for (i128 turnover = 0; turnover <= i128{INT64_MAX}; turnover += i128{200'000} * 100'000 * usdx_one) {
    venue.rest({sell("200000 @ 100000").by(alice)});
    ASSERT_EQ(venue.place(buy("200000 @ 100000").by(alice).ioc()).reject, Reject::none);
  }
  EXPECT_EQ(venue.position(alice), Lots{1});
  EXPECT_EQ(venue.engine.violations(), std::vector<std::string>{});
  Engine restored({.markets = {plain_market()}});
  EXPECT_TRUE(restored.restore(venue.engine.image()));
  venue.rest({buy("1 @ 99999").by(bob)});
  venue.place(sell("1 @ 99999").by(alice).ioc());
  const auto closed = venue.events<PositionClosed>();
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_TRUE(closed.front().entry_quote > INT64_MAX && closed.front().exit_quote > INT64_MAX);
}

TEST(Limits, MarketsThatBreakAListingRuleAreNotListed) {
  struct Row {
    const char* what;
    ListingError error;
    void (*breaks)(MarketSpec&);
  };
  const Row rows[] = {
      {"tick * lot finer than money", ListingError::grid,
       [](MarketSpec& s) {
         s.tick_size = {1, 4}, s.lot_size = {1, 3};
       }},
      {"tick finer than money", ListingError::grid,
       [](MarketSpec& s) {
         s.tick_size = {1, 7}, s.lot_size = {10, 0};
       }},
      {"no tick", ListingError::grid, [](MarketSpec& s) { s.tick_size = {}; }},
      {"no tiers", ListingError::tiers, [](MarketSpec& s) { s.tiers.clear(); }},
      {"tiers from above zero", ListingError::tiers, [](MarketSpec& s) { s.tiers[0].lower_notional = {1}; }},
      {"maintenance above initial", ListingError::tiers,
       [](MarketSpec& s) {
         s.tiers[0].mmr = {1, 9};
       }},
      {"a rate of zero", ListingError::tiers,
       [](MarketSpec& s) {
         s.tiers[0].mmr = {0, 1};
       }},
      {"descending tiers", ListingError::tiers,
       [](MarketSpec& s) {
         s.tiers.push_back({{5}, {1, 5}, {1, 10}}), s.tiers.push_back({{5}, {1, 4}, {1, 8}});
       }},
      {"rebates above fees", ListingError::fees, [](MarketSpec& s) { s.maker_fee = {-6}, s.taker_fee = {5}; }},
      {"leverage zero", ListingError::bounds, [](MarketSpec& s) { s.max_leverage = 0; }},
      {"leverage too high", ListingError::bounds, [](MarketSpec& s) { s.max_leverage = limits::leverage_max + 1; }},
      {"no price", ListingError::bounds, [](MarketSpec& s) { s.price_max = {}; }},
      {"no name", ListingError::bounds, [](MarketSpec& s) { s.id.clear(); }},
  };
  for (const Row& row : rows) {
    MarketSpec spec = plain_market();
    row.breaks(spec);
    const auto listed = check_listing(spec);
    ASSERT_FALSE(listed) << row.what;
    EXPECT_EQ(listed.error(), row.error) << row.what;
  }
  for (const MarketSpec& spec : standard_markets()) EXPECT_TRUE(check_listing(spec)) << spec.id;
}

TEST(Limits, ARestingOrderCostsAtMost256Bytes) {
  const Unchecked here;
  constexpr std::int64_t count = 100'000;
  Engine engine({.markets = {plain_market()}});
  EventLog log;
  engine.apply({1, Deposit{alice, {limits::funds_venue_max}}}, log);
  engine.apply({1, OracleTick{{{{0}, Ticks{1'000}, std::nullopt}}}}, log);
  PlaceOrder place{alice, {}};
  place.params.quantity = {Lots{1}, Grid::on};
  place.params.client_id = *ClientId::from("a name of some length for each order");
  const std::ptrdiff_t before = test::live_bytes();
  std::ptrdiff_t history = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    place.params.price = {Ticks{1 + i % 990}, Grid::on};
    place.params.client_id = i % 2 == 0 ? ClientId{} : *ClientId::from("order " + std::to_string(i));
    engine.apply({1, place}, log);
    log.clear();
  }
  ASSERT_EQ(engine.venue().open_orders, static_cast<std::uint64_t>(count));
  // Used client ids are kept forever: half of the orders have one.
  constexpr std::ptrdiff_t bytes_per_client_id = 64;
  history = count / 2 * bytes_per_client_id;
  EXPECT_LE((test::live_bytes() - before - history) / count, 256);
}

// Trades, resting orders and cancels of many accounts, after all arrays have reached their size.
TEST(Limits, SteadyTradingAllocatesNothing) {
  const Unchecked here;
  Engine engine({.markets = {plain_market()}});
  EventLog log;
  std::vector<Address> people;
  for (int i = 0; i < 8; ++i) people.push_back(trader("trader " + std::to_string(i)));
  for (const Address& who : people) engine.apply({1, Deposit{who, usdx("100000000")}}, log);
  engine.apply({1, OracleTick{{{{0}, Ticks{1'000}, std::nullopt}}}}, log);
  Prng prng(3);
  std::vector<std::pair<Address, OrderId>> live;
  live.reserve(4'096);
  Command place{1, PlaceOrder{}};
  Command cancel{1, CancelOrder{}};
  const auto trade = [&](int operations) {
    for (int i = 0; i < operations; ++i) {
      log.clear();
      if (live.size() > 200) {
        std::swap(live[prng.below(live.size())], live.back());
        cancel.body = CancelOrder{live.back().first, live.back().second};
        live.pop_back();
        engine.apply(cancel, log);
        continue;
      }
      auto& order = std::get<PlaceOrder>(place.body);
      order.account = people[prng.below(people.size())];
      order.params.side = prng.below(2) == 0 ? Side::buy : Side::sell;
      order.params.time_in_force = prng.below(5) == 0 ? TimeInForce::ioc : TimeInForce::gtc;
      order.params.quantity = {Lots{prng.between(1, 20)}, Grid::on};
      order.params.price = {Ticks{prng.between(980, 1'020)}, Grid::on};
      const Outcome& outcome = engine.apply(place, log);
      const OrderRecord& record = outcome.orders.front().order;
      if (outcome.ok() && is_live(record.status)) live.emplace_back(order.account, record.id);
    }
  };
  trade(60'000);
  const std::uint64_t trades_before = engine.market({0}, 1).trade_count;
  const std::size_t before = test::allocations();
  trade(5'000);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_GT(engine.market({0}, 1).trade_count, trades_before);
}

// A preview must not take memory for each maker that it meets, nor any the second time.
TEST(Limits, APreviewOfADeepBookAllocatesNothingTheSecondTime) {
  const Unchecked here;
  Venue venue;
  venue.fund({alice}, "100000").mark("100");
  const PlaceBatch makers{alice, std::vector(limits::batch_orders_max, venue.params(buy("2 @ 90").by(alice)))};
  ASSERT_EQ(venue.apply(makers).orders.back().reject, Reject::none);
  const PlaceOrder order{bob, venue.params(sell("2000").by(bob))};
  const std::ptrdiff_t bytes_before = test::live_bytes();
  const Preview first = venue.engine.preview(order, venue.now_ms);
  ASSERT_EQ(first.fill_lots, Lots{2'000});
  EXPECT_LT(test::live_bytes() - bytes_before, 4'096) << "a step for each maker would take 300 KB";
  const std::size_t before = test::allocations();
  const Preview second = venue.engine.preview(order, venue.now_ms);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(second.fees, first.fees);
  EXPECT_EQ(second.required_initial_margin, first.required_initial_margin);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
