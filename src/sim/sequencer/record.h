// What is kept besides the engine's commands: the state of the services (sessions, keys, agents, nonces, tiers,
// transfers, bridge records) as rows of small tables.
//
// A change is absolute: it contains the new row, not a difference. Two requests may change one row and reach the
// log in the opposite order. Therefore each change has a ticket, drawn while the service holds its lock, and the
// change with the latest ticket counts. Keys and values are archives (base/archive.h) of what the owning service
// declares.
//
// A service changes its memory first, then adds the change to the batch of the request. The batch is logged with
// the command it belongs to, as one unit: after a crash both are there or neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/archive.h"
#include "sim/engine/commands.h"

namespace svc::sim {

// Numbers are part of the journal format: append, never renumber.
enum class RecordTable : std::uint8_t {
  sessions = 1,
  session_stream = 2,
  api_keys = 3,
  api_key_stream = 4,
  agents = 5,
  nonces = 6,
  owner_nonces = 7,
  tiers = 8,
  faucet_claims = 9,
  credit_claims = 10,
  clock = 11,
  transfers = 12,
  transfer_enrollments = 13,
  withdrawals = 14,
  bridge_deposits = 15,
  bridge_withdrawals = 16,
  bridge_addresses = 17,
  bridge_wallets = 18,
  idempotency_keys = 19,
  chain = 20,
  cancel_on_disconnect = 21,
  referrals = 22,
  service_counters = 23,
  operator_switches = 24,
  disconnect_timers = 25,
  flow = 26,
};

// Later than every ticket of this process so far, and than every ticket passed to pass_record_ticket. Any thread.
[[nodiscard]] std::uint64_t next_record_ticket();
// Notes a ticket read from a log.
void pass_record_ticket(std::uint64_t ticket);

struct RecordChange {
  RecordTable table{};
  std::string key{};
  std::optional<std::string> value{};  // absent: the row is removed
  std::uint64_t ticket = next_record_ticket();

  // Equality of content; the tickets may differ.
  bool operator==(const RecordChange& other) const {
    return table == other.table && key == other.key && value == other.value;
  }
};

using RecordBatch = std::vector<RecordChange>;

// Takes changes that belong to no command.
class RecordKeeper {
 public:
  virtual ~RecordKeeper() = default;

  // Returns when the changes are durable. False: they are not and never will be.
  [[nodiscard]] virtual bool keep(RecordBatch records) = 0;
  // Does not wait: they are logged with the next unit. A crash may lose them.
  virtual void keep_later(RecordBatch records) = 0;
};

// The rows of every service as logged: saved in a snapshot and restored at a restart. Not thread-safe; owned by the
// sequencer.

class RecordTables {
 public:
  using Key = std::pair<RecordTable, std::string>;
  struct Row {
    std::optional<std::string> value{};  // absent: removed, but remembered so that an older change does not restore it
    std::uint64_t ticket = 0;
  };

  // False if a later change of this row is already there; this one is then ignored.
  bool fold(const RecordChange& change);

  [[nodiscard]] const std::map<Key, Row>& rows() const { return rows_; }
  // For rows read from outside: future tickets are later than all of these.
  [[nodiscard]] bool is_valid() const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(rows_, gone_);
  }

 private:
  std::map<Key, Row> rows_;
  std::deque<std::pair<Key, std::uint64_t>> gone_;  // with their tickets, oldest first
};

// What is logged and applied as one: a command of the engine, if there is one, and the changes of services that
// belong to it. After a crash all of it is there or none. (docs/journal_format.md)

using CommandBody = decltype(engine::Command::body);

struct Unit {
  std::optional<CommandBody> command{};
  RecordBatch records{};
  RecordBatch records_if_applied{};  // count only if the engine accepts the command
  // Instead of all this: replaces the whole state by the image (exchange.h). (D-022)
  std::optional<std::string> image{};
};

// Whether all texts of the command are valid UTF-8 and can be sent out. Logs and tapes come from outside.
[[nodiscard]] bool has_good_texts(const CommandBody& command);

}  // namespace svc::sim
