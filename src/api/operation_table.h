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
#include "api/operation.h"
#include "api/operation_list.h"

namespace svc::api {

using AllOps = OpList<
    // Authentication
    ops::Login, ops::CreateKey, ops::ListKeys, ops::DeleteKey,
    // Account
    ops::AdjustMargin, ops::SetMarginMode, ops::GetMarginMode, ops::SetLeverage, ops::ClaimFaucet, ops::ClaimCredit,
    ops::DepositCollateral, ops::SubmitDeposit, ops::ListDeposits, ops::SubmitWithdrawal, ops::ListWithdrawals,
    ops::EnrollTransfers, ops::SubmitTransfer, ops::ListTransfers, ops::GetTransfer, ops::GetAccount,
    ops::ListAccountActivity, ops::GetAccountFees, ops::GetFundingSnapshot, ops::GetAccountReferrals,
    ops::GetAccountState, ops::GetAccountSummary, ops::ListAccountAdl, ops::GetCancelOnDisconnect,
    ops::SetCancelOnDisconnect, ops::GetDepositTarget, ops::ListEquityHistory, ops::GetPortfolioHistory,
    ops::GetRateLimit, ops::ListFills, ops::ListOrders, ops::GetOrder, ops::ListOrderHistory,
    // Trading
    ops::PlaceOrder, ops::PlaceOrders, ops::AmendOrder, ops::CancelOrder, ops::CancelAllOrders, ops::PreviewOrder,
    // Positions, funding, tickers, book, candles, trades
    ops::ListPositions, ops::ListClosedPositions, ops::ListPositionPnl, ops::ListFunding, ops::ListFundingRates,
    ops::ListFundingSamples, ops::GetTicker, ops::ListTickers, ops::GetOrderBook, ops::ListCandles, ops::ListTrades,
    // Markets and venue
    ops::ListMarkets, ops::ListMarketSummaries, ops::GetMarkPrice, ops::GetRiskParams, ops::GetMarketStatus,
    ops::ListAdlEvents, ops::GetMetadata, ops::GetStats, ops::ListStatsHistory, ops::GetStatus,
    ops::GetBalanceDistribution, ops::GetVolume, ops::GetOpenInterest, ops::GetReferralStats,
    // Bridge
    ops::ListBridgeAssets, ops::CreateBridgeWithdrawal, ops::ListBridgeWithdrawals, ops::GetBridgeWithdrawal,
    ops::ListBridgeDeposits, ops::GetBridgeDeposit,
    // WebSocket
    ops::PublicStream, ops::AccountStream, ops::MintStreamToken, ops::MintPublicStreamToken,
    // Agents
    ops::ListAgents, ops::RegisterAgent, ops::RevokeAgent,
    // Admin
    ops::ListTiers, ops::SetTier, ops::ResetTier>;

// Still called by older clients.
using LegacyOps = OpList<ops::CreateDepositAddress, ops::ListDepositAddresses, ops::CreateWalletChallenge,
                         ops::RegisterWallet, ops::ListWallets>;

}  // namespace svc::api
