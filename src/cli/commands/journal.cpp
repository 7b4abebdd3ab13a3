// journal list, show, export; outbox list, resolve, drop

#include "api/operation_list.h"
#include "cli/client/client_id.h"
#include "cli/client/confirmation.h"
#include "cli/client/guards.h"
#include "cli/client/key_input.h"
#include "cli/client/reconcile.h"
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
  return is_among(client_id, record.client_ids);
}

// What was sent from one network.
struct Journal {
  std::string network;
  std::vector<JournalRecord> records;
  Pseudonyms names{};

  // What may be shown to others.
  void redact() {
    for (JournalRecord& record : records) record = redacted_record(record, names);
    network = redacted_network(network);
  }
};

enum class Without : std::uint8_t { day_ago, beginning };  // where the journal begins without --since

Result<Journal> open_journal(Context& context, const std::optional<std::string>& since, Without otherwise,
                             bool redacted) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const bool all = otherwise == Without::beginning && !since;
  const TimestampMs since_ms = all ? 0 : SVC_TRY(since_or_day_ago(context, since));
  Journal journal{
      .network = network.text,
      .records = SVC_TRY(read_journal(context.environment(), *paths, network.text, redacted ? 0 : since_ms))};
  if (!redacted) return journal;
  // Named in the order of the whole journal: a write has one name in every part that is shown.
  for (const JournalRecord& record : journal.records) static_cast<void>(redacted_record(record, journal.names));
  std::erase_if(journal.records, [&](const JournalRecord& one) { return one.at_ms < since_ms; });
  return journal;
}

Json whole(const JournalRecord& record) {
  return Json::object(
      {{"id", record.id}, {"intent", record.intent}, {"outcome", record.outcome}, {"reconciled", record.reconciled}});
}

Result<Answer> list_journal(Context& context, const std::optional<std::string>& since, bool redacted,
                            const std::optional<std::uint64_t>& limit, const std::optional<std::string>& client_id) {
  auto journal = SVC_TRY(open_journal(context, since, client_id ? Without::beginning : Without::day_ago, redacted));
  auto& records = journal.records;
  if (limit == 0U) return usage_error("--limit must be at least 1");
  if (client_id) std::erase_if(records, [&](const JournalRecord& one) { return !carries(one, *client_id); });
  if (limit && records.size() > *limit)
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(*limit));
  if (redacted) journal.redact();
  return Answer{.data = Json::list(records, [&](const JournalRecord& one) { return row_of(one, journal.network); })};
}

Result<Answer> show_record(Context& context, const std::string& id, bool redacted) {
  auto journal = SVC_TRY(open_journal(context, std::nullopt, Without::beginning, redacted));
  const auto found =
      std::ranges::find_if(journal.records, [&](const JournalRecord& one) { return one.id == id || carries(one, id); });
  if (found == journal.records.end()) return absent("no_record", "the journal has no write with id ", id);
  journal.records = std::vector{*found};
  if (redacted) journal.redact();
  return Answer{.data = whole(journal.records.front()), .view = {.columns = {}, .layout = Layout::sheet}};
}

Result<Answer> export_journal(Context& context, const std::optional<std::string>& since, bool redacted) {
  auto journal = SVC_TRY(open_journal(context, since, Without::day_ago, redacted));
  if (redacted) journal.redact();
  Answer answer{.data = Json::list(journal.records, whole)};
  std::string lines;
  for (const Json& line : answer.data.items()) lines += line.dump() + "\n";
  answer.text = context.environment().for_out(std::move(lines));
  return answer;
}

constexpr Argument since_flag{"--since", "sent at or after this time, such as 8h (ago) or today (default: a day ago)",
                              "TIME"};
constexpr Argument redact_flag{"--redact",
                               "to show it to others: no bodies, amounts or nonces, and names such as account-1 and "
                               "client-1 for accounts and ids"};

using outbox::Entry;
using outbox::Outbox;
using outbox::Patience;

