// The request budgets of one network (API: Limits).
//
//   class     charged
//   request   the key's own bucket and its owner's; both or none, the lower one binds
//   order     the owner's order bucket instead, of the tier's size
//   cancel    the owner's cancel bucket instead, likewise
//   login     the client address's login bucket
//   -         the client address's bucket: callers without an account, and the Unlimited tier in every class
//   -         failed signatures: a separate bucket of the client address, and another for those of cancels
//
// A refused request is charged nothing. (D-224) Unresolved addresses share one small bucket. Of several nodes that
// serve one network, one keeps the buckets of an account and its keys; the others ask it. The buckets of client
// addresses are each node's own. (D-911) Thread-safe: one lock, held for one charge, not while another node is asked.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/operation.h"
#include "api/tiers.h"
#include "base/address.h"
#include "base/archive.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "base/result.h"

namespace svc::sim {

// A bucket that refills continuously and holds at most the tokens of `burst_s` seconds. Exact: R tokens per second are
// R * 1000 millionths per millisecond, without rounding. (API: Limits, cost model) Not thread-safe; owned by a
// BucketPool.
class TokenBucket {
 public:
  // Full, at `now_ms`. `per_second` is its rate; at least 1.
  TokenBucket(std::uint32_t per_second, TimestampMs now_ms, std::int64_t burst_s = 1);

  // The charged part of `cost`: at most one second of tokens, so that any request can pass. (API: Limits, rule 1)
  [[nodiscard]] std::uint64_t charge_of(std::uint64_t cost) const { return std::min<std::uint64_t>(cost, per_second_); }

  [[nodiscard]] bool can_take(std::uint64_t cost, TimestampMs now_ms) {
    refill(now_ms);
    return static_cast<std::int64_t>(charge_of(cost)) * micros_per_token <= micros_;
  }
  // Requires can_take.
  void take(std::uint64_t cost, TimestampMs now_ms) {
    SVC_ASSERT(can_take(cost, now_ms));
    micros_ -= static_cast<std::int64_t>(charge_of(cost)) * micros_per_token;
  }
  [[nodiscard]] bool try_take(std::uint64_t cost, TimestampMs now_ms) {
    if (!can_take(cost, now_ms)) return false;
    take(cost, now_ms);
    return true;
  }

  [[nodiscard]] std::uint32_t limit() const { return per_second_; }
  // Whole tokens left: how many requests of cost 1 would pass now.
  [[nodiscard]] std::uint32_t remaining(TimestampMs now_ms) {
    refill(now_ms);
    return static_cast<std::uint32_t>(micros_ / micros_per_token);
  }
  // When it will be full; 0 if it is full.
  [[nodiscard]] TimestampMs full_at_ms(TimestampMs now_ms) {
    refill(now_ms);
    return micros_ == capacity_micros() ? 0 : now_ms + wait_ms(capacity_micros());
  }
  // When a request of that cost will pass; now_ms if it passes now.
  [[nodiscard]] TimestampMs passes_at_ms(std::uint64_t cost, TimestampMs now_ms) {
    refill(now_ms);
    return now_ms + wait_ms(static_cast<std::int64_t>(charge_of(cost)) * micros_per_token);
  }

 private:
  static constexpr std::int64_t micros_per_token = 1'000'000;

  void refill(TimestampMs now_ms);
  [[nodiscard]] std::int64_t capacity_micros() const { return per_second_ * burst_s_ * micros_per_token; }
  [[nodiscard]] std::int64_t micros_per_ms() const { return per_second_ * (micros_per_token / second_ms); }
  // Milliseconds until that many tokens are available, rounded up.
  [[nodiscard]] std::int64_t wait_ms(std::int64_t wanted_micros) const {
    if (wanted_micros <= micros_) return 0;
    return narrow(div_round(wanted_micros - micros_, micros_per_ms(), Rounding::up));
  }

  std::uint32_t per_second_;
  std::int64_t burst_s_;
  std::int64_t micros_;  // in [0, capacity]
  TimestampMs refilled_at_ms_;
};

// Finds text keys by view, so that look-ups do not allocate.
struct TextHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Token buckets by key; only the most recently used are kept. A bucket unused for a second is full, so forgetting the
// one idle longest changes nothing. Not thread-safe; owned by the RateLimiter.
template <class Key, class Hash = std::hash<Key>>
class BucketPool {
 public:
  explicit BucketPool(std::size_t capacity = limits::buckets_per_pool_max) : capacity_(capacity) {}

