// The request budget that all processes of this user share: each request takes its weight from the shared buckets
// before it is sent, and each answer corrects them.
#pragma once

#include <memory>

#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

// Token buckets in a small memory-mapped file per network, locked during each access. The file is a cache of the
// server's own buckets: losing it costs nothing but a 429.

namespace svc::cli::budget {

// These are metered by connection, not by account: an answer's headers tell nothing about them.
[[nodiscard]] bool is_of_the_machine(std::string_view bucket);

// What a request needs from one bucket. A bucket refills evenly and holds less than one second's worth of tokens, so
// that requests which arrive bunched together do not overrun the server's own bucket.
struct Demand {
  std::uint64_t bucket = 0;              // hash of its name
  std::uint32_t per_second_default = 0;  // until the server tells the limit
  std::int64_t cost = 0;                 // tokens; never more than the bucket holds
  std::uint32_t share_percent = 100;     // of the limit of `shared_of`; 100: a bucket of its own
  std::uint64_t shared_of = 0;
};

inline constexpr std::uint32_t unlimited = 0xffff'ffff;  // tokens per second

class BucketFile {
 public:
  static Result<BucketFile> open(const Paths& paths, std::string_view network);

  // Takes from all buckets or from none: none if the wait would exceed `wait_ms_max`. Returns the milliseconds to wait
  // for the tokens; later callers wait longer.
  [[nodiscard]] std::int64_t take(std::span<const Demand> demands, std::int64_t wait_ms_max, TimestampMs now_ms);

  // Corrects the bucket's size and level by what an answer says.
  void learn(const Demand& bucket, std::uint32_t per_second, std::optional<std::int64_t> left, TimestampMs now_ms);
  // The server refuses until then.
  void block_until(const Demand& bucket, TimestampMs until_ms, TimestampMs now_ms);

  // Thousandths of a token; negative if requests are already waiting for them.
  [[nodiscard]] std::int64_t milli_left(const Demand& bucket, TimestampMs now_ms);

 private:
  struct Slot;
  struct Table;
  class Locked;
  struct Unmap {
    void operator()(Table* table) const;
  };

  explicit BucketFile(Descriptor file) : file_(std::move(file)) {}
  [[nodiscard]] Slot& slot_of(const Demand& bucket, TimestampMs now_ms);
  // Thousandths of a token per second, by what is known of the bucket.
  [[nodiscard]] std::int64_t gain_per_second(const Demand& bucket) const;

  Descriptor file_;
  std::unique_ptr<Table, Unmap> table_;
};

[[nodiscard]] std::uint64_t bucket_hash(std::string_view name);

// Waits for the call's tokens. Exit 9 if they are not there under --rate fail, or if the wait would exceed
// limits::rate_wait_ms_max; nothing is taken then. The way out waits briefly and is then sent anyway.
Result<void> take(BucketFile& buckets, Context& context, const Call& call, const Credential& credential,
                  Direction direction);
void learn(BucketFile& buckets, Context& context, const Call& call, const Credential& credential,
           const api::HttpResponse& response);

}  // namespace svc::cli::budget
