#include "cli/client/budget.h"

#include <sys/file.h>
#include <sys/mman.h>

#include <cerrno>

#include "api/tiers.h"
#include "base/limits.h"
#include "cli/client/outgoing.h"
#include "cli/client/refusal.h"
#include "cli/machine/private_file.h"
#include "signing/hash.h"

namespace svc::cli::budget {
namespace {

std::uint32_t default_rate(std::string_view bucket) {
  if (bucket == "ip") return limits::client_reads_per_second;
  if (bucket == "login") return limits::client_logins_per_second;
  return api::limits_of(api::default_tier).requests_per_second;
}

std::vector<Demand> demands(const Globals& globals, const Call& call, const Credential& credential) {
  const auto& share_percent = globals.rate_share_percent;
  const std::string_view bucket = bucket_of(*call.operation);
  const auto cost = static_cast<std::int64_t>(call.operation->weight.of(call.orders));
  std::vector<Demand> all;
  const auto ask = [&](const std::string& name) {
    const Demand whole{.bucket = bucket_hash(name), .per_second_default = default_rate(bucket), .cost = cost};
    all.push_back(whole);
    // The share never slows down the way out.
    if (!share_percent || bucket == "cancel") return;
    all.push_back({.bucket = bucket_hash(name + "/" + std::to_string(*share_percent) + "%"),
                   .per_second_default = whole.per_second_default,
                   .cost = cost,
                   .share_percent = *share_percent,
                   .shared_of = whole.bucket});
  };
  const std::string lane(bucket);
  const auto* hmac = std::get_if<HmacCredential>(&credential.how);
  if (is_of_the_machine(bucket)) {
    ask(lane);
  } else if (credential.account) {
    ask(lane + ":" + to_string(*credential.account));
  } else if (hmac != nullptr) {
    ask(lane + ":" + hmac->key_id);
  }
  // An API key has a limit of its own besides its owner's.
  if (bucket == "request" && hmac != nullptr && credential.account) ask("key:" + hmac->key_id);
  return all;
}

std::int64_t capacity_of(std::int64_t gain_per_second) {
  constexpr std::int64_t one_token = 1'000;
  return std::max(one_token, gain_per_second / 5 * 4);
}

std::int64_t milli_cost(const Demand& demand, std::int64_t gain_per_second) {
  return std::min(demand.cost * 1'000, capacity_of(gain_per_second));
}

}  // namespace

bool is_of_the_machine(std::string_view bucket) {
  return bucket == "ip" || bucket == "login";
}

Result<void> take(BucketFile& buckets, Context& context, const Call& call, const Credential& credential,
                  Direction direction) {
  const auto wanted = demands(context.globals(), call, credential);
  if (wanted.empty() || wanted.front().cost == 0) return {};
  const bool waits = context.globals().rate == RateMode::wait;
  const bool way_out = direction == Direction::way_out;
  const std::int64_t wait_ms_max = !waits ? 0 : way_out ? 2 * second_ms : limits::rate_wait_ms_max;
  const std::int64_t wait_ms = buckets.take(wanted, wait_ms_max, context.now_ms());
  if (wait_ms > wait_ms_max) {
    // Our count may be wrong; the server decides.
    if (way_out) return {};
    Failure spent = failed("budget_spent", "the ", bucket_of(*call.operation),
                           " budget that your processes share is spent; nothing was sent")
                        .as_retryable()
                        .to_try({concat("wait ", (wait_ms + second_ms - 1) / second_ms, " s, or add --rate off")});
    spent.retry_after_ms = wait_ms;
    return unexpected(std::move(spent));
  }
  if (wait_ms <= 0) return {};
  if (wait_ms >= second_ms) {
    context.say(concat("note: waiting ", (wait_ms + second_ms - 1) / second_ms, " s for the shared budget"));
  }
  if (context.environment().pause(wait_ms)) return {};
  return failed("interrupted", "interrupted while it waited for the shared budget; nothing was sent");
}

void learn(BucketFile& buckets, Context& context, const Call& call, const Credential& credential,
           const api::HttpResponse& response) {
  const auto wanted = demands(context.globals(), call, credential);
  const std::string_view bucket = bucket_of(*call.operation);
  constexpr int too_many = 429;
  if (response.status == too_many) {
    const Failure refused = failure_of(call, response, {});
    // A faucet claim that comes too early is also a 429 with these headers, but no bucket is spent.
    if (!refused.retry_after_ms || api::find_error(refused.code) != api::ErrorCode::rate_limit_exceeded) return;
    // A bucket is full again after a second. No server is left alone for longer than a minute. (D-1090)
    const TimestampMs now_ms = context.now_ms();
    const std::int64_t blocked_ms = std::min(*refused.retry_after_ms, limits::rate_wait_ms_max);
    for (const Demand& demand : wanted) buckets.block_until(demand, now_ms + blocked_ms, now_ms);
    return;
  }
  if (is_of_the_machine(bucket) || !is_success(response.status)) return;
  const auto limit = number_in<std::uint32_t>(response, "X-RateLimit-Limit");
  const auto left = number_in<std::int64_t>(response, "X-RateLimit-Remaining");
  for (const Demand& demand : wanted) {
    // An authenticated answer without a limit comes from a sandbox without limits.
    if (demand.shared_of == 0)
      buckets.learn(demand, limit.value_or(unlimited), limit ? left : std::nullopt, context.now_ms());
  }
}

// The layout of the file; `version` changes with it.
struct BucketFile::Slot {
  std::uint64_t bucket;  // 0: unused
  std::int64_t milli;
  TimestampMs at_ms;  // when `level` was current
  TimestampMs blocked_until_ms;
  std::uint64_t per_second;  // as learned; 0: not yet learned
};

struct BucketFile::Table {
  static constexpr std::uint64_t version_here = 0x5356'4342'5543'0001;  // "SVCBUC", 1
  static constexpr std::size_t slots_max = 256;  // with more, the one unused for longest is reused

