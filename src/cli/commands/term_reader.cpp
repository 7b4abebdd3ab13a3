#include "cli/commands/term_reader.h"

#include "api/ops/account.h"
#include "api/ops/markets.h"
#include "api/ops/positions.h"
#include "cli/commands/decimal_math.h"
#include "cli/commands/market_settings.h"
#include "cli/commands/write_flags.h"
#include "cli/exchange/http_date.h"

namespace svc::cli {
namespace {

constexpr std::int64_t quote_age_ms_max = 5'000;  // beyond it a price is no reference
constexpr Decimal one_in_bps{10'000, 0};
constexpr Decimal one_in_percent{100, 0};

Stop inexact(const std::string& what) {
  return internal_error(what + " cannot be computed exactly; give a plain number");
}

std::optional<Decimal> decimal_of(const Json* value) {
  const bool shown = value != nullptr && (value->is(Json::Kind::string) || value->is(Json::Kind::number));
  const auto number = shown ? parse_decimal(value->text()) : Result<Decimal, DecimalError>(Decimal{});
  return shown && number ? std::optional(*number) : std::nullopt;
}

std::optional<Decimal> best(const Json& book, std::string_view side) {
  const Json* levels = book.find(side);
  if (levels == nullptr || levels->items().empty() || levels->items().front().items().empty()) return std::nullopt;
  return decimal_of(&levels->items().front().items().front());
}

std::string_view rounded_text(Rounding rounding) {
  return rounding == Rounding::down ? "rounded down" : rounding == Rounding::up ? "rounded up" : "rounded";
}

}  // namespace

Result<void, Stop> TermReader::may_ask() const {
  if (context_.may_read()) return {};
  return unexpected(
      Stop(usage_error("a price or size that depends on the market or the account needs the server, and a dry run asks "
                       "nobody; give plain numbers")));
}

Result<TermReader::Steps, Stop> TermReader::steps() {
  if (steps_) return *steps_;
  SVC_TRY(may_ask());
  const auto markets = SVC_TRY(exchange_.call(call_of<api::ops::ListMarkets>()));
  for (const Json& row : markets.body.items()) {
    if (row.string_at("market_id") != std::string_view(market_.text)) continue;
    const auto tick = decimal_of(row.find("tick_size"));
    const auto lot = decimal_of(row.find("lot_size"));
    if (!tick || !lot || tick->coefficient <= 0 || lot->coefficient <= 0)
      return unexpected(Stop(internal_error("the server tells no tick and lot of " + market_.text)));
    steps_ = Steps{*tick, *lot};
    return *steps_;
  }
  return unexpected(Stop(Failure{
      .exit = ExitCode::not_found, .code = "UnknownMarket", .message = "the network lists no market " + market_.text}));
}

Result<const Json*, Stop> TermReader::fresh(std::optional<Json>& kept, const Call& call) {
  if (kept) return &*kept;
  SVC_TRY(may_ask());
  auto reply = SVC_TRY(exchange_.call(call));
  const auto header = reply.headers.find("Date");
  const auto date = header ? parse_http_date(*header) : std::nullopt;
  const auto taken_ms = reply.body.integer_at("timestamp");
  if (!taken_ms) {
    return unexpected(Stop(guard(
        "stale_book", "the server does not say how old its prices of " + market_.text + " are; nothing was sent")));
  }
  const std::int64_t age_ms = date.value_or(context_.now_ms()) - *taken_ms;
  if (age_ms > quote_age_ms_max) {
    return unexpected(
        Stop(guard("stale_book", "the prices of " + market_.text + " are " + std::to_string(age_ms / second_ms) +
                                     " s old; nothing was sent. Give a plain price")));
  }
  kept = std::move(reply.body);
  return &*kept;
}

Result<Decimal, Stop> TermReader::price(PriceAnchor anchor) {
  const bool of_book = anchor == PriceAnchor::bid || anchor == PriceAnchor::ask || anchor == PriceAnchor::mid;
  const auto source = SVC_TRY(of_book ? fresh(book_, call_of<api::ops::GetOrderBook>({.market_id = market_}))
                                      : fresh(ticker_, call_of<api::ops::GetTicker>({.market_id = market_})));
  std::optional<Decimal> found;
  switch (anchor) {
    case PriceAnchor::bid: found = best(*source, "bids"); break;
    case PriceAnchor::ask: found = best(*source, "asks"); break;
    case PriceAnchor::mid: {
      const auto bid = best(*source, "bids");
      const auto ask = best(*source, "asks");
      const auto sum = bid && ask ? plus(*bid, *ask) : std::nullopt;
      found = sum ? halved(*sum) : std::nullopt;
      break;
    }
    case PriceAnchor::mark: found = decimal_of(source->find("markPrice")); break;
    case PriceAnchor::index: found = decimal_of(source->find("indexPrice")); break;
    case PriceAnchor::last: found = decimal_of(source->find("last")); break;
  }
  if (found && found->coefficient > 0) return *found;
  return unexpected(Stop(guard("no_reference_price", market_.text + " has no " + std::string(to_string(anchor)) +
                                                         " price now; nothing was sent")));
}

Result<Json, Stop> TermReader::position() {
  if (position_) return *position_;
  SVC_TRY(may_ask());
  const auto positions = SVC_TRY(exchange_.call(call_of<api::ops::ListPositions>()));
  for (const Json& row : positions.body.items()) {
    const auto size = decimal_of(row.find("size"));
    if (row.string_at("market_id") != std::string_view(market_.text) || !size || size->coefficient == 0) continue;
    position_ = row;
    return row;
  }
  return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                 .code = "NoOpenPosition",
                                 .message = "the account has no position in " + market_.text}));
}

