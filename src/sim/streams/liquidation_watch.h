// What the liquidations channel tells: steps of an account towards liquidation, and what a liquidation
// closed. (docs/streams.md)
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/records/stream_frames.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/follower.h"
#include "sim/views/market_table.h"

namespace svc::sim {

// What is liquidated as one: the cross account, or an isolated position.
struct BucketHealth {
  std::optional<engine::MarketIndex> market;  // of an isolated position
  i128 equity = 0;                            // 1e-6 USDX
  i128 maintenance = 0;                       // likewise
};

// Those with a position; cross first, then by market.
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

  // Those that are in a worse band than before. The first look only remembers.
  [[nodiscard]] std::vector<Alert> update(std::span<const BucketHealth> buckets);
  [[nodiscard]] bool watching() const { return watching_; }
  void watch() { watching_ = true; }

 private:
  bool watching_ = false;
  bool looked_ = false;
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
  std::vector<ForcedClosure> closures;
  i128 effect = 0;  // on the account's equity at mark, 1e-6 USDX: prices off the mark, fees, what the fund paid
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

  // Of the command that ended; in the order of their accounts.
  [[nodiscard]] std::vector<Liquidation> take();

 private:
  struct Gathered {
    Stamp stamp;
    std::map<engine::MarketIndex, ForcedClosure> closures;
    i128 effect = 0;
  };

  // Part of a position was closed by a trade of that side.
  void close(const Stamp& stamp, const Address& account, engine::Side side, const ForcedClosure& part);

  const MarketTable& markets_;
  std::vector<Ticks> marks_;
  std::map<Address, Gathered> by_account_;
};

}  // namespace svc::sim