Json row_of(const Entry& entry) {
  return Json::object({{"id", entry.id},
                       {"client_id", entry.client_ids.empty() ? Json() : Json(entry.client_ids.front())},
                       {"orders", entry.client_ids.size()},
                       {"command", entry.command},
                       {"operation", entry.operation},
                       {"account", entry.account.empty() ? Json() : Json(entry.account)},
                       {"sent_at_ms", entry.at_ms}});
}

// The reason why an entry could not be taken over: another process has it, or there is none.
Failure unavailable_entry(const std::vector<outbox::Found>& entries, const std::string& id) {
  if (std::ranges::none_of(entries, [&](const outbox::Found& one) { return one.entry.id == id; }))
    return absent("no_entry", "the outbox holds no entry ", id);
  return failed("entry_busy", "another process is sending ", id, ", or looks for it, right now");
}

Result<Answer> list_outbox(Context& context) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const auto entries = SVC_TRY(Outbox(context.environment(), *paths, network.text).list());
  return Answer{.data = Json::list(entries, [](const outbox::Found& found) {
                  const bool cut_off = found.entry.state == outbox::State::sending && !found.under_way;
                  return row_of(found.entry).set("state", cut_off ? "cut_off" : to_string(found.entry.state));
                })};
}

// Some writes only the operator can look up: the secret, if a flag or SVC_ADMIN_SECRET_FILE names it.
std::optional<Secret> operator_secret(Context& context, const Entry& entry, const AdminSecretFlags& flags) {
  const api::OperationEntry* known = api::find_operation(entry.operation);
  const bool is_needed = known != nullptr && known->operation->auth.has(api::Auth::admin);
  const bool is_given = flags.file || flags.descriptor || context.environment().variable("SVC_ADMIN_SECRET_FILE");
  if (!is_needed || !is_given) return std::nullopt;
  auto secret = flags.read(context);
  if (secret) return std::move(*secret);
  context.notice(secret.error().code, secret.error().message);
  return std::nullopt;
}

struct LookedAt {
  outbox::OpenEntry entry;
  outbox::Finding finding;
};

Json look_for(Context& context, Exchange& exchange, const Outbox& box, const Entry& entry, Patience patience,
              const AdminSecretFlags& admin_secret, std::vector<LookedAt>& looked_at) {
  Json row = row_of(entry);
  auto held = box.adopt(entry.id);
  if (!held || !*held) return row.set("verdict", "settled").set("evidence", "another run settled it meanwhile");
  const auto secret = operator_secret(context, entry, admin_secret);
  const auto settled = reconcile(context, exchange, **held, secret, patience);
  if (settled) {
    row.set("verdict", to_string(settled->verdict)).set("evidence", settled->evidence);
    row.set("record", settled->record);
    // Its repeat is refused for a while.
    if (settled->verdict == outbox::Verdict::accepted) guards::remember_found(context, exchange.network().name, entry);
    looked_at.push_back({std::move(**held), *settled});
    return row;
  }
  return row.set("verdict", "unknown").set("evidence", settled.error().message);
}

// What a dry run tells in place of the verdicts.
Failure plan_of_looks(const std::vector<const Entry*>& entries) {
  return planned("outbox_resolve", Json::object({{"entries", Json::list(entries, [](const Entry* entry) {
                                                    const outbox::Proof* proof = outbox::find_proof(entry->operation);
                                                    return row_of(*entry).set(
                                                        "looks_for", proof == nullptr ? Json() : Json(proof->how));
                                                  })}}));
}

