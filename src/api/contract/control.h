// The control surface, /_svc/...: what a test or a developer does to a sandbox outside the API. Served by every
// sandbox, described at /_svc/openapi.json, called by `svc local`.
#pragma once

#include "api/contract/declaration.h"
#include "api/operation_list.h"
#include "trade/words.h"

namespace svc::api::control {

inline constexpr std::string_view base_path = "/_svc";

// A decimal as people type it: "60000" and 60000 are equal. The handler knows its unit.
struct TypedDecimal {
  std::string text{};

  TypedDecimal() = default;
  explicit TypedDecimal(std::string value) : text(std::move(value)) {}

  static const CustomForm form;
};

// Any JSON value, as its text.
struct AnyJson {
  std::string text = "null";

  AnyJson() = default;
  explicit AnyJson(std::string value) : text(std::move(value)) {}

  static const CustomForm form;
};

// A time on the sandbox's clock, and the number of commands before it.
SVC_RECORD(Moment,
    (TimestampMs, now_ms, = 0, "")
    (std::uint64_t, sequence, = 0, ""));

// The sandbox, its clock.

enum class ClockMode : std::uint8_t { real, scaled, manual };
SVC_WIRE_TEXTS(ClockMode, "real", "scaled", "manual");

SVC_RECORD(ClockPace,
    (ClockMode, mode, = ClockMode::real, "How time passes")
    (NumberText, rate, {}, "Times as fast as real time; 0 if it stands")
    (TimestampMs, now_ms, = 0, ""));

SVC_RECORD(DevAccount,
    (std::uint64_t, index, = 0, "From 0")
    (Address, address, {}, "")
    (std::string, private_key, {}, "Public knowledge, for play money")
    (DecimalText, balance, {}, "USDX paid in at the start"));

SVC_RECORD(FlowGlance,
    (bool, bots, = false, "Whether bots trade")
    (std::optional<std::string>, drill, {}, "Under way")
    (std::uint64_t, bot_accounts, = 0, "How many they have")
    (bool, has_quotes, = false, "The first market has bids and asks"));

SVC_RECORD(ClusterNode,
    (std::string, name, {}, "")
    (std::string, address, {}, "Host and port, as other nodes reach it")
    (bool, leads, = false, "It writes to the log"));

SVC_RECORD(Cluster,
    (std::string, node, {}, "This one")
    (std::optional<std::string>, leader, {}, "Writes to the log; absent while nobody does")
    (bool, takes_writes, = false, "")
    (bool, is_current, = false, "It shows everything that the leader wrote")
    (std::uint64_t, position, = 0, "Of the latest entry of the log that it applied")
    (std::uint64_t, lag, = 0, "How many more the leader has")
    (std::optional<std::string>, problem, {}, "Why it takes no writes, or what will go wrong")
    (std::vector<ClusterNode>, nodes, {}, "By name"));

SVC_RECORD(Status,
    (std::string, name, {}, "Of the sandbox")
    (std::string, url, {}, "Where the API is")
    (std::string, ws, {}, "Where the streams are")
    (std::string, control, {}, "Where this is")
    (std::int64_t, pid, = 0, "")
    (std::string, network, {}, "")
    (std::string, deployment, {}, "Of signed actions")
    (std::string, domain_name, {}, "Of signing domains")
    (std::uint64_t, seed, = 0, "Of all chance")
    (ClockPace, clock, {}, "The sandbox's own")
    (std::int64_t, uptime_ms, = 0, "Of the machine's clock")
    (std::uint64_t, sequence, = 0, "")
    (std::uint64_t, commits, = 0, "To the log, by this process; writers that wait share one")
    (std::string, state_hash, {}, "Equal after equal histories")
    (std::vector<DevAccount>, accounts, {}, "For development")
    (std::uint64_t, requests, = 0, "")
    (std::int64_t, rss_bytes, = 0, "Memory of the process; 0 where the system does not tell")
    (bool, strict_query, = false, "Unknown query parameters are refused")
    (FlowGlance, flow, {}, "Bots and drills")
    (std::optional<std::string>, log_problem, {}, "Why writes are refused now, such as a full disk", .omit_when_empty())
    (std::optional<Cluster>, cluster, {}, "Of several nodes on an etcd", .omit_when_empty()));

SVC_RECORD_AFTER(Moment, Time,
    (TimestampMs, next_funding_ms, = 0, "When funding is paid next")
    (std::optional<TimestampMs>, next_expiry_ms, {}, "When a session, agent, order or cool-down ends next")
    (ClockMode, mode, = ClockMode::real, "How time passes")
    (NumberText, rate, {}, "Times as fast as real time; 0 if it stands"));

SVC_RECORD(TimeChange,
    (std::optional<ClockMode>, mode, {}, "How time passes from now on", .omit_when_empty())
    (std::optional<TypedDecimal>, rate, {}, "Of mode scaled", .omit_when_empty())
    (std::optional<std::int64_t>, advance_ms, {}, "How far to jump", .omit_when_empty())
    (std::optional<std::int64_t>, set_ms, {}, "Or where to; never back", .omit_when_empty())
    (std::optional<bool>, wait_streams, {},
     "Answer when the streams have sent everything up to then", .omit_when_empty()));

SVC_RECORD(ResetTerms, (std::optional<bool>, keep_prices, {}, "Markets keep their prices", .omit_when_empty()));

SVC_RECORD_BEFORE(Moment, Restored,
    (std::optional<std::string>, name, {}, "Of the snapshot", .omit_when_empty()));

// Prices.

SVC_RECORD(Prices, (Members<TypedDecimal>, by_market, {}, "Index and mark price of each market named", .whole_body()));

SVC_RECORD_AFTER(Moment, PricesSet,
    (Members<DecimalText>, prices, {}, "Mark prices from now on, by market; that of a halted market stands still"));

SVC_RECORD(WalkTerms,
    (std::string, market_id, {}, "", .path())
    (std::optional<TypedDecimal>, to, {}, "Where to", .omit_when_empty())
    (std::optional<TypedDecimal>, shock, {}, "Or how far, per cent of where it is", .omit_when_empty())
    (std::int64_t, over_ms, = 0, "How long it takes"));

SVC_RECORD(PriceWalk,
    (std::string, market_id, {}, "")
    (DecimalText, from, {}, "Price at the beginning")
    (DecimalText, to, {}, "At the end")
    (TimestampMs, begin_ms, = 0, "")
    (TimestampMs, end_ms, = 0, ""));

// Play money, the chain, operator actions.

SVC_RECORD(Grant,
    (Address, account, {}, "It is made if there is none")
    (TypedDecimal, amount, {}, "USDX"));

SVC_RECORD_AFTER(Moment, Granted,
    (Address, account, {}, "")
    (DecimalText, amount, {}, "USDX")
    (DecimalText, balance, {}, "USDX it has now"));

SVC_RECORD(InsuranceGrant, (TypedDecimal, amount, {}, "USDX"));

SVC_RECORD_AFTER(Moment, InsuranceGranted,
    (DecimalText, amount, {}, "USDX")
    (DecimalText, insurance_fund, {}, "USDX in it now"));

enum class DepositAsset : std::uint8_t { usdc, usdx };
SVC_WIRE_TEXTS(DepositAsset, "USDC", "USDX");

SVC_RECORD(ChainPayment,
    (std::optional<Address>, account, {}, "Who is paid", .omit_when_empty())
    (std::optional<Address>, address, {}, "Or the deposit address", .omit_when_empty())
    (TypedDecimal, amount, {}, "Of the asset")
    (std::optional<DepositAsset>, asset, {}, "What is sent; USDX if nothing is said", .omit_when_empty()));

SVC_RECORD_AFTER(Moment, ChainPaid,
    (std::string, id, {}, "Of the bridge deposit")
    (Address, account, {}, "")
    (DecimalText, amount, {}, "Of the asset")
    (std::string, asset, {}, "")
    (std::string, chain, {}, "")
    (std::string, status, {}, "As the API spells it")
    (TimestampMs, final_ms, = 0, "When it is credited"));

SVC_RECORD(MovementRef, (std::string, id, {}, "Of a withdrawal, bridge withdrawal or bridge deposit", .path()));

SVC_RECORD_AFTER(Moment, MovementDecided,
    (std::string, id, {}, "Of the movement")
    (Address, account, {}, "")
    (DecimalText, amount, {}, "USDX")
    (std::string, was, {}, "Status before", .named("old"))
    (std::string, is, {}, "Status now", .named("new")));

SVC_RECORD(Switches, (Members<bool>, services, {}, "Service, and whether it is on", .whole_body()));

SVC_RECORD(AccountRef, (Address, address, {}, "", .path()));

// A request of the API that the sandbox signs for a development account.
SVC_RECORD(AskedRequest,
    (Address, address, {}, "A development account", .path())
    (Method, method, = Method::get, "")
    (std::string, path, {}, "Of the API, with or without its base: /orders, /v1/orders")
    (std::optional<std::string>, query, {}, "As sent, without the question mark", .omit_when_empty())
    (std::optional<AnyJson>, body, {}, "Sent byte for byte", .omit_when_empty())
    (std::optional<std::string>, idempotency_key, {}, "The header Idempotency-Key, for operations that take it",
     .omit_when_empty()));

SVC_RECORD(AnsweredRequest,
    (std::int64_t, status, = 0, "0: a fault lost the request or its answer")
    (MemberMap<std::string>, headers, {}, "Those about budgets, retries and further pages")
    (AnyJson, body, {}, "null: none; a text that is not JSON is a string"));

SVC_RECORD_AFTER(Moment, Frozen,
    (Address, account, {}, "")
    (bool, frozen, = false, "Nothing may leave it"));

// Markets, and events staged on them.

SVC_RECORD(HaltTerms,
    (std::string, market_id, {}, "", .path())
    (std::string, reason, {}, "What its status says"));

SVC_RECORD(ResumeTerms,
    (std::string, market_id, {}, "", .path())
    (std::optional<TypedDecimal>, inject, {}, "USDX into the insurance fund first", .omit_when_empty()));

SVC_RECORD(SettleTerms,
    (std::string, market_id, {}, "", .path())
    (TypedDecimal, price, {}, "At which every position is closed"));

SVC_RECORD_AFTER(Moment, MarketMoved,
    (std::string, market_id, {}, "")
    (std::string, status, {}, "What it is now"));

SVC_RECORD(TradeTerms,
    (std::string, market_id, {}, "", .path())
    (TypedDecimal, quantity, {}, "")
    (std::optional<TypedDecimal>, price, {}, "The mark price if nothing is said", .omit_when_empty())
    (std::optional<trade::Side>, side, {}, "Of the taker; Buy if nothing is said", .omit_when_empty()));

SVC_RECORD(FillTerms,
    (std::string, order_id, {}, "Of an order that rests", .path())
    (std::optional<TypedDecimal>, quantity, {},
     "So much of it; all that is left if nothing is said", .omit_when_empty()));

SVC_RECORD(DistressTerms,
    (Address, address, {}, "", .path())
    (std::optional<std::string>, market_id, {}, "Of the position, if it has several", .omit_when_empty()));

SVC_RECORD(Affected,
    (Address, account, {}, "")
    (std::string, market_id, {}, "")
    (DecimalText, was, {}, "Size of its position there before")
    (DecimalText, is, {}, "And now"));

SVC_RECORD_AFTER(Moment, Staged,
    (std::string, market_id, {}, "")
    (std::string, event, {}, "trade, adl or none; adl: of the account, if one was named")
    (std::uint64_t, trades, = 0, "")
    (std::uint64_t, deleveragings, = 0, "")
    (std::vector<Affected>, affected, {}, "Whose positions changed, in all markets")
    (std::vector<Address>, deleveraged, {}, "Bankrupt accounts whose positions others took over"));

// Faults. A rule says which requests ("route", "operation", "method", "account", "when"), how often ("rate",
// "count"), and the effect: one of a "code" and "status", "drop_before", "drop_after_send", "skew_ms" and "ws"; and
// "latency_ms", alone or with a code or a drop.

enum class StreamFault : std::uint8_t { gap, drop, dup, reorder };
inline constexpr std::string_view stream_fault_texts[] = {"gap", "drop", "dup", "reorder"};
SVC_WIRE_NAMES(StreamFault, stream_fault_texts);

SVC_RECORD(FaultText,
    (std::optional<std::string>, route, {}, "Glob over the path; '*' stands for any text", .omit_when_empty())
    (std::optional<std::string>, operation, {}, "Name of the operation", .omit_when_empty())
    (std::optional<Method>, method, {}, "", .omit_when_empty())
    (std::optional<Address>, account, {}, "Whose credential it is", .omit_when_empty())
    (std::optional<std::string>, when, {}, "Conditions such as body.side=Buy && body.price>=60000", .omit_when_empty())
    (std::optional<std::string>, code, {}, "Error to answer with", .omit_when_empty())
    (std::optional<std::int64_t>, status, {}, "Status to answer with", .omit_when_empty())
    (std::optional<bool>, drop_before, {}, "Lost on its way here", .omit_when_empty())
    (std::optional<bool>, drop_after_send, {}, "Handled, and the answer lost", .omit_when_empty())
    (std::optional<std::int64_t>, skew_ms, {}, "The server's clock, as credentials see it", .omit_when_empty())
    (std::optional<StreamFault>, ws, {}, "What happens to events of a stream", .omit_when_empty())
    (std::optional<std::int64_t>, latency_ms, {}, "How long the answer is held back, real time", .omit_when_empty()));

SVC_RECORD_AFTER(FaultText, FaultTerms,
    (std::optional<TypedDecimal>, rate, {}, "Share of the requests that it hits", .omit_when_empty())
    (std::optional<std::int64_t>, count, {}, "Hits so many times, then rests", .omit_when_empty()));

SVC_RECORD_BEFORE(FaultText, NumberedFault, (std::uint64_t, id, = 0, "Number of the rule"));

SVC_RECORD_AFTER(NumberedFault, Fault,
    (std::optional<NumberText>, rate, {}, "Share of the requests that it hits", .omit_when_empty())
    (std::optional<std::int64_t>, count, {}, "Hits so many times, then rests", .omit_when_empty())
    (std::uint64_t, hits, = 0, ""));

SVC_RECORD(Faults, (std::vector<Fault>, faults, {}, "In the order of their numbers"));

SVC_RECORD(FaultRef, (std::uint64_t, id, = 0, "Number of the rule", .path().refused_as(ErrorCode::not_found)));

SVC_RECORD(Removed, (std::uint64_t, removed, = 0, ""));

// Bots and drills.

SVC_RECORD(FlowChange,
    (std::optional<bool>, bots, {}, "Whether bots trade", .omit_when_empty())
    (std::optional<std::string>, drill, {}, "One to begin", .omit_when_empty()));

SVC_RECORD(DrillInfo,
    (std::string, name, {}, "")
    (std::string, summary, {}, "What happens"));

SVC_RECORD(TapeState,
    (std::uint64_t, played, = 0, "Lines so far")
    (std::uint64_t, lines, = 0, "Of so many"));

SVC_RECORD(TapeRecord,
    (std::uint64_t, lines, = 0, "")
    (bool, failed, = false, "It ended early: the file took no more, or the sandbox became another state"));

SVC_RECORD(FlowAccount,
    (std::string, name, {}, "Whose it is")
    (std::string, kind, {}, "bot")
    (Address, account, {}, "")
    (DecimalText, equity, {}, "USDX"));

SVC_RECORD(FlowState,
    (bool, bots, = false, "Whether bots trade")
    (std::optional<std::string>, drill, {}, "Under way")
    (std::optional<TimestampMs>, drill_ends_ms, {}, "")
    (std::vector<DrillInfo>, drills, {}, "All there are")
    (std::optional<TapeState>, tape, {}, "That is played", .omit_when_empty())
    (std::optional<TapeRecord>, record, {}, "The tape that is recorded", .omit_when_empty())
    (std::vector<FlowAccount>, accounts, {}, "Of the bots"));

// The request log, and the health of the sandbox.

SVC_RECORD(CoverageSince, (std::optional<std::string>, from, {}, "Since this tag was set", .query()));

SVC_RECORD(RouteMet,
    (std::string, operation, {}, "")
    (Method, method, = Method::get, "")
    (std::string, path, {}, "")
    (bool, twin, = false, "Under /api/v1")
    (std::uint32_t, success, = 0, "Status of its success")
    (std::uint64_t, requests, = 0, "")
    (bool, met, = false, "It was answered with its success")
    (MemberMap<std::uint64_t>, statuses, {}, "Status, and how often")
    (std::vector<std::string>, codes_met, {}, "Error codes it was answered with")
    (std::vector<std::string>, codes_missing, {}, "Error codes that it declares, never met"));

SVC_RECORD(CoverageCount,
    (std::uint64_t, operations, = 0, "Routes")
    (std::uint64_t, successes, = 0, "Routes answered with their success")
    (std::uint64_t, errors, = 0, "Errors that the operations declare")
    (std::uint64_t, codes, = 0, "Codes of the whole catalogue, wherever they were met"));

SVC_RECORD(CoverageReport,
    (std::vector<RouteMet>, operations, {}, "One per route, twins apart")
    (std::vector<std::string>, codes_never_met, {}, "Of the whole catalogue")
    (CoverageCount, met, {}, "So many")
    (CoverageCount, of, {}, "Of so many"));

SVC_RECORD(CoverageTag, (std::string, tag, {}, "Name of this moment"));

SVC_RECORD(RequestsWanted,
    (std::optional<std::uint64_t>, after, {}, "Only those numbered above, the first of them", .query())
    (std::optional<std::uint64_t>, limit, {}, "So many at most; without after the latest", .query()));

SVC_RECORD(RequestEntry,
    (std::uint64_t, number, = 0, "From 1")
    (TimestampMs, received_at_ms, = 0, "")
    (std::optional<std::string>, network, {}, "Of its host")
    (std::string, method, {}, "As received")
    (std::string, path, {}, "As received, without query")
    (std::optional<std::string>, operation, {}, "")
    (std::optional<std::string>, credential, {}, "How it was signed")
    (std::optional<std::string>, account, {}, "Whom that proved")
    (std::int64_t, status, = 0, "Of the answer; 0: there was none")
    (std::optional<std::string>, code, {}, "Of the error")
    (std::optional<std::string>, rule, {}, "That refused it")
    (std::optional<std::string>, note, {}, "Particulars")
    (std::optional<std::string>, bucket, {}, "Charged or exhausted")
    (std::uint64_t, cost, = 0, "Tokens asked for"));

SVC_RECORD(Requests, (std::vector<RequestEntry>, requests, {}, "Oldest first"));

SVC_RECORD(Invariants,
    (std::uint64_t, sequence, = 0, "")
    (std::vector<std::string>, violations, {}, "A sentence each"));

// Mark and index prices so far.

SVC_RECORD(MarketRef, (std::string, market_id, {}, "Of a market", .path()));

SVC_RECORD(MarkRow,
    (TimestampMs, at_ms, = 0, "Where its second or minute begins")
    (DecimalText, mark, {}, "The last one of it")
    (DecimalText, index, {}, "The last one of it"));

SVC_RECORD(Marks,
    (std::vector<MarkRow>, marks, {},
     "Ascending: a row for each minute in which they changed, and at the end for each second"));

// The timeline: everything that happened, in order.

enum class TimelineKind : std::uint8_t { request, fill, liquidation, funding, deleveraging, fault, snapshot, lever };
SVC_WIRE_TEXTS(TimelineKind, "request", "fill", "liquidation", "funding", "deleveraging", "fault", "snapshot", "lever");

SVC_RECORD(TimelineWanted,
    (std::optional<std::uint64_t>, after, {}, "Only those numbered above, beginning with the next", .query())
    (std::optional<std::uint64_t>, before, {}, "Only those numbered below", .query())
    (std::optional<std::uint64_t>, limit, {}, "So many at most; without `after` the latest", .query())
    (std::optional<TimelineKind>, kind, {}, "Only those of this kind", .query())
    (std::optional<Address>, account, {}, "Only those of this account", .query())
    (std::optional<std::string>, operation, {}, "Only those of this operation", .query())
    (std::optional<std::string>, status, {}, "Only answers with this status: 409, or 4xx", .query()));

SVC_RECORD(TimelineEntry,
    (std::uint64_t, number, = 0, "From 1")
    (TimestampMs, at_ms, = 0, "Of the sandbox's clock")
    (TimelineKind, kind, = TimelineKind::request, "")
    (std::optional<Address>, account, {}, "Whose it is")
    (std::optional<std::string>, operation, {}, "Of the request")
    (std::optional<std::int64_t>, status, {}, "Of the answer; 0: there was none")
    (std::optional<std::string>, code, {}, "Of the error")
    (std::optional<std::string>, rule, {}, "That refused it")
    (std::optional<std::string>, market_id, {}, "")
    (std::string, text, {}, "One line for people"));

SVC_RECORD(Timeline,
    (std::vector<TimelineEntry>, entries, {}, "Newest last")
    (std::uint64_t, last, = 0, "Number of the newest entry of all; 0 if there is none"));

SVC_RECORD(TimelineRef, (std::uint64_t, number, = 0, "Of an entry", .path()));

SVC_RECORD(HeaderLine,
    (std::string, name, {}, "As sent")
    (std::string, value, {}, "A credential shows only its length"));

SVC_RECORD(KeptMessage,
    (std::vector<HeaderLine>, headers, {}, "In the order sent, without those of the connection")
    (std::string, body, {}, "Secrets are masked")
    (std::uint64_t, cut_bytes, = 0, "Missing at the end of the body; 0: it is whole"));

SVC_RECORD_BEFORE(KeptMessage, SentRequest,
    (std::string, method, {}, "As received")
    (std::string, target, {}, "Path and query as received"));

SVC_RECORD_BEFORE(KeptMessage, GivenAnswer, (std::int64_t, status, = 0, "0: there was none"));

SVC_RECORD_AFTER(TimelineEntry, TimelineDetail,
    (std::optional<SentRequest>, request, {}, "As sent")
    (std::optional<std::string>, expected, {}, "The text that the server expected to be signed")
    (std::optional<GivenAnswer>, answer, {}, ""));

SVC_RECORD(StreamStart,
    (std::optional<std::uint64_t>, after, {}, "Begin after this entry; without it with the next one", .query()));

// What the peer of the stream sends: it watches what a read answers.
SVC_RECORD(StreamWatch,
    (std::uint64_t, watch, = 0, "A number of the peer's choice")
    (std::optional<std::string>, path, {}, "Path and query; without one, nothing any more")
    (std::optional<Address>, account, {}, "As whom"));

// One of several networks behind one port, selected by the Host of a request.
SVC_RECORD(ServedNetwork,
    (std::string, network, {}, "")
    (std::string, url, {}, "")
    (std::string, host, {}, "Name and port")
    (std::string, deployment, {}, "Of signed actions")
    (std::string, domain_name, {}, "Of signing domains"));

// The report of a started sandbox: one JSON line on standard output, a file for waiting scripts, and the runtime
// file by which the command line finds the running sandbox.
SVC_RECORD(ReadyReport,
    (std::string, name, {}, "")
    (std::string, url, {}, "http://HOST:PORT, no path")
    (std::string, ws, {}, "The base of the streams")
    (std::string, control, {}, "Of this surface")
    (std::string, network, {}, "")
    (std::string, deployment, {}, "Of signed actions")
    (std::string, domain_name, {}, "Of signing domains")
    (std::int64_t, pid, = 0, "")
    (std::uint64_t, seed, = 0, "")
    (std::vector<DevAccount>, accounts, {}, "")
    (std::vector<ServedNetwork>, networks, {}, "If several are served", .omit_when_empty()));

// A session recorded as a scenario.

SVC_RECORD_AFTER(Moment, Recording,
    (bool, recording, = false, "Whether a session is written down")
    (std::uint64_t, steps, = 0, "")
    (std::optional<std::string>, spoiled, {}, "Why it cannot be told as a scenario any more"));

SVC_RECORD(StoryTerms, (std::optional<std::string>, title, {}, "One line without #", .omit_when_empty()));

SVC_RECORD(NamedAccount,
    (std::string, name, {}, "In the scenario")
    (Address, account, {}, ""));

SVC_RECORD(Story,
    (std::uint64_t, steps, = 0, "")
    (std::vector<NamedAccount>, accounts, {}, "Who is who")
    (std::vector<std::string>, differences, {}, "Where a fresh engine differs, or why it cannot")
    (std::string, scenario, {}, "Text of the file"));

// Snapshots: saving and restoring the whole state.

SVC_RECORD(SnapshotTerms, (std::string, name, {}, "One that is there already is replaced"));

SVC_RECORD(SnapshotRef, (std::string, name, {}, "Of a snapshot", .path()));

// A snapshot with a damaged file says only that.
SVC_RECORD(Snapshot,
    (std::string, name, {}, "")
    (std::optional<std::string>, problem, {}, "Why it cannot be read", .omit_when_empty())
    (std::optional<std::uint64_t>, sequence, {}, "Commands until then", .omit_when_empty())
    (std::optional<TimestampMs>, now_ms, {}, "When it was taken", .omit_when_empty())
    (std::optional<std::uint64_t>, bytes, {}, "", .omit_when_empty()));

SVC_RECORD(Snapshots, (std::vector<Snapshot>, snapshots, {}, "By name"));

SVC_RECORD(SnapshotDeleted,
    (std::string, name, {}, "")
    (bool, deleted, = true, ""));

SVC_RECORD(StateDocument,
    (std::string, format, {}, "svc-sandbox-state")
    (std::int64_t, version, = 0, "")
    (TimestampMs, now_ms, = 0, "When it was written")
    (std::uint64_t, sequence, = 0, "Commands until then")
    (std::string, checksum, {}, "Of the state")
    (std::string, state, {}, "Base64"));

SVC_RECORD(AnyDocument, (JsonObjectText, document, {}, "As it stands", .whole_body()));

// The operations. Callers without access are refused with `forbidden` for any request.

using enum Method;
using enum ErrorCode;
using ops::refuses;

inline constexpr ops::Area area{"control", PathBase::control, Envelope::flat, Weight{.base = 0}};

inline constexpr auto& of_market = refuses<unknown_market, market_halted, market_not_halted, invalid_amount>;
inline constexpr auto& of_price = refuses<unknown_market, invalid_price, invalid_tick_size, market_not_halted>;
inline constexpr auto& of_mark = refuses<unknown_market, invalid_price, invalid_tick_size, market_halted>;
inline constexpr auto& of_amount = refuses<invalid_amount>;
inline constexpr auto& of_thing = refuses<not_found, unprocessable>;
inline constexpr auto& of_name = refuses<not_found>;
inline constexpr auto& of_state = refuses<unprocessable>;
inline constexpr auto& of_order =
    refuses<order_not_found, invalid_quantity, invalid_lot_size, min_notional, market_halted, price_band_exceeded,
            open_interest_cap_exceeded, oracle_stale, unprocessable>;
inline constexpr auto& of_trade =
    refuses<unknown_market, invalid_price, invalid_tick_size, invalid_quantity, invalid_lot_size, min_notional,
            market_halted, price_band_exceeded, would_take_liquidity, open_interest_cap_exceeded, oracle_stale>;
inline constexpr auto& of_position = refuses<unknown_market, not_found, market_halted, unprocessable>;

SVC_OPERATIONS(AllOps,
    (GetStatus, Empty, Status, area, get, "get_sandbox_status", "/_svc/status", "Tell what runs here")
    (GetTime, Empty, Time, area, get, "get_sandbox_time", "/_svc/time", "Tell the sandbox's time")
    (MoveTime, TimeChange, Time, area, post, "move_time", "/_svc/time",
     "Move the sandbox's clock, or let it run otherwise",
     "One of `mode`, `advance_ms` and `set_ms` is needed; what is due until then happens.", AnsweredBy::writer)
    (SetPrices, Prices, PricesSet, area, post, "set_prices", "/_svc/prices",
     "Set index and mark prices in one oracle tick", refuses<unknown_market, invalid_price, invalid_tick_size>)
    (WalkPrice, WalkTerms, PriceWalk, area, post, "walk_price", "/_svc/prices/{market_id}/walk",
     "Move index and mark price on a straight line, second by second", "One of `to` and `shock` is needed.", of_mark)
    (Fund, Grant, Granted, area, post, "fund_account", "/_svc/fund", "Give an account play money", of_amount)
    (FundInsurance, InsuranceGrant, InsuranceGranted, area, post, "fund_insurance", "/_svc/insurance",
     "Pay play money into the insurance fund", of_amount)
    (HaltMarket, HaltTerms, MarketMoved, area, post, "halt_market", "/_svc/markets/{market_id}/halt", "Halt a market",
     of_market)
    (ResumeMarket, ResumeTerms, MarketMoved, area, post, "resume_market", "/_svc/markets/{market_id}/resume",
     "Open a halted market again", of_market)
    (SettleMarket, SettleTerms, MarketMoved, area, post, "settle_market", "/_svc/markets/{market_id}/settle",
     "Close every position of a halted market and delist it", of_price)
    (StageTrade, TradeTerms, Staged, area, post, "stage_trade", "/_svc/markets/{market_id}/trade",
     "Let two accounts of the house trade", of_trade)
    (FillOrder, FillTerms, Staged, area, post, "fill_order", "/_svc/orders/{order_id}/fill",
     "Let somebody take an order that rests", of_order)
    (Liquidate, DistressTerms, Staged, area, post, "liquidate_account", "/_svc/accounts/{address}/liquidate",
     "Move the mark price to where an account is liquidated", of_position)
    (Deleverage, DistressTerms, Staged, area, post, "deleverage_account", "/_svc/accounts/{address}/deleverage",
     "Let the takers leave the book and move the mark price to where an account is deleveraged", of_position)
    (SendDeposit, ChainPayment, ChainPaid, area, post, "send_bridge_deposit", "/_svc/bridge/deposits",
     "Pay an account over the chain", refuses<invalid_amount, not_found, unprocessable>)
    (SettleMovement, MovementRef, MovementDecided, area, post, "settle_movement", "/_svc/bridge/{id}/settle",
     "Confirm a withdrawal or bridge deposit now", of_thing)
    (FailMovement, MovementRef, MovementDecided, area, post, "fail_movement", "/_svc/bridge/{id}/fail",
     "Let a withdrawal or bridge deposit fail", of_thing)
    (GetSwitches, Empty, Switches, area, get, "get_switches", "/_svc/switches", "Show what an operator can switch off")
    (TurnSwitches, Switches, Switches, area, post, "turn_switches", "/_svc/switches", "Switch services on or off")
    (FreezeAccount, AccountRef, Frozen, area, post, "freeze_account", "/_svc/accounts/{address}/freeze",
     "Let nothing leave an account", of_state)
    (UnfreezeAccount, AccountRef, Frozen, area, post, "unfreeze_account", "/_svc/accounts/{address}/unfreeze",
     "Let money leave an account again", of_state)
    // Two nodes would choose the same nonce.
    (SendRequest, AskedRequest, AnsweredRequest, area, post, "send_request", "/_svc/accounts/{address}/requests",
     "Send a request of the API, signed for a development account",
     "It passes all stages of the gateway, and a refusal is an answer. The sandbox signs with an API key and an agent "
     "key of its own, labelled `console`, so that no nonce of a client is spent. The request that it sends is charged "
     "to the account; the call itself is not.",
     refuses<not_found, unprocessable, too_many_keys>, AnsweredBy::writer)
    (AddFault, FaultTerms, Fault, area, post, "add_fault", "/_svc/faults", "Make requests fail, wait or get lost",
     of_state)
    (ListFaults, Empty, Faults, area, get, "list_faults", "/_svc/faults", "List the faults")
    (ClearFaults, Empty, Removed, area, del, "clear_faults", "/_svc/faults", "Lift all faults")
    (RemoveFault, FaultRef, Removed, area, del, "remove_fault", "/_svc/faults/{id}", "Lift one fault")
    (GetFlow, Empty, FlowState, area, get, "get_flow", "/_svc/flow", "Show bots, drills, tape and recording")
    // Bots act where the log is written.
    (ChangeFlow, FlowChange, FlowState, area, post, "change_flow", "/_svc/flow",
     "Start and stop the bots, or begin a drill", "One of `bots` and `drill` is needed.", of_state,
     AnsweredBy::writer)
    (Reset, ResetTerms, Restored, area, post, "reset_sandbox", "/_svc/reset", "Make everything as it was at the start",
     of_state, AnsweredBy::writer_alone)
    (GetRecording, Empty, Recording, area, get, "get_recording", "/_svc/recording",
     "Show whether a session is being written down")
    (StartRecording, Empty, Recording, area, post, "start_recording", "/_svc/recording/start",
     "Write down what happens from now on", "What was written down is lost when the sandbox ends.", of_state)
    (StopRecording, StoryTerms, Story, area, post, "stop_recording", "/_svc/recording/stop",
     "End the session and tell its scenario", of_state)
    (GetCoverage, CoverageSince, CoverageReport, area, get, "get_coverage", "/_svc/coverage",
     "Show which operations, statuses and errors were met", of_name)
    (TagCoverage, CoverageTag, CoverageTag, area, post, "tag_coverage", "/_svc/coverage",
     "Name this moment, for `from`", of_state)
    (TakeSnapshot, SnapshotTerms, Snapshot, area, post, "take_snapshot", "/_svc/snapshots",
     "Keep everything as it is now under a name", of_state, AnsweredBy::writer_alone)
    (ListSnapshots, Empty, Snapshots, area, get, "list_snapshots", "/_svc/snapshots", "List the snapshots",
     AnsweredBy::writer)
    (RevertToSnapshot, SnapshotRef, Restored, area, post, "revert_to_snapshot", "/_svc/snapshots/{name}/revert",
     "Take everything back to a snapshot", of_thing, AnsweredBy::writer_alone)
    (DeleteSnapshot, SnapshotRef, SnapshotDeleted, area, del, "delete_snapshot", "/_svc/snapshots/{name}",
     "Drop a snapshot", of_name, AnsweredBy::writer_alone)
    (DumpState, Empty, StateDocument, area, get, "dump_state", "/_svc/state", "Give the whole state as one document",
     AnsweredBy::writer_alone)
    (LoadState, AnyDocument, Restored, area, put, "load_state", "/_svc/state", "Go on from a state that was dumped",
     ops::BadBody{unprocessable}, AnsweredBy::writer_alone, ops::Body::is_secret)
    (ListRequests, RequestsWanted, Requests, area, get, "list_requests", "/_svc/requests",
     "List the latest requests, each with the rule that refused it")
    (ListMarks, MarketRef, Marks, area, get, "list_marks", "/_svc/markets/{market_id}/marks",
     "List mark and index prices of the last day",
     "The last ten minutes by second, the rest by minute. They begin with the process.", refuses<unknown_market>)
    (ListTimeline, TimelineWanted, Timeline, area, get, "list_timeline", "/_svc/timeline",
     "List what happened, in order",
     "Successful reads are told only while somebody follows `/_svc/stream`; fills and funding of bots are left out.")
    (GetTimelineEntry, TimelineRef, TimelineDetail, area, get, "get_timeline_entry", "/_svc/timeline/{number}",
     "Show a request as sent, what was expected, and the answer",
     "Requests are kept for a while; then the entry has none.", of_name)
    (OpenStream, StreamStart, Empty, area, get, "open_control_stream", "/_svc/stream",
     "Follow the timeline, the levers, tickers and any read over a WebSocket",
     "Frames are `timeline` with new entries, `gap` with the number of lost ones, `status` whenever clock, bots, "
     "halts, switches or faults changed, `tickers` those that changed, and `state` what is watched: a peer sends "
     "`watch`, a number, with `path`, and perhaps `account`.",
     refuses<upgrade_required, ws_conn_limit_exceeded>, ops::Success::upgraded)
    (GetInvariants, Empty, Invariants, area, get, "get_invariants", "/_svc/invariants", "Check every invariant now")
    (DescribeControl, Empty, AnyDocument, area, get, "describe_control", "/_svc/openapi.json", "Describe all of this"));

[[nodiscard]] std::span<const OperationEntry> all_operations();

}  // namespace svc::api::control
