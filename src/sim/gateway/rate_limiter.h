// Who may ask how much: the budgets of one network (API: Limits).
//
//   class     charged
//   request   the key's own bucket and its owner's; both or none, the lower one binds
//   order     the owner's order bucket instead, of the tier's size
//   cancel    the owner's cancel bucket instead, likewise
//   login     the client address's login bucket
//   -         the client address's bucket: callers without an account, and the Unlimited tier in every class
//   -         signatures that fail: a bucket of the client address for them alone, and another for those of cancels
//
// A refused request is charged nothing. (D-224) An address that is not known pays from one small bucket
// shared by all such. Thread-safe: one lock, held for one charge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"
#include "api/records/tier.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/gateway/bucket_pool.h"

namespace svc::sim {

enum class Bucket : std::uint8_t { key, owner, order, cancel, ip, login };
[[nodiscard]] std::string_view to_string(Bucket bucket);

// Who pays for an authenticated request.
struct Payer {
  Address account;
  api::Tier tier = api::Tier::pro;
  std::string_view key_id;                    // empty: no API key was used
  std::uint32_t key_ceiling_per_second = 0;   // 0: the key has none
  std::optional<std::string> client_address;  // nullopt: unresolved
};

// The state of a bucket right after a charge.
struct Meter {
  Bucket bucket = Bucket::ip;
  std::uint32_t limit = 0;      // tokens per second
  std::uint32_t remaining = 0;  // whole tokens left
  TimestampMs full_at_ms = 0;   // 0: it is full
};

struct BudgetRefusal {
  Meter meter;
  api::Tier tier = api::Tier::pro;  // without an account: the tier every account starts with
  std::int64_t retry_after_s = 1;   // at least 1
};

struct RateLimitScale {
  std::uint32_t multiplier = 1;  // 0: nothing is ever refused or charged
};

class RateLimiter {
 public:
  explicit RateLimiter(RateLimitScale scale, std::size_t buckets_max = limits::buckets_per_pool_max);

  // Before anybody is authenticated. `rate` is login, or anything else for reads.
  [[nodiscard]] Result<Meter, BudgetRefusal> charge_client(const std::optional<std::string>& client_address,
                                                           api::RateClass rate, std::uint64_t cost, TimestampMs now_ms);

  // What a charge of nothing would answer, for whoever is not charged there.
  [[nodiscard]] Meter peek_client(const std::optional<std::string>& client_address, TimestampMs now_ms);

  // Signatures that fail are paid from buckets of their own, of the size of reads, so that they take nothing from
  // whoever reads or trades at that address; those of cancels never stand in the way of others. (D-648)
  [[nodiscard]] Result<void, BudgetRefusal> may_recover(const std::optional<std::string>& client_address,
                                                        api::RateClass rate, TimestampMs now_ms);
  void charge_failed_signature(const std::optional<std::string>& client_address, api::RateClass rate,
                               TimestampMs now_ms);

  [[nodiscard]] Result<Meter, BudgetRefusal> charge(const Payer& payer, api::RateClass rate, std::uint64_t cost,
                                                    TimestampMs now_ms);

  // What a charge of nothing would answer: for headers and GET /account/rate-limit.
  [[nodiscard]] Meter peek(const Payer& payer, api::RateClass rate, TimestampMs now_ms);

  // Every bucket of the payer; empty for the Unlimited tier.
  [[nodiscard]] std::vector<Meter> buckets_of(const Payer& payer, TimestampMs now_ms);

  // The account's buckets and those of its keys are full again; the keys keep their ceilings. (API: Admin,
  // tier change)
  void reset(const Address& account, std::span<const std::string> key_ids);

 private:
  struct Charged {  // the buckets of one charge, in the order in which they are asked
    struct One {
      Bucket name;
      TokenBucket* tokens;
    };
    std::array<One, 2> buckets;
    std::size_t count;
  };

  [[nodiscard]] std::uint32_t scaled(std::uint32_t per_second) const;
  [[nodiscard]] Charged of_client(const std::optional<std::string>& client_address, api::RateClass rate,
                                  TimestampMs now_ms);
  [[nodiscard]] Charged of_failures(const std::optional<std::string>& client_address, api::RateClass rate,
                                    TimestampMs now_ms);
  [[nodiscard]] Charged of_payer(const Payer& payer, api::RateClass rate, TimestampMs now_ms);
  [[nodiscard]] static BudgetRefusal refusal_of(const Charged::One& bucket, api::Tier tier, std::uint64_t cost,
                                                TimestampMs now_ms);
  [[nodiscard]] Result<Meter, BudgetRefusal> take(const Charged& charged, api::Tier tier, std::uint64_t cost,
                                                  TimestampMs now_ms) const;

  const RateLimitScale scale_;
  Ranked<LockRank::counter> mutex_;
  BucketPool<std::string, TextHash> keys_;
  BucketPool<Address> owners_;
  BucketPool<Address> orders_;
  BucketPool<Address> cancels_;
  BucketPool<std::string, TextHash> clients_;
  BucketPool<std::string, TextHash> logins_;
  BucketPool<std::string, TextHash> failures_;
  BucketPool<std::string, TextHash> cancel_failures_;
};

}  // namespace svc::sim
