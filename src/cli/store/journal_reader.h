// The log of writes read back: each with what became of it. (outbox/log.h)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

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

// The journal as it may be shown to others. It holds no secrets as it stands; taken out are whose the writes were,
// what they were worth, and what would find them at the service.

// The same value has the same stand-in everywhere, so that the story can still be followed: "account-1", "client-2".
class Pseudonyms {
 public:
  [[nodiscard]] std::string of(std::string_view kind, std::string_view value);

 private:
  std::map<std::pair<std::string, std::string>, std::string, std::less<>> given_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

// Times, commands, operations, statuses, error codes and outcomes stay. Ids, accounts and client ids become names; the
// target becomes the path of its operation; body, digest, nonce and evidence are null.
[[nodiscard]] JournalRecord redacted_record(const JournalRecord& record, Pseudonyms& names);

// Those that everybody knows stay; a name of the user's own may tell who he is.
[[nodiscard]] std::string redacted_network(const std::string& name);

// The latest requests that failed, with everything that was signed, for `svc why`. No secrets: a signature is
// kept as its hash, so that it can be compared and not be used.

class FailureLog {
 public:
  FailureLog(const Paths& paths, std::string_view network) : folder_(paths.failures(network)) {}

  // `record` has an `id` that sorts by time. At most failures_kept stay; older ones go.
  [[nodiscard]] Result<void, Failure> keep(const Json& record) const;
  // By id, or the latest; nullopt if there is none.
  [[nodiscard]] Result<std::optional<Json>, Failure> find(const std::optional<std::string>& id) const;

 private:
  static constexpr std::size_t failures_kept = 32;

  std::filesystem::path folder_;
};

}  // namespace svc::cli