Result<Decimal, Stop> TermReader::free_margin() {
  SVC_TRY(may_ask());
  const auto account = SVC_TRY(exchange_.call(call_of<api::ops::GetAccount>()));
  const auto free = decimal_of(account.body.find("available_margin"));
  if (!free) return unexpected(Stop(internal_error("the server tells no free margin of the account")));
  return *free;
}

Result<void, Stop> TermReader::check_leverage(const std::string& text, const Decimal& leverage) {
  const auto setting = MarketSettings(exchange_).of(market_);
  if (!setting) return unexpected(setting.error());
  const auto set = parse_decimal(setting->leverage.value_or(""));
  if (!set || compared(leverage, *set).value_or(1) <= 0) return {};
  Failure failure = usage_error(text + ": the leverage of " + market_.text + " is set to " + *setting->leverage +
                                ", and margin is taken by that");
  failure.actions = {"max@" + *setting->leverage + "x"};
  if (leverage.scale == 0)
    failure.actions.push_back(command_line(context_, "margin leverage " + market_.text + " " + format_decimal(leverage)));
  return unexpected(Stop(std::move(failure)));
}

Result<std::string, Stop> TermReader::resolve(std::string_view what, const std::string& text,
                                              const RelativePrice& relative, Rounding rounding) {
  const auto market_steps = SVC_TRY(steps());
  const auto anchor = SVC_TRY(price(relative.anchor));
  using Unit = RelativePrice::Unit;
  std::optional<Decimal> exact;
  switch (relative.unit) {
    case Unit::usdx: exact = plus(anchor, relative.distance); break;
    case Unit::ticks: {
      const auto distance = times(relative.distance, market_steps.tick);
      exact = distance ? plus(anchor, *distance) : std::nullopt;
      break;
    }
    case Unit::bps:
    case Unit::percent: {
      const bool bps = relative.unit == Unit::bps;
      const auto factor = plus(bps ? one_in_bps : one_in_percent, relative.distance);
      exact = factor ? times(anchor, *factor) : std::nullopt;
      if (exact) exact = shifted_down(*exact, bps ? 4 : 2);
      break;
    }
  }
  const auto price = exact ? to_step(*exact, market_steps.tick, rounding) : std::nullopt;
  if (!price) return unexpected(inexact(std::string(what) + " " + text));
  if (price->coefficient <= 0) {
    return unexpected(Stop(usage_error(std::string(what) + " " + text + " is not above zero: " +
                                       std::string(to_string(relative.anchor)) + " is " + format_decimal(anchor))));
  }
  std::string line = std::string(what) + " " + text + " is " + format_decimal(*exact) + " (" +
                     std::string(to_string(relative.anchor)) + " " + format_decimal(anchor) + ")";
  if (*price != *exact) {
    line += ", " + std::string(rounded_text(rounding)) + " to ticks of " + format_decimal(market_steps.tick) + ": " +
            format_decimal(*price);
  }
  context_.notice("price_resolved", line);
  return format_decimal(*price);
}

Result<Decimal, Stop> TermReader::taker_bps() {
  const auto fees = SVC_TRY(exchange_.call(call_of<api::ops::GetAccountFees>({.market_id = market_})));
  const auto bps = decimal_of(fees.body.find("taker_fee_bps"));
  if (!bps) return unexpected(Stop(internal_error("the server tells no taker fee of the account")));
  return bps->coefficient > 0 ? *bps : Decimal{};
}

