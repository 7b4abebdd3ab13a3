// The exchange as a pure function: a command goes in, events come out, and both determine the state.
//
// No clock, no randomness, no I/O: the same commands give the same events and the same state hash on every
// platform. Commands are applied one at a time; one command is one atomic step, including the liquidations and
// triggers that follow from it. Not thread-safe; owned by the sequencer. The const queries read the state between
// commands.
#pragma once

#include <memory>

#include "sim/engine/commands.h"
#include "sim/engine/events.h"
#include "sim/engine/ids.h"
#include "sim/engine/market_spec.h"
#include "sim/engine/position.h"
#include "sim/engine/terms.h"

namespace svc::engine {

struct EngineConfig {
  std::vector<MarketSpec> markets = standard_markets();  // each must pass check_listing
  Usdx insurance_seed{};                                 // counts as a deposit
  std::uint32_t open_orders_max = 0;                     // resting and untriggered, per account; 0: no limit
};

// Money of one account (rules 5.3 and 5.4), all at mark.
struct AccountFigures {
  Usdx balance{};     // cross balance
  Usdx collateral{};  // balance plus isolated margins
  Usdx equity{};      // collateral plus unrealized PnL
  Usdx unrealized_pnl{};
  Usdx initial_margin{};      // of all positions
  Usdx maintenance_margin{};  // of all positions
  Usdx order_margin{};        // reserved by resting orders
  Usdx available{};           // free cross margin; may be negative
  Usdx withdrawable{};        // max(0, available)
  bool in_liquidation = false;
  std::uint32_t open_positions = 0;
  std::uint32_t open_orders = 0;  // untriggered conditionals included
};

// An open position and its totals, at mark.
struct PositionRow : PositionChanged {
  std::int64_t leverage = 0;
  Ticks mark{};
  Usdx notional{};
  Usdx unrealized_pnl{};
  Usdx initial_margin{};
  Usdx maintenance_margin{};
  Usdx order_margin{};
  std::optional<Ticks> liquidation_price{};  // last healthy tick; none if no price above 0 liquidates
};

struct MarketFigures {
  MarketStatus status = MarketStatus::active;
  HaltReason halt_reason = HaltReason::none;
  TimestampMs halted_ms = 0;
  bool oracle_stale = false;
  PriceMode price_mode = PriceMode::median;
  std::optional<Ticks> index{};
  std::optional<Ticks> mark{};
  std::optional<Ticks> best_bid{};
  std::optional<Ticks> best_ask{};
  Lots open_interest{};
  std::uint64_t trade_count = 0;
  i128 volume_total = 0;  // 1e-6 USDX
  std::uint64_t adl_event_count = 0;
  std::uint64_t book_nonce = 0;
  Ppb funding_rate{};  // the rate of a settlement at this instant (rule 8.2)
};

struct BookLevel {
  Ticks price{};
  Lots quantity{};
  std::uint32_t orders = 0;
};

struct VenueFigures {
  Usdx insurance_fund{};
  Usdx fee_treasury{};
  Usdx net_deposits{};
  std::uint32_t accounts = 0;
  std::uint64_t open_orders = 0;
};

// What would become of an order (rule 3.15). A preview that is refused is still a successful answer.
struct Preview {
  Reject reject = Reject::none;
  Usdx required_initial_margin{};
  Usdx equity{};  // projected, of the bucket's account
  std::optional<Ticks> liquidation_price{};
  Usdx projected_notional{};  // projected leverage is projected_notional / equity
  Usdx fill_quote{};          // expected VWAP is fill_quote / fill_lots, walking the whole book
  Lots fill_lots{};
  Usdx fees{};
};

struct State;

class Engine {
 public:
  // Asserts that every market passes check_listing.
  explicit Engine(EngineConfig config);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // One atomic step. The outcome is valid until the next call. Time never runs backwards: a command older than its
  // predecessor is applied at the predecessor's time.
  const Outcome& apply(const Command& command, EventLog& log);

  // Markets
  [[nodiscard]] std::size_t market_count() const;
  [[nodiscard]] std::uint32_t open_orders_max() const;  // as configured
  [[nodiscard]] const MarketSpec& spec(MarketIndex market) const;
  [[nodiscard]] std::optional<MarketIndex> find_market(std::string_view id) const;
  [[nodiscard]] MarketFigures market(MarketIndex market, TimestampMs now_ms) const;
  [[nodiscard]] std::vector<BookLevel> book(MarketIndex market, Side side, std::size_t depth) const;
  // Every order of a side, in the order in which they fill.
  [[nodiscard]] std::vector<OrderRecord> resting_orders(MarketIndex market, Side side) const;

  // Accounts. An account unknown to the engine has figures of zero.
  [[nodiscard]] AccountFigures account(const Address& account) const;
  [[nodiscard]] std::vector<PositionRow> positions(const Address& account) const;
  [[nodiscard]] MarginTerms settings(const Address& account, MarketIndex market) const;
  [[nodiscard]] std::optional<OrderRecord> order(OrderId id) const;                  // live orders only
  [[nodiscard]] std::vector<OrderRecord> open_orders(const Address& account) const;  // by priority
  // The account's live order with this client id.
  [[nodiscard]] std::optional<OrderRecord> order_by_client_id(const Address& account, const ClientId& id) const;
  [[nodiscard]] Preview preview(const PlaceOrder& order, TimestampMs now_ms) const;
  // The outcome of a batch of which the engine would refuse every order, if the account has nothing at stake; as of
  // now.
  [[nodiscard]] std::optional<Outcome> refused(const PlaceBatch& batch, TimestampMs now_ms) const;
  // How many of a taker's lots the makers ahead of this order would fill, if it came at the order's price: some of
  // them may be dropped (rule 4.3). Requires that the order rests.
  [[nodiscard]] Lots filled_ahead(OrderId order, const Address& taker, Lots lots) const;

  // The venue
  [[nodiscard]] VenueFigures venue() const;
  [[nodiscard]] std::vector<Address> accounts() const;  // in the order in which they were opened
  [[nodiscard]] Sequence sequence() const;
  [[nodiscard]] TimestampMs now_ms() const;
  // When PassTime next has something to do: an expiry or the end of a cool-down.
  [[nodiscard]] std::optional<TimestampMs> next_timer_ms() const;
  // A description of every broken invariant; empty when all hold.
  [[nodiscard]] std::vector<std::string> violations() const;
  // The same after the command of these events, of what they tell of, and of the sums over all accounts.
  [[nodiscard]] std::vector<std::string> violations(std::span<const Event> changes) const;
  // A digest of bytes_of() (state.h): equal states give equal hashes, however they are laid out in memory. (D-020)
  [[nodiscard]] std::uint64_t state_hash() const;

  // The engine's whole state as bytes; equal states give equal images.
  [[nodiscard]] std::string image() const;
  // Restores the state from an image: later commands give the same events and hashes as in the engine that made it.
  // Damaged images and those of another version or other markets are refused with one sentence, and the engine is
  // unchanged.
  [[nodiscard]] Result<void, std::string> restore(std::string_view image);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace svc::engine
