// The topics of the streams: numbered sequences of events. Not thread-safe; guarded by the hub.
#pragma once

#include <array>
#include <boost/container/deque.hpp>

#include "api/contract/markets.h"
#include "api/contract/streams.h"
#include "api/stream/stream_message.h"
#include "sim/gateway/http_server.h"
#include "sim/sequencer/sequencer.h"
#include "sim/views/views.h"

namespace svc::sim {

class StreamConnection;
class StreamTopic;

inline constexpr std::uint64_t engine_epoch = 1;  // sequences of one exchange never start again

// The name of a topic in the frames of its stream.
struct TopicLabel {
  std::string channel;
  std::optional<std::string> market = {};
  std::optional<std::string> interval = {};
  api::Resume resume = api::Resume::replayed;
};

struct CandleEvent {
  engine::MarketIndex market;
  MarketCandle candle;
};

// An event in its smallest form; text where it could only be rendered at that moment.
using StreamContent = std::variant<engine::Trade, engine::OrderRecord, engine::Fill, CandleEvent, std::string>;

struct StreamEntry {
  std::uint64_t seq = 0;
  Stamp stamp;
  StreamContent content;
};
// Every order makes several entries, which are large: by itself the queue would take memory for each of them alone.
using StreamEntries =
    boost::container::deque<StreamEntry, void, boost::container::deque_options_t<boost::container::block_size<8>>>;

// The frames of one topic and one dispatch, for each reader.
struct StreamBatch {
  SharedBytes bytes;
  std::span<const std::size_t> ends;  // of each frame within the bytes
};

struct Subscription {
  StreamConnection* reader = nullptr;
  StreamTopic* topic = nullptr;
  bool behind = false;    // conflated, and the newest is still to be sent
  std::string held = {};  // a frame that a fault delays
};

// One numbered sequence of events, its replay buffer, and its readers.
//   (T1) sequence numbers increase by one per event, skip one where events were lost for everybody, and never go back
//   (T2) the replay buffer holds the newest events without gaps: oldest() to seq()
class StreamTopic {
 public:
  StreamTopic(TopicLabel label, std::size_t replay_max, std::uint64_t seq = 0)
      : label_(std::move(label)), replay_max_(replay_max), seq_(seq) {}

  [[nodiscard]] const TopicLabel& label() const { return label_; }
  [[nodiscard]] std::uint64_t seq() const { return seq_; }

  // The next event's sequence number, of one that is not kept.
  std::uint64_t advance() { return ++seq_; }
  // The next event, which is made where it is kept.
  template <class Content>
  const StreamEntry& add(const Stamp& stamp, Content&& content) {
    SVC_ASSERT(replay_max_ > 0);
    if (kept_.size() == replay_max_) kept_.pop_front();
    return kept_.emplace_back(advance(), stamp, std::forward<Content>(content));
  }
  // As after `seq` events, none of which is kept.
  void begin_with(std::uint64_t seq) {
    kept_.clear();
    seq_ = seq;
  }

  // nullopt: the buffer is empty.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const {
    return kept_.empty() ? std::nullopt : std::optional(kept_.front().seq);
  }
  [[nodiscard]] bool can_resume(std::uint64_t since) const {
    if (since == seq_) return true;
    return since < seq_ && !kept_.empty() && kept_.front().seq <= since + 1;
  }
  // Requires can_resume(since). Oldest first.
  [[nodiscard]] StreamEntries::const_iterator after(std::uint64_t since) const {
    SVC_ASSERT(can_resume(since));
    return kept_.end() - static_cast<std::ptrdiff_t>(seq_ - since);
  }
  [[nodiscard]] StreamEntries::const_iterator end() const { return kept_.end(); }

  // The whole frame of an event, or of the present state, which belongs to no command.
  [[nodiscard]] std::string event_text(std::uint64_t seq, std::string_view payload, const Stamp& stamp) const;
  [[nodiscard]] std::string snapshot_text(std::string_view payload) const {
    std::string text = opening() + std::to_string(seq_);
    return text.append(R"(,"snapshot":true,"payload":)").append(payload) += '}';
  }

