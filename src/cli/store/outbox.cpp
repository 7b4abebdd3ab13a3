#include "cli/store/outbox.h"

#include <map>

#include "api/network.h"
#include "api/operation_list.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/render.h"

namespace svc::cli::outbox {
namespace {

Json record_of(std::string_view type, std::string_view id, TimestampMs at_ms) {
  return Json::object({{"type", type}, {"id", id}, {"time", rfc3339(at_ms)}, {"time_ms", at_ms}});
}

// The name of the lock that a look-up holds besides that of the id.
std::string search_of(std::string_view id) {
  return "search " + std::string(id);
}

// What a look-up needs to know, by its names in the log.
struct LookUpText {
  std::string_view name;
  std::string Entry::*member;
};
constexpr std::array look_up_texts{LookUpText{"sent_to", &Entry::sent_to}, LookUpText{"path", &Entry::path},
                                   LookUpText{"query", &Entry::query},     LookUpText{"wallet", &Entry::wallet},
                                   LookUpText{"scheme", &Entry::scheme},   LookUpText{"key", &Entry::key},
                                   LookUpText{"typed", &Entry::typed}};

Json intent_of(const Entry& entry) {
  Json record = record_of("intent", entry.id, entry.written_at_ms);
  record.set("command", entry.command).set("operation", entry.operation);
  record.set("method", if_any(entry.method)).set("target", if_any(entry.target));
  record.set("account", if_any(entry.account)).set("client_ids", Json::list(entry.client_ids));
  record.set("nonce", entry.nonce ? Json(std::to_string(*entry.nonce)) : Json());
  record.set("body_sha256", if_any(entry.body_sha256)).set("body", entry.body);
  Json sought;
  if (entry.is_looked_for) {
    sought = Json::object(
        {{"signed_at_ms", entry.at_ms}, {"valid_until_ms", entry.valid_until_ms}, {"uptime_ms", entry.uptime_ms}});
    for (const LookUpText& text : look_up_texts) sought.set(text.name, entry.*text.member);
    sought.set("commands", Json::list(entry.look_up)).set("before", entry.before);
  }
  record.set("look_for", std::move(sought));
  if (entry.state == State::unknown) record.set("unknown", true);
  // A body that is nested too deeply to be read back would make the whole line unreadable.
  if (!read_log_line(log_line(record))) record.set("body", Json());
  return record;
}

Entry entry_of(const OpenIntent& intent) {
  const Json& line = intent.line;
  const Json sought = line.value_at("look_for");
  Entry entry{.id = line.text_at("id"),
              .at_ms = sought.integer_at("signed_at_ms").value_or(0),
              .state = intent.is_unknown ? State::unknown : State::sending,
              .command = line.text_at("command"),
              .operation = line.text_at("operation"),
              .body = line.value_at("body"),
              .account = line.text_at("account"),
              .client_ids = line.texts_at("client_ids")};
  for (const LookUpText& text : look_up_texts) entry.*text.member = sought.text_at(text.name);
  entry.valid_until_ms = sought.integer_at("valid_until_ms");
  entry.look_up = sought.texts_at("commands");
  entry.before = sought.value_at("before");
  entry.written_at_ms = line.integer_at("time_ms").value_or(entry.at_ms);
  entry.uptime_ms = sought.integer_at("uptime_ms").value_or(0);
  entry.method = line.text_at("method");
  entry.target = line.text_at("target");
  return entry;
}

// Whether the write was accepted, as a line of the log tells it; nullopt if the line does not say.
std::optional<bool> acceptance_in(const Json& line) {
  const auto outcome = line.string_at("outcome");
  const auto verdict = line.string_at("verdict");
  // Of a dropped one nobody knows.
  const bool is_told = (outcome || verdict) && verdict != "dropped" && !line.truth_at("open");
  if (!is_told) return std::nullopt;
  return outcome == "accepted" || verdict == "accepted";
}

}  // namespace

Standing standing_of(const Entry& one, const Entry& other) {
  if (!one.account.empty() && !other.account.empty())
    return one.account == other.account ? Standing::same : Standing::another;
  return !one.key.empty() && one.key == other.key ? Standing::same : Standing::unknown;
}

std::string_view to_string(State state) {
  return state == State::sending ? "sending" : "unknown";
}

Result<void> OpenEntry::append(Json record) {
  return log_ == nullptr ? Result<void>() : log_->append(record, Durable::eventually);
}

Result<void> OpenEntry::sent_again(TimestampMs at_ms) {
  return append(record_of("again", entry_.id, at_ms));
}

Result<void> OpenEntry::conclude(const Outcome& outcome) {
  const bool is_open = outcome.exit == ExitCode::outcome_unknown;
  if (is_open) entry_.state = State::unknown;
  Json record = record_of("outcome", entry_.id, outcome.at_ms);
  record.set("status", outcome.status).set("code", if_any(outcome.code));
  record.set("outcome",
             outcome.exit == ExitCode::success ? std::string_view("accepted") : meaning_of(outcome.exit).category);
  record.set("exit", static_cast<int>(outcome.exit)).set("row", if_any(outcome.row));
  record.set("open", is_open);  // last: see leaves_open()
  return append(std::move(record));
}

Result<void> OpenEntry::found(TimestampMs at_ms, std::string_view verdict, std::string_view evidence, Known known,
                              const std::string& row) {
  if (known == Known::no) entry_.state = State::unknown;
  Json record = record_of("reconciled", entry_.id, at_ms);
  record.set("verdict", verdict).set("evidence", evidence).set("row", if_any(row));
  record.set("open", known == Known::no);  // last
  return append(std::move(record));
}

Outbox::Outbox(const Environment& environment, const Paths& paths, std::string_view network)
    : log_(std::make_shared<Log>(environment, paths, network)),
      shows_at_once_(network == api::to_string(api::NetworkId::local)) {}

Result<OpenEntry> Outbox::open(Entry entry) const {
  auto hold = SVC_TRY(log_->try_hold(entry.id));
  const auto written = log_->append(intent_of(entry), Durable::at_once);
  OpenEntry held(std::move(entry), log_, std::move(hold));
  if (written) return held;
  // The intent may be on the disk all the same, but the request is not sent.
  static_cast<void>(
      held.conclude({.at_ms = held.entry_.written_at_ms, .code = written.error().code, .exit = written.error().exit}));
  return unexpected(written.error());
}

Result<std::optional<OpenEntry>> Outbox::adopt(std::string_view id) const {
  using None = std::optional<OpenEntry>;
  // Taken first: whoever sees the entry held can tell that it is not being sent.
  auto search = SVC_TRY(log_->try_hold(search_of(id)));
  auto hold = SVC_TRY(log_->try_hold(id));
  if (!search || !hold) return None{};
  // The former holder may have settled it.
  const auto intents = SVC_TRY(log_->open_intents());
  for (const OpenIntent& intent : intents) {
    if (intent.line.string_at("id") != id) continue;
    OpenEntry entry(entry_of(intent), log_, std::move(hold));
    entry.search_ = std::move(search);
    return None(std::move(entry));
  }
  return None{};
}

std::set<std::string, std::less<>> Outbox::taken_client_ids(const Entry& entry, TimestampMs since_ms) const {
  std::map<std::string, std::vector<std::string>, std::less<>> sent;  // by the id of the write
  std::set<std::string, std::less<>> taken;
  bool is_before = true;
  // If the log cannot be read, the proof relies on creation times.
  static_cast<void>(log_->read(since_ms, [&](const Json& line) {
    const std::string id = line.text_at("id");
    if (id == entry.id) is_before = false;
    if (!is_before) return;
    const bool is_order =
        line.string_at("type") == "intent" && api::order_write_of(line.text_at("operation")) == api::OrderWrite::places;
    if (is_order && line.text_at("account") == entry.account) {
      sent[id] = line.texts_at("client_ids");
    }
    const bool accepted = line.string_at("outcome") == "accepted" || line.string_at("verdict") == "accepted";
    if (accepted && sent.contains(id)) taken.insert(sent[id].begin(), sent[id].end());
  }));
  std::erase_if(taken, [&](const std::string& id) { return !is_among(id, entry.client_ids); });
  return taken;
}

std::optional<TimestampMs> Outbox::first_signed_ms(const Entry& coming, TimestampMs since_ms) const {
  std::map<std::string, TimestampMs, std::less<>> sent;  // by the id of the write
  static_cast<void>(log_->read(since_ms, [&](const Json& line) {
    const std::string id = line.text_at("id");
    if (line.string_at("type") == "intent") {
      const Entry entry = entry_of({.line = line});
      if (entry.operation == coming.operation && entry.client_ids == coming.client_ids &&
          standing_of(entry, coming) != Standing::another)
        sent.emplace(id, entry.at_ms);
    } else if (acceptance_in(line) == false) {
      sent.erase(id);
    }
  }));
  const auto first = std::ranges::min_element(sent, {}, [](const auto& one) { return one.second; });
  return first == sent.end() ? std::nullopt : std::optional(first->second);
}

Result<std::vector<Rival>> Outbox::rivals(const Entry& entry) const {
  const TimestampMs read_at_ms = entry.before.integer_at(before_read_at).value_or(entry.written_at_ms);
  const TimestampMs since_ms = read_at_ms - under_way_ms;
  std::map<std::string, Rival, std::less<>> known;
  std::set<std::string, std::less<>> ended;  // before the state was read
  // What the log has behind the entry came later, whatever the clock says.
  bool is_behind = false;
  SVC_TRY(log_->read(since_ms, [&](const Json& line) {
    const std::string id = line.text_at("id");
    const auto type = line.string_at("type");
    const TimestampMs at_ms = line.integer_at("time_ms").value_or(0);
    is_behind = is_behind || id == entry.id;
    if (id == entry.id) return;
    // A file begins with copies of the open intents of the one before.
    if (type == "intent" && !known.contains(id)) {
      Rival rival{.entry = entry_of({.line = line})};
      const Standing standing = standing_of(rival.entry, entry);
      if (standing == Standing::another) return;
      rival.is_later = is_behind || at_ms > read_at_ms;
      rival.is_of_account = standing == Standing::same;
      rival.is_repeat = rival.is_of_account && !entry.client_ids.empty() && rival.entry.client_ids == entry.client_ids;
      rival.sent_ms = at_ms;
      known.emplace(id, std::move(rival));
      return;
    }
    const auto rival = known.find(id);
    if (rival == known.end()) return;
    if (type == "again") rival->second.sent_ms = is_behind ? read_at_ms : at_ms;
    const auto is_accepted = acceptance_in(line);
    if (!is_accepted) return;
    rival->second.row = line.text_at("row");
    rival->second.is_accepted = *is_accepted;
    // A row that is known is another's, however late it is shown; that of a repeat is of both.
    const bool keeps_row = !rival->second.row.empty() && (rival->second.is_repeat || !shows_at_once_);
    const bool had_ended = !is_behind && at_ms < read_at_ms && !keeps_row;
    if (!rival->second.is_accepted || had_ended) ended.insert(id);
  }));
  std::vector<Rival> rivals;
  for (auto& [id, rival] : known)
    if (!ended.contains(id) && (rival.is_later || rival.sent_ms >= since_ms)) rivals.push_back(std::move(rival));
  return rivals;
}

Result<std::vector<Found>> Outbox::list() const {
  const auto intents = SVC_TRY(log_->open_intents());
  std::vector<Found> all;
  for (const OpenIntent& intent : intents) {
    Entry entry = entry_of(intent);
    // A search may begin or end while this looks.
    const std::string search = search_of(entry.id);
    const bool was_sought = SVC_TRY(log_->is_held(search));
    const bool is_held = SVC_TRY(log_->is_held(entry.id));
    const bool is_sought = was_sought || (is_held && SVC_TRY(log_->is_held(search)));
    all.push_back({.entry = std::move(entry), .under_way = is_held, .is_sought = is_sought});
  }
  return all;
}

}  // namespace svc::cli::outbox
