#include "sim/control/mark_trail.h"

#include "base/clock.h"
#include "base/lock_order.h"

namespace svc::sim {
namespace {

void put(std::deque<MarkTrail::Row>& rows, MarkTrail::Row row, std::int64_t span_ms, std::size_t rows_max) {
  row.at_ms -= row.at_ms % span_ms;
  while (!rows.empty() && rows.back().at_ms >= row.at_ms) rows.pop_back();
  rows.push_back(row);
  if (rows.size() > rows_max) rows.pop_front();
}

void go_back_to(std::deque<MarkTrail::Row>& rows, const MarkTrail::Row& then, std::int64_t span_ms,
                std::size_t rows_max) {
  while (!rows.empty() && rows.back().at_ms > then.at_ms) rows.pop_back();
  if (rows.empty() || rows.back().mark != then.mark || rows.back().index != then.index)
    put(rows, then, span_ms, rows_max);
}

}  // namespace

void MarkTrail::go_back(engine::MarketIndex market, const Row& then) {
  const std::lock_guard lock(mutex_);
  Trail& trail = markets_[market.value];
  go_back_to(trail.seconds, then, second_ms, limits::mark_seconds_max);
  go_back_to(trail.minutes, then, minute_ms, limits::mark_minutes_max);
}

void MarkTrail::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  for (const engine::Event& event : events) {
    const auto* changed = std::get_if<engine::MarkChanged>(&event);
    if (changed == nullptr) continue;
    const Row row{.at_ms = stamp.at_ms, .mark = changed->mark, .index = changed->index};
    const std::lock_guard lock(mutex_);
    Trail& trail = markets_[changed->market.value];
    put(trail.seconds, row, second_ms, limits::mark_seconds_max);
    put(trail.minutes, row, minute_ms, limits::mark_minutes_max);
  }
}

std::vector<MarkTrail::Row> MarkTrail::rows(engine::MarketIndex market) const {
  std::vector<Row> rows;
  const std::lock_guard lock(mutex_);
  const Trail& trail = markets_[market.value];
  for (const Row& row : trail.minutes)
    if (row.at_ms + minute_ms <= trail.seconds.front().at_ms) rows.push_back(row);
  rows.insert(rows.end(), trail.seconds.begin(), trail.seconds.end());
  return rows;
}

}  // namespace svc::sim
