#pragma once

#include "api/contract/declaration.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/venue.h"
#include "base/secret.h"

// Tokens and upgrades of the WebSocket streams.

namespace svc::api {

struct StreamToken {
  Secret token{};

  static constexpr FieldInfo fields[] = {field<&StreamToken::token>("48 hex digits; 60 seconds, one connection")};
};

// Without a valid token the upgrade answers 401.
struct AccountStreamRequest {
  std::optional<std::string> token{};

  static constexpr FieldInfo fields[] = {field<&AccountStreamRequest::token>("A minted token").query()};
};

// Older clients send a token, which is not required.
struct PublicStreamRequest {
  std::optional<std::string> token{};

  static constexpr FieldInfo fields[] = {field<&PublicStreamRequest::token>("Ignored").query()};
};

// Frames of the WebSocket streams, and payloads that have no REST record. (docs/streams.md)

// A position in a channel. Written as a number; read as a number or, if large, as text.
struct StreamSequence {
  std::uint64_t value = 0;

  bool operator==(const StreamSequence&) const = default;
};

struct CustomForm;
extern const CustomForm stream_sequence_form;
constexpr const CustomForm* custom_form(const StreamSequence*) {
  return &stream_sequence_form;
}

// --- /ws, from the client ---------------------------------------------------------------------------

struct StreamRequest {
  std::string op{}, channel{};
  std::optional<std::string> market{}, interval{};
  std::optional<StreamSequence> since{};

  static constexpr FieldInfo fields[] = {
      field<&StreamRequest::op>("subscribe or unsubscribe"), field<&StreamRequest::channel>("One channel per frame"),
      field<&StreamRequest::market>("Of a market channel; null or absent elsewhere").omit_when_empty(),
      field<&StreamRequest::interval>("Of candles: 1s, 1m (default), 5m, 1h").omit_when_empty(),
      field<&StreamRequest::since>("The last sequence seen: the events after it come first").omit_when_empty()};
};

// On both streams.
struct SyncRequest {
  std::string op{};

  static constexpr FieldInfo fields[] = {
      field<&SyncRequest::op>("sync: answered when everything up to now has been told")};
};

// --- /ws, from the server ---------------------------------------------------------------------------

struct SyncedFrame {
  std::string op = "synced";
  std::uint64_t sequence = 0;

  static constexpr FieldInfo fields[] = {
      field<&SyncedFrame::op>("synced"),
      field<&SyncedFrame::sequence>("Command of the exchange up to which everything came before this")};
};

struct SubscribedFrame {
  std::string op = "subscribed", channel{};
  std::optional<std::string> market{}, interval{};
  StreamSequence seq_at_join{};
  std::optional<std::uint64_t> snapshot_events{};

  static constexpr FieldInfo fields[] = {
      field<&SubscribedFrame::op>("subscribed"),
      field<&SubscribedFrame::channel>("Channel"),
      field<&SubscribedFrame::market>("Market, or null"),
      field<&SubscribedFrame::interval>("Of candles").omit_when_empty(),
      field<&SubscribedFrame::seq_at_join>("Sequence of the channel when the subscription began"),
      field<&SubscribedFrame::snapshot_events>("Of channels that begin with the present state: how many events with "
                                               "`snapshot` follow at once; 0 if there is nothing")
          .omit_when_empty()};
};

struct UnsubscribedFrame {
  std::string op = "unsubscribed", channel{};
  std::optional<std::string> market{}, interval{};

  static constexpr FieldInfo fields[] = {field<&UnsubscribedFrame::op>("unsubscribed"),
                                         field<&UnsubscribedFrame::channel>("Channel"),
                                         field<&UnsubscribedFrame::market>("Market, or null"),
                                         field<&UnsubscribedFrame::interval>("Of candles").omit_when_empty()};
};

// The command of the exchange that caused an event.
struct EngineEnvelope {
  std::uint64_t epoch = 1, sequence = 0;
  TimestampMs emitted_at = 0;

  static constexpr FieldInfo fields[] = {field<&EngineEnvelope::epoch>("Changes if sequences ever begin again"),
                                         field<&EngineEnvelope::sequence>("Command of the exchange"),
                                         field<&EngineEnvelope::emitted_at>("When it was applied, Unix milliseconds")};
};

// An event without its payload: `payload` is a member of the same object.
struct EventHead {
  std::string op = "event", channel{};
  std::optional<std::string> market{}, interval{};
  StreamSequence seq{};
  std::optional<bool> snapshot{};
  std::optional<EngineEnvelope> engine_envelope{};

  static constexpr FieldInfo fields[] = {
      field<&EventHead::op>("event"),
      field<&EventHead::channel>("Channel"),
      field<&EventHead::market>("Market, or null"),
      field<&EventHead::interval>("Of candles").omit_when_empty(),
      field<&EventHead::seq>("Counts up within the channel and market"),
      field<&EventHead::snapshot>("true: the state at the subscription, not an event").omit_when_empty(),
      field<&EventHead::engine_envelope>("Where it came from").omit_when_empty()};
};

struct OutOfSyncFrame {
  std::string op = "out_of_sync", channel{};
  std::optional<std::string> market{}, interval{};
  std::optional<StreamSequence> oldest_seq{};

