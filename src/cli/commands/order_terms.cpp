#include "cli/commands/order_terms.h"

#include <array>
#include <limits>

#include "api/ops/markets.h"
#include "base/decimal.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;
using api::OrderType;
using api::TimeInForce;

constexpr std::array side_words{"buy"sv, "sell"sv};
constexpr std::array type_words{"limit"sv,
                                "market"sv,
                                "stop-limit"sv,
                                "stop-market"sv,
                                "take-profit-limit"sv,
                                "take-profit-market"sv,
                                "trailing-stop"sv,
                                "trailing-limit"sv};
constexpr std::array tif_words{"gtc"sv, "ioc"sv, "fok"sv, "post-only"sv};
constexpr std::array stp_words{"cancel-newest"sv, "cancel-oldest"sv, "decrement-and-cancel"sv};

// The words above stand in the order of the enumerators.
template <class E, std::size_t N>
E value_of(const std::array<std::string_view, N>& words, const std::string& word) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<E>(i);
  }
  SVC_ASSERT(false);
}

bool is_market_type(OrderType type) {
  return type == OrderType::market || type == OrderType::stop_market || type == OrderType::take_profit_market ||
         type == OrderType::trailing_stop;
}
bool takes_price(OrderType type) {
  return type == OrderType::limit || type == OrderType::stop_limit || type == OrderType::take_profit_limit;
}
bool takes_trigger(OrderType type) {
  return type == OrderType::stop_limit || type == OrderType::stop_market || type == OrderType::take_profit_limit ||
         type == OrderType::take_profit_market;
}
bool takes_trailing(OrderType type) {
  return type == OrderType::trailing_stop || type == OrderType::trailing_limit;
}

// A flag that the type needs must be there, one that it does not take must not.
struct Rule {
  std::string_view flag;
  bool given;
  bool needed;
  bool taken;
};

Result<void, Failure> check(const std::array<Rule, 4>& rules, const std::string& type) {
  for (const Rule& rule : rules) {
    if (rule.needed && !rule.given) {
      return unexpected(usage_error("an order of type " + type + " needs " + std::string(rule.flag)));
    }
    if (rule.given && !rule.taken) {
      return unexpected(usage_error("an order of type " + type + " takes no " + std::string(rule.flag)));
    }
  }
  return {};
}

Result<std::optional<std::uint32_t>, Failure> basis_points(std::string_view flag,
                                                           const std::optional<std::uint64_t>& given) {
  if (!given) return std::optional<std::uint32_t>{};
  if (*given > std::numeric_limits<std::uint32_t>::max()) {
    return unexpected(usage_error(std::string(flag) + " is too large"));
  }
  return std::optional(static_cast<std::uint32_t>(*given));
}

std::optional<api::DecimalText> decimal_of(const std::optional<std::string>& text) {
  return text ? std::optional(api::DecimalText(*text)) : std::nullopt;
}

}  // namespace

void OrderTerms::declare(Arguments& arguments) {
  arguments.choice("--type", type, type_words, "order type (default: limit with a price, else market)");
  arguments.decimal("--notional", notional, "USDX", "size by value: whole lots, rounded down");
  arguments.choice("--tif", tif, tif_words, "time in force (default: ioc for market types, else gtc)");
  arguments.flag("--post-only", post_only, "same as --tif post-only");
  arguments.flag("--reduce-only", reduce_only, "only ever shrink a position");
  arguments.decimal("--trigger-price", trigger_price, "PRICE", "mark price that fires a stop or take-profit");
  arguments.decimal("--stop-price", stop_price, "PRICE", "older name of --trigger-price");
  arguments.integer("--trailing-bps", trailing_bps, "N", "retracement that fires a trailing order");
  arguments.integer("--limit-offset-bps", limit_offset_bps, "N", "limit of a fired trailing-limit order");
  arguments.choice("--stp", stp, stp_words, "self-trade prevention");
  arguments.integer("--max-slippage-bps", max_slippage_bps, "N", "bound of the average price around the mid");
}

