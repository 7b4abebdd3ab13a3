// Mark and index prices of the last minutes and of the last day, for who begins to look at a chart. In memory only:
// after a restart they begin anew. (GET /_svc/markets/{market_id}/marks, D-836)
//
// Invariants
//   (M1) a row is the last price of its second, or of its minute; rows ascend by time
//   (M2) the last row has the present prices, also after the exchange became another state
//   (M3) at most limits::mark_seconds_max and limits::mark_minutes_max rows per market are kept, the latest
//
// Thread-safe: one lock, held for one price or one copy.
#pragma once

#include <array>
#include <deque>

#include "sim/sequencer/sequencer.h"

namespace svc::limits {
inline constexpr std::size_t mark_seconds_max = 600;
inline constexpr std::size_t mark_minutes_max = 1'440;
}  // namespace svc::limits

namespace svc::sim {

class MarkTrail final : public Follower {
 public:
  struct Row {
    TimestampMs at_ms = 0;  // where its second or minute begins
    Ticks mark{};
    Ticks index{};
  };
  explicit MarkTrail(std::size_t markets) : markets_(markets) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override {
    for (const engine::Event& event : events) {
      const auto* changed = std::get_if<engine::MarkChanged>(&event);
      if (changed == nullptr) continue;
      const std::lock_guard lock(mutex_);
      for (Rows* kept : markets_[changed->market.value].both()) kept->put({stamp.at_ms, changed->mark, changed->index});
    }
  }
  // The exchange becomes what it was at that instant, or another one of that instant; `then` are its prices.
  void go_back(engine::MarketIndex market, const Row& then) {
    const std::lock_guard lock(mutex_);
    for (Rows* kept : markets_[market.value].both()) {
      auto& rows = kept->rows;
      while (!rows.empty() && rows.back().at_ms > then.at_ms) rows.pop_back();
      if (rows.empty() || rows.back().mark != then.mark || rows.back().index != then.index) kept->put(then);
    }
  }

  // Minutes as far as the seconds do not reach, then seconds.
  [[nodiscard]] std::vector<Row> rows(engine::MarketIndex market) const {
    std::vector<Row> rows;
    const std::lock_guard lock(mutex_);
    const auto& [seconds, minutes] = markets_[market.value];
    for (const Row& row : minutes.rows)
      if (row.at_ms + minute_ms <= seconds.rows.front().at_ms) rows.push_back(row);
    rows.insert(rows.end(), seconds.rows.begin(), seconds.rows.end());
    return rows;
  }

 private:
  // One row per span.
  struct Rows {
    std::int64_t span_ms;
    std::size_t rows_max;
    std::deque<Row> rows{};

    void put(Row row) {
      row.at_ms -= row.at_ms % span_ms;
      while (!rows.empty() && rows.back().at_ms >= row.at_ms) rows.pop_back();
      rows.push_back(row);
      if (rows.size() > rows_max) rows.pop_front();
    }
  };
  struct Trail {
    Rows seconds{second_ms, limits::mark_seconds_max};
    Rows minutes{minute_ms, limits::mark_minutes_max};

    std::array<Rows*, 2> both() { return {&seconds, &minutes}; }
  };

  mutable Ranked<LockRank::counter> mutex_;
  std::vector<Trail> markets_;
};

}  // namespace svc::sim
