#include "sim/scenario/verbs.h"

#include <algorithm>
#include <concepts>
#include <limits>

#include "base/decimal.h"
#include "base/encoding.h"
#include "base/text.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

// A step being read.
class Reading : public Fields {
 public:
  Reading(const Record& step, const std::string& where, Cast& to_name) : Fields(step, where), cast(to_name) {}

  Cast& cast;
  Act act{};
  const MarketSpec* market = nullptr;  // prices and quantities are measured on its grid

  using Fields::take;
  template <class T>
  void take(const Told& field, std::optional<T>& to) {
    take(field, to.emplace());
  }
  void take(const Told& field, Address& to) { to = cast.accounts[text(field)]; }
  void take(const Told& field, MarketIndex& to) { to = find(text(field)); }
  void take(const Told& field, Ticks& to) {
    const MarketSpec& grid = market != nullptr ? *market : *act.market;
    if (grid.tick_size.coefficient <= 0) fail("the tick is above 0");
    to = nearest_tick(grid, get<Rational>(field));
  }
  void take(const Told& field, MeasuredPrice& to) {
    const auto price = get<Decimal>(field);
    if (market != nullptr) to = measure_price(*market, price);
  }
  void take(const Told& field, MeasuredLots& to) {
    const auto quantity = get<Decimal>(field);
    if (market != nullptr) to = measure_lots(*market, quantity);
  }
  void take(const Told& field, Lots& to) {
    if (act.market->lot_size.coefficient <= 0) fail("the lot is above 0");
    const auto lots = to_multiple(get<Decimal>(field), act.market->lot_size);
    if (!lots) fail(std::string(field.name) + " is not a multiple of the lot");
    to = {*lots};
  }
  void take(const Told& field, OrderType& to) {
    Fields::take(field, to);
    if (is_market_family(to)) std::get<PlaceOrder>(act.body).params.time_in_force = TimeInForce::ioc;
  }
  // Null means none.
  void take(const Told& field, StpMode& to) {
    to = StpMode::none;
    if (is_given(field)) Fields::take(field, to);
  }
  void take(const Told& field, ClientId& to) {
    const auto id = ClientId::from(text(field));
    if (!id) fail(std::string(field.name) + " is too long");
    to = *id;
  }
  // The engine refuses an unknown order.
  void take(const Told& field, OrderId& to) {
    act.names_order = true;
    const auto known = cast.orders.find(text(field));
    if (known == cast.orders.end()) return;
    to = known->second.id;
    market = &cast.markets.at(known->second.market.value);
    const auto own = [&](auto& command) {
      if constexpr (requires { command.order; }) command.account = known->second.account;
    };
    std::visit(own, act.body);
  }
  // All of them as one object, or one in two fields.
  void take(const Told& field, std::vector<OracleTick::Price>& to) {
    if (field.name == "market") return take(field, to.emplace_back().market);
    if (field.name == "price") return take(field, to.back().index);
    const json* said = std::get_if<json>(field.value);
    const auto marks = said == nullptr ? std::nullopt : record_of(*said);
    if (!marks) fail("marks must be an object of market and price");
    Fields prices(*marks, where() + ": marks");
    for (const auto& [id, value] : marks->fields()) {
      const auto price = prices.get<Rational>(id);
      to.push_back({find(id), nearest_tick(*market, price), std::nullopt});
    }
  }

  // The engine refuses a client's errors; an operator's market must exist.
  MarketIndex find(const std::string& id) {
    const auto found = std::ranges::find(cast.markets, id, &MarketSpec::id);
    if (found != cast.markets.end()) {
      market = &*found;
      return {static_cast<std::uint16_t>(found - cast.markets.begin())};
    }
    const auto is_operators = [](const auto& command) {
      if constexpr (requires { command.account; }) return false;
      return true;
    };
    if (std::visit(is_operators, act.body)) fail("no market " + id);
    return {UINT16_MAX};
  }
};

// Thrown for numbers off the grid, which have no notation.
struct OffGrid {};

