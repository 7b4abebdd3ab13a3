#include "vopr/world.h"

#include <utility>

#include "base/assert.h"

namespace svc::vopr {
namespace {

constexpr std::size_t stack_bytes = 1u << 20;

Process* running_process = nullptr;

}  // namespace

Process* running() {
  return running_process;
}

Process::Process(World& of, std::string called, Disk& on, std::uint64_t seed)
    : world(of), name(std::move(called)), disk(on), chance(seed) {}

void Process::die() {
  if (std::exchange(is_dead_, true)) return;
  has_lost_power = ends_by_power;
  world.tell(name, ends_by_power ? "its machine loses its power" : "is killed");
}

bool Process::ends_here() {
  if (ends_after == 0 || --ends_after > 0) return false;
  const Fault fault = is_client ? (ends_by_power ? Fault::client_power : Fault::client_killed)
                                : (ends_by_power ? Fault::server_power : Fault::server_killed);
  world.count(fault);
  return true;
}

void Process::pass_point() {
  if (!is_dead_ && ends_here()) die();
  if (is_dead_) throw Killed{};
}

FileFate Process::file_fate(const FileCall& call) {
  if (is_dead_) return FileFate::failed;
  const auto where = [&] {
    return std::string(call.name) + " " + std::string(call.path.substr(call.path.rfind('/') + 1)) +
           (call.bytes > 0 ? " (" + std::to_string(call.bytes) + " bytes)" : "");
  };
  if (ends_here()) {
    world.tell(name, "at " + where() + ":");
    switch (chance.below(call.bytes > 1 ? 3 : 2)) {
      case 0: return FileFate::killed_before;
      case 1: return FileFate::killed_after;
      default: return FileFate::killed_within;
    }
  }
  constexpr std::uint64_t calls_per_request = 10;
  if (world.happens(is_client ? Fault::client_disk_error : Fault::server_disk_error, chance, calls_per_request)) {
    world.tell(name, where() + " fails: input/output error");
    return FileFate::failed;
  }
  if (call.grows && disk.is_full) {
    world.count(is_client ? Fault::client_disk_full : Fault::server_disk_full);
    world.tell(name, where() + " fails: no space left");
    return call.bytes > 1 && chance.below(2) == 0 ? FileFate::in_part : FileFate::full;
  }
  if (is_client && world.happens(Fault::client_pause, chance)) world.pause(chance.between(0, 3));
  return is_dead_ ? FileFate::failed : FileFate::done;
}

World::World(Plan plan) : plan_(std::move(plan)), now_ms_(world_start_ms) {}

void World::at(TimestampMs when_ms, std::function<void()> what) {
  queue_.push({.at_ms = std::max(when_ms, now_ms_), .order = ++order_, .what = std::move(what)});
}

void World::run() {
  while (!queue_.empty()) {
    Event event = queue_.top();
    queue_.pop();
    now_ms_ = event.at_ms;
    ++events_;
    event.what();
  }
}

void World::start(std::shared_ptr<Process> process, std::function<void()> body) {
  auto fiber = std::make_shared<Fiber>();
  fiber->process = std::move(process);
  fiber->stack = std::make_unique<FiberStack>(stack_bytes, [one = fiber.get(), body = std::move(body)]() noexcept {
    try {
      body();
    } catch (const Killed&) {
    }
    one->is_over = true;
  });
  fibers_.push_back(fiber);
  enter(*fiber);
}

void World::enter(Fiber& fiber) {
  SVC_ASSERT(current_ == nullptr && !fiber.is_over);
  for (const auto& one : fibers_)
    if (one.get() == &fiber) current_ = one;
  running_process = fiber.process.get();
  fiber.stack->enter();
  running_process = nullptr;
  const auto left = std::exchange(current_, nullptr);
  if (fiber.is_over) fibers_.remove(left);
}

void World::kill_all(const Disk& disk) {
  std::vector<std::shared_ptr<Fiber>> ending;
  for (const auto& fiber : fibers_)
    if (&fiber->process->disk == &disk) ending.push_back(fiber);
  for (const auto& fiber : ending) {
    fiber->process->die();
    enter(*fiber);
  }
}

void World::Wait::wake() {
  is_woken_ = true;
  const auto fiber = fiber_.lock();
  if (fiber == nullptr || fiber->waits != serial_) return;
  world_->in(0, [world = world_, fiber, serial = serial_] {
    if (!fiber->is_over && fiber->waits == serial) world->enter(*fiber);
  });
}

void World::leave(Wait& wait, std::int64_t ms) {
  SVC_ASSERT(current_ != nullptr);
  const auto fiber = current_;
  if (wait.is_woken_) return;
  wait.world_ = this;
  wait.fiber_ = fiber;
  wait.serial_ = ++fiber->waits;
  in(ms, [this, fiber, serial = wait.serial_] {
    if (!fiber->is_over && fiber->waits == serial) enter(*fiber);
  });
  fiber->stack->leave();
  ++fiber->waits;  // later wakes for this wait are ignored
}

bool World::wait(Wait& wait, std::int64_t ms) {
  Process& process = *running();
  process.pass_point();
  leave(wait, ms);
  if (process.is_dead()) throw Killed{};
  return wait.is_woken_;
}

void World::sleep(std::int64_t ms) {
  Wait nobody;
  (void)wait(nobody, ms);
}

void World::pause(std::int64_t ms) {
  Wait nobody;
  leave(nobody, ms);
}

void World::as(Process& process, const std::function<void()>& body) {
  Process* const before = std::exchange(running_process, &process);
  body();
  running_process = before;
}

bool World::happens(Fault fault, Prng& chance, std::uint64_t rarer) {
  const std::uint32_t per_mille = plan_.of(fault);
  if (per_mille == 0 || chance.below(1'000 * rarer) >= per_mille) return false;
  count(fault);
  return true;
}

void World::tell(std::string_view who, std::string_view what) {
  const TimestampMs since_ms = now_ms_ - world_start_ms;
  std::string ms = std::to_string(since_ms % second_ms);
  story_.push_back(std::to_string(since_ms / second_ms) + "." + std::string(3 - ms.size(), '0') + ms + "  " +
                   std::string(who) + ": " + std::string(what));
}

void World::complain(std::string what) {
  tell("WRONG", what);
  complaints_.push_back(std::move(what));
}

}  // namespace svc::vopr
