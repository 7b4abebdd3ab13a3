// The dead man's switch: when the last stream of an account that asked for it closes, and none is opened
// within the grace time, its resting orders are cancelled. (API: cancel-on-disconnect; rule 3.14)
//
// Kept (RecordTable::disconnect_timers): a row for every account that has a stream open (0) or a timer
// running (its end). After a restart nobody has a stream: all of them get the whole grace time from there
// on. (D-350)
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/sequencer/timed_work.h"
#include "sim/services/disconnect_settings.h"

namespace svc::sim {

class DisconnectGuard final : public TimedWork {
 public:
  // Both must outlive this.
  DisconnectGuard(DisconnectSettings& settings, RecordKeeper& keeper) : settings_(settings), keeper_(keeper) {}

  // Before begin(): what the log has, after what was known is forgotten.
  // False: the row makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);
  void forget();
  // Starts the timers of those who had a stream or a timer then and have no stream now.
  void begin(TimestampMs now_ms);

  void stream_opened(const Address& account);
  void stream_closed(const Address& account, TimestampMs now_ms);

  [[nodiscard]] std::optional<Due> next_due(TimestampMs now_ms) override;
  void done(const Due& due, engine::Reject outcome) override;

 private:
  [[nodiscard]] static RecordChange row(const Address& account, std::optional<TimestampMs> ends_ms);

  DisconnectSettings& settings_;
  RecordKeeper& keeper_;
  Ranked<LockRank::guard> mutex_;
  std::set<Address> restored_;
  std::map<Address, TimestampMs> timers_;  // when they end
  Address firing_{};                       // of next_due()
};

}  // namespace svc::sim
