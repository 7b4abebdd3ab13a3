#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "sim/actors/actor.h"

namespace svc::sim {
namespace {

// Keeping a set of quotes on the book: an order close enough to its quote stays and keeps its place in the queue.

struct Quote {
  engine::Side side = engine::Side::buy;
  std::int64_t price = 0;  // 1e-6 USDX
  Usdx value{};
  std::int64_t patience_ppb = 0;  // an order is moved only if it is further off; at least two ticks
};

struct Placed {
  const Quote* quote;
  Ticks price;
};

// Best first.
template <class List, class Price>
void sort_best_first(List& list, engine::Side side, Price price) {
  std::ranges::stable_sort(list, [&](const auto& a, const auto& b) {
    return side == engine::Side::buy ? price(a) > price(b) : price(a) < price(b);
  });
}

bool must_move(const engine::OrderRecord& order, const Placed& placed, Lots lots) {
  if (2 * order.remaining().value < lots.value || order.remaining().value > 2 * lots.value) return true;
  const std::int64_t off = std::abs(order.price.value - placed.price.value);
  const std::int64_t patience = mul_div(placed.price.value, placed.quote->patience_ppb, ppb_one, Rounding::down);
  return off > std::max<std::int64_t>(2, patience);
}

void keep_side(const Scene& scene, OrderSender& sender, engine::Side side,
               const std::vector<engine::OrderRecord>& orders, const std::vector<Quote>& quotes) {
  std::vector<const engine::OrderRecord*> open;
  for (const engine::OrderRecord& order : orders)
    if (order.side == side && order.market == scene.market) open.push_back(&order);
  std::vector<Placed> wanted;
  for (const Quote& quote : quotes)
    if (quote.side == side && quote.value > Usdx{})
      wanted.push_back({.quote = &quote, .price = scene.ticks_of(quote.price, side)});
  sort_best_first(open, side, [](const auto* order) { return order->price; });
  sort_best_first(wanted, side, [](const Placed& placed) { return placed.price; });
  for (std::size_t i = wanted.size(); i < open.size(); ++i) sender.cancel(open[i]->id);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Placed& placed = wanted[i];
    const Lots lots = scene.lots_worth(placed.quote->value, placed.price);
    if (i >= open.size())
      sender.post(side, placed.price, lots);
    else if (must_move(*open[i], placed, lots))
      sender.amend(open[i]->id, placed.price, lots + open[i]->filled);
  }
}

// Moves the account's resting orders to the quotes; an order that lost half its size is refilled. Everything is
// post-only, so that orders never take. Moves away from the other side come first.
void keep_quotes(const Scene& scene, OrderSender& sender, const Address& account, const std::vector<Quote>& quotes) {
  const auto open = scene.engine.open_orders(account);
  // A new bid must not match an ask that is about to be raised.
  const auto best_ask = scene.figures.best_ask;
  const bool rising = best_ask && std::ranges::any_of(quotes, [&](const Quote& quote) {
                        return quote.side == engine::Side::buy && scene.ticks_of(quote.price, quote.side) >= *best_ask;
                      });
  const engine::Side first = rising ? engine::Side::sell : engine::Side::buy;
  for (const engine::Side side : {first, engine::opposite(first)}) keep_side(scene, sender, side, open, quotes);
}

constexpr i128 variance_max = static_cast<i128>(ppb_one) * ppb_one;  // per second, ppb squared

// A maker's estimates: recent volatility, and the distance of the book from the index.
struct Opinion {
  std::int64_t last_index = 0;     // 1e-6 USDX
  TimestampMs last_ms = 0;         // of that index
  i128 variance = 0;               // per second, ppb squared
  std::int64_t last_move_ppb = 0;  // during the latest second
  std::int64_t basis_ppb = 0;      // smoothed mid above index

