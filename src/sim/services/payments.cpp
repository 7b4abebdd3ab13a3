#include "sim/services/payments.h"

namespace svc::sim {

Result<Credit, api::ApiError> CreditLedger::offer(const Address& account, std::optional<Usdx> amount,
                                                  TimestampMs now_ms) const {
  SVC_ASSERT(!amount || *amount > Usdx{});
  const Usdx taken = now_ms / day_ms > day_ ? Usdx{} : value_in(taken_, account).value_or(Usdx{});
  const Usdx left = limits::credit_daily_limit - taken;
  const Usdx wanted = amount.value_or(left);
  if (left == Usdx{} || wanted > left)
    return unexpected(api::ApiError(api::ErrorCode::daily_limit_exceeded)
                          .with("credited_today", format_usdx(taken))
                          .with("daily_limit", format_usdx(limits::credit_daily_limit)));
  return Credit{.amount = wanted, .credited_today = taken + wanted, .daily_limit = limits::credit_daily_limit};
}

bool CreditLedger::is_valid() const {
  return are_sound(day_, taken_) && day_ <= limits::clock_ms_max / day_ms &&
         std::ranges::all_of(taken_, [](const auto& entry) { return entry.second <= limits::credit_daily_limit; });
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
    if (number == 0 || transfer.number != number) return false;
    enter(transfer);
  }
  return are_sound(enrolled_, by_number_);
}

}  // namespace svc::sim
