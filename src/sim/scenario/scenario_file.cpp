#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>

#include "base/limits.h"
#include "sim/scenario/difference.h"
#include "sim/scenario/session_text.h"
#include "sim/scenario/story.h"

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

template <trade::Word T>
T word(Fields& fields, const std::string& text) {
  const auto value = trade::parse<T>(text);
  if (!value) fields.fail("unknown word " + text);
  return *value;
}

engine::StpMode parse_stp_field(Fields& fields) {
  const auto text = fields.text_or_null("stp", "CancelOldest");
  return text ? word<engine::StpMode>(fields, *text) : engine::StpMode::none;
}

Step parse_place(Fields& fields) {
  PlaceStep step;
  step.account = fields.text("account");
  step.market = fields.text("market");
  step.side = word<engine::Side>(fields, fields.text("side"));
  step.type = word<engine::OrderType>(fields, fields.text("type", "Limit"));
  step.time_in_force =
      word<engine::TimeInForce>(fields, fields.text("tif", is_market_family(step.type) ? "IOC" : "GTC"));
  step.stp = parse_stp_field(fields);
  step.reduce_only = fields.flag("reduce_only");
  step.quantity = fields.decimal("quantity");
  step.price = fields.decimal_if_given("price");
  step.trigger = fields.decimal_if_given("trigger_price");
  step.trailing_offset_bps = fields.small_integer_if_given("trailing_offset_bps");
  step.limit_offset_bps = fields.small_integer_if_given("limit_offset_bps");
  step.max_slippage_bps = fields.small_integer_if_given("max_slippage_bps");
  step.client_id = fields.text("client_id", "");
  step.label = fields.text("label", "");
  return step;
}

Step parse_marks(Fields& fields) {
  SetMarksStep step;
  const json* marks = fields.raw("marks");
  if (marks == nullptr || !marks->is_object()) fields.fail("marks must be an object of market and price");
  Fields prices(*marks, "marks");
  for (const auto& [market, price] : marks->items()) step.marks.emplace_back(market, prices.rational(market.c_str()));
  return step;
}

Step parse_funding(Fields& fields) {
  const engine::Rational rate = fields.rational("rate");
  const i128 scaled = static_cast<i128>(rate.num) * ppb_one;
  if (scaled % rate.den != 0) fields.fail("rate is not a whole number of parts per billion");
  return FundingStep{fields.text("market"), {narrow(scaled / rate.den)}, fields.rational("index")};
}

using StepParser = std::function<Step(Fields&)>;

const std::map<std::string, StepParser>& step_parsers() {
  static const std::map<std::string, StepParser> parsers = {
      {"deposit",
       [](Fields& f) {
         return DepositStep{f.text("account"), f.amount("amount")};
       }},
      {"withdraw",
       [](Fields& f) {
         return WithdrawStep{f.text("account"), f.amount("amount")};
       }},
      {"fund_insurance", [](Fields& f) { return FundInsuranceStep{f.amount("amount")}; }},
      {"transfer",
       [](Fields& f) {
         return TransferStep{f.text("account"), f.text("to"), f.amount("amount")};
       }},
      {"set_mark",
       [](Fields& f) {
         return SetMarksStep{{{f.text("market"), f.rational("price")}}};
       }},
      {"set_marks", parse_marks},
      {"place", parse_place},
      {"amend",
       [](Fields& f) {
         return AmendStep{f.text("order"), f.decimal_if_given("price"), f.decimal_if_given("size"),
                          f.text("label", "")};
       }},
      {"cancel", [](Fields& f) { return CancelStep{f.text("order")}; }},
      {"cancel_all",
       [](Fields& f) {
         return CancelAllStep{f.text("account"), f.text_or_null("market", std::nullopt)};
       }},
      {"disconnect", [](Fields& f) { return DisconnectStep{f.text("account")}; }},
      {"set_leverage",
       [](Fields& f) {
         return SetLeverageStep{f.text("account"), f.text("market"), f.integer("leverage")};
       }},
      {"set_margin_mode",
       [](Fields& f) {
         return SetMarginModeStep{f.text("account"), f.text("market"), word<engine::MarginMode>(f, f.text("mode"))};
       }},
      {"margin",
       [](Fields& f) {
         return MarginStep{f.text("account"), f.text("market"), f.amount("amount"),
                           word<engine::MarginDirection>(f, f.text("direction"))};
       }},
      {"funding", parse_funding},
      {"advance_ms", [](Fields& f) { return AdvanceStep{f.integer("ms")}; }},
      {"halt", [](Fields& f) { return HaltStep{f.text("market")}; }},
      {"settle",
       [](Fields& f) {
         return SettleStep{f.text("market"), f.rational("price")};
       }},
      {"operator_resume",
       [](Fields& f) {
         return ResumeStep{f.text("market"), f.amount("inject", {})};
       }},
      {"snapshot", [](Fields& f) { return SnapshotStep{f.text("name")}; }},
  };
  return parsers;
}

