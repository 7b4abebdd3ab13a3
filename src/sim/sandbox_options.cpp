#include "sim/sandbox_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "api/http/url.h"
#include "api/values.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"
#include "signing/json_document.h"
#include "signing/mnemonic.h"
#include "sim/control/control_handlers.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {

Result<AnswerLatency, std::string> parse_latency(std::string_view text) {
  const auto milliseconds = [](std::string_view part) -> std::optional<std::int64_t> {
    if (part.ends_with("ms")) part.remove_suffix(2);
    const auto value = parse_integer<std::int64_t>(part);
    return value && *value >= 0 && *value <= limits::fault_latency_ms_max ? value : std::nullopt;
  };
  constexpr std::string_view plus_minus = "\u00b1";
  std::size_t mark = text.find(plus_minus);
  std::size_t width = plus_minus.size();
  if (mark == std::string_view::npos) {
    mark = text.find("+-");
    width = 2;
  }
  const auto base = milliseconds(text.substr(0, mark));
  const auto jitter =
      mark == std::string_view::npos ? std::optional<std::int64_t>(0) : milliseconds(text.substr(mark + width));
  if (!base || !jitter || *jitter > *base)
    return unexpected("a latency is such as 5ms or 5ms\u00b12 (the second at most the first), not \"" +
                      std::string(text) + "\"");
  return AnswerLatency{.base_ms = *base, .jitter_ms = *jitter};
}

Result<RateLimitScale, std::string> parse_limit_scale(std::string_view text) {
  if (text == "on") return RateLimitScale{1};
  if (text == "off") return RateLimitScale{0};
  const auto multiplier = parse_integer<std::uint32_t>(text.starts_with('x') ? text.substr(1) : std::string_view());
  if (!multiplier || *multiplier < 1 || *multiplier > limits::limit_scale_max)
    return unexpected("limits are on, off or xN (N from 1 to " + std::to_string(limits::limit_scale_max) + "), not \"" +
                      std::string(text) + "\"");
  return RateLimitScale{*multiplier};
}

std::vector<api::NetworkId> served_networks(const SandboxOptions& options) {
  return options.networks.empty() ? std::vector{options.network} : options.networks;
}

std::vector<std::string> hosts_of(const SandboxOptions& options, api::NetworkId network) {
  if (options.networks.empty()) return {};
  const std::string name(api::to_string(network));
  if (network == api::NetworkId::local) return {"localhost", "local.localhost", "127.0.0.1", "[::1]"};
  return {name + ".localhost"};
}

std::string deployment_of(const SandboxOptions& options, api::NetworkId network) {
  const std::string own = "-" + std::string(api::to_string(network));
  if (!options.deployment) return "svc" + own;
  if (options.networks.empty() || network == api::NetworkId::local) return *options.deployment;
  constexpr std::string_view local = "-local";
  std::string stem = *options.deployment;
  if (stem.ends_with(local)) stem.resize(stem.size() - local.size());
  return stem + own;
}

std::string domain_name_of(const SandboxOptions& options, api::NetworkId network) {
  if (options.domain_name) return *options.domain_name;
  const std::string stem = NetworkSettings{}.domain_name;
  return network == api::NetworkId::local ? stem : stem + ' ' + std::string(api::label_of(network));
}

std::optional<api::NetworkId> owner_of_shared_name(const SandboxOptions& options) {
  if (!options.domain_name || options.networks.size() < 2) return std::nullopt;
  return options.networks.front();
}

