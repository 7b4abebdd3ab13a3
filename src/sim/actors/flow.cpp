#include "sim/actors/flow.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/find.h"
#include "base/limits.h"
#include "base/text.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace {

constexpr std::string_view switches_key = "switches";
constexpr std::string_view feed_key = "index";
constexpr std::string_view tape_key = "tape";
constexpr std::string_view tape_began_key = "tape_began";

// Bots act at most this long during a jump of the clock; the rest is skipped. (D-392)
constexpr std::int64_t jump_lived_ms_max = 6 * hour_ms;

constexpr TimestampMs up_to(TimestampMs at_ms, std::int64_t grid_ms) {
  return (at_ms + grid_ms - 1) / grid_ms * grid_ms;
}

template <class... Values>
ActorMemory memory(std::string_view key, const Values&... values) {
  return {.key = std::string(key), .value = to_archive(values...)};
}

// Markets listed later are less active.
constexpr std::array<std::int64_t, 3> scales_ppm{1'000'000, 700'000, 450'000};

// Whether it quotes both sides of the book.
bool is_maker(const Actor& actor) {
  const std::string_view name = actor.terms.name;
  return std::ranges::any_of(makers(), [&](const Role& role) { return name.ends_with(role.name); });
}

// All bots of one market, makers first.
std::vector<std::unique_ptr<Actor>> cast_of_market(engine::MarketIndex market, std::string_view id,
                                                   std::uint64_t seed) {
  std::vector<std::unique_ptr<Actor>> cast;
  for (const auto& roles : {makers(), takers()})
    for (const Role& role : roles)
      for (std::size_t number = 0; number < role.count; ++number) {
        std::string name = std::string(id) + " " + std::string(role.name);
        if (role.count > 1) name += " " + std::to_string(number + 1);
        cast.push_back(role.make({.name = std::move(name),
                                  .market = market,
                                  .stake = {role.stake_usdx * usdx_one},
                                  .scale_ppm = scales_ppm[std::min<std::size_t>(market.value, scales_ppm.size() - 1)],
                                  .number = number},
                                 seed));
      }
  return cast;
}

// The accounts of the drill two-market-gap. One is long the first market, one is short it and long the second, one
// is short the second. When both markets fall, the first account becomes insolvent, and so does the only one that
// could take over its position.
//
// Positions are far larger than those of the bots, so that what bots could take over does not suffice. Each run has
// its own accounts.

// When its steps are due, since the drill began.
constexpr std::int64_t gap_steps_ms[] = {1 * second_ms, 2 * second_ms, 3 * second_ms};

using engine::Side;

constexpr std::int64_t first_position_usdx = 60'000'000;
constexpr std::int64_t second_position_usdx = 90'000'000;
constexpr std::int64_t long_stake_usdx = 2'000'000;
constexpr std::int64_t middle_stake_usdx = 7'000'000;
constexpr std::int64_t short_stake_usdx = 40'000'000;

constexpr int gap_orders_max = 200;  // of one account at a step

// Split into as many orders as the market's maximum order size requires, up to gap_orders_max.
template <class Send>
void in_pieces(const Scene& scene, std::int64_t usdx, Ticks price, Send send) {
  const i128 lot = scene.value_of(Lots{1}, price).value;
  Lots left{narrow(static_cast<i128>(usdx) * usdx_one / lot)};
  for (int sent = 0; left > Lots{} && sent < gap_orders_max; ++sent) {
    const Lots piece = std::min(left, scene.spec.max_order_size);
    send(piece);
    left -= piece;
  }
}

