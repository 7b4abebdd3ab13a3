// What a new reader asks of the hub: its topic, what was missed, how things stand.

#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "sim/streams/event_text.h"
#include "sim/streams/public_text.h"
#include "sim/streams/stream_hub.h"
#include "sim/streams/text_frame.h"

namespace svc::sim {

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
        const auto [figures, rows] = sources_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
          return std::pair(engine.account(account), engine.positions(account));
        });
        // Where it stands now is not news.
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
    append_text_frame(frames,
                      event_text(topic.label(), entry->seq, payload_text(sources_.markets, *entry), entry->stamp));
  return frames;
}

SnapshotFrames StreamHub::snapshot_frames(api::StreamChannel channel, const StreamTopic& topic,
                                          std::optional<engine::MarketIndex> market,
                                          const std::optional<Address>& account) const {
  SnapshotFrames frames;
  const auto add = [&](const std::string& payload) {
    append_text_frame(frames.text, snapshot_text(topic.label(), topic.seq(), payload));
    ++frames.count;
  };
  if (market) {
    const engine::MarketSpec& spec = sources_.markets.spec(*market);
    add(sources_.views.read([&](const VenueView& view) {
      return channel == api::StreamChannel::book ? book_payload(spec, view.market(*market), now_ms())
                                                 : ticker_payload(spec, view.market(*market), now_ms());
    }));
    return frames;
  }
  const auto [figures, rows] = sources_.sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    return std::pair(engine.account(*account), engine.positions(*account));
  });
  if (channel == api::StreamChannel::balances) add(balances_payload(sources_.markets, figures, rows));
  if (channel == api::StreamChannel::positions)
    for (const engine::PositionRow& row : rows) add(position_payload(sources_.markets.spec(row.market), row));
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
    if (&topic == &topics.book)
      append_text_frame(frame, event_text(topic.label(), topic.seq(), book_payload(spec, seen, stamp.at_ms), stamp));
    if (&topic == &topics.ticker)
      append_text_frame(frame, event_text(topic.label(), topic.seq(), ticker_payload(spec, seen, stamp.at_ms), stamp));
  });
  return frame;
}

std::string StreamHub::public_greeting(api::PublicChannel channel, engine::MarketIndex market) {
  std::string frame;
  const engine::MarketSpec& spec = sources_.markets.spec(market);
  if (channel == api::PublicChannel::stats) {
    if (sources_.stats) append_text_frame(frame, public_stats_text(sources_.stats(now_ms())));
    // The greeting is the first of them; the next one comes a while later.
    if (!stats_.heard()) next_stats_ms_ = now_ms() + limits::stream_stats_ms;
    return frame;
  }
  sources_.views.read([&](const VenueView& view) {
    const MarketView& seen = view.market(market);
    if (channel == api::PublicChannel::book) append_text_frame(frame, public_book_text(spec, seen));
    // Only a halt is worth telling: markets trade unless they are told to be halted.
    if (channel == api::PublicChannel::market_status && seen.status() != engine::MarketStatus::active)
      append_text_frame(frame, public_status_text(spec, {view.totals().sequence, now_ms()}, seen.last_status()));
  });
  return frame;
}

}  // namespace svc::sim
