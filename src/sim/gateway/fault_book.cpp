#include "sim/gateway/fault_book.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace svc::sim {

std::optional<SetFault> FaultBook::add(FaultRule rule) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= limits::fault_rules_max) return std::nullopt;
  const std::uint64_t id = ++last_id_;
  entries_.push_back(
      {.fault = {.id = id, .rule = std::move(rule), .hits = 0}, .chance = Prng(seed_, "fault/" + std::to_string(id))});
  count_.store(entries_.size(), std::memory_order_relaxed);
  return entries_.back().fault;
}

bool FaultBook::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const bool removed = std::erase_if(entries_, [&](const Entry& entry) { return entry.fault.id == id; }) > 0;
  count_.store(entries_.size(), std::memory_order_relaxed);
  return removed;
}

std::size_t FaultBook::clear() {
  const std::lock_guard lock(mutex_);
  const std::size_t count = entries_.size();
  entries_.clear();
  count_.store(0, std::memory_order_relaxed);
  return count;
}

std::vector<SetFault> FaultBook::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<SetFault> faults;
  for (const Entry& entry : entries_) faults.push_back(entry.fault);
  return faults;
}

bool FaultBook::hits(Entry& entry, const FaultSubject& subject) {
  SetFault& fault = entry.fault;
  if (!fits(fault.rule, subject)) return false;
  if (fault.rule.count && fault.hits >= *fault.rule.count) return false;
  // Chance is drawn for every request that fits, so that which ones are hit depends on their order alone.
  if (entry.chance.below(fault_always_ppm) >= fault.rule.rate_ppm) return false;
  ++fault.hits;
  return true;
}

ArrivalFaults FaultBook::arriving(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  ArrivalFaults met;
  for (Entry& entry : entries_) {
    const SetFault& fault = entry.fault;
    if (fault.rule.effect == FaultEffect::skew && hits(entry, subject)) {
      met.skew_ms += fault.rule.skew_ms;
      met.skewed_by = fault.id;
    }
    if (fault.rule.effect == FaultEffect::lost && met.lost_by == 0 && hits(entry, subject)) {
      met.lost_by = fault.id;
      met.latency_ms = fault.rule.latency_ms;
    }
  }
  return met;
}

std::optional<ErrorFault> FaultBook::erring(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    const FaultRule& rule = entry.fault.rule;
    if (rule.effect != FaultEffect::error || !can_answer(subject.operation, rule.code) || !hits(entry, subject))
      continue;
    return ErrorFault{.id = entry.fault.id, .code = rule.code, .status = rule.status, .latency_ms = rule.latency_ms};
  }
  return std::nullopt;
}

DepartureFaults FaultBook::leaving(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  DepartureFaults met;
  for (Entry& entry : entries_) {
    const SetFault& fault = entry.fault;
    const bool drops = fault.rule.effect == FaultEffect::unanswered && met.unanswered_by == 0;
    const bool delays = fault.rule.effect == FaultEffect::latency;
    if ((!drops && !delays) || !hits(entry, subject)) continue;
    if (drops) met.unanswered_by = fault.id;
    if (fault.rule.latency_ms > 0) met.delayed_by = fault.id;
    met.latency_ms += fault.rule.latency_ms;
  }
  return met;
}

std::optional<StreamFault> FaultBook::streaming(const FaultSubject& subject) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.fault.rule.effect == FaultEffect::stream && hits(entry, subject)) return entry.fault.rule.stream;
  }
  return std::nullopt;
}

}  // namespace svc::sim
