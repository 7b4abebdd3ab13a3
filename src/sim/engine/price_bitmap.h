// Which prices of a window hold orders: a bitmap of 65,536 bits under two summaries, so that the next price in
// either direction is found in at most five word reads, however wide the gap.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/limits.h"

namespace svc::engine {

class PriceBitmap {
 public:
  static constexpr int size = limits::book_window_ticks;
  static constexpr int none = -1;

  void set(int at) {
    words_[word(at)] |= bit(at);
    groups_[group(at)] |= bit(at >> 6);
    top_ |= bit(at >> 12);
  }
  void clear(int at) {
    words_[word(at)] &= ~bit(at);
    if (words_[word(at)] != 0) return;
    groups_[group(at)] &= ~bit(at >> 6);
    if (groups_[group(at)] == 0) top_ &= ~bit(at >> 12);
  }
  [[nodiscard]] bool test(int at) const { return (words_[word(at)] & bit(at)) != 0; }

  // The lowest set position >= at, or none. at may be `size`.
  [[nodiscard]] int at_or_above(int at) const {
    if (at >= size) return none;
    if (const auto w = words_[word(at)] & from(at)) return (at & ~63) | low(w);
    at = (at >> 6) + 1;
    if (at < size >> 6) {
      if (const auto g = groups_[static_cast<std::size_t>(at >> 6)] & from(at))
        return first_in_word((at & ~63) | low(g));
    }
    at = (at >> 6) + 1;
    if (at >= size >> 12) return none;
    const auto t = top_ & from(at);
    return t == 0 ? none : first_in_group(low(t));
  }

  // The highest set position <= at, or none. at may be -1.
  [[nodiscard]] int at_or_below(int at) const {
    if (at < 0) return none;
    if (const auto w = words_[word(at)] & upto(at)) return (at & ~63) | high(w);
    at = (at >> 6) - 1;
    if (at < 0) return none;
    if (const auto g = groups_[static_cast<std::size_t>(at >> 6)] & upto(at)) return last_in_word((at & ~63) | high(g));
    at = (at >> 6) - 1;
    if (at < 0) return none;
    const auto t = top_ & upto(at);
    return t == 0 ? none : last_in_group(high(t));
  }

 private:
  static_assert(size == 64 * 64 * 16);

  static std::size_t word(int at) { return static_cast<std::size_t>(at >> 6); }
  static std::size_t group(int at) { return static_cast<std::size_t>(at >> 12); }
  static std::uint64_t bit(int at) { return std::uint64_t{1} << (at & 63); }
  static std::uint64_t from(int at) { return ~std::uint64_t{0} << (at & 63); }
  static std::uint64_t upto(int at) { return ~std::uint64_t{0} >> (63 - (at & 63)); }
  static int low(std::uint64_t w) { return std::countr_zero(w); }
  static int high(std::uint64_t w) { return 63 - std::countl_zero(w); }

  [[nodiscard]] int first_in_word(int w) const { return w << 6 | low(words_[static_cast<std::size_t>(w)]); }
  [[nodiscard]] int last_in_word(int w) const { return w << 6 | high(words_[static_cast<std::size_t>(w)]); }
  [[nodiscard]] int first_in_group(int g) const {
    return first_in_word(g << 6 | low(groups_[static_cast<std::size_t>(g)]));
  }
  [[nodiscard]] int last_in_group(int g) const {
    return last_in_word(g << 6 | high(groups_[static_cast<std::size_t>(g)]));
  }

  std::array<std::uint64_t, size / 64> words_{};
  std::array<std::uint64_t, size / 4096> groups_{};
  std::uint64_t top_ = 0;
};

}  // namespace svc::engine
