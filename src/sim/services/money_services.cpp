#include "sim/services/money_services.h"

#include <string>

#include "base/archive.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

// The key of a row: the text of a switch, or of a frozen account.
RecordChange row(std::string key, std::optional<bool> value) {
  RecordChange change{.table = RecordTable::operator_switches, .key = std::move(key), .value = {}};
  if (value) change.value = to_archive(*value);
  return change;
}

}  // namespace

std::optional<Switchable> parse_switchable(std::string_view text) {
  for (std::size_t i = 0; i < switchable_texts.size(); ++i)
    if (switchable_texts[i] == text) return static_cast<Switchable>(i);
  return std::nullopt;
}

OperatorSwitches::OperatorSwitches(const std::vector<Switchable>& off) {
  on_.fill(true);
  for (const Switchable service : off) on_[static_cast<std::size_t>(service)] = false;
}

bool OperatorSwitches::is_on(Switchable service) const {
  const std::lock_guard lock(mutex_);
  return on_[static_cast<std::size_t>(service)];
}

void OperatorSwitches::turn(Switchable service, bool on, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  on_[static_cast<std::size_t>(service)] = on;
  records.push_back(row(std::string(to_string(service)), on));
}

bool OperatorSwitches::is_frozen(const Address& account) const {
  const std::lock_guard lock(mutex_);
  return frozen_.contains(account);
}

bool OperatorSwitches::set_frozen(const Address& account, Freeze freeze, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const bool impose = freeze == Freeze::impose;
  if (impose == frozen_.contains(account)) return true;
  if (impose && frozen_.size() >= limits::frozen_accounts_max) return false;
  if (impose)
    frozen_.insert(account);
  else
    frozen_.erase(account);
  records.push_back(row(svc::to_string(account), impose ? std::optional(true) : std::nullopt));
  return true;
}

bool OperatorSwitches::restore(const RecordChange& change) {
  if (change.table != RecordTable::operator_switches) return true;
  const std::lock_guard lock(mutex_);
  if (const auto account = parse_address(change.key)) {
    if (change.value)
      frozen_.insert(*account);
    else
      frozen_.erase(*account);
    return true;
  }
  const auto service = parse_switchable(change.key);
  if (!service) return true;  // a switch of an earlier version
  const auto on = change.value ? from_archive<bool>(*change.value) : std::nullopt;
  if (!on) return false;
  on_[static_cast<std::size_t>(*service)] = *on;
  return true;
}

}  // namespace svc::sim
