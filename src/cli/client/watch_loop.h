// Following a stream until something ends it, and telling each thing once.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/stream_client.h"
#include "base/result.h"
#include "base/text_condition.h"
#include "cli/client/context.h"
#include "cli/machine/environment.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// What a watch is about: channels and markets as they are typed, and the word by which a later run goes on.

struct WatchWords {
  std::vector<std::string> channels;  // known ones; "account" stands for its four
  std::vector<std::string> markets;
};

// Channels come first, then markets; exit 2 with the list of channels for a word that is neither.
[[nodiscard]] Result<WatchWords, Failure> split_watch_words(const std::vector<std::string>& words);

// One subscription for each channel of an account, and for each market of each market channel.
[[nodiscard]] Result<std::vector<api::StreamKey>, Failure> stream_keys(const WatchWords& words,
                                                                      const std::vector<std::string>& intervals);

// NETWORK~ACCOUNT~MARKS; the account is "-" where it is not known. Empty without marks.
[[nodiscard]] std::string cursor_text(const std::string& network, const std::string& account, const api::StreamMarks& marks);
// Exit 2 unless it is one of that network and account.
[[nodiscard]] Result<api::StreamMarks, Failure> parse_cursor(const std::string& text, const std::string& network,
                                                             const std::string& account);

}  // namespace svc::cli

// Bounds of commands that follow something.

namespace svc::cli::watch_limits {

inline constexpr std::int64_t look_ms = 100;             // between two looks at signals and deadlines
inline constexpr std::uint32_t snapshot_rows = 100;      // of --snapshot, where rows are events
inline constexpr std::size_t collected_lines_max = 10'000;  // of a watch with -o json, which prints one document
inline constexpr std::int64_t poll_ms = 500;             // between two REST reads of an order that is waited for
inline constexpr std::int64_t wait_ms_default = 30'000;  // of --wait and orders wait
inline constexpr std::int64_t repeat_ms_default = 2'000;  // of --watch
inline constexpr std::int64_t stale_ms = 5'000;            // figures on a screen that are older say so
inline constexpr std::int64_t screen_read_ms = 2'100;      // of one read for a screen: keys and clock wait no longer
inline constexpr std::int64_t repeat_ms_min = 100;
inline constexpr std::size_t raw_line_bytes_max = 64 * 1024;  // of one frame that `ws raw` sends

}  // namespace svc::cli::watch_limits

// A condition on a JSON document, as `--until` takes it.

namespace svc::cli {

// The path leads through objects: "payload.OrderUpdate.order.status=Filled".
class UntilRule {
 public:
  [[nodiscard]] static Result<UntilRule, std::string> parse(std::string_view text);
  [[nodiscard]] bool holds(const Json& document) const;

 private:
  TextCondition condition_;
};

// SIGINT and SIGTERM as questions instead of sudden ends, so that whoever follows something can say how far it came.

// While one of these lives the signals are only noted; afterwards they do what they did before. One at a time, and
// none inside a shell: there the signals are the shell's, and Environment::interrupted tells.
class StopSignals {
 public:
  explicit StopSignals(const Environment& environment);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // interrupted or terminated, once a signal came.
  [[nodiscard]] std::optional<ExitCode> came() const;

 private:
  bool ours_;
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

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

// --follow: a list that goes on. Rows that are there come first, oldest on top; then each new one, once.

// The rows after that one, oldest first; without one the newest few.
using RowsAfter = std::function<Result<std::vector<Json>, Stop>(const std::optional<Json>& last)>;

// Prints until a signal comes. Passing failures are told on standard error and tried again; a row is never printed twice.
[[nodiscard]] Result<Answer, Stop> follow_rows(Context& context, const View& view, const RowsAfter& rows_after);

// Lines that are printed as they come: as they are, or what --jq makes of each.

// Whether a stream of lines goes out line by line: asked for, in a pipe, or because --jq stands without -o.
[[nodiscard]] bool prints_stream_lines(Context& context);

// Exit 2 for formats that need columns; `what` has none.
[[nodiscard]] Result<void, Failure> check_stream_format(const Context& context, std::string_view what);

// What an expression cannot make anything of is told, and the stream goes on.
[[nodiscard]] Written print_stream_line(Context& context, const Json& line);

}  // namespace svc::cli
