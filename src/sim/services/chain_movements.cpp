#include "sim/services/chain_movements.h"

#include <algorithm>
#include <charconv>

#include "base/archive.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "signing/hash.h"

namespace svc::sim {
namespace {

constexpr std::size_t id_digits = 16;

bool is_valid(const ChainMovement& movement) {
  const bool times =
      is_clock_time(movement.created_ms) && is_clock_time(movement.final_ms) && is_clock_time(movement.decided_ms);
  const bool texts = is_utf8(movement.chain) && is_utf8(movement.asset) && is_utf8(movement.address);
  return movement.number != 0 && movement.number <= limits::counter_max && movement.amount > Usdx{} &&
         is_sum(movement.amount) && is_sum(movement.fee) && movement.block_ms >= 1 &&
         movement.block_ms <= limits::chain_block_ms_max &&
         movement.required_confirmations <= limits::chain_confirmations_max && times && texts;
}

}  // namespace

std::uint32_t ChainMovement::confirmations(TimestampMs now_ms) const {
  const TimestampMs until_ms = fate == MovementFate::open ? now_ms : decided_ms;
  if (fate == MovementFate::settled || until_ms >= final_ms) return required_confirmations;
  // The last confirmation comes exactly when it is final.
  const std::int64_t blocks = blocks_since(created_ms, until_ms, block_ms);
  const std::int64_t most = std::max<std::int64_t>(0, std::int64_t{required_confirmations} - 1);
  return static_cast<std::uint32_t>(std::min(blocks, most));
}

TimestampMs ChainMovement::updated_ms(TimestampMs now_ms) const {
  if (fate != MovementFate::open) return decided_ms;
  if (now_ms >= final_ms) return final_ms;
  return confirmed_ms(created_ms, confirmations(now_ms), block_ms);
}

ChainMovements::ChainMovements(RecordTable table, std::string_view id_prefix, Finality finality, std::size_t kept_max)
    : table_(table), prefix_(id_prefix), finality_(finality), kept_max_(kept_max) {}

MovementFate ChainMovements::fate(const ChainMovement& movement, TimestampMs now_ms) const {
  const bool by_clock = finality_ == Finality::by_clock && now_ms >= movement.final_ms;
  return movement.fate == MovementFate::open && by_clock ? MovementFate::settled : movement.fate;
}

std::string ChainMovements::id_of(std::uint64_t number) const {
  std::string digits(id_digits, '0');
  for (std::size_t i = id_digits; number != 0; number >>= 4) digits[--i] = "0123456789abcdef"[number & 15];
  return prefix_ + digits;
}

std::optional<std::uint64_t> ChainMovements::number_of(std::string_view id) const {
  if (!id.starts_with(prefix_)) return std::nullopt;
  id.remove_prefix(prefix_.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number, 16);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  // One spelling only.
  return id_of(number).ends_with(id) && id.size() == id_digits ? std::optional(number) : std::nullopt;
}

std::uint64_t ChainMovements::take_number() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

bool ChainMovements::has_room(const Address& account, TimestampMs now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto own = by_account_.find(account);
  return own == by_account_.end() || own->second.size() < kept_max_ || oldest_final(own->second, now_ms).has_value();
}

RecordChange ChainMovements::row(const ChainMovement& movement) const {
  return {.table = table_, .key = to_archive(movement.number), .value = to_archive(movement)};
}

void ChainMovements::put(ChainMovement movement, TimestampMs now_ms, RecordBatch& records) {
  const std::lock_guard lock(mutex_);
  const Address account = movement.account;
  insert(std::move(movement));
  const std::set<std::uint64_t>& own = by_account_[account];
  if (own.size() <= kept_max_) return;
  const auto gone = oldest_final(own, now_ms);
  if (!gone) return;
  erase(*gone);
  records.push_back({.table = table_, .key = to_archive(*gone), .value = {}});
}

std::optional<ChainMovement> ChainMovements::find(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ChainMovement> ChainMovements::newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const {
  std::vector<ChainMovement> found;
  const std::lock_guard lock(mutex_);
  const auto own = by_account_.find(account);
  if (own == by_account_.end()) return found;
  for (auto number = own->second.rbegin(); number != own->second.rend() && found.size() < limit; ++number) {
    const ChainMovement& movement = by_number_.at(*number);
    if (wanted(movement)) found.push_back(movement);
  }
  return found;
}

template <class Change>
Result<ChainMovement, DecisionRefusal> ChainMovements::change_open(std::uint64_t number, TimestampMs now_ms,
                                                                   Change change) {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return unexpected(DecisionRefusal::unknown);
  if (fate(found->second, now_ms) != MovementFate::open || claimed_ == number)
    return unexpected(DecisionRefusal::final_already);
  ChainMovement movement = found->second;
  change(movement);
  insert(movement);
  return movement;
}

Result<ChainMovement, DecisionRefusal> ChainMovements::settle_now(std::uint64_t number, TimestampMs now_ms) {
  return change_open(number, now_ms, [&](ChainMovement& movement) { movement.final_ms = now_ms; });
}

Result<ChainMovement, DecisionRefusal> ChainMovements::fail(std::uint64_t number, TimestampMs now_ms) {
  return change_open(number, now_ms, [&](ChainMovement& movement) {
    movement.fate = MovementFate::failed;
    movement.decided_ms = now_ms;
  });
}

void ChainMovements::take_back(const ChainMovement& decision, const ChainMovement& before) {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(before.number);
  // A deposit credited in the meantime stays credited.
  if (found == by_number_.end() || found->second.fate != decision.fate || claimed_ == before.number) return;
  insert(before);
}

std::optional<ChainMovement> ChainMovements::claim_due(TimestampMs now_ms) {
  const std::lock_guard lock(mutex_);
  claimed_.reset();
  if (open_.empty() || open_.begin()->first > now_ms) return std::nullopt;
  claimed_ = open_.begin()->second;
  return by_number_.at(*claimed_);
}

void ChainMovements::decide(const ChainMovement& decided) {
  const std::lock_guard lock(mutex_);
  SVC_ASSERT(claimed_ == decided.number && decided.fate != MovementFate::open);
  claimed_.reset();
  insert(decided);
}

bool ChainMovements::restore(const RecordChange& change) {
  if (change.table != table_) return true;
  const auto number = from_archive<std::uint64_t>(change.key);
  if (!number) return false;
  const std::lock_guard lock(mutex_);
  if (!change.value) {
    erase(*number);
    return true;
  }
  auto movement = from_archive<ChainMovement>(*change.value);
  if (!movement || movement->number != *number || !is_valid(*movement)) return false;
  insert(std::move(*movement));
  return true;
}

void ChainMovements::insert(ChainMovement movement) {
  const std::uint64_t number = movement.number;
  last_number_ = std::max(last_number_, number);
  if (const auto known = by_number_.find(number); known != by_number_.end())
    open_.erase({known->second.final_ms, number});
  if (movement.fate == MovementFate::open) open_.insert({movement.final_ms, number});
  by_account_[movement.account].insert(number);
  by_number_.insert_or_assign(number, std::move(movement));
}

void ChainMovements::erase(std::uint64_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return;
  open_.erase({found->second.final_ms, number});
  by_account_[found->second.account].erase(number);
  by_number_.erase(found);
}

std::optional<std::uint64_t> ChainMovements::oldest_final(const std::set<std::uint64_t>& numbers,
                                                          TimestampMs now_ms) const {
  for (const std::uint64_t number : numbers)
    if (fate(by_number_.at(number), now_ms) != MovementFate::open) return number;
  return std::nullopt;
}

ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms) {
  SVC_ASSERT(terms.block_ms >= 1 && terms.block_ms <= limits::chain_block_ms_max);
  SVC_ASSERT(std::max(terms.deposit_confirmations, terms.withdrawal_confirmations) <= limits::chain_confirmations_max);
  SVC_ASSERT(terms.withdrawal_fee >= Usdx{} && terms.withdrawal_fee < terms.min_withdrawal);
  if (!terms.name.empty()) return terms;
  const auto [name, id] = [&]() -> std::pair<const char*, std::uint64_t> {
    switch (network) {
      case api::NetworkId::mainnet: return {"ethereum", 1};
      case api::NetworkId::testnet: return {"sepolia", 11'155'111};
      case api::NetworkId::local: return {"devchain", 31'337};
    }
    SVC_ASSERT(false);
  }();
  terms.name = name;
  terms.chain_id = id;
  return terms;
}

TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms) {
  return confirmations == 0 ? seen_ms : (seen_ms / block_ms + confirmations) * block_ms;
}

std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms) {
  return std::max<std::int64_t>(0, now_ms / block_ms - seen_ms / block_ms);
}

Address made_up_address(std::string_view text) {
  const signing::Hash32 hash = signing::keccak256(text);
  Address address;
  std::copy(hash.end() - static_cast<std::ptrdiff_t>(address.bytes.size()), hash.end(), address.bytes.begin());
  return address;
}

}  // namespace svc::sim
