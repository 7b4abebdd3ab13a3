#include "sim/scenario/session_text.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "base/decimal.h"
#include "sim/scenario/spelling.h"

namespace svc::sim::scenario {
namespace {

using namespace engine;

constexpr int ppb_decimals = 9;

// A decimal if that is exact, else the fraction.
std::string text_of(const Rational& value) {
  std::int64_t scaled = value.num;
  std::int64_t den = value.den;
  constexpr int decimals_max = 9;
  for (int decimals = 0; decimals <= decimals_max; ++decimals) {
    if (scaled % den == 0) return format_scaled(scaled / den, decimals);
    if (scaled > INT64_MAX / 10 || scaled < INT64_MIN / 10) break;
    scaled *= 10;
  }
  return format_scaled(value.num, 0) + "/" + format_scaled(value.den, 0);
}

bool same(const Rational& a, const Rational& b) {
  return a.num == b.num && a.den == b.den;
}

class StepLines {
 public:
  StepLines(const SessionStep& step, const SessionNames& names, const std::vector<std::size_t>& used)
      : step_(step), names_(names), used_(used) {}

  std::vector<std::string> lines() {
    std::visit([this](const auto& body) { write(body); }, step_.command.body);
    return std::move(lines_);
  }

 private:
  void write(const Deposit& c) { say("deposit " + name(c.account) + " " + format_usdx(c.amount)); }
  void write(const Withdraw& c) { say("withdraw " + name(c.account) + " " + format_usdx(c.amount)); }
  void write(const Transfer& c) { say("transfer " + name(c.from) + " " + name(c.to) + " " + format_usdx(c.amount)); }
  void write(const FundInsurance& c) { say("insure " + format_usdx(c.amount)); }
  void write(const OracleTick& c) {
    std::string marks;
    for (const OracleTick::Price& price : c.prices)
      if (std::ranges::find(used_, price.market.value) != used_.end())
        marks += " " + spec(price.market).id + " " + format_price(spec(price.market), price.mark.value_or(price.index));
    if (!marks.empty()) say("mark" + marks);
  }
  void write(const PlaceOrder& c) {
    place(c.account, c.params, step_.orders.empty() ? OrderOutcome{.reject = step_.reject} : step_.orders.front());
  }
  void write(const PlaceBatch& c) {
    for (std::size_t i = 0; i < c.orders.size() && i < step_.orders.size(); ++i)
      place(c.account, c.orders[i], step_.orders[i]);
  }
  void write(const AmendOrder& c) {
    const auto known = names_.labels.find(c.order);
    const MarketSpec* market = known == names_.labels.end() ? nullptr : &spec(known->second.market);
    std::string line = "amend " + label(c.order);
    for (const Grid grid : {c.price.grid, c.size.grid})
      if ((grid != Grid::absent && market == nullptr) || grid == Grid::off || grid == Grid::beyond)
        return lines_.push_back("# " + line + " was refused: " + std::string(to_string(step_.reject)));
    if (c.price.grid == Grid::on) line += " @ " + format_price(*market, c.price.value);
    if (c.size.grid == Grid::on) line += " to " + format_lots(*market, c.size.value);
    const bool done = step_.reject == Reject::none && !step_.orders.empty();
    say(line + (done ? " as " + label(step_.orders.front().order.id) : ""));
  }
  void write(const CancelOrder& c) { say("cancel " + label(c.order)); }
  void write(const CancelAll& c) {
    const bool lost = c.reason == CancelReason::cancel_on_disconnect;
    say((lost ? "disconnect " : "cancel-all ") + name(c.account) + (c.market ? " in " + spec(*c.market).id : ""));
  }
  void write(const SetLeverage& c) {
    say("leverage " + name(c.account) + " " + format_scaled(c.leverage, 0) + in(c.market));
  }
  void write(const SetMarginMode& c) {
    say("mode " + name(c.account) + (c.mode == MarginMode::cross ? " cross" : " isolated") + in(c.market));
  }
  void write(const AdjustMargin& c) {
    say("margin " + name(c.account) + (c.direction == MarginDirection::add ? " add " : " remove ") +
        format_usdx(c.amount) + in(c.market));
  }
  void write(const InjectFunding& c) {
    say("funding " + format_scaled(c.rate.value, ppb_decimals) + " at " + format_price(spec(c.market), c.index) +
        in(c.market));
  }
  void write(const HaltMarket& c) { say("halt " + spec(c.market).id); }
  void write(const ResumeMarket& c) {
    say("resume " + spec(c.market).id + (c.inject == Usdx{} ? "" : " with " + format_usdx(c.inject)));
  }
  void write(const SettleMarket& c) {
    say("settle " + spec(c.market).id + " at " + format_price(spec(c.market), c.price));
  }
  // Their instant is told by the wait before them.
  void write(const PassTime&) {}
  // A session does not keep these.
  void write(const SetPriceMode&) {}
  void write(const SampleFunding&) {}
  void write(const SettleFunding&) {}

