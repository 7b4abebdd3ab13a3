// The address on the chain at which an account is paid, and since when it was asked for. The chain is the
// sandbox's own, so its addresses are made up from the account and nobody holds their keys.
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

struct DepositAddress {
  Address address{};
  Address account{};
  TimestampMs created_ms = 0;
};

class BridgeAddresses {
 public:
  explicit BridgeAddresses(std::string_view chain) : chain_(chain) {}

  // The first call for an account creates it, later ones answer the same.
  DepositAddress open(const Address& account, TimestampMs now_ms, RecordBatch& records);
  [[nodiscard]] std::optional<DepositAddress> of(const Address& account) const;
  // Whose it is, once it was opened.
  [[nodiscard]] std::optional<Address> owner_of(const Address& deposit_address) const;
  // What it is, opened or not.
  [[nodiscard]] Address address_of(const Address& account) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  const std::string chain_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, TimestampMs> opened_;  // by account
  std::map<Address, Address> owners_;      // by deposit address
};

}  // namespace svc::sim
