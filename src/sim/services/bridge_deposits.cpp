#include "sim/services/bridge_deposits.h"

#include "base/archive.h"
#include "base/assert.h"

namespace svc::sim {
namespace {

ChainMovement decided(ChainMovement movement, MovementFate fate) {
  movement.fate = fate;
  movement.decided_ms = movement.final_ms;
  return movement;
}

}  // namespace

std::optional<TimedWork::Due> BridgeDeposits::next_due(TimestampMs now_ms) {
  const auto movement = movements.claim_due(now_ms);
  if (!movement) return std::nullopt;
  const bool refused = refused_ && refused_->number == movement->number;
  if (refused || movement->amount < min_amount_) {
    const RecordChange failed = movements.row(decided(*movement, MovementFate::failed));
    return Due{.at_ms = movement->final_ms, .body = engine::PassTime{}, .records = {failed}, .records_if_applied = {}};
  }
  const RecordChange settled = movements.row(decided(*movement, MovementFate::settled));
  return Due{.at_ms = movement->final_ms,
             .body = engine::Deposit{.account = movement->account,
                                     .amount = movement->amount,
                                     .kind = engine::FundsKind::bridge_deposit},
             .records = {},
             .records_if_applied = {settled}};
}

void BridgeDeposits::done(const Due& due, engine::Reject outcome) {
  const RecordBatch& kept = due.records.empty() ? due.records_if_applied : due.records;
  const auto movement = from_archive<ChainMovement>(*kept.front().value);
  SVC_ASSERT(movement);
  if (outcome != engine::Reject::none) {
    // The venue holds all the money it can: the next turn logs that the deposit failed.
    refused_ = *movement;
    return;
  }
  refused_.reset();
  movements.decide(*movement);
}

}  // namespace svc::sim