  [[nodiscard]] bool heard() const { return !readers_.empty(); }
  void join(Subscription& subscription) { readers_.push_back(&subscription); }
  void leave(const Subscription& subscription) {
    const auto found = std::ranges::find(readers_, &subscription);
    SVC_ASSERT(found != readers_.end());
    *found = readers_.back();
    readers_.pop_back();
  }

  // Adds a frame for the present readers. True if it is the first since flush().
  bool add_frame(std::string_view payload);
  void flush();
  // The topic does not go on from its last event. Calls events_lost() of each reader; it may leave meanwhile.
  void report_lost();

 private:
  // Everything before the sequence.
  [[nodiscard]] std::string opening() const;

  const TopicLabel label_;
  const std::size_t replay_max_;
  std::uint64_t seq_;
  StreamEntries kept_;
  std::vector<Subscription*> readers_;
  std::string frames_;
  std::vector<std::size_t> frame_ends_;
};

// The liquidations channel: an account's steps towards liquidation, and what one closed. (docs/streams.md)

// A unit of liquidation: the cross account, or an isolated position.
struct BucketHealth {
  std::optional<engine::MarketIndex> market;  // of an isolated position
  i128 equity = 0;                            // 1e-6 USDX
  i128 maintenance = 0;                       // likewise
};

// The buckets with a position; cross first, then by market.
[[nodiscard]] std::vector<BucketHealth> buckets_of(const engine::AccountFigures& figures,
                                                   std::span<const engine::PositionRow> rows);

// By equity / maintenance: Warning (1.2, 1.5], Critical (1.05, 1.2], Imminent below; nullopt above.
[[nodiscard]] std::optional<api::AlertSeverity> severity_of(const BucketHealth& health);

// The band in which each bucket of an account was last seen.
class AlertBands {
 public:
  struct Alert {
    BucketHealth health;
    api::AlertSeverity severity{};
  };

  // The buckets in a worse band than before. The first call only remembers: then it is watching.
  [[nodiscard]] std::vector<Alert> update(std::span<const BucketHealth> buckets);
  [[nodiscard]] bool watching() const { return watching_; }

 private:
  bool watching_ = false;
  std::map<std::optional<engine::MarketIndex>, api::AlertSeverity> bands_;
};

// What one command closed of an account by force.
struct ForcedClosure {
  engine::MarketIndex market;
  Lots lots;
  Usdx quote;   // of those lots
  Usdx amount;  // settled, after fees
};

struct Liquidation {
  Stamp stamp;
  Address account;
  std::map<engine::MarketIndex, ForcedClosure> closures;
  i128 effect = 0;  // on the account's equity at mark, 1e-6 USDX: prices off the mark, fees, fund payments
};

// Gathers the events of one command. The table must outlive it.
class LiquidationGatherer {
 public:
  explicit LiquidationGatherer(const MarketTable& markets) : markets_(markets), marks_(markets.size()) {}

  void know_mark(engine::MarketIndex market, Ticks mark) { marks_[market.value] = mark; }
  void fold(const engine::MarkChanged& event) { know_mark(event.market, event.mark); }
  void fold(const Stamp& stamp, const engine::Fill& event);
  void fold(const Stamp& stamp, const engine::InsuranceChanged& event);
  void fold(const Stamp& stamp, const engine::Deleveraged& event);

  // Those of the command that ended, by account.
  [[nodiscard]] std::vector<Liquidation> take();

 private:
  Liquidation& gathered(const Stamp& stamp, const Address& account);
  // Part of a position was closed by a trade of that side.
  void close(const Stamp& stamp, const Address& account, engine::Side side, const ForcedClosure& part);

  const MarketTable& markets_;
  std::vector<Ticks> marks_;
  std::map<Address, Liquidation> by_account_;
};

// The last sequence number of every topic in which it follows from the log. (D-341)
struct StreamNumbers {
  using OfMarket = std::array<std::uint64_t, 7>;   // trades, book, ticker, candles by timeframe
  using OfAccount = std::array<std::uint64_t, 4>;  // orders, fills, positions, balances

  std::vector<OfMarket> markets{};
  std::map<Address, OfAccount> accounts{};  // those that had events