// A decimal if that is exact.
std::string text_of(const Rational& value) {
  std::int64_t scaled = value.num;
  constexpr int decimals_max = 9;
  for (int decimals = 0; decimals <= decimals_max; ++decimals) {
    if (scaled % value.den == 0) return format_scaled(scaled / value.den, decimals);
    if (scaled > INT64_MAX / 10 || scaled < INT64_MIN / 10) break;
    scaled *= 10;
  }
  return format_scaled(value.num, 0) + "/" + format_scaled(value.den, 0);
}

std::string text_of(const MarginTier& tier) {
  return format_usdx(tier.lower_notional) + ":" + text_of(tier.imr) + ":" + text_of(tier.mmr);
}

// A line being written: values in the form that Reading takes.
struct Writing {
  const Act& act;
  const Act& usual;  // the verb's default act
  const StoryNames& names;
  const MarketSpec* market = nullptr;

  template <std::integral T>
  std::string text(T value) const {
    return format_scaled(value, 0);
  }
  template <trade::Word E>
  std::string text(E value) const {
    return std::string(to_string(value));
  }
  template <class T>
  std::string text(const std::optional<T>& value) const {
    return value ? text(*value) : "";
  }
  std::string text(const Decimal& value) const { return format_decimal(value); }
  std::string text(Usdx value) const { return format_usdx(value); }
  std::string text(Ppm value) const { return text(value.value); }
  std::string text(Ppb value) const { return format_scaled(value.value, 9); }
  std::string text(const Rational& value) const { return text_of(value); }
  std::string text(const std::vector<MarginTier>& tiers) const {
    return joined(
        tiers, [](const MarginTier& tier) { return text_of(tier); }, ",");
  }
  std::string text(const std::string& word) const { return word_of(word); }
  std::string text(const Address& account) const { return names.accounts.at(account); }
  std::string text(MarketIndex index) const { return word_of(names.specs.at(index.value).id); }
  std::string text(Ticks price) const { return format_price(market != nullptr ? *market : *act.market, price); }
  std::string text(const MeasuredPrice& price) const { return format_price(*market, on_grid(price)); }
  std::string text(const MeasuredLots& quantity) const { return format_lots(*market, on_grid(quantity)); }
  std::string text(Lots quantity) const { return format_lots(*act.market, quantity); }
  std::string text(Side side) const { return side == Side::buy ? "buys" : "sells"; }
  std::string text(bool) const { return ""; }
  std::string text(OrderId order) const {
    const auto known = names.orders.find(order);
    return known == names.orders.end() ? "unknown" : known->second.label;
  }
  // Only if it was sent twice.
  std::string text(const ClientId& id) const {
    const auto sent = names.client_ids.find({std::get<PlaceOrder>(act.body).account, std::string(id.text())});
    return sent != names.client_ids.end() && sent->second > 1 ? word_of(std::string(id.text())) : "";
  }
  // Those of markets in the story.
  std::string text(const std::vector<OracleTick::Price>& prices) const {
    std::string line;
    for (const OracleTick::Price& price : prices) {
      if (std::ranges::find(names.markets, price.market.value) == names.markets.end()) continue;
      const MarketSpec& spec = names.specs.at(price.market.value);
      line += (line.empty() ? "" : " ") + word_of(spec.id) + " " + format_price(spec, price.mark.value_or(price.index));
    }
    return line;
  }

  template <class Unit>
  Unit on_grid(const Measured<Unit>& number) const {
    if (number.grid != Grid::on || market == nullptr) throw OffGrid{};
    return number.value;
  }
};

enum class Need : std::uint8_t {
  required,
  first_market,  // a text without it means the first market
  optional,
  recorded,  // optional, but a session always writes it
};

// The notation in a text, after the introducing word.
enum class Form : std::uint8_t { word, whole_number, flag, pairs, tiers };

struct Argument {
  std::string_view field = "";  // in JSON
  std::string_view what = "";   // name of the value in errors
  std::string_view intro = "";  // the introducing word; without one the position decides
  Need need = Need::required;
  Form form = Form::word;
  bool read_first = false;  // read before the others, which depend on it
  bool is_account = false;
  void (*take)(Reading&, const Argument&) = nullptr;
  std::optional<std::string> (*write)(const Writing&, const Argument&) = nullptr;  // nullopt: omitted
  // For orders
  bool (*of_type)(OrderType) = nullptr;  // the types that have the term
  std::string_view family = "";          // of types, if the term decides it
};

