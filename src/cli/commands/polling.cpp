#include "cli/commands/polling.h"

#include "base/decimal.h"

namespace svc::cli {
namespace {

constexpr std::int64_t interval_ms = 1'000;
constexpr std::int64_t poll_look_ms = 100;  // how often an interruption is looked for
constexpr std::int64_t wait_default_ms = 60'000;
constexpr std::int64_t wait_ms_max = 7 * day_ms;

}  // namespace

Result<std::int64_t, Failure> WaitLimit::timeout_ms() const {
  if (!seconds) return wait_default_ms;
  const auto ms = parse_scaled(*seconds, 3);
  if (ms && *ms > 0 && *ms <= wait_ms_max) return *ms;
  return unexpected(usage_error("--wait-timeout must be seconds above 0, such as 30, not \"" + *seconds + "\""));
}

bool is_final(const Json& record) {
  const auto status = record.string_at("status");
  return status != "pending" && status != "detected" && status != "confirming";
}

void WaitLimit::declare(Arguments& arguments) {
  arguments.text("--wait-timeout", seconds, "S", "how long --wait waits (default 60)");
}

Result<Reply, Stop> poll(Context& context, Exchange& exchange, const WaitLimit& limit,
                         const std::function<Call()>& call, const std::function<bool(const Json&)>& done,
                         const std::function<bool(const Failure&)>& goes_on) {
  const auto timeout_ms = SVC_TRY(limit.timeout_ms());
  const TimestampMs until_ms = context.now_ms() + timeout_ms;
  Json last;
  for (;;) {
    auto reply = exchange.call(call());
    if (!reply) {
      const auto* failure = std::get_if<Failure>(&reply.error().why);
      if (failure == nullptr || !goes_on || !goes_on(*failure)) return reply;
    } else {
      if (done(reply->body)) return reply;
      last = std::move(reply->body);
    }
    for (std::int64_t slept_ms = 0; slept_ms < interval_ms; slept_ms += poll_look_ms) {
      if (context.environment().interrupted())
        return unexpected(
            Stop(Failure{.exit = ExitCode::interrupted, .code = "interrupted", .message = "interrupted"}));
      if (context.now_ms() >= until_ms) {
        Failure failure{.exit = ExitCode::wait_ended,
                        .code = "wait_ended",
                        .message = "it did not come about within " + std::to_string(timeout_ms / second_ms) + " s",
                        .retryable = true};
        failure.details.set("last", std::move(last));
        return unexpected(Stop(std::move(failure)));
      }
      context.environment().sleep_ms(poll_look_ms);
    }
  }
}

}  // namespace svc::cli
