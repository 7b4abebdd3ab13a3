// Positions, and their profit and loss.
#pragma once

#include "api/operation.h"
#include "api/records/positions.h"

namespace svc::api::ops {

struct ListPositions {
  using Request = Empty;
  using Response = List<Position>;
  static constexpr Operation op{.name = "list_positions",
                                .group = "positions",
                                .method = Method::get,
                                .path = "/positions",
                                .summary = "List open positions",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct ListClosedPositions {
  using Request = ClosedPositionsRequest;
  using Response = Page<ClosedPosition>;
  static constexpr Operation op{.name = "list_closed_positions",
                                .group = "positions",
                                .method = Method::get,
                                .path = "/positions/closed",
                                .summary = "List closed positions, newest first",
                                .detail = "A position is closed when its size reaches zero or changes sides.",
                                .twin = true,
                                .auth = Auth::hmac | Auth::agent};
};

struct ListPositionPnl {
  using Request = Empty;
  using Response = List<PositionPnl>;
  static constexpr Operation op{
      .name = "list_position_pnl",
      .group = "positions",
      .method = Method::get,
      .path = "/positions/pnl",
      .summary = "Split the profit of each position by cause",
      .detail = "The parts have the sign of their effect on equity and add up to `total_pnl`.",
      .twin = true,
      .auth = Auth::hmac | Auth::agent,
      .weight = {5}};
};

}  // namespace svc::api::ops
