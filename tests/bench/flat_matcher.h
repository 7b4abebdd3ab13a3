// The least that matching can cost: flat price arrays, a bitmap of the levels in use, orders linked by
// index, an order table addressed by id. No margin, no accounts, no events beyond the fills. The yardstick
// that the order book is measured against; prices lie in [0, 65536) ticks.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "bench/op_stream.h"

namespace svc::bench {

class FlatMatcher {
 public:
  explicit FlatMatcher(std::size_t ids_max)
      : orders_(ids_max + 1), levels_{{std::vector<Level>(width), std::vector<Level>(width)}} {}

  // Calls fill(maker, ticks, lots) for every trade and returns what is left of the order, rested or not.
  template <class Fill>
  std::uint32_t submit(const Op& op, Fill fill) {
    const std::uint8_t opposite = op.side ^ 1;
    std::uint32_t left = op.lots;
    while (left > 0 && crosses(op)) {
      const int price = best(opposite);
      Level& level = levels_[opposite][static_cast<std::size_t>(price)];
      while (left > 0 && level.head != 0) {
        Order& maker = orders_[level.head];
        const std::uint32_t traded = maker.lots < left ? maker.lots : left;
        fill(level.head, price, traded);
        left -= traded;
        maker.lots -= traded;
        if (maker.lots == 0) {
          level.head = maker.next;
          if (level.head != 0) {
            orders_[level.head].previous = 0;
          } else {
            level.tail = 0;
          }
        }
      }
      if (level.head == 0) used_[opposite].clear(price);
    }
    if (left > 0 && op.type == OpType::limit) rest(op, left);
    return left;
  }

  // False if the order does not rest.
  bool cancel(std::uint32_t id) {
    Order& order = orders_[id];
    if (order.lots == 0) return false;
    Level& level = levels_[order.side][static_cast<std::size_t>(order.ticks)];
    (order.previous != 0 ? orders_[order.previous].next : level.head) = order.next;
    (order.next != 0 ? orders_[order.next].previous : level.tail) = order.previous;
    order.lots = 0;
    if (level.head == 0) used_[order.side].clear(order.ticks);
    return true;
  }

 private:
  static constexpr int width = 1 << 16;

  struct Order {
    std::uint32_t previous = 0, next = 0, lots = 0;
    std::uint16_t ticks = 0;
    std::uint8_t side = 0;
  };
  struct Level {
    std::uint32_t head = 0, tail = 0;
  };

  // Which of the 65536 prices hold orders: three levels of 64-bit words.
  class Bitmap {
   public:
    void set(int price) {
      const auto p = static_cast<unsigned>(price);
      words_[p >> 6] |= 1ull << (p & 63);
      groups_[p >> 12] |= 1ull << (p >> 6 & 63);
      top_ |= 1ull << (p >> 12);
    }
    void clear(int price) {
      const auto p = static_cast<unsigned>(price);
      if ((words_[p >> 6] &= ~(1ull << (p & 63))) != 0) return;
      if ((groups_[p >> 12] &= ~(1ull << (p >> 6 & 63))) != 0) return;
      top_ &= ~(1ull << (p >> 12));
    }
    [[nodiscard]] int lowest() const {
      if (top_ == 0) return width;
      const auto group = static_cast<unsigned>(std::countr_zero(top_));
      const auto word = group << 6 | static_cast<unsigned>(std::countr_zero(groups_[group]));
      return static_cast<int>(word << 6 | static_cast<unsigned>(std::countr_zero(words_[word])));
    }
    [[nodiscard]] int highest() const {
      if (top_ == 0) return -1;
      const auto group = 63u - static_cast<unsigned>(std::countl_zero(top_));
      const auto word = group << 6 | (63u - static_cast<unsigned>(std::countl_zero(groups_[group])));
      return static_cast<int>(word << 6 | (63u - static_cast<unsigned>(std::countl_zero(words_[word]))));
    }

   private:
    std::array<std::uint64_t, width / 64> words_{};
    std::array<std::uint64_t, width / 4096> groups_{};
    std::uint64_t top_ = 0;
  };

  [[nodiscard]] int best(std::uint8_t side) const { return side == 0 ? used_[0].highest() : used_[1].lowest(); }
  [[nodiscard]] bool crosses(const Op& op) const { return op.side == 0 ? best(1) <= op.ticks : best(0) >= op.ticks; }
  void rest(const Op& op, std::uint32_t lots) {
    Level& level = levels_[op.side][static_cast<std::size_t>(op.ticks)];
    orders_[op.id] = {level.tail, 0, lots, static_cast<std::uint16_t>(op.ticks), op.side};
    if (level.tail != 0) {
      orders_[level.tail].next = op.id;
    } else {
      level.head = op.id;
      used_[op.side].set(op.ticks);
    }
    level.tail = op.id;
  }

  std::vector<Order> orders_;
  std::array<std::vector<Level>, 2> levels_;
  std::array<Bitmap, 2> used_;
};

}  // namespace svc::bench
