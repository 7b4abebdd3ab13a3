#include "sim/scenario/scenario_file.h"

#include <algorithm>

#include "base/limits.h"
#include "signing/json_document.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/verbs.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

// The engine breaks ties by address, stories by name: addresses are assigned in name order.
void hand_out_addresses(std::map<std::string, Address>& accounts) {
  std::uint32_t rank = 0;
  for (auto& [name, address] : accounts) {
    ++rank;
    for (std::size_t byte = 0; byte < 4; ++byte)
      address.bytes[19 - byte] = static_cast<std::uint8_t>(rank >> (8 * byte));
  }
}

// Prices up to a hundred times the highest in the story for the market, and as many lots as the arithmetic allows.
void widen_bounds(engine::MarketSpec& spec, const json& steps) {
  std::int64_t highest = 100;
  const auto mention = [&](const json& object, const std::string& name) {
    const auto text = object.is_object() && object.contains(name) ? object[name] : json();
    const auto price = text.is_string() ? engine::parse_rational(text.get<std::string>()) : std::nullopt;
    if (price) highest = std::max(highest, std::min(nearest_tick(spec, *price).value, limits::grid_units_max));
  };
  std::map<json, json> market_of_order;  // by label; steps that change an order name no market
  for (const json& step : steps) {
    if (!step.is_object()) continue;
    const json named = step.contains("order") ? market_of_order[step["order"]] : json();
    const json market = step.value("market", named);
    if (step.contains("label")) market_of_order[step["label"]] = market;
    if (!market.is_null() && market != spec.id) continue;
    for (const char* name : {"price", "trigger_price", "index"}) mention(step, name);
    if (step.contains("marks")) mention(step["marks"], spec.id);
  }
  spec.price_max = {std::min(highest, limits::grid_units_max / 100) * 100};
  const i128 lots = static_cast<i128>(limits::order_value_max) / spec.price_max.value / engine::quote_unit(spec);
  const Lots widest{narrow(std::min<i128>(lots, limits::grid_units_max))};
  spec.max_order_size = std::min(spec.max_order_size, widest);
}

// Names a field that is no such part, which the listing rules would not.
void check_parts(const engine::MarketSpec& spec) {
  using M = engine::MarketSpec;
  constexpr std::pair<const char*, engine::Rational M::*> parts[] = {{"partial_frac", &M::partial_fraction},
                                                                     {"backstop", &M::backstop_fraction},
                                                                     {"band", &M::price_band},
                                                                     {"liq_band", &M::liquidation_band},
                                                                     {"wfr", &M::withdrawal_floor_rate}};
  for (const auto& [name, part] : parts)
    if (const engine::Rational& rate = spec.*part; rate.num <= 0 || rate.num > rate.den)
      throw FieldError{std::string("market: ") + name + " must be above 0 and at most 1"};
}

engine::MarketSpec parse_market(const json& object, const json& steps) {
  engine::MarketSpec spec = market_of(object);
  check_parts(spec);
  // The grid must be known before bounds are measured on it.
  engine::MarketSpec grid = spec;
  grid.price_max = Ticks{1};
  grid.min_order_size = grid.max_order_size = Lots{1};
  if (!engine::check_listing(grid)) throw FieldError{"market: tick, lot, tiers or fees break the listing rules"};
  widen_bounds(spec, steps);
  if (!engine::check_listing(spec)) throw FieldError{"market: its bounds break the listing rules"};
  return spec;
}

