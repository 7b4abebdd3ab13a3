#include "generator.h"

#include <algorithm>

namespace svc::engine {
namespace {

constexpr std::int64_t unit = usdx_one;

MarketSpec market(Prng& prng, std::string id) {
  MarketSpec spec;
  spec.id = std::move(id);
  spec.base_asset = "X";
  spec.quote_asset = "USDX";
  const bool coarse = prng.below(2) == 0;
  spec.tick_size = coarse ? Decimal{1, 0} : Decimal{1, 1};
  spec.lot_size = coarse ? Decimal{1, 0} : Decimal{1, 3};
  spec.max_order_size = Lots{100'000};
  spec.price_max = Ticks{100'000};
  spec.max_leverage = 20;
  spec.tiers = {{{}, {1, 20}, {1, 40}}};
  if (prng.below(2) == 0)
    spec.tiers = {{{}, {1, 10}, {1, 20}}, {Usdx{1'000 * unit}, {1, 6}, {1, 12}}, {Usdx{3'000 * unit}, {1, 3}, {1, 7}}};
  spec.maker_fee = Ppm{prng.between(-200, 100)};
  spec.taker_fee = Ppm{prng.between(200, 800)};
  spec.price_band = {static_cast<std::int64_t>(prng.between(1, 9)), 10};
  spec.partial_threshold = Usdx{prng.between(200, 4'000) * unit};
  spec.oracle_stale_after_ms = prng.below(3) == 0 ? 60'000 : 0;
  spec.min_notional = Usdx{prng.below(2) == 0 ? 0 : 3 * unit};
  spec.open_interest_cap = Usdx{prng.below(3) == 0 ? 20'000 * unit : 0};
  spec.impact_notional = Usdx{200 * unit};
  return spec;
}

}  // namespace

Generator::Generator(std::uint64_t seed, Corner corner) : corner_(corner), prng_(seed, "generator") {
  build_world();
  draw_weights();
  lean_weights();
}

void Generator::build_world() {
  const std::uint64_t markets = 1 + prng_.below(3);
  // Ids in an order that differs from their indexes.
  const char* const ids[] = {"M-B", "M-A", "M-C"};
  for (std::uint64_t i = 0; i < markets; ++i) world_.markets.push_back(market(prng_, ids[i]));
  const std::uint64_t people = 2 + prng_.below(5);
  for (std::uint64_t i = 0; i < people; ++i) {
    Address address;
    address.bytes[0] = static_cast<std::uint8_t>(200 - 17 * i);  // later met, smaller address
    world_.people.push_back(address);
  }
  gap_percent_ = static_cast<int>(prng_.between(5, 60));
  size_max_ = static_cast<int>(prng_.between(3, 60));
  if (corner_ == Corner::halts && world_.markets.size() == 1) world_.markets.push_back(market(prng_, ids[1]));
  if (corner_ == Corner::none) return;
  for (MarketSpec& spec : world_.markets) spec.open_interest_cap = {};  // so that positions grow large
}

// What the corner needs comes often, whatever was drawn.
void Generator::lean_weights() {
  const auto lean = [this](int weight, Command (Generator::*make)(const Engine&)) {
    std::erase_if(choices_, [make](const Choice& choice) { return choice.make == make; });
    choices_.push_back({weight, make});
  };
  switch (corner_) {
    case Corner::none: return;
    case Corner::halts:
      lean(40, &Generator::plunge);
      lean(8, &Generator::slide);
      lean(12, &Generator::gap);
      lean(3, &Generator::halt);
      lean(6, &Generator::resume);
      gap_percent_ = static_cast<int>(prng_.between(20, 60));
      break;
    case Corner::isolated_adl:
      lean(40, &Generator::plunge);
      lean(10, &Generator::gap);
      lean(6, &Generator::resume);
      gap_percent_ = static_cast<int>(prng_.between(8, 40));
      break;
    case Corner::decrements: lean(80, &Generator::place); break;
    case Corner::deep_books:
      lean(30, &Generator::ladder);
      lean(25, &Generator::plunge);
      lean(25, &Generator::slide);
      lean(2, &Generator::insure);
      break;
  }
  total_ = 0;
  for (const Choice& choice : choices_) total_ += choice.weight;
}

void Generator::draw_weights() {
  const std::pair<int, Command (Generator::*)(const Engine&)> rows[] = {
      {40, &Generator::place},         {3, &Generator::batch},
      {10, &Generator::amend},         {8, &Generator::cancel},
      {1, &Generator::cancel_all},     {3, &Generator::deposit},
      {2, &Generator::withdraw},       {1, &Generator::transfer},
      {1, &Generator::insure},         {4, &Generator::leverage},
      {4, &Generator::mode},           {4, &Generator::margin},
      {10, &Generator::tick},          {3, &Generator::gap},
      {1, &Generator::price_mode},     {3, &Generator::sample},
      {1, &Generator::settle_funding}, {1, &Generator::inject_funding},
      {2, &Generator::pass},           {1, &Generator::halt},
      {3, &Generator::resume},         {1, &Generator::settle}};
  const bool stormy = prng_.below(2) == 0;  // prices gap often and far, and nobody tops up
  if (stormy) gap_percent_ = std::max(gap_percent_, 40);
  for (const auto& [weight, make] : rows) {
    if (stormy && make == &Generator::gap) {
      choices_.push_back({20, make});
      total_ += 20;
      continue;
    }
    // A quarter of the kinds is left out of a run; the rest is scaled up or down at random.
    const bool essential = make == &Generator::place || make == &Generator::tick || make == &Generator::deposit;
    if (!essential && prng_.below(4) == 0) continue;
    const int scaled = std::max(1, static_cast<int>(weight * static_cast<int>(1 + prng_.below(8)) / 4));
    choices_.push_back({scaled, make});
    total_ += scaled;
  }
  // Settling a market ends its story, so it stays rare whatever the draw.
  for (Choice& choice : choices_) {
    if (choice.make == &Generator::settle) {
      total_ -= choice.weight - 1;
      choice.weight = 1;
    }
  }
}

Command Generator::next(const Engine& engine) {
  now_ms_ += prng_.between(0, chance(10) ? 20'000 : 500);
  if (!next_.empty()) {
    Command command = with_time(std::move(next_.back()));
    next_.pop_back();
    return command;
  }
  ++step_;
  if (step_ <= world_.people.size()) {
    return with_time(Deposit{world_.people[step_ - 1], {prng_.between(100, 1'500) * unit}});
  }
  if (step_ == world_.people.size() + 1) {
    OracleTick first;
    for (std::uint16_t m = 0; m < world_.markets.size(); ++m)
      first.prices.push_back({{m}, first_mark(m), first_mark(m)});
    return with_time(first);
  }
  const std::size_t after_setup = step_ - world_.people.size() - 2;
  if (corner_ == Corner::isolated_adl && after_setup < world_.people.size() * world_.markets.size()) {
    const MarketIndex market{static_cast<std::uint16_t>(after_setup / world_.people.size())};
    const Address& who = world_.people[after_setup % world_.people.size()];
    return with_time(SetMarginMode{who, market, chance(85) ? MarginMode::isolated : MarginMode::cross});
  }
  int pick = static_cast<int>(prng_.below(static_cast<std::uint64_t>(total_)));
  for (const Choice& choice : choices_) {
    pick -= choice.weight;
    if (pick < 0) return (this->*choice.make)(engine);
  }
  return place(engine);
}

Command Generator::with_time(decltype(Command::body) body) {
  return {now_ms_, std::move(body)};
}

// 100 USDX, whatever the tick.
Ticks Generator::first_mark(std::uint16_t market) const {
  return {world_.markets[market].tick_size.scale == 0 ? 100 : 1'000};
}

Ticks Generator::kept_near(std::uint16_t market, std::int64_t ticks) const {
  const std::int64_t first = first_mark(market).value;
  return {std::clamp(ticks, first / 10, first * 10)};
}

MarketIndex Generator::some_market() {
  return {static_cast<std::uint16_t>(prng_.below(world_.markets.size()))};
}

std::int64_t Generator::mark_of(const Engine& engine, MarketIndex market) const {
  const auto mark = engine.market(market, now_ms_).mark;
  return mark ? mark->value : first_mark(market.value).value;
}

OrderParams Generator::some_order(const Engine& engine) {
  OrderParams params;
  params.market = some_market();
  params.side = chance(50) ? Side::buy : Side::sell;
  // Half of the orders are plain limits, the rest any type.
  params.type = chance(55) ? OrderType::limit : static_cast<OrderType>(prng_.below(8));
  params.time_in_force = chance(60) ? TimeInForce::gtc : static_cast<TimeInForce>(prng_.below(4));
  params.stp = chance(50) ? StpMode::none : static_cast<StpMode>(prng_.below(4));
  params.reduce_only = chance(20);
  const bool fine = world_.markets[params.market.value].lot_size.scale > 0;
  params.quantity = {Lots{prng_.between(1, size_max_) * (fine ? 1'000 : 1)}, Grid::on};
  const std::int64_t mark = mark_of(engine, params.market);
  const std::int64_t reach = std::max<std::int64_t>(2, mark * static_cast<std::int64_t>(prng_.between(1, 12)) / 100);
  // Mostly a little on the near side of the mark, so that books fill up and are crossed now and then.
  const std::int64_t lean = chance(60) ? -sign(params.side) * prng_.between(0, reach) : prng_.between(-reach, reach);
  params.price = {Ticks{std::max<std::int64_t>(1, mark + lean)}, Grid::on};
  params.trigger = {Ticks{std::max<std::int64_t>(1, mark + prng_.between(-reach, reach))}, Grid::on};
  if (is_trailing(params.type)) params.trailing_offset_bps = static_cast<std::int32_t>(prng_.between(0, 2'000));
  if (params.type == OrderType::trailing_limit)
    params.limit_offset_bps = static_cast<std::int32_t>(prng_.between(0, 500));
  if (chance(30)) params.max_slippage_bps = static_cast<std::int32_t>(prng_.between(0, 800));
  if (chance(5)) params.expires_at_ms = now_ms_ + prng_.between(-10, 20'000);
  if (chance(5)) params.client_id = *ClientId::from("c" + std::to_string(++client_ids_));
  if (chance(2)) params.price.grid = Grid::off;
  if (chance(2)) params.quantity.grid = static_cast<Grid>(prng_.below(4));
  if (chance(2)) params.trigger.grid = Grid::absent;
  if (corner_ == Corner::decrements) {
    if (chance(60)) params.stp = StpMode::decrement_and_cancel;
    if (chance(40)) params.time_in_force = TimeInForce::fok;
    // Two prices beside the mark, so that books are met whole and accounts meet themselves.
    params.price = {Ticks{std::max<std::int64_t>(1, mark + prng_.between(-2, 2))}, params.price.grid};
  }
  return params;
}

// Several levels of one side, small and a little apart.
Command Generator::ladder(const Engine& engine) {
  PlaceBatch command{world_.people.front(), {}};
  OrderParams rung;
  rung.market = some_market();
  rung.side = chance(50) ? Side::buy : Side::sell;
  const bool fine = world_.markets[rung.market.value].lot_size.scale > 0;
  const std::int64_t mark = mark_of(engine, rung.market);
  const std::int64_t apart = std::max<std::int64_t>(1, mark * prng_.between(1, 3) / 100);
  const std::uint64_t levels = 2 + prng_.below(4);
  for (std::uint64_t level = 0; level < levels; ++level) {
    const std::int64_t away = static_cast<std::int64_t>(level + prng_.below(2)) * apart;
    rung.quantity = {Lots{prng_.between(1, std::max(2, size_max_ / 4)) * (fine ? 1'000 : 1)}, Grid::on};
    rung.price = {Ticks{std::max<std::int64_t>(1, mark - sign(rung.side) * away)}, Grid::on};
    command.orders.push_back(rung);
  }
  return with_time(command);
}

// As large a position as the free margin bears, or a little less, against somebody who offers it or, now and then,
// whoever is there.
Command Generator::plunge(const Engine& engine) {
  OrderParams params;
  params.market = some_market();
  params.side = chance(50) ? Side::buy : Side::sell;
  const Address& who = somebody();
  const Address& other = somebody();
  const MarketSpec& spec = world_.markets[params.market.value];
  const std::int64_t mark = mark_of(engine, params.market);
  const std::int64_t lot_value = mark * quote_unit(spec);
  const std::int64_t free = engine.account(who).withdrawable.value;
  const std::int64_t leverage = engine.settings(who, params.market).leverage;
  const std::int64_t bears = free / 100 * prng_.between(40, 97) * leverage / lot_value;
  params.quantity = {Lots{std::clamp<std::int64_t>(bears, 1, spec.max_order_size.value)}, Grid::on};
  const std::int64_t reach = std::max<std::int64_t>(1, mark / 50);
  params.price = {Ticks{mark + (chance(50) ? sign(params.side) * prng_.between(0, reach) : 0)}, Grid::on};
  params.stp = StpMode::cancel_oldest;
  const PlaceOrder plunge{who, params};
  if (other == who || chance(15)) return with_time(plunge);
  next_.push_back(plunge);
  params.side = opposite(params.side);
  return with_time(PlaceOrder{other, params});
}

// A few per cent, all markets in one direction or each in its own.
Command Generator::slide(const Engine& engine) {
  OracleTick command;
  const std::int64_t together = chance(50) ? 1 : -1;
  const bool each = chance(30);
  for (std::uint16_t m = 0; m < world_.markets.size(); ++m) {
    const std::int64_t mark = mark_of(engine, {m});
    const std::int64_t step = std::max<std::int64_t>(1, mark * prng_.between(1, 8) / 100);
    const Ticks index = kept_near(m, mark + (each && chance(50) ? -together : together) * step);
    command.prices.push_back({{m}, index, index});
  }
  return with_time(command);
}

OrderId Generator::some_order_of(const Engine& engine, Address& account) {
  account = somebody();
  const auto open = engine.open_orders(account);
  if (open.empty() || chance(3)) return {prng_.below(50)};
  return open[prng_.below(open.size())].id;
}

Command Generator::deposit(const Engine&) {
  return with_time(Deposit{somebody(), {prng_.between(0, 300 * unit)}});
}

Command Generator::withdraw(const Engine& engine) {
  const Address who = somebody();
  const Usdx free = engine.account(who).withdrawable;
  const std::int64_t amount =
      chance(30) ? free.value + prng_.between(0, 1) : prng_.between(0, std::max<std::int64_t>(1, free.value));
  return with_time(Withdraw{who, {amount}});
}

Command Generator::transfer(const Engine&) {
  return with_time(Transfer{somebody(), somebody(), {prng_.between(0, 100 * unit)}});
}
Command Generator::insure(const Engine&) {
  return with_time(FundInsurance{{prng_.between(1, 30 * unit)}});
}
Command Generator::place(const Engine& engine) {
  return with_time(PlaceOrder{somebody(), some_order(engine)});
}

Command Generator::batch(const Engine& engine) {
  PlaceBatch command{somebody(), {}};
  const std::uint64_t count = 1 + prng_.below(4);
  for (std::uint64_t i = 0; i < count; ++i) command.orders.push_back(some_order(engine));
  return with_time(command);
}

Command Generator::amend(const Engine& engine) {
  AmendOrder command;
  command.order = some_order_of(engine, command.account);
  const auto order = engine.order(command.order);
  const std::int64_t price = order ? order->price.value : 1'000;
  const std::int64_t quantity = order ? order->quantity.value : 10;
  if (chance(60))
    command.price = {Ticks{std::max<std::int64_t>(0, price + prng_.between(-price / 30 - 1, price / 30 + 1))},
                     Grid::on};
  if (chance(60))
    command.size = {Lots{std::max<std::int64_t>(0, quantity + prng_.between(-quantity / 2, quantity / 4 + 1))},
                    Grid::on};
  return with_time(command);
}

Command Generator::cancel(const Engine& engine) {
  CancelOrder command;
  command.order = some_order_of(engine, command.account);
  return with_time(command);
}

Command Generator::cancel_all(const Engine&) {
  CancelAll command{somebody(), std::nullopt};
  if (chance(50)) command.market = some_market();
  if (chance(30)) command.scope = CancelScope::resting_orders;
  return with_time(command);
}

Command Generator::leverage(const Engine&) {
  return with_time(SetLeverage{somebody(), some_market(), prng_.between(0, 21)});
}

Command Generator::mode(const Engine&) {
  return with_time(SetMarginMode{somebody(), some_market(), chance(60) ? MarginMode::isolated : MarginMode::cross});
}

Command Generator::margin(const Engine&) {
  const auto direction = chance(50) ? MarginDirection::add : MarginDirection::remove;
  return with_time(AdjustMargin{somebody(), some_market(), {prng_.between(0, 30 * unit)}, direction});
}

Command Generator::tick(const Engine& engine) {
  OracleTick command;
  for (std::uint16_t m = 0; m < world_.markets.size(); ++m) {
    if (!chance(70)) continue;
    const std::int64_t mark = mark_of(engine, {m});
    const std::int64_t step = std::max<std::int64_t>(1, mark / 50);
    const Ticks index = kept_near(m, mark + prng_.between(-step, step));
    command.prices.push_back({{m}, index, chance(50) ? std::optional(index) : std::nullopt});
  }
  return with_time(command);
}

Command Generator::gap(const Engine& engine) {
  OracleTick command;
  for (std::uint16_t m = 0; m < world_.markets.size(); ++m) {
    if (!chance(80)) continue;
    const std::int64_t mark = mark_of(engine, {m});
    const std::int64_t jump = mark * gap_percent_ / 100;
    const Ticks index = kept_near(m, mark + prng_.between(-jump, jump));
    command.prices.push_back({{m}, index, index});
  }
  return with_time(command);
}

Command Generator::price_mode(const Engine&) {
  return with_time(SetPriceMode{some_market(), static_cast<PriceMode>(prng_.below(3))});
}

Command Generator::sample(const Engine&) {
  return with_time(SampleFunding{});
}
Command Generator::settle_funding(const Engine&) {
  return with_time(SettleFunding{});
}

Command Generator::inject_funding(const Engine& engine) {
  const MarketIndex market = some_market();
  return with_time(InjectFunding{market, {prng_.between(-20'000'000, 20'000'000)}, {mark_of(engine, market)}});
}

Command Generator::pass(const Engine&) {
  now_ms_ += prng_.between(0, 60'000);
  return with_time(PassTime{});
}

Command Generator::halt(const Engine&) {
  return with_time(HaltMarket{some_market(), "drill"});
}
Command Generator::resume(const Engine&) {
  return with_time(ResumeMarket{some_market(), {prng_.between(0, 1'000 * unit)}});
}

Command Generator::settle(const Engine& engine) {
  const MarketIndex market = some_market();
  const std::int64_t mark = mark_of(engine, market);
  return with_time(SettleMarket{market, {std::max<std::int64_t>(1, mark + prng_.between(-mark / 5, mark / 5))}});
}

}  // namespace svc::engine
