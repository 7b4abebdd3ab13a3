#include "sim/scenario/session_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/decimal.h"

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
      line += " " + std::string(to_string(p.time_in_force));
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
    if (p.stp != StpMode::cancel_oldest) line += " stp " + std::string(to_string(p.stp));
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

namespace {

using nlohmann::json;

// What a term of an order needs behind it.
enum class Behind : std::uint8_t { text, integer, nothing };

struct Term {
  const char* field;
  Behind behind = Behind::text;
  const char* family = "";  // of order types, if the term decides it
};

const std::map<std::string, Term>& terms() {
  static const std::map<std::string, Term> table = {
      {"@", {"price"}},
      {"stop", {"trigger_price", Behind::text, "Stop"}},
      {"profit", {"trigger_price", Behind::text, "TakeProfit"}},
      {"trail", {"trailing_offset_bps", Behind::integer, "Trailing"}},
      {"offset", {"limit_offset_bps", Behind::integer}},
      {"slippage", {"max_slippage_bps", Behind::integer}},
      {"reduce-only", {"reduce_only", Behind::nothing}},
      {"stp", {"stp"}},
      {"in", {"market"}},
      {"as", {"label"}},
      {"id", {"client_id"}},
  };
  return table;
}

bool is_time_in_force(const std::string& word) {
  return word == "GTC" || word == "IOC" || word == "FOK" || word == "PostOnly";
}

// ACCOUNT buys|sells QUANTITY TERM...; "-" says that what the term needs is not given.
json read_order(Words& words, const std::string& account, const char* side) {
  json step = {{"op", "place"}, {"account", account}, {"side", side}, {"quantity", words.next("a quantity")}};
  std::string family;
  bool limit = false;
  while (!words.done()) {
    const std::string word = words.next("a term");
    const auto term = terms().find(word);
    if (is_time_in_force(word)) {
      step["tif"] = word;
    } else if (word == "limit") {
      limit = true;
    } else if (term == terms().end()) {
      fail(words.line(), "unknown term \"" + word + "\"");
    } else {
      const auto& [field, behind, decides] = term->second;
      if (*decides != '\0') family = decides;
      if (behind == Behind::nothing) {
        step[field] = true;
      } else if (!words.skip("-")) {
        step[field] = behind == Behind::integer ? read_integer(words, field) : json(words.next(field));
      }
    }
  }
  if (step.contains("stp") && step["stp"] == "none") step["stp"] = nullptr;
  const bool trailing = family == "Trailing";
  limit = limit || step.contains(trailing ? "limit_offset_bps" : "price");
  step["type"] = family + (limit ? "Limit" : trailing ? "Stop" : "Market");
  return step;
}

json read_marks(Words& words) {
  json marks = json::object();
  do {
    const std::string market = words.next("a market");
    marks[market] = words.next("a price");
  } while (!words.done());
  return {{"op", "set_marks"}, {"marks", std::move(marks)}};
}

json read_amend(Words& words) {
  json step = {{"op", "amend"}, {"order", words.next("an order")}};
  if (words.skip("@")) step["price"] = words.next("a price");
  if (words.skip("to")) step["size"] = words.next("a size");
  if (words.skip("as")) step["label"] = words.next("a label");
  return step;
}

json read_cancel_all(Words& words) {
  json step = {{"op", "cancel_all"}, {"account", words.next("an account")}};
  if (words.skip("in")) step["market"] = words.next("a market");
  return step;
}

json read_transfer(Words& words) {
  json step = {{"op", "transfer"}, {"account", words.next("an account")}};
  step["to"] = words.next("the other account");
  step["amount"] = words.next("an amount");
  return step;
}

json read_settle(Words& words) {
  json step = {{"op", "settle"}, {"market", words.next("a market")}};
  if (!words.skip("at")) fail(words.line(), "expected at PRICE");
  step["price"] = words.next("a price");
  return step;
}

json read_margin(Words& words) {
  json step = {{"op", "margin"}, {"account", words.next("an account")}};
  step["direction"] = words.next("add or remove");
  step["amount"] = words.next("an amount");
  return step;
}

json read_funding(Words& words) {
  json step = {{"op", "funding"}, {"rate", words.next("a rate")}};
  if (!words.skip("at")) fail(words.line(), "expected at INDEX");
  step["index"] = words.next("an index");
  return step;
}

json read_resume(Words& words) {
  json step = {{"op", "operator_resume"}, {"market", words.next("a market")}, {"inject", "0"}};
  if (words.skip("with")) step["inject"] = words.next("an amount");
  return step;
}

template <const char* const& op>
json read_funds(Words& words) {
  json step = {{"op", op}, {"account", words.next("an account")}};
  step["amount"] = words.next("an amount");
  return step;
}

constexpr const char* deposit = "deposit";
constexpr const char* withdraw = "withdraw";

struct Verb {
  json (*read)(Words&);
  bool in_market = false;  // may end with "in MARKET"
};

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> table = {
      {"deposit", {read_funds<deposit>}},
      {"withdraw", {read_funds<withdraw>}},
      {"insure", {[](Words& w) -> json {
         return {{"op", "fund_insurance"}, {"amount", w.next("an amount")}};
       }}},
      {"mark", {read_marks}},
      {"amend", {read_amend}},
      {"cancel", {[](Words& w) -> json {
         return {{"op", "cancel"}, {"order", w.next("an order")}};
       }}},
      {"cancel-all", {read_cancel_all}},
      {"disconnect", {[](Words& w) -> json {
         return {{"op", "disconnect"}, {"account", w.next("an account")}};
       }}},
      {"transfer", {read_transfer}},
      {"halt", {[](Words& w) -> json {
         return {{"op", "halt"}, {"market", w.next("a market")}};
       }}},
      {"settle", {read_settle}},
      {"leverage",
       {[](Words& w) -> json {
          json step = {{"op", "set_leverage"}, {"account", w.next("an account")}};
          step["leverage"] = read_integer(w, "leverage");
          return step;
        },
        true}},
      {"mode",
       {[](Words& w) -> json {
          json step = {{"op", "set_margin_mode"}, {"account", w.next("an account")}};
          step["mode"] = w.next("cross or isolated");
          return step;
        },
        true}},
      {"margin", {read_margin, true}},
      {"funding", {read_funding, true}},
      {"wait", {[](Words& w) -> json {
         return {{"op", "advance_ms"}, {"ms", read_integer(w, "milliseconds")}};
       }}},
      {"resume", {read_resume}},
  };
  return table;
}

}  // namespace