std::optional<std::string> refusal(const SandboxOptions& options) {
  constexpr std::size_t name_chars_max = 64;
  // The name becomes a file name and travels in JSON: one plain word.
  if (!is_plain_word(options.name, name_chars_max))
    return "--name takes 1 to " + std::to_string(name_chars_max) + " letters, digits, '-' and '_'";
  if (!options.allow_remote && !options.host.empty() && !api::is_loopback(options.host))
    return "--host " + options.host + " is reachable from other machines; say --allow-remote if that is meant";
  if (options.domain_name == "") return "--domain-name must not be empty";
  if (options.deployment == "") return "--deployment must not be empty";
  if (options.accounts > limits::dev_accounts_max)
    return "--accounts is at most " + std::to_string(limits::dev_accounts_max);
  if (options.balance < Usdx{}) return "--balance must not be negative";
  if (static_cast<i128>(options.balance.value) * static_cast<i128>(options.accounts) > limits::dev_funds_max)
    return "--balance: the accounts together start with at most " + format_usdx(Usdx{limits::dev_funds_max}) + " USDX";
  // Header field names are tokens of RFC 9110; in practice they consist of letters, digits and hyphens.
  if (!options.client_ip_header.empty() && !is_plain_word(options.client_ip_header))
    return "--client-ip-header takes the name of one HTTP header";
  const ChainTerms& chain = options.money.chain;
  if (chain.block_ms < 1 || chain.block_ms > limits::chain_block_ms_max)
    return "--chain-block-ms is 1 to " + std::to_string(limits::chain_block_ms_max);
  if (std::max(chain.deposit_confirmations, chain.withdrawal_confirmations) > limits::chain_confirmations_max)
    return "--chain-confirmations is at most " + std::to_string(limits::chain_confirmations_max);
  if (chain.withdrawal_fee < Usdx{} || chain.withdrawal_fee >= chain.min_withdrawal)
    return "the chain's fee is not negative, and below the smallest withdrawal";
  if (options.faucet && options.network == api::NetworkId::mainnet) return "--faucet: mainnet has no faucet";
  if (const auto faults = parse_fault_lines(options.faults); !faults) return "--faults: " + faults.error();
  const api::VersionPolicy& policy = options.versions.policy;
  if (policy.minimum > policy.current)
    return "--min-api-version is above the current version, " + to_string(policy.current);
  if (policy.deprecated_below &&
      (*policy.deprecated_below <= policy.minimum || *policy.deprecated_below > policy.current))
    return "--deprecated-below lies above the minimum version, " + to_string(policy.minimum) +
           ", and at most at the current one, " + to_string(policy.current);
  const bool announced = options.versions.deprecated_since_ms || options.versions.sunset_ms;
  if (announced && !policy.deprecated_below) return "--deprecated-since and --sunset go with --deprecated-below";
  if (options.versions.sunset_ms && options.versions.deprecated_since_ms > options.versions.sunset_ms)
    return "--deprecated-since must not be after --sunset";
  if (options.flow == FlowKind::tape && options.tape_file.empty()) return "--flow tape: needs a file, as in tape:FILE";
  if (!options.record_file.empty() && !options.load_file.empty())
    return "--record begins with a new exchange, and --load with another state";
  if (!options.record_file.empty() && options.networks.size() > 1)
    return "--record keeps the tape of one network: name one with --as, not several with --networks";
  for (auto network = options.networks.begin(); network != options.networks.end(); ++network)
    if (std::find(options.networks.begin(), network, *network) != network)
      return "--networks names " + std::string(api::to_string(*network)) + " twice";
  if (options.etcd && options.networks.size() > 1)
    return "--state etcd://... keeps one network: name it with --as, not several with --networks";
  if (!options.advertise.empty()) {
    if (!options.etcd) return "--advertise is told to the other nodes of a cluster: it goes with --state etcd://...";
    const auto place = api::parse_host_port(options.advertise, options.port);
    if (!place) return "--advertise: " + place.error();
    if (api::is_any_address(place->host))
      return "--advertise " + place->host + " is no address at which others find this node";
  } else if (options.etcd && api::is_any_address(options.host)) {
    return "--host " + options.host + " tells other nodes no address of this one: name it with --advertise";
  }
  if (options.start_at_ms && (*options.start_at_ms < 0 || *options.start_at_ms > limits::clock_ms_max))
    return "--at is outside the years 1970 to 9999";
  return std::nullopt;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t markets_max = 32;

// Thrown for an invalid market; caught where reading the file began.
struct MarketError {
  std::string why;
};

[[noreturn]] void fail(std::string why) {
  throw MarketError{std::move(why)};
}

// Reads one object member by member.
class MarketReader {
 public:
  explicit MarketReader(const Json& object) : object_(object) {}

  [[nodiscard]] std::optional<std::string> text(const char* name) {
    seen_.insert(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number_integer()) return found->dump();
    if (!found->is_number()) fail(std::string(name) + " must be a text or a number");
    // dump() would write a small number with an exponent.
    std::array<char, 400> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), found->get<double>(), std::chars_format::fixed);
    return std::string(digits.begin(), end.ptr);
  }
  [[nodiscard]] std::optional<Decimal> decimal(const char* name) {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto value = parse_decimal(*given);
    if (!value || value->coefficient <= 0) fail(std::string(name) + " must be a positive decimal");
    return *value;
  }
  void whole(const char* name, std::int64_t low, std::int64_t high, std::int64_t& into) {
    const auto given = text(name);
    if (!given) return;
    const auto value = parse_scaled(*given, 0);
    if (!value || *value < low || *value > high)
      fail(std::string(name) + " must be from " + std::to_string(low) + " to " + std::to_string(high));
    into = *value;
  }
  void money(const char* name, Usdx& into) {
    const auto given = text(name);
    if (!given) return;
    const auto value = parse_scaled(*given, usdx_decimals);
    if (!value || *value < 0) fail(std::string(name) + " must be an amount of USDX");
    into = {*value};
  }
  void check_names() const {
    for (const auto& [name, value] : object_.items())
      if (!seen_.contains(name)) fail("there is no " + name + " in a market");
  }

 private:
  const Json& object_;
  std::set<std::string> seen_{"id"};
};

