#include "sim/streams/disconnect_guard.h"

#include <utility>

#include "base/archive.h"

namespace svc::sim {
namespace {

constexpr TimestampMs stream_open = 0;  // instead of a timer's end

}  // namespace

RecordChange DisconnectGuard::row(const Address& account, std::optional<TimestampMs> ends_ms) {
  RecordChange change{.table = RecordTable::disconnect_timers, .key = to_archive(account), .value = {}};
  if (ends_ms) change.value = to_archive(*ends_ms);
  return change;
}

bool DisconnectGuard::restore(const RecordChange& change) {
  if (change.table != RecordTable::disconnect_timers) return true;
  const auto account = from_archive<Address>(change.key);
  if (!account) return false;
  const std::lock_guard lock(mutex_);
  if (change.value)
    restored_.insert(*account);
  else
    restored_.erase(*account);
  return true;
}

void DisconnectGuard::forget() {
  const std::lock_guard lock(mutex_);
  restored_.clear();
  timers_.clear();
}

void DisconnectGuard::begin(TimestampMs now_ms) {
  RecordBatch records;
  {
    const std::lock_guard lock(mutex_);
    for (const Address& account : std::exchange(restored_, {})) {
      const DisconnectSetting setting = settings_.settings_of(account);
      if (setting.connected) continue;
      const TimestampMs ends_ms = now_ms + setting.grace_ms;
      timers_[account] = ends_ms;
      records.push_back(row(account, ends_ms));
    }
  }
  if (!records.empty()) keeper_.keep_later(std::move(records));
}

void DisconnectGuard::stream_opened(const Address& account) {
  RecordBatch records;
  {
    const std::lock_guard lock(mutex_);
    settings_.stream_opened(account);
    timers_.erase(account);
    records.push_back(row(account, stream_open));
  }
  keeper_.keep_later(std::move(records));
}

void DisconnectGuard::stream_closed(const Address& account, TimestampMs now_ms) {
  RecordBatch records;
  {
    const std::lock_guard lock(mutex_);
    if (settings_.stream_closed(account) > 0) return;
    const DisconnectSetting setting = settings_.settings_of(account);
    if (setting.enabled) {
      const TimestampMs ends_ms = now_ms + setting.grace_ms;
      timers_[account] = ends_ms;
      records.push_back(row(account, ends_ms));
    } else {
      records.push_back(row(account, std::nullopt));
    }
  }
  keeper_.keep_later(std::move(records));
}

// An account that changed its mind while the timer ran keeps its orders; so the command is put all the
// same, for nobody's order, and takes the row away.
std::optional<TimedWork::Due> DisconnectGuard::next_due(TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  const std::pair<const Address, TimestampMs>* first = nullptr;
  for (const auto& timer : timers_)
    if (timer.second <= now_ms && (first == nullptr || timer.second < first->second)) first = &timer;
  if (first == nullptr) return std::nullopt;
  firing_ = first->first;
  Due due{.at_ms = first->second,
          .body = engine::PassTime{},
          .records = {row(firing_, std::nullopt)},
          .records_if_applied = {}};
  if (settings_.settings_of(firing_).enabled)
    due.body = engine::CancelAll{.account = firing_,
                                 .market = std::nullopt,
                                 .scope = engine::CancelScope::resting_orders,
                                 .reason = engine::CancelReason::cancel_on_disconnect};
  return due;
}

// Whatever the engine said: an account without orders, or one that it never met, has nothing to cancel.
void DisconnectGuard::done(const Due&, engine::Reject) {
  const std::lock_guard lock(mutex_);
  timers_.erase(firing_);
}

}  // namespace svc::sim
