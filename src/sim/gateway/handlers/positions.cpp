// Open and closed positions.

#include "api/ops/positions.h"

#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/position_translation.h"

namespace svc::sim {

using namespace api;

void bind_positions(NetworkInstance& network, const VenueAccess& venue) {
  network.handlers.bind<ops::ListPositions>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::ListPositions> {
        const auto rows = venue.sequencer.read(
            [&](const engine::Engine& engine, TimestampMs) { return engine.positions(context.account()); });
        return List<Position>{position_records(venue.markets, rows)};
      });

  network.handlers.bind<ops::ListPositionPnl>(
      [venue](RequestContext& context, const Empty&) -> Answer<ops::ListPositionPnl> {
        const auto rows = venue.sequencer.read(
            [&](const engine::Engine& engine, TimestampMs) { return engine.positions(context.account()); });
        List<PositionPnl> list;
        for (const engine::PositionRow& row : rows)
          list.rows.push_back(position_pnl_record(venue.markets.spec(row.market), row));
        return list;
      });

  network.handlers.bind<ops::ListClosedPositions>(
      [venue](RequestContext& context, const ClosedPositionsRequest& request) -> Answer<ops::ListClosedPositions> {
        return venue.views.read([&](const VenueView& view) {
          const auto page =
              view.account(context.account()).closed_positions().page(parse_cursor(request.cursor), request.limit);
          Page<ClosedPosition> records;
          for (const engine::PositionClosed* closed : page.rows)
            records.rows.push_back(closed_position_record(venue.markets.spec(closed->market), *closed));
          if (page.next) records.next_cursor = cursor_text(*page.next);
          return records;
        });
      });
}

}  // namespace svc::sim
