#include "sim/venue.h"

#include <unistd.h>

#include <utility>

#include "base/assert.h"
#include "base/decimal.h"
#include "sim/gateway/handlers/bindings.h"

namespace svc::sim {
namespace {

// The first oracle tick of each market that the sandbox lists.
struct StartPrice {
  std::string_view market;
  std::string_view price;
};
constexpr StartPrice start_prices[] = {
    {"BTC-USDX-PERP", "60000"},
    {"ETH-USDX-PERP", "3000"},
    {"SOL-USDX-PERP", "150"},
};

// The insurance fund starts with this, so that deleveraging stays the rare event it should be. (D-265)
constexpr Usdx insurance_seed{100'000 * usdx_one};

std::vector<engine::MarketSpec> listed_markets(Flow flow) {
  auto specs = engine::standard_markets();
  // Nobody feeds an oracle without the flow: prices stand until they are set by hand.
  if (flow == Flow::none)
    for (engine::MarketSpec& spec : specs) spec.oracle_stale_after_ms = 0;
  return specs;
}

NetworkSettings network_settings(const SandboxOptions& options) {
  NetworkSettings settings;
  settings.id = options.network;
  settings.faucet = options.network == api::NetworkId::testnet || options.faucet;
  settings.domain_name = options.domain_name;
  settings.deployment = options.deployment;
  settings.admin_secret = options.admin_secret;
  settings.require_action = options.require_action;
  settings.limits = {.multiplier = options.limits.multiplier};
  settings.seed = options.seed;
  return settings;
}

GatewayOptions gateway_options(const SandboxOptions& options) {
  GatewayOptions gateway;
  gateway.client_ip_header = options.client_ip_header;
  gateway.accept_unknown_fields = options.unknown_fields == UnknownFields::accept;
  return gateway;
}

}  // namespace

Venue::Venue(SandboxOptions options, const Clock& machine)
    : options_(std::move(options)),
      clock_(machine, options_.clock, options_.start_at_ms),
      markets_(listed_markets(options_.flow)),
      sequencer_({.markets = markets_.specs(), .insurance_seed = insurance_seed}, clock_, log_),
      views_(markets_.size()),
      network_(network_settings(options_)),
      gateway_(clock_, gateway_options(options_), {&network_}),
      control_({.machine = machine,
                .clock = clock_,
                .sequencer = sequencer_,
                .views = views_,
                .markets = markets_,
                .requests = gateway_.log(),
                .report = [this] { return report(); }},
               {.token = options_.control_token,
                .client_ip_header = options_.client_ip_header,
                .any_host = options_.allow_remote}),
      port_(options_.port) {
  SVC_ASSERT(!refusal(options_));
  sequencer_.add_follower(views_);
  const VenueAccess venue{.sequencer = sequencer_, .views = views_, .markets = markets_, .started_ms = clock_.now_ms()};
  bind_auth(network_);
  bind_orders(network_, venue);
  bind_positions(network_, venue);
  bind_account(network_, venue);
  bind_margin(network_, venue);
  bind_funds(network_, venue);
  bind_markets(network_, venue);
  bind_venue(network_, venue, gateway_options(options_).versions);
  bind_admin(network_);
  open_markets();
  open_accounts();
}

void Venue::handle(api::HttpRequest&& request, const Peer& peer, const Reply& reply) {
  if (ControlSurface::owns(request.path()))
    reply(control_.handle(request, peer.address));
  else
    gateway_.handle(std::move(request), peer, reply);
}

ReadyReport Venue::report() const {
  // The number needs no resolver, and "localhost" is this number and ::1. (D-262)
  const bool both = options_.host.empty() || options_.host == "localhost";
  return {.name = options_.name,
          .host = both ? "127.0.0.1" : options_.host,
          .port = port_.load(),
          .network = std::string(api::to_string(options_.network)),
          .deployment = options_.deployment,
          .domain_name = options_.domain_name,
          .pid = ::getpid(),
          .seed = options_.seed,
          .accounts = accounts_};
}

void Venue::open_markets() {
  engine::OracleTick tick;
  for (const StartPrice& start : start_prices) {
    const auto market = markets_.find(start.market);
    SVC_ASSERT(market.has_value());
    const auto decimal = parse_decimal(start.price);
    SVC_ASSERT(decimal.has_value());
    const auto price = engine::measure_price(markets_.spec(*market), *decimal);
    SVC_ASSERT(price.grid == engine::Grid::on);
    tick.prices.push_back({.market = *market, .index = price.value, .mark = std::nullopt});
  }
  const auto applied = sequencer_.submit(std::move(tick));
  SVC_ASSERT(applied && applied->outcome.ok());
}

void Venue::open_accounts() {
  // Keys that everybody knows hold money on local only.
  if (options_.network != api::NetworkId::local) return;
  accounts_ = dev_accounts(options_.accounts, options_.balance);
  if (options_.balance == Usdx{}) return;
  for (const DevAccount& account : accounts_) {
    const auto applied = sequencer_.submit(
        engine::Deposit{.account = account.address, .amount = account.balance, .kind = engine::FundsKind::deposit});
    SVC_ASSERT(applied && applied->outcome.ok());
  }
}

}  // namespace svc::sim
