// Ordinary transfers: the enrolled accounts, and the receipts of payments. Receipts are never forgotten: beyond
// limits::transfer_receipts_max new payments are refused. (API: transfers)
//
// Thread-safe: one lock, held for one look-up. The caller makes looking up and using a client_transfer_id atomic
// (AccountTurns).
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

// Stored in this form (base/archive.h).
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
  std::optional<std::uint64_t> next;  // continue before this number; empty on the last page
};

class TransferStore {
 public:
  explicit TransferStore(std::size_t receipts_max = limits::transfer_receipts_max,
                         std::size_t enrollments_max = limits::transfer_enrollments_max)
      : receipts_max_(receipts_max), enrollments_max_(enrollments_max) {}

  // When the account enrolled; nullopt if it has not.
  [[nodiscard]] std::optional<TimestampMs> enrolled_ms(const Address& account) const;
  // Enrolls the account and returns the time; an enrolled account keeps its time. nullopt: the limit is reached.
  std::optional<TimestampMs> enroll(const Address& account, TimestampMs now_ms, RecordBatch& records);
  // Undoes an enrolment that could not be logged.
  void forget_enrollment(const Address& account);

  // True if no more payments can be accepted.
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::uint64_t take_number();
  // The row for the log: logged with the payment, and put() once that was accepted.
  [[nodiscard]] static RecordChange row(const Transfer& transfer);
  void put(Transfer transfer);

  [[nodiscard]] std::optional<Transfer> find(std::uint64_t number) const;
  [[nodiscard]] std::optional<Transfer> find(const Address& sender, std::string_view client_transfer_id) const;
  // Transfers that the account sent or received, older than `before` if given.
  [[nodiscard]] TransferPage page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const;

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

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

// Serialises writes of an account that must look up and change atomically, such as two requests with one
// idempotency key. Accounts share a bounded number of locks, so two of them may wait for each other.
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
