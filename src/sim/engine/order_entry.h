// Orders coming in: placed, in batches, amended, fired by their trigger.
#pragma once

#include "sim/engine/commands.h"
#include "sim/engine/step.h"

namespace svc::engine {

// Each appends to the outcome: an order per order asked for, with its fills as taker.
void place(Step& step, const Address& account, const OrderParams& params);
void place_batch(Step& step, const PlaceBatch& batch);
void amend(Step& step, const AmendOrder& command);

// A conditional whose trigger was hit enters like a new order, under its own id and with fresh priority; if it
// fails its checks it is cancelled with the reason (rule 3.5).
void fire(Step& step, Slot slot);

}  // namespace svc::engine
