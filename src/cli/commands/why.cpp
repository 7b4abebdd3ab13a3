// why; journal list, show, export
#include <algorithm>
#include <array>

#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/exchange/failure_log.h"
#include "cli/exchange/journal_reader.h"
#include "cli/why/hypothesis.h"

namespace svc::cli {
namespace {

class Why final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("REQUEST_ID", id_, "a failed request (default: the latest)");
    arguments.flag("--last", last_, "the latest, which is the default");
  }
  Result<Answer, Stop> run(Context& context) override {
    if (id_ && last_) return unexpected(Stop(usage_error("REQUEST_ID and --last exclude each other")));
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const auto found = FailureLog(**context.paths(), exchange->network().name).find(id_);
    if (!found) return unexpected(Stop(found.error()));
    if (!*found) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "no_failure",
                                     .message = "no failed request of network " + exchange->network().name +
                                                (id_ ? " with id " + *id_ : "") + " is on record"}));
    }
    const Json& record = **found;
    context.say(std::string(record.string_at("method").value_or("")) + " " +
                std::string(record.string_at("target").value_or("")) + ": " +
                std::string(record.string_at("code").value_or("")) + ", " + time_at(record, "at_ms"));
    std::vector<why::Hypothesis> hypotheses;
    for (const why::Test& test : why::tests()) {
      auto answer = test({.context = context, .exchange = *exchange, .record = record});
      if (answer) hypotheses.push_back(std::move(*answer));
    }
    std::stable_sort(hypotheses.begin(), hypotheses.end(),
                     [](const auto& a, const auto& b) { return a.verdict < b.verdict; });
    Answer answer{.data = record,
                  .view = {{{"hypothesis", "hypothesis"}, {"verdict", "verdict"}, {"evidence", "evidence"}}}};
    Json rows = Json::array();
    for (const why::Hypothesis& one : hypotheses) {
      rows.push(Json::object(
          {{"hypothesis", one.name}, {"verdict", why::to_string(one.verdict)}, {"evidence", one.evidence}}));
    }
    answer.data.set("hypotheses", rows);
    answer.rows = std::move(rows);
    return answer;
  }

 private:
  std::optional<std::string> id_;
  bool last_ = false;
};

Json row_of(const JournalRecord& record, std::string_view network) {
  Json row = Json::object({{"id", record.id},
                           {"time_ms", record.at_ms},
                           {"command", record.command},
                           {"network", network},
                           {"client_id", record.client_ids.empty() ? Json() : Json(record.client_ids.front())},
                           {"outcome", record.result()}});
  const auto status = record.outcome.integer_at("status");
  row.set("status", status);
  row.set("code", record.outcome.string_at("code"));
  return row;
}

class JournalCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--since", since_, "TIME", "sent at or after this time (default: a day ago)");
  }
  Result<Answer, Stop> run(Context& context) final {
    const auto network = context.network_name();
    if (!network) return unexpected(Stop(network.error()));
    const auto paths = context.paths();
    if (!paths) return unexpected(Stop(paths.error()));
    TimestampMs since_ms = from_the_beginning() ? 0 : context.now_ms() - day_ms;
    if (since_) {
      const auto parsed = parse_time("--since", *since_);
      if (!parsed) return unexpected(Stop(parsed.error()));
      since_ms = *parsed;
    }
    const auto records = read_journal(**paths, network->text, since_ms);
    if (!records) return unexpected(Stop(records.error()));
    return show(*records, network->text);
  }

 protected:
  [[nodiscard]] virtual bool from_the_beginning() const { return false; }
  [[nodiscard]] virtual Result<Answer, Stop> show(const std::vector<JournalRecord>& records,
                                                  const std::string& network) = 0;
  static Json whole(const JournalRecord& record) {
    Json one = Json::object({{"id", record.id}});
    one.set("intent", record.intent);
    one.set("outcome", record.outcome);
    one.set("reconciled", record.reconciled);
    return one;
  }

 private:
  std::optional<std::string> since_;
};

class ListJournal final : public JournalCommand {
 protected:
  Result<Answer, Stop> show(const std::vector<JournalRecord>& records, const std::string& network) override {
    Answer answer{.data = Json::array(),
                  .view = {{{"time", "", [](const Json& row) { return time_at(row, "time_ms"); }},
                            {"command", "command"},
                            {"network", "network"},
                            {"client_id", "client_id"},
                            {"outcome", "outcome"},
                            {"code", "code"},
                            {"id", "id"}}}};
    for (const JournalRecord& record : records) answer.data.push(row_of(record, network));
    return answer;
  }
};

class ShowJournal final : public JournalCommand {
 public:
  void declare(Arguments& arguments) override { arguments.positional("ID", id_, "id of the write, or your client id"); }

 protected:
  bool from_the_beginning() const override { return true; }
  Result<Answer, Stop> show(const std::vector<JournalRecord>& records, const std::string&) override {
    for (const JournalRecord& record : records) {
      const auto& ids = record.client_ids;
      if (record.id != id_ && std::find(ids.begin(), ids.end(), id_) == ids.end()) continue;
      return Answer{.data = whole(record), .view = {.columns = {}, .layout = Layout::sheet}};
    }
    return unexpected(Stop(Failure{
        .exit = ExitCode::not_found, .code = "no_record", .message = "the journal has no write with id " + id_}));
  }

 private:
  std::string id_;
};

// Bodies are kept without secrets; --redact also takes out whose they are and how much.
class ExportJournal final : public JournalCommand {
 public:
  void declare(Arguments& arguments) override {
    JournalCommand::declare(arguments);
    arguments.flag("--redact", redact_, "leave out bodies, accounts and ids, to show it to others");
  }

 protected:
  Result<Answer, Stop> show(const std::vector<JournalRecord>& records, const std::string&) override {
    Answer answer{.data = Json::array(), .view = {}};
    std::string text;
    for (const JournalRecord& record : records) {
      Json one = whole(record);
      if (redact_) {
        Json intent = record.intent;
        for (const std::string_view key : {"body", "account", "client_ids", "target", "nonce", "body_sha256"}) {
          intent.set(key, Json());
        }
        one.set("intent", std::move(intent));
        if (!record.reconciled.is(Json::Kind::null)) {
          Json reconciled = record.reconciled;
          one.set("reconciled", reconciled.set("evidence", Json()));
        }
      }
      text += one.dump() + "\n";
      answer.data.push(std::move(one));
    }
    answer.text = std::move(text);
    return answer;
  }

 private:
  bool redact_ = false;
};

constexpr std::array rows{
    CommandRow{"why", "[REQUEST_ID]", "Find out why the last request was refused", make<Why>},
    CommandRow{"journal list", "", "List what was sent, and what became of it", make<ListJournal>, 1, Repeats::yes},
    CommandRow{"journal show", "ID", "Show one write as it was sent", make<ShowJournal>},
    CommandRow{"journal export", "", "Print the journal as JSON lines", make<ExportJournal>},
};

}  // namespace

std::span<const CommandRow> why_commands() {
  return rows;
}

}  // namespace svc::cli
