#include "cli/client/guards.h"

#include <cstdlib>
#include <set>

#include "api/contract/account.h"
#include "api/contract/markets.h"
#include "api/contract/orders.h"
#include "api/contract/transfers.h"
#include "base/encoding.h"
#include "cli/client/account_lookup.h"
#include "cli/client/client_id.h"
#include "cli/client/proof.h"
#include "cli/store/allow_list.h"
#include "cli/store/wallet_store.h"
#include "cli/terminal/render.h"
#include "signing/hash.h"

namespace svc::cli::guards {
namespace {

std::string usdx_text(std::int64_t micro) {
  return format_scaled(micro, usdx_decimals) + " USDX";
}

std::string guard_setting(const Network& network, std::string_view setting, std::string_view value) {
  return concat("svc -n ", network.name, " config set guards.", network.name, ".", setting, " ", value);
}

// `setting`: the one that would allow it, and the rule's name.
template <class... Parts>
Failure refusal(const Network& network, std::string_view setting, const Parts&... parts) {
  return guard(setting, parts...).to_try({guard_setting(network, setting, "VALUE")});
}

// The request without the members that differ between attempts, in one order and with one spelling of each number.
Json without_marks(const Json& value) {
  constexpr std::array<std::string_view, 4> marks{"client_id", "client_transfer_id", "nonce", "signature"};
  if (value.is(Json::Kind::array)) return Json::list(value.items(), without_marks);
  if (value.is(Json::Kind::string)) {
    const auto number = parse_decimal(value.text());
    return number ? Json(format_decimal(*number)) : value;
  }
  if (!value.is(Json::Kind::object)) return value;
  std::map<std::string_view, Json> kept;
  for (const auto& [key, member] : value.members()) {
    const bool is_mark = is_among(key, marks);
    if (!is_mark && !member.is(Json::Kind::null)) kept.emplace(key, without_marks(member));
  }
  Json sorted = Json::object();
  for (auto& [key, member] : kept) sorted.set(key, std::move(member));
  return sorted;
}

std::string short_hash(const std::string& text) {
  return to_hex(signing::sha256(text)).substr(0, intent_digits);
}

// What a write asks for, without marks: one text per order, whether placed alone or in a batch.
std::vector<std::string> terms_of(std::string_view operation, const std::string& path, const std::string& query,
                                  const std::optional<Json>& document, const std::string& body) {
  if (!document || api::order_write_of(operation) != api::OrderWrite::places)
    return {concat(operation, "\n", path, "?", query, "\n", document ? without_marks(*document).dump() : body)};
  std::vector<std::string> terms;
  for (const Json& row : bodies_in(*document)) {
    // Its members may be left out where they have their usual value.
    const auto order = api::decode_json<api::OrderRequest>(row.dump());
    terms.push_back("order\n" + (order ? order_terms(*order) : without_marks(row).dump()));
  }
  return terms;
}

// If a run places the same order twice, the second one gets a hash of its own.
std::string hashes_of(Connection& connection, const Call& call) {
  const bool is_order = call.document && call.operation->orders == api::OrderWrite::places;
  std::string hashes;
  for (const std::string& terms : terms_of(call.operation->name, call.path, call.query, call.document, call.body))
    hashes += short_hash(is_order ? concat(terms, "\n", connection.count_asked(terms)) : terms);
  return hashes;
}

Result<void> check_destination(Context& context, const Network& network, const Terms& terms, const Call& call) {
  if (call.operation != &api::ops::SubmitTransfer::op) return {};
  const auto to = parse_address(call.document ? call.document->string_at("recipient").value_or("") : "");
  if (!to && (network.real_funds() || terms.address_cooldown_ms))
    return guard("body_unreadable", "the recipient of the body is no address; nothing was sent");
  if (!to) return {};  // the server refuses it
  SVC_TRY(refuse_dev_target(network, *to));
  if (!terms.address_cooldown_ms) return {};
  auto listed = check_listed(**context.paths(), network.name, *to, context.now_ms());
  if (listed || !call.allow_new_destination) return listed;
  context.notice("new_address", listed.error().message + "; --allow-new-address was given");
  return {};
}

// Mark prices and order books, each read once.
class MarketPrices {
 public:
  explicit MarketPrices(Connection& connection) : connection_(connection) {}

