#include "sim/sequencer/record.h"

#include <algorithm>
#include <atomic>

#include "base/encoding.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

// Global: it only orders changes, and no result depends on its value.
std::atomic<std::uint64_t> last_ticket{0};

}  // namespace

std::uint64_t next_record_ticket() {
  return last_ticket.fetch_add(1, std::memory_order_relaxed) + 1;
}

void pass_record_ticket(std::uint64_t ticket) {
  std::uint64_t last = last_ticket.load(std::memory_order_relaxed);
  while (last < ticket && !last_ticket.compare_exchange_weak(last, ticket, std::memory_order_relaxed)) {
  }
}

bool RecordTables::is_valid() const {
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
  // At most as many changes as there are writers can still be on their way.
  while (gone_.size() > limits::gone_rows_max) {
    const auto oldest = rows_.find(gone_.front().first);
    if (oldest != rows_.end() && oldest->second.ticket == gone_.front().second) rows_.erase(oldest);
    gone_.pop_front();
  }
  return true;
}

bool has_good_texts(const CommandBody& command) {
  const auto is_good = [](const engine::OrderParams& order) { return is_utf8(order.client_id.text()); };
  if (const auto* place = std::get_if<engine::PlaceOrder>(&command)) return is_good(place->params);
  if (const auto* batch = std::get_if<engine::PlaceBatch>(&command)) return std::ranges::all_of(batch->orders, is_good);
  if (const auto* halt = std::get_if<engine::HaltMarket>(&command))
    return is_utf8(halt->reason) && halt->reason.size() <= limits::halt_reason_chars_max;
  return true;
}

}  // namespace svc::sim
