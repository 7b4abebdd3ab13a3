#include "sim/services/operator_switches.h"

namespace svc::sim {

std::optional<Switchable> parse_switchable(std::string_view text) {
  for (std::size_t i = 0; i < switchable_texts.size(); ++i)
    if (switchable_texts[i] == text) return static_cast<Switchable>(i);
  return std::nullopt;
}

OperatorSwitches::OperatorSwitches(const std::vector<Switchable>& off) : off_at_start_(off.begin(), off.end()) {}

bool OperatorSwitches::is_on(Switchable service) const {
  const auto turned = turned_.find(service);
  return turned == turned_.end() ? !off_at_start_.contains(service) : turned->second;
}

bool OperatorSwitches::freeze(const Address& account) {
  if (!frozen_.contains(account) && frozen_.size() >= limits::frozen_accounts_max) return false;
  frozen_.insert(account);
  return true;
}

}  // namespace svc::sim
