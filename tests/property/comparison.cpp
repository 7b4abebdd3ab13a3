#include "comparison.h"

#include <algorithm>
#include <sstream>

namespace svc::engine {
namespace {

using naive::NaiveAdl;
using naive::NaiveEnd;
using naive::NaiveOrder;
using naive::NaivePosition;
using naive::NaiveVenue;

class Comparison {
 public:
  Comparison(const Engine& engine, const NaiveVenue& naive) : engine_(engine), naive_(naive) {}

  template <class A, class B>
  void same(const std::string& what, const A& real, const B& obvious) {
    if (real == obvious) return;
    out_ << what << ": engine " << real << ", naive " << obvious << "\n";
  }

  void accounts() {
    for (const auto& [who, held] : naive_.accounts) {
      const std::string name = "#" + std::to_string(who.bytes[0]);
      const AccountFigures figures = engine_.account(who);
      same(name + " balance", figures.balance.value, held.balance);
      same(name + " available", figures.available.value, narrow(naive_.available(who)));
      for (std::uint16_t m = 0; m < naive_.markets.size(); ++m) positions(name, who, held.positions[m], {m});
    }
  }

  void positions(const std::string& name, const Address& who, const NaivePosition& obvious, MarketIndex market) {
    const std::string where = name + " m" + std::to_string(market.value);
    const auto rows = engine_.positions(who);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const PositionRow& r) { return r.market == market; });
    if (row == rows.end()) {
      same(where + " size", 0, obvious.size);
      return;
    }
    same(where + " size", row->size.value, obvious.size);
    same(where + " cost", row->cost.value, obvious.cost);
    same(where + " isolated", row->isolated.value, obvious.isolated);
    same(where + " realized", row->realized_total.value, obvious.realized);
    same(where + " fees", row->fees_total.value, obvious.fees);
    same(where + " funding", row->funding_total.value, obvious.funding);
  }

  void books() {
    for (std::uint16_t m = 0; m < naive_.markets.size(); ++m) {
      const std::string where = "m" + std::to_string(m);
      const MarketFigures figures = engine_.market({m}, naive_.now_ms);
      same(where + " status", static_cast<int>(figures.status), static_cast<int>(naive_.markets[m].status));
      same(where + " mark", figures.mark.value_or(Ticks{}).value, naive_.markets[m].mark);
      for (const Side side : {Side::buy, Side::sell}) {
        std::string real;
        for (const OrderRecord& order : engine_.resting_orders({m}, side)) {
          real += row(order.id.value, order.price.value, order.quantity.value, order.filled.value);
        }
        std::string obvious;
        for (const NaiveOrder& order : naive_.queue(m, side)) {
          obvious += row(order.id, order.price, order.quantity, order.filled);
        }
        same(where + (side == Side::buy ? " bids" : " asks"), real, obvious);
      }
    }
  }

  static std::string row(std::uint64_t id, std::int64_t price, std::int64_t quantity, std::int64_t filled) {
    return " [" + std::to_string(id) + " @" + std::to_string(price) + " " + std::to_string(quantity) + "/" +
           std::to_string(filled) + "]";
  }

  void waiting() {
    std::vector<std::uint64_t> real;
    for (const Address& who : engine_.accounts()) {
      for (const OrderRecord& order : engine_.open_orders(who)) {
        if (order.status == OrderStatus::untriggered) real.push_back(order.id.value);
      }
    }
    std::vector<std::uint64_t> obvious;
    for (const NaiveOrder& order : naive_.orders) {
      if (order.waiting) obvious.push_back(order.id);
    }
    std::sort(real.begin(), real.end());
    std::sort(obvious.begin(), obvious.end());
    same("conditionals", join(real), join(obvious));
  }

  static std::string join(const std::vector<std::uint64_t>& ids) {
    std::string text;
    for (const std::uint64_t id : ids) text += " " + std::to_string(id);
    return text;
  }

  // How each order that ended in this command ended.
  void ends(const EventLog& log) {
    std::map<std::uint64_t, std::string> real;
    for (const Event& event : log.events()) {
      const auto* changed = std::get_if<OrderChanged>(&event);
      if (changed == nullptr || is_live(changed->order.status)) continue;
      const OrderRecord& order = changed->order;
      real[order.id.value] =
          end_text({order.status, order.cancel_reason, order.reject, order.quantity.value, order.filled.value});
    }
    std::map<std::uint64_t, std::string> obvious;
    for (const auto& [id, end] : naive_.ends) obvious[id] = end_text(end);
    for (const auto& [id, text] : obvious) same("end of " + std::to_string(id), real[id], text);
    for (const auto& [id, text] : real) same("end of " + std::to_string(id), text, obvious[id]);
  }

  // Compares the deleveraging events of both engines, in order.
  void deleveragings(const EventLog& log) {
    std::string real;
    for (const Event& event : log.events()) {
      const auto* told = std::get_if<Deleveraged>(&event);
      if (told == nullptr) continue;
      real += adl_text(told->market.value, told->target, told->absorbed_by_fund.value, told->bankruptcy_quote.value,
                       told->bankruptcy_lots.value);
      for (const AdlClosure& closure : told->closures)
        real += closure_text(closure.account, closure.quantity.value, closure.settlement_amount.value);
    }
    std::string obvious;
    for (const NaiveAdl& event : naive_.adl_events) {
      obvious += adl_text(event.market, event.target, event.absorbed, event.price_quote, event.price_lots);
      for (const NaiveAdl::Closure& closure : event.closures)
        obvious += closure_text(closure.account, closure.lots, closure.given_up);
    }
    same("deleveragings", real, obvious);
  }

  static std::string adl_text(std::size_t market, const Address& target, std::int64_t absorbed, i128 quote,
                              std::int64_t lots) {
    return " [" + std::to_string(market) + " " + to_string(target) + " absorbed " + std::to_string(absorbed) + " at " +
           std::to_string(narrow(quote)) + "/" + std::to_string(lots) + "]";
  }
  static std::string closure_text(const Address& account, std::int64_t lots, i128 given_up) {
    return " " + to_string(account) + ":" + std::to_string(lots) + ":" + std::to_string(narrow(given_up));
  }

  static std::string end_text(const NaiveEnd& end) {
    return std::to_string(static_cast<int>(end.status)) + "/" + std::to_string(static_cast<int>(end.reason)) + " " +
           std::string(to_string(end.reject)) + " " + std::to_string(end.quantity) + "/" + std::to_string(end.filled);
  }

  void money() {
    const VenueFigures venue = engine_.venue();
    same("insurance", venue.insurance_fund.value, naive_.insurance);
    same("treasury", venue.fee_treasury.value, naive_.treasury);
    same("deposits", venue.net_deposits.value, naive_.deposits);
  }

  [[nodiscard]] std::string text() const { return out_.str(); }

 private:
  const Engine& engine_;
  const NaiveVenue& naive_;
  std::ostringstream out_;
};

}  // namespace

std::string disagreement(const Engine& engine, const EventLog& log, Reject reject, const NaiveVenue& naive,
                         Reject naive_reject) {
  Comparison comparison(engine, naive);
  comparison.same("refusal", to_string(reject), to_string(naive_reject));
  comparison.ends(log);
  comparison.deleveragings(log);
  comparison.books();
  comparison.waiting();
  comparison.accounts();
  comparison.money();
  return comparison.text();
}

}  // namespace svc::engine
