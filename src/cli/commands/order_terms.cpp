#include "cli/commands/order_terms.h"

#include <array>
#include <limits>

#include "base/decimal.h"
#include "cli/commands/decimal_math.h"
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

template <class E, std::size_t N>
std::string_view word_of(const std::array<std::string_view, N>& words, E value) {
  return words[static_cast<std::size_t>(value)];
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

// The number if it is one; what is relative is resolved later.
Result<std::optional<api::DecimalText>, Failure> price_of(std::string_view flag,
                                                          const std::optional<std::string>& text) {
  if (!text) return std::optional<api::DecimalText>{};
  const auto relative = parse_price_term(flag, *text);
  if (!relative) return unexpected(relative.error());
  return *relative ? std::optional<api::DecimalText>{} : std::optional(api::DecimalText(completed_decimal(*text)));
}

// nullopt: a plain number.
Result<std::optional<RelativeSize>, Failure> size_of(const OrderTerms& terms) {
  if (!terms.notional) return parse_size_term("--size", *terms.size);
  const auto value = parse_decimal(*terms.notional);
  if (!value) return unexpected(usage_error("--notional must be a decimal number such as 500"));
  return std::optional(RelativeSize{.kind = RelativeSize::Kind::value, .amount = *value});
}

// A part of the position on the other side of it is meant to shrink it, and what the position does meanwhile must not
// make it anything else. More than all of it turns the position round, if no flag forbids that.
Result<void, Stop> settle_reduction(TermReader& reader, const RelativeSize& size, api::OrderRequest& order) {
  const auto held = SVC_TRY(reader.position());
  const bool is_long = held.string_at("side") == "Long";
  const bool opposes = is_long == (order.side == api::Side::sell);
  const bool more_than_all = compared(size.amount, Decimal{100, 0}).value_or(1) > 0;
  if (order.reduce_only && !opposes) {
    const std::string side = is_long ? "long" : "short";
    return unexpected(Stop(usage_error("the position in " + reader.market() + " is " + side + ", and to " +
                                       (is_long ? "buy" : "sell") + " would increase it; a part of it is closed with " +
                                       (is_long ? "sell" : "buy") + ", nothing was sent")));
  }
  if (order.reduce_only && more_than_all) {
    return unexpected(Stop(usage_error(format_decimal(size.amount) + "% is more than the whole position in " +
                                       reader.market() + "; at most 100% of it can be closed, nothing was sent")));
  }
  order.reduce_only = order.reduce_only || (opposes && !more_than_all);
  return {};
}

}  // namespace

void OrderTerms::declare(Arguments& arguments) {
  arguments.choice("--type", type, type_words, "order type (default: limit with a price, else market)");
  arguments.decimal("--notional", notional, "USDX", "size by value, same as 500usdx: whole lots, rounded down");
  arguments.choice("--tif", tif, tif_words, "time in force (default: ioc for market types, else gtc)");
  arguments.flag("--post-only", post_only, "same as --tif post-only");
  arguments.flag("--reduce-only", reduce_only, "only ever shrink a position");
  arguments.text("--trigger-price", trigger_price, "PRICE", "mark price that fires a stop or take-profit, or mark-2%");
  arguments.text("--stop-price", stop_price, "PRICE", "older name of --trigger-price");
  arguments.integer("--trailing-bps", trailing_bps, "N", "retracement that fires a trailing order");
  arguments.integer("--limit-offset-bps", limit_offset_bps, "N", "limit of a fired trailing-limit order");
  arguments.flag("--force", force, "send a trailing offset that fires at once, or never can");
  arguments.choice("--stp", stp, stp_words, "self-trade prevention");
  arguments.integer("--max-slippage-bps", max_slippage_bps, "N", "bound of the average price around the mid");
}

