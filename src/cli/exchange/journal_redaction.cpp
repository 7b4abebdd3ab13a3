#include "cli/exchange/journal_redaction.h"

#include "api/operation_list.h"

namespace svc::cli {

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
  if (copy.outcome.is(Json::Kind::object)) copy.outcome.set("id", copy.id);
  if (copy.reconciled.is(Json::Kind::object)) copy.reconciled.set("id", copy.id).set("evidence", Json());
  return copy;
}

std::string redacted_network(const std::string& name) {
  const bool known = name == "local" || name == "testnet" || name == "mainnet";
  return known ? name : "network";
}

}  // namespace svc::cli
