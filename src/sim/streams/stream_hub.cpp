#include "sim/streams/stream_hub.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "api/codec.h"
#include "base/assert.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

// More than the events of one command in one topic. (D-341)
constexpr int events_per_command_bits = 16;

std::uint64_t base_after(engine::Sequence sequence) {
  return sequence.value << events_per_command_bits;
}

engine::Sequence sequence_of(const Sequencer& sequencer) {
  return sequencer.read([](const engine::Engine& engine, TimestampMs) { return engine.sequence(); });
}

// The newest frame of a book and of a ticker.
std::string book_text(const StreamTopic& topic, const engine::MarketSpec& spec, const MarketView& view,
                      TimestampMs now_ms, const Stamp& stamp) {
  return topic.event_text(topic.seq(), api::to_json(order_book_record(spec, view, now_ms)), stamp);
}

std::string ticker_text(const StreamTopic& topic, const engine::MarketSpec& spec, const MarketView& view,
                        TimestampMs now_ms, const Stamp& stamp) {
  return topic.event_text(topic.seq(), api::to_json(ticker_record(spec, view, now_ms)), stamp);
}

// `stats` is the body of GET /stats.
std::string public_stats_text(std::string_view stats) {
  return R"({"type":"Stats","stats":)" + std::string(stats) + '}';
}

}  // namespace

// Events of a command become frames immediately; what needs the end of the command is gathered in `touched`.
struct EventHandler {
  StreamHub& hub;
  const Stamp& stamp;

  void operator()(const engine::OrderChanged& event) const {
    hub.publish(hub.touch(event.order.account).orders, stamp, event.order);
  }
  void operator()(const engine::Trade& event) const {
    MarketTopics& market = hub.touch(event.market);
    market.traded = market.ticker_touched = true;
    hub.publish(market.trades, stamp, event);
    if (market.public_trades.heard())
      hub.add_frame(market.public_trades, public_trade_text(hub.markets().spec(event.market), event, stamp.at_ms));
    const TradedRange trade = TradedRange::of(event.price, event.quantity, event.quote);
    for (std::size_t i = 0; i < market.candles.size(); ++i) market.add(i, stamp.at_ms, trade);
  }
  void operator()(const engine::Fill& event) const {
    hub.forced_.fold(stamp, event);
    hub.publish(hub.touch(event.account).fills, stamp, event);
  }
  void operator()(const engine::PositionChanged& event) const {
    AccountTopics& account = hub.touch(event.account);
    account.balance_touched = true;
    account.touch(event.market).mode = event.mode;
  }
  void operator()(const engine::PositionClosed& event) const {
    hub.touch(event.account).touch(event.market).closed = event;
  }
  void operator()(const engine::BalanceChanged& event) const { hub.touch(event.account).balance_touched = true; }
  void operator()(const engine::OrderMarginChanged& event) const { hub.touch(event.account).balance_touched = true; }
  void operator()(const engine::BookLevelChanged& event) const {
    MarketTopics& market = hub.touch(event.market);
    market.book_touched = market.ticker_touched = true;
  }
  void operator()(const engine::MarkChanged& event) const {
    hub.forced_.fold(event);
    hub.touch(event.market).ticker_touched = true;
    hub.marks_changed_ = true;
  }
  void operator()(const engine::InsuranceChanged& event) const { hub.forced_.fold(stamp, event); }
  void operator()(const engine::Deleveraged& event) const { hub.forced_.fold(stamp, event); }
  void operator()(const engine::MarketStatusChanged& event) const {
    StreamTopic& topic = hub.markets_[event.market.value]->public_status;
    if (topic.heard()) hub.add_frame(topic, public_status_text(hub.markets().spec(event.market), stamp, event));
  }
};

StreamHub::StreamHub(StreamSources sources, std::size_t intake_events_max)
    : sources_(std::move(sources)),
      intake_(intake_events_max),
      account_base_(base_after(sequence_of(sources_.sequencer))),
      stats_({.channel = "stats"}, 0, 0),
      forced_(sources_.markets) {
  const TimestampMs now = now_ms();
  sources_.views.read([&](const VenueView& view) {
    sources_.markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
      markets_.push_back(std::make_unique<MarketTopics>(index, spec.id, account_base_));
      markets_.back()->take_candles(view.market(index), now);
      if (const auto mark = view.market(index).mark()) forced_.know_mark(index, *mark);
    });
  });
}

