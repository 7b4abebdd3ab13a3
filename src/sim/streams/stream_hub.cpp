#include "sim/streams/stream_hub.h"

#include <algorithm>
#include <ranges>

#include "api/codec.h"
#include "api/contract/account.h"
#include "base/assert.h"
#include "base/containers.h"
#include "sim/gateway/handlers/records.h"

namespace svc::sim {
namespace {

// The first topics are the numbered ones.
template <class Numbers, class Topics>
Numbers numbers_of(Topics& topics) {
  Numbers numbers{};
  const auto all = topics.all();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = all[i]->seq();
  return numbers;
}

template <class Numbers, class Topics>
void begin_topics(Topics& topics, const Numbers& numbers) {
  const auto all = topics.all();
  for (std::size_t i = 0; i < numbers.size(); ++i) all[i]->begin_with(numbers[i]);
}

// Where topics go on when an image replaces everything: who has seen the last event has missed something. A topic
// that never had an event has none to miss. (D-901)
template <class Numbers>
Numbers numbers_above(const Numbers& present, const Numbers& image) {
  Numbers numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t highest = std::max(present[i], image[i]);
    numbers[i] = highest == 0 ? 0 : highest + 1;
  }
  return numbers;
}

// Payloads of the account stream, as JSON of REST records.
struct PayloadWriter {
  const MarketTable& markets;
  const Stamp& stamp;

