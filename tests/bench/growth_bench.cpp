// How the cost of a command grows with what the engine holds: 10 to 100,000 accounts, positions and orders.
//
// Prints microseconds (the best of many runs) for each size, and the exponent of growth from the smallest size above
// noise to the largest: 0 is O(1), 1 is O(n).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "sim/engine/engine.h"

namespace svc::bench {
namespace {

using namespace engine;
using Clock = std::chrono::steady_clock;

constexpr std::size_t sizes[] = {10, 100, 1'000, 10'000, 100'000};
constexpr Ticks price{120'000};  // 60,000 USDX

Address account(std::size_t number) {
  Address address;
  for (std::size_t i = 0; i < 8; ++i) address.bytes[i] = static_cast<std::uint8_t>((number + 1) >> (8 * i));
  return address;
}

MarketSpec market() {
  MarketSpec spec = standard_markets().front();
  spec.min_notional = {};
  spec.open_interest_cap = {};
  spec.oracle_stale_after_ms = 0;
  return spec;
}

class Venue {
 public:
  Venue() : engine_({.markets = {market()}}) { mark(price); }

  const Outcome& apply(CommandBody body) {
    log_.clear();
    return engine_.apply({1, std::move(body)}, log_);
  }
  void mark(Ticks at) { apply(OracleTick{{{{0}, at, std::nullopt}}}); }
  void open(std::size_t number) { apply(Deposit{account(number), {10'000'000'000}}); }
  OrderId place(std::size_t owner, Side side, Ticks at, TimeInForce time_in_force = TimeInForce::gtc) {
    PlaceOrder order{.account = account(owner), .params = {}};
    order.params.side = side;
    order.params.time_in_force = time_in_force;
    order.params.quantity = {{1}, Grid::on};
    order.params.price = {at, Grid::on};
    const OrderOutcome& item = apply(std::move(order)).orders.front();
    if (item.reject != Reject::none) {
      std::fprintf(stderr, "growth_bench: an order was refused: %s\n", std::string(to_string(item.reject)).c_str());
      std::exit(1);
    }
    return item.order.id;
  }
  void cancel(std::size_t owner, OrderId order) { apply(CancelOrder{.account = account(owner), .order = order}); }
  // Two accounts of a pair hold opposite positions.
  void trade(std::size_t seller, std::size_t buyer) {
    place(seller, Side::sell, price);
    place(buyer, Side::buy, price, TimeInForce::ioc);
  }

 private:
  Engine engine_;
  EventLog log_;
};

double best_us(std::size_t runs, const std::function<void()>& work) {
  double best = 1e12;
  for (std::size_t i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return best;
}

// `prepare` fills a venue to a size, and returns the work that is measured.
void curve(const char* name, const std::function<std::function<void()>(Venue&, std::size_t)>& prepare) {
  std::printf("| %s |", name);
  std::vector<double> all;
  for (const std::size_t size : sizes) {
    Venue venue;
    const auto work = prepare(venue, size);
    all.push_back(best_us(200, work));
    std::printf(" %.2f |", all.back());
    std::fflush(stdout);
  }
  const double decades = static_cast<double>(all.size() - 2);
  std::printf(" %.2f |\n", std::log10(all.back() / all[1]) / decades);
}

std::function<void()> marks(Venue& venue) {
  return [&venue, up = false]() mutable {
    up = !up;
    venue.mark({price.value + (up ? 1 : 0)});
  };
}

std::function<void()> place_and_cancel(Venue& venue) {
  return [&venue] { venue.cancel(0, venue.place(0, Side::buy, {price.value - 2'000})); };
}

void run() {
  std::printf(
      "| microseconds with | 10 | 100 | 1,000 | 10,000 | 100,000 | exponent |\n|---|---|---|---|---|---|---|\n");
  curve("mark tick, n flat accounts, two holders", [](Venue& venue, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) venue.open(i);
    venue.trade(0, 1);
    return marks(venue);
  });
  curve("mark tick, n holders", [](Venue& venue, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) venue.open(i);
    for (std::size_t i = 0; i + 1 < size; i += 2) venue.trade(i, i + 1);
    return marks(venue);
  });
  curve("order and cancel, n accounts", [](Venue& venue, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) venue.open(i);
    return place_and_cancel(venue);
  });
  curve("order and cancel, n orders of others", [](Venue& venue, std::size_t size) {
    for (std::size_t i = 0; i < 1'001; ++i) venue.open(i);
    for (std::size_t i = 0; i < size; ++i)
      venue.place(1 + i % 1'000, Side::buy, {price.value - 1 - static_cast<std::int64_t>(i % 4'000)});
    return place_and_cancel(venue);
  });
  curve("order and cancel, n orders of one's own", [](Venue& venue, std::size_t size) {
    venue.open(0);
    for (int i = 0; i < 100; ++i) venue.open(0);
    for (std::size_t i = 0; i < size; ++i)
      venue.place(0, Side::buy, {price.value - 1 - static_cast<std::int64_t>(i % 4'000)});
    return place_and_cancel(venue);
  });
  curve("trade, n holders", [](Venue& venue, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) venue.open(i);
    for (std::size_t i = 0; i + 1 < size; i += 2) venue.trade(i, i + 1);
    return [&venue, turn = false]() mutable {
      turn = !turn;
      venue.trade(turn ? 0 : 1, turn ? 1 : 0);
    };
  });
}

}  // namespace
}  // namespace svc::bench

int main() {
  svc::bench::run();
  return 0;
}
