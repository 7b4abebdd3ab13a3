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

// A hundred times the highest price in the story for the market.
Ticks ample_price(const engine::MarketSpec& spec, std::span<const std::optional<Record>> steps) {
  std::int64_t highest = 100;
  const auto mention = [&](const std::string* said) {
    const auto price = said != nullptr ? engine::parse_rational(*said) : std::nullopt;
    if (price) highest = std::max(highest, std::min(nearest_tick(spec, *price).value, limits::grid_units_max));
  };
  const Said none = json();
  std::map<Said, Said> market_of_order;  // by label; steps that change an order name no market
  for (const auto& step : steps) {
    if (!step) continue;
    const Said* market = step->find("market");
    if (const Said* order = step->find("order"); market == nullptr && order != nullptr)
      market = &market_of_order.try_emplace(*order, none).first->second;
    if (market == nullptr) market = &none;
    if (const Said* label = step->find("label")) market_of_order.insert_or_assign(*label, *market);
    if (*market != none && *market != Said(spec.id)) continue;
    for (const char* name : {"price", "trigger_price", "index"}) mention(step->find<std::string>(name));
    const auto* marks = step->find<json>("marks");
    if (marks != nullptr && marks->is_object() && marks->contains(spec.id))
      mention(marks->at(spec.id).get_ptr<const std::string*>());
  }
  return {std::min(highest, limits::grid_units_max / 100) * 100};
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
      throw Unreadable{std::string("market: ") + name + " must be above 0 and at most 1"};
}

engine::MarketSpec parse_market(const std::optional<Record>& told, std::span<const std::optional<Record>> steps) {
  if (!told) throw Unreadable{"market: is not an object"};
  engine::MarketSpec spec = market_of(*told);
  check_parts(spec);
  // The grid must be known before bounds are measured on it.
  engine::MarketSpec grid = spec;
  grid.price_max = Ticks{1};
  grid.min_order_size = grid.max_order_size = Lots{1};
  if (!engine::check_listing(grid)) throw Unreadable{"market: tick, lot, tiers or fees break the listing rules"};
  if (spec.price_max == Ticks{}) spec.price_max = ample_price(spec, steps);
  if (spec.price_max < Ticks{1}) throw Unreadable{"market: max_price must be above 0"};
  // As many lots as the arithmetic allows.
  const i128 lots = static_cast<i128>(limits::order_value_max) / spec.price_max.value / engine::quote_unit(spec);
  const Lots widest{narrow(std::min<i128>(lots, limits::grid_units_max))};
  spec.max_order_size = std::min(spec.max_order_size, widest);
  if (!engine::check_listing(spec)) throw Unreadable{"market: its bounds break the listing rules"};
  return spec;
}

Scenario scenario_of(UncheckedScenario unchecked) {
  Scenario scenario;
  for (const auto& market : unchecked.markets) {
    engine::MarketSpec spec = parse_market(market, unchecked.steps);
    if (std::ranges::find(scenario.markets, spec.id, &engine::MarketSpec::id) != scenario.markets.end())
      throw Unreadable{"market: two are called " + spec.id};
    scenario.markets.push_back(std::move(spec));
  }
  if (const auto& limit = unchecked.open_orders) {
    if (!limit->is_number_integer() || *limit < 1 || *limit > limits::open_orders_max)
      throw Unreadable{"open_orders must be from 1 to " + std::to_string(limits::open_orders_max)};
    limit->get_to(scenario.open_orders_max);
  }
  if (unchecked.lines) unchecked.lines->get_to(scenario.lines);
  for (const auto& step : unchecked.steps)
    if (step) note_accounts(*step, scenario.accounts);
  hand_out_addresses(scenario.accounts);
  scenario.steps.reserve(unchecked.steps.size());
  scenario.acts.reserve(unchecked.steps.size());
  Cast cast{.markets = scenario.markets, .accounts = scenario.accounts};
  TimestampMs now_ms = story_begins_ms;
  for (auto& step : unchecked.steps) {
    const std::string place = place_of(scenario.steps.size() + 1, scenario.lines);
    if (!step) throw Unreadable{place + ": is not an object"};
    scenario.steps.push_back(*std::move(step));
    const Act& act = scenario.acts.emplace_back(act_of(scenario.steps.back(), place, cast));
    if (act.wait_ms > limits::clock_ms_max - now_ms) throw Unreadable{place + ": time would pass the year 9999"};
    now_ms += act.wait_ms;
  }
  // Not optional: one that is misspelled would compare nothing.
  if (!unchecked.expect.is_object()) throw Unreadable{"expect must be an object"};
  scenario.expect = std::move(unchecked.expect);
  return scenario;
}

