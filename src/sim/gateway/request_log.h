// What the gateway did with the latest requests, the true reason of each refusal included: the API tells
// a caller as little as it can, the sandbox's user everything. (GET /_svc/requests)
//
// Holds no secrets: neither headers nor bodies nor queries. Thread-safe: one lock, held for one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"

namespace svc::sim {

struct RequestLogEntry {
  std::uint64_t number = 0;  // counts from 1, given by the log
  TimestampMs received_at_ms = 0;
  std::string network;  // empty: no network is served under that host
  std::string method;
  std::string path;        // as received, without query
  std::string operation;   // name in the operation table; empty: no route
  std::string credential;  // "hmac", "agent", "action", "bearer", "admin", "owner_signature", "none"
  std::string account;     // whom it proved; empty: nobody
  std::string rule;        // that refused it: "timestamp_outside_window"; empty: none did
  std::string note;        // particulars for a human: "31000 ms behind the server"
  int status = 0;
  std::string code;        // of the error body; empty on success
  std::string bucket;      // charged or exhausted; empty: none
  std::uint64_t cost = 0;  // tokens asked for
};

class RequestLog {
 public:
  explicit RequestLog(std::size_t capacity = limits::request_log_max) : capacity_(capacity) {}

  // Numbers the entry and keeps it; the oldest goes when there are too many.
  void add(RequestLogEntry entry);

  // Those numbered above `after`, oldest first.
  [[nodiscard]] std::vector<RequestLogEntry> since(std::uint64_t after = 0) const;

 private:
  const std::size_t capacity_;
  mutable Ranked<LockRank::counter> mutex_;
  std::uint64_t last_number_ = 0;
  std::deque<RequestLogEntry> entries_;
};

}  // namespace svc::sim