template <class C, class T>
C owner_of(T C::*);
template <class T>
T bare(T);
template <class T>
T bare(std::optional<T>);

// The part of an act, or of its command, that the members select.
template <auto first, auto... rest>
auto& part(auto& act) {
  using Owner = decltype(owner_of(first));
  if constexpr (std::is_same_v<Owner, Act>)
    return act.*first;
  else if constexpr (std::is_same_v<Owner, MarketSpec>)
    return (*act.market).*first;
  else
    return ((std::get<Owner>(act.body).*first).*....*rest);
}

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

// The default name of a value of the type.
template <class T>
constexpr std::string_view name_of_type(std::string_view field) {
  if (is_one_of<T, Address>) return "an account";
  if (is_one_of<T, MarketIndex, std::vector<OracleTick::Price>>) return "a market";
  if (is_one_of<T, OrderId>) return "an order";
  if (is_one_of<T, Usdx>) return "an amount";
  if (is_one_of<T, Ticks, MeasuredPrice>) return "a price";
  if (is_one_of<T, MeasuredLots>) return "a quantity";
  return field;
}

template <auto... members>
Argument arg(std::string_view field, std::string_view intro = "", Need need = Need::required,
             std::string_view what = "") {
  using T = std::remove_cvref_t<decltype(part<members...>(std::declval<Act&>()))>;
  using Value = decltype(bare(std::declval<T>()));
  constexpr bool pairs = is_one_of<T, std::vector<OracleTick::Price>>;
  constexpr bool tiers = is_one_of<T, std::vector<MarginTier>>;
  return {.field = field,
          .what = !what.empty() ? what : name_of_type<Value>(field),
          .intro = intro,
          .need = need,
          .form = pairs                    ? Form::pairs
                  : tiers                  ? Form::tiers
                  : is_one_of<T, bool>     ? Form::flag
                  : is_whole_number<Value> ? Form::whole_number
                                           : Form::word,
          .read_first = is_one_of<Value, MarketIndex, OrderId, OrderType, Decimal>,
          .is_account = is_one_of<Value, Address>,
          .take =
              [](Reading& r, const Argument& a) {
                const Fields::Told told = r.at(a.field);
                const bool given = Fields::is_given(told) || (is_one_of<T, StpMode> && told.value != nullptr);
                if (given || a.need < Need::optional) r.take(told, part<members...>(r.act));
              },
          .write = [](const Writing& w, const Argument& a) -> std::optional<std::string> {
            const T& value = part<members...>(w.act);
            if constexpr (tiers || is_one_of<T, Rational>) {
              if (a.need == Need::optional && w.text(value) == w.text(part<members...>(w.usual))) return std::nullopt;
            } else if constexpr (!pairs) {
              if (a.need == Need::optional && value == part<members...>(w.usual)) return std::nullopt;
            }
            if constexpr (is_one_of<T, MarketIndex>)
              if (a.need == Need::first_market && value.value == w.names.markets.front()) return std::nullopt;
            return w.text(value);
          }};
}

// For orders; a type determined by the term writes it even if it has no value.
template <auto member>
Argument term(std::string_view intro, std::string_view field, bool (*of_type)(OrderType) = nullptr,
              std::string_view family = "", std::string_view what = "") {
  Argument argument = arg<&PlaceOrder::params, member>(field, intro, Need::optional, what);
  argument.of_type = of_type;
  argument.family = family;
  return argument;
}

// For markets.
template <auto member>
Argument trait(std::string_view name, Need need = Need::optional) {
  return arg<member>(name, name, need,
                     is_whole_number<std::remove_cvref_t<decltype(MarketSpec{}.*member)>> ? name : "its value");
}

template <auto member>
Argument in_market() {
  return arg<member>("market", "in", Need::first_market);
}

bool is_trailing_limit(OrderType type) {
  return type == OrderType::trailing_limit;
}

// The word "limit", for limit orders that no other word implies.
Argument type_of_order() {
  Argument argument = term<&OrderParams::type>("limit", "type");
  argument.form = Form::flag;
  argument.write = [](const Writing& w, const Argument&) -> std::optional<std::string> {
    const OrderParams& order = std::get<PlaceOrder>(w.act.body).params;
    const bool told =
        is_trailing_limit(order.type) ? order.limit_offset_bps.has_value() : order.price.grid != Grid::absent;
    return told || is_market_family(order.type) ? std::nullopt : std::optional("");
  };
  return argument;
}

