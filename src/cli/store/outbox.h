// The writes whose outcome is not known: the log has their intent and no outcome. After a crash, a power cut or a lost
// answer they have to be looked up.
//
// Whoever sends a write or looks it up holds its id. If nobody holds the id, the run that sent the write has ended.
#pragma once

#include <memory>
#include <set>

#include "base/clock.h"
#include "cli/store/write_log.h"
#include "cli/terminal/failure.h"

namespace svc::cli::outbox {

enum class State : std::uint8_t {
  sending,  // no answer was recorded; if nobody holds it, its run has ended
  unknown,  // the answer was lost, and the look-up proved nothing
};
[[nodiscard]] std::string_view to_string(State state);

// A member of `before`: our clock just before it was read.
inline constexpr std::string_view before_read_at = "read_at_ms";
// A request that was sent longer ago has arrived, or never will.
inline constexpr std::int64_t under_way_ms = 2 * minute_ms;

// Everything that another process needs to look up a write later. No secrets: signatures in the body are redacted.
struct Entry {
  std::string id{};  // connects intent and outcome
  TimestampMs at_ms = 0;
  // From then on the server refuses the signature, by its own clock; nullopt if it does not expire.
  std::optional<TimestampMs> valid_until_ms{};
  std::string sent_to{};  // the server: "http://127.0.0.1:9090"; empty if not known
  State state = State::sending;
  std::string command{};  // "orders place"
  std::string operation{};
  std::string path{};  // without the network's base
  std::string query{};
  Json body{};
  std::string account{};  // the acting account; empty if not known
  std::string wallet{};   // its wallet; empty if not known
  std::string scheme{};   // how it was signed: "hmac", "agent"; empty if not known
  std::string key{};      // id of the API key, address of the agent
  std::string typed{};    // the terms of an order as typed, if one is relative to the market; else empty
  std::vector<std::string> client_ids{};
  std::vector<std::string> look_up{};
  Json before{};  // the state before it was sent; null if that was not read

  // Only in the log
  TimestampMs written_at_ms = 0;  // our clock; `at_ms` is what was signed
  std::int64_t uptime_ms = 0;     // of the machine, when it was recorded
  std::string method{};
  std::string target{};  // as sent
  std::optional<std::uint64_t> nonce{};
  std::string body_sha256{};
  bool is_looked_for = true;  // false: only recorded, because nothing is lost with its answer
};

// Whether two writes may be of one account. An unknown account may be any; one key is of one account.
enum class Standing : std::uint8_t { same, unknown, another };
[[nodiscard]] Standing standing_of(const Entry& one, const Entry& other);

// An answer, or the absence of one.
struct Outcome {
  TimestampMs at_ms = 0;
  std::optional<int> status{};
  std::string code{};  // empty for a success
  ExitCode exit = ExitCode::success;
  std::string row{};  // id of the row that the write made in a list; empty if the answer has none
};

// A write whose id this process holds.
class OpenEntry {
 public:
  [[nodiscard]] const Entry& entry() const { return entry_; }

  // The three below do not wait for the disk: what a power cut loses of them is looked up once more.

  // The same request is sent again, under an idempotency key.
  Result<void> sent_again(TimestampMs at_ms);
  // The outcome is known unless its exit is outcome_unknown.
  Result<void> conclude(const Outcome& outcome);
  // The result of a look-up.
  enum class Known : std::uint8_t { yes, no };
  Result<void> found(TimestampMs at_ms, std::string_view verdict, std::string_view evidence, Known known,
                     const std::string& row = {});

 private:
  friend class Outbox;
  OpenEntry(Entry entry, std::shared_ptr<Log> log, std::optional<FileLock> hold)
      : entry_(std::move(entry)), log_(std::move(log)), hold_(std::move(hold)) {}
  Result<void> append(Json record);

  Entry entry_;
  std::shared_ptr<Log> log_;  // null: the disk took nothing
  std::optional<FileLock> hold_;
  std::optional<FileLock> search_{};  // of a look-up; empty if this process sent it
};

struct Found {
  Entry entry;
  bool under_way = false;  // another process is sending it right now, or looks for it
  bool is_sought = false;  // another process looks for it: its run has ended
};

// Another write, which may have changed what is compared with the state before a write.
struct Rival {
  Entry entry;
  bool is_later = false;       // sent after that state was read
  bool is_of_account = false;  // for certain: an entry may not know its account
  bool is_accepted = false;    // false: not known
  bool is_repeat = false;      // for certain the same again, under the same ids: both make one row
  TimestampMs sent_ms = 0;     // the last time
  std::string row{};           // id of the row that it made; empty if not known

  // It changed the account since.
  [[nodiscard]] bool is_sure() const { return is_later && is_of_account && is_accepted; }
};

class Outbox {
 public:
  Outbox(const Environment& environment, const Paths& paths, std::string_view network);

  // On disk when this returns.
  Result<OpenEntry> open(Entry entry) const;
  // Known to this run only: for a write that is sent although the log cannot be written.
  [[nodiscard]] static OpenEntry unwritten(Entry entry) { return {std::move(entry), nullptr, std::nullopt}; }
  // Oldest first.
  Result<std::vector<Found>> list() const;
  // Those of the entry's client ids that an earlier order has too, by the log since `since_ms`.
  [[nodiscard]] std::set<std::string, std::less<>> taken_client_ids(const Entry& entry, TimestampMs since_ms) const;
  // Writes that may be of the same account, that were under way or sent since the state before the entry was read, and
  // of which it is not known that they had no effect.
  Result<std::vector<Rival>> rivals(const Entry& entry) const;
  // When a write of that operation was first signed under the same client ids, unless it was refused; nullopt if the
  // log has none since `since_ms`. By the server's clock.
  [[nodiscard]] std::optional<TimestampMs> first_signed_ms(const Entry& coming, TimestampMs since_ms) const;
  // Takes over an entry that nobody holds; nullopt if it is gone or held.
  Result<std::optional<OpenEntry>> adopt(std::string_view id) const;

 private:
  std::shared_ptr<Log> log_;
  // A sandbox's lists show a row as soon as its write is answered, and after a revert its id may be of another write.
  const bool shows_at_once_;
};

}  // namespace svc::cli::outbox
