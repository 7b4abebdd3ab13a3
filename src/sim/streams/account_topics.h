// The topics of one account, and what of it is still to be told.
//
// Not thread-safe; guarded by the hub.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.h"
#include "sim/streams/liquidation_watch.h"
#include "sim/streams/stream_topic.h"

namespace svc::sim {

// A position that a command changed.
struct PositionTouch {
  engine::MarketIndex market;
  engine::MarginMode mode = engine::MarginMode::cross;
  std::optional<engine::PositionClosed> closed = {};
};

class AccountTopics {
 public:
  AccountTopics(const Address& account, std::uint64_t base);

  [[nodiscard]] std::array<StreamTopic*, 5> all() { return {&orders, &fills, &positions, &balances, &liquidations}; }
  [[nodiscard]] bool heard();

  const Address account;
  StreamTopic orders;
  StreamTopic fills;
  StreamTopic positions;
  StreamTopic balances;
  StreamTopic liquidations;
  AlertBands bands;
  engine::Sequence last_event;  // for whom to forget first

  // By the command being told.
  bool touched = false;
  bool balance_touched = false;
  std::vector<PositionTouch> positions_touched;

  // What the engine is asked for at the end of a dispatch: sequences were given when it happened.
  struct PositionDue {
    std::uint64_t seq = 0;
    Stamp stamp;
    PositionTouch touch;
  };
  struct BalanceDue {
    std::uint64_t seq = 0;
    Stamp stamp;
  };
  bool due = false;
  std::vector<PositionDue> positions_due;
  std::vector<BalanceDue> balances_due;
  std::vector<Liquidation> liquidations_due;
};

}  // namespace svc::sim