struct Verb {
  std::string_view op;  // in JSON
  const char* word;     // in a text; nullptr if only in JSON, empty if the line begins with an account
  Act usual;
  std::vector<Argument> arguments;
};

// Defaults: the first market of the sandbox, without what would hinder a story.
Act usual_market() {
  MarketSpec usual = standard_markets().front();
  usual.min_notional = usual.open_interest_cap = {};
  usual.oracle_stale_after_ms = 0;
  usual.min_order_size = Lots{1};
  usual.max_order_size = Lots{std::numeric_limits<std::int64_t>::max()};
  usual.price_max = {};  // as the prices of the story need it
  return {.market = std::move(usual)};
}

const std::vector<Verb>& verbs() {
  using enum Need;
  using P = PlaceOrder;
  using O = OrderParams;
  static const CancelAll disconnect{.account = {},
                                    .market = {},
                                    .scope = CancelScope::resting_orders,  // conditionals stay (rule 3.14)
                                    .reason = CancelReason::cancel_on_disconnect};
  using M = MarketSpec;
  static const std::vector<Verb> table = {
      {"market",
       "market",
       usual_market(),
       {arg<&M::id>("id", "", required, "the market"),
        trait<&M::tick_size>("tick", recorded),
        trait<&M::lot_size>("lot", recorded),
        trait<&M::tiers>("tiers", recorded),
        trait<&M::max_leverage>("max_leverage", recorded),
        trait<&M::maker_fee>("maker_ppm"),
        trait<&M::taker_fee>("taker_ppm"),
        trait<&M::liquidation_fee>("liq_fee_ppm"),
        trait<&M::partial_threshold>("partial_threshold"),
        trait<&M::partial_fraction>("partial_frac"),
        trait<&M::backstop_fraction>("backstop"),
        trait<&M::partial_cooldown_ms>("cooldown_ms"),
        trait<&M::price_band>("band"),
        trait<&M::liquidation_band>("liq_band"),
        trait<&M::withdrawal_floor_rate>("wfr"),
        trait<&M::min_notional>("min_notional"),
        trait<&M::open_interest_cap>("oi_cap"),
        trait<&M::oracle_stale_after_ms>("stale_ms"),
        trait<&M::oracle_stale_after_ms>("oracle_stale_ms"),
        trait<&M::min_order_size>("min_order_size"),
        trait<&M::max_order_size>("max_order_size", recorded),
        trait<&M::price_max>("max_price", recorded)}},
      {"deposit", "deposit", {Deposit{}}, {arg<&Deposit::account>("account"), arg<&Deposit::amount>("amount")}},
      {"withdraw", "withdraw", {Withdraw{}}, {arg<&Withdraw::account>("account"), arg<&Withdraw::amount>("amount")}},
      {"fund_insurance", "insure", {FundInsurance{}}, {arg<&FundInsurance::amount>("amount")}},
      {"transfer",
       "transfer",
       {Transfer{}},
       {arg<&Transfer::from>("account"), arg<&Transfer::to>("to", "", required, "the other account"),
        arg<&Transfer::amount>("amount")}},
      {"set_mark", nullptr, {OracleTick{}}, {arg<&OracleTick::prices>("market"), arg<&OracleTick::prices>("price")}},
      {"set_marks", "mark", {OracleTick{}}, {arg<&OracleTick::prices>("marks")}},
      {"place",
       "",
       {P{.account = {}, .params = {.stp = StpMode::cancel_oldest}}},
       {arg<&P::account>("account"), arg<&P::params, &O::side>("side"), arg<&P::params, &O::quantity>("quantity"),
        term<&O::price>("@", "price", needs_price), term<&O::time_in_force>("", "tif"),
        term<&O::trigger>("stop", "trigger_price", is_stop, "Stop", "a trigger price"),
        term<&O::trigger>("profit", "trigger_price", is_take_profit, "TakeProfit", "a trigger price"),
        term<&O::trailing_offset_bps>("trail", "trailing_offset_bps", is_trailing, "Trailing"),
        term<&O::limit_offset_bps>("offset", "limit_offset_bps", is_trailing_limit), type_of_order(),
        term<&O::max_slippage_bps>("slippage", "max_slippage_bps"), term<&O::reduce_only>("reduce-only", "reduce_only"),
        term<&O::stp>("stp", "stp"), arg<&P::params, &O::market>("market", "in", first_market),
        term<&O::client_id>("id", "client_id"), arg<&Act::label>("label", "as", optional, "a label")}},
      {"amend",
       "amend",
       {AmendOrder{}},
       {arg<&AmendOrder::order>("order"), arg<&AmendOrder::price>("price", "@", optional),
        arg<&AmendOrder::size>("size", "to", optional, "a size"),
        arg<&Act::label>("label", "as", optional, "a label")}},
      {"cancel", "cancel", {CancelOrder{}}, {arg<&CancelOrder::order>("order")}},
      {"cancel_all",
       "cancel-all",
       {CancelAll{}},
       {arg<&CancelAll::account>("account"), arg<&CancelAll::market>("market", "in", optional)}},
      {"disconnect", "disconnect", {disconnect}, {arg<&CancelAll::account>("account")}},
      {"set_leverage",
       "leverage",
       {SetLeverage{}},
       {arg<&SetLeverage::account>("account"), arg<&SetLeverage::leverage>("leverage"),
        in_market<&SetLeverage::market>()}},
      {"set_margin_mode",
       "mode",
       {SetMarginMode{}},
       {arg<&SetMarginMode::account>("account"), arg<&SetMarginMode::mode>("mode", "", required, "cross or isolated"),
        in_market<&SetMarginMode::market>()}},
      {"margin",
       "margin",
       {AdjustMargin{}},
       {arg<&AdjustMargin::account>("account"),
        arg<&AdjustMargin::direction>("direction", "", required, "add or remove"), arg<&AdjustMargin::amount>("amount"),
        in_market<&AdjustMargin::market>()}},
      {"funding",
       "funding",
       {InjectFunding{}},
       {arg<&InjectFunding::rate>("rate", "", required, "a rate"),
        arg<&InjectFunding::index>("index", "at", required, "an index"), in_market<&InjectFunding::market>()}},
      {"advance_ms", "wait", {PassTime{}}, {arg<&Act::wait_ms>("ms", "", required, "milliseconds")}},
      {"halt", "halt", {HaltMarket{.market = {}, .reason = "told"}}, {arg<&HaltMarket::market>("market")}},
      {"operator_resume",
       "resume",
       {ResumeMarket{}},
       {arg<&ResumeMarket::market>("market"), arg<&ResumeMarket::inject>("inject", "with", optional)}},
      {"settle",
       "settle",
       {SettleMarket{}},
       {arg<&SettleMarket::market>("market"), arg<&SettleMarket::price>("price", "at")}},
      {"snapshot", nullptr, {PassTime{}}, {arg<&Act::snapshot>("name")}},
  };
  return table;
}

