#include "cli/client/reconcile.h"

#include "api/contract/venue.h"
#include "cli/client/client_id.h"
#include "cli/client/connection.h"
#include "cli/client/server_facts.h"
#include "cli/store/network.h"
#include "cli/store/write_log.h"
#include "cli/terminal/render.h"

namespace svc::cli::outbox {
namespace {

// What a service refuses just after it lost an answer, it may answer a moment later; a credential it will not accept.
bool worth_repeating(const Failure& failure) {
  if (failure.exit == ExitCode::unavailable || failure.exit == ExitCode::rate_limited) return true;
  return failure.raw && failure.exit != ExitCode::authentication;
}

// A lower bound for the entry's age, by a clock that nobody can set. After a restart of the machine that is its uptime.
std::int64_t age_ms(Context& context, const Entry& entry) {
  const std::int64_t uptime_ms = context.uptime_ms();
  return uptime_ms >= entry.uptime_ms ? uptime_ms - entry.uptime_ms : uptime_ms;
}

// No request with this signature can be accepted any more, by the server's clock and by ours: the Date may come from a
// proxy. To be checked before a look-up begins. (D-470, D-623)
bool has_expired(Context& context, const Connection& connection, const Entry& entry) {
  const auto server_ms = connection.server_date_ms();
  return entry.valid_until_ms && server_ms && *server_ms >= *entry.valid_until_ms + window_slack_ms &&
         age_ms(context, entry) >= expiry_uptime_ms;
}

// By the machine's uptime.
std::int64_t end_of_search(Context& context, const Entry& entry, Patience patience) {
  const std::int64_t now_ms = context.uptime_ms();
  if (patience == Patience::once) return now_ms + settle_ms;
  if (patience == Patience::briefly) return now_ms + brief_ms;
  if (patience == Patience::until_proved) return now_ms + patience_ms;
  return now_ms + std::max(search_ms - age_ms(context, entry), search_ms_min);
}

// The entry was sent to another server than the present one. A sandbox may come back at another address or be reached
// through a proxy, so for sandboxes this is known only while the other one is still running.
bool is_elsewhere(Context& context, const Network& network, const Entry& entry) {
  if (entry.sent_to.empty() || network.base_at(entry.sent_to) != nullptr) return false;
  if (!network.is_local()) return true;
  const std::vector<RunningSandbox> running = running_sandboxes(**context.paths());
  return is_among(entry.sent_to, running, &RunningSandbox::url);
}

// That a write is not there proves nothing at a base that is behind the others, nor if several bases were read. A base
// that is behind says so in its health. (D-865)
bool was_read_whole(Connection& connection, std::size_t times_gone_on) {
  if (connection.network().bases.size() == 1) return true;
  const auto health = connection.read<api::ops::GetStatus>();
  return health && is_operational(*health) && connection.times_gone_on() == times_gone_on;
}

// Read before and after each look: other processes go on meanwhile.
Result<std::vector<Rival>> rivals_of(Context& context, const Connection& connection, const Entry& entry,
                                     const Proof& proof) {
  auto rivals = SVC_TRY(outbox_of(context, connection.network().name).rivals(entry));
  std::erase_if(rivals, [&](const Rival& rival) {
    const Proof* its = find_proof(rival.entry.operation);
    return its == nullptr || its->look != proof.look;
  });
  return rivals;
}

Result<Finding> look(Context& context, Connection& connection, const Entry& entry,
                     const std::optional<Secret>& admin_secret, Patience patience, std::int64_t end_ms) {
  const Proof* proof = find_proof(entry.operation);
  if (proof == nullptr) {
    return failed("nothing_to_look_up", "the service shows nowhere what became of ", entry.operation);
  }
  if (proof->before != nullptr && entry.before.is(Json::Kind::null)) {
    return failed("before_unknown", "what was there before it was sent is not known");
  }
  // Nothing that is shown tells such an order from another one, however long it is looked for. (D-1076)
  if (api::order_write_of(entry.operation) == api::OrderWrite::places && entry.client_ids.empty())
    return Finding{.verdict = Verdict::unknown, .evidence = "an order had no client id to be found by"};
  // Without the server's time no signature can be judged expired.
  if (entry.valid_until_ms && !connection.server_date_ms()) {
    if (const auto asked = connection.fresh_facts(); !asked && !worth_repeating(asked.error())) {
      return unexpected(asked.error());
    }
  }
  SentWrite sent{.entry = entry, .admin_secret = admin_secret};
  const Network& network = connection.network();
  // From the last day: an earlier order is older than the write by more than clocks may differ.
  if (!entry.client_ids.empty())
    sent.taken = outbox_of(context, network.name).taken_client_ids(entry, entry.written_at_ms - day_ms);
  const bool elsewhere = is_elsewhere(context, network, entry);
  std::int64_t pause_ms = first_pause_ms;
  bool told = false;
  std::optional<Finding> seen;  // by the last whole look; one that runs out of time or budget does not undo it
  while (true) {
    const bool expired = has_expired(context, connection, entry);
    const std::size_t gone_on = connection.times_gone_on();
    const bool has_rivals = proof->before != nullptr;
    if (has_rivals) sent.rivals = SVC_TRY(rivals_of(context, connection, entry, *proof));
    auto finding = proof->look(connection, sent);
    if (has_rivals && finding) {
      const auto after = SVC_TRY(rivals_of(context, connection, entry, *proof));
      const auto is_same = [](const Rival& a, const Rival& b) {
        return a.entry.id == b.entry.id && a.row == b.row && a.is_accepted == b.is_accepted;
      };
      if (!std::ranges::equal(after, sent.rivals, is_same))
        finding = Finding{.verdict = Verdict::unknown, .evidence = "another command was under way during the look"};
    }
    // Another server proves nothing, unless it has an order with our client id.
    const bool is_ours = finding && finding->verdict == Verdict::accepted && !entry.client_ids.empty();
    if (finding && elsewhere && !is_ours) {
      finding->verdict = Verdict::not_seen;
      finding->evidence += "; it was sent to " + entry.sent_to + ", and this is " + network.origin();
      return finding;
    }
    const bool is_absent = finding && finding->verdict == Verdict::not_seen && expired;
    if (is_absent && was_read_whole(connection, gone_on)) finding->verdict = Verdict::not_accepted;
    if (finding && is_final(finding->verdict)) return finding;
    // A write that does not expire is looked for as long as it may be under way.
    const bool may_come = entry.valid_until_ms || age_ms(context, entry) < search_ms;
    const bool again = patience != Patience::once && (finding ? may_come : worth_repeating(finding.error()));
    if (finding) seen = *finding;
    if (again && !finding && seen) finding = *seen;
    if (!again || context.uptime_ms() + pause_ms >= end_ms) return finding;
    if (!told) context.say("note: the outcome is not known yet; looking for it: " + std::string(proof->how));
    told = true;
    if (!context.environment().pause(pause_ms)) return finding;
    pause_ms = std::min(pause_ms * 2, pause_ms_max);
  }
}

Result<Finding> look_and_settle(Context& context, Connection& connection, const OpenEntry& entry,
                                const std::optional<Secret>& admin_secret, Patience patience, std::int64_t end_ms) {
  connection.restrict_reads_to(&entry.entry());
  auto finding = look(context, connection, entry.entry(), admin_secret, patience, end_ms);
  connection.restrict_reads_to(nullptr);
  if (finding) finding->looked_at_ms = context.now_ms();
  return finding;
}

std::string name_of(const Entry& entry) {
  const std::string what = entry.command.empty() ? entry.operation : entry.command;
  return what + (entry.client_ids.empty() ? "" : " " + entry.client_ids.front()) + " of " + rfc3339(entry.at_ms);
}

// An earlier write is looked for only before one of the same operation, or if both are orders. (D-607)
bool is_looked_for_before(const Entry& coming, const Entry& earlier) {
  return earlier.operation == coming.operation ||
         (sets_orders(api::order_write_of(earlier.operation)) && sets_orders(api::order_write_of(coming.operation)));
}

}  // namespace

Outbox outbox_of(Context& context, std::string_view network) {
  return {context.environment(), **context.paths(), network};
}

Result<Finding> reconcile(Context& context, Connection& connection, OpenEntry& entry,
                          const std::optional<Secret>& admin_secret, Patience patience) {
  const std::int64_t end_ms = end_of_search(context, entry.entry(), patience);
  // Commands that are refused at the same time share the budget, and what waits for it has seen nothing yet.
  connection.stop_at(end_ms, patience == Patience::briefly ? search_ms : 0);
  auto settled = look_and_settle(context, connection, entry, admin_secret, patience, end_ms);
  connection.stop_at(std::nullopt);
  return settled;
}

void note_found(Context& context, OpenEntry& entry, const Finding& finding) {
  const bool is_known = is_final(finding.verdict);
  const auto written = entry.found(finding.looked_at_ms, to_string(finding.verdict), finding.evidence,
                                   is_known ? OpenEntry::Known::yes : OpenEntry::Known::no, finding.row);
  if (!written) context.notice("journal", written.error().message);
}

Result<std::vector<Found>> arriving_orders(Context& context, const Network& network) {
  auto entries = SVC_TRY(outbox_of(context, network.name).list());
  std::erase_if(entries, [&](const Found& found) {
    return api::order_write_of(found.entry.operation) != api::OrderWrite::places ||
           age_ms(context, found.entry) > under_way_ms;
  });
  return entries;
}

void tell_of_arriving_orders(Context& context, const Network& network) {
  const auto orders = arriving_orders(context, network);
  if (!orders) return;
  const auto& account = context.facts().account;
  std::size_t count = 0;
  for (const Found& found : *orders)
    if (!account || found.entry.account.empty() || found.entry.account == *account)
      count += std::max<std::size_t>(found.entry.client_ids.size(), 1);
  if (count == 0) return;
  context.notice("unsettled",
                 concat(counted(count, "order has", "orders have"), " no known outcome and may still arrive; ",
                        command_line(context, "outbox resolve"), " looks for them"));
}

std::vector<Entry> settle_earlier(Context& context, Connection& connection, const Entry& coming,
                                  const std::optional<Secret>& admin_secret,
                                  const std::function<void(const Entry&)>& remember) {
  const Outbox outbox = outbox_of(context, connection.network().name);
  const auto entries = outbox.list();
  if (!entries) {
    context.notice("outbox", entries.error().message);
    return {};
  }
  const std::int64_t end_ms = context.uptime_ms() + settle_ms;
  connection.stop_at(end_ms);
  std::size_t looked = 0;
  std::vector<std::string> left;
  std::vector<Entry> unknown;
  for (const auto& [entry, is_under_way, is_sought] : *entries) {
    const bool is_of_both = entry.account == coming.account && entry.key == coming.key;
    if (!is_of_both && standing_of(entry, coming) != Standing::same) continue;
    Verdict verdict = Verdict::unknown;
    const bool is_of_last_hour = age_ms(context, entry) <= hour_ms;
    // An old write that does not expire is not looked for: that would read the log since then and prove nothing.
    const bool never_expires = !entry.valid_until_ms && !entry.before.is(Json::Kind::null);
    if (is_under_way) {
      if (entry.state == State::sending && !is_sought) continue;  // its answer may still come
    } else if (is_looked_for_before(coming, entry) && looked < settled_at_start_max &&
               (is_of_last_hour || !never_expires)) {
      ++looked;
      auto adopted = outbox.adopt(entry.id);
      if (adopted && *adopted) {
        // The look may ask for the password of a wallet that the coming write does not need.
        if (entry.key != coming.key) context.say("note: first looking for an earlier write: " + name_of(entry));
        const auto settled = look_and_settle(context, connection, **adopted, admin_secret, Patience::once, end_ms);
        if (settled) verdict = settled->verdict;
        if (is_final(verdict)) {
          context.notice("settled", concat("an earlier run ended before its answer came: ", name_of(entry), " was ",
                                           to_string(verdict), " (", settled->evidence, ")"));
        }
        if (verdict == Verdict::accepted) remember(entry);
        if (settled) note_found(context, **adopted, *settled);
      }
    }
    if (is_final(verdict)) continue;
    left.push_back(entry.id);
    // The uptime begins again with the machine, so the clock is asked too.
    const bool is_recent = is_of_last_hour && context.now_ms() - entry.written_at_ms <= hour_ms;
    if (is_recent && !is_elsewhere(context, connection.network(), entry)) unknown.push_back(entry);
  }
  connection.stop_at(std::nullopt);
  // Their own runs may have settled some since they were listed.
  if (left.empty()) return unknown;
  if (const auto open = outbox.list()) {
    const auto is_settled = [&](const std::string& id) {
      return std::ranges::none_of(*open, [&](const Found& one) { return one.entry.id == id; });
    };
    std::erase_if(left, is_settled);
    std::erase_if(unknown, [&](const Entry& one) { return is_settled(one.id); });
  }
  if (!left.empty()) {
    context.notice("unsettled",
                   concat(counted(left.size(), "earlier write has", "earlier writes have"), " no known outcome; ",
                          command_line(context, "outbox resolve"), " looks for them"));
  }
  return unknown;
}

}  // namespace svc::cli::outbox
