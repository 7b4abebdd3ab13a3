// Bridge deposits are credited by the clock: each at the instant of its last confirmation, between whatever
// else happens then, so that a jump of the clock leaves the same trace as waiting. One below the chain's
// minimum is failed at that instant instead. (D-292)
//
// Thread-safe as far as `movements` is; timed work comes on the writer's thread.
#pragma once

#include <optional>

#include "sim/sequencer/timed_work.h"
#include "sim/services/chain_movements.h"

namespace svc::sim {

class BridgeDeposits final : public TimedWork {
 public:
  explicit BridgeDeposits(Usdx min_amount) : min_amount_(min_amount) {}

  ChainMovements movements{RecordTable::bridge_deposits, "dep_", Finality::by_decision};

  [[nodiscard]] std::optional<Due> next_due(TimestampMs now_ms) override;
  void done(const Due& due, engine::Reject outcome) override;

 private:
  const Usdx min_amount_;
  std::optional<ChainMovement> refused_;  // by the engine: its failure is yet to be logged
};

}  // namespace svc::sim
