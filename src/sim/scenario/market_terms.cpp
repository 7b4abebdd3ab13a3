#include "sim/scenario/market_terms.h"

#include <algorithm>
#include <limits>

#include "base/limits.h"
#include "sim/scenario/fields.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;
using namespace engine;

struct MarketTerm {
  const char* name;
  void (*take)(Fields&, const char* name, MarketSpec&);
  std::string (*spell)(const MarketSpec&);
  bool whole_number = false;
  bool always_written = false;
};

template <auto member>
constexpr MarketTerm term(const char* name, bool always_written = false) {
  using T = std::remove_cvref_t<decltype(MarketSpec{}.*member)>;
  return {.name = name,
          .take = [](Fields& fields, const char* field, MarketSpec& spec) { fields.take(field, spec.*member); },
          .spell = [](const MarketSpec& spec) { return Spelling::of(spec.*member); },
          .whole_number = is_whole_number<T>,
          .always_written = always_written};
}

constexpr MarketTerm market_terms[] = {
    term<&MarketSpec::tick_size>("tick", true),
    term<&MarketSpec::lot_size>("lot", true),
    term<&MarketSpec::tiers>("tiers", true),
    term<&MarketSpec::max_leverage>("max_leverage", true),
    term<&MarketSpec::maker_fee>("maker_ppm"),
    term<&MarketSpec::taker_fee>("taker_ppm"),
    term<&MarketSpec::liquidation_fee>("liq_fee_ppm"),
    term<&MarketSpec::partial_threshold>("partial_threshold"),
    term<&MarketSpec::partial_fraction>("partial_frac"),
    term<&MarketSpec::backstop_fraction>("backstop"),
    term<&MarketSpec::partial_cooldown_ms>("cooldown_ms"),
    term<&MarketSpec::price_band>("band"),
    term<&MarketSpec::liquidation_band>("liq_band"),
    term<&MarketSpec::withdrawal_floor_rate>("wfr"),
    term<&MarketSpec::min_notional>("min_notional"),
    term<&MarketSpec::open_interest_cap>("oi_cap"),
    term<&MarketSpec::oracle_stale_after_ms>("stale_ms"),
    term<&MarketSpec::oracle_stale_after_ms>("oracle_stale_ms"),
};

// What a story leaves out is that of the first market of the sandbox, but for what would stand in its way.
MarketSpec usual_market() {
  MarketSpec spec = standard_markets().front();
  spec.min_notional = spec.open_interest_cap = {};
  spec.oracle_stale_after_ms = 0;
  return spec;
}

// Prices up to a hundred times the highest that the story mentions for the market, and as many lots as the arithmetic
// leaves.
void widen_bounds(MarketSpec& spec, Fields& fields, const json& steps) {
  std::int64_t highest = 100;
  const auto mention = [&](const json& object, const std::string& name) {
    const auto text = object.is_object() && object.contains(name) ? object[name] : json();
    const auto price = text.is_string() ? parse_rational(text.get<std::string>()) : std::nullopt;
    if (price) highest = std::max(highest, std::min(nearest_tick(spec, *price).value, limits::grid_units_max));
  };
  for (const json& step : steps) {
    if (!step.is_object() || (step.contains("market") && step["market"] != spec.id)) continue;
    for (const char* name : {"price", "trigger_price", "index"}) mention(step, name);
    if (step.contains("marks")) mention(step["marks"], spec.id);
  }
  spec.price_max = {std::min(highest, limits::grid_units_max / 100) * 100};
  const i128 lots = static_cast<i128>(limits::order_value_max) / spec.price_max.value / quote_unit(spec);
  const Lots widest{narrow(std::min<i128>(lots, limits::grid_units_max))};
  const auto lots_or = [&](const char* name, Lots otherwise) {
    if (!fields.given(name)) return otherwise;
    const auto multiple = to_multiple(fields.get<Decimal>(name), spec.lot_size);
    if (!multiple) fields.fail(std::string(name) + " is not a multiple of the lot");
    return Lots{*multiple};
  };
  spec.max_order_size = std::min(widest, lots_or("max_order_size", widest));
  spec.min_order_size = lots_or("min_order_size", Lots{1});
}

}  // namespace

MarketSpec market_of(const json& object, const json& steps) {
  Fields fields(object, "market");
  MarketSpec spec = usual_market();
  fields.take("id", spec.id);
  spec.base_asset = spec.id.substr(0, spec.id.find('-'));
  for (const MarketTerm& term : market_terms)
    if (fields.given(term.name)) term.take(fields, term.name, spec);
  // The grid must be known before bounds are measured on it.
  MarketSpec grid = spec;
  grid.price_max = Ticks{1};
  grid.min_order_size = grid.max_order_size = Lots{1};
  if (!check_listing(grid)) fields.fail("tick, lot, tiers or fees break the listing rules");
  widen_bounds(spec, fields, steps);
  if (!check_listing(spec)) fields.fail("its bounds break the listing rules");
  fields.finish();
  return spec;
}

json read_market(const TextLine& line) {
  Words words(line);
  words.next("market");
  json market = {{"id", words.next("the market")}};
  while (!words.done()) {
    const std::string name = words.next("a field");
    const auto* term = std::ranges::find(market_terms, name, &MarketTerm::name);
    const bool whole_number = term != std::end(market_terms) && term->whole_number;
    if (name == "tiers") {
      for (const std::string& tier : split(words.next("tiers"), ',')) market[name].push_back(split(tier, ':'));
    } else {
      market[name] = words.value(whole_number ? name.c_str() : "its value", whole_number);
    }
  }
  return market;
}

std::string market_line(const MarketSpec& spec) {
  const MarketSpec usual = usual_market();
  std::string line = "market " + spec.id;
  for (const MarketTerm& term : market_terms)
    // No price of a session ever goes stale.
    if (term.always_written ||
        (!std::string_view(term.name).ends_with("stale_ms") && term.spell(spec) != term.spell(usual)))
      line += std::string(" ") + term.name + " " + term.spell(spec);
  if (spec.min_order_size != Lots{1}) line += " min_order_size " + format_lots(spec, spec.min_order_size);
  return line + " max_order_size " + format_lots(spec, spec.max_order_size);
}

Ticks nearest_tick(const MarketSpec& spec, const Rational& price) {
  i128 num = price.num;
  for (int i = 0; i < spec.tick_size.scale; ++i) num *= 10;
  const i128 ticks = div_round(num, price.den * spec.tick_size.coefficient, Rounding::half_up);
  constexpr i128 bound = std::numeric_limits<std::int64_t>::max();
  return {narrow(std::clamp(ticks, -bound, bound))};
}

}  // namespace svc::sim::scenario