// That of a step in JSON; nullptr if there is none.
const Verb* step_verb(std::string_view op) {
  const auto verb = std::find_if(verbs().begin() + 1, verbs().end(), [&](const Verb& each) { return each.op == op; });
  return verb == verbs().end() ? nullptr : &*verb;
}

// The verb for such a command.
const Verb* verb_of(const engine::CommandBody& body) {
  for (const Verb& verb : std::span(verbs()).subspan(1)) {
    if (verb.word == nullptr || verb.usual.body.index() != body.index()) continue;
    const auto* all = std::get_if<CancelAll>(&body);
    if (all == nullptr || all->reason == std::get<CancelAll>(verb.usual.body).reason) return &verb;
  }
  return nullptr;
}

// An argument's value.
Said value_of(Words& words, const Argument& argument) {
  if (argument.form == Form::whole_number) return words.whole_number(argument.what);
  if (argument.form != Form::tiers) return words.text(argument.what);
  json tiers = json::array();
  for (const std::string& tier : split(words.next(argument.what), ',')) tiers.push_back(split(tier, ':'));
  return tiers;
}

// Terms in any order, each at most once. For orders, "-" means that a required term is missing.
void read_terms(Words& words, const Verb& verb, Record& step) {
  const bool order = *verb.word == '\0';
  std::string family;
  std::vector<std::string_view> given;
  const auto note = [&](std::string_view field) {
    if (std::ranges::find(given, field) != given.end()) fail(words.line(), std::string(field) + " is given twice");
    given.push_back(field);
  };
  while (!words.done()) {
    const std::string word = words.next("a term");
    const auto term = std::ranges::find(verb.arguments, word, &Argument::intro);
    if (order && trade::parse<TimeInForce>(word)) {
      note("tif");
      step.set("tif", word);
      continue;
    }
    if (term == verb.arguments.end()) fail(words.line(), "unknown term \"" + word + "\"");
    note(term->field);
    if (!term->family.empty()) family = term->family;
    if (term->form == Form::flag) {
      step.set(term->field, true);
    } else if (!order || !words.skip("-")) {
      step.set(term->field, value_of(words, *term));
    }
  }
  if (!order) return;
  const bool trailing = family == "Trailing";
  const bool limit = step.find("type") != nullptr || step.find(trailing ? "limit_offset_bps" : "price") != nullptr;
  step.set("type", family + (limit ? "Limit" : trailing ? "Stop" : "Market"));
}

