// What the guards remember: the orders sent today, and the latest requests. One locked file per network.
#pragma once

#include "base/clock.h"
#include "cli/machine/paths.h"
#include "cli/store/kept_document.h"
#include "cli/terminal/failure.h"

namespace svc::cli::guards {

inline constexpr std::size_t intent_digits = 16;

struct Intent {
  std::string account;
  // One hash of intent_digits per order, without ids, nonces and signatures, concatenated.
  std::string hashes;
  std::int64_t orders = 0;
  TimestampMs at_ms = 0;
};

struct Standing {
  std::int64_t orders_today = 0;                   // UTC day, before this intent
  std::optional<TimestampMs> same_intent_at_ms{};  // the latest overlapping intent within the window
};

class Ledger {
 public:
  Ledger(const Paths& paths, std::string_view network)
      : file_(paths.guard_ledger(network), 1, "file", "without it the guards cannot count. Remove it to start again") {}

  // Checks and records the intent in one step, so that of ten processes with the same order one passes. Nothing is
  // recorded if `admits` refuses.
  using Admits = std::function<Result<void>(const Standing&)>;
  Result<void> enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const;

  // Only the orders of these hashes took effect, provably: the others may be sent again.
  Result<void> take_back(const Intent& intent, const std::string& hashes_that_stay) const;

 private:
  KeptDocument file_;
};

}  // namespace svc::cli::guards