Result<api::OrderRequest, Failure> order_of(const OrderTerms& terms, std::string client_id) {
  const auto market = SVC_TRY(market_id(terms.market));
  if (!terms.side) return unexpected(usage_error("--side must be buy or sell"));
  if (terms.size && terms.notional) return unexpected(usage_error("--size and --notional exclude each other"));
  if (!terms.size && !terms.notional) return unexpected(usage_error("an order needs --size or --notional"));

  api::OrderRequest order;
  order.market_id = market;
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
  const auto size = SVC_TRY(size_of(terms));
  if (!size) order.quantity = api::DecimalText(completed_decimal(*terms.size));
  const auto price = price_of("--price", terms.price);
  const auto trigger = price_of("--trigger-price", terms.trigger_price);
  const auto stop = price_of("--stop-price", terms.stop_price);
  for (const auto* one : {&price, &trigger, &stop}) {
    if (!*one) return unexpected(one->error());
  }
  order.price = *price;
  order.reduce_only = terms.reduce_only;
  order.trigger_price = *trigger;
  order.stop_price = *stop;
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

Result<void, Failure> check_trailing(const api::OrderRequest& order) {
  constexpr std::uint32_t whole_price_bps = 10'000;
  if (!order.trailing_offset_bps || !takes_trailing(order.order_type)) return {};
  const std::uint32_t offset_bps = *order.trailing_offset_bps;
  if (offset_bps > 0 && offset_bps < whole_price_bps) return {};
  Failure failure = guard("trailing_offset",
                          "a trailing offset of " + std::to_string(offset_bps) + " bps " +
                              (offset_bps == 0 ? "fires at the first price" : "is the whole price and more") +
                              "; it is from 1 to " + std::to_string(whole_price_bps - 1) + ", nothing was sent");
  failure.actions = {"add --force"};
  return unexpected(std::move(failure));
}

std::vector<std::string> words_of(const api::OrderRequest& order) {
  std::vector<std::string> words{"orders", "place", order.market_id.text};
  const auto add = [&](const char* flag, const auto& value) {
    if (value) words.insert(words.end(), {flag, std::string(*value)});
  };
  const auto number = [](const std::optional<std::uint32_t>& value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  const auto digits = [](const std::optional<api::DecimalText>& value) {
    return value ? std::optional(value->text) : std::nullopt;
  };
  add("--side", std::optional(word_of(side_words, order.side)));
  add("--type", std::optional(word_of(type_words, order.order_type)));
  add("--size", std::optional(order.quantity.text));
  add("--price", digits(order.price));
  add("--tif", std::optional(word_of(tif_words, order.time_in_force)));
  add("--trigger-price", digits(order.trigger_price));
  add("--stop-price", digits(order.stop_price));
  add("--trailing-bps", number(order.trailing_offset_bps));
  add("--limit-offset-bps", number(order.limit_offset_bps));
  add("--max-slippage-bps", number(order.max_slippage_bps));
  if (order.stp) add("--stp", std::optional(word_of(stp_words, *order.stp)));
  if (order.reduce_only) words.emplace_back("--reduce-only");
  if (!check_trailing(order)) words.emplace_back("--force");
  add("--client-id", order.client_id);
  return words;
}

Result<void, Stop> resolve(TermReader& reader, const OrderTerms& terms, api::OrderRequest& order) {
  struct Price {
    std::string_view flag;
    const std::optional<std::string>& text;
    std::optional<api::DecimalText>& into;
    Rounding rounding;
  };
  const Rounding never_worse = order.side == api::Side::buy ? Rounding::down : Rounding::up;
  for (const Price& price : {Price{"price", terms.price, order.price, never_worse},
                             Price{"trigger price", terms.trigger_price, order.trigger_price, Rounding::half_up},
                             Price{"trigger price", terms.stop_price, order.stop_price, Rounding::half_up}}) {
    if (!price.text) continue;
    const auto relative = SVC_TRY(parse_price_term(price.flag, *price.text));
    if (!relative) continue;
    const auto resolved = SVC_TRY(reader.resolve(price.flag, *price.text, *relative, price.rounding));
    price.into = api::DecimalText(resolved);
  }
  const auto size = SVC_TRY(size_of(terms));
  if (!size) return {};
  if ((*size).kind == RelativeSize::Kind::position) {
    SVC_TRY(settle_reduction(reader, *size, order));
  }
  const std::string text = terms.notional ? *terms.notional + "usdx" : *terms.size;
  const auto limit = order.price ? std::optional(order.price->text) : std::nullopt;
  const auto resolved = SVC_TRY(reader.resolve(text, *size, order.side, limit));
  order.quantity = api::DecimalText(resolved);
  return {};
}

}  // namespace svc::cli
