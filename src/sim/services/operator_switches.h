// The operator's switches, and the frozen accounts. Everything is on at the start, unless the deployment says
// otherwise; a stored switch overrides that.
//
// Part of ServicesState: changed by the single writer alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/limits.h"

namespace svc::sim {

// While one is off, requests are refused with the error listed here.
enum class Switchable : std::uint8_t {
  credits,              // POST /account/credit: credits_frozen
  transfers,            // /transfers: TRANSFERS_UNAVAILABLE
  bridge_withdrawals,   // bridge_withdrawals_unavailable
  bridge_chain,         // the step that sends a bridge withdrawal on: bridge_step_failed
  wallet_registration,  // wallet_registration_unavailable
};
inline constexpr std::array<std::string_view, 5> switchable_texts{"credits", "transfers", "bridge_withdrawals",
                                                                  "bridge_chain", "wallet_registration"};

[[nodiscard]] constexpr std::string_view to_string(Switchable service) {
  return switchable_texts[static_cast<std::size_t>(service)];
}
[[nodiscard]] inline std::optional<Switchable> parse_switchable(std::string_view text) {
  for (std::size_t i = 0; i < switchable_texts.size(); ++i)
    if (switchable_texts[i] == text) return static_cast<Switchable>(i);
  return std::nullopt;
}

class OperatorSwitches {
 public:
  explicit OperatorSwitches(const std::vector<Switchable>& off) : off_at_start_(off.begin(), off.end()) {}

  [[nodiscard]] bool is_on(Switchable service) const {
    const auto turned = turned_.find(service);
    return turned == turned_.end() ? !off_at_start_.contains(service) : turned->second;
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

  template <class Archive>
  void archive(Archive& archive) {
    archive(turned_, frozen_);
    archive.check([&] { return frozen_.size() <= limits::frozen_accounts_max; });
  }

 private:
  std::set<Switchable> off_at_start_;
  std::map<Switchable, bool> turned_;  // those that somebody turned
  std::set<Address> frozen_;
};

}  // namespace svc::sim
