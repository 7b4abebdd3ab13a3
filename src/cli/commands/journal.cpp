// journal list, show, export
#include <algorithm>

#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/read.h"
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

class JournalCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--since", since_, "TIME",
                   "sent at or after this time, such as 8h (ago) or today (default: a day ago)");
    declare_redact(arguments);
  }
  Result<Answer, Failure> run(Context& context) final {
    const auto [network, paths] = SVC_TRY(context.network_files());
    const TimestampMs since_ms = from_the_beginning() && !since_ ? 0 : SVC_TRY(since_or_day_ago(context, since_));
    const auto records = SVC_TRY(read_journal(context.environment(), *paths, network.text, since_ms));
    const auto chosen = SVC_TRY(choose(records));
    if (!redact_) return show(chosen, network.text);
    Pseudonyms names;
    std::vector<JournalRecord> redacted;
    for (const JournalRecord& record : chosen) redacted.push_back(redacted_record(record, names));
    return show(redacted, redacted_network(network.text));
  }

 protected:
  void declare_redact(Arguments& arguments) {
    arguments.flag("--redact", redact_,
                   "to show it to others: no bodies, amounts or nonces, and names such as account-1 and client-1 for "
                   "accounts and ids");
  }
  [[nodiscard]] virtual Result<std::vector<JournalRecord>, Failure> choose(
      const std::vector<JournalRecord>& records) const {
    return records;
  }
  [[nodiscard]] virtual bool from_the_beginning() const { return false; }
  [[nodiscard]] virtual Result<Answer, Failure> show(const std::vector<JournalRecord>& records,
                                                     const std::string& network) = 0;
  static Json whole(const JournalRecord& record) {
    return Json::object(
        {{"id", record.id}, {"intent", record.intent}, {"outcome", record.outcome}, {"reconciled", record.reconciled}});
  }

 private:
  std::optional<std::string> since_;
  bool redact_ = false;
};

class ListJournal final : public JournalCommand {
 public:
  void declare(Arguments& arguments) override {
    JournalCommand::declare(arguments);
    arguments.integer("--limit", limit_, "N", "rows to show, the newest");
    arguments.text("--client-id", client_id_, "ID", "only what was sent with this client id, whenever that was");
  }

 protected:
  bool from_the_beginning() const override { return client_id_.has_value(); }
  Result<std::vector<JournalRecord>, Failure> choose(const std::vector<JournalRecord>& records) const override {
    if (limit_ == 0U) return unexpected(usage_error("--limit must be at least 1"));
    std::vector<JournalRecord> chosen = records;
    if (client_id_) std::erase_if(chosen, [&](const JournalRecord& one) { return !carries(one, *client_id_); });
    if (limit_ && chosen.size() > *limit_)
      chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(*limit_));
    return chosen;
  }
  Result<Answer, Failure> show(const std::vector<JournalRecord>& records, const std::string& network) override {
    Answer answer{.data = Json::array()};
    for (const JournalRecord& record : records) answer.data.push(row_of(record, network));
    return answer;
  }

 private:
  std::optional<std::uint64_t> limit_;
  std::optional<std::string> client_id_;
};

class ShowJournal final : public JournalCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, "id of the write, or your client id");
    declare_redact(arguments);
  }

 protected:
  bool from_the_beginning() const override { return true; }
  Result<std::vector<JournalRecord>, Failure> choose(const std::vector<JournalRecord>& records) const override {
    for (const JournalRecord& record : records)
      if (record.id == id_ || carries(record, id_)) return std::vector{record};
    return unexpected(absent("no_record", "the journal has no write with id ", id_));
  }
  Result<Answer, Failure> show(const std::vector<JournalRecord>& records, const std::string&) override {
    return Answer{.data = whole(records.front()), .view = {.columns = {}, .layout = Layout::sheet}};
  }

 private:
  std::string id_;
};

class ExportJournal final : public JournalCommand {
 protected:
  Result<Answer, Failure> show(const std::vector<JournalRecord>& records, const std::string&) override {
    Answer answer{.data = Json::array(), .text = ""};
    for (const JournalRecord& record : records) {
      answer.data.push(whole(record));
      *answer.text += answer.data.items().back().dump() + "\n";
    }
    return answer;
  }
};

}  // namespace

std::span<const CommandRow> journal_commands() {
  static const CommandRow rows[]{
      {"journal list", "", "List what was sent, and what became of it", make<ListJournal>, Repeats::yes},
      {"journal show", "ID", "Show one write as it was sent", make<ShowJournal>},
      {"journal export", "", "Print the journal as JSON lines", make<ExportJournal>},
  };
  return rows;
}

}  // namespace svc::cli
