// Which accounts want their resting orders cancelled when their last stream closes, and which of them
// have a stream open now. (API: cancel-on-disconnect; rule 3.14)
//
// The wish is kept (RecordTable::cancel_on_disconnect; a row is there while it is on). Streams are counted
// while the process lives: after a restart nobody has one.
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
  std::int64_t grace_ms = limits::disconnect_grace_ms_default;  // from the last stream's end to the cancel
};

struct DisconnectSetting {
  bool enabled = false;
  bool connected = false;     // a stream of the account is open
  std::int64_t grace_ms = 0;  // the deployment's

  // A stream that ends now would start the timer.
  [[nodiscard]] bool active() const { return enabled && connected; }
};

class DisconnectSettings {
 public:
  explicit DisconnectSettings(DisconnectTerms terms = {}) : terms_(terms) {}

  [[nodiscard]] DisconnectSetting settings_of(const Address& account) const;
  void set(const Address& account, bool enabled, RecordBatch& records);
  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);
  // Nobody wishes it any more; streams stay counted.
  void forget();

  // Told by the streams. `stream_closed` answers how many the account has left; it had one.
  void stream_opened(const Address& account);
  std::size_t stream_closed(const Address& account);

 private:
  mutable Ranked<LockRank::store> mutex_;
  const DisconnectTerms terms_;
  std::set<Address> enabled_;
  std::map<Address, std::size_t> streams_;  // none: not listed
};

}  // namespace svc::sim
