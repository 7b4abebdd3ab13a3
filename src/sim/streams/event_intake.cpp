#include "sim/streams/event_intake.h"

#include <utility>
#include <variant>

namespace svc::sim {
namespace {

template <class Body>
constexpr bool is_heard =
    std::is_same_v<Body, engine::OrderChanged> || std::is_same_v<Body, engine::Trade> ||
    std::is_same_v<Body, engine::Fill> || std::is_same_v<Body, engine::PositionChanged> ||
    std::is_same_v<Body, engine::PositionClosed> || std::is_same_v<Body, engine::BalanceChanged> ||
    std::is_same_v<Body, engine::OrderMarginChanged> || std::is_same_v<Body, engine::BookLevelChanged> ||
    std::is_same_v<Body, engine::MarkChanged> || std::is_same_v<Body, engine::InsuranceChanged> ||
    std::is_same_v<Body, engine::Deleveraged> || std::is_same_v<Body, engine::MarketStatusChanged>;

bool heard(const engine::Event& event) {
  return std::visit([]<class Body>(const Body&) { return is_heard<Body>; }, event);
}

// A book is sent whole: of several levels that changed in a row one is enough.
bool says_the_same(const engine::Event& event, const Happened& before, const Stamp& stamp) {
  const auto* level = std::get_if<engine::BookLevelChanged>(&event);
  const auto* last = std::get_if<engine::BookLevelChanged>(&before.event);
  return level != nullptr && last != nullptr && level->market == last->market &&
         before.stamp.sequence == stamp.sequence;
}

}  // namespace

void EventIntake::follow(const Stamp& stamp, std::span<const engine::Event> events) {
  {
    const std::lock_guard lock(mutex_);
    for (const engine::Event& event : events) {
      if (!heard(event) || (!waiting_.empty() && says_the_same(event, waiting_.back(), stamp))) continue;
      if (waiting_.size() >= capacity_) {
        waiting_.clear();
        forgot_ = true;
      }
      waiting_.push_back({stamp, event});
    }
  }
  arrived_.notify_one();
}

bool EventIntake::take(std::vector<Happened>& into) {
  into.clear();
  const std::lock_guard lock(mutex_);
  std::swap(into, waiting_);
  return !std::exchange(forgot_, false);
}

void EventIntake::forget() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    forgot_ = true;
  }
  arrived_.notify_one();
}

void EventIntake::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, stop, [this] { return !waiting_.empty() || forgot_; });
}

}  // namespace svc::sim
