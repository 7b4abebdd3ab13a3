// Refusals of the engine and of the sequencer as errors of the API.
#pragma once

#include "api/error_catalog.h"
#include "api/records/orders.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/reject.h"
#include "sim/sequencer/sequencer.h"

namespace svc::sim {

[[nodiscard]] api::ErrorCode error_code_of(engine::Reject reject);

// With the catalogue's text.
[[nodiscard]] api::ApiError refusal_of(engine::Reject reject);
[[nodiscard]] api::ApiError refusal_of(WriteRefusal refusal);

// With a text that names what was sent and what was expected, where there is more to say.
[[nodiscard]] api::ApiError order_refusal(engine::Reject reject, const engine::MarketSpec& spec,
                                          const api::OrderRequest& request);
[[nodiscard]] api::ApiError amend_refusal(engine::Reject reject, const engine::MarketSpec& spec,
                                          const api::AmendOrderRequest& request);

}  // namespace svc::sim