void StreamHub::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  intake_.follow(stamp, events);
  if (!clock_stands()) return;
  between_commands([&] { send_stats(stamp.at_ms); });
}

void StreamHub::dispatch() {
  std::vector<Address> accounts;
  {
    const Lock held = lock();
    accounts = take_in();
  }
  const Standings standings = look_at(accounts);
  const Lock held = lock();
  send_rest(standings, now_ms());
}

void StreamHub::pass_time() {
  between_commands([&] { send_stats(now_ms()); });
}

void StreamHub::start_over() {
  intake_.forget();
  {
    const Lock held = lock();
    next_stats_ms_ = 0;  // a manual clock may have gone back
  }
  dispatch();
}

void StreamHub::send_up_to_now(TimestampMs now_ms) {
  send_rest(look_at(take_in()), now_ms);
}

std::vector<Address> StreamHub::take_in() {
  if (!intake_.take(batch_)) lose_events();
  for (const StampedEvent& happened : batch_) {
    if (happened.stamp.sequence != command_.sequence) end_command();
    command_ = happened.stamp;
    const EventHandler handler{*this, happened.stamp};
    const auto handle = [&](const auto& event) {
      if constexpr (std::is_invocable_v<const EventHandler&, decltype(event)>) handler(event);
    };
    std::visit(handle, happened.event);
  }
  end_command();
  if (std::exchange(marks_changed_, false))
    for (const auto& [address, account] : accounts_)
      if (account->bands.watching()) expect_engine(*account);
  std::vector<Address> due;
  for (const AccountTopics* account : due_accounts_) due.push_back(account->account);
  return due;
}

// One read of the engine for all accounts that need it: the state is at least as new as their sequence.
StreamHub::Standings StreamHub::look_at(const std::vector<Address>& accounts) const {
  Standings standings;
  if (accounts.empty()) return standings;
  sources_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    standings.at = {engine.sequence(), engine.now_ms()};
    for (const Address& account : accounts)
      standings.accounts.emplace(account, Standing{engine.account(account), engine.positions(account)});
  });
  return standings;
}

void StreamHub::send_rest(const Standings& standings, TimestampMs now_ms) {
  send_accounts(standings);
  send_markets(now_ms);
  send_framed();
  forget_accounts();
}

void StreamHub::send_framed() {
  for (StreamTopic* topic : std::exchange(framed_, {})) topic->flush();
}

void StreamHub::end_command() {
  for (Liquidation& liquidation : forced_.take()) {
    AccountTopics& account = touch(liquidation.account);
    account.liquidations_due.push_back(std::move(liquidation));
    expect_engine(account);
  }
  for (MarketTopics* market : touched_markets_) end_market(*market);
  for (AccountTopics* account : touched_accounts_) end_account(*account);
  touched_markets_.clear();
  touched_accounts_.clear();
}

void StreamHub::end_market(MarketTopics& market) {
  if (market.traded)
    for (std::size_t i = 0; i < market.candles.size(); ++i)
      publish(market.candles[i], command_, CandleEvent{market.market, market.add(i, command_.at_ms, {})});
  if (market.book_touched) {
    market.book.advance();
    market.book_changed = command_;
  }
  if (market.ticker_touched) {
    market.ticker.advance();
    market.ticker_changed = command_;
  }
  market.touched = market.book_touched = market.ticker_touched = market.traded = false;
}

void StreamHub::end_account(AccountTopics& account) {
  for (PositionTouch& touch : account.positions_touched) {
    const std::uint64_t seq = account.positions.advance();
    if (!account.positions.heard()) continue;
    account.positions_due.push_back({seq, command_, std::move(touch)});
    expect_engine(account);
  }
  if (account.balance_touched) {
    const std::uint64_t seq = account.balances.advance();
    if (account.balances.heard()) {
      account.balances_due.push_back({seq, command_});
      expect_engine(account);
    }
    if (account.bands.watching()) expect_engine(account);
  }
  account.positions_touched.clear();
  account.touched = account.balance_touched = false;
  account.last_event = command_.sequence;
}

