// Ordinary transfers: the enrolled accounts, and the receipts of payments. Receipts are never forgotten: beyond
// limits::transfer_receipts_max new payments are refused. (API: transfers)
//
// Part of ServicesState: changed by the single writer alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"

namespace svc::sim {

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
  [[nodiscard]] std::optional<TimestampMs> enroll(const Address& account, TimestampMs now_ms);

  // True if no more payments can be accepted.
  [[nodiscard]] bool is_full() const { return by_number_.size() >= receipts_max_; }
  [[nodiscard]] std::uint64_t next_number() const { return by_number_.empty() ? 1 : by_number_.rbegin()->first + 1; }
  void put(const Transfer& transfer);

  [[nodiscard]] std::optional<Transfer> find(std::uint64_t number) const;
  [[nodiscard]] std::optional<Transfer> find(const Address& sender, std::string_view client_transfer_id) const;
  // Transfers that the account sent or received, older than `before` if given.
  [[nodiscard]] TransferPage page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const;

  template <class Archive>
  void archive(Archive& archive) {
    archive(enrolled_, by_number_);
    archive.check([&] { return index(); });
  }

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void enter(const Transfer& transfer);

  std::size_t receipts_max_;
  std::size_t enrollments_max_;
  std::map<Address, TimestampMs> enrolled_;
  std::map<std::uint64_t, Transfer> by_number_;
  std::map<std::pair<Address, std::string>, std::uint64_t> by_client_id_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
};

}  // namespace svc::sim
