// Which accounts have cancel-on-disconnect switched on, and which of them have an open stream. (API:
// cancel-on-disconnect; rule 3.14)
//
// The setting is stored (RecordTable::cancel_on_disconnect; a row exists while it is on). Open streams are counted
// only in memory: after a restart there are none.
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "base/address.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

struct DisconnectTerms {
  std::int64_t grace_ms = limits::disconnect_grace_ms_default;  // from the end of the last stream to the cancel
};

struct DisconnectSetting {
  bool enabled = false;
  bool connected = false;     // a stream of the account is open
  std::int64_t grace_ms = 0;  // a setting of the deployment

  // True if closing the last stream now would start the timer.
  [[nodiscard]] bool active() const { return enabled && connected; }
};

class DisconnectSettings {
 public:
  explicit DisconnectSettings(DisconnectTerms terms = {}) : terms_(terms) {}

  [[nodiscard]] DisconnectSetting settings_of(const Address& account) const;
  void set(const Address& account, bool enabled, RecordBatch& records);
  // Restores a row of the log; rows of other tables are ignored. False if the row is invalid.
  [[nodiscard]] bool restore(const RecordChange& change);
  // Switches it off for everybody; streams stay counted.
  void forget();

  // Called by the streams. `stream_closed` returns how many the account has left; it had one.
  void stream_opened(const Address& account);
  std::size_t stream_closed(const Address& account);

 private:
  mutable Ranked<LockRank::store> mutex_;
  const DisconnectTerms terms_;
  std::set<Address> enabled_;
  std::map<Address, std::size_t> streams_;  // accounts without streams are not listed
};

}  // namespace svc::sim
