// Money on its way between accounts and the chain: withdrawals, bridge withdrawals, bridge deposits. One store
// for each kind, all alike.
//
// A movement is open until it is settled or failed. What confirms by the clock alone is not written down: an
// open withdrawal counts as settled from `final_ms` on. A deposit moves money then, so it stays open until that
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

// Kept as it stands here (base/archive.h).
struct ChainMovement {
  std::uint64_t number = 0;  // counts over the store, from 1
  Address account{};
  std::string chain{};
  std::string asset{};
  Usdx amount{};          // what the account pays or gets
  Usdx fee{};             // part of it that the chain keeps
  std::string address{};  // where it goes; of a deposit where it came to
  std::uint32_t required_confirmations = 0;
  std::int64_t block_ms = 0;
  TimestampMs created_ms = 0;
  TimestampMs final_ms = 0;  // when the last confirmation is there
  MovementFate fate = MovementFate::open;
  TimestampMs decided_ms = 0;  // when it was settled or failed; 0: open

  // 0 to required_confirmations.
  [[nodiscard]] std::uint32_t confirmations(TimestampMs now_ms) const;
  // When it last changed: a confirmation, or a decision.
  [[nodiscard]] TimestampMs updated_ms(TimestampMs now_ms) const;
};

enum class Finality : std::uint8_t {
  by_clock,     // of withdrawals: nothing is left to be done
  by_decision,  // of deposits: they have to be credited
};

enum class DecisionRefusal : std::uint8_t { unknown, final_already };

class ChainMovements {
 public:
  // Ids are the prefix and 16 hex digits: "wdl_0000000000000001".
  ChainMovements(RecordTable table, std::string_view id_prefix, Finality finality,
                 std::size_t kept_max = limits::chain_movements_kept_max);

  [[nodiscard]] std::string id_of(std::uint64_t number) const;
  // The number of an id of this store; nullopt for any other text.
  [[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view id) const;

  // What it is by now: open, settled or failed.
  [[nodiscard]] MovementFate fate(const ChainMovement& movement, TimestampMs now_ms) const;

  // Never given out before.
  [[nodiscard]] std::uint64_t take_number();
  // False while the account has as many open ones as are kept of it at all.
  [[nodiscard]] bool has_room(const Address& account, TimestampMs now_ms) const;

  // What the log is to keep of it; the caller sends it along with the command that moves the money, and calls
  // put() once that was accepted. Readers never see what may still be refused.
  [[nodiscard]] RecordChange row(const ChainMovement& movement) const;
  // What had to be forgotten for it is added to the records.
  void put(ChainMovement movement, TimestampMs now_ms, RecordBatch& records);

  [[nodiscard]] std::optional<ChainMovement> find(std::uint64_t number) const;
  // Newest first; at most `limit` of those that are wanted.
  [[nodiscard]] std::vector<ChainMovement> newest_of(const Address& account, std::size_t limit,
                                                     const std::function<bool(const ChainMovement&)>& wanted) const;

  // By hand. Both answer the movement as it stands then; the caller logs its row(), and takes the decision back
  // if that was refused. settle_now() brings the last confirmation forward to now.
  [[nodiscard]] Result<ChainMovement, DecisionRefusal> settle_now(std::uint64_t number, TimestampMs now_ms);
  [[nodiscard]] Result<ChainMovement, DecisionRefusal> fail(std::uint64_t number, TimestampMs now_ms);
  void take_back(const ChainMovement& decision, const ChainMovement& before);

  // The open movement that became final first, by now. From then on it cannot be decided by hand, until
  // decide() says what became of it.
  [[nodiscard]] std::optional<ChainMovement> claim_due(TimestampMs now_ms);
  void decide(const ChainMovement& decided);

  // A row as the log has it; those of other tables are passed over. False: it makes no sense.
  [[nodiscard]] bool restore(const RecordChange& change);

 private:
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

// The chain at the other end of the bridge, as a sandbox has one: its blocks come by the sandbox's clock, at
// every full block time, so that a jump of the clock confirms as much as waiting would. (D-290)

struct ChainTerms {
  std::string name;  // empty: that of the network, chain_of()
  std::uint64_t chain_id = 0;
  std::int64_t block_ms = 12'000;            // 1 to limits::chain_block_ms_max
  std::uint32_t deposit_confirmations = 12;  // 0: final at once; at most limits::chain_confirmations_max
  std::uint32_t withdrawal_confirmations = 12;
  Usdx min_deposit{usdx_one};
  Usdx min_withdrawal{usdx_one};
  Usdx withdrawal_fee{};  // below min_withdrawal; what the chain keeps of a bridge withdrawal
};

// The terms with the name and id of the chain that a network is bridged to.
[[nodiscard]] ChainTerms on_chain_of(api::NetworkId network, ChainTerms terms);

// When a transaction seen at `seen_ms` has that many blocks on it, and how many it has by `now_ms`.
[[nodiscard]] TimestampMs confirmed_ms(TimestampMs seen_ms, std::uint32_t confirmations, std::int64_t block_ms);
[[nodiscard]] std::int64_t blocks_since(TimestampMs seen_ms, TimestampMs now_ms, std::int64_t block_ms);

// 20 and 32 bytes that nobody chose: contracts, deposit addresses and transactions of a chain that exists in
// this process only. Equal texts give equal ones.
[[nodiscard]] Address made_up_address(std::string_view text);
[[nodiscard]] std::string made_up_hash(std::string_view text);

}  // namespace svc::sim
