// The log of writes read back: each with what became of it. (outbox/log.h)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"
#include "cli/json.h"

namespace svc::cli {

struct Environment;

struct JournalRecord {
  std::string id;
  TimestampMs at_ms = 0;
  std::string command;
  std::string operation;
  std::vector<std::string> client_ids{};
  Json intent{};   // the line as written
  Json outcome{};  // the latest line about it; null if none was written
  Json reconciled{};

  // "accepted", a category of failure, a verdict of a look-up, or "unanswered".
  [[nodiscard]] std::string result() const;
};

// Oldest first. Lines that a power cut left half written are passed over.
[[nodiscard]] Result<std::vector<JournalRecord>, Failure> read_journal(const Environment& environment,
                                                                       const Paths& paths, std::string_view network,
                                                                       TimestampMs since_ms);

}  // namespace svc::cli
