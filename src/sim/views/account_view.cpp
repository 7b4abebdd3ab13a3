#include "sim/views/account_view.h"

namespace svc::sim {

void AccountView::fold(const Stamp&, const engine::OrderChanged& event) {
  const engine::OrderRecord& order = event.order;
  if (is_live(order.status)) {
    open_orders_[order.id] = order;
    return;
  }
  open_orders_.erase(order.id);
  if (const auto forgotten = ended_orders_.add(order)) ended_by_id_.erase(forgotten->id.value);
  ended_by_id_[order.id.value] = ended_orders_.newest_number();
}

void AccountView::fold(const Stamp& stamp, const engine::Fill& event) {
  fills_.add({event, stamp.at_ms});
  AccountDay& minute = day_.minute_of(stamp.at_ms);
  minute.volume += event.quote.value;
  minute.realized_pnl += event.realized_pnl.value;
}

void AccountView::fold(const Stamp&, const engine::PositionClosed& event) {
  closed_positions_.add(event);
}

const engine::OrderRecord* AccountView::order(engine::OrderId id) const {
  if (const auto open = open_orders_.find(id); open != open_orders_.end()) return &open->second;
  const auto ended = ended_by_id_.find(id.value);
  return ended == ended_by_id_.end() ? nullptr : &ended_orders_.row(ended->second);
}

}  // namespace svc::sim
