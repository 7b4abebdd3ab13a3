// The writes whose fate is not known: one file each, on disk before the first byte of the request leaves,
// removed when the outcome is known. What is left after a crash, a power cut or a lost answer is what has to
// be looked for.
//
// The process that sends holds the file's lock. An entry that nobody holds belongs to a run that ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/exchange/call.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli::outbox {

enum class State : std::uint8_t {
  sending,  // no answer was recorded; if nobody holds it, the run ended in between
  unknown,  // the answer was lost, and looking for it proved nothing
};
[[nodiscard]] std::string_view to_string(State state);

// All that is needed to look for a write later, in another process. Holds no secrets: signatures in the body
// are redacted.
struct Entry {
  std::string id;  // of the journal's intent
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
  std::string account{};  // empty if not known
  std::string wallet{};   // likewise
  std::vector<std::string> client_ids{};
  std::vector<std::string> look_up{};
  Json before{};  // what was seen before it was sent; null if nothing was looked at
};

// Held while the request is under way.
class OpenEntry {
 public:
  OpenEntry(OpenEntry&& other) noexcept;
  OpenEntry& operator=(OpenEntry&&) = delete;
  ~OpenEntry();

  [[nodiscard]] const Entry& entry() const { return entry_; }
  // The outcome is known: the entry is gone.
  void close();
  // Nothing proves anything: it stays, to be looked for.
  [[nodiscard]] Result<void, Failure> leave_unknown();

 private:
  friend class Outbox;
  OpenEntry(Entry entry, std::filesystem::path file, int descriptor)
      : entry_(std::move(entry)), file_(std::move(file)), descriptor_(descriptor) {}

  Entry entry_;
  std::filesystem::path file_;
  int descriptor_;
};

struct Found {
  Entry entry;
  bool under_way = false;  // a process sends it right now
};

class Outbox {
 public:
  Outbox(const Paths& paths, std::string_view network) : folder_(paths.outbox(network)) {}

  // On disk when this returns.
  [[nodiscard]] Result<OpenEntry, Failure> open(Entry entry) const;
  // Oldest first. A file that a power cut left half written never came to be sent, and is removed.
  [[nodiscard]] Result<std::vector<Found>, Failure> list() const;
  // Takes over an entry that nobody holds; nullopt if it is gone or held.
  [[nodiscard]] Result<std::optional<OpenEntry>, Failure> adopt(std::string_view id) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view id) const;

  std::filesystem::path folder_;
};

}  // namespace svc::cli::outbox
