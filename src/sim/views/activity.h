// What moved the money of an account, one row per cause. The amounts of all rows add up to the collateral:
// the cross balance and the isolated margins. (D-282)
#pragma once

#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/clock.h"
#include "base/fixed.h"
#include "sim/engine/ids.h"
#include "sim/engine/terms.h"

namespace svc::sim {

enum class ActivityCause : std::uint8_t {
  deposit,
  withdrawal,
  faucet,
  credit,
  fill,  // profit realized by it; 0 if it only opened
  fee,   // of a fill; a rebate is positive
  funding,
  transfer_in,
  transfer_out,
  bridge_deposit,
  bridge_withdrawal,
  liquidation_fee,
  adl,        // profit realized by a deleveraging
  insurance,  // received from the insurance fund
  operator_grant,
  withdrawal_reversal,
  settlement,  // profit realized by a delisting, and what winners gave up in it
};

// The record behind a row: by the number that it has among its kind. (D-706)
struct Reference {
  enum class Kind : std::uint8_t { nothing, fill, funds, withdrawal, bridge_withdrawal, transfer, adl_event };
  Kind kind = Kind::nothing;
  std::uint64_t number = 0;
};

struct Activity {
  std::uint64_t number = 0;  // of the account's rows, from 1
  ActivityCause cause = ActivityCause::deposit;
  std::optional<engine::MarketIndex> market{};
  Usdx amount{};  // signed, from the account's view
  Reference reference{};
  TimestampMs at_ms = 0;
};

[[nodiscard]] constexpr ActivityCause cause_of(engine::FundsKind kind) {
  switch (kind) {
    case engine::FundsKind::deposit: return ActivityCause::deposit;
    case engine::FundsKind::faucet: return ActivityCause::faucet;
    case engine::FundsKind::credit: return ActivityCause::credit;
    case engine::FundsKind::bridge_deposit: return ActivityCause::bridge_deposit;
    case engine::FundsKind::operator_grant: return ActivityCause::operator_grant;
    case engine::FundsKind::withdrawal: return ActivityCause::withdrawal;
    case engine::FundsKind::bridge_withdrawal: return ActivityCause::bridge_withdrawal;
    case engine::FundsKind::withdrawal_reversal: return ActivityCause::withdrawal_reversal;
  }
  SVC_ASSERT(false);
}

// True if money of this kind leaves the account.
[[nodiscard]] constexpr bool is_outflow(engine::FundsKind kind) {
  return kind == engine::FundsKind::withdrawal || kind == engine::FundsKind::bridge_withdrawal;
}

}  // namespace svc::sim