  // The bucket of that key, full if it is new or its rate is no longer `per_second`. Valid until the next call.
  template <class AnyKey>
  [[nodiscard]] TokenBucket& at(const AnyKey& key, std::uint32_t per_second, TimestampMs now_ms) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) {
      latest_first_.splice(latest_first_.begin(), latest_first_, found->second);
      TokenBucket& bucket = found->second->second;
      if (bucket.limit() != per_second) bucket = TokenBucket(per_second, now_ms);
      return bucket;
    }
    if (by_key_.size() >= capacity_) {
      by_key_.erase(latest_first_.back().first);
      latest_first_.pop_back();
    }
    latest_first_.emplace_front(Key(key), TokenBucket(per_second, now_ms));
    by_key_.emplace(latest_first_.front().first, latest_first_.begin());
    return latest_first_.front().second;
  }

  void forget(const Key& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    latest_first_.erase(found->second);
    by_key_.erase(found);
  }

  void clear() {
    by_key_.clear();
    latest_first_.clear();
  }

  [[nodiscard]] std::size_t size() const { return by_key_.size(); }

 private:
  using Entry = std::pair<Key, TokenBucket>;

  std::size_t capacity_;
  std::list<Entry> latest_first_;
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash, std::equal_to<>> by_key_;
};

enum class Bucket : std::uint8_t { key, owner, order, cancel, ip, login };
[[nodiscard]] constexpr std::string_view to_string(Bucket bucket) {
  return enumerator_names<Bucket, Bucket::login>[static_cast<std::size_t>(bucket)];
}

using ClientAddress = std::optional<std::string>;  // nullopt: unresolved

// Who pays for an authenticated request.
struct Payer {
  Address account;
  api::Tier tier = api::Tier::pro;
  std::string key_id = {};                   // empty: no API key was used
  std::uint32_t key_ceiling_per_second = 0;  // 0: the key has none
  ClientAddress client_address = {};

  // What another node is told of it.
  SVC_KEEPS(account, tier, key_id, key_ceiling_per_second);
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

// How the budgets of API: Limits apply: unchanged, multiplied, or not at all.
struct RateLimitScale {
  std::uint32_t multiplier = 1;  // 0: nothing is refused or charged
};

using Charge = Result<Meter, BudgetRefusal>;

class RateLimiter {
 public:
  explicit RateLimiter(RateLimitScale scale) : scale_(scale) {}

  // Asks the node that keeps the buckets of an account; nullopt: this one does, or the other does not answer.
  using AskKeeper = std::function<std::optional<std::string>(const Address& account, std::string question)>;
  // Set before the first request.
  void set_keepers(AskKeeper ask) { ask_keeper_ = std::move(ask); }
  // Whether a charge may wait for another node: never without limits.
  [[nodiscard]] bool may_ask_keeper() const { return ask_keeper_ && scale_.multiplier != 0; }
  // Answers what another node asked.
  [[nodiscard]] std::string answer(std::string_view question);

  // Charges before authentication. `rate` is login, or anything else for reads.
  [[nodiscard]] Charge charge_client(const ClientAddress& client_address, api::RateClass rate, std::uint64_t cost,
                                     TimestampMs now_ms) {
    const std::lock_guard lock(mutex_);
    return take({of_client(client_address, rate, now_ms)}, api::Tier::pro, cost, now_ms);
  }

  // The meter without a charge, for callers who are not charged there.
  [[nodiscard]] Meter peek_client(const ClientAddress& client_address, TimestampMs now_ms) {
    const auto meter = charge_client(client_address, api::RateClass::request, 0, now_ms);
    SVC_ASSERT(meter);  // a charge of 0 always succeeds
    return *meter;
  }

  // Failed signatures are charged to separate buckets, of the size of reads: they take nothing from others at that
  // address, and failures of cancels never block other failures. (D-648)
  [[nodiscard]] Result<void, BudgetRefusal> may_recover(const ClientAddress& client_address, api::RateClass rate,
                                                        std::uint64_t cost, TimestampMs now_ms) {
    const std::lock_guard lock(mutex_);
    const NamedBucket failures = of_failures(client_address, rate, now_ms);
    if (scale_.multiplier == 0 || failures.tokens->can_take(cost, now_ms)) return {};
    return unexpected(refusal_of(failures, api::Tier::pro, cost, now_ms));
  }
  void charge_failed_signature(const ClientAddress& client_address, api::RateClass rate, std::uint64_t cost,
                               TimestampMs now_ms) {
    const std::lock_guard lock(mutex_);
    // If several admitted at once fail together, the bucket is just empty.
    (void)take({of_failures(client_address, rate, now_ms)}, api::Tier::pro, cost, now_ms);
  }

  [[nodiscard]] Charge charge(const Payer& payer, api::RateClass rate, std::uint64_t cost, TimestampMs now_ms);

  // The meter without a charge: for headers and GET /account/rate-limit.
  [[nodiscard]] Meter peek(const Payer& payer, api::RateClass rate, TimestampMs now_ms) {
    const auto meter = charge(payer, rate, 0, now_ms);
    SVC_ASSERT(meter);  // a charge of 0 always succeeds
    return *meter;
  }

  // Every bucket of the payer; empty for the Unlimited tier.
  [[nodiscard]] std::vector<Meter> buckets_of(const Payer& payer, TimestampMs now_ms) {
    if (has_keeper(payer.tier))
      if (auto told = ask_keeper({.kind = Question::Kind::list, .payer = payer, .now_ms = now_ms}))
        return std::move(told->list);
    return buckets_here(payer, now_ms);
  }

