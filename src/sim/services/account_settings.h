// Settings of accounts: the tiers that an operator assigned, every other account being Pro (API: Admin group); and
// which accounts have cancel-on-disconnect switched on, and which of them have an open stream (API:
// cancel-on-disconnect; rule 3.14).
//
// Thread-safe: one lock each, held for one look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "api/contract/admin.h"
#include "base/address.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

class TierStore {
 public:
  [[nodiscard]] api::Tier of(const Address& account) const;
  // Assigning the default is the same as resetting.
  void assign(const Address& account, api::Tier tier, RecordBatch& records);
  // False if the account had the default.
  [[nodiscard]] bool reset(const Address& account, RecordBatch& records);
  // Accounts with another tier than the default, by address.
  [[nodiscard]] std::map<Address, api::Tier> overrides() const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, api::Tier> overrides_;
};

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

// The setting is stored: a row exists while it is on. Open streams are counted only in memory: after a restart there
// are none.
class DisconnectSettings {
 public:
  explicit DisconnectSettings(DisconnectTerms terms = {}) : terms_(terms) {}

  [[nodiscard]] DisconnectSetting settings_of(const Address& account) const;
  void set(const Address& account, bool enabled, RecordBatch& records);
  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid
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