std::vector<Unit> gap_step(std::size_t step, std::uint64_t run, const engine::Engine& engine, TimestampMs now_ms) {
  const auto named = [&](const char* who) {
    return house_account("two-market-gap " + std::to_string(run) + " " + who);
  };
  const Address buyer = named("long");
  const Address middle = named("middle");
  const Address seller = named("short");
  const MarketConditions conditions;
  const Scene first(engine, {0}, now_ms, conditions);
  const Scene second(engine, {1}, now_ms, conditions);
  std::vector<Unit> units;
  const auto offer = [&](const Scene& scene, const Address& account, std::int64_t usdx) {
    OrderSender sender(scene, account, units);
    const Ticks price = *scene.figures.index;
    in_pieces(scene, usdx, price, [&](Lots lots) { sender.rest(Side::sell, price, lots); });
  };
  switch (step) {
    case 0:
      OrderSender(first, buyer, units).deposit({long_stake_usdx * usdx_one});
      OrderSender(first, middle, units).deposit({middle_stake_usdx * usdx_one});
      OrderSender(second, seller, units).deposit({short_stake_usdx * usdx_one});
      break;
    case 1:
      offer(first, middle, first_position_usdx);
      offer(second, seller, second_position_usdx);
      break;
    default:
      // The spread allows for one second's move of the index.
      for (const auto& [scene, account, usdx] :
           {std::tuple{&first, buyer, first_position_usdx}, std::tuple{&second, middle, second_position_usdx}}) {
        OrderSender sender(*scene, account, units);
        const Ticks price = scene->ticks_of(moved(scene->index(), 100 * bp_ppb), Side::buy);
        in_pieces(*scene, usdx, *scene->figures.index, [&](Lots lots) { sender.take(Side::buy, price, lots); });
      }
      for (const Address& account : {middle, seller}) OrderSender(first, account, units).cancel_all();
      OrderSender(second, seller, units).cancel_all();
      break;
  }
  return units;
}

// Logarithms of the remaining fraction of the price.
constexpr std::int64_t minus_25_percent = -287'682'072;
constexpr std::int64_t plus_20_percent = 182'321'557;
constexpr std::int64_t minus_8_percent = -83'381'609;
constexpr std::int64_t minus_15_percent = -162'518'929;

constexpr std::array crash_glides{
    Glide{.market = {}, .begin_ms = 0, .over_ms = minute_ms, .log_ppb = minus_25_percent},
    Glide{.market = {}, .begin_ms = 4 * minute_ms, .over_ms = 15 * minute_ms, .log_ppb = plus_20_percent},
};
// The first two markets, in one oracle batch, once the cast has its positions.
constexpr std::array gap_glides{
    Glide{.market = 0, .begin_ms = 15 * second_ms, .over_ms = 0, .log_ppb = minus_8_percent},
    Glide{.market = 1, .begin_ms = 15 * second_ms, .over_ms = 0, .log_ppb = minus_15_percent},
};

