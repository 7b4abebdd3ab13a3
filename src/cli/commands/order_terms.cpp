#include "cli/commands/order_terms.h"

#include <limits>

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/positions.h"
#include "cli/client/account_lookup.h"
#include "cli/client/guards.h"
#include "cli/client/proof.h"
#include "cli/client/refusal.h"
#include "cli/client/server_facts.h"
#include "cli/terminal/canvas.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;
using api::OrderType;
using api::TimeInForce;

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

// The words are in the order of the enumerators.
template <class E>
std::string_view word_of(std::span<const std::string_view> words, E value) {
  return words[static_cast<std::size_t>(value)];
}

enum class PriceAnchor : std::uint8_t { bid, ask, mid, mark, index, last };

struct RelativePrice {
  enum class Unit : std::uint8_t { usdx, ticks, bps, percent };
  PriceAnchor anchor = PriceAnchor::mid;
  Decimal distance{};  // signed
  Unit unit = Unit::usdx;
};

struct RelativeSize {
  enum class Kind : std::uint8_t { value, position, leverage };
  Kind kind = Kind::value;
  Decimal amount{};  // USDX, per cent, or times
};

// In the order of the enumerators.
constexpr std::array anchor_words{"bid"sv, "ask"sv, "mid"sv, "mark"sv, "index"sv, "last"sv};
constexpr std::array ticker_members{""sv, ""sv, ""sv, "markPrice"sv, "indexPrice"sv, "last"sv};  // else of the book

bool strip_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::optional<Decimal> above_zero(std::string_view text) {
  const auto number = parse_decimal(completed_decimal(std::string(text)));
  return number && number->coefficient > 0 ? std::optional(*number) : std::nullopt;
}

std::optional<RelativePrice> relative_price(std::string_view text) {
  using Unit = RelativePrice::Unit;
  for (std::size_t i = 0; i < anchor_words.size(); ++i) {
    if (!text.starts_with(anchor_words[i])) continue;
    RelativePrice price{.anchor = static_cast<PriceAnchor>(i)};
    std::string_view rest = text.substr(anchor_words[i].size());
    if (rest.empty()) return price;
    const bool minus = rest.front() == '-';
    if (!minus && rest.front() != '+') return std::nullopt;
    rest.remove_prefix(1);
    price.unit = strip_end(rest, "bps") ? Unit::bps
                 : strip_end(rest, "%") ? Unit::percent
                 : strip_end(rest, "t") ? Unit::ticks
                                        : Unit::usdx;
    const auto distance = above_zero(rest);
    if (!distance || (price.unit == Unit::ticks && distance->scale > 0)) return std::nullopt;
    price.distance = *distance;
    if (minus) price.distance.coefficient = -price.distance.coefficient;
    return price;
  }
  return std::nullopt;
}

std::optional<RelativeSize> relative_size(std::string_view text) {
  using Kind = RelativeSize::Kind;
  RelativeSize size;
  if (text.starts_with("max@")) {
    size.kind = Kind::leverage;
    text.remove_prefix(4);
    if (!strip_end(text, "x")) return std::nullopt;
  } else if (strip_end(text, "%pos") || strip_end(text, "%")) {
    size.kind = Kind::position;
  } else if (!strip_end(text, "usdx")) {
    return std::nullopt;
  }
  const auto amount = above_zero(text);
  if (!amount) return std::nullopt;
  size.amount = *amount;
  return size;
}

Result<std::optional<RelativePrice>> parse_price_term(std::string_view flag, const std::string& text) {
  if (above_zero(text)) return std::optional<RelativePrice>{};
  if (const auto relative = relative_price(lower_case(text))) return relative;
  return usage_error(flag, " must be a price above zero, such as 64950, or one such as mid-5bps, ",
                     "bid+1t, ask-0.1% or mark+25, not \"", text, "\"");
}

