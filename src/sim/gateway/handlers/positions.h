// Positions and accounts as API records.
#pragma once

#include <optional>
#include <vector>

#include "api/contract/account.h"
#include "api/contract/positions.h"
#include "sim/engine/engine.h"
#include "sim/views/account_view.h"
#include "sim/views/views.h"

namespace svc::sim {

[[nodiscard]] api::MarginMode wire_mode(engine::MarginMode mode);
[[nodiscard]] api::Position position_record(const engine::MarketSpec& spec, const engine::PositionRow& row);
[[nodiscard]] std::vector<api::Position> position_records(const MarketTable& markets,
                                                          const std::vector<engine::PositionRow>& rows);
[[nodiscard]] api::PositionPnl position_pnl_record(const engine::MarketSpec& spec, const engine::PositionRow& row);
[[nodiscard]] api::ClosedPosition closed_position_record(const engine::MarketSpec& spec,
                                                         const engine::PositionClosed& closed);
[[nodiscard]] api::AccountFunding funding_record(const engine::MarketSpec& spec, const FundingPayment& payment);
[[nodiscard]] api::AccountPortfolioSummary portfolio_record(const engine::AccountFigures& figures,
                                                            const AccountDay& day);

}  // namespace svc::sim
