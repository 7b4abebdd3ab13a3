#include "sim/engine/terms.h"

#include "base/assert.h"

namespace svc::engine {

std::string_view to_string(Reject reject) {
  switch (reject) {
    case Reject::none: return "";
    case Reject::unknown_market: return "UnknownMarket";
    case Reject::order_not_found: return "OrderNotFound";
    case Reject::invalid_amend: return "InvalidAmend";
    case Reject::market_halted: return "MarketHalted";
    case Reject::oracle_stale: return "OracleStale";
    case Reject::invalid_lot_size: return "InvalidLotSize";
    case Reject::invalid_quantity: return "InvalidQuantity";
    case Reject::invalid_tick_size: return "InvalidTickSize";
    case Reject::invalid_price: return "InvalidPrice";
    case Reject::invalid_trigger_price: return "InvalidTriggerPrice";
    case Reject::invalid_time_in_force: return "InvalidTimeInForce";
    case Reject::min_notional: return "MinNotional";
    case Reject::client_id_taken: return "ClientIdTaken";
    case Reject::account_in_liquidation: return "AccountInLiquidation";
    case Reject::reduce_only_would_increase: return "ReduceOnlyWouldIncrease";
    case Reject::price_band_exceeded: return "PriceBandExceeded";
    case Reject::would_take_liquidity: return "WouldTakeLiquidity";
    case Reject::insufficient_liquidity: return "InsufficientLiquidity";
    case Reject::open_interest_cap_exceeded: return "OpenInterestCapExceeded";
    case Reject::insufficient_margin: return "InsufficientMargin";
    case Reject::invalid_amount: return "InvalidAmount";
    case Reject::invalid_leverage: return "InvalidLeverage";
    case Reject::margin_mode_locked: return "MarginModeLocked";
    case Reject::margin_mode_not_isolated: return "MarginModeNotIsolated";
    case Reject::no_open_position: return "NoOpenPosition";
    case Reject::insufficient_balance: return "InsufficientBalance";
    case Reject::account_not_flat: return "AccountNotFlat";
    case Reject::funds_limit_exceeded: return "FundsLimitExceeded";
    case Reject::market_not_halted: return "MarketNotHalted";
    case Reject::insufficient_recapitalization: return "InsufficientRecapitalization";
    case Reject::invalid_batch_size: return "InvalidBatchSize";
    case Reject::duplicate_market: return "DuplicateMarket";
    case Reject::too_many_open_orders: return "TooManyOpenOrders";
  }
  SVC_ASSERT(false);
}

}  // namespace svc::engine
