// All read models, computed from the engine's events, behind a lock of their own: a reader waits at most for the
// events of one command, never for matching.
//
// Safe to use from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/archive.h"
#include "base/containers.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/engine/market_spec.h"
#include "sim/views/account_view.h"
#include "sim/views/candle_series.h"
#include "sim/views/market_view.h"

namespace svc::sim {

struct VenueTotals {
  std::uint64_t events = 0;
  std::uint64_t fills = 0;
  std::uint64_t liquidations = 0;
  std::uint64_t gaps = 0;     // number of commands that never arrived
  engine::Sequence sequence;  // of the last command
  TimestampMs since_ms = 0;   // of the first command
  TimestampMs last_command_ms = 0;
  TimestampMs last_event_ms = 0;
};

// The activity of one second.
struct Throughput {
  std::uint64_t events = 0;
  std::uint64_t fills = 0;

  void merge(const Throughput& later) {
    events += later.events;
    fills += later.fills;
  }
};
using ThroughputWindow = TimeWindow<Throughput, second_ms, (limits::throughput_samples_max + 1) * second_ms>;

// Samples of one account, oldest first.
struct PortfolioPage {
  struct Point {
    TimestampMs at_ms = 0;
    PortfolioFigures figures{};
  };
  std::vector<Point> points{};
  std::optional<std::uint64_t> next{};  // continue before this number; empty if nothing older is kept
};

// Accounts are counted in bands of equity. These are the lower bounds, in USDX; the first band also holds everything
// lower, the last band everything higher. (D-285)
inline constexpr std::array<std::int64_t, 9> equity_bands{0, 1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
using AccountsByEquity = std::array<std::uint64_t, equity_bands.size()>;

struct AdlEvent {
  engine::Deleveraged event;
  TimestampMs at_ms = 0;
};

// All read models, after one command.
class VenueView {
 public:
  // In the order of EngineConfig::markets.
  explicit VenueView(std::span<const engine::MarketSpec> markets,
                     std::size_t ended_orders_max = limits::all_terminal_orders_max);
  VenueView(VenueView&&) = default;
  VenueView& operator=(VenueView&&) = default;

  // A command was applied; its events follow. First takes the samples that were due before it.
  void pass(const Stamp& stamp);
  void fold(const Stamp& stamp, std::span<const engine::Event> events);
  void fold(const Stamp& stamp, const engine::Event& event) { fold(stamp, std::span(&event, 1)); }

  [[nodiscard]] const MarketView& market(engine::MarketIndex index) const { return markets_[index.value]; }
  // An account without events has an empty view.
  [[nodiscard]] const AccountView& account(const Address& address) const;
  [[nodiscard]] bool knows(const Address& address) const { return by_address_.contains(address); }
  // Requires a number that the market or an account lists.
  [[nodiscard]] const AdlEvent& adl_event(std::uint64_t number) const { return adl_events_.at(number).row; }
  [[nodiscard]] const VenueTotals& totals() const { return totals_; }
  [[nodiscard]] const ThroughputWindow& throughput() const { return throughput_; }

  // The present figures of the account; equal to the engine's.
  [[nodiscard]] PortfolioFigures portfolio(const Address& address) const { return figures_of(account(address)); }
  [[nodiscard]] PortfolioFigures figures_of(const AccountView& account) const {
    return account.portfolio().figures(lot_values_);
  }
  // How many accounts traded after that moment.
  [[nodiscard]] std::uint64_t traders_since(TimestampMs from_ms) const {
    const auto is_later = [&](TimestampMs at_ms) { return at_ms > from_ms; };
    return static_cast<std::uint64_t>(std::ranges::count_if(latest_fills_ms_, is_later));
  }
  // Accounts that ever had money, by their equity at mark. Costs as much as there are holders of positions.
  [[nodiscard]] AccountsByEquity accounts_by_equity() const;
  // The latest `limit` samples up to now, before number `before` if given.
  [[nodiscard]] PortfolioPage portfolio_history(const Address& account, Cadence cadence, TimestampMs now_ms,
                                                std::optional<std::uint64_t> before, std::size_t limit) const;

  // A view of the same markets, before the first command.
  [[nodiscard]] VenueView empty_like() const { return VenueView(lot_units_, ended_orders_max_); }

  // For values read from outside; if they are valid, accounts are counted afterwards.
  [[nodiscard]] bool is_valid() const;
  void count_accounts() {
    flat_accounts_ = {};
    for (auto& [address, view] : accounts_) count_if_flat(view);
  }

  // What follows from the listing is left out; an archive with another number of markets fails.
  template <class Archive>
  void archive(Archive& archive) {
    const std::size_t markets = lot_units_.size();
    archive(adl_events_, markets_, lot_values_, accounts_, sampler_, funds_rows_, totals_, throughput_);
    if constexpr (Archive::reading) {
      if (markets_.size() != markets || lot_values_.size() != markets || !count_adl_mentions()) return archive.fail();
      sampler_.rebuild(accounts_);
      by_address_.clear();
      latest_fills_ms_.clear();
      ended_orders_ = 0;
      for (auto& [address, view] : accounts_) {
        bound(address, view);
        enlist(by_address_[address], view);
        ended_orders_ += view.ended_orders().rows().size();
      }
    }
  }

 private:
  // Markets and accounts list the number of an event; the event is kept once, until the last of them forgets it: each
  // counterparty lists it, and it names them all.
  struct KeptAdl {
    AdlEvent row;
    std::uint64_t mentions = 0;

    SVC_KEEPS(row);
  };

  VenueView(const std::vector<std::int64_t>& lot_units, std::size_t ended_orders_max)
      : markets_(lot_units.size()),
        lot_units_(lot_units),
        lot_values_(lot_units.size(), 0),
        ended_orders_max_(ended_orders_max) {}
  void fold_market(const Stamp& stamp, const engine::Event& event);
  void fold_account(const Stamp& stamp, const engine::Event& event);
  void fold_adl(const Stamp& stamp, const engine::Deleveraged& event);
  // `list` mentions the event from now on.
  template <class View>
  void mention_adl(View& list, std::uint64_t number);
  // After reading. False if a listed event is missing, or a kept one is listed nowhere.
  [[nodiscard]] bool count_adl_mentions();
  // The accounts that have most of them lose their oldest, a sixteenth of all together. (D-1154)
  void forget_ended_orders();
  [[nodiscard]] AccountView& account_of(const Address& address);
  void enlist(AccountView*& by_address, AccountView& view) {
    by_address = &view;
    view.number_ = latest_fills_ms_.size();
    latest_fills_ms_.push_back(view.last_fill_ms().value_or(no_fill_ms));
  }
  // The marks do not move the equity of an account without a position: it is counted when its money changes.
  void count_if_flat(AccountView& view);
  static void bound(const Address& address, AccountView& view);

  std::map<std::uint64_t, KeptAdl> adl_events_;  // by number
  std::vector<MarketView> markets_;
  std::vector<std::int64_t> lot_units_;      // 1e-6 USDX per tick and lot, by market
  LotValues lot_values_;                     // at mark; 0 until there is one
  std::map<Address, AccountView> accounts_;  // in the order of the archive
  // Of accounts_, for look-ups.
  boost::unordered_flat_map<Address, AccountView*, std::hash<Address>> by_address_;
  static constexpr TimestampMs no_fill_ms = std::numeric_limits<TimestampMs>::min();
  std::vector<TimestampMs> latest_fills_ms_;  // of each account, close together, to be counted fast
  std::size_t ended_orders_max_;
  std::size_t ended_orders_ = 0;  // that are kept, of all accounts
  AccountsByEquity flat_accounts_{};
  PortfolioSampler sampler_;
  std::uint64_t funds_rows_ = 0;
  VenueTotals totals_;
  ThroughputWindow throughput_;
};

class Views final : public Follower {
 public:
  explicit Views(std::span<const engine::MarketSpec> markets) : venue_(markets) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override;

  // Another number after every change. Whoever reads it before the views sees what it stands for, or something newer.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // All read models as bytes, and back; the error is one sentence if the bytes do not fit these markets. Readers
  // see either the old state or the new one.
  [[nodiscard]] std::string image() const {
    const std::shared_lock lock = enter();
    return to_archive(venue_);
  }
  [[nodiscard]] Result<VenueView, std::string> view_of(std::string_view image) const;
  void replace(VenueView view);

  // f(const VenueView&). The result must not refer into the view.
  template <class F>
  [[nodiscard]] auto read(F&& f) const {
    const std::shared_lock lock = enter();
    return std::forward<F>(f)(std::as_const(venue_));
  }

 private:
  using ViewsMutex = RankedShared<LockRank::views>;

  // Readers enter one by one, and none passes a waiting writer: many readers cannot lock it out.
  [[nodiscard]] std::shared_lock<ViewsMutex> enter() const {
    const std::lock_guard one_by_one(door_);
    return std::shared_lock(mutex_);
  }

  mutable Ranked<LockRank::views_door> door_;
  mutable ViewsMutex mutex_;
  VenueView venue_;
  std::atomic<std::uint64_t> version_{1};
};

// The markets of the venue by index and by name. Immutable: read from any thread without a lock.
class MarketTable {
 public:
  // In the order of EngineConfig::markets.
  explicit MarketTable(std::vector<engine::MarketSpec> specs);

  [[nodiscard]] std::optional<engine::MarketIndex> find(std::string_view id) const { return value_in(by_id_, id); }
  [[nodiscard]] const engine::MarketSpec& spec(engine::MarketIndex index) const { return specs_[index.value]; }
  [[nodiscard]] const std::vector<engine::MarketSpec>& specs() const { return specs_; }
  [[nodiscard]] std::size_t size() const { return specs_.size(); }

  // f(MarketIndex, const MarketSpec&) for each market.
  template <class F>
  void each(F&& f) const {
    for (std::size_t i = 0; i < specs_.size(); ++i) f(engine::MarketIndex{static_cast<std::uint16_t>(i)}, specs_[i]);
  }

 private:
  std::vector<engine::MarketSpec> specs_;
  std::map<std::string, engine::MarketIndex, std::less<>> by_id_;
};

// House accounts: the bots that trade on a market. Their addresses begin with 0xb0700000 and are derived from their
// names; nobody holds their keys. Only a short history of them is kept.
inline constexpr std::size_t house_rows_max = 100;  // per kind: orders, fills, activity and the like
[[nodiscard]] Address house_account(std::string_view name);
[[nodiscard]] bool is_house_account(const Address& address);

// Compares what readers see with what the engine holds, every figure known to both: one sentence per figure that
// differs; empty when all agree. Both must be in the state after the same command.
[[nodiscard]] std::vector<std::string> disagreements(const engine::Engine& engine, const VenueView& view,
                                                     TimestampMs now_ms);

}  // namespace svc::sim
