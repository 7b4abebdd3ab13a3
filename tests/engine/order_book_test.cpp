// The order book against a simple reference: a map of queues.

#include "sim/engine/order_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/limits.h"
#include "base/random.h"

namespace svc::engine {
namespace SVC_FILE {

class NaiveBook {
 public:
  void insert(Slot slot, Side side, std::int64_t price, std::int64_t lots) {
    sides_[side == Side::sell][price].push_back({slot, lots});
    where_[slot] = {side == Side::sell, price};
  }
  void remove(Slot slot) {
    const auto [side, price] = where_.at(slot);
    auto& queue = sides_[side][price];
    queue.erase(find(queue, slot));
    if (queue.empty()) sides_[side].erase(price);
    where_.erase(slot);
  }
  void reduce(Slot slot, std::int64_t by) {
    const auto [side, price] = where_.at(slot);
    find(sides_[side][price], slot)->second -= by;
  }
  [[nodiscard]] std::vector<Slot> priority(Side side) const {
    std::vector<Slot> slots;
    const auto add = [&](const auto& level) {
      for (const auto& order : level.second) slots.push_back(order.first);
    };
    if (side == Side::sell) {
      std::for_each(sides_[1].begin(), sides_[1].end(), add);
    } else {
      std::for_each(sides_[0].rbegin(), sides_[0].rend(), add);
    }
    return slots;
  }
  [[nodiscard]] std::int64_t level(std::int64_t price) const {
    std::int64_t sum = 0;
    for (const auto& side : sides_) {
      if (const auto found = side.find(price); found != side.end()) {
        for (const auto& order : found->second) sum += order.second;
      }
    }
    return sum;
  }
  [[nodiscard]] std::optional<std::int64_t> best(Side side) const {
    const auto& levels = sides_[side == Side::sell];
    if (levels.empty()) return std::nullopt;
    return side == Side::sell ? levels.begin()->first : levels.rbegin()->first;
  }

 private:
  using Queue = std::vector<std::pair<Slot, std::int64_t>>;
  static Queue::iterator find(Queue& queue, Slot slot) {
    return std::find_if(queue.begin(), queue.end(), [&](const auto& order) { return order.first == slot; });
  }
  std::map<std::int64_t, Queue> sides_[2];
  std::map<Slot, std::pair<bool, std::int64_t>> where_;
};

std::vector<Slot> priority(const OrderBook& book, Side side) {
  std::vector<Slot> slots;
  for (Slot slot = book.first(side); slot != no_slot; slot = book.after(slot)) slots.push_back(slot);
  return slots;
}

struct Walk {
  const char* name;
  std::int64_t start;
  std::int64_t drift;  // of the middle price, per operation
  std::int64_t reach;  // maximum distance of an order from the middle
  int operations;
};

class OrderBookWalk : public testing::TestWithParam<Walk> {};

TEST_P(OrderBookWalk, AgreesWithTheReferenceBook) {
  const Walk& walk = GetParam();
  Prng prng(42, walk.name);
  OrderBook book;
  NaiveBook naive;
  std::vector<Slot> live;
  std::int64_t middle = walk.start;
  Slot next = 1;
  for (int i = 0; i < walk.operations; ++i) {
    middle =
        std::clamp<std::int64_t>(middle + prng.between(-walk.drift, walk.drift), 1'000, limits::grid_units_max - 1'000);
    const std::uint64_t choice = prng.below(10);
    if (live.empty() || choice < 5) {
      const Side side = prng.below(2) == 0 ? Side::buy : Side::sell;
      std::int64_t price = middle + sign(opposite(side)) * prng.between(1, walk.reach);
      price = std::clamp<std::int64_t>(price, 1, limits::grid_units_max);
      // Never across the spread, as the book requires.
      const auto touch = naive.best(opposite(side));
      if (touch && (side == Side::buy ? price >= *touch : price <= *touch)) continue;
      const std::int64_t lots = prng.between(1, 100);
      book.insert(next, side, {price}, {lots});
      naive.insert(next, side, price, lots);
      live.push_back(next++);
    } else {
      const std::size_t pick = prng.below(live.size());
      const Slot slot = live[pick];
      if (choice < 8 || book.remaining(slot) == Lots{1}) {
        book.remove(slot);
        naive.remove(slot);
        live[pick] = live.back();
        live.pop_back();
      } else {
        const std::int64_t by = prng.between(1, book.remaining(slot).value - 1);
        book.reduce(slot, {by});
        naive.reduce(slot, by);
        EXPECT_EQ(book.level(book.price(slot)).lots, naive.level(book.price(slot).value));
      }
    }
    for (const Side side : {Side::buy, Side::sell}) {
      const auto best = book.best(side);
      ASSERT_EQ(best ? std::optional(best->value) : std::nullopt, naive.best(side)) << "operation " << i;
      if (i % 97 == 0) {
        ASSERT_EQ(priority(book, side), naive.priority(side)) << "operation " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Walks, OrderBookWalk,
                         testing::Values(Walk{"calm", 50'000, 1, 50, 10'000},
                                         Walk{"window_edges", 32'800, 300, 70'000, 15'000},
                                         Walk{"far_and_wide", 1'000'000'000, 2'000'000, 500'000'000, 15'000},
                                         Walk{"runaway", 70'000, 3'000, 60'000, 40'000}),
                         [](const auto& walk) { return walk.param.name; });

TEST(OrderBook, HoldsPricesAtBothEndsOfTheGrid) {
  OrderBook book;
  book.insert(1, Side::buy, Ticks{1}, Lots{5});
  book.insert(2, Side::sell, Ticks{limits::grid_units_max}, Lots{7});
  EXPECT_EQ(book.best(Side::buy), Ticks{1});
  EXPECT_EQ(book.best(Side::sell), Ticks{limits::grid_units_max});
  EXPECT_EQ(book.after(1), no_slot);
  EXPECT_EQ(book.after(2), no_slot);
  book.remove(1);
  EXPECT_TRUE(book.empty(Side::buy));
}

TEST(OrderBook, AReducedOrderKeepsItsPlace) {
  OrderBook book;
  book.insert(1, Side::buy, Ticks{10}, Lots{5});
  book.insert(2, Side::buy, Ticks{10}, Lots{5});
  book.reduce(1, Lots{4});
  EXPECT_EQ(priority(book, Side::buy), (std::vector<Slot>{1, 2}));
  EXPECT_EQ(book.level(Ticks{10}).lots, 6);
}

}  // namespace SVC_FILE
}  // namespace svc::engine
