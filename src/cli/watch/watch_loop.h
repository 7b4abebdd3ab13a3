// Following a stream until something ends it, and telling each thing once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/stream_client.h"
#include "cli/context.h"
#include "cli/watch/stop_signals.h"
#include "cli/watch/until_rule.h"

namespace svc::cli {

struct WatchEnds {
  std::optional<std::int64_t> for_ms{};   // of the environment's clock
  std::optional<std::uint64_t> count{};   // events
  std::optional<UntilRule> until{};       // of a line
  bool fail_on_gap = false;
};

struct WatchReport {
  std::string reason;  // "count", "until", "for", "gap", "interrupted", "failed", "reader_gone"
  std::uint64_t events = 0;
  std::uint64_t gaps = 0;
  std::optional<Failure> failure{};
};

// What one line is handed to. False: the reader is gone.
using WatchSink = std::function<bool(const api::StreamNews&, const Json& line)>;

// `cursor` gives the text that goes with each line; `failure` why the source gave up or cannot be reached. Attempts to
// connect for the first time are those of --retries and one; afterwards it is tried for ever.
struct WatchSource {
  std::function<std::optional<api::StreamNews>(std::int64_t wait_ms)> next;
  std::function<std::string()> cursor;
  std::function<Json()> line{};  // of the news given last, where it is not that of watch_line()
  std::function<std::optional<Failure>()> failure;
};

[[nodiscard]] WatchReport follow(Context& context, const WatchSource& source, const WatchEnds& ends, const WatchSink& sink);

}  // namespace svc::cli
