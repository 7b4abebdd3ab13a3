// The exchange again, written to be obvious and not to be fast: every order in one list, everything recomputed
// whenever it is asked for, and an order is tried out on a copy of the whole venue that is thrown away if it is
// refused. It shares the words of commands and markets with the engine, and none of its code.
//
// Rule numbers refer to docs/trading.md.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/decimal.h"
#include "sim/engine/commands.h"
#include "sim/engine/events.h"
#include "sim/engine/terms.h"

namespace svc::engine::naive {

struct NaiveOrder {
  std::uint64_t id = 0;
  std::uint64_t priority = 0;
  Address account;
  OrderParams params;         // as asked for; price and quantity as amended
  std::int64_t price = 0;     // 0 while a market-family order waits
  std::int64_t quantity = 0;  // after clamping, trimming, decrementing
  std::int64_t filled = 0;
  std::int64_t anchor = 0;
  bool waiting = false;

  [[nodiscard]] std::int64_t remaining() const { return quantity - filled; }
  [[nodiscard]] std::size_t market() const { return params.market.value; }
};

// How an order ended, as far as its sender is told at once.
struct NaiveEnd {
  OrderStatus status = OrderStatus::open;
  CancelReason reason = CancelReason::none;
  Reject reject = Reject::none;
  std::int64_t quantity = 0;
  std::int64_t filled = 0;

  bool operator==(const NaiveEnd&) const = default;
};

// A position that step 4, or a resume, came to.
struct NaiveAdl {
  std::size_t market = 0;
  Address target;
  std::int64_t absorbed = 0;
  i128 price_quote = 0;  // of price_lots
  std::int64_t price_lots = 0;
  struct Closure {
    Address account;
    std::int64_t lots = 0;
    i128 given_up = 0;
  };
  std::vector<Closure> closures;
};

struct NaivePosition {
  std::int64_t size = 0;
  std::int64_t cost = 0;
  std::int64_t isolated = 0;
  std::int64_t realized = 0;
  std::int64_t fees = 0;
  std::int64_t funding = 0;
  MarginMode mode = MarginMode::cross;
  std::int64_t leverage = 0;
  bool partly_liquidated = false;
  TimestampMs cooldown_until_ms = 0;
};

struct NaiveAccount {
  std::int64_t balance = 0;
  std::vector<NaivePosition> positions;
};

struct NaiveMarket {
  MarketSpec spec;
  std::int64_t unit = 1;
  std::int64_t tick_unit = 1;
  MarketStatus status = MarketStatus::active;
  PriceMode mode = PriceMode::median;
  std::int64_t index = 0;
  std::int64_t mark = 0;
  std::int64_t basis = 0;
  std::int64_t last_ordinary = 0;
  TimestampMs oracle_ms = 0;
  bool traded = false;
  std::int64_t premium_sum = 0;
  std::int64_t premium_samples = 0;

  [[nodiscard]] bool active() const { return status == MarketStatus::active; }
};

struct NaiveBucket {
  Address account;
  int isolated = -1;  // market, or -1 for the cross bucket
  auto operator<=>(const NaiveBucket&) const = default;
};

class NaiveVenue {
 public:
  explicit NaiveVenue(const std::vector<MarketSpec>& specs);

  // The refusal of the command, or of its only order.
  Reject apply(const Command& command);

  // State, laid open for comparison.
  std::vector<NaiveMarket> markets;
  std::map<Address, NaiveAccount> accounts;
  std::vector<NaiveOrder> orders;          // live
  std::map<std::uint64_t, NaiveEnd> ends;  // of the last command, as the next
  std::vector<NaiveAdl> adl_events;
  std::int64_t insurance = 0;
  std::int64_t treasury = 0;
  std::int64_t deposits = 0;
  std::uint64_t last_id = 0;
  std::uint64_t last_priority = 0;
  TimestampMs now_ms = 0;

  [[nodiscard]] i128 available(const Address& who) const;
  // Resting orders of a side in the order in which they fill.
  [[nodiscard]] std::vector<NaiveOrder> queue(std::size_t market, Side side) const;

 private:
  // Money in and out, settings
  Reject run(const Deposit& c);
  Reject run(const Withdraw& c);
  Reject run(const Transfer& c);
  Reject run(const FundInsurance& c);
  Reject run(const SetLeverage& c);
  Reject run(const SetMarginMode& c);
  Reject run(const AdjustMargin& c);
  // Orders
  Reject run(const PlaceOrder& c);
  Reject run(const PlaceBatch& c);
  Reject run(const AmendOrder& c);
  Reject run(const CancelOrder& c);
  Reject run(const CancelAll& c);
  // Prices, funding, time, operator
  Reject run(const OracleTick& c);
  Reject run(const SetPriceMode& c);
  Reject run(const SampleFunding& c);
  Reject run(const SettleFunding& c);
  Reject run(const InjectFunding& c);
  Reject run(const PassTime& c);
  Reject run(const HaltMarket& c);
  Reject run(const ResumeMarket& c);
  Reject run(const SettleMarket& c);

