#include "sim/etcd/etcd_state.h"

#include <chrono>

namespace svc::sim {

EtcdState::EtcdState(Terms terms, const Clock& machine)
    : terms_(std::move(terms)),
      dial_(terms_.dial ? terms_.dial : dial_by_http()),
      leadership_(EtcdClient(terms_.address.members, dial_), terms_.address.name + "/leader", terms_.node, machine) {}

Result<std::unique_ptr<EtcdState>, std::string> EtcdState::open(Terms terms, const Clock& machine) {
  auto state = std::make_unique<EtcdState>(std::move(terms), machine);
  SVC_TRY(state->lead());
  // A double has no time of its own: tests keep the lease themselves.
  if (!state->terms_.dial)
    state->keeping_ = std::jthread([&self = *state](const std::stop_token& stop) {
      std::unique_lock lock(self.mutex_);
      while (!stop.stop_requested()) {
        self.woken_.wait_for(lock, stop, std::chrono::milliseconds(limits::etcd_lease_keep_ms), [] { return false; });
        if (!stop.stop_requested()) self.leadership_.keep();
      }
    });
  return state;
}

Result<void, std::string> EtcdState::lead() {
  const std::string place = to_string(terms_.address);
  bool made_room = false;
  while (true) {
    const auto elected = leadership_.campaign();
    if (elected) return {};
    const Leadership::Refusal& refusal = elected.error();
    if (refusal.is_full && !std::exchange(made_room, true) && make_room()) continue;
    if (refusal.is_full)
      return unexpected("--state: " + place + " is full: give etcd a larger quota, or remove what else is on it");
    if (refusal.leader.empty()) return unexpected("--state: " + place + ": " + refusal.reason);
    if (terms_.try_again && terms_.try_again(refusal.leader)) continue;
    return unexpected("--state: node " + refusal.leader + " leads on " + place + " already");
  }
}

bool EtcdState::make_room() {
  EtcdClient client(terms_.address.members, dial_);
  const auto now = client.read({.key = leadership_.key()}, 1);
  if (!now) return false;
  (void)client.compact(now->revision);
  for (std::size_t member = 0; member < client.members(); ++member) (void)client.defragment(member);
  return client.end_full().has_value();
}

void EtcdState::pause(std::int64_t ms) const {
  if (!terms_.dial) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

Result<std::unique_ptr<DurableLog>, std::string> EtcdState::open_log(const std::string& network,
                                                                     const LogFacts& facts) {
  auto log = EtcdLog::open({.members = terms_.address.members,
                            .dial = dial_,
                            .place = to_string(terms_.address) + " (" + network + ")",
                            .prefix = terms_.address.name + '/' + network + '/',
                            .facts = facts,
                            .pause = [this](std::int64_t ms) { pause(ms); },
                            .gives_up = &gives_up_},
                           leadership_);
  if (!log) return unexpected("--state: " + log.error());
  return std::unique_ptr<DurableLog>(std::move(*log));
}

}  // namespace svc::sim
