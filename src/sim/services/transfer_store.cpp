#include "sim/services/transfer_store.h"

#include <algorithm>

#include "base/archive.h"
#include "base/encoding.h"

namespace svc::sim {

std::optional<TimestampMs> TransferStore::enrolled_ms(const Address& account) const {
  const auto enrolled = enrolled_.find(account);
  return enrolled == enrolled_.end() ? std::nullopt : std::optional(enrolled->second);
}

std::optional<TimestampMs> TransferStore::enroll(const Address& account, TimestampMs now_ms) {
  if (const auto known = enrolled_.find(account); known != enrolled_.end()) return known->second;
  if (enrolled_.size() >= enrollments_max_) return std::nullopt;
  enrolled_.emplace(account, now_ms);
  return now_ms;
}

void TransferStore::put(const Transfer& transfer) {
  by_number_.insert_or_assign(transfer.number, transfer);
  enter(transfer);
}

void TransferStore::enter(const Transfer& transfer) {
  by_client_id_.insert_or_assign({transfer.sender, transfer.client_transfer_id}, transfer.number);
  by_account_[transfer.sender].insert(transfer.number);
  by_account_[transfer.recipient].insert(transfer.number);
}

std::optional<Transfer> TransferStore::find(std::uint64_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Transfer> TransferStore::find(const Address& sender, std::string_view client_transfer_id) const {
  const auto found = by_client_id_.find({sender, std::string(client_transfer_id)});
  return found == by_client_id_.end() ? std::nullopt : std::optional(by_number_.at(found->second));
}

TransferPage TransferStore::page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const {
  TransferPage page;
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return page;
  auto number = before ? own->second.lower_bound(*before) : own->second.end();
  while (number != own->second.begin() && page.rows.size() < limit) page.rows.push_back(by_number_.at(*--number));
  if (number != own->second.begin()) page.next = *number;
  return page;
}

bool TransferStore::index() {
  by_client_id_.clear();
  by_account_.clear();
  for (const auto& [number, transfer] : by_number_) {
    if (number == 0 || number > limits::counter_max || transfer.number != number ||
        !is_utf8(transfer.client_transfer_id) || !is_sum(transfer.amount) || !is_clock_time(transfer.committed_ms))
      return false;
    enter(transfer);
  }
  return std::ranges::all_of(enrolled_, [](const auto& entry) { return is_clock_time(entry.second); });
}

}  // namespace svc::sim