constexpr std::array all_drills{
    Drill{
        .name = "flash-crash",
        .summary = "every index falls by 25 % within a minute, makers step back; after four minutes most of it returns",
        .lasts_ms = 20 * minute_ms,
        .glides = crash_glides,
        .conditions = {.maker_size_ppm = 150'000, .maker_width_ppm = 6 * ppm_one, .taker_rate_ppm = 2 * ppm_one},
        .conditions_last_ms = 4 * minute_ms},
    Drill{.name = "two-market-gap",
          .summary = "the first two markets gap together, and nobody is left to take a position over: the first halts",
          .lasts_ms = minute_ms,
          .glides = gap_glides,
          .conditions = {.quotes = false},
          .conditions_last_ms = 30 * second_ms,
          .has_cast = true},
    Drill{.name = "thin-book",
          .summary = "for ten minutes makers show a thirtieth of their sizes, eight times as far from the price",
          .lasts_ms = 10 * minute_ms,
          .conditions = {.maker_size_ppm = 30'000, .maker_width_ppm = 8 * ppm_one}},
    Drill{.name = "stale-oracle",
          .summary = "no index price for 45 seconds: markets only cancel once the last one is 10 seconds old",
          .lasts_ms = 45 * second_ms,
          .conditions = {.oracle = false}},
    // A premium of 1.2 % of the index over a whole funding interval exceeds the cap of a settlement.
    Drill{.name = "funding-extreme",
          .summary = "for 130 minutes the book stands 1.2 % above the index: a settlement reaches its cap",
          .lasts_ms = 130 * minute_ms,
          .conditions = {.fair_shift_ppb = 120 * 100'000, .speculators = false}},
    Drill{.name = "quiet",
          .summary = "for ten minutes no taker opens a position, and the index hardly moves",
          .lasts_ms = 10 * minute_ms,
          .conditions = {.taker_rate_ppm = 0, .volatility_ppm = 20'000, .speculators = false}},
};

}  // namespace

std::span<const Drill> drills() {
  return all_drills;
}

const Drill* find_drill(std::string_view name) {
  return found_in(all_drills, name, &Drill::name);
}

std::string drill_list() {
  return joined(all_drills, &Drill::name);
}

Flow::Flow(FlowTerms terms, std::span<const engine::MarketSpec> markets)
    : terms_(std::move(terms)), markets_(markets.begin(), markets.end()), feed_(terms_.seed, markets) {
  forget();
}

bool Flow::recall(const ActorMemory& memory) {
  const Change change(*this);
  if (memory.key == switches_key) {
    Switches switches;
    if (!read_archive(memory.value, switches)) return false;
    const bool known_drill = switches.drill.empty() || find_drill(switches.drill) != nullptr;
    if (!known_drill || !is_clock_time(switches.leave_ms) || !is_clock_time(switches.drill_ms) ||
        switches.drills > limits::counter_max || switches.drill_step > std::size(gap_steps_ms))
      return false;
    switches_ = switches;
    return true;
  }
  if (memory.key == feed_key)
    return read_archive(memory.value, next_price_ms_, feed_) && is_clock_time(next_price_ms_) &&
           feed_.is_valid(markets_);
  if (memory.key == tape_key) return read_archive(memory.value, tape_line_);
  if (memory.key == tape_began_key) return read_archive(memory.value, tape_began_ms_) && is_clock_time(tape_began_ms_);
  for (Seat& seat : seats_) {
    if (seat.actor->terms.name != memory.key) continue;
    std::string memories;
    return read_archive(memory.value, seat.wakes_ms, seat.funded, memories) && is_clock_time(seat.wakes_ms) &&
           seat.actor->recall(memories);
  }
  return true;  // a bot of an earlier version
}

void Flow::forget() {
  const Change change(*this);
  begun_ = false;
  switches_ = {.bots = terms_.bots};
  feed_ = IndexFeed(terms_.seed, markets_);
  next_price_ms_ = 0;
  tape_line_ = 0;
  tape_began_ms_ = 0;
  taken_.reset();
  seats_.clear();
  for (std::size_t i = 0; i < markets_.size(); ++i)
    for (auto& actor : cast_of_market({static_cast<std::uint16_t>(i)}, markets_[i].id, terms_.seed))
      seats_.push_back({.actor = std::move(actor), .place = seats_.size()});
}

void Flow::begin(TimestampMs now_ms, TimestampMs founded_ms) {
  const Change change(*this);
  if (tape_began_ms_ == 0) tape_began_ms_ = founded_ms;
  tape_.reset();
  if (terms_.tape) tape_.emplace(terms_.tape, tape_began_ms_, tape_line_);
  // Prices of before may be stale, and no order waits for the next full second.
  if (next_price_ms_ != 0) next_price_ms_ = std::max(next_price_ms_, now_ms);
  skip_to(now_ms);
  begun_ = true;
}

ActorMemories Flow::put_off_tape(std::int64_t ms) {
  const Change change(*this);
  if (!terms_.tape) return {};
  tape_began_ms_ += ms;
  tape_.emplace(terms_.tape, tape_began_ms_, tape_line_);
  return {memory(tape_began_key, tape_began_ms_)};
}

void Flow::skip_to(TimestampMs at_ms) {
  if (next_price_ms_ < at_ms) next_price_ms_ = up_to(at_ms, second_ms);
  for (Seat& seat : seats_)
    if (seat.wakes_ms < at_ms) seat.wakes_ms = up_to(at_ms, actor_tick_ms);
}

ActorMemory Flow::switches_memory() const {
  return memory(switches_key, switches_);
}

ActorMemory Flow::feed_memory() const {
  return memory(feed_key, next_price_ms_, feed_);
}

ActorOrder order_to_flow(const FlowOrder& order) {
  return {to_archive(order)};
}

bool Flow::obey(const ActorOrder& order, TimestampMs at_ms, ActorMemories& memories) {
  const auto known = from_archive<FlowOrder>(order.order);
  if (!known) return false;
  if (const auto* drill = std::get_if<StartDrill>(&*known); drill != nullptr && find_drill(drill->name) == nullptr)
    return false;
  if (const auto* walk = std::get_if<StartWalk>(&*known))
    if (walk->market.value >= markets_.size() || !walk->walk.is_possible(markets_[walk->market.value])) return false;
  if (const auto* walk = std::get_if<StopWalk>(&*known); walk != nullptr && walk->market.value >= markets_.size())
    return false;
  const Change change(*this);
  std::visit([&](const auto& one) { obey(one, at_ms, memories); }, *known);
  return true;
}

void Flow::obey(const SwitchBots& order, TimestampMs at_ms, ActorMemories& memories) {
  if (order.on == switches_.bots) return;
  switches_.bots = order.on;
  switches_.drill.clear();
  switches_.leave_ms = order.on ? 0 : at_ms;
  memories.push_back(switches_memory());
  if (!order.on) return;
  feed_.start_anew();
  next_price_ms_ = 0;
  for (Seat& seat : seats_) seat.wakes_ms = 0;
  skip_to(at_ms);
  memories.push_back(feed_memory());
}

// Bots that were switched off meanwhile do nothing.
void Flow::obey(const StartDrill& order, TimestampMs at_ms, ActorMemories& memories) {
  if (!switches_.bots) return;
  const Drill& drill = *find_drill(order.name);
  switches_.drill = drill.name;
  switches_.drill_ms = at_ms;
  switches_.drill_step = 0;
  ++switches_.drills;
  if (!drill.conditions.quotes) switches_.leave_ms = at_ms;
  // Makers notice the new conditions immediately.
  for (Seat& seat : seats_)
    if (seat.funded && is_maker(*seat.actor)) seat.wakes_ms = up_to(at_ms, actor_tick_ms);
  memories.push_back(switches_memory());
}

void Flow::obey(const StartWalk& order, TimestampMs, ActorMemories& memories) {
  feed_.walk(order.market, order.walk);
  if (next_price_ms_ <= order.walk.begin_ms) next_price_ms_ = up_to(order.walk.begin_ms + 1, second_ms);
  memories.push_back(feed_memory());
}

FlowReport Flow::report(TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  FlowReport report{.bots = switches_.bots};
  if (const Drill* drill = drill_at(now_ms)) {
    report.drill = drill->name;
    report.drill_ends_ms = switches_.drill_ms + drill->lasts_ms;
  }
  if (tape_) report.tape = tape_->progress();
  for (const Seat& seat : seats_)
    if (seat.funded) report.cast.push_back({.name = seat.actor->terms.name, .account = seat.actor->account});
  return report;
}

std::optional<TimestampMs> Flow::next_cast_step() const {
  const Drill* drill = switches_.drill.empty() ? nullptr : find_drill(switches_.drill);
  if (drill == nullptr || !drill->has_cast || switches_.drill_step >= std::size(gap_steps_ms)) return std::nullopt;
  return switches_.drill_ms + gap_steps_ms[switches_.drill_step];
}

std::optional<ActorTurns::Turn> Flow::next_turn(TimestampMs now_ms) {
  const Change change(*this);
  if (!begun_) return std::nullopt;
  if (taken_) return taken_->turn;
  if (switches_.bots) skip_to(now_ms - jump_lived_ms_max);
  offered_ = earliest();
  if (offered_ && offered_->at_ms > now_ms) offered_.reset();
  return offered_;
}

std::optional<ActorTurns::Turn> Flow::earliest() const {
  std::optional<Turn> next;
  const auto consider = [&](TimestampMs at_ms, Kind kind) {
    if (!next || at_ms < next->at_ms || (at_ms == next->at_ms && kind < next->kind))
      next = Turn{.at_ms = at_ms, .kind = kind};
  };
  if (switches_.leave_ms != 0) consider(switches_.leave_ms, Kind::orders);
  if (prices_wanted()) consider(next_price_ms_, Kind::prices);
  if (const auto step = next_cast_step()) consider(*step, Kind::orders);
  if (switches_.bots)
    for (const Seat& seat : seats_) consider(seat.wakes_ms, Kind::orders);
  if (tape_)
    if (const auto turn = tape_->next_turn()) consider(turn->at_ms, turn->kind);
  return next;
}

std::vector<Unit> Flow::take_turn(TimestampMs at_ms, const engine::Engine& engine) {
  const Change change(*this);
  if (taken_) return taken_->units;
  SVC_ASSERT(offered_);
  Taken taken{.turn = *offered_, .units = {}};
  const auto from_tape = tape_ ? tape_->next_turn() : std::nullopt;
  if (from_tape && from_tape->at_ms == offered_->at_ms && from_tape->kind == offered_->kind) {
    taken.units = tape_->take(engine);
    tape_line_ = tape_->progress().played;
    taken.units.push_back({.memories = {memory(tape_key, tape_line_)}});
    // Where it was recorded nothing was priced between the last line and the next full second.
    if (tape_->is_over()) next_price_ms_ = std::max(next_price_ms_, at_ms / second_ms * second_ms + second_ms);
  } else if (offered_->kind == Kind::prices) {
    price_turn(at_ms, engine, taken.units);
  } else {
    order_turn(at_ms, engine, taken.units);
  }
  taken_ = std::move(taken);
  return taken_->units;
}

void Flow::price_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units) {
  const MarketConditions conditions = conditions_at(at_ms);
  IndexFeed::Moment moment{.at_ms = at_ms, .volatility_ppm = conditions.volatility_ppm};
  if (switches_.bots && conditions.oracle) moment.source = IndexFeed::Source::process;
  if (!switches_.bots && terms_.oracle_ages) moment.source = IndexFeed::Source::stands;
  // Prices move at full seconds. A tick in between says that they still hold.
  if (moment.source == IndexFeed::Source::process && at_ms % second_ms != 0) moment.source = IndexFeed::Source::stands;
  if (const Drill* drill = drill_at(at_ms)) {
    moment.glides = drill->glides;
    moment.glides_since_ms = switches_.drill_ms;
  }
  engine::OracleTick tick = feed_.tick(moment, engine);
  next_price_ms_ = at_ms / second_ms * second_ms + second_ms;
  // A walk is at its goal when it ends, also between two full seconds. (D-1105)
  if (const auto end_ms = feed_.next_end_ms()) next_price_ms_ = std::clamp(*end_ms, at_ms + 1, next_price_ms_);
  Unit unit{.memories = {feed_memory()}};
  if (!tick.prices.empty()) unit.body = CommandBody(std::move(tick));
  units.push_back(std::move(unit));
}

void Flow::order_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units) {
  if (switches_.leave_ms != 0 && switches_.leave_ms <= at_ms) take_leave(units, engine);
  if (const auto step = next_cast_step(); step && *step <= at_ms) {
    for (Unit& unit : gap_step(switches_.drill_step, switches_.drills, engine, at_ms)) units.push_back(std::move(unit));
    ++switches_.drill_step;
    units.push_back({.memories = {switches_memory()}});
  }
  if (!switches_.bots) return;
  const MarketConditions conditions = conditions_at(at_ms);
  for (Seat& seat : seats_)
    if (seat.wakes_ms <= at_ms) act(seat, at_ms, conditions, engine, units);
}

void Flow::take_leave(std::vector<Unit>& units, const engine::Engine& engine) {
  switches_.leave_ms = 0;
  for (const Seat& seat : seats_)
    if (engine.account(seat.actor->account).open_orders > 0)
      units.push_back({.body = CommandBody(engine::CancelAll{.account = seat.actor->account})});
  units.push_back({.memories = {switches_memory()}});
}

void Flow::act(Seat& seat, TimestampMs at_ms, const MarketConditions& conditions, const engine::Engine& engine,
               std::vector<Unit>& units) {
  Actor& actor = *seat.actor;
  const Scene scene(engine, actor.terms.market, at_ms, conditions);
  const bool open = scene.figures.status == engine::MarketStatus::active && !scene.figures.oracle_stale;
  const std::size_t before = units.size();
  OrderSender sender(scene, actor.account, units);
  std::int64_t pause_ms;
  if (!open || !conditions.quotes) {
    pause_ms = second_ms;
  } else if (seat.funded) {
    pause_ms = actor.act(scene, sender);
  } else {
    sender.deposit(actor.terms.stake);
    seat.funded = true;
    // Makers first, so that there is a book to take from.
    constexpr std::size_t row = 18;
    pause_ms = static_cast<std::int64_t>(seat.place % row) * second_ms / 2;
  }
  seat.wakes_ms = up_to(at_ms + std::max<std::int64_t>(pause_ms, 1), actor_tick_ms);
  if (units.size() == before) units.emplace_back();
  units[before].memories.push_back(memory(actor.terms.name, seat.wakes_ms, seat.funded, actor.memories()));
}

}  // namespace svc::sim
