// Orders coming in: placed, in batches, amended, fired by their trigger.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Each appends to the outcome: an order per order asked for, with its fills as taker.
void place(Step& step, const Address& account, const OrderParams& params);
void place_batch(Step& step, const PlaceBatch& batch);
void amend(Step& step, const AmendOrder& command);

// Fires the conditionals that the new marks of one oracle tick hit, in one order of acceptance across its markets;
// liquidations run after each (rule 3.5).
void fire_triggers(Step& step, const OracleTick& tick);

}  // namespace svc::engine