Scenario parse_scenario(const json& vector) {
  Scenario scenario;
  const json& given = vector.at("given");
  Fields known(given, "given");
  for (const char* name : {"markets", "steps", "open_orders", "lines"}) static_cast<void>(known.raw(name));
  known.finish();
  const json& steps = given.at("steps");
  if (!steps.is_array()) throw FieldError{"steps must be an array"};
  if (!given.contains("markets") || !given["markets"].is_array() || given["markets"].empty()) {
    throw FieldError{"given.markets must be a list of markets"};
  }
  for (const json& market : given["markets"]) {
    engine::MarketSpec spec = parse_market(market, steps);
    if (std::ranges::find(scenario.markets, spec.id, &engine::MarketSpec::id) != scenario.markets.end())
      throw FieldError{"market: two are called " + spec.id};
    scenario.markets.push_back(std::move(spec));
  }
  if (given.contains("open_orders")) {
    const json& limit = given["open_orders"];
    if (!limit.is_number_integer() || limit < 1 || limit > limits::open_orders_max)
      throw FieldError{"open_orders must be from 1 to " + std::to_string(limits::open_orders_max)};
    limit.get_to(scenario.open_orders_max);
  }
  if (given.contains("lines")) scenario.lines = given["lines"].get<std::vector<std::size_t>>();
  Cast cast{scenario.markets};
  TimestampMs now_ms = story_begins_ms;
  for (const json& step : steps) {
    scenario.steps.push_back(step);
    const std::string place = place_of(scenario.steps.size(), scenario.lines);
    const Act act = act_of(step, place, cast);
    if (act.wait_ms > limits::clock_ms_max - now_ms) throw FieldError{place + ": time would pass the year 9999"};
    now_ms += act.wait_ms;
  }
  scenario.accounts = std::move(cast.accounts);
  hand_out_addresses(scenario.accounts);
  // Not optional: one that is misspelled would compare nothing.
  if (!vector.contains("expect") || !vector["expect"].is_object()) throw FieldError{"expect must be an object"};
  scenario.expect = vector["expect"];
  return scenario;
}

Vector parse_vector(const json& object) {
  Vector vector;
  if (!object.is_object() || !object.contains("id") || !object["id"].is_string()) {
    vector.error = "a vector must have an id";
    return vector;
  }
  vector.id = object["id"].get<std::string>();
  if (object.contains("title") && object["title"].is_string()) vector.title = object["title"].get<std::string>();
  const bool story = object.contains("given") && object["given"].is_object() && object["given"].contains("steps");
  if (!story) return vector;
  try {
    vector.scenario = parse_scenario(object);
  } catch (const FieldError& error) {
    vector.error = error.text;
  } catch (const json::exception& error) {
    vector.error = error.what();
  }
  return vector;
}

ScenarioResult run(const Vector& vector) {
  ScenarioResult result{.id = vector.id, .title = vector.title, .verdict = Verdict::skipped, .differences = {}};
  if (!vector.scenario && vector.error.empty()) return result;
  if (vector.scenario) {
    const StoryResult came = run_story(*vector.scenario);
    result.differences = differences(vector.scenario->expect, came.outcome, vector.scenario->lines);
    result.differences.insert(result.differences.end(), came.violations.begin(), came.violations.end());
  } else {
    result.differences = {vector.error};
  }
  result.verdict = result.differences.empty() ? Verdict::passed : Verdict::failed;
  return result;
}

}  // namespace

bool is_story_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || (text[first] != '{' && text[first] != '[');
}

Result<ScenarioFile, std::string> parse_scenario_file(std::string_view text) {
  return parse_scenario_document(
      SVC_TRY(is_story_text(text) ? read_story_text(text) : signing::parse_json_document(text)));
}

Result<ScenarioFile, std::string> parse_scenario_document(const json& document) {
  if (!document.is_object() || !document.contains("vectors") || !document["vectors"].is_array()) {
    return unexpected("expected an object with a list of vectors");
  }
  ScenarioFile file;
  if (document.contains("topic") && document["topic"].is_string()) file.topic = document["topic"].get<std::string>();
  for (const json& vector : document["vectors"]) file.vectors.push_back(parse_vector(vector));
  return file;
}

Result<ScenarioReport, std::string> run_scenarios(std::string_view text) {
  auto file = SVC_TRY(parse_scenario_file(text));
  ScenarioReport report{.topic = file.topic, .results = {}};
  for (const Vector& vector : file.vectors) report.results.push_back(run(vector));
  return report;
}

}  // namespace svc::sim::scenario
