// Every operation of the API, in the order of its tables.
//
// Including this includes all records and operations; code that only needs the erased table (routes, weights, docs)
// includes operation_list.h instead.
#pragma once

#include "api/contract/account.h"
#include "api/contract/admin.h"
#include "api/contract/agents.h"
#include "api/contract/auth.h"
#include "api/contract/bridge.h"
#include "api/contract/funds.h"
#include "api/contract/margin.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "api/contract/streams.h"
#include "api/contract/transfers.h"
#include "api/contract/venue.h"
#include "api/operation_list.h"

namespace svc::api {

using AllOps = decltype(ops::AuthOperations{} + ops::MarginOperations{} + ops::FundsOperations{} +
                        ops::TransferOperations{} + ops::AccountOperations{} + ops::OrderOperations{} +
                        ops::PositionOperations{} + ops::MarketOperations{} + ops::VenueOperations{} +
                        ops::BridgeOperations{} + ops::StreamOperations{} + ops::AgentOperations{} +
                        ops::AdminOperations{});

// Still called by older clients.
using LegacyOps = ops::LegacyOperations;

}  // namespace svc::api
