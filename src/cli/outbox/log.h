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

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/json.h"
#include "cli/outbox/log_disk.h"

namespace svc::cli {
struct Environment;
struct Paths;
}  // namespace svc::cli

namespace svc::cli::outbox {

// An intent without a final outcome.
struct OpenIntent {
  Json line;
  bool is_unknown = false;  // an outcome was recorded, and it proves nothing
};

enum class Durable : std::uint8_t { at_once, when_it_comes };

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

}  // namespace svc::cli::outbox
