#include "cli/exchange/journal_reader.h"

#include <fstream>
#include <map>

#include "cli/files/private_file.h"
#include "cli/render.h"

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

Result<std::vector<JournalRecord>, Failure> read_journal(const Paths& paths, std::string_view network,
                                                         TimestampMs since_ms) {
  std::vector<JournalRecord> records;
  std::map<std::string, std::size_t, std::less<>> by_id;
  const std::string first_day = rfc3339(since_ms).substr(0, 10);
  for (const std::string& day : list_private(paths.journal(network))) {  // names sort by day
    if (day < first_day) continue;
    if (const auto sound = check_private(paths.journal(network) / day); !sound) return unexpected(sound.error());
    std::ifstream file(paths.journal(network) / day);
    for (std::string text; std::getline(file, text);) {
      const auto line = parse_json(text);
      if (!line) continue;
      const auto id = line->string_at("id").value_or("");
      const auto type = line->string_at("type");
      if (type == "intent" && line->integer_at("time_ms").value_or(0) >= since_ms) {
        by_id[std::string(id)] = records.size();
        records.push_back(record_of(*line));
      }
      const auto known = by_id.find(id);
      if (known == by_id.end()) continue;
      if (type == "outcome") records[known->second].outcome = *line;
      if (type == "reconciled") records[known->second].reconciled = *line;
    }
  }
  return records;
}

}  // namespace svc::cli
