// Token buckets that all processes of one user share: a small memory-mapped file per network, locked while it is
// looked at. It is a cache of what the server holds against us: losing it costs nothing but a 429.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli::budget {

// One bucket as a request asks for it. It gains its tokens evenly and holds less than one second of them, so that
// requests which bunch up on their way do not overrun the server's own bucket.
struct Demand {
  std::uint64_t bucket = 0;              // hash of its name
  std::uint32_t per_second_default = 0;  // until the server says how much it is
  std::int64_t cost = 0;                 // tokens; never more than the bucket holds
  std::uint32_t share_percent = 100;     // of the limit of `shared_of`; 100: a bucket of its own
  std::uint64_t shared_of = 0;
};

inline constexpr std::uint32_t unlimited = 0xffff'ffff;  // tokens per second

class BucketFile {
 public:
  [[nodiscard]] static Result<BucketFile, Failure> open(const Paths& paths, std::string_view network);
  BucketFile(BucketFile&& other) noexcept;
  BucketFile& operator=(BucketFile&&) = delete;
  ~BucketFile();

  // From all of them or from none: none if it would take longer than `wait_ms_max`. The result is how long the
  // tokens take to be there; whoever comes later waits longer.
  [[nodiscard]] std::int64_t take(std::span<const Demand> demands, std::int64_t wait_ms_max, TimestampMs now_ms);

  // What an answer says of the bucket's size, and of what is left in it.
  void learn(const Demand& bucket, std::uint32_t per_second, std::optional<std::int64_t> left, TimestampMs now_ms);
  // The server refuses until then.
  void block_until(const Demand& bucket, TimestampMs until_ms, TimestampMs now_ms);

  // Thousandths of tokens; below zero they are promised to requests that wait.
  [[nodiscard]] std::int64_t milli_left(const Demand& bucket, TimestampMs now_ms);

 private:
  struct Slot;
  struct Table;
  class Locked;

  BucketFile(int descriptor, Table* table) : descriptor_(descriptor), table_(table) {}
  [[nodiscard]] Slot& slot_of(const Demand& bucket, TimestampMs now_ms);
  [[nodiscard]] const Slot* find(std::uint64_t bucket) const;
  // Of the bucket as it is known now, in thousandths of tokens.
  [[nodiscard]] std::int64_t gain_per_second(const Demand& bucket) const;

  int descriptor_;
  Table* table_;
};

[[nodiscard]] std::uint64_t bucket_hash(std::string_view name);

}  // namespace svc::cli::budget