  [[nodiscard]] bool is_valid() const {
    return is_remembered_price(last_index) && is_log_time(last_ms) && variance >= 0 && variance <= variance_max &&
           (last_index == 0 || variance > 0) && std::abs(last_move_ppb) <= distance_max_ppb &&
           std::abs(basis_ppb) <= distance_max_ppb;
  }
};

constexpr i128 first_variance = static_cast<i128>(bp_ppb) * bp_ppb;
constexpr std::int64_t smoothing = 60;       // wake-ups
constexpr std::int64_t basis_ppm = 700'000;  // the part of the basis that is used
// A book further from the index was left behind by it: quotes around such a book are outside the price band. (D-1100)
constexpr std::int64_t basis_max_ppb = 500 * bp_ppb;

std::int64_t believable_basis(std::int64_t ppb) {
  return std::clamp(ppb, -basis_max_ppb, basis_max_ppb);
}

constexpr i128 jump_sigmas = 8;
constexpr std::int64_t calmest_ppb = 20'000;  // per second

void form(Opinion& opinion, const Scene& scene) {
  const std::int64_t index = scene.index();
  if (opinion.last_index == 0) opinion.variance = first_variance;
  if (opinion.last_index != 0 && scene.now_ms > opinion.last_ms) {
    opinion.last_move_ppb = distance_ppb(index, opinion.last_index);
    const std::int64_t seconds = std::max<std::int64_t>(1, (scene.now_ms - opinion.last_ms) / second_ms);
    // One jump says little about the following seconds.
    const i128 squared = std::min(static_cast<i128>(opinion.last_move_ppb) * opinion.last_move_ppb / seconds,
                                  jump_sigmas * jump_sigmas * opinion.variance);
    opinion.variance += (squared - opinion.variance) / smoothing;
  }
  opinion.variance = std::clamp<i128>(opinion.variance, static_cast<i128>(calmest_ppb) * calmest_ppb, variance_max);
  opinion.last_index = index;
  opinion.last_ms = scene.now_ms;
  const auto bid = scene.best(engine::Side::buy);
  const auto ask = scene.best(engine::Side::sell);
  if (!bid || !ask) return;
  const std::int64_t seen_ppb = distance_ppb((*bid + *ask) / 2, index);
  opinion.basis_ppb += (believable_basis(seen_ppb) - opinion.basis_ppb) / smoothing;
}

std::int64_t fair(const Opinion& opinion, const Scene& scene) {
  const std::int64_t basis = mul_div(believable_basis(opinion.basis_ppb), basis_ppm, ppm_one, Rounding::toward_zero);
  // A drill that moves the book sets its target: the basis learned from that must not be added.
  return moved(scene.index(), scene.conditions.fair_shift_ppb != 0 ? scene.conditions.fair_shift_ppb : basis);
}

std::int64_t by_ppm(std::int64_t value, std::int64_t ppm) {
  return mul_div(value, ppm, ppm_one, Rounding::half_up);
}

// Parameters of Avellaneda and Stoikov, all per basis point: risk aversion, how fast fills thin out with the
// distance, and the time horizon.
constexpr std::int64_t gamma_ppb = 20'000'000;  // 0.02
constexpr std::int64_t k_ppb = 1'240'000'000;   // 1.24
constexpr std::int64_t horizon_s = 60;
constexpr i128 bp_squared = static_cast<i128>(bp_ppb) * bp_ppb;

// gamma * sigma^2 * tau, in ppb of the price. Limited: after wild prices a spread must not reach down to zero.
std::int64_t risk_ppb(const Opinion& opinion) {
  constexpr i128 most = 1'000 * bp_ppb;
  const i128 in_ppb = static_cast<i128>(gamma_ppb) * opinion.variance * horizon_s / bp_squared;
  return narrow(std::min(in_ppb * bp_ppb / ppb_one, most));
}

// Half the spread that pays for the risk of adverse selection.
std::int64_t half_spread_ppb(const Opinion& opinion) {
  const std::int64_t ratio = mul_div(gamma_ppb, ppb_one, k_ppb, Rounding::down);
  return mul_div(log1p_ppb(ratio), bp_ppb, gamma_ppb, Rounding::down) + risk_ppb(opinion) / 2;
}

// 1 + 3 |r| / sigma, in ppm.
std::int64_t widening_ppm(const Opinion& opinion) {
  constexpr std::int64_t most = 8 * ppm_one;
  const std::int64_t ratio = std::abs(opinion.last_move_ppb) * 3 * ppm_one / root(opinion.variance);
  // A move of one sigma is ordinary, and already included in the risk.
  return std::clamp<std::int64_t>(ratio - 2 * ppm_one, ppm_one, most);
}

bool has_jumped(const Opinion& opinion) {
  return std::abs(opinion.last_move_ppb) > jump_sigmas * root(opinion.variance);
}

struct Inventory {
  Usdx held{};
  Usdx limit{std::numeric_limits<std::int64_t>::max()};
};

// The fair price, shifted against the held position: `unit` of it counts as much as the risk, at most `most` basis
// points.
std::int64_t leaning(const Opinion& opinion, const Scene& scene, Usdx held, Usdx unit, std::int64_t most) {
  const std::int64_t lean = mul_div(risk_ppb(opinion), held.value, unit.value, Rounding::toward_zero);
  return moved(fair(opinion, scene), -std::clamp(lean, -most * bp_ppb, most * bp_ppb));
}

// Quotes on each side that may still be increased.
struct QuotePair {
  std::int64_t center = 0, away = 0, value = 0, patience = 0;
};
void add_quotes(std::vector<Quote>& quotes, const Scene& scene, const Inventory& inventory, const QuotePair& pair) {
  const Usdx value{by_ppm(pair.value, scene.conditions.maker_size_ppm)};
  if (inventory.held < inventory.limit)
    quotes.push_back({engine::Side::buy, moved(pair.center, -pair.away), value, pair.patience});
  if (inventory.held > -inventory.limit)
    quotes.push_back({engine::Side::sell, moved(pair.center, pair.away), value, pair.patience});
}

// Puts more money in once most of it is lost or tied up: a maker without any leaves a side of the book empty. (D-1100)
void keep_funded(const Actor& bot, const Scene& scene, OrderSender& sender) {
  const Usdx stake = bot.terms.stake;
  if (scene.engine.account(bot.account).available.value < stake.value / 4) sender.deposit(stake);
}

// A maker remembers its opinion, which it forms anew at every wake-up. Then it quotes.
template <std::int64_t (*quote)(const Opinion& opinion, Actor& bot, const Scene& scene, OrderSender& sender)>
struct Maker {
  Opinion opinion{};

