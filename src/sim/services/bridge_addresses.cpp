#include "sim/services/bridge_addresses.h"

#include <utility>

#include "base/archive.h"
#include "base/row_check.h"
#include "sim/services/chain_terms.h"

namespace svc::sim {

DepositAddress BridgeAddresses::open(const Address& account, TimestampMs now_ms, RecordBatch& records) {
  const Address address = address_of(account);
  const std::lock_guard lock(mutex_);
  const auto [opened, first] = opened_.emplace(account, now_ms);
  if (first) {
    owners_.emplace(address, account);
    records.push_back({.table = RecordTable::bridge_addresses,
                       .key = to_archive(std::pair(account, chain_)),
                       .value = to_archive(now_ms)});
  }
  return {.address = address, .account = account, .created_ms = opened->second};
}

std::optional<DepositAddress> BridgeAddresses::of(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto opened = opened_.find(account);
  if (opened == opened_.end()) return std::nullopt;
  return DepositAddress{.address = address_of(account), .account = account, .created_ms = opened->second};
}

std::optional<Address> BridgeAddresses::owner_of(const Address& deposit_address) const {
  const std::lock_guard lock(mutex_);
  const auto owner = owners_.find(deposit_address);
  return owner == owners_.end() ? std::nullopt : std::optional(owner->second);
}

Address BridgeAddresses::address_of(const Address& account) const {
  return made_up_address("deposit address/" + chain_ + '/' + to_string(account));
}

bool BridgeAddresses::restore(const RecordChange& change) {
  if (change.table != RecordTable::bridge_addresses) return true;
  const auto key = from_archive<std::pair<Address, std::string>>(change.key);
  if (!key || !change.value) return false;  // never taken away
  if (key->second != chain_) return true;   // the network was bridged to another chain then
  const auto created_ms = from_archive<TimestampMs>(*change.value);
  if (!created_ms || !is_clock_time(*created_ms)) return false;
  const std::lock_guard lock(mutex_);
  opened_.insert_or_assign(key->first, *created_ms);
  owners_.insert_or_assign(address_of(key->first), key->first);
  return true;
}

}  // namespace svc::sim
