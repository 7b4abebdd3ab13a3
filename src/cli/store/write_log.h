// The log of a network: every write, what was answered, and what was found of it later. One JSON object per line; lines
// are only ever added. What has an intent and no outcome is the outbox (outbox.h).
//
// Promises
//   (L1) An intent that was appended is on the disk before its request leaves.
//   (L2) A line that was torn, zeroed or changed is passed over, and takes no other line with it: each append begins
//        with a line feed, and each line carries a checksum of itself.
//   (L3) No line is changed or removed. A file that has grown to log_bytes is followed by a new one, which begins with
//        a copy of every intent that is still without an outcome; so the newest file alone holds the outbox.
//   (L4) Appending waits for nobody but whoever begins a new file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

namespace svc::cli::outbox {

// An intent without a final outcome.
struct OpenIntent {
  Json line;
  bool is_unknown = false;  // an outcome was recorded, and it proves nothing
};

enum class Durable : std::uint8_t { at_once, eventually };

class Log {
 public:
  Log(const Environment& environment, const Paths& paths, std::string_view network);

  // `record` is an object with "type" and "id"; version and checksum are added.
  [[nodiscard]] Result<void, Failure> append(const Json& record, Durable durable);

  // Oldest first.
  [[nodiscard]] Result<std::vector<OpenIntent>, Failure> open_intents();

  // Every record of the files that hold what is at least as new as `since_ms`, oldest first.
  using Each = std::function<void(const Json& record)>;
  [[nodiscard]] Result<void, Failure> read(TimestampMs since_ms, const Each& each);

  [[nodiscard]] std::int64_t uptime_ms() const;

  // Held by whoever sends the write of that id, or looks for it; null while somebody else does.
  [[nodiscard]] Result<std::unique_ptr<LogLock>, Failure> try_hold(std::string_view id);
  [[nodiscard]] Result<bool, Failure> is_held(std::string_view id);

 private:
  [[nodiscard]] Result<std::unique_ptr<LogLock>, Failure> hold_files(Hold hold);
  [[nodiscard]] std::string newest_file() const;  // empty if there is none
  [[nodiscard]] Result<void, Failure> begin_first_file();
  [[nodiscard]] Result<void, Failure> begin_next_file(const std::string& full);
  [[nodiscard]] Result<void, Failure> take_in_days();

  const Environment* environment_;
  std::unique_ptr<LogDisk> disk_;
  bool took_in_days_ = false;
};

// One line of the log: a record with the checksum of its own text as its last member.

inline constexpr std::int64_t log_version = 2;

// {"version":2,"type":...,"id":..., the other members, "sum":"8 hex digits"}, without a line feed.
[[nodiscard]] std::string log_line(const Json& record);

// The record without its checksum; nullopt for a line that is torn or was changed. Version 1 had no checksums.
[[nodiscard]] std::optional<Json> read_log_line(std::string_view line);

// Type and id as they stand at the beginning of a line of this version, whole or not; for whoever passes over most of
// them. Empty if the line begins otherwise.
struct LineHead {
  std::string_view type{};
  std::string_view id{};
};
[[nodiscard]] LineHead head_of(std::string_view line);

// Bounds of the log and of looking for lost writes.

// Of a file of the log, after which the next one begins: some 600 writes, read in a millisecond or two. (D-621)
inline constexpr std::size_t log_bytes = 512u << 10;
inline constexpr std::size_t log_carried_bytes_max = log_bytes / 2;  // of open intents; with more the file grows on
inline constexpr std::int64_t log_patience_ms = 2'000;               // for another process that begins the next file

inline constexpr std::int64_t first_pause_ms = 250;  // between two look-ups; doubled each time
inline constexpr std::int64_t pause_ms_max = 8'000;
inline constexpr std::int64_t window_slack_ms = 1'000;  // the server's Date counts whole seconds
inline constexpr std::int64_t search_ms = 30'000;       // from the sending, of a write whose answer is lost
inline constexpr std::int64_t search_ms_min = 5'000;    // from when it is known to be lost
inline constexpr std::int64_t brief_ms = 2'000;         // of a write that was refused as the copy of one may be
inline constexpr std::int64_t settle_ms = 10'000;       // of one look, and of all that an earlier run left together
inline constexpr std::int64_t patience_ms = 75'000;     // of `outbox resolve ID`
// By our own clock nobody can set: a signature lives 30 s, and the clock it was made by may be as much ahead. (D-623)
inline constexpr std::int64_t expiry_uptime_ms = 60'000;
inline constexpr std::int64_t clock_slack_ms = 120'000;  // how much older than the write a list is read
inline constexpr int history_pages_max = 20;
// A list with more rows, and none of before, may have been cut by the service itself.
inline constexpr std::size_t whole_list_rows_max = 5'000;
inline constexpr std::int64_t created_slack_ms = 2'000;  // how far the time of creation may be before that of signing
// A client id that we made so shortly before or after is the order's alone, whatever the clocks say of its age.
inline constexpr std::int64_t fresh_id_ms = 3'600'000;
inline constexpr std::size_t settled_at_start_max = 5;  // entries of earlier runs looked up before a write

}  // namespace svc::cli::outbox
