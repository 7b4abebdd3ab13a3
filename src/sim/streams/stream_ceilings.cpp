#include "sim/streams/stream_ceilings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/tiers.h"
#include "base/limits.h"

namespace svc::sim {

StreamCeilings stream_ceilings(api::Tier tier, RateLimitScale scale) {
  const api::TierLimits& allowed = api::limits_of(tier);
  if (scale.multiplier == 0 || tier == api::Tier::unlimited) return {};
  const auto scaled = [&](std::uint32_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(value) * scale.multiplier,
                                                              std::numeric_limits<std::uint32_t>::max()));
  };
  // Whose tier allows more is bounded by its account alone. (D-727)
  const bool allows_more = allowed.ws_connections > limits::stream_connections_per_address;
  const std::uint32_t of_address = allows_more ? 0 : scaled(limits::stream_connections_per_address);
  return {.connections = scaled(allowed.ws_connections),
          .subscriptions = scaled(allowed.ws_subscriptions),
          .frames_per_second = scaled(allowed.ws_frames_per_second),
          .connections_per_address = of_address};
}

InboundBudget::InboundBudget(std::uint32_t frames_per_second, TimestampMs now_ms)
    : per_second_(frames_per_second),
      milliframes_(per_second_ * limits::stream_frame_burst * second_ms),
      filled_at_ms_(now_ms) {}

bool InboundBudget::take(TimestampMs now_ms) {
  if (per_second_ == 0) return true;
  const std::int64_t capacity = per_second_ * limits::stream_frame_burst * second_ms;
  // R frames per second are R thousandths per millisecond: nothing is rounded.
  const std::int64_t passed_ms = std::min<std::int64_t>(now_ms - filled_at_ms_, limits::stream_frame_burst * second_ms);
  milliframes_ = std::min(capacity, milliframes_ + passed_ms * per_second_);
  filled_at_ms_ = now_ms;
  if (milliframes_ < second_ms) return false;
  milliframes_ -= second_ms;
  return true;
}

StreamCensus::Seat::Seat(Ticket /*ticket*/, StreamCensus& census, std::optional<Address> account, std::string address,
                         StreamCeilings ceilings)
    : census_(census), account_(account), address_(std::move(address)), ceilings_(ceilings) {}

StreamCensus::Seat::~Seat() {
  const std::lock_guard lock(census_.mutex_);
  --census_.connections_;
  if (ceilings_.connections_per_address != 0) {
    if (const auto found = census_.addresses_.find(address_); --found->second == 0) census_.addresses_.erase(found);
  }
  if (!account_) return;
  const auto found = census_.accounts_.find(*account_);
  found->second.subscriptions -= subscriptions_;
  if (--found->second.connections == 0) census_.accounts_.erase(found);
}

bool StreamCensus::Seat::add_subscription() {
  const std::lock_guard lock(census_.mutex_);
  std::size_t* of_account = account_ ? &census_.accounts_.at(*account_).subscriptions : nullptr;
  const std::size_t counted = of_account != nullptr ? *of_account : subscriptions_;
  if (ceilings_.subscriptions != 0 && counted >= ceilings_.subscriptions) return false;
  if (subscriptions_ >= limits::stream_subscriptions_max) return false;
  ++subscriptions_;
  if (of_account != nullptr) ++*of_account;
  return true;
}

void StreamCensus::Seat::drop_subscription() {
  const std::lock_guard lock(census_.mutex_);
  --subscriptions_;
  if (account_) --census_.accounts_.at(*account_).subscriptions;
}

std::shared_ptr<StreamCensus::Seat> StreamCensus::admit(const std::optional<Address>& account,
                                                        const std::optional<std::string>& address,
                                                        const StreamCeilings& ceilings) {
  std::string key = address.value_or(std::string());
  const std::lock_guard lock(mutex_);
  const auto here = addresses_.find(key);
  if (ceilings.connections_per_address != 0 && here != addresses_.end() &&
      here->second >= ceilings.connections_per_address)
    return nullptr;
  if (account && ceilings.connections != 0) {
    const auto counts = accounts_.find(*account);
    if (counts != accounts_.end() && counts->second.connections >= ceilings.connections) return nullptr;
  }
  ++connections_;
  if (ceilings.connections_per_address != 0) ++addresses_[key];
  if (account) ++accounts_[*account].connections;
  return std::make_shared<Seat>(Seat::Ticket(), *this, account, std::move(key), ceilings);
}

std::size_t StreamCensus::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

}  // namespace svc::sim
