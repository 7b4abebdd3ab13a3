// The writes whose fate is not known: what the log has an intent of and no outcome. After a crash, a power cut or a
// lost answer they are what has to be looked for.
//
// Whoever sends a write, or looks for it, holds its id. One that nobody holds belongs to a run that ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/store/write_log.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

enum class State : std::uint8_t {
  sending,  // no answer was recorded; if nobody holds it, the run ended in between
  unknown,  // the answer was lost, and looking for it proved nothing
};
[[nodiscard]] std::string_view to_string(State state);

// All that is needed to look for a write later, in another process. Holds no secrets: signatures in the body
// are redacted.
struct Entry {
  std::string id;  // joins intent and outcome
  TimestampMs at_ms = 0;
  // The server refuses the signature from then on, by its own clock; nullopt if nothing limits its life.
  std::optional<TimestampMs> valid_until_ms{};
  std::string sent_to{};  // the server: "http://127.0.0.1:9090"; empty if not known
  State state = State::sending;
  std::string command;  // "orders place"
  std::string operation;
  std::string path;  // without the network's base
  std::string query;
  Json body{};
  std::string account{};  // that it was sent for; empty if not known
  std::string wallet{};   // likewise
  std::string scheme{};   // that it was signed by: "hmac", "agent"; empty if not known
  std::string key{};      // id of the API key, address of the agent
  std::vector<std::string> client_ids{};
  std::vector<std::string> look_up{};
  Json before{};  // what was seen before it was sent; null if nothing was looked at

  // Of the log alone
  TimestampMs written_at_ms = 0;  // our clock; `at_ms` is what was signed
  std::int64_t uptime_ms = 0;     // of the machine, when it was written down
  std::string method{};
  std::string target{};  // as it was sent
  std::optional<std::uint64_t> nonce{};
  std::string body_sha256{};
  bool is_looked_for = true;  // false: it is recorded, and nothing is lost with its answer
};

// An answer, or that there was none.
struct Outcome {
  TimestampMs at_ms = 0;
  std::optional<int> status{};
  std::string code{};  // empty for a success
  ExitCode exit = ExitCode::success;
};

// A write that is held.
class OpenEntry {
 public:
  [[nodiscard]] const Entry& entry() const { return entry_; }

  // None of these is worth a wait for the disk: what is lost of them in a power cut is looked up once more.
  // The same request leaves once more, under a key that makes it one write.
  [[nodiscard]] Result<void, Failure> sent_again(TimestampMs at_ms);
  // The outcome is known unless its exit is outcome_unknown.
  [[nodiscard]] Result<void, Failure> conclude(const Outcome& outcome);
  // What a look-up found.
  enum class Known : std::uint8_t { yes, no };
  [[nodiscard]] Result<void, Failure> found(TimestampMs at_ms, std::string_view verdict, std::string_view evidence,
                                            Known known);

 private:
  friend class Outbox;
  OpenEntry(Entry entry, std::shared_ptr<Log> log, std::unique_ptr<LogLock> hold)
      : entry_(std::move(entry)), log_(std::move(log)), hold_(std::move(hold)) {}
  [[nodiscard]] Result<void, Failure> append(Json record);

  Entry entry_;
  std::shared_ptr<Log> log_;  // null: it could not be written down
  std::unique_ptr<LogLock> hold_;
};

struct Found {
  Entry entry;
  bool under_way = false;  // a process sends it right now
};

class Outbox {
 public:
  Outbox(const Environment& environment, const Paths& paths, std::string_view network);

  // On disk when this returns.
  [[nodiscard]] Result<OpenEntry, Failure> open(Entry entry) const;
  // Known to this run alone: of a write that leaves although the disk takes nothing.
  [[nodiscard]] static OpenEntry unwritten(Entry entry) { return {std::move(entry), nullptr, nullptr}; }
  // Oldest first.
  [[nodiscard]] Result<std::vector<Found>, Failure> list() const;
  // Those of the entry's client ids that an order of before has, as the log knows since `since_ms`.
  [[nodiscard]] std::set<std::string, std::less<>> taken_client_ids(const Entry& entry, TimestampMs since_ms) const;
  // Takes over an entry that nobody holds; nullopt if it is gone or held.
  [[nodiscard]] Result<std::optional<OpenEntry>, Failure> adopt(std::string_view id) const;

 private:
  [[nodiscard]] Result<void, Failure> take_in_earlier_entries() const;

  std::shared_ptr<Log> log_;
  std::filesystem::path earlier_entries_;
};

}  // namespace svc::cli::outbox
