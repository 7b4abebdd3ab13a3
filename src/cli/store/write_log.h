// The log of a network: every write, its answer, and what later look-ups found. One JSON object per line; lines are
// only appended. The intents without an outcome are the outbox (outbox.h).
//
// Promises
//   (L1) An appended intent is on the disk before its request is sent.
//   (L2) A line that was torn, zeroed or changed is skipped, and no other line with it: each append begins with a line
//        feed, and each line carries its own checksum.
//   (L3) No line is changed or removed. When a file has grown to log_bytes, a new one begins with a copy of every
//        intent that has no outcome yet; so the newest file alone contains the outbox.
//   (L4) Appending waits only for a process that begins a new file.
#pragma once

#include <memory>

#include "base/clock.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

// An intent without a final outcome.
struct OpenIntent {
  Json line;
  bool is_unknown = false;  // an outcome was recorded, but it proves nothing
};

enum class Durable : std::uint8_t { at_once, eventually };

class Log {
 public:
  Log(const Environment& environment, const Paths& paths, std::string_view network);

  // `record` is an object with "type" and "id"; version and checksum are added.
  Result<void> append(const Json& record, Durable durable);

  // Oldest first.
  Result<std::vector<OpenIntent>> open_intents();

  // Every record of the files that reach back to `since_ms`, oldest first.
  using Each = std::function<void(const Json& record)>;
  Result<void> read(TimestampMs since_ms, const Each& each);

  // To be held while sending the write of that id or looking it up; nullopt while another process holds it.
  Result<std::optional<FileLock>> try_hold(std::string_view id);
  Result<bool> is_held(std::string_view id);

 private:
  Result<std::optional<FileLock>> hold_files(Hold hold);
  Result<std::string> newest_file() const;  // empty if there is none
  Result<void> begin_first_file();
  Result<void> begin_next_file(const std::string& full);

  const Environment* environment_;
  std::unique_ptr<LogDisk> disk_;
  std::int64_t patience_ms_;  // for a process that holds the files; used up once
};

// One line of the log: a record whose last member is the checksum of the rest.

// {"version":2,"type":...,"id":..., the other members, "sum":"8 hex digits"}, without a line feed.
[[nodiscard]] std::string log_line(const Json& record);

// The record without its checksum; nullopt for a torn or changed line. Version 1 had no checksums.
[[nodiscard]] std::optional<Json> read_log_line(std::string_view line);

// Limits of the log and of looking up lost writes.

// The size after which the next file begins: some 600 writes, read in a millisecond or two. (D-621)
inline constexpr std::size_t log_bytes = 512u << 10;
inline constexpr std::size_t log_carried_bytes_max =
    log_bytes / 2;                                      // of open intents; with more of them the file keeps growing
inline constexpr std::int64_t log_patience_ms = 2'000;  // until another process has begun the next file

inline constexpr std::int64_t first_pause_ms = 250;  // between two look-ups; doubled each time
inline constexpr std::int64_t pause_ms_max = 8'000;
inline constexpr std::int64_t window_slack_ms = 1'000;  // the server's Date counts whole seconds
inline constexpr std::int64_t search_ms = 30'000;       // from the sending of a write whose answer was lost
inline constexpr std::int64_t search_ms_min = 5'000;    // from the moment when the answer is known to be lost
inline constexpr std::int64_t brief_ms = 2'000;      // for a write that was refused in a way that a second copy may be
inline constexpr std::int64_t settle_ms = 10'000;    // of one look-up, and of all look-ups for an earlier run together
inline constexpr std::int64_t patience_ms = 75'000;  // of `outbox resolve ID`
// By the uptime: a signature is valid for 30 s, and the clock that stamped it may be as much ahead. (D-623)
inline constexpr std::int64_t expiry_uptime_ms = 60'000;
inline constexpr std::int64_t clock_slack_ms =
    120'000;  // a list is read until its rows are that much older than the write
inline constexpr int history_pages_max = 20;
// A longer list that shows nothing of the write may have been cut by the service itself.
inline constexpr std::size_t whole_list_rows_max = 5'000;
inline constexpr std::int64_t created_slack_ms =
    2'000;  // how far an order's creation time may precede its signing time
// A row that claims to be older than that has its time in another unit, such as seconds.
inline constexpr std::int64_t row_age_ms_max = 3'650 * day_ms;
// A client id that we generated within this time of the order is certainly the order's own, whatever the clocks say.
inline constexpr std::int64_t fresh_id_ms = 3'600'000;
inline constexpr std::size_t settled_at_start_max = 5;  // earlier entries looked up before a write

}  // namespace svc::cli::outbox