  [[nodiscard]] bool is_valid() const { return opinion.is_valid(); }
  std::int64_t act(Actor& bot, const Scene& scene, OrderSender& sender) {
    form(opinion, scene);
    keep_funded(bot, scene, sender);
    return quote(opinion, bot, scene, sender);
  }
};

// Avellaneda-Stoikov: quotes around a reservation price shifted against the inventory, with a spread from recent
// volatility; three levels a side. Withdraws briefly after a jump.
std::int64_t quoter(const Opinion& opinion, Actor& bot, const Scene& scene, OrderSender& sender) {
  if (has_jumped(opinion)) {
    sender.cancel_all();
    return bot.chance.between(second_ms, 3 * second_ms);
  }
  const Inventory inventory{scene.position_value(bot.account), bot.scaled(600'000)};
  const std::int64_t center = leaning(opinion, scene, inventory.held, bot.scaled(25'000), 30);
  std::int64_t half = by_ppm(half_spread_ppb(opinion), widening_ppm(opinion));
  half = by_ppm(half, scene.conditions.maker_width_ppm);
  constexpr std::array<std::int64_t, 3> sizes{4'000, 9'000, 16'000};
  std::vector<Quote> quotes;
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    const std::int64_t away = half + static_cast<std::int64_t>(level) * std::max(bp_ppb, half / 2);
    add_quotes(quotes, scene, inventory, {center, away, bot.scaled(sizes[level]).value, half / 5});
  }
  keep_quotes(scene, sender, bot.account, quotes);
  return second_ms + bot.chance.between(50, 300) - scene.now_ms % second_ms;
}

// Ten levels a side, with growing distances and sizes.
std::int64_t ladder(const Opinion& opinion, Actor& bot, const Scene& scene, OrderSender& sender) {
  const Inventory inventory{scene.position_value(bot.account), bot.scaled(2'000'000)};
  const std::int64_t center = leaning(opinion, scene, inventory.held, bot.scaled(100'000), 20);
  const std::int64_t first = by_ppm(half_spread_ppb(opinion) + 3 * bp_ppb, scene.conditions.maker_width_ppm);
  constexpr std::array<std::int64_t, 10> steps{2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  std::vector<Quote> quotes;
  std::int64_t ticks = 0;
  std::int64_t size = bot.scaled(6'000).value;
  for (const std::int64_t step : steps) {
    ticks += step;
    const std::int64_t away = first + distance_ppb(scene.index() + scene.price_of({ticks}), scene.index());
    add_quotes(quotes, scene, inventory, {center, away, size, away / 4});
    size = by_ppm(size, 1'300'000);
  }
  keep_quotes(scene, sender, bot.account, quotes);
  return 2 * second_ms + bot.chance.between(50, 300) - scene.now_ms % second_ms;
}

// 50 to 200 basis points away, on both sides whatever it holds: the others may be at their limits. (D-1100)
std::int64_t backstop(const Opinion& opinion, Actor& bot, const Scene& scene, OrderSender& sender) {
  const Inventory inventory{};
  std::vector<Quote> quotes;
  for (const std::int64_t away : {50 * bp_ppb, 100 * bp_ppb, 200 * bp_ppb})
    add_quotes(quotes, scene, inventory, {fair(opinion, scene), away, bot.scaled(150'000).value, away / 4});
  keep_quotes(scene, sender, bot.account, quotes);
  return 5 * second_ms + bot.chance.between(50, 300);
}

}  // namespace

std::span<const Role> makers() {
  static constexpr std::array roles{Role{"quoter", 20'000'000, 1, make_actor<Maker<quoter>>},
                                    Role{"ladder", 20'000'000, 1, make_actor<Maker<ladder>>},
                                    Role{"backstop", 20'000'000, 1, make_actor<Maker<backstop>>}};
  return roles;
}

}  // namespace svc::sim
