// How many connections, subscriptions and frames a reader may have: the ceilings of tiers and addresses,
// and the counts they are compared with. (API: Limits, WebSocket control plane)
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/records/tier.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/gateway/rate_limiter.h"

namespace svc::sim {

// 0: no ceiling.
struct StreamCeilings {
  std::uint32_t connections = 0;    // of the account
  std::uint32_t subscriptions = 0;  // of the account over all its connections, or of a connection without one
  std::uint32_t frames_per_second = 0;
  std::uint32_t connections_per_address = 0;  // of all that have such a ceiling
};

// Readers without an account have the ceilings of the tier that accounts start with.
[[nodiscard]] StreamCeilings stream_ceilings(api::Tier tier, RateLimitScale scale);

// Inbound frames: a bucket of `stream_frame_burst` seconds. Not thread-safe.
class InboundBudget {
 public:
  // Full at `now_ms`. 0 frames per second: everything passes.
  InboundBudget(std::uint32_t frames_per_second, TimestampMs now_ms);

  // False if it is exhausted.
  [[nodiscard]] bool take(TimestampMs now_ms);

 private:
  std::int64_t per_second_;
  std::int64_t milliframes_;
  TimestampMs filled_at_ms_;
};

class StreamCensus {
 public:
  // A connection that is counted; counted no more when it is gone.
  class Seat {
   public:
    // Only the census hands out seats.
    class Ticket {
      friend class StreamCensus;
      Ticket() = default;
    };
    Seat(Ticket ticket, StreamCensus& census, std::optional<Address> account, std::string address,
         StreamCeilings ceilings);
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // False if one more subscription is beyond the ceiling.
    [[nodiscard]] bool add_subscription();
    void drop_subscription();

   private:
    StreamCensus& census_;
    const std::optional<Address> account_;
    const std::string address_;
    const StreamCeilings ceilings_;
    std::size_t subscriptions_ = 0;
  };

  // nullptr if one more connection is beyond a ceiling. Addresses that are not known are counted as one.
  // The census must outlive the seat.
  [[nodiscard]] std::shared_ptr<Seat> admit(const std::optional<Address>& account,
                                            const std::optional<std::string>& address, const StreamCeilings& ceilings);

  [[nodiscard]] std::size_t connections() const;

 private:
  struct Counts {
    std::size_t connections = 0;
    std::size_t subscriptions = 0;
  };

  mutable Ranked<LockRank::counter> mutex_;
  std::size_t connections_ = 0;
  std::map<Address, Counts> accounts_;
  std::map<std::string, std::size_t> addresses_;  // connections
};

}  // namespace svc::sim
