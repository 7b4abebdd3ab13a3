#include "cli/guards/guards.h"

#include <algorithm>
#include <array>

#include "api/ops/account.h"
#include "api/ops/markets.h"
#include "base/hex.h"
#include "cli/exchange/exchange.h"
#include "cli/guards/allow_list.h"
#include "cli/guards/intended_order.h"
#include "cli/secrets/dev_keys.h"
#include "signing/hash.h"

namespace svc::cli::guards {
namespace {

std::string usdx_text(std::int64_t micro) {
  return format_scaled(micro, usdx_decimals) + " USDX";
}

Failure refusal(std::string rule, std::string message, const Network& network, std::string_view key) {
  Failure failure = guard(std::move(rule), std::move(message));
  failure.actions = {"svc -n " + network.name + " config set guards." + network.name + "." + std::string(key) +
                     " VALUE"};
  return failure;
}

// Of the writes that a second time would repeat what they did.
bool can_repeat(std::string_view operation) {
  constexpr std::array<std::string_view, 6> names{
      "place_order",  "place_orders", "submit_withdrawal", "submit_transfer", "create_bridge_withdrawal",
      "adjust_margin"};
  return std::find(names.begin(), names.end(), operation) != names.end();
}

// What is asked, without what differs from one attempt to the next.
Json without_marks(const Json& value) {
  constexpr std::array<std::string_view, 4> marks{"client_id", "client_transfer_id", "nonce", "signature"};
  if (value.is(Json::Kind::array)) {
    Json list = Json::array();
    for (const Json& item : value.items()) list.push(without_marks(item));
    return list;
  }
  if (!value.is(Json::Kind::object)) return value;
  Json kept = Json::object();
  for (std::size_t i = 0; i < value.keys().size(); ++i) {
    const std::string& key = value.keys()[i];
    if (std::find(marks.begin(), marks.end(), key) == marks.end()) kept.set(key, without_marks(value.items()[i]));
  }
  return kept;
}

std::string short_hash(const std::string& text) {
  return to_hex(signing::sha256(text)).substr(0, intent_digits);
}

// One for each order, whichever way it comes. The second of two like ones that one run asks for is another one.
std::string hashes_of(Exchange& exchange, const Call& call) {
  const auto body = parse_json(call.body);
  const bool is_batch = body && call.operation->name == "place_orders";
  const bool is_order = body && call.operation->name == "place_order";
  if (!is_batch && !is_order) {
    return short_hash(std::string(call.operation->name) + "\n" + call.path + "?" + call.query + "\n" +
                      (body ? without_marks(*body).dump() : call.body));
  }
  std::string hashes;
  for (const Json& order : is_batch ? body->items() : std::vector{*body}) {
    const std::string terms = without_marks(order).dump();
    hashes += short_hash("order\n" + terms + "\n" + std::to_string(exchange.count_asked(terms)));
  }
  return hashes;
}

Result<void, Failure> check_destination(Context& context, const Network& network, const Terms& terms,
                                        const Call& call) {
  if (call.operation->name != "submit_transfer") return {};
  const auto body = parse_json(call.body);
  const auto to = parse_address(body ? body->string_at("recipient").value_or("") : "");
  if (!to) return {};  // the server refuses it
  if (!network.is_local() && is_dev_address(*to)) {
    return unexpected(guard("dev_target", to_string(*to) + " is an account of the public development phrase: anybody " +
                                              "can take what arrives there"));
  }
  if (!terms.address_cooldown_ms) return {};
  auto listed = check_listed(**context.paths(), network.name, *to, context.now_ms());
  if (listed || !call.allow_new_destination) return listed;
  context.notice("new_address", listed.error().message + "; --allow-new-address was given");
  return {};
}

Result<Decimal, Stop> read_mark(Exchange& exchange, const std::string& market) {
  const auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetMarkPrice>({.market_id = api::MarketId{market}})));
  const auto mark = parse_decimal(reply.body.string_at("mark_price").value_or(""));
  if (!mark || mark->coefficient <= 0) {
    return unexpected(
        Stop(guard("mark_unknown", "the mark price of " + market + " is not known, so the order cannot be judged")));
  }
  return *mark;
}

Result<void, Stop> check_orders(Exchange& exchange, const Terms& terms, const std::vector<IntendedOrder>& orders) {
  if (!terms.order_notional_micro_usdx_max && !terms.price_band_bps) return {};
  std::map<std::string, Decimal> marks;
  for (const IntendedOrder& order : orders) {
    if (order.reduces || !order.quantity || !api::is_market_id(order.market)) continue;
    if (!marks.contains(order.market)) {
      const auto mark = SVC_TRY(read_mark(exchange, order.market));
      marks[order.market] = mark;
    }
    const Decimal& mark = marks[order.market];
    const auto notional = notional_micro_usdx(*order.quantity, order.price.value_or(mark));
    if (const auto& most = terms.order_notional_micro_usdx_max; most && (!notional || *notional > *most)) {
      const std::string worth = notional ? usdx_text(*notional) : "more than can be counted";
      return unexpected(Stop(refusal("order_notional_max",
                                     "the order is worth " + worth + ", and " + usdx_text(*most) + " is allowed",
                                     exchange.network(), "order_notional_max")));
    }
    if (terms.price_band_bps && beyond_band(order, mark, *terms.price_band_bps)) {
      return unexpected(
          Stop(refusal("price_band",
                       std::string(order.buys ? "buying" : "selling") + " at " + format_decimal(*order.price) +
                           " is more than " + std::to_string(*terms.price_band_bps) + " bps " +
                           (order.buys ? "above" : "below") + " the mark price " + format_decimal(mark),
                       exchange.network(), "price_band_bps")));
    }
  }
  return {};
}

