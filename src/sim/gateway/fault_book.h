// The faults that are set now, and what they do to one request. (/_svc/faults)
//
// Which of the fitting requests a rule hits is drawn from a stream of the sandbox's seed and the rule's
// number: the same requests in the same order meet the same faults. Rules are asked in the order of their
// numbers; of several errors the first counts, delays and skews add up.
//
// Thread-safe: one lock, held for one look; without rules a request costs one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/lock_order.h"
#include "base/prng.h"
#include "base/result.h"
#include "sim/gateway/fault_rule.h"

namespace svc::sim {

struct SetFault {
  std::uint64_t id = 0;  // counts from 1, never used again
  FaultRule rule;
  std::uint64_t hits = 0;
};

// Of each kind: the number of the rule that acted last; 0: none did.
struct ArrivalFaults {
  std::int64_t skew_ms = 0;
  std::uint64_t skewed_by = 0;
  std::uint64_t lost_by = 0;
  std::int64_t latency_ms = 0;
};

struct ErrorFault {
  std::uint64_t id = 0;
  api::ErrorCode code = api::ErrorCode::internal_error;
  std::uint16_t status = 0;
  std::int64_t latency_ms = 0;
};

struct DepartureFaults {
  std::uint64_t unanswered_by = 0;
  std::uint64_t delayed_by = 0;
  std::int64_t latency_ms = 0;
};

class FaultBook {
 public:
  explicit FaultBook(std::uint64_t seed) : seed_(seed) {}

  // Refused beyond limits::fault_rules_max.
  [[nodiscard]] std::optional<SetFault> add(FaultRule rule);
  // False if there is no such rule.
  bool remove(std::uint64_t id);
  // How many there were.
  std::size_t clear();
  // In the order of their numbers.
  [[nodiscard]] std::vector<SetFault> list() const;

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Asked once each, at these points of a request's life; each counts as a hit.
  [[nodiscard]] ArrivalFaults arriving(const FaultSubject& subject);
  [[nodiscard]] std::optional<ErrorFault> erring(const FaultSubject& subject);
  [[nodiscard]] DepartureFaults leaving(const FaultSubject& subject);
  // For streams: what happens to the next event of that operation's stream.
  [[nodiscard]] std::optional<StreamFault> streaming(const FaultSubject& subject);

 private:
  struct Entry {
    SetFault fault;
    Prng chance;
  };

  // The rule fits, is not at rest, and chance says so.
  static bool hits(Entry& entry, const FaultSubject& subject);

  const std::uint64_t seed_;
  std::atomic<std::size_t> count_{0};
  mutable Ranked<LockRank::counter> mutex_;
  std::uint64_t last_id_ = 0;
  std::deque<Entry> entries_;
};

}  // namespace svc::sim