  std::string operator()(const engine::Trade& trade) const {
    return api::to_json(trade_record(markets.spec(trade.market), {.trade = trade, .at_ms = stamp.at_ms}));
  }
  std::string operator()(const engine::OrderRecord& order) const {
    api::OrdersPayload payload{
        .update = {.epoch = engine_epoch, .sequence = stamp.sequence.value, .emitted_at = stamp.at_ms}};
    static_cast<api::Order&>(payload.update.order) = order_record(markets, order);
    payload.update.order.client_order_id = payload.update.order.client_id;
    return api::to_json(payload);
  }
  std::string operator()(const engine::Fill& fill) const {
    return api::to_json(fill_record(markets, {.fill = fill, .at_ms = stamp.at_ms}));
  }
  std::string operator()(const CandleEvent& event) const {
    return api::to_json(candle_record(markets.spec(event.market), event.candle));
  }
  std::string operator()(const std::string& text) const { return text; }
};

std::string payload_text(const MarketTable& markets, const StreamEntry& entry) {
  return std::visit(PayloadWriter{markets, entry.stamp}, entry.content);
}

// Of a command that left no position.
std::string flat_position_payload(const MarketTable& markets, const PositionTouch& touch) {
  const engine::MarketSpec& spec = markets.spec(touch.market);
  api::Position position;
  position.market_id = spec.id;
  position.leverage_error = "margin_state_not_mirrored";
  position.roe_error = "margin_used_zero";
  position.notional_value = api::DecimalText();
  position.margin_used = api::DecimalText();
  position.max_leverage = static_cast<std::uint32_t>(spec.max_leverage);
  position.margin_mode = touch.mode;
  if (touch.mode == engine::MarginMode::isolated) position.allocated_margin = api::DecimalText();
  if (touch.closed) {
    const api::ClosedPosition was = closed_position_record(markets, *touch.closed);
    position.side = was.side;
    position.entry_price = was.entry_price;
    position.realized_pnl = was.realized_pnl;
    position.funding_paid = usdx_text(-touch.closed->funding);
  }
  return api::to_json(position);
}

std::string alert_payload(const MarketTable& markets, const Address& account, const AlertBands::Alert& alert,
                          const Stamp& stamp) {
  api::LiquidationAlert record{.account_id = account,
                               .severity = alert.severity,
                               .equity = usdx_text(saturated(alert.health.equity)),
                               .maintenance_margin = usdx_text(saturated(alert.health.maintenance)),
                               .sequence = stamp.sequence.value,
                               .epoch = engine_epoch,
                               .emitted_at = stamp.at_ms};
  if (alert.health.market) record.market_id = markets.spec(*alert.health.market).id;
  return api::to_json(api::LiquidationsPayload{.alert = std::move(record)});
}

std::string liquidation_payload(const MarketTable& markets, const Liquidation& liquidation, Usdx equity_after) {
  api::PortfolioLiquidation record{.account_id = liquidation.account,
                                   .equity_before = usdx_text(equity_after.value - liquidation.effect),
                                   .equity_after = usdx_text(equity_after),
                                   .sequence = liquidation.stamp.sequence.value,
                                   .epoch = engine_epoch,
                                   .emitted_at = liquidation.stamp.at_ms};
  for (const auto& [market, closed] : liquidation.closures) {
    const engine::MarketSpec& spec = markets.spec(market);
    record.closures.push_back({.market_id = spec.id,
                               .position_size_closed = lots_text(spec, closed.lots),
                               .settlement_price = average_price_text(spec, closed.quote.value, closed.lots.value),
                               .settlement_amount = usdx_text(closed.amount)});
  }
  return api::to_json(api::LiquidationsPayload{.liquidation = std::move(record)});
}

template <class Levels>
std::vector<api::PublicBookLevel> top_levels(const engine::MarketSpec& spec, const Levels& levels) {
  std::vector<api::PublicBookLevel> top;
  for (const auto& [price, level] : levels) {
    if (top.size() == limits::stream_public_book_levels) break;
    top.push_back(
        {.price = price_text(spec, price), .quantity = lots_text(spec, level.quantity), .order_count = level.orders});
  }
  return top;
}

// Messages of the public stream.

std::string public_trade_text(const engine::MarketSpec& spec, const engine::Trade& trade, TimestampMs at_ms) {
  return api::to_json(
      api::PublicTradeFrame{.market_id = spec.id, .trade = trade_record(spec, {.trade = trade, .at_ms = at_ms})});
}

std::string public_book_text(const engine::MarketSpec& spec, const MarketView& view) {
  return api::to_json(api::BookUpdateFrame{.market_id = spec.id,
                                           .book = {.bids = top_levels(spec, view.bids()),
                                                    .asks = top_levels(spec, view.asks()),
                                                    .sequence = view.book_nonce()}});
}

std::string public_status_text(const engine::MarketSpec& spec, const Stamp& stamp,
                               const engine::MarketStatusChanged& event) {
  // The fields of a halt are those of GET /markets/{market_id}/status, as of this event.
  MarketView view;
  view.fold(stamp, event);
  const api::MarketStatus status = status_record(spec, view);
  if (status.status == api::MarketState::active)
    return api::to_json(api::MarketResumedFrame{.market_id = spec.id, .timestamp = stamp.at_ms});
  return api::to_json(api::MarketHaltedFrame{.market_id = spec.id,
                                             .reason = status.halt_reason.value_or(""),
                                             .timestamp = status.halted_at.value_or(stamp.at_ms)});
}

// The present state of a book or of a ticker, as the payload of its topic.
std::string market_payload(const MarketTopics& topics, const StreamTopic& topic, const engine::MarketSpec& spec,
                           const MarketView& view, TimestampMs now_ms) {
  SVC_ASSERT(&topic == &topics.book || &topic == &topics.ticker);
  return &topic == &topics.book ? api::to_json(order_book_record(spec, view, now_ms))
                                : api::to_json(ticker_record(spec, view, now_ms));
}

// The newest frame of a conflated topic.
std::string newest_text(const MarketTopics& topics, const StreamTopic& topic, const engine::MarketSpec& spec,
                        const MarketView& view, TimestampMs now_ms, const Stamp& stamp) {
  if (&topic == &topics.public_book) return public_book_text(spec, view);
  return topic.event_text(topic.seq(), market_payload(topics, topic, spec, view, now_ms), stamp);
}

// `stats` is the body of GET /stats.
std::string public_stats_text(std::string_view stats) {
  return R"({"type":"Stats","stats":)" + std::string(stats) + '}';
}

}  // namespace