Result<api::OrderRequest, Failure> order_of(const OrderTerms& terms, std::string client_id) {
  const auto market = market_id(terms.market);
  if (!market) return unexpected(market.error());
  if (!terms.side) return unexpected(usage_error("--side must be buy or sell"));
  if (terms.size && terms.notional) return unexpected(usage_error("--size and --notional exclude each other"));
  if (!terms.size && !terms.notional) return unexpected(usage_error("an order needs --size or --notional"));

  api::OrderRequest order;
  order.market_id = *market;
  order.side = value_of<api::Side>(side_words, *terms.side);
  const std::string type = terms.type.value_or(terms.price ? "limit" : "market");
  order.order_type = value_of<OrderType>(type_words, type);
  const bool trailing = takes_trailing(order.order_type);
  const auto sound =
      check({{{"--price", terms.price.has_value(), takes_price(order.order_type), takes_price(order.order_type)},
              {"--trigger-price", terms.trigger_price || terms.stop_price, takes_trigger(order.order_type),
               takes_trigger(order.order_type)},
              {"--trailing-bps", terms.trailing_bps.has_value(), trailing, trailing},
              {"--limit-offset-bps", terms.limit_offset_bps.has_value(), order.order_type == OrderType::trailing_limit,
               order.order_type == OrderType::trailing_limit}}},
            type);
  if (!sound) return unexpected(sound.error());

  if (terms.post_only && terms.tif && *terms.tif != "post-only") {
    return unexpected(usage_error("--post-only and --tif " + *terms.tif + " exclude each other"));
  }
  const std::string tif_default = is_market_type(order.order_type) ? "ioc" : "gtc";
  order.time_in_force =
      value_of<TimeInForce>(tif_words, terms.post_only ? std::string("post-only") : terms.tif.value_or(tif_default));
  if (terms.size) order.quantity = api::DecimalText(*terms.size);
  order.price = decimal_of(terms.price);
  order.reduce_only = terms.reduce_only;
  order.trigger_price = decimal_of(terms.trigger_price);
  order.stop_price = decimal_of(terms.stop_price);
  if (terms.stp) order.stp = value_of<api::StpMode>(stp_words, *terms.stp);
  order.client_id = std::move(client_id);

  const auto trailing_bps = basis_points("--trailing-bps", terms.trailing_bps);
  const auto offset_bps = basis_points("--limit-offset-bps", terms.limit_offset_bps);
  const auto slippage_bps = basis_points("--max-slippage-bps", terms.max_slippage_bps);
  for (const auto* bps : {&trailing_bps, &offset_bps, &slippage_bps}) {
    if (!*bps) return unexpected(bps->error());
  }
  order.trailing_offset_bps = *trailing_bps;
  order.limit_offset_bps = *offset_bps;
  order.max_slippage_bps = *slippage_bps;
  return order;
}

std::optional<std::int64_t> lots_for(const Decimal& notional, const Decimal& price, const Decimal& lot) {
  // notional / (price x lot), all three over one scale: N * 10^s / (P * L), s from the scales.
  const auto fits = [](i128 value) { return value <= std::numeric_limits<std::int64_t>::max(); };
  if (price.coefficient <= 0 || lot.coefficient <= 0 || notional.coefficient < 0) return std::nullopt;
  if (!fits(price.coefficient) || !fits(lot.coefficient) || !fits(notional.coefficient)) return std::nullopt;
  i128 numerator = notional.coefficient;
  i128 denominator = price.coefficient * lot.coefficient;
  constexpr i128 room = std::numeric_limits<i128>::max() / 10;
  for (int shift = price.scale + lot.scale - notional.scale; shift > 0; --shift) {
    if (numerator > room) return std::nullopt;
    numerator *= 10;
  }
  for (int shift = notional.scale - price.scale - lot.scale; shift > 0; --shift) {
    if (denominator > room) return std::nullopt;
    denominator *= 10;
  }
  const i128 lots = div_round(numerator, denominator, Rounding::down);
  return fits(lots) ? std::optional(static_cast<std::int64_t>(lots)) : std::nullopt;
}

Result<void, Stop> resolve_notional(Context& context, Exchange& exchange, const OrderTerms& terms,
                                    api::OrderRequest& order) {
  if (!terms.notional) return {};
  if (context.globals().dry_run) {
    return unexpected(
        Stop(usage_error("--notional needs the market's lot from the server, and a dry run asks nobody; "
                         "use --size")));
  }
  const auto markets = exchange.call(call_of<api::ops::ListMarkets>());
  if (!markets) return unexpected(markets.error());
  const Json* market = nullptr;
  for (const Json& row : markets->body.items()) {
    if (row.string_at("market_id") == std::string_view(terms.market)) market = &row;
  }
  if (market == nullptr) {
    return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                   .code = "UnknownMarket",
                                   .message = "the network lists no market " + terms.market}));
  }
  std::string price_text = terms.price.value_or("");
  if (price_text.empty()) {
    const auto mark = exchange.call(call_of<api::ops::GetMarkPrice>({.market_id = order.market_id}));
    if (!mark) return unexpected(mark.error());
    price_text = std::string(mark->body.string_at("mark_price").value_or(""));
  }
  const auto notional = parse_decimal(*terms.notional);
  const auto price = parse_decimal(price_text);
  const auto lot = parse_decimal(market->string_at("lot_size").value_or(""));
  const auto lots = notional && price && lot ? lots_for(*notional, *price, *lot) : std::nullopt;
  if (!lots) return unexpected(Stop(internal_error("the size of the notional cannot be computed exactly; use --size")));
  if (*lots == 0) {
    return unexpected(Stop(usage_error("--notional " + *terms.notional + " buys less than one lot (" +
                                       format_decimal(*lot) + ") at " + price_text)));
  }
  order.quantity = api::DecimalText(format_decimal(multiply(*lots, *lot)));
  context.notice("size_resolved", *terms.notional + " USDX at " + price_text + " is " + order.quantity.text + " " +
                                      terms.market + ", rounded down to lots of " + format_decimal(*lot));
  return {};
}

}  // namespace svc::cli
