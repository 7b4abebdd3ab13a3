// The simulated market activity: index prices, bots and drills, or a tape that is played back. It depends only on
// the sandbox's clock and named random streams: the same seed, inputs and times give the same bytes, whether time
// passes or jumps. (D-390 to D-399)
//
// All memory is kept as rows of the log, together with the commands: after a restart everything continues, and no
// account is funded twice.
//
// Safe to use from any thread.
#pragma once

#include <mutex>

#include "base/lock_order.h"
#include "sim/actors/actor.h"
#include "sim/actors/index_feed.h"
#include "sim/actors/tape.h"

namespace svc::sim {

// The settings of a new exchange.
struct FlowTerms {
  bool bots = false;
  bool oracle_ages = false;  // markets go stale without prices: one is sent every second, even while bots are off
  std::shared_ptr<const Tape> tape;  // played from the start; nullptr: none
  std::uint64_t seed = 1;
};

struct FlowReport {
  bool bots = false;
  std::string drill{};  // the running drill; empty: none
  TimestampMs drill_ends_ms = 0;
  std::optional<TapePlayer::Progress> tape{};
  struct Bot {
    std::string name;
    Address account;
  };
  std::vector<Bot> cast{};  // empty before the first start
};

class Flow final : public ActorTurns {
 public:
  Flow(FlowTerms terms, std::span<const engine::MarketSpec> markets);

  // Restores a row of the log; rows of other tables are ignored. False if the row is invalid.
  [[nodiscard]] bool restore(const RecordChange& change);
  void forget();
  // Starts the flow: what was due while it did not run is skipped. `founded_ms`: when the exchange began.
  void begin(TimestampMs now_ms, TimestampMs founded_ms);

  // From that instant on. The caller logs the changes.
  [[nodiscard]] RecordBatch set_bots(bool on, TimestampMs now_ms);
  // Requires bots. Replaces a running drill.
  [[nodiscard]] RecordBatch start_drill(const Drill& drill, TimestampMs now_ms);
  [[nodiscard]] RecordBatch start_walk(engine::MarketIndex market, const Walk& walk);
  // The price of the market was set by hand: ends a walk or drill that moves it.
  [[nodiscard]] RecordBatch stop_walk(engine::MarketIndex market);

  [[nodiscard]] const FlowTerms& terms() const { return terms_; }
  [[nodiscard]] bool bots() const;
  [[nodiscard]] FlowReport report(TimestampMs now_ms) const;

  [[nodiscard]] std::optional<Turn> next_turn(TimestampMs now_ms) override;
  [[nodiscard]] std::vector<Unit> take_turn(TimestampMs at_ms, const engine::Engine& engine) override;
  void turn_done() override;

 private:
  // The switches, stored as one row.
  struct Switches {
    bool known = false;  // somebody set it
    bool bots = false;
    TimestampMs leave_ms = 0;  // when all house orders are cancelled; 0: they stay
    std::string drill{};       // last started; empty: none
    TimestampMs drill_ms = 0;
    std::uint64_t drills = 0;      // so far
    std::uint64_t drill_step = 0;  // the next step of its cast
  };
  struct Seat {
    std::unique_ptr<Actor> actor;
    std::size_t place = 0;
    TimestampMs wakes_ms = 0;
    bool funded = false;
  };
  // A turn that was taken but is not done yet.
  struct Taken {
    Turn turn;
    std::vector<Unit> units;
  };

  [[nodiscard]] const Drill* drill_at(TimestampMs at_ms) const;
  [[nodiscard]] MarketConditions conditions_at(TimestampMs at_ms) const;
  [[nodiscard]] bool prices_wanted() const;
  [[nodiscard]] std::optional<TimestampMs> next_cast_step() const;
  void skip_to(TimestampMs at_ms);
  void create_actors();
  void take_leave(std::vector<Unit>& units, const engine::Engine& engine);
  void price_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units);
  void order_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units);
  void act(Seat& seat, TimestampMs at_ms, const MarketConditions& conditions, const engine::Engine& engine,
           std::vector<Unit>& units);
  [[nodiscard]] RecordChange switches_row() const;
  [[nodiscard]] RecordChange feed_row() const;

  const FlowTerms terms_;
  const std::vector<engine::MarketSpec> markets_;

  mutable Ranked<LockRank::actors> mutex_;  // guards what follows
  bool begun_ = false;
  Switches switches_;
  IndexFeed feed_;
  TimestampMs next_price_ms_ = 0;
  std::vector<Seat> seats_;
  std::optional<TapePlayer> tape_;
  std::uint64_t tape_line_ = 0;
  std::optional<Turn> offered_;
  std::optional<Taken> taken_;
};

// The accounts of the drill two-market-gap. One is long the first market, one is short it and long the second, one
// is short the second. When both markets fall, the first account becomes insolvent, and so does the only one that
// could take over its position.
//
// Positions are far larger than those of the bots, so that what bots could take over does not suffice. Each run has
// its own accounts.

// When its steps are due, since the drill began.
inline constexpr std::int64_t gap_steps_ms[] = {1 * second_ms, 2 * second_ms, 3 * second_ms};

// The commands of that step of that run.
[[nodiscard]] std::vector<Unit> gap_step(std::size_t step, std::uint64_t run, const engine::Engine& engine,
                                         TimestampMs now_ms);

}  // namespace svc::sim
