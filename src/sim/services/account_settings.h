// Settings of accounts: the tiers that an operator assigned, every other account being Pro (API: Admin group); and
// the dead man's switch, cancel-on-disconnect (API: cancel-on-disconnect; rule 3.14).
//
// Parts of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/contract/admin.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"

namespace svc::sim {

class TierStore {
 public:
  [[nodiscard]] api::Tier of(const Address& account) const;
  // Assigning the default is the same as resetting.
  void assign(const Address& account, api::Tier tier);
  // False if the account had the default.
  bool reset(const Address& account) { return overrides_.erase(account) > 0; }
  // Accounts with another tier than the default, by address.
  [[nodiscard]] const std::map<Address, api::Tier>& overrides() const { return overrides_; }

  template <class Archive>
  void archive(Archive& archive) {
    archive(overrides_);
  }

 private:
  std::map<Address, api::Tier> overrides_;
};

struct DisconnectTerms {
  std::int64_t grace_ms = limits::disconnect_grace_ms_default;  // from the end of the last stream to the cancel
};

// When the last stream of an account with this setting closes, and none is opened within the grace time, its resting
// orders are cancelled.
//
// Known here are the accounts that have an open stream, on which node, and the running timers. Streams end with their
// process: the accounts that had one there alone get the whole grace time from then on. (D-350)
class DisconnectGuard {
 public:
  explicit DisconnectGuard(DisconnectTerms terms = {}) : grace_ms_(terms.grace_ms) {}

  [[nodiscard]] bool is_enabled(const Address& account) const { return enabled_.contains(account); }
  [[nodiscard]] bool is_connected(const Address& account) const { return connected_.contains(account); }
  // Nobody has a stream, and no timer runs.
  [[nodiscard]] bool is_idle() const { return connected_.empty() && timers_.empty(); }

  void set(const Address& account, bool enabled);
  void stream_opened(const Address& account, const std::string& node);
  // The last one of the account on that node.
  void streams_closed(const Address& account, const std::string& node, TimestampMs at_ms);
  // Those of all accounts on that node: its process is gone. Without a name: on every node.
  void node_streams_closed(const std::string& node, TimestampMs at_ms);
  // The nodes that have streams.
  [[nodiscard]] std::set<std::string> nodes() const;

  struct Timer {
    TimestampMs ends_ms = 0;
    Address account{};

    auto operator<=>(const Timer&) const = default;
  };
  // The first to end; nullopt if none runs.
  [[nodiscard]] std::optional<Timer> next() const {
    return timers_.empty() ? std::nullopt : std::optional(*timers_.begin());
  }
  void end(const Timer& timer) { timers_.erase(timer); }

  template <class Archive>
  void archive(Archive& archive) {
    archive(enabled_, connected_, timers_);
    archive.check([&] { return is_valid(); });
  }

 private:
  [[nodiscard]] bool is_valid() const;
  void stop_timer(const Address& account);

  std::int64_t grace_ms_;
  std::set<Address> enabled_;
  std::map<Address, std::set<std::string>> connected_;  // the nodes, never none
  std::set<Timer> timers_;  // at most one per account
};

}  // namespace svc::sim
