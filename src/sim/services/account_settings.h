// Settings of accounts: their tiers, the dead man's switch, and what an operator switched off or froze.
//
// The stores are parts of ServicesState: changed by the single writer alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/contract/admin.h"
#include "api/tiers.h"
#include "base/address.h"
#include "base/archive.h"

namespace svc::sim {

// The tiers that an operator assigned; every other account is Pro. (API: Admin group)
class TierStore {
 public:
  [[nodiscard]] api::Tier of(const Address& account) const {
    return value_in(overrides_, account).value_or(api::default_tier);
  }
  // Assigning the default is the same as resetting.
  void assign(const Address& account, api::Tier tier) {
    if (tier == api::default_tier)
      overrides_.erase(account);
    else
      overrides_.insert_or_assign(account, tier);
  }
  // False if the account had the default.
  bool reset(const Address& account) { return overrides_.erase(account) > 0; }
  // Accounts with another tier than the default, by address.
  [[nodiscard]] const std::map<Address, api::Tier>& overrides() const { return overrides_; }

  SVC_KEEPS(overrides_);

 private:
  std::map<Address, api::Tier> overrides_;
};

// Cancel-on-disconnect: when the last stream of an account with this setting closes, and none is opened within
// limits::disconnect_grace_ms, its resting orders are cancelled. (API: cancel-on-disconnect; rule 3.14)
//
// Known here are the accounts that have an open stream, on which node, and the running timers. Streams end with their
// process: the accounts that had one there alone get the whole grace time from then on. (D-350)
class DisconnectGuard {
 public:
  [[nodiscard]] bool is_enabled(const Address& account) const { return enabled_.contains(account); }
  [[nodiscard]] bool is_connected(const Address& account) const { return connected_.contains(account); }
  // Nobody has a stream, and no timer runs.
  [[nodiscard]] bool is_idle() const { return connected_.empty() && timers_.empty(); }

  void set(const Address& account, bool enabled) {
    if (enabled)
      enabled_.insert(account);
    else
      enabled_.erase(account);
  }
  void stream_opened(const Address& account, const std::string& node) {
    connected_[account].insert(node);
    stop_timer(account);
  }
  // The last one of the account on that node.
  void streams_closed(const Address& account, const std::string& node, TimestampMs at_ms);
  // Those of all accounts on that node: its process is gone. Without a name: on every node.
  void node_streams_closed(const std::string& node, TimestampMs at_ms);
  // The nodes that have streams.
  [[nodiscard]] std::set<std::string> nodes() const {
    std::set<std::string> nodes;
    for (const auto& [account, open] : connected_) nodes.insert(open.begin(), open.end());
    return nodes;
  }

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

  SVC_KEEPS_IF(is_valid(), enabled_, connected_, timers_);

 private:
  [[nodiscard]] bool is_valid() const;
  void stop_timer(const Address& account) {
    std::erase_if(timers_, [&](const Timer& timer) { return timer.account == account; });
  }

  std::set<Address> enabled_;
  std::map<Address, std::set<std::string>> connected_;  // the nodes, never none
  std::set<Timer> timers_;                              // at most one per account
};

// While one is off, requests are refused with the error listed here.
enum class Switchable : std::uint8_t {
  credits,              // POST /account/credit: credits_frozen
  transfers,            // /transfers: TRANSFERS_UNAVAILABLE
  bridge_withdrawals,   // bridge_withdrawals_unavailable
  bridge_chain,         // the step that sends a bridge withdrawal on: bridge_step_failed
  wallet_registration,  // wallet_registration_unavailable
};
SVC_WIRE_TEXTS(Switchable, "credits", "transfers", "bridge_withdrawals", "bridge_chain", "wallet_registration");

// The operator's switches, and the frozen accounts. Everything is on at the start, unless the deployment says
// otherwise; a stored switch overrides that.
class OperatorSwitches {
 public:
  explicit OperatorSwitches(const std::vector<Switchable>& off) : off_at_start_(off.begin(), off.end()) {}

  [[nodiscard]] bool is_on(Switchable service) const {
    return value_in(turned_, service).value_or(!off_at_start_.contains(service));
  }
  void turn(Switchable service, bool on) { turned_.insert_or_assign(service, on); }

  // Nothing can be withdrawn or transferred from a frozen account; it can still trade.
  [[nodiscard]] bool is_frozen(const Address& account) const { return frozen_.contains(account); }
  // False if the limit of frozen accounts is reached (limits::frozen_accounts_max).
  [[nodiscard]] bool freeze(const Address& account) {
    if (!frozen_.contains(account) && frozen_.size() >= limits::frozen_accounts_max) return false;
    frozen_.insert(account);
    return true;
  }
  void unfreeze(const Address& account) { frozen_.erase(account); }

  SVC_KEEPS_IF(frozen_.size() <= limits::frozen_accounts_max, turned_, frozen_);

 private:
  std::set<Switchable> off_at_start_;
  std::map<Switchable, bool> turned_;  // those that somebody turned
  std::set<Address> frozen_;
};

}  // namespace svc::sim
