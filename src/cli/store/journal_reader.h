// Reads the log of writes: each write with its outcome. (store/write_log.h)
#pragma once

#include <map>

#include "base/clock.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

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

// Oldest first. Lines that were torn by a power cut are skipped.
Result<std::vector<JournalRecord>> read_journal(const Environment& environment, const Paths& paths,
                                                std::string_view network, TimestampMs since_ms);

// The journal in a form that may be shown to others. The log itself contains no secrets; what is removed are the
// accounts, the amounts, and the ids by which the service could find the writes.

// Equal values get equal pseudonyms ("account-1", "client-2"), so that the sequence of events can still be followed.
class Pseudonyms {
 public:
  [[nodiscard]] std::string of(std::string_view kind, std::string_view value);

 private:
  std::map<std::pair<std::string, std::string>, std::string, std::less<>> given_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

// Keeps times, commands, operations, statuses, error codes and outcomes. Ids, accounts and client ids become
// pseudonyms, the target becomes the operation's path; body, digest, nonce and evidence become null.
[[nodiscard]] JournalRecord redacted_record(const JournalRecord& record, Pseudonyms& names);

// Well-known names stay; a name of the user's own is replaced, because it may identify the user.
[[nodiscard]] std::string redacted_network(const std::string& name);

// The latest failed requests with all that was signed, for `svc why`. Of a signature only a hash is kept, to compare.

// The `id` of `record` sorts by time. Only the newest records stay.
Result<void> keep_failure(const Paths& paths, std::string_view network, const Json& record);
// By id, or the latest one; nullopt if there is none.
Result<std::optional<Json>> find_failure(const Paths& paths, std::string_view network,
                                         const std::optional<std::string>& id);

}  // namespace svc::cli
