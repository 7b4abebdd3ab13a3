// What is kept besides the engine's commands: the state of the services - sessions, keys, agents, nonces,
// tiers, transfers, bridge records - as rows of small tables.
//
// A change is absolute: it says what a row is from now on, not what became of it. Two requests may change
// one row and come to the log in the other order; each change therefore has a ticket, drawn while the
// service holds its lock, and of one row the change with the latest ticket counts. Keys and values are
// archives (base/archive.h) of what the owning service declares.
//
// A service changes its memory first, then puts the change into the batch of the request. The batch goes
// into the log with the command it belongs to, as one unit: after a crash both are there or neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Later than every ticket of this process so far, and than every one that was passed. Any thread.
[[nodiscard]] std::uint64_t next_record_ticket();
// A ticket that was met in a log.
void pass_record_ticket(std::uint64_t ticket);

struct RecordChange {
  RecordTable table{};
  std::string key{};
  std::optional<std::string> value{};  // absent: the row is gone
  std::uint64_t ticket = next_record_ticket();

  // Whether both say the same of the same row.
  bool operator==(const RecordChange& other) const {
    return table == other.table && key == other.key && value == other.value;
  }
};

using RecordBatch = std::vector<RecordChange>;

// Where changes go that belong to no command.
class RecordKeeper {
 public:
  virtual ~RecordKeeper() = default;

  // Returns when the changes are safe. False: they are not, and never will be.
  [[nodiscard]] virtual bool keep(RecordBatch records) = 0;
  // Does not wait: they go with what is kept next. A crash may forget them.
  virtual void keep_later(RecordBatch records) = 0;
};

}  // namespace svc::sim
