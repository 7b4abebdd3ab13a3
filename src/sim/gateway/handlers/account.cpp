// Account data, history and settings; rate limits, and the tiers that the operator assigns.
#include <tuple>
#include <utility>

#include "api/contract/account.h"
#include "api/contract/admin.h"
#include "api/contract/funds.h"
#include "api/tiers.h"
#include "base/decimal.h"
#include "base/random.h"
#include "sim/gateway/handlers/records.h"
#include "sim/gateway/handlers/venue_access.h"

namespace svc::sim {

api::AccountSummary account_summary_record(const MarketTable& markets, const engine::AccountFigures& figures,
                                           const std::vector<engine::PositionRow>& rows) {
  return {.balance = usdx_text(figures.balance),
          .collateral = usdx_text(figures.collateral),
          .equity = usdx_text(figures.equity),
          .available_margin = usdx_text(figures.available),
          .positions = position_records(markets, rows)};
}

namespace {

using namespace api;

AccountPortfolioSummary portfolio_record(const engine::AccountFigures& figures, const AccountDay& day) {
  return {.collateral = usdx_text(figures.collateral),
          .total_equity = usdx_text(figures.equity),
          .total_unrealized_pnl = usdx_text(figures.unrealized_pnl),
          .total_realized_pnl_24h = usdx_text(day.realized_pnl),
          .total_volume_24h = usdx_text(day.volume),
          .open_positions_count = figures.open_positions,
          .open_orders_count = figures.open_orders,
          .margin_used = usdx_text(figures.initial_margin),
          .available_margin = usdx_text(figures.available),
          .withdrawable = usdx_text(figures.withdrawable),
          .early_access_allowed = true};
}

// Calls read(engine, view, now) with the engine and the views of one instant.
template <class F>
auto read_account(const RequestContext& context, F read) {
  const VenueAccess& venue = context.venue();
  return venue.sequencer.read([&](const engine::Engine& engine, TimestampMs now_ms) {
    return venue.views.read([&](const VenueView& view) { return read(engine, view, now_ms); });
  });
}

std::vector<MarketSetting> settings_of(const VenueAccess& venue, const engine::Engine& engine, const VenueView& view,
                                       const Address& account) {
  std::vector<MarketSetting> settings;
  venue.each_listed(view, [&](engine::MarketIndex index, const engine::MarketSpec& spec) {
    const engine::MarginTerms terms = engine.settings(account, index);
    settings.push_back(
        {.market_id = spec.id, .margin_mode = terms.mode, .leverage = static_cast<std::uint32_t>(terms.leverage)});
  });
  return settings;
}

Answer<ops::GetAccount> get_account(RequestContext& context, const Empty&) {
  const Address& account = context.account();
  const auto [figures, positions] = context.venue().sequencer.read([&](const engine::Engine& engine, TimestampMs) {
    return std::pair(engine.account(account), engine.positions(account));
  });
  return account_summary_record(context.venue().markets, figures, positions);
}

Answer<ops::GetAccountSummary> get_account_summary(RequestContext& context, const Empty&) {
  const Address& account = context.account();
  const auto [figures, day] =
      read_account(context, [&](const engine::Engine& engine, const VenueView& view, TimestampMs now_ms) {
        return std::pair(engine.account(account), view.account(account).last_day(now_ms));
      });
  return portfolio_record(figures, day);
}

Answer<ops::GetAccountState> get_account_state(RequestContext& context, const Empty&) {
  const Address& account = context.account();
  const VenueAccess& venue = context.venue();
  // The texts are made afterwards: the writer waits while this reads.
  auto [figures, day, positions, settings] =
      read_account(context, [&](const engine::Engine& engine, const VenueView& view, TimestampMs now_ms) {
        return std::tuple(engine.account(account), view.account(account).last_day(now_ms), engine.positions(account),
                          settings_of(venue, engine, view, account));
      });
  return AccountState{.summary = portfolio_record(figures, day),
                      .positions = position_records(venue.markets, positions),
                      .market_settings = std::move(settings)};
}

Answer<ops::GetRateLimit> get_rate_limit(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Payer payer = network.payer_of(context.caller(), context.client_address);
  RateLimitStatus status;
  status.tier = std::string(tier_lower_texts[static_cast<std::size_t>(payer.tier)]);
  if (limits_of(payer.tier).per_client_address) return status;
  const Meter meter = network.limiter.peek(payer, RateClass::request, context.now_ms);
  status.limit = meter.limit;
  status.remaining = meter.remaining;
  status.reset_at_ms = meter.full_at_ms;
  for (const Meter& bucket : network.limiter.buckets_of(payer, context.now_ms))
    status.buckets.emplace(
        to_string(bucket.bucket),
        BucketStatus{.limit = bucket.limit, .remaining = bucket.remaining, .reset_at_ms = bucket.full_at_ms});
  return status;
}

// The history of an account and of its money.

template <MovementKind kind>
char* write_movement_id(char* to, std::uint64_t number) {
  return std::ranges::copy(to_string(MovementId{kind, number}), to).out;
}

std::optional<RowText> reference_text(const Reference& reference) {
  const auto text = [&](RowText::Maker maker) { return RowText(maker, reference.number); };
  switch (reference.kind) {
    case Reference::Kind::nothing: return std::nullopt;
    case Reference::Kind::fill: return text(&write_uuid<UuidKind::fill>);
    case Reference::Kind::withdrawal: return text(&write_movement_id<MovementKind::withdrawal>);
    case Reference::Kind::bridge_withdrawal: return text(&write_movement_id<MovementKind::bridge_withdrawal>);
    case Reference::Kind::transfer: return text(&write_uuid<UuidKind::transfer>);
    case Reference::Kind::funds:
    case Reference::Kind::adl_event: return text(&write_digits);
  }
  SVC_ASSERT(false);
}

ActivityRow::Row activity_row(const MarketTable& markets, const Activity& row) {
  constexpr auto write_id = [](char* to, std::uint64_t number) {
    return write_digits(std::ranges::copy(std::string_view("act_"), to).out, number);
  };
  return {.id = RowText(write_id, row.number),
          .cause = row.cause,
          .market_id = row.market ? std::optional<RowText>(markets.spec(*row.market).id) : std::nullopt,
          .amount = in_usdx(row.amount),
          .reference = reference_text(row.reference),
          .timestamp = row.at_ms};
}

Cadence cadence_of(PortfolioWindow window) {
  switch (window) {
    case PortfolioWindow::day: return Cadence::minutes_5;
    case PortfolioWindow::week: return Cadence::hour;
    case PortfolioWindow::month: return Cadence::hours_6;
    case PortfolioWindow::all: return Cadence::day;
  }
  SVC_ASSERT(false);
}

PortfolioPoint portfolio_point(const PortfolioPage::Point& point) {
  const PortfolioFigures& figures = point.figures;
  return {.timestamp_ms = point.at_ms,
          .equity = usdx_text(figures.equity),
          .pnl = usdx_text(figures.equity - figures.funded),
          .volume = usdx_text(figures.volume)};
}

Answer<ops::ListEquityHistory> list_equity_history(const ViewRead<EquityHistoryRequest>& on) {
  const PortfolioPage page = on.view.portfolio_history(on.context.account(), Cadence::seconds_5, on.context.now_ms,
                                                       parse_cursor(on.request.cursor), on.request.limit);
  return page_of(page.points, page.next, [](const PortfolioPage::Point& point) {
    return EquityPoint{.timestamp_ms = point.at_ms,
                       .equity = NumberText(decimal_text(point.figures.equity, usdx_decimals))};
  });
}

Answer<ops::GetPortfolioHistory> get_portfolio_history(const ViewRead<PortfolioHistoryRequest>& on) {
  const PortfolioWindow window = on.request.window;
  const Cadence cadence = cadence_of(window);
  const Address& account = on.context.account();
  const TimestampMs now_ms = on.context.now_ms;
  const PortfolioPage page = on.view.portfolio_history(account, cadence, now_ms, std::nullopt, on.request.limit);
  PortfolioHistory history{.window = window, .cadence_ms = terms_of(cadence).period_ms, .points = {}};
  for (const PortfolioPage::Point& point : page.points) history.points.push_back(portfolio_point(point));
  if (on.own().portfolio().opened())
    history.now = portfolio_point({.at_ms = now_ms, .figures = on.view.portfolio(account)});
  return history;
}

Answer<ops::ListAccountAdl> list_account_adl(const ViewRead<AccountAdlRequest>& on) {
  // Other accounts do not exist for the caller.
  if (on.request.address != on.context.account())
    return refused(ErrorCode::not_found, "no such account, or not the caller's");
  return list_of(on.own().adl_events().page({}, on.request.limit).rows,
                 [&](std::uint64_t number) { return adl_record(on.venue.markets, on.view.adl_event(number)); });
}

// Fees, referrals, funding instructions, cancel-on-disconnect.

MarketFees fees_of(const engine::MarketSpec& spec) {
  // Rates of listed markets are whole basis points; a finer one is rounded up.
  const auto in_bps = [](Ppm rate) { return narrow(div_round(rate.value, ppm_per_bp, Rounding::up)); };
  return {.market_id = spec.id, .maker_fee_bps = in_bps(spec.maker_fee), .taker_fee_bps = in_bps(spec.taker_fee)};
}

// Active: closing the last stream now would start the timer.
CancelOnDisconnectStatus disconnect_record(const RequestContext& context) {
  const NetworkInstance& network = *context.network;
  const Address& account = context.account();
  const bool enabled = network.services.look()->disconnects.is_enabled(account);
  return {.enabled = enabled,
          .active = enabled && network.has_stream && network.has_stream(account),
          .grace_secs = static_cast<std::uint64_t>(limits::disconnect_grace_ms / second_ms)};
}

// The address for sending money, or the faucet. (D-131, D-288)
Answer<ops::GetDepositTarget> get_deposit_target(RequestContext& context, const Empty&) {
  NetworkInstance& network = *context.network;
  const Address& account = context.account();
  DepositTarget target;
  target.account = account;
  if (network.settings.faucet) {
    target.mode = DepositMode::testnet_faucet;
    target.amount = usdx_text(limits::faucet_amount);
    target.cooldown_secs = static_cast<std::uint64_t>(limits::faucet_cooldown_ms / second_ms);
    target.confirm = "POST /faucet credits " + format_usdx(limits::faucet_amount) + " USDX of play money to " +
                     to_string(account) + ". It has no value.";
    return target;
  }
  const ChainTerms& chain = network.services.terms().money.chain;
  // Nobody may be told to send money to a chain without a chain id.
  if (chain.chain_id == 0) return unexpected(ErrorCode::deposit_target_misconfigured);
  auto address = network.services.look()->addresses.of(account);
  if (!address) address = SVC_TRY(serve(context, OpenDepositAddress{account})).value;
  target.mode = DepositMode::onchain;
  target.chain = chain.name;
  target.chain_id = chain.chain_id;
  target.asset = "USDC";
  target.address = to_string(address->address);
  target.min_amount = usdx_text(chain.min_deposit);
  target.confirm = "Sandbox: send nothing real. At least " + format_usdx(chain.min_deposit) + " USDC on " + chain.name +
                   " at " + *target.address + " is credited to " + to_string(account) + " and to nobody else.";
  return target;
}

Answer<ops::GetAccountFees> get_account_fees(const ViewRead<FeesRequest>& on) {
  const auto only = SVC_TRY(on.venue.market_if_named(on.request.market_id));
  AccountFees fees;
  if (only)
    fees.markets.push_back(fees_of(on.venue.markets.spec(*only)));
  else
    on.venue.each_listed(
        on.view, [&](engine::MarketIndex, const engine::MarketSpec& spec) { fees.markets.push_back(fees_of(spec)); });
  if (fees.markets.empty()) {
    fees.schedule = "unknown";
  } else {
    fees.maker_fee_bps = fees.markets.front().maker_fee_bps;
    fees.taker_fee_bps = fees.markets.front().taker_fee_bps;
  }
  fees.volume_30d = usdx_text(on.own().volume_30_days(on.context.now_ms));
  return fees;
}

Answer<ops::GetAccountReferrals> get_account_referrals(RequestContext& context, const Empty&) {
  if (!context.network->settings.referral_store) return unexpected(ErrorCode::referral_store_not_configured);
  return AccountReferrals{};
}

Answer<ops::SetCancelOnDisconnect> set_cancel_on_disconnect(RequestContext& context,
                                                            const CancelOnDisconnectRequest& request) {
  SVC_TRY(serve(context, sim::SetCancelOnDisconnect{.account = context.account(), .enabled = request.enabled}));
  return disconnect_record(context);
}

// The tier of an account from now on, as the command sets it.
template <class Command>
Result<TierOverride, ApiError> change_tier(RequestContext& context, Command command, Tier tier) {
  SVC_TRY(serve(context, command));
  context.network->fill_budgets(command.account);
  return TierOverride{.address = command.account, .tier = tier};
}

}  // namespace

void bind_account(HandlerTable& handlers) {
  handlers.bind_all(get_account, get_account_summary, get_account_state, get_rate_limit, get_account_referrals,
                    get_deposit_target, set_cancel_on_disconnect, list_equity_history, get_portfolio_history,
                    list_account_adl, get_account_fees);
  handlers.bind<ops::ListAccountActivity>([](const auto& on) {
    return page_of(on.own().activity(), on.request,
                   [&](const Activity& row) { return activity_row(on.venue.markets, row); });
  });
  handlers.bind<ops::GetCancelOnDisconnect>(
      [](RequestContext& context, const Empty&) { return disconnect_record(context); });
  handlers.bind<ops::ListTiers>([](RequestContext& context, const Empty&) {
    return list_of(context.network->services.look()->tiers.overrides(),
                   [](const auto& row) { return TierOverride{.address = row.first, .tier = row.second}; });
  });
  handlers.bind<ops::SetTier>([](RequestContext& context, const TierOverride& request) {
    return change_tier(context, AssignTier{.account = request.address, .tier = request.tier}, request.tier);
  });
  handlers.bind<ops::ResetTier>([](RequestContext& context, const TierRef& request) {
    return change_tier(context, sim::ResetTier{.account = request.address}, default_tier);
  });
}

}  // namespace svc::sim
