#include "cli/store/journal_reader.h"

#include "api/network.h"
#include "api/operation_list.h"
#include "cli/machine/environment.h"
#include "cli/machine/private_file.h"
#include "cli/store/write_log.h"

namespace svc::cli {

std::string JournalRecord::result() const {
  if (const auto verdict = reconciled.string_at("verdict")) return std::string(*verdict);
  if (const auto told = outcome.string_at("outcome")) return std::string(*told);
  return "unanswered";
}

Result<std::vector<JournalRecord>> read_journal(const Environment& environment, const Paths& paths,
                                                std::string_view network, TimestampMs since_ms) {
  std::vector<JournalRecord> records;
  std::map<std::string, std::size_t, std::less<>> by_id;
  const auto take = [&](const Json& line) {
    const std::string id = line.text_at("id");
    const auto type = line.string_at("type");
    if (type == "intent") {
      const TimestampMs at_ms = line.integer_at("time_ms").value_or(0);
      // Each file begins with copies of the open intents of the one before.
      if (at_ms < since_ms || !by_id.emplace(id, records.size()).second) return;
      records.push_back({.id = id,
                         .at_ms = at_ms,
                         .command = line.text_at("command"),
                         .operation = line.text_at("operation"),
                         .client_ids = line.texts_at("client_ids"),
                         .intent = line});
      return;
    }
    const std::size_t* known = found_at(by_id, id);
    if (known != nullptr && type == "outcome") records[*known].outcome = line;
    if (known != nullptr && type == "reconciled") records[*known].reconciled = line;
  };
  SVC_TRY(outbox::Log(environment, paths, network).read(since_ms, take));
  return records;
}

std::string Pseudonyms::of(std::string_view kind, std::string_view value) {
  std::string& name = given_[{std::string(kind), std::string(value)}];
  if (name.empty()) name = std::string(kind) + "-" + std::to_string(++counts_[std::string(kind)]);
  return name;
}

JournalRecord redacted_record(const JournalRecord& record, Pseudonyms& names) {
  JournalRecord copy = record;
  copy.id = names.of("write", record.id);
  Json ids = Json::array();
  for (std::string& id : copy.client_ids) {
    id = names.of("client", id);
    ids.push(id);
  }
  const auto account = record.intent.string_at("account");
  copy.intent.set("id", copy.id);
  copy.intent.set("account", account ? Json(names.of("account", *account)) : Json());
  copy.intent.set("client_ids", std::move(ids));
  const api::OperationEntry* operation = api::find_operation(record.operation);
  copy.intent.set("target", operation == nullptr ? Json() : Json(operation->operation->path));
  for (const std::string_view key : {"nonce", "body", "body_sha256", "look_for"}) copy.intent.set(key, Json());
  if (copy.outcome.is(Json::Kind::object)) copy.outcome.set("id", copy.id).set("row", Json());
  if (copy.reconciled.is(Json::Kind::object))
    copy.reconciled.set("id", copy.id).set("evidence", Json()).set("row", Json());
  return copy;
}

std::string redacted_network(const std::string& name) {
  return api::parse<api::NetworkId>(name) ? name : "network";
}

Result<void> keep_failure(const Paths& paths, std::string_view network, const Json& record) {
  constexpr std::size_t failures_kept = 32;
  const auto folder = paths.failures(network);
  SVC_TRY(write_private(document_in(folder, record.string_at("id").value_or("")), record.dump() + "\n"));
  const auto names = list_private(folder);
  for (std::size_t i = 0; i + failures_kept < names.size(); ++i) SVC_TRY(remove_private(folder / names[i]));
  return {};
}

Result<std::optional<Json>> find_failure(const Paths& paths, std::string_view network,
                                         const std::optional<std::string>& id) {
  const auto folder = paths.failures(network);
  const auto names = SVC_TRY(list_documents(folder));
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (id && *name != *id) continue;
    const auto text = SVC_TRY(read_private(document_in(folder, *name)));
    auto record = parse_json(text.value_or(""));
    if (record) return std::optional(std::move(*record));
  }
  return std::optional<Json>{};
}

}  // namespace svc::cli
