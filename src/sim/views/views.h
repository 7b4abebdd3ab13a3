// Everything readable that is folded from the engine's events, behind one lock of its own: a reader
// waits for the folding of one command at most, never for matching.
//
// Safe to use from any thread.
#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "base/address.h"
#include "sim/sequencer/follower.h"
#include "sim/views/account_view.h"
#include "sim/views/market_view.h"

namespace svc::sim {

struct VenueTotals {
  std::uint64_t events = 0;
  std::uint64_t fills = 0;
  std::uint64_t liquidations = 0;
  engine::Sequence sequence;      // of the command folded last
  TimestampMs last_event_ms = 0;  // 0: nothing happened yet
};

// The whole picture as of one command.
class VenueView {
 public:
  explicit VenueView(std::size_t market_count) : markets_(market_count) {}

  void fold(const Stamp& stamp, const engine::Event& event);

  [[nodiscard]] const MarketView& market(engine::MarketIndex index) const { return markets_[index.value]; }
  // An account that nothing happened to yet has an empty view.
  [[nodiscard]] const AccountView& account(const Address& address) const;
  [[nodiscard]] const std::map<Address, AccountView>& accounts() const { return accounts_; }
  [[nodiscard]] const VenueTotals& totals() const { return totals_; }

 private:
  std::vector<MarketView> markets_;
  std::map<Address, AccountView> accounts_;
  std::uint64_t funds_rows_ = 0;
  VenueTotals totals_;
};

class Views final : public Follower {
 public:
  explicit Views(std::size_t market_count) : venue_(market_count) {}

  void follow(const Stamp& stamp, std::span<const engine::Event> events) override;

  // f(const VenueView&). What it returns must not refer into the view.
  template <class F>
  [[nodiscard]] auto read(F&& f) const {
    const std::shared_lock lock = enter();
    return std::forward<F>(f)(std::as_const(venue_));
  }

 private:
  // Readers pass one by one, and none passes a writer who waits: a crowd of readers cannot lock it out.
  [[nodiscard]] std::shared_lock<std::shared_mutex> enter() const {
    const std::lock_guard one_by_one(door_);
    return std::shared_lock(mutex_);
  }

  mutable std::mutex door_;
  mutable std::shared_mutex mutex_;
  VenueView venue_;
};

}  // namespace svc::sim
