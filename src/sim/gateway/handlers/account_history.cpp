// What an account was and what became of its money.

#include <algorithm>

#include "api/ops/account.h"
#include "base/uuid.h"
#include "sim/gateway/handlers/amounts.h"
#include "sim/gateway/handlers/bindings.h"
#include "sim/gateway/handlers/market_translation.h"

namespace svc::sim {
namespace {

using namespace api;

api::ActivityCause wire_cause(sim::ActivityCause cause) {
  switch (cause) {
    case sim::ActivityCause::deposit: return api::ActivityCause::deposit;
    case sim::ActivityCause::withdrawal: return api::ActivityCause::withdrawal;
    case sim::ActivityCause::faucet: return api::ActivityCause::faucet;
    case sim::ActivityCause::credit: return api::ActivityCause::credit;
    case sim::ActivityCause::fill: return api::ActivityCause::fill;
    case sim::ActivityCause::fee: return api::ActivityCause::fee;
    case sim::ActivityCause::funding: return api::ActivityCause::funding;
    case sim::ActivityCause::transfer_in: return api::ActivityCause::transfer_in;
    case sim::ActivityCause::transfer_out: return api::ActivityCause::transfer_out;
    case sim::ActivityCause::bridge_deposit: return api::ActivityCause::bridge_deposit;
    case sim::ActivityCause::bridge_withdrawal: return api::ActivityCause::bridge_withdrawal;
    case sim::ActivityCause::liquidation_fee: return api::ActivityCause::liquidation_fee;
    case sim::ActivityCause::adl: return api::ActivityCause::adl;
    case sim::ActivityCause::insurance: return api::ActivityCause::insurance;
    case sim::ActivityCause::operator_grant: return api::ActivityCause::operator_grant;
    case sim::ActivityCause::withdrawal_reversal: return api::ActivityCause::withdrawal_reversal;
    case sim::ActivityCause::settlement: return api::ActivityCause::settlement;
  }
  SVC_ASSERT(false);
}

std::optional<std::string> reference_text(const MoneyServices& money, const Reference& reference) {
  switch (reference.kind) {
    case Reference::Kind::nothing: return std::nullopt;
    case Reference::Kind::fill: return make_uuid(UuidKind::fill, reference.number);
    case Reference::Kind::withdrawal: return money.withdrawals.id_of(reference.number);
    case Reference::Kind::bridge_withdrawal: return money.bridge_withdrawals.id_of(reference.number);
    case Reference::Kind::transfer: return make_uuid(UuidKind::transfer, reference.number);
    case Reference::Kind::funds:
    case Reference::Kind::adl_event: return std::to_string(reference.number);
  }
  SVC_ASSERT(false);
}

ActivityRow activity_record(const MarketTable& markets, const MoneyServices& money, const Activity& row) {
  ActivityRow record;
  record.id = "act_" + std::to_string(row.number);
  record.cause = wire_cause(row.cause);
  if (row.market) record.market_id = markets.spec(*row.market).id;
  record.amount = usdx_text(row.amount);
  record.reference = reference_text(money, row.reference);
  record.timestamp = row.at_ms;
  return record;
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

class AccountHistory {
 public:
  explicit AccountHistory(VenueAccess venue) : venue_(venue) {}

  Answer<ops::ListAccountActivity> activity(RequestContext& context, const ActivityRequest& request) const {
    return venue_.views.read([&](const VenueView& view) {
      const auto& log = view.account(context.account()).activity();
      const auto page = log.page(parse_cursor(request.cursor), request.limit);
      Page<ActivityRow> records;
      for (const Activity* row : page.rows)
        records.rows.push_back(activity_record(venue_.markets, context.network->money, *row));
      if (page.next) records.next_cursor = cursor_text(*page.next);
      return records;
    });
  }

  Answer<ops::ListEquityHistory> equity(RequestContext& context, const EquityHistoryRequest& request) const {
    return venue_.views.read([&](const VenueView& view) {
      const PortfolioPage page = view.portfolio_history(context.account(), Cadence::seconds_5, context.now_ms,
                                                        parse_cursor(request.cursor), request.limit);
      Page<EquityPoint> records;
      for (const PortfolioPage::Point& point : page.points)
        records.rows.push_back(
            {.timestamp_ms = point.at_ms, .equity = NumberText(decimal_text(point.figures.equity, usdx_decimals))});
      if (page.next) records.next_cursor = cursor_text(*page.next);
      return records;
    });
  }

  Answer<ops::GetPortfolioHistory> portfolio(RequestContext& context, const PortfolioHistoryRequest& request) const {
    const Cadence cadence = cadence_of(request.window);
    return venue_.views.read([&](const VenueView& view) {
      const PortfolioPage page =
          view.portfolio_history(context.account(), cadence, context.now_ms, std::nullopt, request.limit);
      PortfolioHistory history{.window = request.window, .cadence_ms = terms_of(cadence).period_ms, .points = {}};
      for (const PortfolioPage::Point& point : page.points) history.points.push_back(portfolio_point(point));
      if (view.account(context.account()).portfolio().opened())
        history.now = portfolio_point({.at_ms = context.now_ms, .figures = view.portfolio(context.account())});
      return history;
    });
  }

  Answer<ops::ListAccountAdl> adl(RequestContext& context, const AccountAdlRequest& request) const {
    // Somebody else's account does not exist for the caller.
    if (request.address != context.account())
      return unexpected(ApiError(ErrorCode::not_found, "no such account, or not the caller's"));
    return venue_.views.read([&](const VenueView& view) {
      List<AdlEventRecord> list;
      for (const AdlEvent* row : view.account(request.address).adl_events().page({}, request.limit).rows)
        list.rows.push_back(adl_record(venue_.markets.spec(row->event.market), *row));
      return list;
    });
  }

 private:
  VenueAccess venue_;
};

}  // namespace

void bind_account_history(NetworkInstance& network, const VenueAccess& venue) {
  const auto handlers = std::make_shared<const AccountHistory>(venue);
  const auto bind = [&]<class Op>(auto method) {
    network.handlers.bind<Op>([handlers, method](RequestContext& context, const typename Op::Request& request) {
      return (*handlers.*method)(context, request);
    });
  };
  bind.operator()<ops::ListAccountActivity>(&AccountHistory::activity);
  bind.operator()<ops::ListEquityHistory>(&AccountHistory::equity);
  bind.operator()<ops::GetPortfolioHistory>(&AccountHistory::portfolio);
  bind.operator()<ops::ListAccountAdl>(&AccountHistory::adl);
}

}  // namespace svc::sim