Result<std::optional<RelativeSize>> parse_size_term(std::string_view flag, const std::string& text) {
  if (above_zero(text)) return std::optional<RelativeSize>{};
  if (const auto relative = relative_size(lower_case(text))) return relative;
  return usage_error(flag, " must be a size above zero, such as 0.25, or one such as 500usdx, ",
                     "50%pos or max@3x, not \"", text, "\"");
}

Result<std::optional<std::uint32_t>> basis_points(std::string_view flag, const std::optional<std::uint64_t>& given) {
  if (given && *given > std::numeric_limits<std::uint32_t>::max()) return usage_error(flag, " is too large");
  return given ? std::optional(static_cast<std::uint32_t>(*given)) : std::nullopt;
}

// nullopt of a relative price, which is resolved later.
Result<std::optional<api::DecimalText>> price_of(std::string_view flag, const std::optional<std::string>& text) {
  if (!text || SVC_TRY(parse_price_term(flag, *text))) return std::optional<api::DecimalText>();
  return std::optional(api::DecimalText(completed_decimal(*text)));
}

// nullopt: a plain number.
Result<std::optional<RelativeSize>> size_of(const OrderTerms& terms) {
  if (!terms.notional) return parse_size_term("--size", *terms.size);
  const auto value = parse_decimal(*terms.notional);
  if (!value) return usage_error("--notional must be a decimal number such as 500");
  return std::optional(RelativeSize{.kind = RelativeSize::Kind::value, .amount = *value});
}

constexpr std::int64_t quote_age_ms_max = 5'000;  // an older price is no reference
constexpr Decimal one_in_percent{100, 0};

Failure inexact(const std::string& what) {
  return usage_error(what, " cannot be computed exactly; give a plain number");
}

std::optional<Decimal> best(const Json& book, std::string_view side) {
  const auto& levels = book.items_at(side);
  if (levels.empty() || levels.front().items().empty()) return std::nullopt;
  return decimal_of(&levels.front().items().front());
}

std::string_view rounded_text(Rounding rounding) {
  return rounding == Rounding::down ? "rounded down" : rounding == Rounding::up ? "rounded up" : "rounded";
}

// What the terms of an order may refer to: the market's steps and prices, the account's position and margin. Each is
// read once, when first needed. A dry run reads nothing (exit 2).
class TermReader {
 public:
  TermReader(Context& context, Exchange& exchange, api::MarketId market)
      : context_(context), exchange_(exchange), market_(std::move(market)) {}

  // The open position's record; exit 5 without one.
  Result<Json> position() {
    if (position_) return *position_;
    SVC_TRY(may_ask());
    const auto positions = SVC_TRY(exchange_.read<api::ops::ListPositions>());
    bool all_name_theirs = true;
    for (const Json& row : positions.items()) {
      if (!is_open(row)) continue;
      const std::string market = row.text_at("market_id");
      if (market == market_.text) return position_.emplace(row);
      all_name_theirs = all_name_theirs && !market.empty();
    }
    if (!all_name_theirs) return unreadable_member("market_id", "a position");
    // A fill may not be in the list yet.
    return absent("NoOpenPosition", "the account has no position in ", market_.text).as_retryable();
  }

  // A price relative to the market, rounded to a tick; a notice shows the arithmetic.
  Result<std::string> resolve(std::string_view what, const std::string& text, const RelativePrice& relative,
                              Rounding rounding) {
    const Decimal tick = SVC_TRY(steps()).tick;
    const auto anchor = SVC_TRY(price(relative.anchor));
    using Unit = RelativePrice::Unit;
    const Decimal unit = relative.unit == Unit::ticks     ? tick
                         : relative.unit == Unit::bps     ? shifted_down(anchor, 4)
                         : relative.unit == Unit::percent ? shifted_down(anchor, 2)
                                                          : Decimal{1, 0};
    const auto distance = times(relative.distance, unit);
    const auto exact = distance ? plus(anchor, *distance) : std::nullopt;
    const auto price = exact ? to_step(*exact, tick, rounding) : std::nullopt;
    if (!price) return inexact(concat(what, " ", text));
    const std::string_view word = word_of(anchor_words, relative.anchor);
    if (price->coefficient <= 0)
      return usage_error(what, " ", text, " is not above zero: ", word, " is ", format_decimal(anchor));
    std::string line =
        concat(what, " ", text, " is ", format_decimal(*exact), " (", word, " ", format_decimal(anchor), ")");
    if (*price != *exact)
      line += concat(", ", rounded_text(rounding), " to ticks of ", format_decimal(tick), ": ", format_decimal(*price));
    context_.notice("price_resolved", line);
    return format_decimal(*price);
  }

