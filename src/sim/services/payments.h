// Money that comes in without a chain, and goes from account to account: claims of the faucet, synthetic credit,
// transfers.
//
// The ledgers are parts of ServicesState: changed by the single writer alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "base/address.h"
#include "base/archive.h"
#include "base/result.h"

namespace svc::limits {
inline constexpr Usdx faucet_amount{1'000 * usdx_one};          // of one claim
inline constexpr std::int64_t faucet_cooldown_ms = day_ms;      // from one claim to the next
inline constexpr Usdx faucet_lifetime_cap{100'000 * usdx_one};  // of all claims of an account
inline constexpr Usdx credit_daily_limit{500 * usdx_one};
}  // namespace svc::limits

namespace svc::sim {

struct FaucetClaim {
  Usdx amount{};
  TimestampMs available_at_ms = 0;  // when the account may claim again
};

// Faucet claims: one per account in 24 hours, up to a lifetime total. (API: faucet; D-240)
class FaucetLedger {
 public:
  // What the account may claim now, or when the cooldown ends; nullopt: the lifetime total is used up.
  [[nodiscard]] Result<FaucetClaim, std::optional<TimestampMs>> offer(const Address& account,
                                                                      TimestampMs now_ms) const {
    const History history = value_in(history_, account).value_or(History{});
    if (history.total + limits::faucet_amount > limits::faucet_lifetime_cap) return unexpected(std::nullopt);
    if (now_ms < history.available_at_ms) return unexpected(history.available_at_ms);
    return FaucetClaim{.amount = limits::faucet_amount, .available_at_ms = now_ms + limits::faucet_cooldown_ms};
  }
  // The offer was credited.
  void note(const Address& account, const FaucetClaim& claim) {
    History& history = history_[account];
    history.total += claim.amount;
    history.available_at_ms = claim.available_at_ms;
  }

  SVC_KEEPS_IF(are_sound(history_), history_);

 private:
  struct History {
    Usdx total{};
    TimestampMs available_at_ms = 0;
  };

  std::map<Address, History> history_;
};

struct Credit {
  Usdx amount{};          // of this claim
  Usdx credited_today{};  // this claim included
  Usdx daily_limit{};
};

// The synthetic credit that each account took today, through any of its keys: an allowance per account and UTC day.
// (API: POST /account/credit, D-241)
class CreditLedger {
 public:
  // What the account may claim; without an amount it is all that is left. The amount, if given, is positive. Refused
  // if nothing is left, or less than requested.
  [[nodiscard]] Result<Credit, api::ApiError> offer(const Address& account, std::optional<Usdx> amount,
                                                    TimestampMs now_ms) const;
  // The offer was credited.
  void note(const Address& account, const Credit& credit, TimestampMs now_ms) {
    if (const std::int64_t today = now_ms / day_ms; today > day_) {
      day_ = today;
      taken_.clear();
    }
    taken_.insert_or_assign(account, credit.credited_today);
  }

  SVC_KEEPS_IF(is_valid(), day_, taken_);

 private:
  [[nodiscard]] bool is_valid() const;

  std::int64_t day_ = 0;  // the day of `taken_`, in UTC days since 1970
  std::map<Address, Usdx> taken_;
};

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

// Ordinary transfers: the enrolled accounts, and the receipts of payments. Receipts are never forgotten: beyond
// limits::transfer_receipts_max new payments are refused. (API: transfers)
class TransferStore {
 public:
  explicit TransferStore(std::size_t receipts_max = limits::transfer_receipts_max) : receipts_max_(receipts_max) {}

  // When the account enrolled; nullopt if it has not.
  [[nodiscard]] std::optional<TimestampMs> enrolled_ms(const Address& account) const {
    return value_in(enrolled_, account);
  }
  [[nodiscard]] std::size_t enrolled() const { return enrolled_.size(); }
  // Enrolls the account and returns the time; an enrolled account keeps its time.
  [[nodiscard]] TimestampMs enroll(const Address& account, TimestampMs now_ms) {
    return enrolled_.try_emplace(account, now_ms).first->second;
  }

  // True if no more payments can be accepted.
  [[nodiscard]] bool is_full() const { return by_number_.size() >= receipts_max_; }
  [[nodiscard]] std::uint64_t next_number() const { return by_number_.empty() ? 1 : by_number_.rbegin()->first + 1; }
  void put(const Transfer& transfer) {
    by_number_.insert_or_assign(transfer.number, transfer);
    enter(transfer);
  }

  [[nodiscard]] std::optional<Transfer> find(std::uint64_t number) const { return value_in(by_number_, number); }
  [[nodiscard]] std::optional<Transfer> find(const Address& sender, std::string_view client_transfer_id) const {
    const auto found = by_client_id_.find({sender, std::string(client_transfer_id)});
    return found == by_client_id_.end() ? std::nullopt : std::optional(by_number_.at(found->second));
  }
  // Transfers that the account sent or received, older than `before` if given.
  [[nodiscard]] TransferPage page(const Address& account, std::optional<std::uint64_t> before, std::size_t limit) const;

  SVC_KEEPS_IF(index(), enrolled_, by_number_);

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void enter(const Transfer& transfer) {
    by_client_id_.insert_or_assign({transfer.sender, transfer.client_transfer_id}, transfer.number);
    by_account_[transfer.sender].insert(transfer.number);
    by_account_[transfer.recipient].insert(transfer.number);
  }

  std::size_t receipts_max_;
  std::map<Address, TimestampMs> enrolled_;
  std::map<std::uint64_t, Transfer> by_number_;
  std::map<std::pair<Address, std::string>, std::uint64_t> by_client_id_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
};

}  // namespace svc::sim