Result<void, Stop> check_loss(Exchange& exchange, const Terms& terms) {
  if (!terms.daily_loss_micro_usdx_max) return {};
  const auto state = SVC_TRY(exchange.call(call_of<api::ops::GetAccountState>()));
  const auto figure = [&](std::string_view key) {
    return parse_scaled(state.body.string_at("summary." + std::string(key)).value_or(""), usdx_decimals);
  };
  const auto realized = figure("total_realized_pnl_24h");
  const auto open = figure("total_unrealized_pnl");
  if (!realized || !open) {
    return unexpected(Stop(guard("loss_unknown",
                                 "the account's profit of 24 hours cannot be read, so the daily loss "
                                 "cannot be judged")));
  }
  const std::int64_t loss = -(*realized + std::min<std::int64_t>(*open, 0));
  if (loss <= *terms.daily_loss_micro_usdx_max) return {};
  return unexpected(Stop(refusal("daily_loss_max",
                                 "trading lost " + usdx_text(loss) + " in 24 hours, and " +
                                     usdx_text(*terms.daily_loss_micro_usdx_max) +
                                     " is allowed; cancels and reduce-only orders still pass",
                                 exchange.network(), "daily_loss_max")));
}

Result<Admission, Stop> enter(Context& context, Exchange& exchange, const Call& call, const Terms& terms,
                              std::string_view account, std::int64_t orders) {
  if (!can_repeat(call.operation->name)) return Admission{};
  if (!terms.daily_orders_max && !terms.duplicate_window_ms) return Admission{};
  const Intent intent{.account = std::string(account),
                      .hashes = hashes_of(exchange, call),
                      .orders = orders,
                      .at_ms = context.now_ms()};
  const Network& network = exchange.network();
  const auto admits = [&](const Standing& standing) -> Result<void, Failure> {
    if (terms.daily_orders_max && standing.orders_today + orders > *terms.daily_orders_max && orders > 0) {
      return unexpected(refusal("daily_orders_max",
                                std::to_string(standing.orders_today) + " orders were sent today, and " +
                                    std::to_string(*terms.daily_orders_max) + " are allowed",
                                network, "daily_orders_max"));
    }
    if (standing.same_intent_at_ms && terms.duplicate_window_ms && !context.globals().allow_duplicate) {
      Failure failure =
          guard("duplicate_intent", "the same was asked for " +
                                        std::to_string((intent.at_ms - *standing.same_intent_at_ms) / second_ms) +
                                        " s ago; a second one needs --allow-duplicate");
      failure.actions = {"svc -n " + network.name + " orders list", "add --allow-duplicate"};
      return unexpected(failure);
    }
    return {};
  };
  const auto entered =
      Ledger(**context.paths(), network.name).enter(intent, terms.duplicate_window_ms.value_or(0), admits);
  if (!entered) return unexpected(Stop(entered.error()));
  return Admission{.entered = intent};
}

}  // namespace

Result<Admission, Stop> admit(Context& context, Exchange& exchange, const Call& call, std::string_view account) {
  if (call.direction == Direction::way_out || context.globals().dry_run) return Admission{};
  const auto config = SVC_TRY(context.config());
  const auto terms = SVC_TRY(terms_of(*config, exchange.network()));
  SVC_TRY(check_destination(context, exchange.network(), terms, call));
  const auto orders = SVC_TRY(intended_orders(exchange, call));
  const auto adding = std::count_if(orders.begin(), orders.end(), [](const IntendedOrder& o) { return !o.reduces; });
  if (adding > 0) {
    SVC_TRY(check_orders(exchange, terms, orders));
    SVC_TRY(check_loss(exchange, terms));
  }
  return enter(context, exchange, call, terms, account, adding);
}

std::optional<std::int64_t> worth_of(Exchange& exchange, const Call& call) {
  const auto orders = intended_orders(exchange, call);
  if (!orders || orders->empty()) return std::nullopt;
  std::int64_t worth = 0;
  for (const IntendedOrder& order : *orders) {
    if (!order.quantity || !api::is_market_id(order.market)) return std::nullopt;
    const auto mark = read_mark(exchange, order.market);
    if (!mark) return std::nullopt;
    const auto by_mark = notional_micro_usdx(*order.quantity, *mark);
    const auto by_price = notional_micro_usdx(*order.quantity, order.price.value_or(*mark));
    if (!by_mark || !by_price || __builtin_add_overflow(worth, std::max(*by_mark, *by_price), &worth)) {
      return std::nullopt;
    }
  }
  return worth;
}

namespace {

void leave(Context& context, std::string_view network, const Admission& admission, const std::string& hashes) {
  const auto paths = context.paths();
  if (!paths) return;
  const auto done = Ledger(**paths, network).take_back(*admission.entered, hashes);
  if (!done) context.notice("guards", done.error().message);
}

}  // namespace

void take_back(Context& context, std::string_view network, const Admission& admission) {
  if (admission.entered) leave(context, network, admission, {});
}

void take_back_refused(Context& context, std::string_view network, const Admission& admission, const Json& results) {
  if (!admission.entered || !results.is(Json::Kind::array)) return;
  const std::string& hashes = admission.entered->hashes;
  if (hashes.size() != results.items().size() * intent_digits) return;
  std::string accepted;
  for (std::size_t i = 0; i < results.items().size(); ++i)
    if (results.items()[i].string_at("outcome") == "ok") accepted += hashes.substr(i * intent_digits, intent_digits);
  if (accepted.size() < hashes.size()) leave(context, network, admission, accepted);
}

}  // namespace svc::cli::guards