  // A size in whole lots, rounded down. `limit`: the price of the order, if it has one.
  Result<std::string> resolve(const std::string& text, const RelativeSize& relative, api::Side side,
                              const std::optional<Decimal>& limit) {
    const Decimal lot = SVC_TRY(steps()).lot;
    std::optional<Decimal> size;
    std::string why;
    if (relative.kind == RelativeSize::Kind::position) {
      const auto held = SVC_TRY(position());
      const auto whole = decimal_of(held.find("size"));
      if (!whole) return unreadable_member("size", "the position in " + market_.text);
      const auto part = times(*whole, relative.amount);
      size = part ? to_step(shifted_down(*part, 2), lot, Rounding::down) : std::nullopt;
      why = text + " of " + held.text_at("side") + " " + format_decimal(*whole);
    } else {
      std::optional<Decimal> value = relative.amount;
      why = format_decimal(relative.amount) + " USDX";
      if (relative.kind == RelativeSize::Kind::leverage) {
        const auto account = SVC_TRY(exchange_.call(call_of<api::ops::GetAccount>()));
        const auto free = decimal_of(account.body.find("available_margin"));
        if (!free) return internal_error("the server tells no free margin of the account");
        if (free->coefficient <= 0) {
          return failed("no_free_margin", text, ": the account has no free margin (", format_decimal(*free), " USDX)");
        }
        SVC_TRY(check_leverage(text, relative.amount));
        value = times(*free, relative.amount);
        why = text + " of " + format_decimal(*free) + " USDX free margin";
      }
      Decimal unit_price = limit ? *limit : SVC_TRY(price(PriceAnchor::mark));
      auto lots = value ? lots_for(*value, unit_price, lot) : std::nullopt;
      if (lots && relative.kind == RelativeSize::Kind::leverage) {
        const auto mark = SVC_TRY(price(PriceAnchor::mark));
        if (!limit) unit_price = SVC_TRY(worst_price(side, multiply(*lots, lot)));
        const auto cost = SVC_TRY(unit_cost(side, relative.amount, unit_price, mark));
        lots = lots_for(*value, cost, lot);
        why += ", less the fee and what is lost against the mark,";
      }
      if (lots) size = multiply(*lots, lot);
      why += " at " + format_decimal(unit_price);
    }
    if (!size) return inexact("the size " + text);
    if (size->coefficient <= 0) return usage_error(why, " is less than one lot (", format_decimal(lot), ")");
    context_.notice("size_resolved", why + " is " + format_decimal(*size) + " " + market_.text +
                                         ", rounded down to lots of " + format_decimal(lot));
    return format_decimal(*size);
  }

 private:
  struct Steps {
    Decimal tick;
    Decimal lot;
    std::int64_t leverage_max = 0;
  };

  Result<void> may_ask() const {
    if (context_.may_read()) return {};
    return usage_error(
        "a price or size that depends on the market or the account needs the server, and a dry run asks "
        "nobody; give plain numbers");
  }

  Result<Steps> steps() {
    if (steps_) return *steps_;
    SVC_TRY(may_ask());
    const auto markets = SVC_TRY(exchange_.read<api::ops::ListMarkets>());
    const Json* row = outbox::find_row(markets, "market_id", market_.text);
    if (row == nullptr) return absent("UnknownMarket", "the network lists no market ", market_.text);
    const auto tick = decimal_of(row->find("tick_size"));
    const auto lot = decimal_of(row->find("lot_size"));
    if (!tick || !lot || tick->coefficient <= 0 || lot->coefficient <= 0)
      return internal_error("the server tells no tick and lot of ", market_.text);
    steps_ = Steps{*tick, *lot, row->integer_at("max_leverage").value_or(0)};
    return *steps_;
  }

