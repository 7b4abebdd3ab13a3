// The vocabulary of the engine tests: a venue with named traders, and orders such as `buy("5 @ 10").by(alice)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checks.h"
#include "sim/engine/engine.h"

namespace svc::engine {

// A trader's address consists of the name, so that addresses sort like names.
Address trader(std::string_view name);
std::string name_of(const Address& address);

inline const Address alice = trader("alice");
inline const Address bob = trader("bob");
inline const Address carol = trader("carol");
inline const Address dave = trader("dave");

// Tick 1, lot 1, no fees, at most 10x, maintenance 5%: numbers for mental arithmetic.
MarketSpec plain_market(std::string id = "X-USDX-PERP");

Usdx usdx(std::string_view amount);

// An order to be placed. "5 @ 10" is a limit order, "5" a market order.
struct OrderRequest {
  Address account{};
  std::string market;  // empty: the venue's first
  std::string quantity;
  std::string price;
  std::string trigger;
  OrderParams params{};

  OrderRequest by(const Address& who) const { return with(&OrderRequest::account, who); }
  OrderRequest in(std::string_view id) const { return with(&OrderRequest::market, id); }
  OrderRequest type(OrderType value) const {
    return with(&OrderParams::type, value).tif(is_market_family(value) ? TimeInForce::ioc : TimeInForce::gtc);
  }
  OrderRequest at_trigger(std::string_view t) const { return with(&OrderRequest::trigger, t); }
  OrderRequest trailing(std::int32_t bps) const { return with(&OrderParams::trailing_offset_bps, bps); }
  OrderRequest limit_offset(std::int32_t bps) const { return with(&OrderParams::limit_offset_bps, bps); }
  OrderRequest max_slippage(std::int32_t bps) const { return with(&OrderParams::max_slippage_bps, bps); }
  OrderRequest ioc() const { return tif(TimeInForce::ioc); }
  OrderRequest fok() const { return tif(TimeInForce::fok); }
  OrderRequest post_only() const { return tif(TimeInForce::post_only); }
  OrderRequest reduce_only() const { return with(&OrderParams::reduce_only, true); }
  OrderRequest stp(StpMode mode) const { return with(&OrderParams::stp, mode); }
  OrderRequest client(std::string_view id) const { return with(&OrderParams::client_id, *ClientId::from(id)); }
  OrderRequest expires(TimestampMs at) const { return with(&OrderParams::expires_at_ms, at); }

 private:
  OrderRequest tif(TimeInForce value) const { return with(&OrderParams::time_in_force, value); }
  template <class T, class Value>
  OrderRequest with(T OrderRequest::*member, const Value& value) const {
    OrderRequest copy = *this;
    copy.*member = value;
    return copy;
  }
  template <class T, class Value>
  OrderRequest with(T OrderParams::*member, const Value& value) const {
    OrderRequest copy = *this;
    copy.params.*member = value;
    return copy;
  }
};

OrderRequest buy(std::string_view text);
OrderRequest sell(std::string_view text);

// The invariants look at every order after every command, and allocate: a venue at work does neither.
class Unchecked {
 public:
  Unchecked() { checks_are_on = false; }
  ~Unchecked() { checks_are_on = true; }
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;
};

class Venue {
 public:
  explicit Venue(std::vector<MarketSpec> markets = {plain_market()});

  // Deposits for all accounts.
  Venue& fund(std::initializer_list<Address> accounts, std::string_view amount = "10000");
  Venue& mark(std::string_view price, std::string_view market = "");
  Venue& pass(std::int64_t ms);

  const Outcome& apply(const decltype(Command::body)& body);
  OrderOutcome place(const OrderRequest& request);
  // Places all orders and expects them to be accepted.
  Venue& rest(std::initializer_list<OrderRequest> requests);
  OrderOutcome amend(const OrderOutcome& order, std::string_view price, std::string_view size);
  Reject cancel(const OrderOutcome& order);

  // The book as a picture, asks above bids, best in the middle: "12 | 5 bob\n---\n10 | 3 alice, 4 bob\n".
  [[nodiscard]] std::string picture(std::string_view market = "") const;
  // "5 @ 10" for each fill of the outcome, joined by ", ".
  [[nodiscard]] std::string fills(const OrderOutcome& item) const;
  // The last reported record of an order, live or ended.
  [[nodiscard]] OrderRecord told(const OrderOutcome& item) const;
  [[nodiscard]] std::string balance(const Address& account) const;
  [[nodiscard]] Lots position(const Address& account, std::string_view market = "") const;
  [[nodiscard]] MarketIndex market(std::string_view id) const;
  [[nodiscard]] OrderParams params(const OrderRequest& request) const;

  template <class E>
  [[nodiscard]] std::vector<E> events() const {
    std::vector<E> found;
    for (const Event& event : log.events()) {
      if (const E* match = std::get_if<E>(&event)) found.push_back(*match);
    }
    return found;
  }

  Engine engine;
  EventLog log;
  TimestampMs now_ms = 1'700'000'000'000;
  std::vector<Fill> last_fills;
};

}  // namespace svc::engine