  std::uint64_t version;
  std::array<Slot, slots_max> slots;
};

// Other processes wait for this lock; the kernel releases it if this one dies. A process that hangs is not waited for:
// what it may still write costs a 429 at most.
class BucketFile::Locked {
 public:
  explicit Locked(const Descriptor& file) : descriptor_(file.get()) {
    constexpr std::int64_t patience_ms = 500;
    static_cast<void>(wait_for_lock(descriptor_, patience_ms));
  }
  ~Locked() { ::flock(descriptor_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int descriptor_;  // stays open when the BucketFile moves
};

Result<BucketFile> BucketFile::open(const Paths& paths, std::string_view network) {
  const std::filesystem::path file = paths.buckets(network);
  BucketFile buckets(SVC_TRY(open_private(file)));
  const Locked locked(buckets.file_);
  SVC_TRY(check_private(file, buckets.file_));
  // With its blocks on the disk: on a full one, writing to a hole of a mapped file kills the process.
  if (const int error = ::posix_fallocate(buckets.file_.get(), 0, sizeof(Table)); error != 0) {
    errno = error;
    return file_error(file, "cannot size");
  }
  void* memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, buckets.file_.get(), 0);
  if (memory == MAP_FAILED) return file_error(file, "cannot map");
  buckets.table_.reset(static_cast<Table*>(memory));
  if (buckets.table_->version != Table::version_here) {
    buckets.table_->slots.fill({});
    buckets.table_->version = Table::version_here;
  }
  return buckets;
}

void BucketFile::Unmap::operator()(Table* table) const {
  ::munmap(table, sizeof(Table));
}

std::int64_t BucketFile::gain_per_second(const Demand& bucket) const {
  const std::uint64_t sought = bucket.shared_of != 0 ? bucket.shared_of : bucket.bucket;
  const auto* whole = std::ranges::find(table_->slots, sought, &Slot::bucket);
  const bool is_learned = whole != table_->slots.end() && whole->per_second != 0;
  const std::uint64_t per_second = is_learned ? whole->per_second : bucket.per_second_default;
  constexpr std::int64_t milli_per_percent = 10;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(per_second) * milli_per_percent * bucket.share_percent);
}

// The slot filled up to now; a clock that was set back adds nothing, and blocks for no longer.
BucketFile::Slot& BucketFile::slot_of(const Demand& bucket, TimestampMs now_ms) {
  const std::int64_t gain = gain_per_second(bucket);
  Slot* chosen = &table_->slots.front();
  for (Slot& slot : table_->slots) {
    if (slot.bucket == bucket.bucket) {
      const std::int64_t passed_ms = std::clamp<std::int64_t>(now_ms - slot.at_ms, 0, minute_ms);
      slot.milli = std::min(capacity_of(gain), slot.milli + gain * passed_ms / second_ms);
      slot.blocked_until_ms -= std::max<std::int64_t>(0, slot.at_ms - now_ms);
      slot.at_ms = now_ms;
      return slot;
    }
    if (slot.bucket == 0) {
      chosen = &slot;
      break;
    }
    if (slot.at_ms < chosen->at_ms) chosen = &slot;
  }
  *chosen = {
      .bucket = bucket.bucket, .milli = capacity_of(gain), .at_ms = now_ms, .blocked_until_ms = 0, .per_second = 0};
  return *chosen;
}

std::int64_t BucketFile::take(std::span<const Demand> demands, std::int64_t wait_ms_max, TimestampMs now_ms) {
  const Locked locked(file_);
  std::int64_t wait_ms = 0;
  for (const Demand& demand : demands) {
    const Slot& slot = slot_of(demand, now_ms);
    const std::int64_t gain = gain_per_second(demand);
    const std::int64_t missing = milli_cost(demand, gain) - slot.milli;
    if (missing > 0) wait_ms = std::max(wait_ms, (missing * second_ms + gain - 1) / gain);
    wait_ms = std::max(wait_ms, slot.blocked_until_ms - now_ms);
  }
  if (wait_ms > wait_ms_max) return wait_ms;
  for (const Demand& demand : demands) {
    slot_of(demand, now_ms).milli -= milli_cost(demand, gain_per_second(demand));
  }
  return wait_ms;
}

void BucketFile::learn(const Demand& bucket, std::uint32_t per_second, std::optional<std::int64_t> left,
                       TimestampMs now_ms) {
  const Locked locked(file_);
  Slot& slot = slot_of(bucket, now_ms);
  const bool grown = slot.per_second != per_second && per_second > bucket.per_second_default;
  slot.per_second = per_second;
  const std::int64_t capacity = capacity_of(gain_per_second(bucket));
  if (grown) slot.milli = std::max(slot.milli, capacity);
  if (left) slot.milli = std::min(slot.milli, std::clamp<std::int64_t>(*left, 0, capacity / 1'000) * 1'000);
}

void BucketFile::block_until(const Demand& bucket, TimestampMs until_ms, TimestampMs now_ms) {
  const Locked locked(file_);
  Slot& slot = slot_of(bucket, now_ms);
  slot.blocked_until_ms = std::max(slot.blocked_until_ms, until_ms);
  slot.milli = std::min<std::int64_t>(slot.milli, 0);
}

std::int64_t BucketFile::milli_left(const Demand& bucket, TimestampMs now_ms) {
  const Locked locked(file_);
  return slot_of(bucket, now_ms).milli;
}

std::uint64_t bucket_hash(std::string_view name) {
  const auto digest = signing::sha256(name);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < sizeof hash; ++i) hash = hash << 8 | digest[i];
  return hash == 0 ? 1 : hash;
}

}  // namespace svc::cli::budget