  // Exit 14 if the answer is older than a few seconds by the server's clock.
  Result<const Json*> fresh(std::optional<Json>& kept, const Call& call) {
    if (kept) return &*kept;
    auto reply = SVC_TRY(exchange_.call(call));
    const auto header = reply.headers.find("Date");
    const auto date = header ? parse_http_date(*header) : std::nullopt;
    const auto taken_ms = reply.body.integer_at("timestamp");
    if (!taken_ms) {
      return guard("stale_book", "the server does not say how old its prices of ", market_.text,
                   " are; nothing was sent");
    }
    const std::int64_t age_ms = date.value_or(context_.now_ms()) - *taken_ms;
    if (age_ms > quote_age_ms_max) {
      return guard("stale_book", "the prices of ", market_.text, " are ", age_ms / second_ms,
                   " s old; nothing was sent. Give a plain price");
    }
    exchange_.prices_hold_until(context_.uptime_ms() + quote_age_ms_max - std::max<std::int64_t>(age_ms, 0));
    kept = std::move(reply.body);
    return &*kept;
  }

  // Exit 14 if that side of the book is empty.
  Result<Decimal> price(PriceAnchor anchor) {
    std::optional<Decimal> found;
    if (const auto member = word_of(ticker_members, anchor); !member.empty()) {
      found = decimal_of(SVC_TRY(fresh(ticker_, call_of<api::ops::GetTicker>({.market_id = market_})))->find(member));
    } else {
      const Json& book = *SVC_TRY(fresh(book_, call_of<api::ops::GetOrderBook>({.market_id = market_})));
      const auto bid = best(book, "bids");
      const auto ask = best(book, "asks");
      const auto sum = bid && ask ? plus(*bid, *ask) : std::nullopt;
      found = anchor == PriceAnchor::bid ? bid : anchor == PriceAnchor::ask ? ask : sum ? halved(*sum) : std::nullopt;
    }
    if (found && found->coefficient > 0) return *found;
    return guard("no_reference_price", market_.text, " has no ", word_of(anchor_words, anchor),
                 " price now; nothing was sent");
  }

  // Exit 2 if the market is set to a lower leverage.
  Result<void> check_leverage(const std::string& text, const Decimal& leverage) {
    const auto setting = SVC_TRY(MarketSettings(exchange_).of(market_));
    const auto set = parse_decimal(setting.leverage.value_or(""));
    if (!set || compared(leverage, *set).value_or(1) <= 0) return {};
    Failure failure = usage_error(text, ": the leverage of ", market_.text, " is set to ", *setting.leverage,
                                  ", and margin is taken by that");
    failure.actions = {"max@" + *setting.leverage + "x"};
    if (leverage.scale == 0 && leverage.coefficient <= SVC_TRY(steps()).leverage_max)
      failure.actions.push_back(
          command_line(context_, "margin leverage " + market_.text + " " + format_decimal(leverage)));
    return failure;
  }

  // The worst price at which an order of this size fills.
  Result<Decimal> worst_price(api::Side side, const Decimal& size) {
    const auto book = SVC_TRY(fresh(book_, call_of<api::ops::GetOrderBook>({.market_id = market_})));
    if (const auto worst = SVC_TRY(guards::worst_price(*book, side == api::Side::buy, size))) return *worst;
    return price(side == api::Side::buy ? PriceAnchor::ask : PriceAnchor::bid);  // says that there is none
  }

