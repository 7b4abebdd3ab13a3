#include "sim/engine/admission.h"
#include "sim/engine/margin.h"
#include "sim/engine/state.h"

namespace svc::engine {
namespace {

class Checker {
 public:
  explicit Checker(const State& state) : state_(state) {}

  std::vector<std::string> run() {
    check_sums();
    for (std::uint32_t i = 0; i < state_.accounts.size(); ++i) check_account(i);
    for (const Market& market : state_.markets) {
      if (!check_spread(market)) continue;  // the book cannot be walked
      for (const Side side : {Side::buy, Side::sell}) check_side(market, side);
    }
    return std::move(violations_);
  }

  // A price or the status of a market concerns everybody. Anything else concerns the accounts and the levels that it
  // names, and the sums.
  std::vector<std::string> run(std::span<const Event> changes) {
    const auto concerns_all = [](const Event& event) {
      return std::holds_alternative<MarkChanged>(event) || std::holds_alternative<MarketStatusChanged>(event) ||
             std::holds_alternative<FundingSettled>(event) || std::holds_alternative<Deleveraged>(event);
    };
    if (std::ranges::any_of(changes, concerns_all)) return run();
    check_sums();
    std::vector<std::uint32_t> accounts;
    const auto name = [&](const Address& address) {
      for (const std::uint32_t known : accounts)
        if (state_.accounts[known].address == address) return;
      if (const auto found = state_.find_account(address)) accounts.push_back(found->value);
    };
    for (const Event& event : changes) {
      const auto read = [&]<class E>(const E& change) {
        if constexpr (requires { change.account; }) name(change.account);
        if constexpr (std::is_same_v<E, OrderChanged>) name(change.order.account);
        if constexpr (std::is_same_v<E, BookLevelChanged>) {
          const Market& market = state_.market(change.market);
          if (const Slot first = market.book.level(change.price).head; first != no_slot) check_level(market, first);
        }
      };
      std::visit(read, event);
    }
    for (const std::uint32_t account : accounts) check_account(account);
    for (const Market& market : state_.markets) check_spread(market);
    return std::move(violations_);
  }

 private:
  // Builds a text only for broken invariants, because nearly all checks pass, after every command.
  template <class... Place>
  void expect(bool holds, std::string_view text, const Place&... place) {
    if (holds) return;
    std::string& violation = violations_.emplace_back(text);
    (add_to(violation, place), ...);
  }

  static void add_to(std::string& violation, const Market& market) { violation += " in " + market.spec.id; }
  static void add_to(std::string& violation, const Account& account) {
    violation += " for " + to_string(account.address);
  }

  // The ledger (I1, I14), and the parts of I2, I3 and I5 that are sums over all accounts.
  void check_sums() {
    i128 sum = static_cast<i128>(state_.ledger.insurance.value) + state_.ledger.fee_treasury.value;
    std::size_t live = 0;
    for (const Account& account : state_.accounts) {
      sum += account.balance.value;
      for (const Holding& holding : account.holdings) {
        sum += holding.position.isolated.value - holding.position.cost.value;
        live += holding.open_orders();
      }
    }
    expect(sum == state_.ledger.net_deposits.value, "I1: the ledger does not add up to the net deposits");
    expect(state_.ledger.insurance >= Usdx{}, "I14: the insurance fund is negative");
    for (const Market& market : state_.markets) check_sizes(market);
    expect(live == state_.orders.size(), "I5: a stored order is neither resting nor waiting");
  }

  void check_account(std::uint32_t index) {
    const Account& account = state_.accounts[index];
    check_money(account);
    check_health(index);
    for (const Market& market : state_.markets) {
      expect(market.holders.contains({index}) == account.holdings[market.index.value].has_position(),
             "I3: the holders are not those with a position", market);
      check_holding(market, account);
    }
  }

  // I22: an account is what was paid in, what its positions realized and cost, and what the fund contributed.
  void check_money(const Account& account) {
    i128 held = account.balance.value;
    i128 explained = account.funded + account.supported;
    for (const Holding& holding : account.holdings) {
      const Totals& life = holding.position.life;
      held += holding.position.isolated.value;
      explained += life.realized + life.funding - life.fees;
    }
    expect(held == explained, "I22: an account's money is not explained", account);
  }

  // I13: nothing stays under water unless it waits for the book, or one of its markets is halted.
  void check_health(std::uint32_t account) {
    const Account& owner = state_.accounts[account];
    expect(in_liquidation(owner) == any_bucket_under_water(owner), "I11: a remembered health is wrong", owner);
    check_bucket({.account = {account}});
    for (const Market& market : state_.markets) {
      if (state_.holding({account}, market.index).mode == MarginMode::isolated) {
        check_bucket({.account = {account}, .isolated = market.index});
      }
    }
  }

  void check_bucket(const Bucket& bucket) {
    const Health health = health_of(state_, bucket);
    if (!health.under_water() || in_halted_market(bucket)) return;
    const Account& owner = state_.account(bucket.account);
    expect(state_.waiting.contains(bucket), "I13: a bucket is under water and does not wait", owner);
    expect(health.equity >= 0, "I13: a bucket is bankrupt in active markets", owner);
  }

  bool in_halted_market(const Bucket& bucket) const {
    for (const Market& market : state_.markets) {
      if (market.active() || !belongs(state_, bucket, market.index)) continue;
      if (state_.holding(bucket.account, market.index).has_position()) return true;
    }
    return false;
  }

