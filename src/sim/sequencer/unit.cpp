#include "sim/sequencer/unit.h"

#include <algorithm>

#include "base/limits.h"
#include "base/utf8.h"

namespace svc::sim {

bool has_good_texts(const CommandBody& command) {
  const auto is_good = [](const engine::OrderParams& order) { return is_utf8(order.client_id.text()); };
  if (const auto* place = std::get_if<engine::PlaceOrder>(&command)) return is_good(place->params);
  if (const auto* batch = std::get_if<engine::PlaceBatch>(&command)) return std::ranges::all_of(batch->orders, is_good);
  if (const auto* halt = std::get_if<engine::HaltMarket>(&command))
    return is_utf8(halt->reason) && halt->reason.size() <= limits::halt_reason_chars_max;
  return true;
}

void write_unit(ArchiveWriter& writer, const Unit& unit) {
  writer(unit);
}

std::optional<Unit> read_unit(std::string_view bytes) {
  return from_archive<Unit>(bytes);
}

}  // namespace svc::sim
