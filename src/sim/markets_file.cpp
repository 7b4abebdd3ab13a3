#include "sim/markets_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "api/market_id.h"
#include "base/decimal.h"
#include "base/limits.h"

namespace svc::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t markets_max = 32;

// One object, read member by member; the first thing that is wrong stays.
class MarketReader {
 public:
  explicit MarketReader(const Json& object) : object_(object) {}

  [[nodiscard]] std::optional<std::string> text(const char* name) {
    seen_.insert(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number()) return found->dump();
    fail(std::string(name) + " must be a text or a number");
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Decimal> decimal(const char* name) {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto value = parse_decimal(*given);
    if (!value || value->coefficient <= 0) {
      fail(std::string(name) + " must be a positive decimal");
      return std::nullopt;
    }
    return *value;
  }
  void whole(const char* name, std::int64_t low, std::int64_t high, std::int64_t& into) {
    const auto given = text(name);
    if (!given) return;
    const auto value = parse_scaled(*given, 0);
    if (!value || *value < low || *value > high)
      return fail(std::string(name) + " must be from " + std::to_string(low) + " to " + std::to_string(high));
    into = *value;
  }
  void money(const char* name, Usdx& into) {
    const auto given = text(name);
    if (!given) return;
    const auto value = parse_scaled(*given, usdx_decimals);
    if (!value || *value < 0) return fail(std::string(name) + " must be an amount of USDX");
    into = {*value};
  }
  void check_names() {
    for (const auto& [name, value] : object_.items())
      if (!seen_.contains(name)) fail("there is no " + name + " in a market");
  }

  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const Json& object_;
  std::set<std::string> seen_;
  std::string problem_;
};

engine::MarketSpec beginning_of(const std::string& id, MarketReader& reader) {
  auto standard = engine::standard_markets();
  const auto known = std::ranges::find(standard, id, &engine::MarketSpec::id);
  if (known != standard.end()) return *known;
  engine::MarketSpec spec = standard.back();
  spec.id = id;
  spec.base_asset = id.substr(0, id.find('-'));
  spec.open_interest_cap = {};
  const auto tick = reader.decimal("tick_size");
  const auto lot = reader.decimal("lot_size");
  if (!tick || !lot) {
    reader.fail("tick_size and lot_size are needed");
    return spec;
  }
  spec.tick_size = *tick;
  spec.lot_size = *lot;
  return spec;
}

// As wide as the grid allows, unless it says otherwise.
void bound(engine::MarketSpec& spec, MarketReader& reader) {
  const auto listed = engine::check_listing(spec);
  if (listed || listed.error() != engine::ListingError::bounds) return;
  spec.price_max = {100'000'000};
  const std::int64_t unit = std::max<std::int64_t>(1, engine::quote_unit(spec));
  spec.max_order_size = {
      std::min<std::int64_t>(limits::order_value_max / spec.price_max.value / unit, limits::grid_units_max)};
  if (spec.max_order_size < Lots{1}) reader.fail("tick_size and lot_size are too large together");
}

engine::MarketSpec read_market(const std::string& id, MarketReader& reader, std::string& price) {
  engine::MarketSpec spec = beginning_of(id, reader);
  if (const auto tick = reader.decimal("tick_size")) spec.tick_size = *tick;
  if (const auto lot = reader.decimal("lot_size")) spec.lot_size = *lot;
  reader.whole("max_leverage", 1, limits::leverage_max, spec.max_leverage);
  if (spec.max_leverage != 0 && reader.text("max_leverage"))
    spec.tiers = {{.lower_notional = {}, .imr = {1, spec.max_leverage}, .mmr = {1, 2 * spec.max_leverage}}};
  reader.whole("maker_fee_ppm", -100'000, 100'000, spec.maker_fee.value);
  reader.whole("taker_fee_ppm", 0, 100'000, spec.taker_fee.value);
  reader.money("min_notional", spec.min_notional);
  reader.money("open_interest_cap", spec.open_interest_cap);
  reader.money("impact_notional", spec.impact_notional);
  const auto price_given = reader.decimal("price");
  if (!price_given) reader.fail("price is needed: where it starts");
  const auto most = reader.decimal("max_order_size");
  reader.check_names();
  if (!reader.problem().empty()) return spec;
  bound(spec, reader);
  if (!reader.problem().empty()) return spec;
  if (most) {
    const auto lots = engine::measure_lots(spec, *most);
    if (lots.grid != engine::Grid::on) reader.fail("max_order_size must be a multiple of lot_size");
    spec.max_order_size = lots.value;
  }
  if (!engine::check_listing(spec))
    reader.fail(
        "its terms break the listing rules: tick_size times lot_size is a multiple of 0.000001, and fees of "
        "maker and taker together are not negative");
  if (!reader.problem().empty()) return spec;
  const auto measured = engine::measure_price(spec, *price_given);
  if (measured.grid != engine::Grid::on || measured.value > spec.price_max || measured.value < Ticks{1})
    reader.fail("price must be a multiple of tick_size");
  price = *reader.text("price");
  return spec;
}

}  // namespace

Result<MarketsFile, std::string> parse_markets_file(std::string_view text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_array() || document.empty() || document.size() > markets_max)
    return unexpected("a markets file is a JSON array of 1 to " + std::to_string(markets_max) + " markets");
  MarketsFile file;
  for (const Json& object : document) {
    const std::string number = "market " + std::to_string(file.markets.size() + 1);
    if (!object.is_object()) return unexpected(number + " must be an object");
    MarketReader reader(object);
    const auto id = reader.text("id");
    if (!id || !api::is_market_id(*id)) return unexpected(number + " needs an id such as DOGE-USDX-PERP");
    std::string price;
    auto spec = read_market(*id, reader, price);
    if (!reader.problem().empty()) return unexpected(*id + ": " + reader.problem());
    if (std::ranges::find(file.markets, *id, &engine::MarketSpec::id) != file.markets.end())
      return unexpected(*id + " stands twice");
    file.markets.push_back(std::move(spec));
    file.prices.push_back(std::move(price));
  }
  return file;
}

}  // namespace svc::sim