  static constexpr FieldInfo fields[] = {
      field<&OutOfSyncFrame::op>("out_of_sync: the subscription has ended"), field<&OutOfSyncFrame::channel>("Channel"),
      field<&OutOfSyncFrame::market>("Market, or null"),
      field<&OutOfSyncFrame::interval>("Of candles").omit_when_empty(),
      field<&OutOfSyncFrame::oldest_seq>("Oldest event that can still be sent; null if none can")};
};

struct StreamErrorFrame {
  std::string op = "error", code{}, message{};

  static constexpr FieldInfo fields[] = {field<&StreamErrorFrame::op>("error"),
                                         field<&StreamErrorFrame::code>("What was wrong"),
                                         field<&StreamErrorFrame::message>("For people")};
};

// --- payloads of /ws that no REST record has --------------------------------------------------------

struct StreamOrder : Order {
  std::optional<std::string> client_order_id{};

  static constexpr auto fields = joined(Order::fields, field<&StreamOrder::client_order_id>("The same as client_id"));
};

struct OrderUpdate {
  StreamOrder order{};
  std::uint64_t epoch = 1, sequence = 0;
  TimestampMs emitted_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&OrderUpdate::order>("The order as it stands"), field<&OrderUpdate::epoch>("As in engine_envelope"),
      field<&OrderUpdate::sequence>("As in engine_envelope"), field<&OrderUpdate::emitted_at>("As in engine_envelope")};
};

struct OrdersPayload {
  OrderUpdate update{};

  static constexpr FieldInfo fields[] = {field<&OrdersPayload::update>("OrderUpdate", "An order changed")};
};

enum class AlertSeverity : std::uint8_t { warning, critical, imminent, unknown };
SVC_WIRE_TEXTS(AlertSeverity, "Warning", "Critical", "Imminent", "Unknown");

struct LiquidationAlert {
  Address account_id{};
  std::optional<std::string> market_id{};
  AlertSeverity severity = AlertSeverity::unknown;
  DecimalText equity{}, maintenance_margin{};
  std::uint64_t sequence = 0, epoch = 1;
  TimestampMs emitted_at = 0;

  static constexpr FieldInfo fields[] = {
      field<&LiquidationAlert::account_id>("Account"),
      field<&LiquidationAlert::market_id>("Of an isolated position; null for the cross account"),
      field<&LiquidationAlert::severity>("By equity over maintenance margin"),
      field<&LiquidationAlert::equity>("USDX"),
      field<&LiquidationAlert::maintenance_margin>("USDX"),
      field<&LiquidationAlert::sequence>("As in engine_envelope"),
      field<&LiquidationAlert::epoch>("As in engine_envelope"),
      field<&LiquidationAlert::emitted_at>("As in engine_envelope")};
};

struct LiquidationClosure {
  std::string market_id{};
  DecimalText position_size_closed{}, settlement_price{}, settlement_amount{};

  static constexpr FieldInfo fields[] = {
      field<&LiquidationClosure::market_id>("Market"), field<&LiquidationClosure::position_size_closed>("Base units"),
      field<&LiquidationClosure::settlement_price>("Average"),
      field<&LiquidationClosure::settlement_amount>("USDX after fees; negative was lost")};
};

struct PortfolioLiquidation {
  Address account_id{};
  std::vector<LiquidationClosure> closures{};
  DecimalText equity_before{}, equity_after{};
  std::uint64_t sequence = 0, epoch = 1;
  TimestampMs emitted_at = 0;

  static constexpr FieldInfo fields[] = {field<&PortfolioLiquidation::account_id>("Account"),
                                         field<&PortfolioLiquidation::closures>("What was closed, by market"),
                                         field<&PortfolioLiquidation::equity_before>("USDX of the account, before"),
                                         field<&PortfolioLiquidation::equity_after>("USDX of the account, after"),
                                         field<&PortfolioLiquidation::sequence>("As in engine_envelope"),
                                         field<&PortfolioLiquidation::epoch>("As in engine_envelope"),
                                         field<&PortfolioLiquidation::emitted_at>("As in engine_envelope")};
};

// Exactly one of the two.
struct LiquidationsPayload {
  std::optional<LiquidationAlert> alert{};
  std::optional<PortfolioLiquidation> liquidation{};

  static constexpr FieldInfo fields[] = {
      field<&LiquidationsPayload::alert>("LiquidationAlert", "It came closer to liquidation").omit_when_empty(),
      field<&LiquidationsPayload::liquidation>("PortfolioLiquidation", "It was liquidated").omit_when_empty()};
};

// --- /stream ----------------------------------------------------------------------------------------

struct PublicSubscribeFrame {
  std::vector<std::string> subscribe{};

  static constexpr FieldInfo fields[] = {
      field<&PublicSubscribeFrame::subscribe>("trades:, book: and market_status: with a market id or *, and stats")};
};