UncheckedScenario unchecked_in_json(const json& vector) {
  const json& given = vector.at("given");
  constexpr std::string_view known[] = {"markets", "steps", "open_orders", "lines"};
  for (const auto& [name, value] : given.items())
    if (std::ranges::find(known, name) == std::end(known)) throw Unreadable{"given: unknown field " + name};
  const json& steps = given.at("steps");
  if (!steps.is_array()) throw Unreadable{"steps must be an array"};
  if (!given.contains("markets") || !given["markets"].is_array() || given["markets"].empty()) {
    throw Unreadable{"given.markets must be a list of markets"};
  }
  UncheckedScenario unchecked;
  std::ranges::transform(given["markets"], std::back_inserter(unchecked.markets), record_of);
  std::ranges::transform(steps, std::back_inserter(unchecked.steps), record_of);
  if (given.contains("open_orders")) unchecked.open_orders = given["open_orders"];
  if (given.contains("lines")) unchecked.lines = given["lines"];
  unchecked.expect = vector.value("expect", json());
  return unchecked;
}

// A vector whose scenario is read by `read`, which may throw.
template <class Read>
Vector vector_with(std::string id, std::string title, Read read) {
  Vector vector{.id = std::move(id), .title = std::move(title), .scenario = {}, .error = {}};
  try {
    vector.scenario = read();
  } catch (const Unreadable& error) {
    vector.error = error.text;
  } catch (const json::exception& error) {
    vector.error = error.what();
  }
  return vector;
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
  return story ? vector_with(vector.id, vector.title, [&] { return scenario_of(unchecked_in_json(object)); }) : vector;
}

Result<ScenarioFile, std::string> parse_document(const json& document) {
  if (!document.is_object() || !document.contains("vectors") || !document["vectors"].is_array()) {
    return unexpected("expected an object with a list of vectors");
  }
  ScenarioFile file;
  if (document.contains("topic") && document["topic"].is_string()) file.topic = document["topic"].get<std::string>();
  for (const json& vector : document["vectors"]) file.vectors.push_back(parse_vector(vector));
  return file;
}

ScenarioResult run(const Vector& vector) {
  ScenarioResult result{.id = vector.id, .title = vector.title, .verdict = Verdict::skipped, .differences = {}};
  if (!vector.scenario && vector.error.empty()) return result;
  if (vector.scenario) {
    const StoryResult came = run_story(*vector.scenario, Telling::expected);
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

Vector vector_of(UncheckedScenario unchecked) {
  return vector_with(unchecked.id, unchecked.title, [&] { return scenario_of(std::move(unchecked)); });
}

Result<ScenarioFile, std::string> parse_scenario_file(std::string_view text) {
  if (!is_story_text(text)) return parse_document(SVC_TRY(signing::parse_json_document(text)));
  auto told = SVC_TRY(read_story_text(text));
  ScenarioFile file{.topic = std::move(told.topic), .vectors = {}};
  for (UncheckedScenario& scenario : told.scenarios) file.vectors.push_back(vector_of(std::move(scenario)));
  return file;
}

Result<ScenarioReport, std::string> run_scenarios(std::string_view text) {
  auto file = SVC_TRY(parse_scenario_file(text));
  ScenarioReport report{.topic = file.topic, .results = {}};
  for (const Vector& vector : file.vectors) report.results.push_back(run(vector));
  return report;
}

}  // namespace svc::sim::scenario
