// journal list, show, export

#include "cli/commands/listing.h"
#include "cli/store/journal_reader.h"

namespace svc::cli {
namespace {

Json row_of(const JournalRecord& record, std::string_view network) {
  Json row = Json::object({{"id", record.id},
                           {"time_ms", record.at_ms},
                           {"command", record.command},
                           {"network", network},
                           {"client_id", record.client_ids.empty() ? Json() : Json(record.client_ids.front())},
                           {"outcome", record.result()}});
  row.set("status", record.outcome.integer_at("status")).set("code", record.outcome.string_at("code"));
  return row;
}

bool carries(const JournalRecord& record, const std::string& client_id) {
  return std::ranges::find(record.client_ids, client_id) != record.client_ids.end();
}

// What was sent from one network.
struct Journal {
  std::string network;
  std::vector<JournalRecord> records;

  // What may be shown to others.
  void redact() {
    Pseudonyms names;
    for (JournalRecord& record : records) record = redacted_record(record, names);
    network = redacted_network(network);
  }
};

enum class Without : std::uint8_t { day_ago, beginning };  // where the journal begins without --since

Result<Journal, Failure> open_journal(Context& context, const std::optional<std::string>& since, Without otherwise) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const bool all = otherwise == Without::beginning && !since;
  const TimestampMs since_ms = all ? 0 : SVC_TRY(since_or_day_ago(context, since));
  return Journal{network.text, SVC_TRY(read_journal(context.environment(), *paths, network.text, since_ms))};
}

Json whole(const JournalRecord& record) {
  return Json::object(
      {{"id", record.id}, {"intent", record.intent}, {"outcome", record.outcome}, {"reconciled", record.reconciled}});
}

Result<Answer, Failure> list_journal(Context& context, const std::optional<std::string>& since, bool redacted,
                                     const std::optional<std::uint64_t>& limit,
                                     const std::optional<std::string>& client_id) {
  auto journal = SVC_TRY(open_journal(context, since, client_id ? Without::beginning : Without::day_ago));
  auto& records = journal.records;
  if (limit == 0U) return unexpected(usage_error("--limit must be at least 1"));
  if (client_id) std::erase_if(records, [&](const JournalRecord& one) { return !carries(one, *client_id); });
  if (limit && records.size() > *limit)
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(*limit));
  if (redacted) journal.redact();
  return Answer{.data = Json::list(records, [&](const JournalRecord& one) { return row_of(one, journal.network); })};
}

Result<Answer, Failure> show_record(Context& context, const std::string& id, bool redacted) {
  auto journal = SVC_TRY(open_journal(context, std::nullopt, Without::beginning));
  const auto found =
      std::ranges::find_if(journal.records, [&](const JournalRecord& one) { return one.id == id || carries(one, id); });
  if (found == journal.records.end()) return unexpected(absent("no_record", "the journal has no write with id ", id));
  journal.records = std::vector{*found};
  if (redacted) journal.redact();
  return Answer{.data = whole(journal.records.front()), .view = {.columns = {}, .layout = Layout::sheet}};
}

Result<Answer, Failure> export_journal(Context& context, const std::optional<std::string>& since, bool redacted) {
  auto journal = SVC_TRY(open_journal(context, since, Without::day_ago));
  if (redacted) journal.redact();
  Answer answer{.data = Json::list(journal.records, whole), .text = ""};
  for (const Json& line : answer.data.items()) *answer.text += line.dump() + "\n";
  return answer;
}

constexpr Parameter since_flag{"--since", "sent at or after this time, such as 8h (ago) or today (default: a day ago)",
                               "TIME"};
constexpr Parameter redact_flag{"--redact",
                                "to show it to others: no bodies, amounts or nonces, and names such as account-1 and "
                                "client-1 for accounts and ids"};

}  // namespace

std::vector<CommandRow> journal_commands() {
  return {
      {"journal list", "", "List what was sent, and what became of it",
       calls(list_journal, {since_flag,
                            redact_flag,
                            {"--limit", "rows to show, the newest", "N"},
                            {"--client-id", "only what was sent with this client id, whenever that was", "ID"}}),
       Repeats::yes},
      {"journal show", "ID", "Show one write as it was sent",
       calls(show_record, {{"ID", "id of the write, or your client id"}, redact_flag})},
      {"journal export", "", "Print the journal as JSON lines", calls(export_journal, {since_flag, redact_flag})},
  };
}

}  // namespace svc::cli
