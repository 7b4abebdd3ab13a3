#include "sim/streams/account_topics.h"

#include <algorithm>

#include "base/limits.h"

namespace svc::sim {
namespace {

StreamTopic topic(api::StreamChannel channel, std::uint64_t base) {
  const api::StreamChannelInfo& info = api::info_of(channel);
  return StreamTopic({.channel = std::string(info.name), .market = {}, .interval = {}, .resume = info.resume},
                     limits::stream_account_replay_events_max, base);
}

}  // namespace

AccountTopics::AccountTopics(const Address& owner, std::uint64_t base)
    : account(owner),
      orders(topic(api::StreamChannel::orders, base)),
      fills(topic(api::StreamChannel::fills, base)),
      positions(topic(api::StreamChannel::positions, base)),
      balances(topic(api::StreamChannel::balances, base)),
      liquidations(topic(api::StreamChannel::liquidations, base)) {}

bool AccountTopics::heard() {
  return std::ranges::any_of(all(), [](const StreamTopic* each) { return each->heard(); });
}

}  // namespace svc::sim
