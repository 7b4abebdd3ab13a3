// Money between accounts and the chain: withdrawals, bridge withdrawals, bridge deposits. One store for each.
//
// A movement is open until it is settled or failed. Confirmations follow from the clock and are not stored: an open
// withdrawal counts as settled from `final_ms` on. A deposit has to be credited then, so it stays open until that
// was decided.
//
// Bounded: beyond limits::chain_movements_kept_max of an account its oldest final one is forgotten, but no withdrawal
// whose idempotency key may still be repeated.
// Parts of ServicesState: changed by the single writer alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/network.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/result.h"

namespace svc::sim {

enum class MovementKind : std::uint8_t {
  withdrawal,         // to the wallet of the account, signed by it
  bridge_withdrawal,  // under an idempotency key
  bridge_deposit,     // has to be credited
};

enum class MovementFate : std::uint8_t { open, settled, failed };

// Which movement: its kind and its number among those, from 1.
struct MovementId {
  MovementKind kind = MovementKind::withdrawal;
  std::uint64_t number = 0;
};

// A prefix and 16 hex digits: "wdl_0000000000000001".
[[nodiscard]] std::string to_string(const MovementId& id);
// nullopt for any other text.
[[nodiscard]] std::optional<MovementId> parse_movement_id(std::string_view text);

struct ChainMovement {
  MovementId id{};
  Address account{};
  std::string chain{};
  std::string asset{};
  Usdx amount{};          // what the account pays or receives
  Usdx fee{};             // the part of it that the chain keeps
  std::string address{};  // the destination; for a deposit the deposit address
  std::uint32_t required_confirmations = 0;
  std::int64_t block_ms = 0;
  TimestampMs created_ms = 0;
  TimestampMs final_ms = 0;  // time of the last confirmation
  MovementFate decision = MovementFate::open;
  TimestampMs decided_ms = 0;  // when it was settled or failed; 0: open

  [[nodiscard]] MovementFate fate(TimestampMs now_ms) const;
  // 0 to required_confirmations.
  [[nodiscard]] std::uint32_t confirmations(TimestampMs now_ms) const;
  // Time of the last change: a confirmation or a decision.
  [[nodiscard]] TimestampMs updated_ms(TimestampMs now_ms) const;
};

class ChainMovements {
 public:
  explicit ChainMovements(MovementKind kind, std::size_t kept_max = limits::chain_movements_kept_max)
      : kind_(kind), kept_max_(kept_max) {}

  // False if the account has the number kept, and none of them may be forgotten.
  [[nodiscard]] bool has_room(const Address& account, TimestampMs now_ms) const;
  [[nodiscard]] std::uint64_t next_number() const { return last_number_ + 1; }
  // Gives it the next number. Beyond the number kept, one of the account is forgotten.
  const ChainMovement& add(ChainMovement movement, TimestampMs now_ms);

  [[nodiscard]] std::optional<ChainMovement> find(std::uint64_t number) const;
  // Newest first; at most `limit` of those that match.
  [[nodiscard]] std::vector<ChainMovement> newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const;

  // Requires that it exists.
  void decide(std::uint64_t number, MovementFate decision, TimestampMs at_ms);
  // Makes that the time of its last confirmation. Requires that it exists and is open.
  void confirm(std::uint64_t number, TimestampMs at_ms);

  // The undecided movement that is final first.
  [[nodiscard]] const ChainMovement* next_final() const {
    return open_.empty() ? nullptr : &by_number_.at(open_.begin()->second);
  }

  template <class Archive>
  void archive(Archive& archive) {
    archive(last_number_, by_number_);
    archive.check([&] { return index(); });
  }

 private:
  // False if a row is invalid.
  [[nodiscard]] bool index();
  void enter(const ChainMovement& movement);
  void erase(std::uint64_t number);
  // The oldest that may be forgotten.
  [[nodiscard]] std::optional<std::uint64_t> spare(const std::set<std::uint64_t>& numbers, TimestampMs now_ms) const;

  MovementKind kind_;
  std::size_t kept_max_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, ChainMovement> by_number_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
  std::set<std::pair<TimestampMs, std::uint64_t>> open_;  // the undecided ones, by final_ms
};

// The simulated chain at the other end of the bridge: a block at every full block time of the sandbox's clock, so
// that a jump of the clock confirms as much as waiting. (D-290)

struct ChainTerms {
  std::string name;  // empty: the default of the network
  std::uint64_t chain_id = 0;
  std::int64_t block_ms = 12'000;            // 1 to limits::chain_block_ms_max
  std::uint32_t deposit_confirmations = 12;  // 0: final at once; at most limits::chain_confirmations_max
  std::uint32_t withdrawal_confirmations = 12;
  Usdx min_deposit{usdx_one};
  Usdx min_withdrawal{usdx_one};
  Usdx withdrawal_fee{};  // below min_withdrawal; the chain's fee for a bridge withdrawal
};

// The terms with the name and id of the chain that the network is bridged to.
[[nodiscard]] ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms);

// A new movement of the account, without a number.
[[nodiscard]] ChainMovement movement_of(const ChainTerms& chain, MovementKind kind, const Address& account, Usdx amount,
                                        TimestampMs now_ms);

// When a transaction seen at `seen_ms` has that many confirmations, and how many it has by `now_ms`.
[[nodiscard]] TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms);
[[nodiscard]] std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms);

// An invented address: contracts and deposit addresses of a chain that exists only in this process. Equal texts give
// equal addresses.
[[nodiscard]] Address made_up_address(std::string_view text);

}  // namespace svc::sim
