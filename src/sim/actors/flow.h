// The simulated market activity: index prices, bots and drills, or a tape that is played back. It depends only on
// the sandbox's clock and named random streams: the same seed, inputs and times give the same bytes, whether time
// passes or jumps. (D-390 to D-399)
//
// All memory is kept in the log, together with the commands: after a restart everything continues, and no account is
// funded twice.
//
// Safe to use from any thread.
#pragma once

#include <atomic>
#include <limits>

#include "base/lock_order.h"
#include "sim/actors/actor.h"
#include "sim/actors/index_feed.h"
#include "sim/actors/tape.h"

namespace svc::sim {

// A named, always identical sequence of a bad day. Index moves are glides of the price's logarithm; everything else is
// a set of market conditions, by the time since the drill began. (D-396)
struct Drill {
  std::string_view name;
  std::string_view summary;
  std::int64_t lasts_ms = 0;
  std::span<const Glide> glides{};
  MarketConditions conditions{};
  std::int64_t conditions_last_ms = 0;  // since the drill began; 0: until its end
  bool has_cast = false;                // has accounts of its own

  [[nodiscard]] MarketConditions conditions_at(std::int64_t elapsed_ms) const {
    return conditions_last_ms == 0 || elapsed_ms < conditions_last_ms ? conditions : MarketConditions{};
  }
};

[[nodiscard]] std::span<const Drill> drills();
[[nodiscard]] const Drill* find_drill(std::string_view name);
// "flash-crash, two-market-gap, ..."
[[nodiscard]] std::string drill_list();

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

// Orders from outside: commands of the log, obeyed in its order.

struct SwitchBots {
  bool on = false;
};

// Requires bots. Replaces a running drill.
struct StartDrill {
  std::string name{};
};

struct StartWalk {
  engine::MarketIndex market{};
  Walk walk{};
};

// The price of the market was set by hand: ends a walk or drill that moves it.
struct StopWalk {
  engine::MarketIndex market{};
};

using FlowOrder = std::variant<SwitchBots, StartDrill, StartWalk, StopWalk>;

[[nodiscard]] ActorOrder order_to_flow(const FlowOrder& order);

class Flow final : public ActorTurns {
 public:
  Flow(FlowTerms terms, std::span<const engine::MarketSpec> markets);

  void forget();
  // Starts the flow: what was due while it did not run is skipped. `founded_ms`: when the exchange began.
  void begin(TimestampMs now_ms, TimestampMs founded_ms);
  // Puts the start of the tape off by so much. A new exchange has none yet, so there `ms` is the start. Returns what
  // has to be remembered; empty without a tape.
  [[nodiscard]] ActorMemories put_off_tape(std::int64_t ms);

  [[nodiscard]] const FlowTerms& terms() const { return terms_; }
  [[nodiscard]] bool bots() const { return copy_under(mutex_, switches_.bots); }
  [[nodiscard]] FlowReport report(TimestampMs now_ms) const;

  [[nodiscard]] std::optional<Turn> next_turn(TimestampMs now_ms) override;
  [[nodiscard]] std::optional<TimestampMs> next_ms() const override {
    const TimestampMs next_ms = next_ms_;
    return next_ms == never_ms ? std::nullopt : std::optional(next_ms);
  }
  [[nodiscard]] std::vector<Unit> take_turn(TimestampMs at_ms, const engine::Engine& engine) override;
  void turn_done() override {
    const Change change(*this);
    taken_.reset();
  }
  [[nodiscard]] bool obey(const ActorOrder& order, TimestampMs at_ms, ActorMemories& memories) override;
  // Memories of bots of an earlier version are ignored.
  [[nodiscard]] bool recall(const ActorMemory& memory) override;

 private:
  // The switches, remembered under one key.
  struct Switches {
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
  // Whatever changes what is due holds one. Readers hold other locks, so they do not wait for this one.
  class Change {
   public:
    explicit Change(Flow& flow) : flow_(flow), lock_(flow.mutex_) {}
    ~Change() {
      std::optional<Turn> next;
      if (flow_.begun_) next = flow_.taken_ ? flow_.taken_->turn : flow_.earliest();
      flow_.next_ms_ = next ? next->at_ms : never_ms;
    }

   private:
    Flow& flow_;
    const std::lock_guard<Ranked<LockRank::actors>> lock_;
  };
  static constexpr TimestampMs never_ms = std::numeric_limits<TimestampMs>::max();
  // A turn that was taken but is not done yet.
  struct Taken {
    Turn turn;
    std::vector<Unit> units;
  };

  [[nodiscard]] const Drill* drill_at(TimestampMs at_ms) const {
    const Drill* drill = switches_.drill.empty() ? nullptr : find_drill(switches_.drill);
    return drill != nullptr && at_ms < switches_.drill_ms + drill->lasts_ms ? drill : nullptr;
  }
  [[nodiscard]] MarketConditions conditions_at(TimestampMs at_ms) const {
    const Drill* drill = drill_at(at_ms);
    return drill == nullptr ? MarketConditions{} : drill->conditions_at(at_ms - switches_.drill_ms);
  }
  [[nodiscard]] bool prices_wanted() const {
    if (switches_.bots || feed_.walks()) return true;
    return terms_.oracle_ages && (!tape_ || tape_->is_over());
  }
  [[nodiscard]] std::optional<TimestampMs> next_cast_step() const;
  // The earliest turn that is not taken yet.
  [[nodiscard]] std::optional<Turn> earliest() const;
  void skip_to(TimestampMs at_ms);
  void take_leave(std::vector<Unit>& units, const engine::Engine& engine);
  void price_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units);
  void order_turn(TimestampMs at_ms, const engine::Engine& engine, std::vector<Unit>& units);
  void act(Seat& seat, TimestampMs at_ms, const MarketConditions& conditions, const engine::Engine& engine,
           std::vector<Unit>& units);
  void obey(const SwitchBots& order, TimestampMs at_ms, ActorMemories& memories);
  void obey(const StartDrill& order, TimestampMs at_ms, ActorMemories& memories);
  void obey(const StartWalk& order, TimestampMs at_ms, ActorMemories& memories);
  void obey(const StopWalk& order, TimestampMs, ActorMemories& memories) {
    if (feed_.stop_walk(order.market)) memories.push_back(feed_memory());
  }
  [[nodiscard]] ActorMemory switches_memory() const;
  [[nodiscard]] ActorMemory feed_memory() const;

  const FlowTerms terms_;
  const std::vector<engine::MarketSpec> markets_;

  std::atomic<TimestampMs> next_ms_{never_ms};
  mutable Ranked<LockRank::actors> mutex_;  // guards what follows
  bool begun_ = false;
  Switches switches_;
  IndexFeed feed_;
  TimestampMs next_price_ms_ = 0;
  std::vector<Seat> seats_;
  std::optional<TapePlayer> tape_;
  std::uint64_t tape_line_ = 0;
  TimestampMs tape_began_ms_ = 0;  // 0: with the exchange
  std::optional<Turn> offered_;
  std::optional<Taken> taken_;
};

}  // namespace svc::sim