  // How much of `leverage` times the free margin a unit takes.
  Result<Decimal> unit_cost(api::Side side, const Decimal& leverage, const Decimal& price, const Decimal& mark) {
    const auto fees = SVC_TRY(exchange_.read<api::ops::GetAccountFees>({.market_id = market_}));
    auto bps = decimal_of(fees.find("taker_fee_bps"));
    if (!bps) return internal_error("the server tells no taker fee of the account");
    if (bps->coefficient <= 0) bps = Decimal{};
    const bool buys = side == api::Side::buy;
    const Decimal& more = buys ? price : mark;
    const Decimal& less = buys ? mark : price;
    auto lost = plus(more, {-less.coefficient, less.scale});  // against the mark, as soon as it trades
    if (lost && lost->coefficient < 0) lost = Decimal{};
    const Decimal& bound = lost && lost->coefficient > 0 ? mark : price;
    const auto fee = times(price, *bps);
    const auto spent = lost && fee ? plus(*lost, shifted_down(*fee, 4)) : std::nullopt;
    const auto scaled = spent ? times(*spent, leverage) : std::nullopt;
    const auto cost = scaled ? plus(bound, *scaled) : std::nullopt;
    if (!cost) return inexact("what a unit binds");
    return *cost;
  }

  Context& context_;
  Exchange& exchange_;
  api::MarketId market_;
  std::optional<Steps> steps_;
  std::optional<Json> book_, ticker_, position_;
};

// nullopt if it is not told.
std::optional<Decimal> largest_order(Exchange& exchange, const std::string& market) {
  const auto markets = exchange.read<api::ops::ListMarkets>();
  if (!markets) return std::nullopt;
  const Json* row = outbox::find_row(*markets, "market_id", market);
  const auto most = row == nullptr ? std::nullopt : decimal_of(row->find("max_order_size"));
  return most && most->coefficient > 0 ? most : std::nullopt;
}

// Of the order that shrinks the position.
Result<api::Side> closing_side(const Json& position) {
  const auto side = position.string_at("side");
  if (side == "Long") return api::Side::sell;
  if (side == "Short") return api::Side::buy;
  return unreadable_member("side", "the position in " + position.text_at("market_id"));
}

// An order for a part of the position on its other side is meant to shrink it. It becomes reduce-only, so that it
// cannot open one if the position changes meanwhile. More than 100% reverses the position unless --reduce-only forbids
// that.
Result<void> settle_reduction(TermReader& reader, const RelativeSize& size, api::OrderRequest& order) {
  const auto held = SVC_TRY(reader.position());
  const bool is_long = SVC_TRY(closing_side(held)) == api::Side::sell;
  const bool opposes = is_long == (order.side == api::Side::sell);
  const bool more_than_all = compared(size.amount, one_in_percent).value_or(1) > 0;
  if (order.reduce_only && !opposes) {
    const std::string side = is_long ? "long" : "short";
    return usage_error("the position in ", order.market_id.text, " is ", side, ", and to ", (is_long ? "buy" : "sell"),
                       " would increase it; a part of it is closed with ", (is_long ? "sell" : "buy"),
                       ", nothing was sent");
  }
  if (order.reduce_only && more_than_all) {
    return usage_error(format_decimal(size.amount), "% is more than the whole position in ", order.market_id.text,
                       "; at most 100% of it can be closed, nothing was sent");
  }
  order.reduce_only = order.reduce_only || (opposes && !more_than_all);
  if (order.reduce_only && !order.stp) order.stp = api::StpMode::cancel_oldest;  // as of orders that close (D-920)
  return {};
}

}  // namespace

Result<bool> is_relative_price(std::string_view flag, const std::string& text) {
  return SVC_TRY(parse_price_term(flag, text)).has_value();
}

Result<bool> is_relative_size(std::string_view flag, const std::string& text) {
  return SVC_TRY(parse_size_term(flag, text)).has_value();
}