Step parse_step(const json& object, const std::string& where) {
  Fields fields(object, where);
  const std::string op = fields.text("op");
  const auto parser = step_parsers().find(op);
  if (parser == step_parsers().end()) fields.fail("unknown op " + op);
  Step step = parser->second(fields);
  fields.finish();
  return step;
}

std::vector<engine::MarginTier> parse_tiers(Fields& fields, std::vector<engine::MarginTier> otherwise) {
  const json* rows = fields.raw("tiers");
  if (rows == nullptr) return otherwise;
  std::vector<engine::MarginTier> tiers;
  for (const json& row : *rows) {
    const bool shape =
        row.is_array() && row.size() == 3 && row[0].is_string() && row[1].is_string() && row[2].is_string();
    if (!shape) fields.fail("a tier is [lower notional, imr, mmr]");
    const auto lower = parse_scaled(row[0].get<std::string>(), usdx_decimals);
    const auto imr = engine::parse_rational(row[1].get<std::string>());
    const auto mmr = engine::parse_rational(row[2].get<std::string>());
    if (!lower || !imr || !mmr) fields.fail("a tier holds decimals or fractions");
    tiers.push_back({{*lower}, *imr, *mmr});
  }
  return tiers;
}

// Bounds that the story does not set are as wide as the arithmetic allows: prices up to a hundred times the
// highest that the story mentions for the market, and as many lots as that leaves.
void widen_bounds(engine::MarketSpec& spec, Fields& fields, const json& steps) {
  const auto ticks_of = [&](const json& text) -> std::int64_t {
    const auto price = text.is_string() ? engine::parse_rational(text.get<std::string>()) : std::nullopt;
    return price ? std::min(nearest_tick(spec, *price).value, limits::grid_units_max) : 0;
  };
  std::int64_t highest = 100;
  for (const json& step : steps) {
    if (!step.is_object()) continue;
    if (step.contains("market") && step["market"] != spec.id) continue;
    for (const char* name : {"price", "trigger_price", "index"}) {
      if (step.contains(name)) highest = std::max(highest, ticks_of(step[name]));
    }
    if (step.contains("marks") && step["marks"].is_object() && step["marks"].contains(spec.id)) {
      highest = std::max(highest, ticks_of(step["marks"][spec.id]));
    }
  }
  spec.price_max = {std::min(highest, limits::grid_units_max / 100) * 100};
  const std::int64_t unit = engine::quote_unit(spec);
  const i128 lots = static_cast<i128>(limits::order_value_max) / spec.price_max.value / unit;
  spec.max_order_size = {narrow(std::min<i128>(lots, limits::grid_units_max))};
  const auto lots_if_given = [&](const char* name, Lots otherwise) {
    const auto given = fields.decimal_if_given(name);
    if (!given) return otherwise;
    const auto multiple = to_multiple(*given, spec.lot_size);
    if (!multiple) fields.fail(std::string(name) + " is not a multiple of the lot");
    return Lots{*multiple};
  };
  spec.max_order_size = std::min(spec.max_order_size, lots_if_given("max_order_size", spec.max_order_size));
  spec.min_order_size = lots_if_given("min_order_size", Lots{1});
}