Result<Answer> resolve_outbox(Context& context, const std::optional<std::string>& id,
                              const AdminSecretFlags& admin_secret) {
  auto exchange = SVC_TRY(Exchange::open(context));
  const Outbox box(context.environment(), **context.paths(), exchange.network().name);
  const auto entries = SVC_TRY(box.list());
  std::vector<const Entry*> meant;
  for (const outbox::Found& found : entries)
    if (!found.under_way && (!id || found.entry.id == *id)) meant.push_back(&found.entry);
  if (id && meant.empty()) return unavailable_entry(entries, *id);
  if (context.globals().dry_run) return plan_of_looks(meant);
  Answer answer{.data = Json::array()};
  std::size_t open = 0;
  const auto looked_at = std::make_shared<std::vector<LookedAt>>();
  for (const Entry* entry : meant) {
    Json row = look_for(context, exchange, box, *entry, id ? Patience::until_proved : Patience::once, admin_secret,
                        *looked_at);
    const auto verdict = row.string_at("verdict");
    if (verdict == "unknown" || verdict == "not_seen") ++open;
    answer.data.push(std::move(row));
  }
  if (open > 0) {
    answer.failure =
        failed("outcome_unknown", open, " of ", answer.data.items().size(), " writes still have no known outcome");
  }
  // If this run ends before it has printed, the next one finds them again.
  context.after_output({[&context, looked_at](bool was_shown) {
    for (LookedAt& one : *looked_at)
      if (was_shown) note_found(context, one.entry, one.finding);
  }});
  return answer;
}

Result<Answer> drop_outbox(Context& context, const std::string& id) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const Outbox box(context.environment(), *paths, network.text);
  auto held = SVC_TRY(box.adopt(id));
  if (!held) return unavailable_entry(SVC_TRY(box.list()), id);
  Answer answer{.data = row_of(held->entry())};
  if (context.globals().dry_run) return dry_run(answer.data);
  SVC_TRY(ask_to_go_on(context, "the write may have been accepted; forget it all the same? [y/N] ", {"y", "yes"},
                       failed("confirmation", "dropping forgets a write that may have been accepted")
                           .to_try({command_line(context, "outbox resolve"), "add --yes"})));
  SVC_TRY(held->found(context.now_ms(), "dropped", "nobody looks for it any more", outbox::OpenEntry::Known::yes));
  answer.data.set("dropped", true);
  return answer;
}

}  // namespace

std::vector<CommandRow> journal_commands() {
  return {
      {"journal list", "", "List what was sent, and what became of it",
       "--redact  # to show to others\n"
       "# every write of this machine",
       Output{"[] id time_ms:integer command network client_id? outcome status:integer? code?",
              "time@time_ms command network client_id outcome code request_id=id"},
       calls(list_journal, {since_flag,
                            redact_flag,
                            {"--limit", "rows to show, the newest", "N"},
                            {"--client-id", "only what was sent with this client id, whenever that was", "ID"}}),
       Repeats::yes},
      {"journal show", "ID", "Show one write as it was sent", "$CLIENT  # all that is known of one write",
       Output{"id intent:journal_intent outcome:journal_outcome? reconciled:journal_reconciled?"},
       calls(show_record, {{"ID", "id of the write, or your client id"}, redact_flag})},
      {"journal export", "", "Print the journal as JSON lines", "--redact  # what was sent, to show to others",
       Output{"[] id intent:journal_intent outcome:journal_outcome? reconciled:journal_reconciled?"},
       calls(export_journal, {since_flag, redact_flag})},
  };
}

std::vector<CommandRow> outbox_commands() {
  return {
      {"outbox list", "", "List writes whose outcome is not known", "# writes whose outcome is not known",
       Output{"[] id client_id? orders:integer command operation account? sent_at_ms:integer state",
              "id client_id command sent_at@sent_at_ms state"},
       calls(list_outbox), Repeats::yes},
      {"outbox resolve", "[ID]", "Look for writes whose outcome is not known",
       "# look for writes whose answer was lost",
       Output{
           "[] id client_id? orders:integer command operation account? sent_at_ms:integer verdict evidence -record:any",
           "id client_id command sent_at@sent_at_ms verdict evidence"},
       calls(resolve_outbox, {{"ID", "entry to look for until something is proved (default: one look for each)"}})},
      {"outbox drop", "ID", "Forget one of them", "$ENTRY --yes  # forget one of them",
       Output{"id client_id? orders:integer command operation account? sent_at_ms:integer dropped:boolean",
              "id client_id command dropped"},
       calls(drop_outbox, {{"ID", "entry to forget"}})},
  };
}

}  // namespace svc::cli
