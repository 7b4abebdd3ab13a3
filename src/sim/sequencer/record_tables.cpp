#include "sim/sequencer/record_tables.h"

#include <algorithm>

#include "base/limits.h"
#include "base/state_limits.h"

namespace svc::sim {

bool RecordTables::makes_sense() const {
  return gone_.size() <= limits::gone_rows_max &&
         std::ranges::all_of(rows_, [](const auto& row) { return row.second.ticket <= limits::counter_max; });
}

bool RecordTables::fold(const RecordChange& change) {
  Key key(change.table, change.key);
  const auto [row, added] = rows_.try_emplace(key);
  if (!added && change.ticket < row->second.ticket) return false;
  row->second = {.value = change.value, .ticket = change.ticket};
  if (change.value) return true;
  gone_.emplace_back(std::move(key), change.ticket);
  // No more changes than there are writers can still be on their way.
  while (gone_.size() > limits::gone_rows_max) {
    const auto oldest = rows_.find(gone_.front().first);
    if (oldest != rows_.end() && oldest->second.ticket == gone_.front().second) rows_.erase(oldest);
    gone_.pop_front();
  }
  return true;
}

}  // namespace svc::sim