  // Fills the account's buckets and those of its keys; the keys keep their ceilings. (API: Admin, tier change)
  void reset(const Address& account, std::span<const std::string> key_ids) {
    const Payer owner{.account = account};
    if (has_keeper(owner.tier))
      (void)ask_keeper({.kind = Question::Kind::reset, .payer = owner, .key_ids = {key_ids.begin(), key_ids.end()}});
    reset_here(account, key_ids);
  }
  // Fills every bucket of this node: the sandbox has become another state.
  void fill() {
    const std::lock_guard lock(mutex_);
    for (auto* pool : {&owners_, &orders_, &cancels_}) pool->clear();
    for (auto* pool : {&keys_, &clients_, &logins_, &failures_, &cancel_failures_}) pool->clear();
  }

 private:
  struct NamedBucket {
    Bucket name;
    TokenBucket* tokens;
  };
  // The buckets of one charge, in the order of checking.
  using Charged = boost::container::static_vector<NamedBucket, 2>;
  using TextPool = BucketPool<std::string, TextHash>;
  struct ClientRates {
    std::uint32_t resolved;    // of each address
    std::uint32_t unresolved;  // of all unresolved ones together
  };
  static constexpr ClientRates read_rates{limits::client_reads_per_second, limits::unresolved_reads_per_second};
  static constexpr ClientRates login_rates{limits::client_logins_per_second, limits::unresolved_logins_per_second};

  // What one node asks another.
  struct Question {
    enum class Kind : std::uint8_t { charge, list, reset };
    Kind kind = Kind::charge;
    Payer payer{};
    api::RateClass rate = api::RateClass::request;
    std::uint64_t cost = 0;
    TimestampMs now_ms = 0;
    std::vector<std::string> key_ids{};  // of reset
  };
  struct Answer {
    std::optional<Meter> meter{};
    std::optional<BudgetRefusal> refusal{};
    std::vector<Meter> list{};
  };
  // Who pays by address has nothing to ask for.
  [[nodiscard]] bool has_keeper(api::Tier tier) const {
    return may_ask_keeper() && !api::limits_of(tier).per_client_address;
  }
  // Requires has_keeper(). nullopt: this node answers it.
  [[nodiscard]] std::optional<Answer> ask_keeper(const Question& question) const {
    const auto told = ask_keeper_(question.payer.account, to_archive(question));
    return told ? from_archive<Answer>(*told) : std::nullopt;
  }
  [[nodiscard]] Charge charge_here(const Payer& payer, api::RateClass rate, std::uint64_t cost, TimestampMs now_ms) {
    const std::lock_guard lock(mutex_);
    return take(of_payer(payer, rate, now_ms), payer.tier, cost, now_ms);
  }
  [[nodiscard]] std::vector<Meter> buckets_here(const Payer& payer, TimestampMs now_ms);
  void reset_here(const Address& account, std::span<const std::string> key_ids) {
    const std::lock_guard lock(mutex_);
    for (auto* pool : {&owners_, &orders_, &cancels_}) pool->forget(account);
    for (const std::string& id : key_ids) keys_.forget(id);
  }

  [[nodiscard]] std::uint32_t scaled(std::uint32_t per_second) const {
    return per_second * std::max(scale_.multiplier, 1u);
  }
  [[nodiscard]] TokenBucket& at_client(TextPool& pool, const ClientAddress& client_address, ClientRates rates,
                                       TimestampMs now_ms) const;
  [[nodiscard]] NamedBucket of_client(const ClientAddress& client_address, api::RateClass rate, TimestampMs now_ms) {
    if (rate == api::RateClass::login) return {Bucket::login, &at_client(logins_, client_address, login_rates, now_ms)};
    return {Bucket::ip, &at_client(clients_, client_address, read_rates, now_ms)};
  }
  [[nodiscard]] NamedBucket of_failures(const ClientAddress& client_address, api::RateClass rate, TimestampMs now_ms) {
    TextPool& pool = rate == api::RateClass::cancel ? cancel_failures_ : failures_;
    return {Bucket::ip, &at_client(pool, client_address, read_rates, now_ms)};
  }
  [[nodiscard]] Charged of_payer(const Payer& payer, api::RateClass rate, TimestampMs now_ms);
  [[nodiscard]] static BudgetRefusal refusal_of(const NamedBucket& bucket, api::Tier tier, std::uint64_t cost,
                                                TimestampMs now_ms);
  [[nodiscard]] Charge take(const Charged& charged, api::Tier tier, std::uint64_t cost, TimestampMs now_ms) const;

  const RateLimitScale scale_;
  AskKeeper ask_keeper_;
  Ranked<LockRank::counter> mutex_;
  TextPool keys_;
  BucketPool<Address> owners_;
  BucketPool<Address> orders_;
  BucketPool<Address> cancels_;
  TextPool clients_;
  TextPool logins_;
  TextPool failures_;
  TextPool cancel_failures_;
};

}  // namespace svc::sim
