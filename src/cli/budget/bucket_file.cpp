#include "cli/budget/bucket_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cli/files/private_file.h"
#include "signing/hash.h"

namespace svc::cli::budget {

// The layout of the file; `version` changes with it.
struct BucketFile::Slot {
  std::uint64_t bucket;  // 0: free
  std::int64_t milli;
  TimestampMs at_ms;  // of that level
  TimestampMs blocked_until_ms;
  std::uint64_t per_second;  // as learned; 0: not yet
};

struct BucketFile::Table {
  static constexpr std::uint64_t version_here = 0x5356'4342'5543'0001;  // "SVCBUC", 1
  static constexpr std::size_t slots_max = 256;                         // beyond: the one idle longest is forgotten

  std::uint64_t version;
  std::array<Slot, slots_max> slots;
};

// Other processes wait; the kernel lets go if this one dies. One that hangs is not waited for: what it might write
// meanwhile costs a 429 at most.
class BucketFile::Locked {
 public:
  explicit Locked(int descriptor) : descriptor_(descriptor) {
    constexpr int look_ms = 2, patience_ms = 500;
    for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += look_ms) {
      if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
      if (errno == EWOULDBLOCK) ::poll(nullptr, 0, look_ms);
    }
  }
  ~Locked() { ::flock(descriptor_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int descriptor_;
};

Result<BucketFile, Failure> BucketFile::open(const Paths& paths, std::string_view network) {
  const std::filesystem::path file = paths.buckets(network);
  const auto failed = [&](std::string_view doing) {
    return Failure{.exit = ExitCode::internal,
                   .code = std::string(file_error_code),
                   .message = std::string(doing) + " " + file.string() + ": " + std::strerror(errno)};
  };
  SVC_TRY(make_private_folder(file.parent_path()));
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return unexpected(failed("cannot open"));
  BucketFile buckets(descriptor, nullptr);
  const Locked locked(descriptor);
  SVC_TRY(check_private(file));
  if (::ftruncate(descriptor, sizeof(Table)) != 0) return unexpected(failed("cannot size"));
  void* memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return unexpected(failed("cannot map"));
  buckets.table_ = static_cast<Table*>(memory);
  if (buckets.table_->version != Table::version_here) {
    buckets.table_->slots.fill({});
    buckets.table_->version = Table::version_here;
  }
  return buckets;
}

BucketFile::BucketFile(BucketFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), table_(std::exchange(other.table_, nullptr)) {}

BucketFile::~BucketFile() {
  if (table_ != nullptr) ::munmap(table_, sizeof(Table));
  if (descriptor_ >= 0) ::close(descriptor_);
}

const BucketFile::Slot* BucketFile::find(std::uint64_t bucket) const {
  const auto found =
      std::find_if(table_->slots.begin(), table_->slots.end(), [&](const Slot& slot) { return slot.bucket == bucket; });
  return found == table_->slots.end() ? nullptr : found;
}

std::int64_t BucketFile::gain_per_second(const Demand& bucket) const {
  const Slot* whole = find(bucket.shared_of != 0 ? bucket.shared_of : bucket.bucket);
  const std::uint64_t per_second =
      whole != nullptr && whole->per_second != 0 ? whole->per_second : bucket.per_second_default;
  constexpr std::int64_t milli_per_percent = 10;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(per_second) * milli_per_percent * bucket.share_percent);
}

namespace {

std::int64_t capacity_of(std::int64_t gain_per_second) {
  constexpr std::int64_t one_token = 1'000;
  return std::max(one_token, gain_per_second / 5 * 4);
}

std::int64_t milli_cost(const Demand& demand, std::int64_t gain_per_second) {
  return std::min(demand.cost * 1'000, capacity_of(gain_per_second));
}

}  // namespace

// Filled up to now; a clock that went back fills nothing.
BucketFile::Slot& BucketFile::slot_of(const Demand& bucket, TimestampMs now_ms) {
  const std::int64_t gain = gain_per_second(bucket);
  Slot* chosen = &table_->slots.front();
  for (Slot& slot : table_->slots) {
    if (slot.bucket == bucket.bucket) {
      const std::int64_t passed_ms = std::clamp<std::int64_t>(now_ms - slot.at_ms, 0, minute_ms);
      slot.milli = std::min(capacity_of(gain), slot.milli + gain * passed_ms / second_ms);
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
  const Locked locked(descriptor_);
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
  const Locked locked(descriptor_);
  Slot& slot = slot_of(bucket, now_ms);
  const bool grown = slot.per_second != per_second && per_second > bucket.per_second_default;
  slot.per_second = per_second;
  if (grown) slot.milli = std::max(slot.milli, capacity_of(gain_per_second(bucket)));
  if (left) slot.milli = std::min(slot.milli, *left * 1'000);
}

void BucketFile::block_until(const Demand& bucket, TimestampMs until_ms, TimestampMs now_ms) {
  const Locked locked(descriptor_);
  Slot& slot = slot_of(bucket, now_ms);
  slot.blocked_until_ms = std::max(slot.blocked_until_ms, until_ms);
  slot.milli = std::min<std::int64_t>(slot.milli, 0);
}

std::int64_t BucketFile::milli_left(const Demand& bucket, TimestampMs now_ms) {
  const Locked locked(descriptor_);
  return slot_of(bucket, now_ms).milli;
}

std::uint64_t bucket_hash(std::string_view name) {
  const auto digest = signing::sha256(name);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < sizeof hash; ++i) hash = hash << 8 | digest[i];
  return hash == 0 ? 1 : hash;
}

}  // namespace svc::cli::budget