  // I2 and I3.
  void check_sizes(const Market& market) {
    i128 longs = 0;
    i128 shorts = 0;
    for (const Account& account : state_.accounts) {
      const Lots size = account.holdings[market.index.value].position.size;
      (size > Lots{} ? longs : shorts) += size.value;
    }
    expect(longs + shorts == 0, "I2: positions do not sum to zero", market);
    expect(longs == market.open_interest.value, "I3: open interest is not the sum of long positions", market);
  }

  // I4.
  bool check_spread(const Market& market) {
    const auto bid = market.book.best(Side::buy);
    const auto ask = market.book.best(Side::sell);
    const bool crossed = bid && ask && *bid >= *ask;
    expect(!crossed, "I4: the book is crossed", market);
    return !crossed;
  }

  void check_side(const Market& market, Side side) {
    std::optional<Ticks> better;
    for (Slot slot = market.book.first(side); slot != no_slot;) {
      const Ticks price = market.book.price(slot);
      expect(!better || beyond(opposite(side), price, *better), "I5: levels are out of order", market);
      better = price;
      slot = check_level(market, slot);
    }
  }

  // I5, I6 and I23, from the first order of a level; returns the first one of the next.
  Slot check_level(const Market& market, Slot slot) {
    const Ticks price = market.book.price(slot);
    const Side side = market.book.side(slot);
    std::int64_t lots = 0;
    std::uint32_t orders = 0;
    std::uint64_t priority = 0;
    for (; slot != no_slot && market.book.price(slot) == price; slot = market.book.after(slot)) {
      const Order& order = state_.orders[slot];
      expect(order.priority > priority, "I5: a queue is not first in, first out", market);
      expect(order.id.exists() && !order.waiting && order.side == side && order.market == market.index,
             "I6: something other than a live order rests", market);
      expect(order.price == price.value && order.remaining() == market.book.remaining(slot),
             "I5: an order and its place in the book differ", market);
      expect(order.filled >= 0 && order.filled < order.quantity, "I6: a resting order has nothing left", market);
      expect(may_rest(order), "I23: a market, IOC or FOK order rests", market);
      priority = order.priority;
      lots += market.book.remaining(slot).value;
      ++orders;
    }
    const Level& level = market.book.level(price);
    expect(level.lots == lots && level.orders == orders, "I5: a level is not the sum of its orders", market);
    return slot;
  }

  // I9, I11 and I21.
  void check_holding(const Market& market, const Account& account) {
    const Holding& holding = account.holdings[market.index.value];
    const Position& position = holding.position;
    if (position.size == Lots{}) {
      expect(position.cost == Usdx{} && position.isolated == Usdx{}, "I21: a flat position has a cost or a margin",
             market, account);
    }
    expect(holding.mode == MarginMode::isolated || position.isolated == Usdx{},
           "I12: a cross position has isolated margin", market, account);
    const Valuation fresh = valuation_of(market, position, market.terms(holding).leverage);
    expect(fresh.unrealized == holding.valuation.unrealized && fresh.initial == holding.valuation.initial &&
               fresh.maintenance == holding.valuation.maintenance,
           "I11: a cached valuation is wrong", market, account);
    expect(recomputed_order_margin(state_, market, holding) == order_margin(market, holding),
           "I11: a cached order margin is wrong", market, account);
    check_open(market, account, holding.buys);
    check_open(market, account, holding.sells);
    for (const Slot slot : holding.waiting) {
      expect(state_.orders[slot].waiting, "I6: an order waits and does not", market, account);
    }
  }

  void check_open(const Market& market, const Account& account, const OpenSide& side) {
    const Holding& holding = account.holdings[market.index.value];
    const std::int64_t leverage = market.terms(holding).leverage;
    i128 reserved = 0;
    Lots plain{};
    Lots reduce_only{};
    const OpenEntry* previous = nullptr;
    for (const OpenEntry& entry : side.entries()) {
      const Order& order = state_.orders[entry.slot()];
      expect(market.book.contains(entry.slot()) && order.price == entry.price() && order.side == side.side() &&
                 state_.account(order.account).address == account.address,
             "I5: an account lists an order that does not rest", market, account);
      const i128 expected = order.reduce_only ? 0 : reservation(market, leverage, {order.price}, order.remaining());
      expect(entry.lots() == (order.reduce_only ? 0 : order.remaining().value), "I11: a cached quantity is wrong",
             market, account);
      expect(entry.reserved() == expected, "I11: a cached reservation is wrong", market, account);
      if (previous != nullptr) {
        const bool later = previous->price() == entry.price()
                               ? state_.orders[previous->slot()].priority < order.priority
                               : side.better(previous->price(), entry.price());
        expect(later, "I5: an account's orders are out of order", market, account);
      }
      reserved += expected;
      (order.reduce_only ? reduce_only : plain) += order.remaining();
      previous = &entry;
    }
    expect(reserved == side.reserved(), "I11: the cached sum of reservations is wrong", market, account);
    expect(plain == side.lots() && reduce_only == side.reduce_only_lots(), "I11: the cached quantities are wrong",
           market, account);
    expect(reduce_only <= reducible(side.side(), holding.position.size), "I9: reduce-only orders exceed the position",
           market, account);
  }

  const State& state_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> broken_invariants(const State& state) {
  return Checker(state).run();
}

std::vector<std::string> broken_invariants(const State& state, std::span<const Event> changes) {
  return Checker(state).run(changes);
}

}  // namespace svc::engine