// Events become frames immediately; what needs the end of the command is gathered in `touched`.
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
    PositionTouch& position = account.touch(event.market);
    position.mode = event.mode;
    if (position.closed && event.size != Lots{})
      account.positions_touched.push_back({.market = event.market, .mode = event.mode, .size = event.size});
    else
      position.size = event.size;
  }
  void operator()(const engine::PositionClosed& event) const {
    PositionTouch& position = hub.touch(event.account).touch(event.market);
    position.size = Lots{};
    position.closed = event;
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
      liquidations_seq_(sources_.liquidations_seq),
      stats_({.channel = "stats"}, 0),
      forced_(sources_.markets) {
  sources_.markets.each([&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    markets_.push_back(std::make_unique<MarketTopics>(index, spec.id));
  });
}

// If the streams are too far behind, the writer does their work, so that nothing is lost.
void StreamHub::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  const bool is_full = intake_.follow(stamp, events);
  const bool stands = clock_stands();
  if (!is_full && !stands) return;
  between_commands([&] {
    if (stands) send_stats(stamp.at_ms);
  });
}

bool StreamHub::dispatch() {
  std::vector<Address> accounts;
  {
    const Lock held = lock();
    accounts = take_in();
  }
  const Standings standings = look_at(accounts);
  const Lock held = lock();
  return send_rest(standings, now_ms());
}

StreamNumbers StreamHub::numbers() {
  StreamNumbers numbers;
  between_commands([&] {
    for (const auto& market : markets_) numbers.markets.push_back(numbers_of<StreamNumbers::OfMarket>(*market));
    numbers.accounts = idle_accounts_;
    for (const auto& [address, account] : accounts_)
      if (const auto own = numbers_of<StreamNumbers::OfAccount>(*account); own != StreamNumbers::OfAccount{})
        numbers.accounts.emplace(address, own);
  });
  return numbers;
}

void StreamHub::begin_with(const StreamNumbers& numbers, TimestampMs at_ms) {
  restart(numbers, at_ms, [](const auto&, const auto& given) { return given; });
  const Lock held = lock();
  std::erase_if(idle_accounts_, [&](const auto& idle) { return !numbers.accounts.contains(idle.first); });
}

void StreamHub::start_over(const StreamNumbers& image, TimestampMs at_ms) {
  restart(image, at_ms, [](const auto& present, const auto& given) { return numbers_above(present, given); });
}

template <class Next>
void StreamHub::restart(const StreamNumbers& image, TimestampMs at_ms, Next next) {
  const Lock held = lock();
  SVC_ASSERT(due_accounts_.empty() && image.markets.size() == markets_.size());
  sources_.views.read([&](const VenueView& view) {
    // What is sent again belongs to this command: the one before was taken back. (D-993)
    command_ = {view.totals().sequence, at_ms};
    for (const auto& market : markets_) {
      const MarketView& seen = view.market(market->market);
      // Intervals without a trade need no candle, so the last command's time is as good as any later one.
      market->take_candles(seen, view.totals().last_command_ms);
      forced_.know_mark(market->market, seen.mark().value_or(Ticks{}));
      // Readers cannot know whether the market they saw halted, or trading, still is.
      if (market->public_status.heard())
        add_frame(market->public_status,
                  public_status_text(markets().spec(market->market), {command_.sequence, shown_ms(now_ms())},
                                     seen.last_status()));
    }
  });
  next_stats_ms_ = 0;  // a manual clock may have gone back
  for (std::size_t i = 0; i < markets_.size(); ++i) {
    MarketTopics& market = *markets_[i];
    begin_topics(market, next(numbers_of<StreamNumbers::OfMarket>(market), image.markets[i]));
    for (StreamTopic* topic : market.all())
      if (topic->label().resume != api::Resume::conflated) topic->report_lost();
    market.book_changed = market.ticker_changed = command_;
    market.book_sent.reset();
  }
  for (const auto& [address, numbers] : image.accounts)
    if (!accounts_.contains(address)) idle_accounts_.try_emplace(address);
  const auto of_image = [&](const Address& address) {
    return value_in(image.accounts, address).value_or(StreamNumbers::OfAccount{});
  };
  for (auto& [address, numbers] : idle_accounts_) numbers = next(numbers, of_image(address));
  for (const auto& [address, account] : accounts_) {
    begin_topics(*account, next(numbers_of<StreamNumbers::OfAccount>(*account), of_image(address)));
    account->liquidations.begin_with(account->liquidations.seq() + 1);
    account->bands = {};
    for (StreamTopic* topic : account->all()) topic->report_lost();
  }
}