void OrderTerms::declare(Arguments& arguments) {
  arguments.add(type, {"--type", "order type (default: limit with a price, else market)", {}, type_words});
  arguments.add(notional, decimal("--notional", "size by value, same as 500usdx: whole lots, rounded down", "USDX"));
  arguments.add(tif, {"--tif", "time in force (default: ioc for market types, else gtc)", {}, tif_words});
  arguments.add(post_only, {"--post-only", "same as --tif post-only"});
  arguments.add(reduce_only, {"--reduce-only", "only ever shrink a position"});
  arguments.add(trigger_price, {"--trigger-price", "mark price that fires a stop or take-profit, or mark-2%", "PRICE"});
  arguments.add(stop_price, {"--stop-price", "older name of --trigger-price", "PRICE"});
  arguments.add(trailing_bps, {"--trailing-bps", "retracement that fires a trailing order", "N"});
  arguments.add(limit_offset_bps, {"--limit-offset-bps", "limit of a fired trailing-limit order", "N"});
  arguments.add(force, {"--force", "send a trailing offset that fires at once, or never can"});
  arguments.add(stp, {"--stp", "self-trade prevention", {}, stp_words});
  arguments.add(max_slippage_bps, {"--max-slippage-bps", "bound of the average price around the mid", "N"});
}

std::optional<std::string> misfit(api::OrderType type, const TermsOfType& terms) {
  constexpr std::size_t slippage = 4;  // never needed
  const std::array is_taken{trade::needs_price(type), trade::is_stop(type) || trade::is_take_profit(type),
                            trade::is_trailing(type), type == OrderType::trailing_limit, trade::is_market_family(type)};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (is_taken[i] && i != slippage && !terms[i].is_given) return concat("needs ", terms[i].name);
    if (!is_taken[i] && terms[i].is_given) return concat("takes no ", terms[i].name);
  }
  return std::nullopt;
}

// Every member of an order has its words: a new one has to be named below.
static_assert(std::size(api::OrderRequest::fields) == 14);

Result<api::OrderRequest> order_of(const OrderTerms& terms, std::string client_id) {
  const auto market = SVC_TRY(market_id(terms.market));
  if (!terms.side) return usage_error("--side must be buy or sell");
  if (terms.size && terms.notional) return usage_error("--size and --notional exclude each other");
  if (!terms.size && !terms.notional) return usage_error("an order needs --size or --notional");

  api::OrderRequest order;
  order.market_id = market;
  order.side = *terms.side;
  order.order_type = terms.type.value_or(terms.price ? OrderType::limit : OrderType::market);
  const auto wrong = misfit(order.order_type, {{{"--price", terms.price.has_value()},
                                                {"--trigger-price", terms.trigger_price || terms.stop_price},
                                                {"--trailing-bps", terms.trailing_bps.has_value()},
                                                {"--limit-offset-bps", terms.limit_offset_bps.has_value()},
                                                {"--max-slippage-bps", terms.max_slippage_bps.has_value()}}});
  if (wrong) return usage_error("an order of type ", word_of(type_words, order.order_type), " ", *wrong);

  if (terms.post_only && terms.tif && *terms.tif != TimeInForce::post_only)
    return usage_error("--post-only and --tif ", word_of(tif_words, *terms.tif), " exclude each other");
  const TimeInForce usual = trade::is_market_family(order.order_type) ? TimeInForce::ioc : TimeInForce::gtc;
  order.time_in_force = terms.post_only ? TimeInForce::post_only : terms.tif.value_or(usual);
  const auto size = SVC_TRY(size_of(terms));
  if (!size) order.quantity = api::DecimalText(completed_decimal(*terms.size));
  order.price = SVC_TRY(price_of("--price", terms.price));
  order.trigger_price = SVC_TRY(price_of("--trigger-price", terms.trigger_price));
  if (terms.trigger_price && terms.stop_price)
    return usage_error("--stop-price is an older name of --trigger-price: give one of them");
  order.stop_price = SVC_TRY(price_of("--stop-price", terms.stop_price));
  order.reduce_only = terms.reduce_only;
  order.stp = terms.stp;
  order.client_id = std::move(client_id);
  order.trailing_offset_bps = SVC_TRY(basis_points("--trailing-bps", terms.trailing_bps));
  order.limit_offset_bps = SVC_TRY(basis_points("--limit-offset-bps", terms.limit_offset_bps));
  order.max_slippage_bps = SVC_TRY(basis_points("--max-slippage-bps", terms.max_slippage_bps));
  return order;
}

