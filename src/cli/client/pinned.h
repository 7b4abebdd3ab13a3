// What a shell keeps to from its start, whatever other programs of the user do meanwhile: one network at one address, and
// one account with its wallet. Safe on any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/address.h"
#include "cli/client/context.h"
#include "cli/store/network.h"

namespace svc::cli {

struct PinnedSession {
  Address account;
  std::string wallet;
};

class Pinned {
 public:
  explicit Pinned(Network network) : network_(std::move(network)) {}

  [[nodiscard]] const Network& network() const { return network_; }

  // The session that lines act with; nullopt while none was open. The first one stays.
  [[nodiscard]] std::optional<PinnedSession> session() const {
    const std::lock_guard lock(mutex_);
    return session_;
  }
  void keep_session(PinnedSession session) {
    const std::lock_guard lock(mutex_);
    if (!session_) session_ = std::move(session);
  }

  // The wallet of the agent that signs, of lines with --auth agent. The first one stays.
  [[nodiscard]] std::optional<std::string> agent() const {
    const std::lock_guard lock(mutex_);
    return agent_;
  }
  void keep_agent(std::string wallet) {
    const std::lock_guard lock(mutex_);
    if (!agent_) agent_ = std::move(wallet);
  }

 private:
  const Network network_;
  mutable std::mutex mutex_;
  std::optional<PinnedSession> session_;  // guarded by mutex_, as the next
  std::optional<std::string> agent_;
};

// Of the shell that a line runs in; null outside.
[[nodiscard]] inline Pinned* pinned_in(Context& context) {
  const Sitting* sitting = context.environment().sitting;
  return sitting == nullptr ? nullptr : sitting->pinned.get();
}

}  // namespace svc::cli