  void place(const Address& account, const OrderParams& p, const OrderOutcome& outcome) {
    const MarketSpec& market = spec(p.market);
    std::string line = name(account) + (p.side == Side::buy ? " buys " : " sells ");
    const bool priced = needs_price(p.type) && p.price.grid != Grid::absent;
    const bool triggered = (is_stop(p.type) || is_take_profit(p.type)) && p.trigger.grid != Grid::absent;
    for (const Grid grid : {p.quantity.grid, priced ? p.price.grid : Grid::on, triggered ? p.trigger.grid : Grid::on})
      if (grid != Grid::on)  // the number itself is not kept
        return lines_.push_back("# " + name(account) +
                                "'s order was refused: " + std::string(to_string(outcome.reject)));
    line += format_lots(market, p.quantity.value);
    if (priced) line += " @ " + format_price(market, p.price.value);
    if (p.time_in_force != (is_market_family(p.type) ? TimeInForce::ioc : TimeInForce::gtc))
      line += " " + std::string(spell(p.time_in_force));
    const std::string trigger = triggered ? format_price(market, p.trigger.value) : "-";
    if (is_stop(p.type)) line += " stop " + trigger;
    if (is_take_profit(p.type)) line += " profit " + trigger;
    if (is_trailing(p.type))
      line += " trail " + (p.trailing_offset_bps ? format_scaled(*p.trailing_offset_bps, 0) : std::string("-"));
    if (p.limit_offset_bps && p.type == OrderType::trailing_limit)
      line += " offset " + format_scaled(*p.limit_offset_bps, 0);
    const bool reads_as_limit = p.type == OrderType::trailing_limit ? p.limit_offset_bps.has_value() : priced;
    if (!is_market_family(p.type) && !reads_as_limit) line += " limit";
    if (p.max_slippage_bps) line += " slippage " + format_scaled(*p.max_slippage_bps, 0);
    if (p.reduce_only) line += " reduce-only";
    if (p.stp != StpMode::cancel_oldest) line += " stp " + std::string(spell(p.stp));
    line += in(p.market);
    const auto sent = names_.client_ids.find({account, std::string(p.client_id.text())});
    if (sent != names_.client_ids.end() && sent->second > 1) line += " id " + std::string(p.client_id.text());
    if (outcome.reject == Reject::none) line += " as " + label(outcome.order.id);
    lines_.push_back(line + refusal(outcome.reject));
  }

  void say(const std::string& line) { lines_.push_back(line + refusal(step_.reject)); }
  static std::string refusal(Reject reject) {
    return reject == Reject::none ? "" : " -> " + std::string(to_string(reject));
  }
  [[nodiscard]] const MarketSpec& spec(MarketIndex market) const { return names_.specs.at(market.value); }
  [[nodiscard]] const std::string& name(const Address& account) const { return names_.accounts.at(account); }
  [[nodiscard]] std::string label(OrderId order) const {
    const auto found = names_.labels.find(order);
    return found == names_.labels.end() ? "unknown" : found->second.label;
  }
  [[nodiscard]] std::string in(MarketIndex market) const {
    return market.value == names_.first_market ? "" : " in " + spec(market).id;
  }

  const SessionStep& step_;
  const SessionNames& names_;
  const std::vector<std::size_t>& used_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string market_line(const MarketSpec& spec) {
  const MarketSpec usual = standard_markets().front();
  std::string tiers;
  for (const MarginTier& tier : spec.tiers)
    tiers += (tiers.empty() ? "" : ",") + format_usdx(tier.lower_notional) + ":" + text_of(tier.imr) + ":" +
             text_of(tier.mmr);
  std::string line = "market " + spec.id + " tick " + format_decimal(spec.tick_size) + " lot " +
                     format_decimal(spec.lot_size) + " tiers " + tiers;
  const auto integer = [&](const char* name, std::int64_t value, std::int64_t otherwise) {
    if (value != otherwise) line += std::string(" ") + name + " " + format_scaled(value, 0);
  };
  const auto amount = [&](const char* name, Usdx value, Usdx otherwise) {
    if (value != otherwise) line += std::string(" ") + name + " " + format_usdx(value);
  };
  const auto fraction = [&](const char* name, const Rational& value, const Rational& otherwise) {
    if (!same(value, otherwise)) line += std::string(" ") + name + " " + text_of(value);
  };
  integer("max_leverage", spec.max_leverage, 0);
  integer("maker_ppm", spec.maker_fee.value, usual.maker_fee.value);
  integer("taker_ppm", spec.taker_fee.value, usual.taker_fee.value);
  integer("liq_fee_ppm", spec.liquidation_fee.value, usual.liquidation_fee.value);
  amount("partial_threshold", spec.partial_threshold, usual.partial_threshold);
  fraction("partial_frac", spec.partial_fraction, usual.partial_fraction);
  fraction("backstop", spec.backstop_fraction, usual.backstop_fraction);
  integer("cooldown_ms", spec.partial_cooldown_ms, usual.partial_cooldown_ms);
  fraction("band", spec.price_band, usual.price_band);
  fraction("liq_band", spec.liquidation_band, usual.liquidation_band);
  fraction("wfr", spec.withdrawal_floor_rate, usual.withdrawal_floor_rate);
  amount("min_notional", spec.min_notional, {});
  amount("oi_cap", spec.open_interest_cap, {});
  if (spec.min_order_size != Lots{1}) line += " min_order_size " + format_lots(spec, spec.min_order_size);
  return line + " max_order_size " + format_lots(spec, spec.max_order_size);
}

std::vector<std::string> step_lines(const SessionStep& step, const SessionNames& names,
                                    const std::vector<std::size_t>& used) {
  return StepLines(step, names, used).lines();
}

}  // namespace svc::sim::scenario