Result<void> check_trailing(const api::OrderRequest& order) {
  constexpr std::uint32_t whole_price_bps = 10'000;
  if (!order.trailing_offset_bps || !trade::is_trailing(order.order_type)) return {};
  const std::uint32_t offset_bps = *order.trailing_offset_bps;
  // A buy follows the price down and fires when it has risen by the offset, which may be more than the whole price.
  if (offset_bps > 0 && (offset_bps < whole_price_bps || order.side == trade::Side::buy)) return {};
  return guard("trailing_offset", "a trailing offset of ", offset_bps, " bps ",
               (offset_bps == 0 ? "fires at the first price" : "of a sell is the whole price and more"),
               "; it is from 1", offset_bps == 0 ? "" : concat(" to ", whole_price_bps - 1), ", nothing was sent")
      .to_try({"add --force"});
}

std::vector<std::string> words_of(const api::OrderRequest& order) {
  std::vector<std::string> words{"orders", "place", order.market_id.text};
  const auto add = [&](const char* flag, const auto& value) {
    if (value) words.insert(words.end(), {flag, concat(*value)});
  };
  const auto digits = [](const std::optional<api::DecimalText>& value) {
    return value ? std::optional(value->text) : std::nullopt;
  };
  add("--side", std::optional(word_of(trade::side_lower_texts, order.side)));
  add("--type", std::optional(word_of(type_words, order.order_type)));
  add("--size", std::optional(order.quantity.text));
  add("--price", digits(order.price));
  add("--tif", std::optional(word_of(tif_words, order.time_in_force)));
  add("--trigger-price", digits(order.trigger_price));
  add("--stop-price", digits(order.stop_price));
  add("--trailing-bps", order.trailing_offset_bps);
  add("--limit-offset-bps", order.limit_offset_bps);
  add("--max-slippage-bps", order.max_slippage_bps);
  if (order.stp) add("--stp", std::optional(word_of(stp_words, *order.stp)));
  if (order.reduce_only) words.emplace_back("--reduce-only");
  if (!check_trailing(order)) words.emplace_back("--force");
  add("--client-id", order.client_id);
  return words;
}

Result<void> resolve(Context& context, Exchange& exchange, const OrderTerms& terms, api::OrderRequest& order) {
  TermReader reader(context, exchange, order.market_id);
  const auto settle = [&](std::string_view what, const std::optional<std::string>& text,
                          std::optional<api::DecimalText>& into, Rounding rounding) -> Result<void> {
    const auto relative = text ? SVC_TRY(parse_price_term(what, *text)) : std::nullopt;
    if (relative) into = api::DecimalText(SVC_TRY(reader.resolve(what, *text, *relative, rounding)));
    return {};
  };
  SVC_TRY(settle("price", terms.price, order.price, order.side == api::Side::buy ? Rounding::down : Rounding::up));
  SVC_TRY(settle("trigger price", terms.trigger_price, order.trigger_price, Rounding::half_up));
  SVC_TRY(settle("trigger price", terms.stop_price, order.stop_price, Rounding::half_up));
  const auto size = SVC_TRY(size_of(terms));
  if (!size) return {};
  if (size->kind == RelativeSize::Kind::position) SVC_TRY(settle_reduction(reader, *size, order));
  const std::string text = terms.notional ? *terms.notional + "usdx" : *terms.size;
  const auto limit = order.price ? std::optional(*parse_decimal(order.price->text)) : std::nullopt;
  order.quantity = api::DecimalText(SVC_TRY(reader.resolve(text, *size, order.side, limit)));
  return {};
}