  // For values read from outside.
  [[nodiscard]] bool fits(std::size_t market_count) const;
};

// A position that a command changed. A flip changes two: the one that it closes and the one that it opens.
struct PositionTouch {
  engine::MarketIndex market;
  engine::MarginMode mode = engine::MarginMode::cross;
  Lots size{};                                        // after the command, or when the flip closed it
  std::optional<engine::PositionClosed> closed = {};  // what the command closed

  [[nodiscard]] bool is_flat() const { return size == Lots{}; }
};

// The topics of one account, and its pending messages.
class AccountTopics {
 public:
  AccountTopics(const Address& account, std::uint64_t liquidations_seq);

  // Those of StreamNumbers come first.
  [[nodiscard]] std::array<StreamTopic*, 5> all() { return {&orders, &fills, &positions, &balances, &liquidations}; }
  [[nodiscard]] bool heard() {
    return std::ranges::any_of(all(), [](const StreamTopic* each) { return each->heard(); });
  }
  // What the current command changes of a position; of several, the last.
  [[nodiscard]] PositionTouch& touch(engine::MarketIndex market) {
    const auto found = std::find_if(positions_touched.rbegin(), positions_touched.rend(),
                                    [&](const PositionTouch& each) { return each.market == market; });
    return found != positions_touched.rend() ? *found : positions_touched.emplace_back(market);
  }

  const Address account;
  StreamTopic orders;
  StreamTopic fills;
  StreamTopic positions;
  StreamTopic balances;
  StreamTopic liquidations;
  AlertBands bands;
  // Who was never read is forgotten first, then whose last event is oldest.
  bool was_read = false;
  engine::Sequence last_event;

  // During the current command.
  bool touched = false;
  bool balance_touched = false;
  std::vector<PositionTouch> positions_touched;

  // What to query from the engine at the end of a dispatch; sequence numbers were assigned earlier.
  struct PositionDue {
    std::uint64_t seq = 0;
    Stamp stamp;
    PositionTouch touch;
  };
  struct BalanceDue {
    std::uint64_t seq = 0;
    Stamp stamp;
  };
  bool due = false;
  std::vector<PositionDue> positions_due;
  std::vector<BalanceDue> balances_due;
  std::vector<Liquidation> liquidations_due;
};

// The topics of one market, and its running candles.
class MarketTopics {
 public:
  MarketTopics(engine::MarketIndex market, const std::string& id);

  // After a restart or a change of state: takes the running candles from the view.
  void take_candles(const MarketView& view, TimestampMs now_ms);
  // The candle of that timeframe after a trade.
  const MarketCandle& add(std::size_t timeframe, TimestampMs at_ms, const TradedRange& trade) {
    MarketCandle& candle = running_[timeframe];
    const TimestampMs open_ms = at_ms - at_ms % candle_lengths_ms[timeframe];
    if (candle.open_ms != open_ms) candle = {.open_ms = open_ms, .range = {}};
    candle.range.merge(trade);
    return candle;
  }

  // Those of StreamNumbers come first.
  [[nodiscard]] std::array<StreamTopic*, 10> all() {
    return {&trades,     &book,       &ticker,        &candles[0],  &candles[1],
            &candles[2], &candles[3], &public_trades, &public_book, &public_status};
  }

  const engine::MarketIndex market;
  StreamTopic trades;
  StreamTopic book;
  StreamTopic ticker;
  std::array<StreamTopic, candle_lengths_ms.size()> candles;  // by timeframe
  StreamTopic public_trades;
  StreamTopic public_book;
  StreamTopic public_status;

  // Since the last dispatch.
  std::optional<Stamp> book_changed;
  std::optional<std::uint64_t> book_sent;  // the nonce of the book that was sent last
  std::optional<Stamp> ticker_changed;
  // During the current command.
  bool touched = false;
  bool book_touched = false;
  bool ticker_touched = false;
  bool traded = false;

 private:
  std::array<MarketCandle, candle_lengths_ms.size()> running_;
};

// Appends a text frame from a server: unmasked, in one piece, the same bytes for every reader. `payload` is valid
// UTF-8.
void append_text_frame(std::string& out, std::string_view payload);

}  // namespace svc::sim
