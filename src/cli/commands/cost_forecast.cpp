#include "cli/commands/cost_forecast.h"

#include <algorithm>

#include "base/assert.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t milli = 1'000;

struct BucketLevel {
  std::uint64_t have_milli = 0;
  std::int64_t at_ms = 0;

  void refill(std::uint64_t limit, std::int64_t now_ms) {
    const auto passed = static_cast<std::uint64_t>(now_ms - at_ms);
    const std::uint64_t room = limit * milli - have_milli;
    have_milli += passed > room / limit ? room : passed * limit;
    at_ms = now_ms;
  }
};

}  // namespace

Forecast forecast(const std::vector<Charge>& charges, std::vector<BucketForecast> buckets) {
  std::vector<BucketLevel> levels;
  for (const BucketForecast& bucket : buckets)
    levels.push_back({.have_milli = std::min(bucket.remaining, bucket.limit) * milli, .at_ms = 0});
  Forecast result;
  std::int64_t now_ms = 0;
  for (const Charge& charge : charges) {
    const std::int64_t due_ms = std::max(now_ms, charge.not_before_ms);
    std::int64_t sent_ms = due_ms;
    std::vector<std::size_t> places;
    for (const std::string& name : charge.buckets) {
      const auto found =
          std::find_if(buckets.begin(), buckets.end(), [&](const BucketForecast& one) { return one.bucket == name; });
      SVC_ASSERT(found != buckets.end() && found->limit > 0);
      const auto place = static_cast<std::size_t>(found - buckets.begin());
      places.push_back(place);
      BucketLevel& level = levels[place];
      level.refill(found->limit, due_ms);
      const std::uint64_t need = std::min(charge.tokens, found->limit) * milli;
      if (need <= level.have_milli) continue;
      const std::uint64_t wait_ms = (need - level.have_milli + found->limit - 1) / found->limit;
      found->stalled_ms += static_cast<std::int64_t>(wait_ms);
      if (!found->stall_line) found->stall_line = charge.line;
      sent_ms = std::max(sent_ms, due_ms + static_cast<std::int64_t>(wait_ms));
    }
    for (const std::size_t place : places) {
      BucketForecast& bucket = buckets[place];
      levels[place].refill(bucket.limit, sent_ms);
      levels[place].have_milli -= std::min(charge.tokens, bucket.limit) * milli;
      bucket.tokens += charge.tokens;
      ++bucket.requests;
      bucket.finish_ms = sent_ms;
    }
    now_ms = sent_ms;
    result.finish_ms = sent_ms;
  }
  result.buckets = std::move(buckets);
  return result;
}

}  // namespace svc::cli
