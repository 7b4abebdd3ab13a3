// Ordinary transfers: which accounts take part, and the receipts of what was paid. Receipts are never
// forgotten: beyond limits::transfer_receipts_max new payments are refused. (API: transfers)
//
// Thread-safe: one lock, held for one look-up. That a client_transfer_id is looked up and used in one go is the
// caller's to see to (AccountTurns).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/fibers.h"
#include "base/limits.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

// Kept as it stands here (base/archive.h).
struct Transfer {
  std::uint64_t number = 0;  // from 1
  std::string client_transfer_id{};
  Address sender{};
  Address recipient{};
  Usdx amount{};
  TimestampMs committed_ms = 0;
};

struct TransferPage {
  std::vector<Transfer> rows;         // newest first
  std::optional<std::uint64_t> next;  // read on before this number; empty on the last page
};

class TransferStore {
 public:
  explicit TransferStore(std::size_t receipts_max = limits::transfer_receipts_max,
                         std::size_t enrollments_max = limits::transfer_enrollments_max)
      : receipts_max_(receipts_max), enrollments_max_(enrollments_max) {}

  // Since when the account takes part; nullopt if it does not.
  [[nodiscard]] std::optional<TimestampMs> enrolled_ms(const Address& account) const;
  // As above, afterwards; an account that takes part already keeps its time. nullopt: no more can.
  std::optional<TimestampMs> enroll(const Address& account, TimestampMs now_ms, RecordBatch& records);
  // An enrolment whose record was not kept never was.
  void forget_enrollment(const Address& account);

  // True if no payment can be taken any more.
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::uint64_t take_number();
  // What the log is to keep of it: sent along with the payment, and put() once that was accepted.
  [[nodiscard]] static RecordChange row(const Transfer& transfer);
  void put(Transfer transfer);

  [[nodiscard]] std::optional<Transfer> find(std::uint64_t number) const;
  [[nodiscard]] std::optional<Transfer> find(const Address& sender, std::string_view client_transfer_id) const;
  // Of those the account sent or received, older than `before` if given.
  [[nodiscard]] TransferPage page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const;

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  const std::size_t receipts_max_;
  const std::size_t enrollments_max_;
  mutable Ranked<LockRank::store> mutex_;
  std::map<Address, TimestampMs> enrolled_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Transfer> by_number_;
  std::map<std::pair<Address, std::string>, std::uint64_t> by_client_id_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
};

// One write of an account at a time, where looking and writing must not be torn apart: two requests with one
// idempotency key, say. Accounts share a bounded number of locks, so two of them may wait for each other.
//
// Taken before the sequencer's turn, never within it.

class AccountTurns {
 public:
  [[nodiscard]] std::unique_lock<Gate> take(const Address& account) {
    return std::unique_lock(locks_[std::hash<Address>{}(account) % locks_.size()]);
  }

 private:
  std::array<Gate, 64> locks_;
};

}  // namespace svc::sim
