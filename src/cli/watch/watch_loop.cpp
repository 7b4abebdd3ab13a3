#include "cli/watch/watch_loop.h"

#include <algorithm>

#include "cli/watch/event_json.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

using Kind = api::StreamNews::Kind;

Failure stopped_by(ExitCode exit) {
  return {.exit = exit, .code = std::string(meaning_of(exit).category), .message = "stopped by a signal"};
}

}  // namespace

WatchReport follow(Context& context, const WatchSource& source, const WatchEnds& ends, const WatchSink& sink) {
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  const TimestampMs started_ms = context.now_ms();
  WatchReport report;
  bool ever_connected = false;
  int attempts_left = context.globals().retries + 1;
  const auto end = [&](std::string reason, std::optional<Failure> failure) {
    report.reason = std::move(reason);
    report.failure = std::move(failure);
    return report;
  };
  for (;;) {
    if (const auto signal = signals.came()) return end("interrupted", stopped_by(*signal));
    if (environment.interrupted()) return end("interrupted", stopped_by(ExitCode::interrupted));
    std::int64_t wait_ms = watch_limits::look_ms;
    if (ends.for_ms) {
      const std::int64_t left_ms = started_ms + *ends.for_ms - context.now_ms();
      if (left_ms <= 0) {
        if (!ends.count && !ends.until) return end("for", std::nullopt);
        return end("for", Failure{.exit = ExitCode::wait_ended,
                                  .code = "wait_ended",
                                  .message = "what was waited for did not come within --for",
                                  .retryable = true});
      }
      wait_ms = std::min(wait_ms, left_ms);
    }
    const auto news = source.next(wait_ms);
    if (!news) continue;
    const Json line = source.line ? source.line() : watch_line(*news, source.cursor());
    if (!sink(*news, line)) {
      return end("reader_gone", Failure{.exit = ExitCode::broken_pipe,
                                        .code = "broken_pipe",
                                        .message = "the reader of the output went away"});
    }
    switch (news->kind) {
      case Kind::connected: ever_connected = true; break;
      case Kind::disconnected:
        if (!ever_connected && --attempts_left <= 0) return end("failed", source.failure());
        break;
      case Kind::gap:
        ++report.gaps;
        if (!ends.fail_on_gap) break;
        return end("gap", Failure{.exit = ExitCode::stream_gap,
                                  .code = "stream_gap",
                                  .message = "the stream lost events" + (news->key ? " of " + to_string(*news->key) : std::string()),
                                  .retryable = true});
      case Kind::event: ++report.events; break;
      case Kind::error:
        if (!news->final) break;
        if (auto why = source.failure()) return end("failed", std::move(why));
        return end("failed", Failure{.exit = ExitCode::invalid, .code = news->code, .message = news->text});
      default: break;
    }
    if (ends.until && ends.until->holds(line)) return end("until", std::nullopt);
    if (ends.count && report.events >= *ends.count) return end("count", std::nullopt);
  }
}

}  // namespace svc::cli