  Result<Decimal> mark_of(const std::string& market) {
    if (const auto known = marks_.find(market); known != marks_.end()) return known->second;
    const auto shown = SVC_TRY(connection_.read<api::ops::GetMarkPrice>({.market_id = api::MarketId{market}}));
    const auto mark = shown.decimal_at("mark_price");
    if (!mark || mark->coefficient <= 0) {
      return guard("mark_unknown", "the mark price of ", market, " is not known, so the order cannot be judged");
    }
    return marks_.emplace(market, *mark).first->second;
  }

  Result<Json> book_of(const std::string& market) {
    auto& book = books_[market];
    if (!book) book = SVC_TRY(connection_.read<api::ops::GetOrderBook>({.market_id = api::MarketId{market}}));
    return *book;
  }

 private:
  Connection& connection_;
  std::map<std::string, Decimal> marks_;
  std::map<std::string, std::optional<Json>> books_;
};

// Why the guards and a service might read the order of a body in two ways; empty if they cannot.
std::string unreadable_in(const Json& body, std::initializer_list<std::string_view> decimals) {
  if (!body.is(Json::Kind::object)) return "the body is no order";
  for (const std::string_view name : decimals) {
    if (body.find_value(name) != nullptr && !body.decimal_at(name))
      return concat("its ", name, " is no text of a decimal");
  }
  return {};
}

std::string unreadable_order(const Json& body) {
  std::string why = unreadable_in(body, {"quantity", "price", "trigger_price", "stop_price"});
  if (!why.empty()) return why;
  if (!api::is_market_id(body.text_at("market_id"))) return "it names no market";
  const std::string side = body.text_at("side");
  const bool has_side = same_word(side, "buy") || same_word(side, "sell");
  return has_side ? "" : "its side is neither Buy nor Sell";
}

IntendedOrder order_in(const Json& row) {
  IntendedOrder order{.market = row.text_at("market_id"),
                      .buys = same_word(row.text_at("side"), "buy"),
                      .reduces = row.truth_at("reduce_only"),
                      .quantity = row.decimal_at("quantity"),
                      .price = row.decimal_at("price"),
                      .trigger = row.decimal_at("trigger_price"),
                      .takes_book = same_word(row.text_at("order_type"), "market"),
                      .slippage_bps_max = row.integer_at("max_slippage_bps")};
  if (order.price && order.price->coefficient == 0) order.price.reset();
  if (!order.trigger) order.trigger = row.decimal_at("stop_price");
  return order;
}

// Of an order that cannot be read for that reason; nullopt if there is none.
std::optional<Failure> unreadable(const std::string& why) {
  if (why.empty()) return std::nullopt;
  return guard("order_unreadable", why, ", so no guard can judge it; nothing was sent");
}

// In place of orders that cannot be judged.
std::vector<IntendedOrder> unjudged(std::optional<Failure> why) {
  return {IntendedOrder{.market = {}, .quantity = {}, .price = {}, .unjudged = std::move(why)}};
}

// A list can lag behind: an order that it lacks is read by its id, if the market is known. nullopt if the service does
// not show it. (D-1120)
Result<std::optional<Json>> unlisted_order(Connection& connection, const api::OrderRef& ref) {
  using None = std::optional<Json>;
  if (!ref.market_id) return None{};
  auto order = find_order(connection, ref);
  if (!order && order.error().exit == ExitCode::not_found) return None{};
  return None(SVC_TRY(std::move(order)));
}

// The order with the amended terms.
Result<std::vector<IntendedOrder>> amended(Connection& connection, const Call& call, const Json& body) {
  const std::string id = last_segment(call.path);
  const auto open = SVC_TRY(connection.read<api::ops::ListOrders>());
  const Json* row = outbox::find_row(open, "id", id);
  std::optional<Json> unlisted;
  if (row == nullptr) {
    const auto market = find_parameter(call.query, "market_id");
    const auto ref = order_ref(id, market ? percent_decode_bytes(*market, Plus::is_blank) : std::nullopt);
    if (!ref) return unjudged(unreadable(ref.error().message));
    unlisted = SVC_TRY(unlisted_order(connection, *ref));
    if (!unlisted) return unjudged(order_not_shown(id, "no guard can judge its amendment"));
    row = &*unlisted;
  }
  IntendedOrder order = order_in(*row);
  if (const auto price = body.decimal_at("price")) order.price = price;
  if (const auto size = body.decimal_at("size")) order.quantity = size;
  order.unjudged = unreadable(unreadable_in(body, {"price", "size"}));
  return std::vector{std::move(order)};
}

// For placing, batches and amendments; what an amendment leaves out is read from the order that it changes. Empty for
// all other calls.
Result<std::vector<IntendedOrder>> intended_orders(Connection& connection, const Call& call) {
  std::vector<IntendedOrder> orders;
  if (!sets_orders(call.operation->orders)) return orders;
  const std::optional<Json>& body = call.document;
  if (!body && !call.body.empty()) return unjudged(unreadable("the body is no JSON"));
  if (!body) return orders;
  if (call.operation->orders == api::OrderWrite::amends) return amended(connection, call, *body);
  for (const Json& row : bodies_in(*body)) {
    orders.push_back(order_in(row));
    orders.back().unjudged = unreadable(unreadable_order(row));
  }
  return orders;
}

Result<void> check_readable(const Terms& terms, const std::vector<IntendedOrder>& orders) {
  const bool judges_orders = terms.order_notional_micro_usdx_max || terms.price_band_bps ||
                             terms.daily_loss_micro_usdx_max || terms.daily_orders_max;
  if (!judges_orders) return {};
  for (const IntendedOrder& order : orders)
    if (!order.reduces && order.unjudged) return *order.unjudged;
  return {};
}

Result<void> check_orders(Connection& connection, const Terms& terms, const std::vector<IntendedOrder>& orders) {
  if (!terms.order_notional_micro_usdx_max && !terms.price_band_bps) return {};
  MarketPrices prices(connection);
  // What the orders so far take from the book, by market and side.
  std::map<std::pair<std::string, bool>, Decimal> taken;
  for (IntendedOrder order : orders) {
    if (order.reduces || !api::is_market_id(order.market)) continue;
    const Decimal mark = SVC_TRY(prices.mark_of(order.market));
    const bool is_bounded =
        order.slippage_bps_max && terms.price_band_bps && *order.slippage_bps_max <= *terms.price_band_bps;
    if (order.takes_book && order.quantity && !is_bounded) {
      Decimal& sum = taken[{order.market, order.buys}];
      sum = plus(sum, *order.quantity).value_or(*order.quantity);
      order.price = SVC_TRY(worst_price(SVC_TRY(prices.book_of(order.market)), order.buys, sum));
    }
    const auto worth = order.quantity ? worth_micro_usdx(order, mark) : std::nullopt;
    if (const auto& most = terms.order_notional_micro_usdx_max; most && (!worth || *worth > *most)) {
      return refusal(connection.network(), "order_notional_max", "the order is worth ",
                     worth            ? usdx_text(*worth)
                     : order.quantity ? "more than can be counted"
                                      : "what cannot be read: its quantity is no text of a decimal",
                     ", and ", usdx_text(*most), " is allowed");
    }
    if (terms.price_band_bps && beyond_band(order, mark, *terms.price_band_bps)) {
      return guard("price_band", order.buys ? "buying" : "selling", " at ", format_decimal(*order.price),
                   " is more than ", *terms.price_band_bps, " bps ", order.buys ? "above" : "below", " the mark price ",
                   format_decimal(mark))
          .to_try({guard_setting(connection.network(), "price_band_bps", "VALUE")});
    }
  }
  return {};
}

Failure duplicate(std::int64_t age_ms, std::string_view outcome, const std::string& look) {
  return guard("duplicate_intent", "the same was asked for ", age_ms / second_ms, " s ago", outcome,
               "; a second one needs --allow-duplicate")
      .to_try({look, "add --allow-duplicate"});
}

// A wallet may sign orders for an account that is not logged in here, and read nothing of it. (D-1121)
Failure loss_unread(const Network& network, Failure why) {
  if (why.exit != ExitCode::authentication) return why;
  why.message += ", and guard daily_loss_max has to read the account's profit; nothing was sent";
  why.actions.push_back(guard_setting(network, "daily_loss_max", "off"));
  return why;
}

Result<void> check_loss(Connection& connection, const Terms& terms) {
  if (!terms.daily_loss_micro_usdx_max) return {};
  const auto state = connection.read<api::ops::GetAccountState>();
  if (!state) return loss_unread(connection.network(), state.error());
  const auto figure = [&](std::string_view key) {
    return parse_scaled(state->string_at("summary." + std::string(key)).value_or(""), usdx_decimals);
  };
  const auto realized = figure("total_realized_pnl_24h");
  const auto open = figure("total_unrealized_pnl");
  if (!realized || !open) {
    return guard("loss_unknown", "the account's profit of 24 hours cannot be read, so the daily loss cannot be judged");
  }
  const std::int64_t loss = -(*realized + std::min<std::int64_t>(*open, 0));
  if (loss <= *terms.daily_loss_micro_usdx_max) return {};
  return refusal(connection.network(), "daily_loss_max", "trading lost ", usdx_text(loss), " in 24 hours, and ",
                 usdx_text(*terms.daily_loss_micro_usdx_max), " is allowed; cancels and reduce-only orders still pass");
}

Result<Admission> enter(Context& context, Connection& connection, const Call& call, const Terms& terms,
                        std::string_view account, std::int64_t orders) {
  // An amendment counts as an order, but a repeated one is no duplicate: it changes nothing more.
  const bool is_costly = call.operation->effect == api::Effect::costly;
  if (!is_costly && orders == 0) return Admission{};
  if (!terms.daily_orders_max && !terms.duplicate_window_ms) return Admission{};
  const Intent intent{.account = std::string(account),
                      .hashes = hashes_of(connection, call),
                      .orders = orders,
                      .at_ms = context.now_ms()};
  const Network& network = connection.network();
  const TimestampMs since_ms = intent.at_ms - terms.duplicate_window_ms.value_or(0);
  // The service knows a repeat by the id that the user chose, and does nothing twice.
  const auto is_under_same_id = [&] {
    const outbox::Entry coming{.operation = std::string(call.operation->name),
                               .account = std::string(account),
                               .client_ids = client_ids_of(call)};
    return !are_ours(coming.client_ids) && outbox::outbox_of(context, network.name).first_signed_ms(coming, since_ms);
  };
  const auto admits = [&](const Standing& standing) -> Result<void> {
    if (terms.daily_orders_max && standing.orders_today + orders > *terms.daily_orders_max && orders > 0) {
      return refusal(network, "daily_orders_max", standing.orders_today, " orders were sent today, and ",
                     *terms.daily_orders_max, " are allowed");
    }
    const bool is_same = is_costly && standing.same_intent_at_ms && terms.duplicate_window_ms;
    if (is_same && !context.globals().allow_duplicate && !is_under_same_id()) {
      return duplicate(std::abs(intent.at_ms - *standing.same_intent_at_ms), "",
                       concat("svc -n ", network.name, orders > 0 ? " orders list" : " journal list"));
    }
    return {};
  };
  SVC_TRY(Ledger(**context.paths(), network.name).enter(intent, terms.duplicate_window_ms.value_or(0), admits));
  return Admission(intent);
}

// A write whose repeat is refused.
struct LostWrite {
  outbox::Entry entry{};           // of one from the file: id, account, key, client ids and time
  std::set<std::string> hashes{};  // of what it asked for
  bool is_accepted = false;
};

// Of an order with relative terms also as it was typed: its numbers are others each time.
std::set<std::string> short_hashes(const std::vector<std::string>& terms, const std::string& typed) {
  std::set<std::string> hashes;
  for (const std::string& each : terms) hashes.insert(short_hash(each));
  if (!typed.empty()) hashes.insert(short_hash("typed\n" + typed));
  return hashes;
}

LostWrite lost_write(const outbox::Entry& entry) {
  return {.entry = entry,
          .hashes = short_hashes(terms_of(entry.operation, entry.path, entry.query, entry.body, {}), entry.typed)};
}

Json json_of(const LostWrite& write) {
  return Json::object({{"id", write.entry.id},
                       {"account", write.entry.account},
                       {"key", write.entry.key},
                       {"client_ids", Json::list(write.entry.client_ids)},
                       {"hashes", Json::list(std::vector<std::string>(write.hashes.begin(), write.hashes.end()))},
                       {"at_ms", write.entry.written_at_ms}});
}

// Those of the last hour that were found to be accepted. A damaged file counts as empty: the runs that found them have
// reported them.
std::vector<LostWrite> found_writes(Context& context, const KeptDocument& file) {
  std::vector<LostWrite> found;
  const Json document = file.read_if_usable();
  for (const Json& row : document.items_at("writes")) {
    const TimestampMs at_ms = row.integer_at("at_ms").value_or(0);
    if (std::abs(context.now_ms() - at_ms) > hour_ms) continue;
    const auto hashes = row.texts_at("hashes");
    found.push_back({.entry = {.id = row.text_at("id"),
                               .account = row.text_at("account"),
                               .key = row.text_at("key"),
                               .client_ids = row.texts_at("client_ids"),
                               .written_at_ms = at_ms},
                     .hashes = {hashes.begin(), hashes.end()},
                     .is_accepted = true});
  }
  return found;
}

KeptDocument found_file(Context& context, std::string_view network) {
  return {(**context.paths()).found_writes(network), 1};
}

void change_found(Context& context, std::string_view network,
                  const std::function<void(std::vector<LostWrite>&)>& change) {
  const KeptDocument file = found_file(context, network);
  const auto lock = file.lock();
  auto found = found_writes(context, file);
  change(found);
  const auto written = lock ? file.write(Json::object({{"writes", Json::list(found, json_of)}}))
                            : Result<void>(unexpected(lock.error()));
  if (!written) context.notice("guards", written.error().message);
}

// A member that stands twice in one object, in whatever letters: services take the first or the last of them. Empty if
// there is none.
std::string repeated_member(const Json& value) {
  std::set<std::string> names;
  for (const std::string& name : value.keys())
    if (!names.insert(lower_case(name)).second) return name;
  for (const Json& item : value.items())
    if (std::string name = repeated_member(item); !name.empty()) return name;
  return {};
}

}  // namespace

std::string order_terms(const api::OrderRequest& order) {
  return without_marks(*parse_json(api::to_json(order))).dump();
}

Result<Admission> admit(Context& context, Connection& connection, const Call& call, std::string_view account) {
  if (call.direction == Direction::way_out) return Admission{};
  const auto config = SVC_TRY(context.config());
  const auto terms = SVC_TRY(terms_of(config->guards, connection.network().name, connection.network().real_funds()));
  SVC_TRY(check_destination(context, connection.network(), terms, call));
  // The other rules ask the service or count what was sent.
  if (context.globals().dry_run) return Admission{};
  const auto orders = SVC_TRY(intended_orders(connection, call));
  const auto adding = std::count_if(orders.begin(), orders.end(), [](const IntendedOrder& o) { return !o.reduces; });
  if (adding > 0) {
    SVC_TRY(check_readable(terms, orders));
    SVC_TRY(check_orders(connection, terms, orders));
    SVC_TRY(check_loss(connection, terms));
  }
  return enter(context, connection, call, terms, account, adding);
}

Result<void> check_body(const Call& call) {
  if (call.body.empty() || !call.operation->changes_something()) return {};
  const auto unreadable = [](const std::string& why) {
    return guard("body_unreadable", "no guard can judge the body: ", why, "; nothing was sent");
  };
  if (!call.document) return unreadable(parse_json(call.body).error());
  const std::string twice = repeated_member(*call.document);
  if (!twice.empty()) return unreadable("the member " + twice + " stands twice");
  return {};
}

bool is_looked_at_for_repeats(const Call& call) {
  // Whether every order of the call is reduce-only. `svc api` can send such orders as well.
  const bool only_reduces = call.operation->orders == api::OrderWrite::places && call.document &&
                            std::ranges::all_of(bodies_in(*call.document), &IntendedOrder::reduces, order_in);
  return call.operation->effect == api::Effect::costly && !only_reduces && are_ours(client_ids_of(call));
}

void remember_found(Context& context, std::string_view network, const outbox::Entry& entry) {
  const outbox::Proof* proof = outbox::find_proof(entry.operation);
  if (proof == nullptr || proof->operation->effect != api::Effect::costly || !are_ours(entry.client_ids)) return;
  change_found(context, network, [&](std::vector<LostWrite>& found) { found.push_back(lost_write(entry)); });
}

Result<void> check_repeated(Context& context, std::string_view network, const Call& call, const outbox::Entry& coming,
                            const std::vector<outbox::Entry>& unknown) {
  if (!is_looked_at_for_repeats(call)) return {};
  const auto ids = client_ids_of(call);
  std::vector<LostWrite> lost = found_writes(context, found_file(context, network));
  for (const outbox::Entry& entry : unknown)
    if (are_ours(entry.client_ids)) lost.push_back(lost_write(entry));
  if (lost.empty()) return {};
  const auto hashes =
      short_hashes(terms_of(call.operation->name, call.path, call.query, call.document, call.body), call.typed);
  const auto is_repeated = [&](const LostWrite& write) {
    return outbox::standing_of(write.entry, coming) == outbox::Standing::same &&
           std::ranges::find_first_of(ids, write.entry.client_ids) == ids.end() &&
           std::ranges::any_of(hashes, [&](const std::string& hash) { return write.hashes.contains(hash); });
  };
  const auto repeated = std::ranges::find_if(lost, is_repeated);
  if (repeated == lost.end()) return {};
  if (context.globals().allow_duplicate) {
    change_found(context, network, [&](std::vector<LostWrite>& found) { std::erase_if(found, is_repeated); });
    return {};
  }
  const std::string look = repeated->is_accepted ? "journal show " : "outbox resolve ";
  return duplicate(context.now_ms() - repeated->entry.written_at_ms,
                   repeated->is_accepted ? " and was accepted, though its answer was lost or not shown"
                                         : ", and it is not known whether that was accepted",
                   command_line(context, look + repeated->entry.id));
}

Result<void> check_key_age(Context& context, std::string_view network, const outbox::Entry& coming) {
  if (context.globals().allow_duplicate || are_ours(coming.client_ids)) return {};
  const auto first_ms = outbox::outbox_of(context, network).first_signed_ms(coming, 0);
  // It has to arrive while the key is known, though its answer may be lost and it be sent again.
  constexpr std::int64_t good_ms = limits::idempotency_key_lifetime_ms - limits::auth_window_ms;
  if (!first_ms || coming.at_ms - *first_ms < good_ms) return {};
  return guard("old_idempotency_key", "key ", coming.client_ids.front(), " was used ",
               (coming.at_ms - *first_ms) / hour_ms, " hours ago, and a service may forget one after ",
               limits::idempotency_key_lifetime_ms / hour_ms,
               " hours: this could be a second payment; nothing was sent")
      .to_try({command_line(context, "journal list"), "give a new --idempotency-key", "add --allow-duplicate"});
}

std::optional<std::int64_t> worth_of(Connection& connection, const Call& call) {
  const auto orders = intended_orders(connection, call);
  if (!orders || orders->empty()) return std::nullopt;
  std::int64_t worth = 0;
  MarketPrices prices(connection);
  for (const IntendedOrder& order : *orders) {
    if (!order.quantity || !api::is_market_id(order.market)) return std::nullopt;
    const auto mark = prices.mark_of(order.market);
    const auto one = mark ? worth_micro_usdx(order, *mark) : std::nullopt;
    if (!one || __builtin_add_overflow(worth, *one, &worth)) return std::nullopt;
  }
  return worth;
}

void take_back(Context& context, std::string_view network, const Admission& admission,
               const std::string& hashes_that_stay) {
  if (!admission) return;
  const auto done = Ledger(**context.paths(), network).take_back(*admission, hashes_that_stay);
  if (!done) context.notice("guards", done.error().message);
}

void take_back_refused(Context& context, std::string_view network, const Admission& admission, const Json& results) {
  if (!admission || !results.is(Json::Kind::array)) return;
  const std::string& hashes = admission->hashes;
  if (hashes.size() != results.items().size() * intent_digits) return;
  std::string accepted;
  for (std::size_t i = 0; i < results.items().size(); ++i)
    if (results.items()[i].string_at("outcome") == "ok") accepted += hashes.substr(i * intent_digits, intent_digits);
  if (accepted.size() < hashes.size()) take_back(context, network, admission, accepted);
}

std::optional<std::int64_t> worth_micro_usdx(const IntendedOrder& order, const Decimal& mark) {
  Decimal price = order.price.value_or(order.trigger.value_or(mark));
  const auto side = compared(price, mark);
  if (!side) return std::nullopt;
  const bool may_trade_higher = !order.buys || !order.price;
  if (may_trade_higher && *side < 0) price = mark;
  const auto product = times(*order.quantity, price);
  const auto micro = product ? to_step(*product, {1, usdx_decimals}, Rounding::up) : std::nullopt;
  const auto worth = micro ? to_scaled(*micro, usdx_decimals) : unexpected(DecimalError::too_large);
  return worth ? std::optional(*worth) : std::nullopt;
}

Result<std::optional<Decimal>> worst_price(const Json& book, bool buys, const Decimal& size) {
  const Json* levels = book.find(buys ? "asks" : "bids");
  std::optional<Decimal> worst;
  Decimal sum{};
  for (std::size_t i = 0; levels != nullptr && i < levels->items().size(); ++i) {
    const auto& level = levels->items()[i].items();
    const auto price = level.size() < 2 ? std::nullopt : decimal_of(&level[0]);
    const auto amount = level.size() < 2 ? std::nullopt : decimal_of(&level[1]);
    const auto total = price && amount ? plus(sum, *amount) : std::nullopt;
    if (!total) return internal_error("the order book cannot be added up");
    worst = price;
    sum = *total;
    if (compared(sum, size).value_or(1) >= 0) break;
  }
  return worst;
}

bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps) {
  if (!order.price) return false;
  constexpr std::int64_t basis = 10'000;
  constexpr std::int64_t band_bps_max = 1'000'000;  // wider ones count as this
  band_bps = std::min(band_bps, band_bps_max);
  const auto price = times(*order.price, {basis, 0});
  const auto edge = times(mark, {order.buys ? basis + band_bps : basis - band_bps, 0});
  const auto side = price && edge ? compared(*price, *edge) : std::nullopt;
  return !side || (order.buys ? *side > 0 : *side < 0);
}

Result<void> refuse_dev_target(const Network& network, const Address& address) {
  if (network.is_local() || !is_dev_address(address)) return {};
  return guard("dev_target", to_string(address),
               " is an account of the public development phrase: anybody can take what arrives there");
}

}  // namespace svc::cli::guards
