#include "sim/control/mark_trail.h"

namespace svc::sim {

void MarkTrail::Rows::put(Row row) {
  row.at_ms -= row.at_ms % span_ms;
  while (!rows.empty() && rows.back().at_ms >= row.at_ms) rows.pop_back();
  rows.push_back(row);
  if (rows.size() > rows_max) rows.pop_front();
}

void MarkTrail::go_back(engine::MarketIndex market, const Row& then) {
  const std::lock_guard lock(mutex_);
  Trail& trail = markets_[market.value];
  for (Rows* kept : {&trail.seconds, &trail.minutes}) {
    while (!kept->rows.empty() && kept->rows.back().at_ms > then.at_ms) kept->rows.pop_back();
    if (kept->rows.empty() || kept->rows.back().mark != then.mark || kept->rows.back().index != then.index)
      kept->put(then);
  }
}

void MarkTrail::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  for (const engine::Event& event : events) {
    const auto* changed = std::get_if<engine::MarkChanged>(&event);
    if (changed == nullptr) continue;
    const Row row{.at_ms = stamp.at_ms, .mark = changed->mark, .index = changed->index};
    const std::lock_guard lock(mutex_);
    Trail& trail = markets_[changed->market.value];
    trail.seconds.put(row);
    trail.minutes.put(row);
  }
}

}  // namespace svc::sim
