#include "sim/sequencer/unit.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/limits.h"

namespace svc::sim {

bool is_usual(const CommandBody& command) {
  const auto is_good = [](const engine::OrderParams& order) { return is_utf8(order.client_id.text()); };
  if (const auto* place = std::get_if<engine::PlaceOrder>(&command)) return is_good(place->params);
  if (const auto* batch = std::get_if<engine::PlaceBatch>(&command)) return std::ranges::all_of(batch->orders, is_good);
  if (const auto* halt = std::get_if<engine::HaltMarket>(&command))
    return is_utf8(halt->reason) && halt->reason.size() <= limits::halt_reason_chars_max;
  return true;
}

bool is_usual(const Unit& unit) {
  if (const auto* command = std::get_if<CommandBody>(&unit.body)) return is_usual(*command);
  if (const auto* command = std::get_if<ServiceCommand>(&unit.body)) return is_usual(*command);
  if (const auto* anchor = std::get_if<ClockAnchor>(&unit.body)) return anchor->is_valid();
  return true;
}

}  // namespace svc::sim

namespace svc {

template std::string to_archive(const sim::Unit& unit);
template std::optional<sim::Unit> from_archive(std::string_view bytes);
template std::string to_archive(const sim::CommandBody& command);
template std::optional<sim::CommandBody> from_archive(std::string_view bytes);

}  // namespace svc
