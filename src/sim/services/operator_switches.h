// What an operator switched off, and whose money may not leave. Everything is on at the start, unless the
// deployment says otherwise; what was switched is kept and wins over that.
//
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/lock_order.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

// Each has an error of its own for what it refuses while it is off.
enum class Switchable : std::uint8_t {
  credits,              // POST /account/credit: credits_frozen
  transfers,            // /transfers: TRANSFERS_UNAVAILABLE
  bridge_withdrawals,   // bridge_withdrawals_unavailable
  bridge_chain,         // the step that sends a bridge withdrawal on: bridge_step_failed
  wallet_registration,  // wallet_registration_unavailable
};
inline constexpr std::array<std::string_view, 5> switchable_texts{"credits", "transfers", "bridge_withdrawals",
                                                                  "bridge_chain", "wallet_registration"};

[[nodiscard]] constexpr std::string_view to_string(Switchable service) {
  return switchable_texts[static_cast<std::size_t>(service)];
}
[[nodiscard]] std::optional<Switchable> parse_switchable(std::string_view text);

enum class Freeze : bool { lift, impose };

class OperatorSwitches {
 public:
  explicit OperatorSwitches(const std::vector<Switchable>& off);

  [[nodiscard]] bool is_on(Switchable service) const;
  void turn(Switchable service, bool on, RecordBatch& records);

  // Nothing is withdrawn or transferred from a frozen account; it trades on.
  [[nodiscard]] bool is_frozen(const Address& account) const;
  // False if as many are frozen as can be (limits::frozen_accounts_max).
  [[nodiscard]] bool set_frozen(const Address& account, Freeze freeze, RecordBatch& records);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
  mutable Ranked<LockRank::store> mutex_;
  std::array<bool, switchable_texts.size()> on_{};
  std::set<Address> frozen_;
};

}  // namespace svc::sim
