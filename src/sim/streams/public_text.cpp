#include "sim/streams/public_text.h"

#include "api/codec.h"
#include "api/records/stream_frames.h"
#include "base/limits.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/market_translation.h"

namespace svc::sim {
namespace {

template <class Levels>
std::vector<api::PublicBookLevel> top_levels(const engine::MarketSpec& spec, const Levels& levels) {
  std::vector<api::PublicBookLevel> top;
  for (const auto& [price, level] : levels) {
    if (top.size() == limits::stream_public_book_levels) break;
    top.push_back(
        {.price = price_text(spec, price), .quantity = lots_text(spec, level.quantity), .order_count = level.orders});
  }
  return top;
}

}  // namespace

std::string public_trade_text(const engine::MarketSpec& spec, const engine::Trade& trade, TimestampMs at_ms) {
  api::PublicTradeFrame frame;
  frame.market_id = spec.id;
  frame.trade = trade_record(spec, {.trade = trade, .at_ms = at_ms});
  return api::to_json(frame);
}

std::string public_book_text(const engine::MarketSpec& spec, const MarketView& view) {
  api::BookUpdateFrame frame;
  frame.market_id = spec.id;
  frame.book = {
      .bids = top_levels(spec, view.bids()), .asks = top_levels(spec, view.asks()), .sequence = view.book_nonce()};
  return api::to_json(frame);
}

std::string public_status_text(const engine::MarketSpec& spec, const Stamp& stamp,
                               const engine::MarketStatusChanged& event) {
  // The words for a halt are those of GET /markets/{market_id}/status, as of this event.
  MarketView view;
  view.fold(stamp, event);
  const api::MarketStatus status = status_record(spec, view);
  if (status.status == api::MarketState::active) {
    api::MarketResumedFrame frame;
    frame.market_id = spec.id;
    frame.timestamp = stamp.at_ms;
    return api::to_json(frame);
  }
  api::MarketHaltedFrame frame;
  frame.market_id = spec.id;
  frame.reason = status.halt_reason.value_or("");
  frame.timestamp = status.halted_at.value_or(stamp.at_ms);
  return api::to_json(frame);
}

std::string public_stats_text(std::string_view stats) {
  return R"({"type":"Stats","stats":)" + std::string(stats) + '}';
}

}  // namespace svc::sim
