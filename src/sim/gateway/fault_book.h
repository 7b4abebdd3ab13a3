// The faults set by the sandbox's user: for which requests, how often, and with what effect. (/_svc/faults)
//
// Which matching requests a rule hits is drawn from the sandbox's seed and the rule's number: the same requests in the
// same order get the same faults. Rules act in the order of their numbers; of several errors the first counts, delays
// and skews add up. A rule has one effect:
//
//   skew               the clock for checking credentials is off by that much
//   lost               the request never arrives: nothing is checked, charged or handled, the connection ends
//   error              after the credential, the budget and the form of the body were accepted:
//     before handling    nearly every code: nothing happened
//     write refused      codes that say "rolled back" (refuses_write): the operation runs, its write is refused
//                        and everything it changed is undone
//     after handling     codes that leave the outcome open, and the full table of streams, which spends the token
//                        (happens_first): it happened, but the answer denies it
//   unanswered         it was handled, but the answer is lost: the connection ends without a byte
//   latency            the answer takes longer; alone, or with an error, a loss or a lost answer
//   stream             for streams: an event is missed, sent twice or out of order, or the connection ends
//
// (API: Errors; decisions D-245 to D-248) Thread-safe: one lock, held for one look-up; without rules a request costs
// one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/control.h"
#include "api/error_catalog.h"
#include "api/operation.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "base/random.h"
#include "base/text_condition.h"

namespace svc::sim {

enum class FaultEffect : std::uint8_t { latency, skew, lost, error, unanswered, stream };

using api::control::StreamFault;

inline constexpr std::uint32_t fault_always_ppm = 1'000'000;
inline constexpr std::size_t fault_when_chars_max = 256;
inline constexpr std::size_t fault_when_conditions_max = 8;

struct FaultRule {
  // Which requests: every given condition must match. Twins count as the operation they copy.
  std::string route;      // glob over the logical path: '*' stands for any text; empty: every path
  std::string operation;  // name in the operation table; empty: every one
  std::optional<api::Method> method = {};
  std::optional<Address> account = {};  // of the credential
  // On method, path, operation, account, query.NAME and body.NAME (body.orders.0.price for nested members).
  std::optional<TextConditions> when = {};

  // How often.
  std::uint32_t rate_ppm = fault_always_ppm;  // of the matching requests, drawn from the sandbox's seed
  std::optional<std::uint32_t> count = {};    // number of hits, then the rule stops acting

  // Effect.
  FaultEffect effect = FaultEffect::latency;
  api::ErrorCode code = api::ErrorCode::internal_error;  // for an error
  std::uint16_t status = 0;                              // 0: the code's, as the operation declares it
  std::int64_t latency_ms = 0;                           // real time, independent of the sandbox's clock
  std::int64_t skew_ms = 0;                              // positive: the server's clock is ahead
  StreamFault stream = StreamFault::gap;
};

struct FaultSubject {
  const api::Operation& operation;
  std::string_view path;           // logical
  std::optional<Address> account;  // nullopt: none, or not known yet
  std::string_view query = {};
  std::string_view body = {};    // as received
  bool version_exempt = false;   // it passes whatever version it names
  bool bears_credential = true;  // a clock is compared with nothing else
};

// What a condition names of the query or of the body; nullopt: it is about something else.
struct RequestMember {
  api::In where;
  std::string_view path;
};
[[nodiscard]] std::optional<RequestMember> request_member(std::string_view path);
// Whether conditions may name it.
[[nodiscard]] bool is_request_member(std::string_view path);

[[nodiscard]] bool fits(const FaultRule& rule, const FaultSubject& subject);

// The code that a deployment would use for a bare status; nullopt if the status is ambiguous or unused.
[[nodiscard]] std::optional<api::ErrorCode> usual_code(int status);

// Codes that promise "The adjustment was rolled back". Operations that do not declare the code answer it first.
[[nodiscard]] bool refuses_write(api::ErrorCode code);
[[nodiscard]] bool declares(const api::Operation& operation, api::ErrorCode code);
[[nodiscard]] bool happens_first(api::ErrorCode code, const api::Operation& operation);
struct SetFault {
  std::uint64_t id = 0;  // counts from 1, never used again
  FaultRule rule;
  std::uint64_t hits = 0;
};

// Of each kind: the number of the last rule that acted; 0: none.
struct ArrivalFaults {
  std::int64_t skew_ms = 0;
  std::uint64_t skewed_by = 0;
  std::uint64_t lost_by = 0;
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
  bool remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const bool removed = std::erase_if(entries_, [&](const Entry& entry) { return entry.fault.id == id; }) > 0;
    count_.store(entries_.size(), std::memory_order_relaxed);
    return removed;
  }
  // Returns how many rules there were.
  std::size_t clear() {
    const std::lock_guard lock(mutex_);
    const std::size_t count = entries_.size();
    entries_.clear();
    count_.store(0, std::memory_order_relaxed);
    return count;
  }
  [[nodiscard]] std::vector<SetFault> list() const {
    const std::lock_guard lock(mutex_);
    std::vector<SetFault> faults;
    for (const Entry& entry : entries_) faults.push_back(entry.fault);
    return faults;
  }

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Each is called once, at its point of a request's life; a hit is counted.
  [[nodiscard]] ArrivalFaults arriving(const FaultSubject& subject);
  [[nodiscard]] std::optional<SetFault> erring(const FaultSubject& subject);
  [[nodiscard]] DepartureFaults leaving(const FaultSubject& subject);
  // For streams: the fault for the next event of that operation's stream.
  [[nodiscard]] std::optional<StreamFault> streaming(const FaultSubject& subject) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.fault.rule.effect == FaultEffect::stream && hits(entry, subject)) return entry.fault.rule.stream;
    }
    return std::nullopt;
  }

 private:
  struct Entry {
    SetFault fault;
    Prng chance;
  };

  // The rule matches, is still active, and the random draw hits.
  static bool hits(Entry& entry, const FaultSubject& subject);

  const std::uint64_t seed_;
  std::atomic<std::size_t> count_{0};
  mutable Ranked<LockRank::counter> mutex_;
  std::uint64_t last_id_ = 0;
  std::deque<Entry> entries_;
};

// Real time by which every answer is delayed: `base_ms`, and up to `jitter_ms` more or less.
struct AnswerLatency {
  std::int64_t base_ms = 0;
  std::int64_t jitter_ms = 0;
};

}  // namespace svc::sim