engine::MarketSpec parse_market(const json& object, const json& steps) {
  const engine::MarketSpec defaults = engine::standard_markets().front();
  Fields fields(object, "market");
  engine::MarketSpec spec = defaults;
  spec.id = fields.text("id");
  spec.base_asset = spec.id.substr(0, spec.id.find('-'));
  spec.tick_size = fields.decimal_if_given("tick").value_or(defaults.tick_size);
  spec.lot_size = fields.decimal_if_given("lot").value_or(defaults.lot_size);
  spec.tiers = parse_tiers(fields, defaults.tiers);
  spec.max_leverage = fields.integer("max_leverage", defaults.max_leverage);
  spec.maker_fee = {fields.integer("maker_ppm", defaults.maker_fee.value)};
  spec.taker_fee = {fields.integer("taker_ppm", defaults.taker_fee.value)};
  spec.liquidation_fee = {fields.integer("liq_fee_ppm", defaults.liquidation_fee.value)};
  spec.partial_threshold = fields.amount("partial_threshold", defaults.partial_threshold);
  spec.partial_fraction = fields.rational("partial_frac", defaults.partial_fraction);
  spec.backstop_fraction = fields.rational("backstop", defaults.backstop_fraction);
  spec.partial_cooldown_ms = fields.integer("cooldown_ms", defaults.partial_cooldown_ms);
  spec.price_band = fields.rational("band", defaults.price_band);
  spec.liquidation_band = fields.rational("liq_band", defaults.liquidation_band);
  spec.withdrawal_floor_rate = fields.rational("wfr", defaults.withdrawal_floor_rate);
  spec.min_notional = fields.amount("min_notional", {});
  spec.open_interest_cap = fields.amount("oi_cap", {});
  spec.oracle_stale_after_ms = fields.integer("oracle_stale_ms", fields.integer("stale_ms", 0));
  // The grid must be known before bounds are measured on it.
  engine::MarketSpec grid = spec;
  grid.price_max = Ticks{1};
  grid.min_order_size = grid.max_order_size = Lots{1};
  if (!engine::check_listing(grid)) fields.fail("tick, lot, tiers or fees break the listing rules");
  widen_bounds(spec, fields, steps);
  if (!engine::check_listing(spec)) fields.fail("its bounds break the listing rules");
  fields.finish();
  return spec;
}

Scenario parse_scenario(const json& vector) {
  Scenario scenario;
  const json& given = vector.at("given");
  const json& steps = given.at("steps");
  if (!steps.is_array()) throw FieldError{"steps must be an array"};
  if (!given.contains("markets") || !given["markets"].is_array() || given["markets"].empty()) {
    throw FieldError{"given.markets must be a list of markets"};
  }
  for (const json& market : given["markets"]) scenario.markets.push_back(parse_market(market, steps));
  if (given.contains("lines")) scenario.lines = given["lines"].get<std::vector<std::size_t>>();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    scenario.steps.push_back(parse_step(steps[i], place_of(i + 1, scenario.lines)));
  }
  scenario.expect = vector.value("expect", json::object());
  if (!scenario.expect.is_object()) throw FieldError{"expect must be an object"};
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

// The parser's message without its own name for it: "parse error at line 3, column 7: ...".
Result<json, std::string> read_json(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::string what = error.what();
    const auto name_end = what.find("] ");
    return unexpected("not valid JSON: " + (name_end == std::string::npos ? what : what.substr(name_end + 2)));
  }
}

}  // namespace

Ticks nearest_tick(const engine::MarketSpec& spec, const engine::Rational& price) {
  i128 num = price.num;
  for (int i = 0; i < spec.tick_size.scale; ++i) num *= 10;
  const i128 ticks = div_round(num, price.den * spec.tick_size.coefficient, Rounding::half_up);
  constexpr i128 bound = std::numeric_limits<std::int64_t>::max();
  return {narrow(std::clamp(ticks, -bound, bound))};
}

Result<ScenarioFile, std::string> parse_scenario_file(std::string_view text) {
  auto read = SVC_TRY(is_story_text(text) ? read_story_text(text) : read_json(text));
  const json& document = read;
  if (!document.is_object() || !document.contains("vectors") || !document["vectors"].is_array()) {
    return unexpected(std::string("expected an object with a list of vectors"));
  }
  ScenarioFile file;
  if (document.contains("topic") && document["topic"].is_string()) file.topic = document["topic"].get<std::string>();
  for (const json& vector : document["vectors"]) file.vectors.push_back(parse_vector(vector));
  return file;
}

