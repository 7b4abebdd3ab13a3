// Where the faults that a user of the sandbox sets meet a request: on its way in, before it is handled, and
// on the way out. An error is the one the real thing would send, with its body, status and header fields.

#include <utility>

#include "api/operation_list.h"
#include "base/decimal.h"
#include "sim/gateway/gateway.h"

namespace svc::sim {

using api::ApiError;
using api::ErrorCode;

namespace {

std::string fault_name(std::uint64_t id) {
  return "fault " + std::to_string(id);
}

void note_fault(RequestContext& context, std::uint64_t id, std::string_view what) {
  std::string& note = context.log.note;
  note.append(note.empty() ? "" : "; ").append(fault_name(id)).append(": ").append(what);
}

bool is_jurisdiction(ErrorCode code) {
  return code == ErrorCode::restricted_jurisdiction || code == ErrorCode::us_restricted ||
         code == ErrorCode::geo_unresolved;
}

}  // namespace

FaultSubject Gateway::subject_of(const RequestContext& context) const {
  const auto& caller = context.authentication.caller;
  return {.operation = *context.operation,
          .path = context.logical_path,
          .account = caller ? std::optional(caller->account) : std::nullopt,
          .query = context.request.query(),
          .body = context.request.body};
}

Gateway::StageResult Gateway::arrive(RequestContext& context) const {
  if (faults_.empty()) return Step::go_on;
  const ArrivalFaults met = faults_.arriving(subject_of(context));
  if (met.skewed_by != 0) {
    context.clock_skew_ms = met.skew_ms;
    note_fault(context, met.skewed_by, "clock off by " + std::to_string(met.skew_ms) + " ms");
  }
  if (met.lost_by == 0) return Step::go_on;
  context.log.rule = "fault";
  note_fault(context, met.lost_by, "lost before it was handled");
  context.answer_late_ms = met.latency_ms;
  context.response = no_answer();
  return Step::answered;
}

Gateway::StageResult Gateway::meet_fault(RequestContext& context) const {
  if (faults_.empty()) return Step::go_on;
  const auto fault = faults_.erring(subject_of(context));
  if (!fault) return Step::go_on;
  context.answer_late_ms += fault->latency_ms;
  if (refuses_write(fault->code) && declares(*context.operation, fault->code)) {
    context.refuse_write = true;
    note_fault(context, fault->id, "the write is not recorded");
    return Step::go_on;
  }
  if (happens_first(fault->code)) {
    context.denied_by = fault;
    return Step::go_on;
  }
  context.log.rule = "fault";
  note_fault(context, fault->id, "answered before it was handled");
  return unexpected(fault_error(context, *fault));
}

ApiError Gateway::fault_error(RequestContext& context, const ErrorFault& fault) const {
  ApiError error(fault.code);
  // Codes of older deployments aside, there is one 401. (API: Errors)
  const int unauthorized = status_of(ErrorCode::unauthorized);
  if (fault.status == unauthorized && status_of(error) != unauthorized) return ErrorCode::unauthorized;
  error.status = fault.status;
  api::Headers& headers = context.response.headers;
  if (is_jurisdiction(fault.code)) headers.set("X-Svc-Block-Reason", std::string(api::spelling(fault.code)));
  if (fault.code == ErrorCode::rate_limit_exceeded) {
    // The bucket that did pay, as if it had nothing left. (API: Rate-limit headers)
    BudgetRefusal refusal;
    const auto& caller = context.authentication.caller;
    if (caller) refusal.tier = context.network->payer_of(*caller, context.client_address).tier;
    refusal.meter = context.meter.value_or(Meter{.bucket = Bucket::ip, .limit = limits::client_reads_per_second});
    refusal.meter.remaining = 0;
    refusal.meter.full_at_ms = context.now_ms + second_ms;
    error = add_exhausted(context, refusal);
    error.status = fault.status;
  }
  if (fault.code == ErrorCode::api_version_unsupported) {
    add_version_floor(options_.versions, context.now_ms, headers);
    error = version_refusal(context.request.headers, options_.versions, context.now_ms);
    error.status = fault.status;
  }
  if (fault.code == ErrorCode::daily_limit_exceeded) {
    const std::string limit = format_usdx(context.network->settings.credit_terms.daily_limit);
    error.with("credited_today", limit).with("daily_limit", limit);
  }
  if (fault.code == ErrorCode::upgrade_required) headers.set("Upgrade", "websocket");
  return error;
}

void Gateway::depart(RequestContext& context) const {
  if (context.operation == nullptr || is_no_answer(context.response)) return;
  if (context.denied_by && context.log.code.empty()) {
    note_fault(context, context.denied_by->id, "handled, then denied");
    context.log.rule = "fault";
    refuse(context, fault_error(context, *context.denied_by));
  }
  if (faults_.empty()) return;
  const DepartureFaults met = faults_.leaving(subject_of(context));
  if (met.delayed_by != 0) note_fault(context, met.delayed_by, "held back " + std::to_string(met.latency_ms) + " ms");
  context.answer_late_ms += met.latency_ms;
  if (met.unanswered_by == 0) return;
  note_fault(context, met.unanswered_by,
             "handled with status " + std::to_string(context.response.status) + ", the answer dropped");
  if (context.log.rule.empty()) context.log.rule = "fault";
  context.response = no_answer();
}

Reply Gateway::held_back(const Reply& reply, std::int64_t ms) const {
  if (ms <= 0 || !options_.after_ms) return reply;
  return [reply, ms, after_ms = options_.after_ms](api::HttpResponse response) {
    after_ms(ms, [reply, kept = std::make_shared<api::HttpResponse>(std::move(response))] { reply(std::move(*kept)); });
  };
}

}  // namespace svc::sim
