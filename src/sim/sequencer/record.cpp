#include "sim/sequencer/record.h"

#include <atomic>

namespace svc::sim {
namespace {

// Of the whole process: it orders changes, and no outcome depends on its value.
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

}  // namespace svc::sim
