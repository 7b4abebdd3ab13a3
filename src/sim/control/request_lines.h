// Entries of the request log as text: for the terminal, and for log collectors.
#pragma once

#include "sim/gateway/request_context.h"

namespace svc::sim {

enum class LogStyle : std::uint8_t { none, pretty, json, failed };  // failed: pretty, refusals only

// "12:00:00.000 401 GET /orders hmac: unauthorized, timestamp_outside_window (31000 ms behind the server)"
[[nodiscard]] std::string pretty_line(const RequestLogEntry& entry);

// Reads a request log incrementally. Not thread-safe.
class RequestFollower {
 public:
  RequestFollower(const RequestLog& log, LogStyle style) : log_(log), style_(style) {}

  // The lines added since the last call, each with its line feed; reports how many were lost in between.
  [[nodiscard]] std::string new_lines();

 private:
  const RequestLog& log_;
  LogStyle style_;
  std::uint64_t seen_ = 0;
};

}  // namespace svc::sim
