// What this user's processes may send together: each request takes its weight from the shared buckets before it
// leaves, and each answer corrects them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

// Token buckets that all processes of one user share: a small memory-mapped file per network, locked while it is
// looked at. It is a cache of what the server holds against us: losing it costs nothing but a 429.

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

inline constexpr std::int64_t patience_way_out_ms = 2'000;

class Budget {
 public:
  // nullopt with --rate off.
  [[nodiscard]] static Result<std::optional<Budget>, Failure> open(Context& context, std::string_view network);

  // Waits for the tokens. Exit 9 with --rate fail if they are not there, and where the wait would be longer than
  // limits::rate_wait_ms_max; then nothing was taken. The way out waits briefly, and then asks the server.
  [[nodiscard]] Result<void, Failure> take(Context& context, const Call& call, const Credential& credential,
                                           Direction direction);
  void learn(Context& context, const Call& call, const Credential& credential, const api::HttpResponse& response);

 private:
  explicit Budget(BucketFile file, std::optional<std::uint32_t> share_percent)
      : file_(std::move(file)), share_percent_(share_percent) {}
  [[nodiscard]] std::vector<Demand> demands(const Call& call, const Credential& credential) const;

  BucketFile file_;
  std::optional<std::uint32_t> share_percent_;
};

}  // namespace svc::cli::budget