  NaiveAccount& account(const Address& who);
  NaivePosition& position(const Address& who, std::size_t market) { return account(who).positions[market]; }
  [[nodiscard]] const NaivePosition& position(const Address& who, std::size_t market) const {
    return accounts.at(who).positions[market];
  }

  // Margin (naive_margin.cpp)
  [[nodiscard]] i128 value(std::size_t market, std::int64_t price, std::int64_t lots) const;
  // The margin of a part of an order, at the rate of the whole order's tier.
  [[nodiscard]] i128 initial(std::size_t market, i128 part, i128 whole, std::int64_t leverage) const;
  [[nodiscard]] i128 maintenance(std::size_t market, i128 notional) const;
  [[nodiscard]] i128 reservation(std::size_t market, std::int64_t leverage, std::int64_t price, std::int64_t part,
                                 std::int64_t whole) const;
  [[nodiscard]] std::int64_t leverage(const Address& who, std::size_t market) const;
  [[nodiscard]] i128 unrealized(const Address& who, std::size_t market) const;
  [[nodiscard]] i128 position_mm(const Address& who, std::size_t market) const;
  [[nodiscard]] i128 position_im(const Address& who, std::size_t market) const;
  [[nodiscard]] i128 order_margin(const Address& who, std::size_t market) const;
  [[nodiscard]] i128 equity(const NaiveBucket& bucket) const;
  [[nodiscard]] i128 maintenance(const NaiveBucket& bucket) const;
  [[nodiscard]] bool has_position(const NaiveBucket& bucket) const;
  [[nodiscard]] bool belongs(const NaiveBucket& bucket, std::size_t market) const;
  [[nodiscard]] NaiveBucket bucket_of(const Address& who, std::size_t market) const;
  [[nodiscard]] bool under_water(const NaiveBucket& bucket) const;
  [[nodiscard]] std::vector<NaiveBucket> buckets(const Address& who) const;
  [[nodiscard]] bool in_liquidation(const Address& who) const;

  // Trading (naive_trading.cpp)
  // Whether it has neither money for an order of the market nor a position where that is asked for.
  [[nodiscard]] bool lacks_means(const Address& who, std::size_t market) const;
  [[nodiscard]] Reject check_form(const OrderParams& p) const;
  [[nodiscard]] std::int64_t band_limit(std::size_t market, Side side) const;
  Reject place(const Address& who, const OrderParams& params);
  // Acts on the book; the order is not in `orders`. What it refuses is undone by the caller.
  Reject enter(NaiveOrder order, bool keeps_place);
  Reject enter_on_copy(const NaiveOrder& order, std::uint64_t without, bool keeps_place);
  bool fill(NaiveOrder& taker, std::uint64_t maker, std::int64_t lots);
  // Books one side; true if an isolated position was closed in full and owed money. A forced one is taken away.
  bool book(const Address& who, std::size_t market, Side side, std::int64_t lots, i128 quote, std::int64_t fee,
            bool forced);
  // `held` is the position before what it follows.
  void trim(const Address& who, std::size_t market, std::int64_t held);
  void trim_resting(const Address& who, std::size_t market);
  void cancel_flat_conditionals(const Address& who, std::size_t market, std::int64_t held);
  void end(std::uint64_t id, OrderStatus status, CancelReason reason, Reject reject = Reject::none);
  void remember(const NaiveOrder& order, OrderStatus status, CancelReason reason, Reject reject = Reject::none);
  NaiveOrder* find(std::uint64_t id);
  void fire(std::uint64_t id);

  // Distress (naive_distress.cpp)
  void liquidate_all();
  bool liquidate(const NaiveBucket& bucket);
  [[nodiscard]] std::vector<std::size_t> open_markets(const NaiveBucket& bucket) const;
  [[nodiscard]] i128 zero_quote(const NaiveBucket& bucket, std::size_t market, std::int64_t lots) const;
  [[nodiscard]] i128 surplus(const NaiveBucket& bucket, std::size_t market, std::int64_t price,
                             std::int64_t lots) const;
  bool sell(const NaiveBucket& bucket, std::size_t market, std::int64_t wanted, bool on_the_fund);
  bool liquidation_fill(const NaiveBucket& bucket, std::uint64_t maker, std::int64_t lots);
  void give(const NaiveBucket& bucket, std::int64_t amount);
  void deleverage(const NaiveBucket& bucket);
  void move_position(std::size_t market, const Address& from, const Address& to, std::int64_t lots, i128 quote);
  [[nodiscard]] std::vector<Address> ranking(std::size_t market, Side side) const;
  void halt(std::size_t market);

  std::map<std::pair<Address, std::string>, std::uint64_t> client_ids_;
  std::size_t met_ = 0;      // makers that the last order met
  std::size_t in_vain_ = 0;  // by orders of this batch that left them as they were
  bool maker_owed_ = false;  // of the last fill: the maker's isolated position was closed owing money
};

}  // namespace svc::engine::naive
