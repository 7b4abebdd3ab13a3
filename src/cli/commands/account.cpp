// account show, summary; positions list
#include <array>

#include "api/ops/account.h"
#include "api/ops/funds.h"
#include "api/ops/markets.h"
#include "api/ops/positions.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/groups.h"
#include "cli/commands/listing.h"
#include "cli/commands/order_views.h"
#include "cli/render.h"

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

// The sum over the positions; nullopt if one of them tells none.
std::optional<std::string> margin_of(const Json* positions) {
  if (positions == nullptr || !positions->is(Json::Kind::array)) return std::nullopt;
  Decimal sum{};
  for (const Json& position : positions->items()) {
    const auto margin = parse_decimal(position.string_at("margin_used").value_or(""));
    const auto more = margin ? plus(sum, *margin) : std::nullopt;
    if (!more) return std::nullopt;
    sum = *more;
  }
  return format_decimal(sum);
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
    answer.rows->set("margin_used", margin_of(answer.data.find("positions")));
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
           {"volume_24h_usdx", "total_volume_24h"}},
          Layout::sheet};
}

View positions_view() {
  using enum Column::Need;
  return {{{"market", "market_id"},
           {"side", "side"},
           {"size", "size"},
           {"entry", "entry_price"},
           {"mark", "mark_price"},
           {"liq", "liquidation_price"},
           {"upnl", "unrealized_pnl"},
           {"margin", "", margin_behind, if_it_fits},
           {"mode", "margin_mode", nullptr, if_it_fits},
           {"leverage", "leverage", nullptr, if_it_fits},
           {"roe", "roe", nullptr, if_it_fits}},
          Layout::rows};
}

// The record of a position tells everything at mark but the mark itself.
class ListPositions final : public Command {
 public:
  void declare(Arguments& arguments) override { flags_.declare(arguments, keys_, Comes::whole); }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<Json> markets;  // read with the first row
    const auto with_mark = [&](const Json& position) {
      Json row = position;
      if (!shows_columns(context)) return row;
      if (!markets) markets = read_for_column<api::ops::ListMarketSummaries>(context);
      for (const Json& market : markets->items()) {
        const Json* mark = market.find("engine_mark_price");
        if (mark != nullptr && market.string_at("market_id") == row.string_at("market_id")) row.set("mark_price", *mark);
      }
      return row;
    };
    return read_whole(
        context, flags_, keys_, [](const RowFilter&) { return call_of<api::ops::ListPositions>(); }, Sent::nothing,
        positions_view(), with_mark);
  }

 private:
  static constexpr RowKeys keys_{"market_id", ""};
  ListFlags flags_;
};

constexpr std::array account_rows{
    CommandRow{"positions list", "", "List open positions", make<ListPositions>, 1, Repeats::yes},
    CommandRow{"account show", "", "Show balance, equity and free margin", make<ShowAccount>, 1, Repeats::yes},
    CommandRow{"account summary", "", "Show the portfolio summary",
               make<PlainRead<api::ops::GetAccountSummary, summary_view>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> account_commands() {
  return account_rows;
}

}  // namespace svc::cli
