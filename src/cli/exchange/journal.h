// The record of every write: an intent before the first byte leaves, an outcome after. One file per
// network and UTC day, one JSON object per line, append only; docs/cli.md describes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/exchange/call.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli {

struct Intent {
  std::string id;  // joins intent and outcome
  TimestampMs at_ms = 0;
  std::string command;
  std::string account;  // empty if none is known
  std::string target;
  std::optional<std::uint64_t> nonce;
};

class Journal {
 public:
  Journal(const Paths& paths, std::string_view network) : folder_(paths.journal(network)) {}

  // On disk when this returns: a crash after it leaves a trace of what was about to be sent.
  [[nodiscard]] Result<void, Failure> intend(const Intent& intent, const Call& call) const;
  // `code` is empty for a success.
  [[nodiscard]] Result<void, Failure> conclude(std::string_view id, TimestampMs at_ms, std::optional<int> status,
                                               std::string_view code, ExitCode exit) const;
  // What a look-up found of an intent whose answer was lost.
  [[nodiscard]] Result<void, Failure> reconciled(std::string_view id, TimestampMs at_ms, std::string_view verdict,
                                                 std::string_view evidence) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace svc::cli