namespace {

std::vector<std::string> run(const Scenario& scenario) {
  try {
    Story story(scenario);
    story.tell();
    std::vector<std::string> found = differences(scenario.expect, story.outcome(), scenario.lines);
    found.insert(found.end(), story.violations().begin(), story.violations().end());
    return found;
  } catch (const FieldError& error) {
    return {error.text};
  }
}

ScenarioResult run(const Vector& vector) {
  ScenarioResult result{.id = vector.id, .title = vector.title, .verdict = Verdict::skipped, .differences = {}};
  if (!vector.scenario && vector.error.empty()) return result;
  result.differences = vector.scenario ? run(*vector.scenario) : std::vector{vector.error};
  result.verdict = result.differences.empty() ? Verdict::passed : Verdict::failed;
  return result;
}

}  // namespace

std::size_t ScenarioReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const ScenarioResult& result) { return result.verdict == verdict; }));
}

Result<ScenarioReport, std::string> run_scenarios(std::string_view text) {
  auto file = SVC_TRY(parse_scenario_file(text));
  ScenarioReport report{.topic = file.topic, .results = {}};
  for (const Vector& vector : file.vectors) report.results.push_back(run(vector));
  return report;
}

Result<ScenarioReport, std::string> run_scenario_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return unexpected("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return run_scenarios(text);
}

Fields::Fields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) fail("is not an object");
}

void Fields::fail(const std::string& what) const {
  throw FieldError{where_ + ": " + what};
}

const nlohmann::json* Fields::raw(const char* name) {
  asked_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const nlohmann::json* Fields::find(const char* name) {
  const auto* value = raw(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

// A whole number may stand without quotes: nothing is lost by it. A fractional one may not.
std::string Fields::number_text(const char* name) {
  const auto* value = find(name);
  if (value != nullptr && value->is_number_integer()) return value->dump();
  return text(name);
}

std::string Fields::text(const char* name) {
  const auto* value = find(name);
  if (value == nullptr || !value->is_string()) fail(std::string(name) + " must be a string");
  return value->get<std::string>();
}

std::string Fields::text(const char* name, const std::string& otherwise) {
  return find(name) == nullptr ? otherwise : text(name);
}

std::optional<std::string> Fields::text_or_null(const char* name, std::optional<std::string> otherwise) {
  const auto* value = raw(name);
  if (value == nullptr) return otherwise;
  if (value->is_null()) return std::nullopt;
  return text(name);
}

Decimal Fields::decimal(const char* name) {
  const auto parsed = parse_decimal(number_text(name));
  if (!parsed) fail(std::string(name) + " " + to_string(parsed.error()));
  return *parsed;
}

std::optional<Decimal> Fields::decimal_if_given(const char* name) {
  if (find(name) == nullptr) return std::nullopt;
  return decimal(name);
}

Usdx Fields::amount(const char* name) {
  const auto scaled = to_scaled(decimal(name), usdx_decimals);
  if (!scaled) fail(std::string(name) + " " + to_string(scaled.error()));
  return {*scaled};
}

Usdx Fields::amount(const char* name, Usdx otherwise) {
  return find(name) == nullptr ? otherwise : amount(name);
}

engine::Rational Fields::rational(const char* name) {
  const auto parsed = engine::parse_rational(number_text(name));
  if (!parsed) fail(std::string(name) + " must be a decimal or a fraction such as 1/3");
  return *parsed;
}

engine::Rational Fields::rational(const char* name, engine::Rational otherwise) {
  return find(name) == nullptr ? otherwise : rational(name);
}

std::int64_t Fields::integer(const char* name) {
  const auto* value = find(name);
  if (value == nullptr || !value->is_number_integer()) fail(std::string(name) + " must be an integer");
  return value->get<std::int64_t>();
}

std::int64_t Fields::integer(const char* name, std::int64_t otherwise) {
  return find(name) == nullptr ? otherwise : integer(name);
}

std::optional<std::int32_t> Fields::small_integer_if_given(const char* name) {
  if (find(name) == nullptr) return std::nullopt;
  const std::int64_t wide = integer(name);
  if (wide < std::numeric_limits<std::int32_t>::min() || wide > std::numeric_limits<std::int32_t>::max()) {
    fail(std::string(name) + " does not fit 32 bits");
  }
  return static_cast<std::int32_t>(wide);
}

bool Fields::flag(const char* name) {
  const auto* value = find(name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) fail(std::string(name) + " must be true or false");
  return value->get<bool>();
}

void Fields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (!asked_.contains(name)) fail("unknown field " + name);
  }
}

}  // namespace svc::sim::scenario