json read_integer(Words& words, const char* what) {
  const std::string& word = words.next(what);
  constexpr std::size_t digits_max = 18;
  const std::size_t sign = word.starts_with('-') ? 1 : 0;
  const std::size_t digits = word.size() - sign;
  const bool whole = digits > 0 && digits <= digits_max && word.find_first_not_of("0123456789", sign) == word.npos;
  if (!whole) fail(words.line(), std::string(what) + " must be a whole number, not \"" + word + "\"");
  return std::stoll(word);
}

json read_step(const TextLine& line, const std::string& market) {
  Words words(line);
  const std::string first = words.next("a step");
  if (words.skip("buys") || words.skip("sells")) {
    json step = read_order(words, first, line.words[1] == "buys" ? "Buy" : "Sell");
    if (!step.contains("market")) step["market"] = market;
    return step;
  }
  const auto verb = verbs().find(first);
  if (verb == verbs().end()) fail(line, "neither a step nor an expectation: " + first);
  json step = verb->second.read(words);
  if (verb->second.in_market) step["market"] = words.skip("in") ? words.next("a market") : market;
  words.finish();
  return step;
}

std::string spell_reason(const OrderRecord& order) {
  if (order.cancel_reason == CancelReason::rejected_at_trigger) return std::string(to_string(order.reject));
  return std::string(to_string(order.cancel_reason));
}

namespace {

constexpr std::string_view blanks = " \t\r";

TextLine line_of(std::string_view text, std::size_t number) {
  TextLine line{.number = number, .indent = std::min(text.find_first_not_of(blanks), text.size()), .words = {}};
  for (std::size_t at = line.indent; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    if (text[at] == '#') break;
    line.words.emplace_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(blanks, end), text.size());
  }
  return line;
}

}  // namespace

std::string TextLine::joined(std::size_t from) const {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (i == from ? "" : " ") + words[i];
  return text;
}

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    TextLine line = line_of(text.substr(0, end), ++number);
    if (!line.words.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void fail(const TextLine& line, const std::string& what) {
  throw LineError{"line " + std::to_string(line.number) + ": " + what};
}

const std::string& Words::next(const char* what) {
  if (done()) fail(line_, std::string("expected ") + what + " at the end of the line");
  return line_.words[at_++];
}

bool Words::skip(std::string_view word) {
  if (done() || line_.words[at_] != word) return false;
  ++at_;
  return true;
}

void Words::finish() const {
  if (!done()) fail(line_, "unexpected \"" + line_.words[at_] + "\"");
}

}  // namespace svc::sim::scenario
