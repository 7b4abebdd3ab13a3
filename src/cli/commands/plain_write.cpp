#include "cli/commands/plain_write.h"

#include "base/assert.h"
#include "cli/client/confirmation.h"
#include "cli/client/proof.h"
#include "cli/client/redaction.h"
#include "cli/client/watch_loop.h"
#include "cli/store/write_log.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array omitted_words{"omit"sv};
constexpr std::array signed_words{"sign"sv};
constexpr std::array action_words{"sign"sv, "omit"sv};

// The log entry that a lost answer would have left, for the same look-up.
outbox::Entry entry_of(Context& context, const Call& call) {
  return {.id = {},
          .at_ms = context.now_ms(),
          .command = std::string(context.command()),
          .operation = std::string(call.operation->name),
          .path = call.path,
          .query = call.query,
          .body = redacted(call.document.value_or(Json()), Mask::size),
          .account = context.facts().account.value_or(""),
          .client_ids = call.client_ids};
}

// `seen`: the service shows the write, but not as final. Without a timeout the wait was interrupted.
Failure not_final(std::optional<std::int64_t> timeout_ms, const Reply& reply, const std::string& evidence, bool seen) {
  const std::string after =
      timeout_ms ? " after " + format_scaled(*timeout_ms, 3) + " s" : std::string(" when interrupted");
  return failed(timeout_ms ? ExitCode::wait_ended : ExitCode::interrupted, timeout_ms ? "wait_ended" : "interrupted",
                seen ? "it was accepted; " + evidence + after
                     : "it was accepted, and the service does not show it" + after + ": " + evidence)
      .with_details(Json::object({{"answer", reply.body}}));
}

// In a dry run: the plan of the first request, or the first failure.
Failure plan_of(const ChangePlan& plan) {
  std::optional<Failure> first;
  for (const ChangePlan::Change& change : plan.changes) {
    const auto end = change.send();
    SVC_ASSERT(!end);
    if (!end.error().is_plan()) return end.error();
    if (!first) first = end.error();
  }
  return *first;
}

}  // namespace

void PlainWrite::declare(Arguments& arguments, std::string_view why_no_wait) {
  if (how_ == Signed::beside) action_.declare(arguments);
  if (how_ == Signed::in_body)
    arguments.add(action_.word, {"--action", "it is signed by the wallet, always", {}, signed_words});
  if (how_ == Signed::not_at_all)
    arguments.add(action_.word, {"--action", "the service reads no signed action here", {}, omitted_words});
  for (const Argument& one : no_order_flags) arguments.refused(one.names, one.doc);
  if (!why_no_wait.empty()) return refuse_wait(arguments, why_no_wait);
  arguments.add(waits_, {"--wait", "until the service shows it when it is read, and as final"});
  limit_.declare(arguments);
}

Result<Reply> PlainWrite::send(Context& context, Exchange& exchange, Call call) const {
  if (how_ == Signed::beside) call.action = action_.choice();
  const auto timeout_ms = SVC_TRY(limit_.timeout_ms(waits_));
  if (!waits_ || context.globals().dry_run) return exchange.call(call);
  const outbox::Proof* proof = outbox::find_proof(call.operation->name);
  if (proof == nullptr) return usage_error("--wait: the service shows nowhere what becomes of this");
  outbox::Entry entry = entry_of(context, call);
  if (proof->before != nullptr) entry.before = SVC_TRY(proof->before(exchange));
  auto reply = exchange.call(call);
  if (!reply) return reply;
  context.count_as_told();  // whoever ends the wait by a signal is told what was accepted
  entry.account = context.facts().account.value_or("");
  const std::int64_t until_ms = context.uptime_ms() + timeout_ms;
  constexpr std::int64_t pause_ms_max = 1'000;
  for (std::int64_t pause_ms = outbox::first_pause_ms;; pause_ms = std::min(pause_ms * 2, pause_ms_max)) {
    const auto finding = proof->look(
        exchange, {.entry = entry, .admin_secret = call.admin_secret, .row = outbox::row_of(proof, reply->body)});
    if (finding && finding->verdict == outbox::Verdict::accepted && is_final(finding->record)) {
      // The answer was about a write under way, and this record is final. Members that only the answer has are kept.
      const auto id = reply->body.string_at("id");
      if (id && finding->record.string_at("id") == id) {
        for (const auto& [key, value] : finding->record.members())
          if (!value.is(Json::Kind::null)) reply->body.set(key, value);
        reply->raw = reply->body.dump();
      }
      return reply;
    }
    const auto* failure = failure_in(finding);
    const bool interrupted = context.environment().interrupted();
    if (interrupted || context.uptime_ms() + pause_ms > until_ms) {
      return not_final(interrupted ? std::nullopt : std::optional(timeout_ms), *reply,
                       failure != nullptr ? failure->message : finding->evidence,
                       finding && finding->verdict == outbox::Verdict::accepted);
    }
    static_cast<void>(context.environment().pause(pause_ms));
  }
}

void refuse_wait(Arguments& arguments, std::string_view why) {
  for (const std::string_view name : {"--wait", "--wait-timeout"}) arguments.refused(name, why);
}

void ActionFlag::declare(Arguments& arguments) {
  arguments.add(
      word, {"--action", "signed action: demand it, or leave it out (default: sign if unlocked)", {}, action_words});
}

ActionChoice ActionFlag::choice() const {
  if (!word) return ActionChoice::when_unlocked;
  return *word == "sign" ? ActionChoice::demanded : ActionChoice::omitted;
}

bool tell_if_outside_guard(Context& context, const std::string& client_id) {
  const auto prefix = client_id_prefix(context.environment());
  if (!prefix || client_id.starts_with(*prefix)) return false;
  context.notice("outside_guard",
                 "the guard cancels orders whose client id begins with " + *prefix + ", and this is " + client_id);
  return true;
}

Result<Answer> carry_out(Context& context, ChangePlan plan) {
  for (const ChangePlan::Change& change : plan.changes) context.say("plan: " + change.words);
  if (context.globals().dry_run) return plan_of(plan);
  const std::string changes = counted(plan.changes.size(), "change", "changes");
  // On real funds the confirmation of every write is the stricter one.
  if (!context.globals().confirm)
    SVC_TRY(
        ask_to_go_on(context, "apply " + changes + "? [y/N] ", {"y", "yes"},
                     failed("confirmation", "nothing was changed: ", changes, " without a yes").to_try({"add --yes"})));
  Answer answer{.data = Json::array()};
  std::size_t done = 0;
  bool stopped = false;
  for (ChangePlan::Change& change : plan.changes) {
    const auto sent = stopped ? Result<Reply>(Reply()) : change.send();
    const Failure* failure = sent ? nullptr : &sent.error();
    change.row.set("result", stopped ? "not_sent" : failure == nullptr ? "done" : failure->code);
    if (failure == nullptr && !stopped) ++done;
    if (failure != nullptr) {
      stopped = !plan.goes_on(failure->exit);
      if (!answer.failure || failure->exit == ExitCode::outcome_unknown) answer.failure = *failure;
    }
    answer.data.push(std::move(change.row));
  }
  if (!answer.failure) return answer;
  if (done > 0 && answer.failure->exit != ExitCode::outcome_unknown) {
    answer.failure->exit = ExitCode::partial;
    answer.failure->message = concat(done, " of ", plan.changes.size(), " ", plan.done, ": ", answer.failure->message);
  }
  answer.failure->details.set("done", done);
  answer.failure->details.set("left", plan.changes.size() - done);
  answer.failure->actions.push_back(plan.look_again);
  return answer;
}

}  // namespace svc::cli
