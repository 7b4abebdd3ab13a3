// Money between accounts and the chain: withdrawals, bridge withdrawals, bridge deposits. One store of this type
// for each.
//
// A movement is open until it is settled or failed. Confirmations follow from the clock and are not stored: an open
// withdrawal counts as settled from `final_ms` on. A deposit has to be credited then, so it stays open until that
// was decided.
//
// Bounded: beyond limits::chain_movements_kept_max of an account its oldest final one is forgotten.
// Thread-safe: one lock, held for one look-up.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
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
#include "base/lock_order.h"
#include "base/result.h"
#include "sim/sequencer/record.h"

namespace svc::sim {

enum class MovementFate : std::uint8_t { open, settled, failed };

// Stored in this form (base/archive.h).
struct ChainMovement {
  std::uint64_t number = 0;  // counts over the store, from 1
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
  MovementFate fate = MovementFate::open;
  TimestampMs decided_ms = 0;  // when it was settled or failed; 0: open

  // 0 to required_confirmations.
  [[nodiscard]] std::uint32_t confirmations(TimestampMs now_ms) const;
  // Time of the last change: a confirmation or a decision.
  [[nodiscard]] TimestampMs updated_ms(TimestampMs now_ms) const;
};

enum class Finality : std::uint8_t {
  by_clock,     // withdrawals: nothing is left to be done
  by_decision,  // deposits: they have to be credited
};

enum class DecisionRefusal : std::uint8_t { unknown, final_already };

class ChainMovements {
 public:
  // Ids are the prefix and 16 hex digits: "wdl_0000000000000001".
  ChainMovements(RecordTable table, std::string_view id_prefix, Finality finality,
                 std::size_t kept_max = limits::chain_movements_kept_max);

  [[nodiscard]] std::string id_of(std::uint64_t number) const;
  // The number in an id of this store; nullopt for any other text.
  [[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view id) const;

  [[nodiscard]] MovementFate fate(const ChainMovement& movement, TimestampMs now_ms) const;

  [[nodiscard]] std::uint64_t take_number();
  // False if the account's open movements alone reach the number kept.
  [[nodiscard]] bool has_room(const Address& account, TimestampMs now_ms) const;

  // The row for the log; the caller logs it with the command that moves the money, and calls put() once that was
  // accepted. Readers never see a movement that may still be refused.
  [[nodiscard]] RecordChange row(const ChainMovement& movement) const;
  // Changes for movements that had to be forgotten are added to the records.
  void put(ChainMovement movement, TimestampMs now_ms, RecordBatch& records);

  [[nodiscard]] std::optional<ChainMovement> find(std::uint64_t number) const;
  // Newest first; at most `limit` of those that match.
  [[nodiscard]] std::vector<ChainMovement> newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const;

  // Decisions by hand. Both return the changed movement; the caller logs its row(), and undoes the decision if that
  // was refused. settle_now() makes now the time of the last confirmation.
  [[nodiscard]] Result<ChainMovement, DecisionRefusal> settle_now(std::uint64_t number, TimestampMs now_ms);
  [[nodiscard]] Result<ChainMovement, DecisionRefusal> fail(std::uint64_t number, TimestampMs now_ms);
  void take_back(const ChainMovement& decision, const ChainMovement& before);

  // The earliest final movement that is still open by now. From then on it cannot be decided by hand, until
  // decide() stores the result.
  [[nodiscard]] std::optional<ChainMovement> claim_due(TimestampMs now_ms);
  void decide(const ChainMovement& decided);

  [[nodiscard]] bool restore(const RecordChange& change);  // a row of the log; false if it is invalid

 private:
  // Changes an open movement by hand.
  template <class Change>
  [[nodiscard]] Result<ChainMovement, DecisionRefusal> change_open(std::uint64_t number, TimestampMs now_ms,
                                                                   Change change);
  void insert(ChainMovement movement);
  void erase(std::uint64_t number);
  [[nodiscard]] std::optional<std::uint64_t> oldest_final(const std::set<std::uint64_t>& numbers,
                                                          TimestampMs now_ms) const;

  const RecordTable table_;
  const std::string prefix_;
  const Finality finality_;
  const std::size_t kept_max_;
  mutable Ranked<LockRank::store> mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, ChainMovement> by_number_;
  std::map<Address, std::set<std::uint64_t>> by_account_;
  std::set<std::pair<TimestampMs, std::uint64_t>> open_;  // by final_ms
  std::optional<std::uint64_t> claimed_;
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

// When a transaction seen at `seen_ms` has that many confirmations, and how many it has by `now_ms`.
[[nodiscard]] TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms);
[[nodiscard]] std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms);

// An invented address: contracts and deposit addresses of a chain that exists only in this process. Equal texts give
// equal addresses.
[[nodiscard]] Address made_up_address(std::string_view text);

}  // namespace svc::sim
