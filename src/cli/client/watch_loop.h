// Follows a stream until something ends it, and reports each event once.
#pragma once

#include "api/stream/stream_client.h"
#include "base/text_condition.h"
#include "cli/client/context.h"
#include "cli/machine/environment.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/failure.h"

// Limits of commands that follow something.

namespace svc::cli::watch_limits {

inline constexpr std::int64_t look_ms = 100;                // between two checks of signals and deadlines
inline constexpr std::uint32_t snapshot_rows = 100;         // of --snapshot, where rows are events
inline constexpr std::size_t collected_lines_max = 10'000;  // of a watch with -o json, which prints one document
inline constexpr std::int64_t poll_ms = 500;                // between two REST reads while waiting for an order
inline constexpr std::int64_t wait_ms_default = 30'000;     // of --wait and orders wait
inline constexpr std::int64_t repeat_ms_default = 2'000;    // of --watch
inline constexpr std::int64_t stale_ms = 5'000;             // older figures on a screen are marked
inline constexpr std::int64_t screen_read_ms = 2'100;  // of one read for a screen; longer would block keys and clock
inline constexpr std::int64_t repeat_ms_min = 100;
inline constexpr std::size_t raw_line_bytes_max = 64 * 1024;  // of one frame that `ws raw` sends

}  // namespace svc::cli::watch_limits

namespace svc::cli {

// Stream events as lines.

// {"type":"event"|"status"|"gap"|"resync"|"error", ...}; docs/streams.md lists the members. `cursor` is left out if
// empty.
[[nodiscard]] Json watch_line(const api::StreamNews& news, const std::string& cursor);

// For people, without the line feed: "12:00:00.123  fills  BTC-USDX-PERP  buy 0.25 @ 60100  fee 0.75". To fit `columns`
// (0: no limit), ids are shortened first, then words are dropped from the end. Numbers are never cut.
struct LineRoom {
  std::size_t columns = 0;
  bool utf8 = false;
  DisplayZone zone{};  // of the time
};
[[nodiscard]] std::string watch_text(const Json& line, const LineRoom& room = {});

// Signals that end a program as flags to poll, so that a command that follows something can report how far it came, and
// leaves the terminal as it was. Ignored ones, as under nohup, stay ignored.

// While one of these exists, the signals are only recorded; afterwards their former handlers return. At most one at a
// time. Inside a shell the shell handles the signals, and Environment::interrupted tells.
class StopSignals {
 public:
  explicit StopSignals(const Environment& environment);

  // ExitCode::interrupted or terminated, once a signal came.
  [[nodiscard]] std::optional<ExitCode> came() const;

 private:
  const Environment& environment_;
  std::optional<ChangedSignals> noted_;  // none inside a shell
};

// The failure of a command that a signal stopped; its code is the exit code's word.
[[nodiscard]] Failure stopped_by(ExitCode signal);

inline constexpr std::int64_t hook_ms_max = 10'000;  // of a command that --exec runs; its shell is killed after that

// Runs `sh -c COMMAND` with the line on its standard input and SVC_EVENT_CHANNEL set; its output goes to our standard
// error. The shell is killed after hook_ms_max; what it started is not. The error says how it failed.
Result<void, std::string> run_hook(const std::string& command, const Json& line);

struct WatchEnds {
  std::optional<std::int64_t> for_ms{};   // by the environment's clock
  std::optional<std::uint64_t> count{};   // events
  std::optional<TextConditions> until{};  // tested on each line
  bool fail_on_gap = false;
};

struct WatchReport {
  std::string reason;  // "count", "until", "for", "gap", "interrupted", "failed", "unwritable"
  std::uint64_t events = 0;
  std::uint64_t gaps = 0;
  std::optional<Failure> failure{};
};

// Receives each line, and shows it.
using WatchSink = std::function<Written(const api::StreamNews&, const Json& line)>;

// `cursor` gives the cursor of each line; `failure` tells why the source gave up or cannot be reached. The first
// connection is tried 1 + --retries times; later ones forever.
struct WatchSource {
  std::function<std::optional<api::StreamNews>(std::int64_t wait_ms)> next;
  std::function<std::string()> cursor;
  std::function<Json()> line{};  // of the latest event; null if it is watch_line()
  std::function<std::optional<Failure>()> failure;
};

[[nodiscard]] WatchReport follow(Context& context, const WatchSource& source, const WatchEnds& ends,
                                 const WatchSink& sink);

// --follow: prints the existing rows, oldest first, then each new one once.

// The rows after `last`, oldest first; the newest few if there is none.
using RowsAfter = std::function<Result<std::vector<Json>>(const std::optional<Json>& last)>;

// Prints until a signal comes. Temporary failures are reported on standard error and the read is repeated; a row is
// never printed twice.
Result<Answer> follow_rows(Context& context, const View& view, const RowsAfter& rows_after);

// Lines that are printed as they come, unchanged or filtered by --jq.

// Exit 2 for formats that need columns, and for a template; `what` names the stream in the message.
Result<void> check_stream_format(Context& context, std::string_view what);

// An error of the --jq expression is reported, and the stream goes on.
[[nodiscard]] Written print_stream_line(Context& context, const Json& line);

// Why a stream ends whose lines cannot be written, with the exit code of other commands. Standard error says so unless
// only the reader went away.
[[nodiscard]] Failure unwritable(Context& context, Written written);

}  // namespace svc::cli
