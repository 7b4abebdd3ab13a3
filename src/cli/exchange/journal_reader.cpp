#include "cli/exchange/journal_reader.h"

#include <map>

#include "cli/environment.h"
#include "cli/outbox/log.h"

namespace svc::cli {
namespace {

JournalRecord record_of(const Json& line) {
  const auto member = [&](std::string_view key) { return std::string(line.string_at(key).value_or("")); };
  JournalRecord record{.id = member("id"),
                       .at_ms = line.integer_at("time_ms").value_or(0),
                       .command = member("command"),
                       .operation = member("operation")};
  if (const Json* ids = line.find("client_ids")) {
    for (const Json& id : ids->items()) record.client_ids.push_back(id.text());
  }
  record.intent = line;
  return record;
}

}  // namespace

std::string JournalRecord::result() const {
  if (const auto verdict = reconciled.string_at("verdict")) return std::string(*verdict);
  if (const auto told = outcome.string_at("outcome")) return std::string(*told);
  return "unanswered";
}

Result<std::vector<JournalRecord>, Failure> read_journal(const Environment& environment, const Paths& paths,
                                                         std::string_view network, TimestampMs since_ms) {
  std::vector<JournalRecord> records;
  std::map<std::string, std::size_t, std::less<>> by_id;
  const auto take = [&](const Json& line) {
    const std::string id(line.string_at("id").value_or(""));
    const auto type = line.string_at("type");
    if (type == "intent") {
      // Each file begins with copies of what was open in the one before.
      if (line.integer_at("time_ms").value_or(0) < since_ms || by_id.contains(id)) return;
      by_id[id] = records.size();
      records.push_back(record_of(line));
      return;
    }
    const auto known = by_id.find(id);
    if (known == by_id.end()) return;
    if (type == "outcome") records[known->second].outcome = line;
    if (type == "reconciled") records[known->second].reconciled = line;
  };
  SVC_TRY(outbox::Log(environment, paths, network).read(since_ms, take));
  return records;
}

}  // namespace svc::cli
