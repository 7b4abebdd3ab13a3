// outbox list, resolve, drop
#include <algorithm>

#include "api/operation_list.h"
#include "cli/client/key_input.h"
#include "cli/client/reconcile.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

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
  return failed(ExitCode::unavailable, "entry_busy", "another process is sending ", id, ", or looks for it, right now");
}

class ListOutbox final : public Command {
 public:
  Result<Answer, Failure> run(Context& context) override {
    const auto [network, paths] = SVC_TRY(context.network_files());
    const auto entries = SVC_TRY(Outbox(context.environment(), *paths, network.text).list());
    Answer answer{.data = Json::array()};
    for (const auto& [entry, under_way] : entries) {
      Json row = row_of(entry);
      const bool cut_off = entry.state == outbox::State::sending && !under_way;
      row.set("state", cut_off ? "cut_off" : to_string(entry.state));
      answer.data.push(std::move(row));
    }
    return answer;
  }
};

class ResolveOutbox final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, "entry to look for until something is proved (default: one look for each)");
  }
  Result<Answer, Failure> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const Outbox box(context.environment(), **context.paths(), exchange.network().name);
    const auto entries = SVC_TRY(box.list());
    Answer answer{.data = Json::array()};
    std::size_t open = 0;
    const auto looked_at = std::make_shared<std::vector<LookedAt>>();
    for (const auto& found : entries) {
      if (found.under_way || (id_ && found.entry.id != *id_)) continue;
      Json row = look(context, exchange, box, found.entry, *looked_at);
      const auto verdict = row.string_at("verdict");
      if (verdict == "unknown" || verdict == "not_seen") ++open;
      answer.data.push(std::move(row));
    }
    if (id_ && answer.data.items().empty()) return unexpected(unavailable_entry(entries, *id_));
    if (open > 0) {
      answer.failure = failed(ExitCode::outcome_unknown, "outcome_unknown", open, " of ", answer.data.items().size(),
                              " writes still have no known outcome");
    }
    // If this run ends before it has printed, the next one finds them again.
    answer.once_shown = [&context, looked_at] {
      for (LookedAt& one : *looked_at) note_found(context, one.entry, one.settled);
    };
    return answer;
  }

 private:
  struct LookedAt {
    outbox::OpenEntry entry;
    outbox::Settled settled;
  };

  // Some writes only the operator can look up: the secret, if SVC_ADMIN_SECRET_FILE is set.
  static std::optional<Secret> operator_secret(Context& context, const Entry& entry) {
    const api::OperationEntry* known = api::find_operation(entry.operation);
    const bool is_needed = known != nullptr && known->operation->auth.has(api::Auth::admin);
    if (!is_needed || !context.environment().variable("SVC_ADMIN_SECRET_FILE")) return std::nullopt;
    auto secret = AdminSecretFlags{}.read(context);
    if (secret) return std::move(*secret);
    context.notice(secret.error().code, secret.error().message);
    return std::nullopt;
  }

  Json look(Context& context, Exchange& exchange, const Outbox& box, const Entry& entry,
            std::vector<LookedAt>& looked_at) const {
    Json row = row_of(entry);
    auto held = box.adopt(entry.id);
    if (!held || !*held) {
      row.set("verdict", "settled").set("evidence", "another run settled it meanwhile");
      return row;
    }
    const auto secret = operator_secret(context, entry);
    const auto settled = reconcile(context, exchange, **held, secret, id_ ? Patience::until_proved : Patience::once);
    if (settled) {
      row.set("verdict", to_string(settled->finding.verdict)).set("evidence", settled->finding.evidence);
      row.set("record", settled->finding.record);
      looked_at.push_back({std::move(**held), *settled});
      return row;
    }
    const auto* failure = failure_in(settled);
    row.set("verdict", "unknown").set("evidence", failure != nullptr ? failure->message : std::string("dry run"));
    return row;
  }

  std::optional<std::string> id_;
};

class DropOutbox final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("ID", id_, "entry to forget"); }
  Result<Answer, Failure> run(Context& context) override {
    const auto [network, paths] = SVC_TRY(context.network_files());
    const Outbox box(context.environment(), *paths, network.text);
    auto held = SVC_TRY(box.adopt(id_));
    if (!held) return unexpected(unavailable_entry(SVC_TRY(box.list()), id_));
    Answer answer{.data = row_of(held->entry())};
    if (context.globals().dry_run) return unexpected(dry_run(answer.data));
    SVC_TRY(confirm(context));
    SVC_TRY(held->found(context.now_ms(), "dropped", "nobody looks for it any more", outbox::OpenEntry::Known::yes));
    answer.data.set("dropped", true);
    return answer;
  }

 private:
  static Result<void, Failure> confirm(Context& context) {
    if (context.globals().yes) return {};
    Failure declined =
        failed(ExitCode::confirmation, "confirmation", "dropping forgets a write that may have been accepted")
            .to_try({"svc outbox resolve", "add --yes"});
    if (!context.may_ask()) return unexpected(declined);
    const auto typed =
        context.environment().ask("the write may have been accepted; forget it all the same? [y/N] ", Echo::shown);
    if (typed && (typed->reveal() == "y" || typed->reveal() == "yes")) return {};
    return unexpected(declined);
  }

  std::string id_;
};

}  // namespace

std::span<const CommandRow> outbox_commands() {
  static const CommandRow rows[]{
      {"outbox list", "", "List writes whose outcome is not known", make<ListOutbox>, Repeats::yes},
      {"outbox resolve", "[ID]", "Look for writes whose outcome is not known", make<ResolveOutbox>},
      {"outbox drop", "ID", "Forget one of them", make<DropOutbox>},
  };
  return rows;
}

}  // namespace svc::cli