Result<Decimal, Stop> TermReader::worst_price(api::Side side, const Decimal& size) {
  const auto book = SVC_TRY(fresh(book_, call_of<api::ops::GetOrderBook>({.market_id = market_})));
  const Json* levels = book->find(side == api::Side::buy ? "asks" : "bids");
  std::optional<Decimal> worst;
  Decimal sum{};
  for (std::size_t i = 0; levels != nullptr && i < levels->items().size(); ++i) {
    const auto& level = levels->items()[i].items();
    const auto price = level.size() < 2 ? std::nullopt : decimal_of(&level[0]);
    const auto amount = level.size() < 2 ? std::nullopt : decimal_of(&level[1]);
    const auto total = price && amount ? plus(sum, *amount) : std::nullopt;
    if (!total) return unexpected(inexact("the way through the book"));
    worst = price;
    sum = *total;
    if (compared(sum, size).value_or(1) >= 0) break;
  }
  if (worst) return *worst;
  return price(side == api::Side::buy ? PriceAnchor::ask : PriceAnchor::bid);  // says that there is none
}

Result<Decimal, Stop> TermReader::unit_cost(api::Side side, const Decimal& leverage, const Decimal& price,
                                            const Decimal& mark) {
  const auto bps = SVC_TRY(taker_bps());
  const bool buys = side == api::Side::buy;
  const Decimal& more = buys ? price : mark;
  const Decimal& less = buys ? mark : price;
  auto lost = plus(more, {-less.coefficient, less.scale});  // against the mark, as soon as it trades
  if (lost && lost->coefficient < 0) lost = Decimal{};
  const Decimal& bound = lost && lost->coefficient > 0 ? mark : price;
  const auto fee = times(price, bps);
  const auto spent = lost && fee ? plus(*lost, shifted_down(*fee, 4)) : std::nullopt;
  const auto scaled = spent ? times(*spent, leverage) : std::nullopt;
  const auto cost = scaled ? plus(bound, *scaled) : std::nullopt;
  if (!cost) return unexpected(inexact("what a unit binds"));
  return *cost;
}

Result<std::string, Stop> TermReader::resolve(const std::string& text, const RelativeSize& relative, api::Side side,
                                              const std::optional<std::string>& limit_price) {
  const auto market_steps = SVC_TRY(steps());
  const Decimal& lot = market_steps.lot;
  std::optional<Decimal> size;
  std::string why;
  if (relative.kind == RelativeSize::Kind::position) {
    const auto held = SVC_TRY(position());
    const auto whole = decimal_of(held.find("size"));
    const auto part = whole ? times(*whole, relative.amount) : std::nullopt;
    size = part ? to_step(shifted_down(*part, 2), lot, Rounding::down) : std::nullopt;
    why =
        text + " of " + std::string(held.string_at("side").value_or("")) + " " + (whole ? format_decimal(*whole) : "");
  } else {
    std::optional<Decimal> value = relative.amount;
    why = format_decimal(relative.amount) + " USDX";
    if (relative.kind == RelativeSize::Kind::leverage) {
      const auto free = SVC_TRY(free_margin());
      if (free.coefficient <= 0) {
        return unexpected(
            Stop(Failure{.exit = ExitCode::insufficient_funds,
                         .code = "no_free_margin",
                         .message = text + ": the account has no free margin (" + format_decimal(free) + " USDX)"}));
      }
      SVC_TRY(check_leverage(text, relative.amount));
      value = times(free, relative.amount);
      why = text + " of " + format_decimal(free) + " USDX free margin";
    }
    std::optional<Decimal> unit_price;
    if (limit_price) {
      const auto parsed = parse_decimal(*limit_price);
      if (parsed) unit_price = *parsed;
    } else {
      const auto mark = SVC_TRY(price(PriceAnchor::mark));
      unit_price = mark;
    }
    auto lots = value && unit_price ? lots_for(*value, *unit_price, lot) : std::nullopt;
    if (lots && relative.kind == RelativeSize::Kind::leverage) {
      const auto mark = SVC_TRY(price(PriceAnchor::mark));
      const auto worst =
          SVC_TRY(limit_price ? Result<Decimal, Stop>(*unit_price) : worst_price(side, multiply(*lots, lot)));
      unit_price = worst;
      const auto cost = SVC_TRY(unit_cost(side, relative.amount, worst, mark));
      lots = lots_for(*value, cost, lot);
      why += ", less the fee and what is lost against the mark,";
    }
    if (lots) size = multiply(*lots, lot);
    if (unit_price) why += " at " + format_decimal(*unit_price);
  }
  if (!size) return unexpected(inexact("the size " + text));
  if (size->coefficient <= 0)
    return unexpected(Stop(usage_error(why + " is less than one lot (" + format_decimal(lot) + ")")));
  context_.notice("size_resolved", why + " is " + format_decimal(*size) + " " + market_.text +
                                       ", rounded down to lots of " + format_decimal(lot));
  return format_decimal(*size);
}

}  // namespace svc::cli
