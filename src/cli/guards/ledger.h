// What the guards remember: orders sent today, and what was asked for a moment ago. One locked file per network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli::guards {

inline constexpr std::size_t intent_digits = 16;

struct Intent {
  std::string account;
  // Of what is asked, without ids, nonces and signatures: intent_digits each, one for each order, one after the other.
  std::string hashes;
  std::int64_t orders = 0;
  TimestampMs at_ms = 0;
};

struct Standing {
  std::int64_t orders_today = 0;                   // UTC day, before this intent
  std::optional<TimestampMs> same_intent_at_ms{};  // the latest one within the window that has something in common
};

class Ledger {
 public:
  Ledger(const Paths& paths, std::string_view network) : file_(paths.guard_ledger(network)) {}

  // Looks and enters the intent in one step, so that of ten processes with the same order one passes. `admits`
  // decides; if it refuses, nothing is entered.
  using Admits = std::function<Result<void, Failure>(const Standing&)>;
  [[nodiscard]] Result<void, Failure> enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const;

  // It is proved that nothing came of the intent, but for the orders of which the hashes stay: the rest may be asked
  // for again.
  [[nodiscard]] Result<void, Failure> take_back(const Intent& intent, const std::string& hashes_that_stay) const;

 private:
  std::filesystem::path file_;
};

}  // namespace svc::cli::guards
