// The single writer behind a network without an exchange: requests can spend their nonces, and handlers can submit.
#pragma once

#include "sim/gateway/handlers/venue_access.h"
#include "sim/gateway/network_instance.h"
#include "sim/sequencer/memory_log.h"

namespace svc::sim {

class MemoryVenue {
 public:
  // The network and the clock must outlive this; no request comes later.
  MemoryVenue(NetworkInstance& network, const Clock& clock)
      : sequencer_(engine::EngineConfig{}, network.services, clock, log, clock.now_ms()) {
    network.venue =
        std::make_shared<const VenueAccess>(VenueAccess{.sequencer = sequencer_, .views = views_, .markets = markets_});
  }

  // Takes entries only while it is told to.
  class Log final : public CommandLog {
   public:
    Result<std::uint64_t, LogError> append(TimestampMs at_ms, std::span<const Unit* const> units,
                                           const std::optional<StateMark>& mark) override {
      if (!takes) return unexpected(LogError::not_written);
      return memory_.append(at_ms, units, mark);
    }
    std::uint64_t last_position() const { return memory_.last_position(); }

    bool takes = true;

   private:
    MemoryLog memory_;
  };
  Log log;

 private:
  MarketTable markets_{{}};
  Views views_{markets_.specs()};
  Sequencer sequencer_;
};

}  // namespace svc::sim
