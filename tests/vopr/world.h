// Simulated time and processes: one event after the other, processes as fibers, one thread.
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

// The process was killed and runs no more. Code that still unwinds has no effect (Process::is_dead).
struct Killed {};

// The result of a process's file call.
enum class FileFate : std::uint8_t {
  done,
  failed,
  full,
  in_part,        // fewer bytes were written than requested
  killed_before,  // the process is killed before the call
  killed_within,  // ... in the middle of a write, which is torn
  killed_after,
};

class World;

// A running program: its files, and when it will be killed.
class Process {
 public:
  Process(World& world, std::string name, Disk& disk, std::uint64_t seed);

  // A call that changes files.
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
  std::uint64_t ends_after = 0;  // number of calls; 0: not killed
  bool ends_by_power = false;

  // From then on its file calls do nothing, and the first wait unwinds it.
  void die();
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  // A point at which it may be killed; throws Killed if it is or was.
  void pass_point();

 private:
  [[nodiscard]] bool ends_here();

  bool is_dead_ = false;
};

// The running process; null between events.
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
  // Runs until no events are left.
  void run();
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // Runs `body` as that process, now and in turns.
  void start(std::shared_ptr<Process> process, std::function<void()> body);
  // Ends all processes waiting on that disk's machine.
  void kill_all(const Disk& disk);

  // For the running process: others continue meanwhile. Throws Killed.
  void sleep(std::int64_t ms);
  // Waits for a wake, or a timeout (false). Throws Killed.
  class Wait;
  bool wait(Wait& wait, std::int64_t ms);
  // Sleeps within a C call, where nothing may be thrown: check is_dead() afterwards.
  void pause(std::int64_t ms);

  // Runs as the process, on the caller's stack: the server has no fiber.
  void as(Process& process, const std::function<void()>& body);

  // Ends all faults.
  void end_faults() { plan_.per_mille.fill(0); }
  // Draws whether the fault happens, and counts it. `rarer`: for frequent occasions.
  [[nodiscard]] bool happens(Fault fault, Prng& chance, std::uint64_t rarer = 1);
  void count(Fault fault) { ++injected_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] const std::array<std::uint64_t, fault_count>& injected() const { return injected_; }

  // Adds to the story of the run, in plain words.
  void tell(std::string_view who, std::string_view what);
  [[nodiscard]] const std::vector<std::string>& story() const { return story_; }
  // Reports a broken promise.
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
    std::uint64_t waits = 0;  // number of the current wait: wakes for earlier ones are ignored
    bool is_over = false;
  };
  friend class Wait;

  void enter(Fiber& fiber);
  // Yields until woken, or for this long.
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

// A machine's clock, which may be wrong.
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
  // Resumes the waiter, as the next event.
  void wake();

 private:
  friend class World;
  World* world_ = nullptr;
  std::weak_ptr<Fiber> fiber_{};
  std::uint64_t serial_ = 0;
  bool is_woken_ = false;
};

// 2026-09-21T12:00:00Z: the start of each world.
inline constexpr TimestampMs world_start_ms = 1'790'000'000'000 - 1'790'000'000'000 % day_ms + day_ms / 2;

}  // namespace svc::vopr
