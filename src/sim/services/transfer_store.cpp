#include "sim/services/transfer_store.h"

#include <algorithm>

#include "base/archive.h"
#include "base/encoding.h"

namespace svc::sim {

std::optional<TimestampMs> TransferStore::enrolled_ms(const Address& account) const {
  const std::lock_guard lock(mutex_);
  const auto enrolled = enrolled_.find(account);
  return enrolled == enrolled_.end() ? std::nullopt : std::optional(enrolled->second);
}

std::optional<TimestampMs> TransferStore::enroll(const Address& account, TimestampMs now_ms, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  if (const auto known = enrolled_.find(account); known != enrolled_.end()) return known->second;
  if (enrolled_.size() >= enrollments_max_) return std::nullopt;
  enrolled_.emplace(account, now_ms);
  records.push_back(
      {.table = RecordTable::transfer_enrollments, .key = to_archive(account), .value = to_archive(now_ms)});
  return now_ms;
}

void TransferStore::forget_enrollment(const Address& account) {
  const std::lock_guard lock(mutex_);
  enrolled_.erase(account);
}

bool TransferStore::is_full() const {
  const std::lock_guard lock(mutex_);
  return by_number_.size() >= receipts_max_;
}

std::uint64_t TransferStore::take_number() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

RecordChange TransferStore::row(const Transfer& transfer) {
  return {.table = RecordTable::transfers, .key = to_archive(transfer.number), .value = to_archive(transfer)};
}

void TransferStore::put(Transfer transfer) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = transfer.number;
  last_number_ = std::max(last_number_, number);
  by_client_id_.insert_or_assign({transfer.sender, transfer.client_transfer_id}, number);
  by_account_[transfer.sender].insert(number);
  by_account_[transfer.recipient].insert(number);
  by_number_.insert_or_assign(number, std::move(transfer));
}

std::optional<Transfer> TransferStore::find(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Transfer> TransferStore::find(const Address& sender, std::string_view client_transfer_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_client_id_.find({sender, std::string(client_transfer_id)});
  return found == by_client_id_.end() ? std::nullopt : std::optional(by_number_.at(found->second));
}

TransferPage TransferStore::page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const {
  TransferPage page;
  const std::lock_guard lock(mutex_);
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return page;
  auto number = before ? own->second.lower_bound(*before) : own->second.end();
  while (number != own->second.begin() && page.rows.size() < limit) page.rows.push_back(by_number_.at(*--number));
  if (number != own->second.begin()) page.next = *number;
  return page;
}

bool TransferStore::restore(const RecordChange& change) {
  if (change.table != RecordTable::transfers && change.table != RecordTable::transfer_enrollments) return true;
  if (!change.value) return false;  // neither kind is ever removed
  if (change.table == RecordTable::transfers) {
    auto transfer = from_archive<Transfer>(*change.value);
    if (!transfer || change.key != to_archive(transfer->number) || transfer->number == 0 ||
        transfer->number > limits::counter_max || !is_utf8(transfer->client_transfer_id) || !is_sum(transfer->amount) ||
        !is_clock_time(transfer->committed_ms))
      return false;
    put(std::move(*transfer));
    return true;
  }
  const auto account = from_archive<Address>(change.key);
  const auto enrolled_ms = from_archive<TimestampMs>(*change.value);
  if (!account || !enrolled_ms || !is_clock_time(*enrolled_ms)) return false;
  const std::lock_guard lock(mutex_);
  enrolled_.insert_or_assign(*account, *enrolled_ms);
  return true;
}

}  // namespace svc::sim