// Another thread may have sent some of them meanwhile, and others may have become due: those are sent next time.
void StreamHub::send_accounts(const Standings& standings) {
  std::vector<AccountTopics*> later;
  for (AccountTopics* account : due_accounts_) {
    const auto standing = standings.accounts.find(account->account);
    if (standing == standings.accounts.end())
      later.push_back(account);
    else
      send_account(*account, standing->second, standings.at);
  }
  due_accounts_ = std::move(later);
}

void StreamHub::send_account(AccountTopics& account, const Standing& standing, const Stamp& now) {
  const auto& [figures, rows] = standing;
  for (const auto& [seq, stamp, touch] : account.positions_due) {
    const engine::MarketSpec& spec = markets().spec(touch.market);
    const auto row = std::ranges::find(rows, touch.market, &engine::PositionRow::market);
    const std::string payload = row != rows.end()
                                    ? api::to_json(position_record(spec, *row))
                                    : flat_position_payload(spec, touch.mode, touch.closed ? &*touch.closed : nullptr);
    add_frame(account.positions, account.positions.event_text(seq, payload, stamp));
  }
  if (!account.balances_due.empty()) {
    const std::string payload = balances_payload(markets(), figures, rows);
    for (const auto& [seq, stamp] : account.balances_due)
      add_frame(account.balances, account.balances.event_text(seq, payload, stamp));
  }
  for (const Liquidation& liquidation : account.liquidations_due)
    publish(account.liquidations, liquidation.stamp, liquidation_payload(markets(), liquidation, figures.equity));
  if (account.bands.watching())
    for (const AlertBands::Alert& alert : account.bands.update(buckets_of(figures, rows)))
      publish(account.liquidations, now, alert_payload(markets(), account.account, alert, now));
  account.positions_due.clear();
  account.balances_due.clear();
  account.liquidations_due.clear();
  account.due = false;
}

void StreamHub::send_markets(TimestampMs now) {
  for (const auto& market : markets_) {
    const auto book = std::exchange(market->book_changed, std::nullopt);
    const auto ticker = std::exchange(market->ticker_changed, std::nullopt);
    const bool wanted =
        (book && (market->book.heard() || market->public_book.heard())) || (ticker && market->ticker.heard());
    if (!wanted) continue;
    const engine::MarketSpec& spec = markets().spec(market->market);
    sources_.views.read([&](const VenueView& view) {
      const MarketView& seen = view.market(market->market);
      if (book && market->book.heard()) add_frame(market->book, book_text(market->book, spec, seen, now, *book));
      if (book && market->public_book.heard()) add_frame(market->public_book, public_book_text(spec, seen));
      if (ticker && market->ticker.heard())
        add_frame(market->ticker, ticker_text(market->ticker, spec, seen, now, *ticker));
    });
  }
}

void StreamHub::send_stats(TimestampMs now) {
  if (!sources_.stats || !stats_.heard() || now < next_stats_ms_) return;
  next_stats_ms_ = now + limits::stream_stats_ms;
  add_frame(stats_, public_stats_text(sources_.stats(now)));
  send_framed();
}

// The streams fell too far behind the exchange: these events cannot be sent to anybody.
void StreamHub::lose_events() {
  const auto lose = [](StreamTopic& topic) {
    topic.forget();
    topic.report_lost();
  };
  sources_.views.read([&](const VenueView& view) {
    for (const auto& market : markets_) market->take_candles(view.market(market->market), now_ms());
  });
  for (const auto& market : markets_) {
    for (StreamTopic* topic : market->all()) {
      if (topic->label().resume != api::Resume::conflated) lose(*topic);
    }
    market->book_changed = market->ticker_changed = command_;
    market->book.advance();
    market->ticker.advance();
  }
  for (const auto& [address, account] : accounts_) {
    for (StreamTopic* topic : account->all()) lose(*topic);
  }
}

