// What became of a write whose answer was lost, or whose refusal may have followed acceptance.
#include <utility>

#include "api/ops/account.h"
#include "cli/exchange/command_line.h"
#include "cli/exchange/exchange.h"
#include "cli/exchange/refusal.h"
#include "cli/outbox/bounds.h"
#include "cli/outbox/proof.h"

namespace svc::cli {

using outbox::Verdict;

Result<Reply, Stop> Exchange::take_found(const Call& call, const outbox::Finding& finding, const std::string& answer) {
  if (finding.unusable) return unexpected(Stop(*finding.unusable));
  context_->notice("reconciled", answer + ", but the write was accepted: " + finding.evidence);
  return Reply{.status = call.operation->success, .headers = {}, .body = finding.record, .raw = finding.record.dump()};
}

Result<Reply, Stop> Exchange::leave_open(const Result<outbox::Settled, Stop>& settled, const std::string& id,
                                         Failure unknown) {
  unknown.details.set("outbox", id);
  unknown.actions.insert(unknown.actions.begin(), command_line(*context_, "outbox resolve " + id));
  if (!settled) {
    if (const auto* why = std::get_if<Failure>(&settled.error().why)) unknown.details.set("look_up", why->message);
    return unexpected(Stop(std::move(unknown)));
  }
  const bool is_unclear = settled->finding.verdict == Verdict::unknown;
  unknown.message += (is_unclear ? "; looked for, and what is there proves nothing: " : "; not seen when looked for: ") +
                     settled->finding.evidence;
  unknown.details.set("not_seen_at_ms", settled->looked_at_ms);
  return unexpected(Stop(std::move(unknown)));
}

Result<Reply, Stop> Exchange::find_out(const Call& call, Failure lost) {
  auto in_flight = while_in_flight(call);
  const auto settled = outbox::reconcile(*context_, *this, *entry_, call.admin_secret, outbox::Patience::half_a_minute);
  in_flight.reset();
  const std::string id = entry_->entry().id;
  if (settled) outbox::note_found(*context_, *entry_, *settled);
  entry_.reset();
  if (!settled || !outbox::is_final(settled->finding.verdict)) return leave_open(settled, id, std::move(lost));
  const outbox::Finding& finding = settled->finding;
  if (finding.verdict == Verdict::accepted) return take_found(call, finding, "the answer was lost");
  if (finding.verdict == Verdict::rejected) {
    return unexpected(Stop(Failure{.exit = ExitCode::invalid,
                                   .code = "rejected",
                                   .message = "the answer was lost, and the write had no effect: " + finding.evidence,
                                   .details = Json::object({{"record", finding.record}})}));
  }
  return unexpected(Stop(Failure{.exit = ExitCode::unavailable,
                                 .code = "not_accepted",
                                 .message = "the write was not accepted and cannot be any more, for its signature "
                                            "has expired (" +
                                            finding.evidence + "); nothing happened",
                                 .retryable = true}));
}

void Exchange::close_doubted(const Call& call, const Failure& refused) {
  if (const auto status = std::exchange(doubted_status_, std::nullopt)) {
    conclude(call, *status, refused.code, refused.exit);
  }
}

bool Exchange::is_refused_for_reads() {
  const auto read = call(call_of<api::ops::GetAccount>());
  const auto* failure = read ? nullptr : std::get_if<Failure>(&read.error().why);
  return failure != nullptr && failure->exit == ExitCode::authentication;
}

Result<Reply, Stop> Exchange::look_after_refusal(const Call& call, Failure refused) {
  const bool busy = is_busy(*doubted_status_);
  auto in_flight = while_in_flight(call);
  const auto settled = outbox::reconcile(*context_, *this, *entry_, call.admin_secret,
                                         busy ? outbox::Patience::once : outbox::Patience::briefly);
  const auto* why = settled ? nullptr : std::get_if<Failure>(&settled.error().why);
  bool stands = false;
  if (settled) {
    stands = settled->finding.verdict != Verdict::accepted && settled->finding.verdict != Verdict::unknown;
  } else if (busy || (why != nullptr && why->exit == ExitCode::authentication)) {
    stands = true;  // who is refused for a read was refused for the write
  } else if (why != nullptr && why->exit == ExitCode::outcome_unknown) {
    stands = is_refused_for_reads();  // the look itself failed
  }
  in_flight.reset();
  if (stands) {
    close_doubted(call, refused);
    return unexpected(Stop(std::move(refused)));
  }
  doubted_status_.reset();
  const std::string id = entry_->entry().id;
  if (settled) outbox::note_found(*context_, *entry_, *settled);
  entry_.reset();
  if (settled && settled->finding.verdict == Verdict::accepted) {
    return take_found(call, settled->finding, "the answer was " + refused.code);
  }
  return leave_open(settled, id, doubted(call, refused));
}

}  // namespace svc::cli
