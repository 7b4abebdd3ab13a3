// What is liquidated as a whole: the cross positions of an account, or one isolated position (rule 5.1).
#pragma once

#include <optional>
#include <vector>

#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/margin.h"

namespace svc::engine {

class Step;
struct State;

struct Bucket {
  AccountIndex account{};
  std::optional<MarketIndex> isolated{};  // none: the cross bucket

  // The cross bucket stands before the isolated ones of its account.
  auto operator<=>(const Bucket&) const = default;
};

[[nodiscard]] bool belongs(const State& state, const Bucket& bucket, MarketIndex market);
[[nodiscard]] Bucket bucket_of(const State& state, AccountIndex account, MarketIndex market);
[[nodiscard]] Health health_of(const State& state, const Bucket& bucket);

// Markets in which the bucket has a position and that trade, largest maintenance first, then by market id.
[[nodiscard]] std::vector<MarketIndex> open_markets(const State& state, const Bucket& bucket);

// The market of its position with the largest maintenance, of those that trade if there are any. It has a position.
[[nodiscard]] MarketIndex largest_position(const State& state, const Bucket& bucket);

// Money from the insurance fund: into the cross balance, or into an isolated position while it is open.
void receive(Step& step, const Bucket& bucket, Usdx amount, FundCause cause, MarketIndex market);

// The quote at which closing this much of the position leaves the bucket exactly as healthy as it was: what a long
// must receive at least, what a short may pay at most (rule 9.2).
[[nodiscard]] i128 zero_quote(const State& state, const Bucket& bucket, const Market& market, Lots lots);

}  // namespace svc::engine