void StreamHub::forget_accounts() {
  if (accounts_.size() <= limits::stream_accounts_max) return;
  std::vector<AccountTopics*> idle;
  for (const auto& [address, account] : accounts_)
    if (!account->heard()) idle.push_back(account.get());
  std::ranges::sort(idle, {}, &AccountTopics::last_event);
  // An eighth at once, so that this is rare.
  const std::size_t wanted = accounts_.size() - limits::stream_accounts_max * 7 / 8;
  if (idle.size() > wanted) idle.resize(wanted);
  for (const AccountTopics* account : idle)
    if (!account->due) accounts_.erase(Address(account->account));
  account_base_ = std::max(account_base_, base_after({command_.sequence.value + 1}));
}

void StreamHub::publish(StreamTopic& topic, const Stamp& stamp, StreamContent content) {
  const StreamEntry entry{.seq = topic.advance(), .stamp = stamp, .content = std::move(content)};
  if (topic.heard()) add_frame(topic, topic.event_text(entry.seq, payload_text(markets(), entry), stamp));
  topic.remember(stamp, entry.content);
}

void StreamHub::add_frame(StreamTopic& topic, std::string_view text) {
  if (topic.add_frame(text)) framed_.push_back(&topic);
}

MarketTopics& StreamHub::touch(engine::MarketIndex market) {
  MarketTopics& topics = *markets_[market.value];
  if (!std::exchange(topics.touched, true)) touched_markets_.push_back(&topics);
  return topics;
}

AccountTopics& StreamHub::topics_of(const Address& account) {
  auto& topics = accounts_[account];
  if (!topics) topics = std::make_unique<AccountTopics>(account, account_base_);
  return *topics;
}

AccountTopics& StreamHub::touch(const Address& account) {
  AccountTopics& topics = topics_of(account);
  if (!std::exchange(topics.touched, true)) touched_accounts_.push_back(&topics);
  return topics;
}

void StreamHub::expect_engine(AccountTopics& account) {
  if (!std::exchange(account.due, true)) due_accounts_.push_back(&account);
}

// For a new reader: its topic, missed events, present state.

StreamTopic& StreamHub::market_topic(api::StreamChannel channel, engine::MarketIndex market, api::Timeframe interval) {
  MarketTopics& topics = *markets_[market.value];
  switch (channel) {
    case api::StreamChannel::trades: return topics.trades;
    case api::StreamChannel::book: return topics.book;
    case api::StreamChannel::ticker: return topics.ticker;
    case api::StreamChannel::candles: return topics.candles[static_cast<std::size_t>(interval)];
    default: SVC_ASSERT(false);
  }
}

StreamTopic& StreamHub::account_topic(api::StreamChannel channel, const Address& account) {
  AccountTopics& topics = topics_of(account);
  switch (channel) {
    case api::StreamChannel::orders: return topics.orders;
    case api::StreamChannel::fills: return topics.fills;
    case api::StreamChannel::positions: return topics.positions;
    case api::StreamChannel::balances: return topics.balances;
    case api::StreamChannel::liquidations: {
      if (!topics.bands.watching()) {
        topics.bands.watch();
        const auto [figures, rows] = look_at({account}).accounts.at(account);
        // The present band is no alert.
        (void)topics.bands.update(buckets_of(figures, rows));
      }
      return topics.liquidations;
    }
    default: SVC_ASSERT(false);
  }
}

StreamTopic& StreamHub::public_topic(api::PublicChannel channel, engine::MarketIndex market) {
  MarketTopics& topics = *markets_[market.value];
  switch (channel) {
    case api::PublicChannel::trades: return topics.public_trades;
    case api::PublicChannel::book: return topics.public_book;
    case api::PublicChannel::market_status: return topics.public_status;
    case api::PublicChannel::stats: return stats_;
  }
  SVC_ASSERT(false);
}

std::string StreamHub::replay_frames(const StreamTopic& topic, std::uint64_t since) const {
  std::string frames;
  for (auto entry = topic.after(since); entry != topic.end(); ++entry)
    append_text_frame(frames, topic.event_text(entry->seq, payload_text(markets(), *entry), entry->stamp));
  return frames;
}

