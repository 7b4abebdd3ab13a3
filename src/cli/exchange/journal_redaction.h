// The journal as it may be shown to others. It holds no secrets as it stands; taken out are whose the writes were,
// what they were worth, and what would find them at the service.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cli/exchange/journal_reader.h"

namespace svc::cli {

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

}  // namespace svc::cli
