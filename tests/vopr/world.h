// Time, and whoever runs in it: one event after the other, processes as fibers, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fiber_switch.h"
#include "base/random.h"
#include "vopr/disk.h"
#include "vopr/plan.h"

namespace svc::vopr {

// The process was killed: nothing of it runs any more. What still unwinds is in a void (Process::is_dead).
struct Killed {};

// What a file call of a process comes to.
enum class FileFate : std::uint8_t {
  done,
  failed,
  full,
  in_part,        // less was written than was asked
  killed_before,  // the process is killed before the call
  killed_within,  // ... in the middle of a write, which is torn
  killed_after,
};

class World;

// A program at work: its files, and when it ends against its will.
class Process {
 public:
  Process(World& world, std::string name, Disk& disk, std::uint64_t seed);

  // Of a call that changes files.
  struct FileCall {
    std::string_view name;
    std::string_view path;
    std::size_t bytes = 0;  // of a write, which may be torn
    bool grows = false;     // the file needs more space
  };
  [[nodiscard]] FileFate file_fate(const FileCall& call);

  World& world;
  const std::string name;
  Disk& disk;
  Prng chance;
  bool is_client = false;
  bool has_lost_power = false;   // with its machine
  std::uint64_t ends_after = 0;  // so many calls; 0: not before its end
  bool ends_by_power = false;

  // Its file calls do nothing from then on, and the first wait unwinds it.
  void die();
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  // A point at which it may be killed; throws Killed if it is, or was.
  void pass_point();

 private:
  [[nodiscard]] bool ends_here();

  bool is_dead_ = false;
};

// What runs now; null between events.
[[nodiscard]] Process* running();

class World {
 public:
  explicit World(Plan plan);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] TimestampMs now_ms() const { return now_ms_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

  void at(TimestampMs when_ms, std::function<void()> what);
  void in(std::int64_t wait_ms, std::function<void()> what) { at(now_ms_ + wait_ms, std::move(what)); }
  // Until nothing is left to happen.
  void run();
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // `body` runs as that process, at once and in turns.
  void start(std::shared_ptr<Process> process, std::function<void()> body);
  // Whoever waits on the machine of that disk ends here.
  void kill_all(const Disk& disk);

  // Of the process that runs: others go on meanwhile. Throws Killed.
  void sleep(std::int64_t ms);
  // Until somebody wakes it, or so long. False: the time ran out. Throws Killed.
  class Wait;
  bool wait(Wait& wait, std::int64_t ms);
  // Sleeps within a call of C, where nothing may be thrown: ask is_dead() afterwards.
  void pause(std::int64_t ms);

  // Runs as the process, on the stack of whoever calls: the server has no fiber.
  void as(Process& process, const std::function<void()>& body);

  // From now on nothing goes wrong any more.
  void end_faults() { plan_.per_mille.fill(0); }
  // Draws; counts if it happens. `rarer`: where there are many occasions.
  [[nodiscard]] bool happens(Fault fault, Prng& chance, std::uint64_t rarer = 1);
  void count(Fault fault) { ++injected_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] const std::array<std::uint64_t, fault_count>& injected() const { return injected_; }

  // The story: what happened, in plain words.
  void tell(std::string_view who, std::string_view what);
  [[nodiscard]] const std::vector<std::string>& story() const { return story_; }
  // What must not be.
  void complain(std::string what);
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Event {
    TimestampMs at_ms;
    std::uint64_t order;
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at_ms != b.at_ms ? a.at_ms > b.at_ms : a.order > b.order;
    }
  };
  struct Fiber {
    std::shared_ptr<Process> process;
    std::unique_ptr<FiberStack> stack;
    std::uint64_t waits = 0;  // which wait it is in: a wake for an earlier one comes too late
    bool is_over = false;
  };
  friend class Wait;

  void enter(Fiber& fiber);
  // Leaves until it is woken, or so long.
  void leave(Wait& wait, std::int64_t ms);

  Plan plan_;
  TimestampMs now_ms_;
  std::uint64_t order_ = 0;
  std::uint64_t events_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::list<std::shared_ptr<Fiber>> fibers_;
  std::shared_ptr<Fiber> current_;
  std::array<std::uint64_t, fault_count> injected_{};
  std::vector<std::string> story_;
  std::vector<std::string> complaints_;
};

// A clock of a machine, which may be wrong.
class WorldClock final : public Clock {
 public:
  explicit WorldClock(const World& world) : world_(world) {}
  [[nodiscard]] TimestampMs now_ms() const override { return world_.now_ms() + ahead_ms; }

  std::int64_t ahead_ms = 0;

 private:
  const World& world_;
};

class World::Wait {
 public:
  // The one who waits goes on, as the next event.
  void wake();

 private:
  friend class World;
  World* world_ = nullptr;
  std::weak_ptr<Fiber> fiber_{};
  std::uint64_t serial_ = 0;
  bool is_woken_ = false;
};

// 2026-09-21T12:00:00Z: when each world begins.
inline constexpr TimestampMs world_start_ms = 1'790'000'000'000 - 1'790'000'000'000 % day_ms + day_ms / 2;

}  // namespace svc::vopr
