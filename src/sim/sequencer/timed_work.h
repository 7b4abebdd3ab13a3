// What else happens by the clock alone, besides what the markets need (schedule.h): a deposit that its chain
// confirms, say. Whoever has such work is asked before every command and whenever time passes.
//
// Calls come on the writer's thread, which waits: an implementation answers from memory and submits nothing.
#pragma once

#include <optional>

#include "base/clock.h"
#include "sim/engine/reject.h"
#include "sim/sequencer/record.h"
#include "sim/sequencer/schedule.h"

namespace svc::sim {

class TimedWork {
 public:
  struct Due {
    TimestampMs at_ms = 0;
    CommandBody body;
    RecordBatch records;             // logged with the command
    RecordBatch records_if_applied;  // likewise, and count only if the engine accepts it
  };

  virtual ~TimedWork() = default;

  // The earliest thing due by now; nullopt if there is none.
  [[nodiscard]] virtual std::optional<Due> next_due(TimestampMs now_ms) = 0;
  // What next_due() answered last was put to the engine; it must not come up again.
  virtual void done(const Due& due, engine::Reject outcome) = 0;
};

}  // namespace svc::sim