std::vector<Address> StreamHub::take_in() {
  intake_.take(batch_);
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

bool StreamHub::send_rest(const Standings& standings, TimestampMs now_ms) {
  send_accounts(standings);
  send_markets(shown_ms(now_ms));
  const bool was_sent = send_framed();
  forget_accounts();
  return was_sent;
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
  std::erase_if(due_accounts_, [&](AccountTopics* account) {
    const auto standing = standings.accounts.find(account->account);
    if (standing != standings.accounts.end()) send_account(*account, standing->second, standings.at);
    return !account->due;
  });
}

// A closed position is sent as what it was, and so are its changes that had not been sent. Any other change is sent as
// the present position. If there is none, it was closed after the events were taken, and the rest waits for that event.
void StreamHub::send_positions(AccountTopics& account, const std::vector<engine::PositionRow>& rows) {
  auto& due = account.positions_due;
  if (!account.positions.heard()) return due.clear();
  auto entry = due.begin();
  for (; entry != due.end(); ++entry) {
    const engine::MarketIndex market = entry->touch.market;
    const auto flat = std::find_if(entry, due.end(), [&](const AccountTopics::PositionDue& other) {
      return other.touch.market == market && other.touch.is_flat();
    });
    const auto row = std::ranges::find(rows, market, &engine::PositionRow::market);
    if (flat == due.end() && row == rows.end()) break;
    const std::string payload = flat == due.end() ? api::to_json(position_record(markets(), *row))
                                                  : flat_position_payload(markets(), flat->touch);
    add_frame(account.positions, account.positions.event_text(entry->seq, payload, entry->stamp));
  }
  due.erase(due.begin(), entry);
}

void StreamHub::send_account(AccountTopics& account, const Standing& standing, const Stamp& now) {
  const auto& [figures, rows] = standing;
  send_positions(account, rows);
  if (!account.balances_due.empty()) {
    const std::string payload = api::to_json(account_summary_record(markets(), figures, rows));
    for (const auto& [seq, stamp] : account.balances_due)
      add_frame(account.balances, account.balances.event_text(seq, payload, stamp));
  }
  for (const Liquidation& liquidation : account.liquidations_due)
    publish(account.liquidations, liquidation.stamp, liquidation_payload(markets(), liquidation, figures.equity));
  if (account.bands.watching())
    for (const AlertBands::Alert& alert : account.bands.update(buckets_of(figures, rows)))
      publish(account.liquidations, now, alert_payload(markets(), account.account, alert, now));
  account.balances_due.clear();
  account.liquidations_due.clear();
  account.due = !account.positions_due.empty();
}

void StreamHub::send_markets(TimestampMs now) {
  for (const auto& market : markets_) {
    const auto book = std::exchange(market->book_changed, std::nullopt);
    const auto ticker = std::exchange(market->ticker_changed, std::nullopt);
    const std::pair<StreamTopic*, const std::optional<Stamp>*> changed[] = {
        {&market->book, &book}, {&market->public_book, &book}, {&market->ticker, &ticker}};
    const auto is_wanted = [](const auto& each) { return *each.second && each.first->heard(); };
    if (std::ranges::none_of(changed, is_wanted)) continue;
    const engine::MarketSpec& spec = markets().spec(market->market);
    sources_.views.read([&](const VenueView& view) {
      const MarketView& seen = view.market(market->market);
      // The views may be ahead of the events: then this book was sent with the command before.
      const bool is_same_book = market->book_sent == seen.book_nonce();
      if (book) market->book_sent = seen.book_nonce();
      for (const auto& [topic, stamp] : changed | std::views::filter(is_wanted))
        if (topic == &market->ticker || !is_same_book)
          add_frame(*topic, newest_text(*market, *topic, spec, seen, now, **stamp));
    });
  }
}

void StreamHub::send_stats(TimestampMs now) {
  if (!sources_.stats || !stats_.heard() || now < next_stats_ms_) return;
  next_stats_ms_ = now + limits::stream_stats_ms;
  add_frame(stats_, public_stats_text(sources_.stats(now)));
  send_framed();
}

// Of accounts that had no event for long, only the numbers are kept.
void StreamHub::forget_accounts() {
  if (accounts_.size() <= accounts_looked_at_) return;
  std::vector<AccountTopics*> idle;
  for (const auto& [address, account] : accounts_)
    if (!account->heard()) idle.push_back(account.get());
  // Wallets cost nothing: the events of many that nobody reads do not end what a reader may ask for when it is back.
  std::ranges::sort(idle, {}, [](const AccountTopics* each) { return std::pair(each->was_read, each->last_event); });
  // An eighth at once, so that this is rare.
  constexpr std::size_t kept = limits::stream_accounts_max * 7 / 8;
  idle.resize(std::max(idle.size(), kept) - kept);
  accounts_looked_at_ = accounts_.size() - idle.size() + limits::stream_accounts_max / 8;
  for (AccountTopics* account : idle) {
    if (account->due) continue;
    const auto numbers = numbers_of<StreamNumbers::OfAccount>(*account);
    if (numbers != StreamNumbers::OfAccount{}) idle_accounts_.emplace(account->account, numbers);
    liquidations_seq_ = std::max(liquidations_seq_, account->liquidations.seq() + 1);
    accounts_.erase(Address(account->account));
  }
}

template <class Content>
void StreamHub::publish(StreamTopic& topic, const Stamp& stamp, Content&& content) {
  const StreamEntry& entry = topic.add(stamp, std::forward<Content>(content));
  if (topic.heard()) add_frame(topic, topic.event_text(entry.seq, payload_text(markets(), entry), stamp));
}

MarketTopics& StreamHub::touch(engine::MarketIndex market) {
  MarketTopics& topics = *markets_[market.value];
  if (!std::exchange(topics.touched, true)) touched_markets_.push_back(&topics);
  return topics;
}

AccountTopics& StreamHub::topics_of(const Address& account) {
  auto& topics = accounts_[account];
  if (!topics) {
    topics = std::make_unique<AccountTopics>(account, liquidations_seq_);
    if (const auto idle = idle_accounts_.extract(account)) begin_topics(*topics, idle.mapped());
  }
  return *topics;
}

AccountTopics& StreamHub::touch(const Address& account) {
  AccountTopics& topics = topics_of(account);
  if (!std::exchange(topics.touched, true)) touched_accounts_.push_back(&topics);
  return topics;
}

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
  topics.was_read = true;
  switch (channel) {
    case api::StreamChannel::orders: return topics.orders;
    case api::StreamChannel::fills: return topics.fills;
    case api::StreamChannel::positions: return topics.positions;
    case api::StreamChannel::balances: return topics.balances;
    case api::StreamChannel::liquidations: {
      if (!topics.bands.watching()) {
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
    add(sources_.views.read([&](const VenueView& view) {
      return market_payload(*markets_[market->value], topic, markets().spec(*market), view.market(*market), now_ms());
    }));
    return frames;
  }
  const auto [figures, rows] = look_at({*account}).accounts.at(*account);
  if (channel == api::StreamChannel::balances) add(api::to_json(account_summary_record(markets(), figures, rows)));
  if (channel == api::StreamChannel::positions)
    for (const engine::PositionRow& row : rows) add(api::to_json(position_record(markets(), row)));
  return frames;
}

std::string StreamHub::newest_frame(const StreamTopic& topic) const {
  const auto market = sources_.markets.find(topic.label().market.value_or(""));
  SVC_ASSERT(market);
  std::string frame;
  append_text_frame(frame, sources_.views.read([&](const VenueView& view) {
    const Stamp stamp{view.totals().sequence, view.totals().last_event_ms};
    return newest_text(*markets_[market->value], topic, markets().spec(*market), view.market(*market), stamp.at_ms,
                       stamp);
  }));
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

bool EventIntake::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  bool is_full = false;
  bool is_to_be_sent = false;
  {
    const std::lock_guard lock(mutex_);
    for (const engine::Event& event : events) {
      if (!is_heard(event) || (!waiting_.empty() && is_same_book(event, waiting_.back(), stamp))) continue;
      waiting_.push_back({stamp, event});
    }
    is_full = waiting_.size() >= capacity_;
    is_to_be_sent = is_due();
  }
  if (is_to_be_sent) arrived_.notify_one();
  return is_full;
}

void EventIntake::set_heard(bool is_heard) {
  {
    const std::lock_guard lock(mutex_);
    is_heard_ = is_heard;
  }
  arrived_.notify_one();
}

}  // namespace svc::sim