struct PublicTradeFrame {
  std::string type = "Trade", market_id{};
  Trade trade{};

  static constexpr FieldInfo fields[] = {field<&PublicTradeFrame::type>("Trade"),
                                         field<&PublicTradeFrame::market_id>("Market"),
                                         field<&PublicTradeFrame::trade>("The trade")};
};

struct PublicBookLevel {
  DecimalText price{}, quantity{};
  std::uint64_t order_count = 0;

  static constexpr FieldInfo fields[] = {field<&PublicBookLevel::price>("Price"),
                                         field<&PublicBookLevel::quantity>("Total size at the price"),
                                         field<&PublicBookLevel::order_count>("Orders at the price")};
};

struct PublicBook {
  std::vector<PublicBookLevel> bids{}, asks{};
  std::uint64_t sequence = 0;

  static constexpr FieldInfo fields[] = {field<&PublicBook::bids>("Best first, at most 20"),
                                         field<&PublicBook::asks>("Best first, at most 20"),
                                         field<&PublicBook::sequence>("The nonce of the REST order book; may skip")};
};

struct BookUpdateFrame {
  std::string type = "BookUpdate", market_id{};
  PublicBook book{};

  static constexpr FieldInfo fields[] = {field<&BookUpdateFrame::type>("BookUpdate"),
                                         field<&BookUpdateFrame::market_id>("Market"),
                                         field<&BookUpdateFrame::book>("The top of the book")};
};

struct MarketHaltedFrame {
  std::string type = "MarketHalted", market_id{}, reason{};
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {
      field<&MarketHaltedFrame::type>("MarketHalted"), field<&MarketHaltedFrame::market_id>("Market"),
      field<&MarketHaltedFrame::reason>("Why"), field<&MarketHaltedFrame::timestamp>("Unix milliseconds")};
};

struct MarketResumedFrame {
  std::string type = "MarketResumed", market_id{};
  TimestampMs timestamp = 0;

  static constexpr FieldInfo fields[] = {field<&MarketResumedFrame::type>("MarketResumed"),
                                         field<&MarketResumedFrame::market_id>("Market"),
                                         field<&MarketResumedFrame::timestamp>("Unix milliseconds")};
};

struct StatsFrame {
  std::string type = "Stats";
  StatsSnapshot stats{};

  static constexpr FieldInfo fields[] = {field<&StatsFrame::type>("Stats"), field<&StatsFrame::stats>("As GET /stats")};
};

struct GapFrame {
  std::string type = "gap";
  std::uint64_t missed = 0;

  static constexpr FieldInfo fields[] = {
      field<&GapFrame::type>("gap"),
      field<&GapFrame::missed>("Frames that were left out because the reader was too slow")};
};

struct PublicSyncedFrame {
  std::string type = "synced";
  std::uint64_t sequence = 0;

  static constexpr FieldInfo fields[] = {
      field<&PublicSyncedFrame::type>("synced"),
      field<&PublicSyncedFrame::sequence>("Command of the exchange up to which everything came before this")};
};

struct PublicErrorFrame {
  std::string type = "error", code{}, message{};

  static constexpr FieldInfo fields[] = {field<&PublicErrorFrame::type>("error"),
                                         field<&PublicErrorFrame::code>("What was wrong"),
                                         field<&PublicErrorFrame::message>("For people")};
};

}  // namespace svc::api

// WebSocket upgrades and their tokens.

namespace svc::api::ops {

inline constexpr Area streams{"streams"};

struct PublicStream : Records<PublicStreamRequest, Empty> {
  static constexpr Operation op = streams(
      get, "public_stream", "/stream", "Open the public stream (legacy)",
      "One message subscribes: `{\"subscribe\":[\"trades:*\",\"book:BTC-USDX-PERP\",\"market_status:*\",\"stats\"]}`. "
      "Needs no token; one that is sent is ignored.",
      Success::upgraded, refuses<upgrade_required, ws_conn_limit_exceeded>);
};

struct AccountStream : Records<AccountStreamRequest, Empty> {
  static constexpr Operation op =
      streams(get, "account_stream", "/ws", "Open the account stream",
              "Frames are `{\"op\":\"subscribe\",\"channel\":...,\"market\":...}`; channels are trades, book, candles "
              "and ticker with a market, and orders, fills, positions, balances and liquidations of the account. "
              "`since` resumes after a sequence number.",
              Auth::ws_token, Success::upgraded, refuses<upgrade_required, ws_conn_limit_exceeded>);
};

struct MintStreamToken : Records<Empty, StreamToken> {
  static constexpr Operation op =
      streams(post, "mint_stream_token", "/ws/token", "Mint a stream token",
              "The token is good for one connection to /ws within 60 seconds.", key_or_agent, Effect::passing);
};

struct MintPublicStreamToken : Records<Empty, StreamToken> {
  static constexpr Operation op =
      streams(post, "mint_public_stream_token", "/ws-tokens", "Mint a token for public channels (legacy)",
              "Like POST /ws/token, but for public channels only.", Auth::hmac, Effect::passing);
};

}  // namespace svc::api::ops