// Throws OffGrid.
std::string line_of(const Verb& verb, const Writing& w) {
  const auto* place = std::get_if<PlaceOrder>(&w.act.body);
  std::string line = verb.word;
  const auto add = [&](std::string_view word) { line.append(line.empty() || word.empty() ? "" : " ").append(word); };
  for (const Argument& argument : verb.arguments) {
    if (argument.of_type != nullptr && !argument.of_type(place->params.type)) continue;
    auto text = argument.write(w, argument);
    if (!text && !argument.family.empty()) text = "-";
    if (!text || (text->empty() && argument.form != Form::flag)) {
      if (argument.need == Need::required) return "";
      continue;
    }
    add(argument.intro);
    add(*text);
  }
  return line;
}

Act read(Reading& reading, const Verb& verb) {
  reading.act = verb.usual;
  for (const bool first : {true, false})
    for (const Argument& argument : verb.arguments)
      if (argument.read_first == first) argument.take(reading, argument);
  reading.finish();
  return std::move(reading.act);
}

}  // namespace

Ticks nearest_tick(const MarketSpec& spec, const Rational& price) {
  i128 num = price.num;
  for (int i = 0; i < spec.tick_size.scale; ++i) num *= 10;
  const i128 ticks = div_round(num, price.den * spec.tick_size.coefficient, Rounding::half_up);
  constexpr i128 bound = std::numeric_limits<std::int64_t>::max();
  return {narrow(std::clamp(ticks, -bound, bound))};
}

MarketSpec market_of(const Record& record) {
  const std::vector<MarketSpec> none;
  Cast nobody{.markets = none};
  Reading reading(record, "market", nobody);
  MarketSpec spec = *read(reading, verbs().front()).market;
  spec.base_asset = spec.id.substr(0, spec.id.find('-'));
  return spec;
}

Act act_of(const Record& step, const std::string& where, Cast& cast) {
  Reading reading(step, where, cast);
  const std::string& op = reading.text(reading.at("op"));
  const Verb* const verb = step_verb(op);
  if (verb == nullptr) reading.fail("unknown op " + op);
  Act act = read(reading, *verb);
  if (act.wait_ms < 0) reading.fail("ms must not be negative");
  return act;
}

void note_accounts(const Record& step, std::map<std::string, Address>& accounts) {
  const auto* op = step.find<std::string>("op");
  const Verb* const verb = op != nullptr ? step_verb(*op) : nullptr;
  if (verb == nullptr) return;
  for (const Argument& argument : verb->arguments)
    if (const auto* name = argument.is_account ? step.find<std::string>(argument.field) : nullptr)
      accounts.try_emplace(*name);
}

Record read_market(const TextLine& line) {
  Words words(line);
  words.next("market");
  Record market;
  market.set("id", words.text("the market"));
  read_terms(words, verbs().front(), market);
  return market;
}

