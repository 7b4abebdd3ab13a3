// account show, summary; positions list
#include <array>

#include "api/ops/account.h"
#include "api/ops/funds.h"
#include "api/ops/positions.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"

namespace svc::cli {
namespace {

View account_view() {
  return {{{"account", "account"},
           {"balance", "balance"},
           {"equity", "equity"},
           {"margin_used", "margin_used"},
           {"free", "available_margin"}},
          Layout::rows};
}

class ShowAccount final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::GetAccount>(); }
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), account_view());
    // The record does not repeat whose it is, and a key from the environment may not tell either.
    if (!context.facts().account) {
      auto exchange = Exchange::open(context);
      const auto target = exchange ? exchange->call(call_of<api::ops::GetDepositTarget>())
                                   : Result<Reply, Stop>(unexpected(Stop(exchange.error())));
      const auto account = target ? parse_address(target->body.string_at("account").value_or("")) : std::nullopt;
      if (account) context.facts().account = to_string(*account);
    }
    answer.rows = answer.data;
    answer.rows->set("account", context.facts().account);
    return answer;
  }
};

View summary_view() {
  return {{{"equity", "total_equity"},
           {"collateral", "collateral"},
           {"upnl", "total_unrealized_pnl"},
           {"margin_used", "margin_used"},
           {"free", "available_margin"},
           {"withdrawable", "withdrawable"},
           {"positions", "open_positions_count"},
           {"orders", "open_orders_count"},
           {"pnl_24h", "total_realized_pnl_24h"},
           {"volume_24h", "total_volume_24h"}},
          Layout::sheet};
}

View positions_view() {
  return {{{"market", "market_id"},
           {"side", "side"},
           {"size", "size"},
           {"entry", "entry_price"},
           {"mark", "mark_price"},
           {"liq", "liquidation_price"},
           {"margin", "margin_used"},
           {"mode", "margin_mode"},
           {"leverage", "leverage"},
           {"upnl", "unrealized_pnl"},
           {"roe", "roe"}},
          Layout::rows};
}

RowKeys position_keys() {
  return {"market_id", ""};
}

constexpr std::array account_rows{
    CommandRow{"positions list", "", "List open positions",
               make<WholeList<api::ops::ListPositions, positions_view, position_keys>>, 1, Repeats::yes},
    CommandRow{"account show", "", "Show balance, equity and free margin", make<ShowAccount>, 1, Repeats::yes},
    CommandRow{"account summary", "", "Show the portfolio summary",
               make<PlainRead<api::ops::GetAccountSummary, summary_view>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> account_commands() {
  return account_rows;
}

}  // namespace svc::cli
