#pragma once

#include "api/contract/declaration.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/venue.h"
#include "base/secret.h"

// Tokens and upgrades of the WebSocket streams.

namespace svc::api {

SVC_RECORD(StreamToken, (Secret, token, {}, "48 hex digits; 60 seconds, one connection"));

// Without a valid token the upgrade answers 401.
SVC_RECORD(AccountStreamRequest, (std::optional<std::string>, token, {}, "A minted token", .query()));

// Older clients send a token, which is not required.
SVC_RECORD(PublicStreamRequest, (std::optional<std::string>, token, {}, "Not needed; one that is sent must be valid", .query()));

// Frames of the WebSocket streams, and payloads that have no REST record. (docs/streams.md)

// A position in a channel. Written as a number; read as a number or, if large, as text.
struct StreamSequence {
  std::uint64_t value = 0;

  static const CustomForm form;
  bool operator==(const StreamSequence&) const = default;
};

// --- /ws, from the client ---------------------------------------------------------------------------

SVC_RECORD(StreamRequest,
    (std::string, op, {}, "subscribe or unsubscribe")
    (std::string, channel, {}, "One channel per frame")
    (std::optional<std::string>, market, {}, "Of a market channel; null or absent elsewhere", .omit_when_empty())
    (std::optional<std::string>, interval, {}, "Of candles: 1s, 1m (default), 5m, 1h", .omit_when_empty())
    (std::optional<StreamSequence>, since, {},
     "The last sequence seen: the events after it come first", .omit_when_empty()));

// On both streams.
SVC_RECORD(SyncRequest, (std::string, op, {}, "sync: answered when everything up to now has been told"));

// --- /ws, from the server ---------------------------------------------------------------------------

SVC_RECORD(SyncedFrame,
    (std::string, op, = "synced", "synced")
    (std::uint64_t, sequence, = 0, "Command of the exchange up to which everything came before this"));

SVC_RECORD(SubscribedFrame,
    (std::string, op, = "subscribed", "subscribed")
    (std::string, channel, {}, "Channel")
    (std::optional<std::string>, market, {}, "Market, or null")
    (std::optional<std::string>, interval, {}, "Of candles", .omit_when_empty())
    (StreamSequence, seq_at_join, {}, "Sequence of the channel when the subscription began")
    (std::optional<std::uint64_t>, snapshot_events, {},
     "Of channels that begin with the present state: how many events with `snapshot` follow at once; 0 if there is "
     "nothing", .omit_when_empty()));

SVC_RECORD(UnsubscribedFrame,
    (std::string, op, = "unsubscribed", "unsubscribed")
    (std::string, channel, {}, "Channel")
    (std::optional<std::string>, market, {}, "Market, or null")
    (std::optional<std::string>, interval, {}, "Of candles", .omit_when_empty()));

// The command of the exchange that caused an event.
SVC_RECORD(EngineEnvelope,
    (std::uint64_t, epoch, = 1, "Changes if sequences ever begin again")
    (std::uint64_t, sequence, = 0, "Command of the exchange")
    (TimestampMs, emitted_at, = 0, "When it was applied, Unix milliseconds"));

// An event without its payload: `payload` is a member of the same object.
SVC_RECORD(EventHead,
    (std::string, op, = "event", "event")
    (std::string, channel, {}, "Channel")
    (std::optional<std::string>, market, {}, "Market, or null")
    (std::optional<std::string>, interval, {}, "Of candles", .omit_when_empty())
    (StreamSequence, seq, {}, "Counts up within the channel and market")
    (std::optional<bool>, snapshot, {}, "true: the state at the subscription, not an event", .omit_when_empty())
    (std::optional<EngineEnvelope>, engine_envelope, {}, "Where it came from", .omit_when_empty()));

SVC_RECORD(OutOfSyncFrame,
    (std::string, op, = "out_of_sync", "out_of_sync: the subscription has ended")
    (std::string, channel, {}, "Channel")
    (std::optional<std::string>, market, {}, "Market, or null")
    (std::optional<std::string>, interval, {}, "Of candles", .omit_when_empty())
    (std::optional<StreamSequence>, oldest_seq, {}, "Oldest event that can still be sent; null if none can"));

SVC_RECORD(StreamErrorFrame,
    (std::string, op, = "error", "error")
    (std::string, code, {}, "What was wrong")
    (std::string, message, {}, "For people"));

// --- payloads of /ws that no REST record has --------------------------------------------------------

SVC_RECORD_AFTER(Order, StreamOrder, (std::optional<std::string>, client_order_id, {}, "The same as client_id"));

SVC_RECORD(OrderUpdate,
    (StreamOrder, order, {}, "The order as it stands")
    (std::uint64_t, epoch, = 1, "As in engine_envelope")
    (std::uint64_t, sequence, = 0, "As in engine_envelope")
    (TimestampMs, emitted_at, = 0, "As in engine_envelope"));

SVC_RECORD(OrdersPayload, (OrderUpdate, update, {}, "An order changed", .named("OrderUpdate")));

enum class AlertSeverity : std::uint8_t { warning, critical, imminent, unknown };
SVC_WIRE_TEXTS(AlertSeverity, "Warning", "Critical", "Imminent", "Unknown");

SVC_RECORD(LiquidationAlert,
    (Address, account_id, {}, "Account")
    (std::optional<std::string>, market_id, {}, "Of an isolated position; null for the cross account")
    (AlertSeverity, severity, = AlertSeverity::unknown, "By equity over maintenance margin")
    (DecimalText, equity, {}, "USDX")
    (DecimalText, maintenance_margin, {}, "USDX")
    (std::uint64_t, sequence, = 0, "As in engine_envelope")
    (std::uint64_t, epoch, = 1, "As in engine_envelope")
    (TimestampMs, emitted_at, = 0, "As in engine_envelope"));

SVC_RECORD(LiquidationClosure,
    (std::string, market_id, {}, "Market")
    (DecimalText, position_size_closed, {}, "Base units")
    (DecimalText, settlement_price, {}, "Average")
    (DecimalText, settlement_amount, {}, "USDX after fees; negative was lost"));

SVC_RECORD(PortfolioLiquidation,
    (Address, account_id, {}, "Account")
    (std::vector<LiquidationClosure>, closures, {}, "What was closed, by market")
    (DecimalText, equity_before, {}, "USDX of the account, before")
    (DecimalText, equity_after, {}, "USDX of the account, after")
    (std::uint64_t, sequence, = 0, "As in engine_envelope")
    (std::uint64_t, epoch, = 1, "As in engine_envelope")
    (TimestampMs, emitted_at, = 0, "As in engine_envelope"));

// Exactly one of the two.
SVC_RECORD(LiquidationsPayload,
    (std::optional<LiquidationAlert>, alert, {},
     "It came closer to liquidation", .named("LiquidationAlert").omit_when_empty())
    (std::optional<PortfolioLiquidation>, liquidation, {},
     "It was liquidated", .named("PortfolioLiquidation").omit_when_empty()));

// --- /stream ----------------------------------------------------------------------------------------

SVC_RECORD(PublicSubscribeFrame,
    (std::vector<std::string>, subscribe, {}, "trades:, book: and market_status: with a market id or *, and stats"));

SVC_RECORD(PublicTradeFrame,
    (std::string, type, = "Trade", "Trade")
    (std::string, market_id, {}, "Market")
    (Trade, trade, {}, "The trade"));

SVC_RECORD(PublicBookLevel,
    (DecimalText, price, {}, "Price")
    (DecimalText, quantity, {}, "Total size at the price")
    (std::uint64_t, order_count, = 0, "Orders at the price"));

SVC_RECORD(PublicBook,
    (std::vector<PublicBookLevel>, bids, {}, "Best first, at most 20")
    (std::vector<PublicBookLevel>, asks, {}, "Best first, at most 20")
    (std::uint64_t, sequence, = 0, "The nonce of the REST order book; may skip"));

SVC_RECORD(BookUpdateFrame,
    (std::string, type, = "BookUpdate", "BookUpdate")
    (std::string, market_id, {}, "Market")
    (PublicBook, book, {}, "The top of the book"));

SVC_RECORD(MarketHaltedFrame,
    (std::string, type, = "MarketHalted", "MarketHalted")
    (std::string, market_id, {}, "Market")
    (std::string, reason, {}, "Why")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

SVC_RECORD(MarketResumedFrame,
    (std::string, type, = "MarketResumed", "MarketResumed")
    (std::string, market_id, {}, "Market")
    (TimestampMs, timestamp, = 0, "Unix milliseconds"));

SVC_RECORD(StatsFrame,
    (std::string, type, = "Stats", "Stats")
    (StatsSnapshot, stats, {}, "As GET /stats"));

SVC_RECORD(GapFrame,
    (std::string, type, = "gap", "gap")
    (std::uint64_t, missed, = 0, "Frames that were left out because the reader was too slow"));

SVC_RECORD(PublicSyncedFrame,
    (std::string, type, = "synced", "synced")
    (std::uint64_t, sequence, = 0, "Command of the exchange up to which everything came before this"));

SVC_RECORD(PublicErrorFrame,
    (std::string, type, = "error", "error")
    (std::string, code, {}, "What was wrong")
    (std::string, message, {}, "For people"));

}  // namespace svc::api

namespace svc::api::ops {

inline constexpr Area streams{"streams"};

SVC_OPERATIONS(StreamOperations,
    (PublicStream, PublicStreamRequest, Empty, streams, get, "public_stream", "/stream",
     "Open the public stream (legacy)",
     "One message subscribes: `{\"subscribe\":[\"trades:*\",\"book:BTC-USDX-PERP\",\"market_status:*\",\"stats\"]}`. "
     "Needs no token; one that is sent must be valid, and is spent.", Success::upgraded,
     refuses<unauthorized, upgrade_required, ws_conn_limit_exceeded>)
    (AccountStream, AccountStreamRequest, Empty, streams, get, "account_stream", "/ws", "Open the account stream",
     "Frames are `{\"op\":\"subscribe\",\"channel\":...,\"market\":...}`; channels are trades, book, candles "
     "and ticker with a market, and orders, fills, positions, balances and liquidations of the account. "
     "`since` resumes after a sequence number.", Auth::ws_token, Success::upgraded,
     refuses<upgrade_required, ws_conn_limit_exceeded>)
    (MintStreamToken, Empty, StreamToken, streams, post, "mint_stream_token", "/ws/token", "Mint a stream token",
     "The token is good for one connection to /ws within 60 seconds.", key_or_agent, Effect::passing)
    (MintPublicStreamToken, Empty, StreamToken, streams, post, "mint_public_stream_token", "/ws-tokens",
     "Mint a token for public channels (legacy)", "Like POST /ws/token, but for public channels only.", Auth::hmac,
     Effect::passing));

}  // namespace svc::api::ops