SnapshotFrames StreamHub::snapshot_frames(api::StreamChannel channel, const StreamTopic& topic,
                                          std::optional<engine::MarketIndex> market,
                                          const std::optional<Address>& account) const {
  SnapshotFrames frames;
  const auto add = [&](const std::string& payload) {
    append_text_frame(frames.text, topic.snapshot_text(payload));
    ++frames.count;
  };
  if (market) {
    const engine::MarketSpec& spec = markets().spec(*market);
    add(sources_.views.read([&](const VenueView& view) {
      const MarketView& seen = view.market(*market);
      return channel == api::StreamChannel::book ? api::to_json(order_book_record(spec, seen, now_ms()))
                                                 : api::to_json(ticker_record(spec, seen, now_ms()));
    }));
    return frames;
  }
  const auto [figures, rows] = look_at({*account}).accounts.at(*account);
  if (channel == api::StreamChannel::balances) add(balances_payload(markets(), figures, rows));
  if (channel == api::StreamChannel::positions)
    for (const engine::PositionRow& row : rows) add(api::to_json(position_record(markets().spec(row.market), row)));
  return frames;
}

std::string StreamHub::newest_frame(const StreamTopic& topic) const {
  const auto market = sources_.markets.find(topic.label().market.value_or(""));
  SVC_ASSERT(market);
  const MarketTopics& topics = *markets_[market->value];
  const engine::MarketSpec& spec = sources_.markets.spec(*market);
  std::string frame;
  sources_.views.read([&](const VenueView& view) {
    const MarketView& seen = view.market(*market);
    const Stamp stamp{view.totals().sequence, view.totals().last_event_ms};
    if (&topic == &topics.public_book) append_text_frame(frame, public_book_text(spec, seen));
    if (&topic == &topics.book) append_text_frame(frame, book_text(topic, spec, seen, stamp.at_ms, stamp));
    if (&topic == &topics.ticker) append_text_frame(frame, ticker_text(topic, spec, seen, stamp.at_ms, stamp));
  });
  return frame;
}

std::string StreamHub::public_greeting(api::PublicChannel channel, engine::MarketIndex market) {
  std::string frame;
  const engine::MarketSpec& spec = sources_.markets.spec(market);
  if (channel == api::PublicChannel::stats) {
    if (sources_.stats) append_text_frame(frame, public_stats_text(sources_.stats(now_ms())));
    // The greeting is the first one; the next comes one interval later.
    if (!stats_.heard()) next_stats_ms_ = now_ms() + limits::stream_stats_ms;
    return frame;
  }
  sources_.views.read([&](const VenueView& view) {
    const MarketView& seen = view.market(market);
    if (channel == api::PublicChannel::book) append_text_frame(frame, public_book_text(spec, seen));
    // Only a halt is sent: markets count as trading until a halt is reported.
    if (channel == api::PublicChannel::market_status && seen.status() != engine::MarketStatus::active)
      append_text_frame(frame, public_status_text(spec, {view.totals().sequence, now_ms()}, seen.last_status()));
  });
  return frame;
}

namespace {

bool is_heard(const engine::Event& event) {
  return std::visit([](const auto& body) { return std::is_invocable_v<const EventHandler&, decltype(body)>; }, event);
}

// A book is sent as a whole: for several changed levels in a row one is enough.
bool is_same_book(const engine::Event& event, const StampedEvent& before, const Stamp& stamp) {
  const auto* level = std::get_if<engine::BookLevelChanged>(&event);
  const auto* last = std::get_if<engine::BookLevelChanged>(&before.event);
  return level != nullptr && last != nullptr && level->market == last->market &&
         before.stamp.sequence == stamp.sequence;
}

}  // namespace

void EventIntake::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  {
    const std::lock_guard lock(mutex_);
    for (const engine::Event& event : events) {
      if (!is_heard(event) || (!waiting_.empty() && is_same_book(event, waiting_.back(), stamp))) continue;
      if (waiting_.size() >= capacity_) {
        waiting_.clear();
        forgot_ = true;
      }
      waiting_.push_back({stamp, event});
    }
  }
  arrived_.notify_one();
}

bool EventIntake::take(std::vector<StampedEvent>& into) {
  into.clear();
  const std::lock_guard lock(mutex_);
  std::swap(into, waiting_);
  return !std::exchange(forgot_, false);
}

void EventIntake::forget() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    forgot_ = true;
  }
  arrived_.notify_one();
}

void EventIntake::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, stop, [this] { return !waiting_.empty() || forgot_; });
}

}  // namespace svc::sim