engine::MarketSpec beginning_of(const std::string& id, MarketReader& reader) {
  auto standard = engine::standard_markets();
  const auto known = std::ranges::find(standard, id, &engine::MarketSpec::id);
  if (known != standard.end()) return *known;
  engine::MarketSpec spec = standard.back();
  spec.id = id;
  spec.base_asset = id.substr(0, id.find('-'));
  spec.open_interest_cap = {};
  spec.tiers.resize(1);
  const auto tick = reader.decimal("tick_size");
  const auto lot = reader.decimal("lot_size");
  if (!tick || !lot) fail("tick_size and lot_size are needed");
  spec.tick_size = *tick;
  spec.lot_size = *lot;
  return spec;
}

// As wide as the grid allows, by default.
void bound(engine::MarketSpec& spec) {
  const auto listed = engine::check_listing(spec);
  if (listed || listed.error() != engine::ListingError::bounds) return;
  spec.price_max = {100'000'000};
  const std::int64_t unit = std::max<std::int64_t>(1, engine::quote_unit(spec));
  spec.max_order_size = {
      std::min<std::int64_t>(limits::order_value_max / spec.price_max.value / unit, limits::grid_units_max)};
  if (spec.max_order_size < Lots{1}) fail("tick_size and lot_size are too large together");
}

// As many of the new units as were meant in the old ones, rounded down.
template <class Unit>
Unit in_units(Unit count, const Decimal& old_unit, const engine::Measured<Unit>& measured, const Decimal& unit) {
  if (old_unit == unit) return count;
  return measured.grid == engine::Grid::beyond ? Unit{limits::grid_units_max} : measured.value;
}

// A tier that would allow more leverage than the first one goes.
void set_leverage(engine::MarketSpec& spec) {
  const engine::MarginTier first{
      .lower_notional = {}, .imr = {1, spec.max_leverage}, .mmr = {1, 2 * spec.max_leverage}};
  std::erase_if(spec.tiers, [&](const engine::MarginTier& tier) {
    return tier.lower_notional == Usdx{} || tier.imr.num * spec.max_leverage <= tier.imr.den;
  });
  spec.tiers.insert(spec.tiers.begin(), first);
}

std::string what_breaks(engine::ListingError error) {
  switch (error) {
    case engine::ListingError::grid:
      return "tick_size, and tick_size times lot_size, must be a multiple of 0.000001, and not too large";
    case engine::ListingError::tiers: return "max_leverage must suit the market's margin tiers";
    case engine::ListingError::fees: return "maker_fee_ppm and taker_fee_ppm together must not be negative";
    case engine::ListingError::bounds: break;
  }
  return "max_order_size at the market's highest price must be at most 1000000000000 USDX, and at least one lot; "
         "impact_notional must be positive";
}