Record read_step(const TextLine& line, const std::string& market) {
  Words words(line);
  const std::string first = words.text("a step");
  const bool order = words.skip("buys") || words.skip("sells");
  const std::string_view word = order ? std::string_view() : first;
  const auto is_said = [&](const Verb& each) { return each.word != nullptr && each.word == word; };
  const auto verb = std::find_if(verbs().begin() + 1, verbs().end(), is_said);
  if (verb == verbs().end())
    fail(line, "neither a step nor an expectation: " + first + (line.words.size() > 1 ? " " + line.words[1] : ""));
  Record step;
  step.set("op", std::string(verb->op));
  if (order) {
    step.set("account", first);
    step.set("side", std::string(line.words[1] == "buys" ? "Buy" : "Sell"));
  }
  for (const Argument& argument : verb->arguments) {
    const bool in_place = argument.intro.empty() && argument.need == Need::required;
    if (argument.form == Form::pairs) {
      json pairs;
      do {
        const std::string name = words.text(argument.what);
        if (pairs.contains(name)) fail(line, name + " is given twice");
        pairs[name] = words.next("a price");
      } while (!words.done());
      step.set(argument.field, std::move(pairs));
    } else if (in_place ? step.find(argument.field) == nullptr : !order && words.skip(argument.intro)) {
      step.set(argument.field, value_of(words, argument));
    } else if (argument.need == Need::first_market) {
      step.set(argument.field, market);
    } else if (argument.need == Need::required && !in_place) {
      fail(line, "expected " + std::string(argument.intro) + " " + upper_case(argument.field));
    }
  }
  if (order) read_terms(words, *verb, step);
  words.finish();
  return step;
}

std::string market_line(const MarketSpec& spec) {
  Act act{.market = spec};
  act.market->oracle_stale_after_ms = 0;  // no price of a session ever goes stale
  return line_of(verbs().front(), Writing{act, verbs().front().usual, StoryNames{}});
}

std::string line_of(const Act& act, Reject reject, const StoryNames& names) {
  const Verb* verb = verb_of(act.body);
  if (verb == nullptr) return "";
  Act usual = verb->usual;
  Writing w{act, usual, names};
  const auto* place = std::get_if<PlaceOrder>(&act.body);
  if (place != nullptr && is_market_family(place->params.type))
    std::get<PlaceOrder>(usual.body).params.time_in_force = TimeInForce::ioc;
  const auto measure = [&](const auto& command) {
    if constexpr (requires { command.params; }) w.market = &names.specs.at(command.params.market.value);
    if constexpr (requires { MarketIndex{command.market}; }) w.market = &names.specs.at(command.market.value);
    if constexpr (requires { command.order; })
      if (const auto known = names.orders.find(command.order); known != names.orders.end())
        w.market = &names.specs.at(known->second.market.value);
  };
  std::visit(measure, act.body);
  try {
    const std::string line = line_of(*verb, w);
    return line.empty() || reject == Reject::none ? line : line + " -> " + std::string(to_string(reject));
  } catch (const OffGrid&) {
    const std::string what = place != nullptr ? w.text(place->account) + "'s order"
                                              : "amend " + w.text(std::get<AmendOrder>(act.body).order);
    return "# " + what + " was refused: " + std::string(to_string(reject));
  }
}

std::string verbs_in_markdown() {
  std::string table = "| op | in a text | fields |\n|---|---|---|\n";
  for (const Verb& verb : verbs()) {
    const bool is_step = &verb != &verbs().front();
    std::string text = verb.word == nullptr ? "" : is_step ? verb.word : "market ID [FIELD VALUE]...";
    std::string fields;
    for (const Argument& argument : verb.arguments) {
      const std::string field(argument.field);
      if (fields.find(field) == fields.npos) fields += (fields.empty() ? "" : ", ") + field;
      if (verb.word == nullptr || !is_step) continue;
      std::string said = argument.form == Form::flag    ? ""
                         : argument.form == Form::pairs ? "MARKET PRICE..."
                         : field == "side"              ? "buys/sells"
                                                        : upper_case(field);
      if (!argument.intro.empty()) said = std::string(argument.intro) + (said.empty() ? "" : " " + said);
      text += (text.empty() ? "" : " ") + (argument.need == Need::required ? said : "[" + said + "]");
    }
    table += "| " + std::string(is_step ? verb.op : "of a market") + " | " + (text.empty() ? "" : "`" + text + "`") +
             " | " + fields + " |\n";
  }
  return table;
}

}  // namespace svc::sim::scenario
