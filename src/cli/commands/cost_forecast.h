// What a list of requests costs, and when the last one can be sent. Token buckets refill continuously and hold one
// second of tokens; a charge is at most that. Requests go out in order, none before its time. Integers throughout: a
// bucket is counted in thousandths of a token, which refill at `limit` per millisecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::cli {

struct Charge {
  std::size_t line = 0;                // in the script, from 1
  std::string what{};                  // the text of the line
  std::vector<std::string> buckets{};  // all of them are charged: "key" and "owner", say
  std::uint64_t tokens = 0;
  std::int64_t not_before_ms = 0;  // from the start
};

struct BucketForecast {
  std::string bucket{};
  std::uint64_t limit = 0;      // tokens per second, and the most that it holds
  std::uint64_t remaining = 0;  // now
  std::uint64_t requests = 0;
  std::uint64_t tokens = 0;
  std::int64_t finish_ms = 0;               // when the last request of this bucket goes out
  std::int64_t stalled_ms = 0;              // waited for this bucket, all requests together
  std::optional<std::size_t> stall_line{};  // the first line that waits for it
};

struct Forecast {
  std::int64_t finish_ms = 0;
  std::vector<BucketForecast> buckets;  // as given
};

// `buckets`: limit and remaining are read, the rest is filled in. Charges name only buckets among them, whose limits
// are above zero.
[[nodiscard]] Forecast forecast(const std::vector<Charge>& charges, std::vector<BucketForecast> buckets);

}  // namespace svc::cli