engine::MarketSpec read_market(const std::string& id, const Json& object, std::string& price) {
  MarketReader reader(object);
  const engine::MarketSpec standard = beginning_of(id, reader);
  engine::MarketSpec spec = standard;
  if (const auto tick = reader.decimal("tick_size")) spec.tick_size = *tick;
  if (const auto lot = reader.decimal("lot_size")) spec.lot_size = *lot;
  const auto highest = engine::measure_price(spec, multiply(standard.price_max.value, standard.tick_size));
  const auto largest = engine::measure_lots(spec, multiply(standard.max_order_size.value, standard.lot_size));
  spec.price_max = in_units(standard.price_max, standard.tick_size, highest, spec.tick_size);
  spec.max_order_size = in_units(standard.max_order_size, standard.lot_size, largest, spec.lot_size);
  reader.whole("max_leverage", 1, limits::leverage_max, spec.max_leverage);
  if (reader.text("max_leverage")) set_leverage(spec);
  reader.whole("maker_fee_ppm", -100'000, 100'000, spec.maker_fee.value);
  reader.whole("taker_fee_ppm", 0, 100'000, spec.taker_fee.value);
  // Accounts are told their fees in whole basis points.
  if (spec.maker_fee.value % ppm_per_bp != 0 || spec.taker_fee.value % ppm_per_bp != 0)
    fail("maker_fee_ppm and taker_fee_ppm must be multiples of " + std::to_string(ppm_per_bp));
  reader.money("min_notional", spec.min_notional);
  reader.money("open_interest_cap", spec.open_interest_cap);
  reader.money("impact_notional", spec.impact_notional);
  const auto price_given = reader.decimal("price");
  if (!price_given) fail("price is needed: where it starts");
  const auto most = reader.decimal("max_order_size");
  reader.check_names();
  bound(spec);
  if (most) {
    const auto lots = engine::measure_lots(spec, *most);
    if (lots.grid != engine::Grid::on) fail("max_order_size must be a multiple of lot_size");
    spec.max_order_size = lots.value;
  }
  if (const auto listed = engine::check_listing(spec); !listed) fail(what_breaks(listed.error()));
  const auto measured = engine::measure_price(spec, *price_given);
  if (measured.grid == engine::Grid::off || measured.value < Ticks{1}) fail("price must be a multiple of tick_size");
  if (measured.grid == engine::Grid::beyond || measured.value > spec.price_max)
    fail("price must be at most " + engine::format_price(spec, spec.price_max));
  price = *reader.text("price");
  return spec;
}

}  // namespace

Result<MarketsFile, std::string> parse_markets_file(std::string_view text) {
  const auto parsed = signing::parse_json_document(text);
  const std::string form = "a markets file is a JSON array of 1 to " + std::to_string(markets_max) + " markets";
  if (!parsed) return unexpected(form + "; " + parsed.error());
  const Json document = *parsed;
  if (!document.is_array() || document.empty() || document.size() > markets_max) return unexpected(form);
  MarketsFile file;
  for (const Json& object : document) {
    const std::string number = "market " + std::to_string(file.markets.size() + 1);
    if (!object.is_object()) return unexpected(number + " must be an object");
    const auto named = object.find("id");
    const std::string id = named != object.end() && named->is_string() ? named->get<std::string>() : "";
    if (!api::is_market_id(id)) return unexpected(number + " needs an id such as DOGE-USDX-PERP");
    try {
      std::string price;
      auto spec = read_market(id, object, price);
      if (std::ranges::find(file.markets, id, &engine::MarketSpec::id) != file.markets.end())
        return unexpected(id + " stands twice");
      file.markets.push_back(std::move(spec));
      file.prices.push_back(std::move(price));
    } catch (const MarketError& error) {
      return unexpected(id + ": " + error.why);
    }
  }
  return file;
}

std::vector<DevAccount> dev_accounts(std::size_t count, Usdx balance) {
  std::vector<DevAccount> accounts;
  if (count == 0) return accounts;
  const auto seed = from_hex_exact<64>(dev_seed_hex);
  SVC_ASSERT(seed.has_value());
  const auto keys = signing::account_keys(Secret(std::string(seed->begin(), seed->end())));
  SVC_ASSERT(keys.has_value());
  accounts.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    const auto account = keys->child(static_cast<std::uint32_t>(index));
    SVC_ASSERT(account.has_value());
    accounts.push_back({.index = index,
                        .address = account->key().address(),
                        .private_key = std::string(account->key().to_hex().reveal()),
                        .balance = api::DecimalText(format_usdx(balance))});
  }
  return accounts;
}

}  // namespace svc::sim