std::string typed_terms(const OrderTerms& terms, const api::OrderRequest& order) {
  bool is_relative = terms.notional.has_value();
  std::string typed = concat(to_string(order.side), " ", order.market_id.text, " ", to_string(order.order_type));
  for (const auto& [flag, text] : {std::pair{"size", &terms.size},
                                   {"notional", &terms.notional},
                                   {"price", &terms.price},
                                   {"trigger", &terms.trigger_price},
                                   {"stop", &terms.stop_price}}) {
    if (!*text) continue;
    is_relative = is_relative || !above_zero(**text);
    typed += concat(" ", flag, " ", lower_case(**text));
  }
  return is_relative ? typed : "";
}

Result<std::string> resolve_price(Context& context, Exchange& exchange, const api::MarketId& market,
                                  const std::string& text, Rounding rounding) {
  const auto relative = SVC_TRY(parse_price_term("price", text));
  SVC_ASSERT(relative);
  return TermReader(context, exchange, market).resolve("price", text, *relative, rounding);
}

Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action) {
  Call call = call_of<api::ops::PlaceOrder>(order);
  call.action = action;
  call.direction = order.reduce_only ? Direction::way_out : Direction::risk;
  if (order.client_id) {
    call.client_ids = {*order.client_id};
    call.look_up = {command_line(context, join_words({"orders", "get", "--client-id", *order.client_id}))};
  }
  return call;
}

Result<OrderTerms> closing_terms(const Json& position) {
  OrderTerms terms;
  terms.market = position.text_at("market_id");
  if (!api::is_market_id(terms.market)) return unreadable_member("market_id", "a position");
  const auto size = decimal_of(position.find("size"));
  if (!size) return unreadable_member("size", "the position in " + terms.market);
  terms.side = SVC_TRY(closing_side(position));
  const Decimal unsigned_size{.coefficient = size->coefficient < 0 ? -size->coefficient : size->coefficient,
                              .scale = size->scale};
  terms.size = format_decimal(unsigned_size);  // the side has the direction
  terms.reduce_only = true;
  // A trade with an order of one's own would leave the position as it is, and cost fees.
  terms.stp = api::StpMode::cancel_oldest;
  return terms;
}

Result<OrderTerms> closing_terms(Context& context, Exchange& exchange, const api::MarketId& market,
                                 const Decimal& percent) {
  TermReader reader(context, exchange, market);
  OrderTerms terms = SVC_TRY(closing_terms(SVC_TRY(reader.position())));
  if (percent != one_in_percent) {
    terms.size = SVC_TRY(reader.resolve(format_decimal(percent) + "%pos",
                                        {.kind = RelativeSize::Kind::position, .amount = percent}, api::Side::sell,
                                        std::nullopt));
  }
  return terms;
}

Result<void> close_position(Context& context, Exchange& exchange, OrderTerms terms, ActionChoice action,
                            const EachClosing& each) {
  auto rest = parse_decimal(terms.size.value_or(""));
  if (!rest) return internal_error("a position without a size in ", terms.market);
  std::optional<Decimal> most;
  while (rest->coefficient > 0) {
    const Decimal part = most && compared(*rest, *most).value_or(0) > 0 ? *most : *rest;
    terms.size = format_decimal(part);
    auto id = make_order_id(context.environment());
    const auto order = SVC_TRY(order_of(terms, id ? *id : make_client_id(context.environment())));
    const auto reply = exchange.call(placing_call(context, order, action));
    if (!reply && !most && reply.error().code == api::spelling(api::ErrorCode::invalid_quantity)) {
      most = largest_order(exchange, terms.market);
      if (most && compared(*rest, *most).value_or(0) > 0) continue;
    }
    SVC_TRY(each(order, reply));
    if (!reply || reply->body.string_at("order.status") != "Filled") return {};
    rest = subtract(*rest, part);
  }
  return {};
}

bool is_open(const Json& position) {
  const auto size = decimal_of(position.find("size"));
  return !size || size->coefficient != 0;
}

}  // namespace svc::cli
