// What the lines of one shell share.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/address.h"
#include "cli/store/network.h"

namespace svc::cli {

struct PinnedSession {
  Address account;
  std::string wallet;
};

// What a shell keeps from its start, whatever the user's other programs do meanwhile: one network at one address, and
// one account with its wallet. Thread-safe.
class Pinned {
 public:
  explicit Pinned(Network network) : network_(std::move(network)) {}

  [[nodiscard]] const Network& network() const { return network_; }

  // The session that lines act with; nullopt until the first login. The first one stays.
  [[nodiscard]] std::optional<PinnedSession> session() const {
    const std::lock_guard lock(mutex_);
    return session_;
  }
  void keep_session(PinnedSession session) {
    const std::lock_guard lock(mutex_);
    if (!session_) session_ = std::move(session);
  }

  // The wallet of the agent that signs lines with --auth agent. The first one stays.
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

struct ShellSession {
  std::shared_ptr<Pinned> pinned{};  // shared with the shell's background reads
  bool expanded = false;             // tables show a line per field
  bool numbers_orders = false;       // tables of orders have row numbers, by which a line can name them
  bool orders_agreed = false;        // the user has typed the name of a network with real funds
  bool repeats = false;              // lines run repeatedly: writes are refused
  bool locked = false;               // after idle time: the next write asks for the password
  std::set<std::string> told{};      // notices already shown
};

}  // namespace svc::cli
