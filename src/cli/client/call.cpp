#include "cli/client/call.h"

#include "api/contract/funds.h"
#include "api/contract/orders.h"
#include "base/decimal.h"
#include "base/text.h"
#include "cli/arguments/spelling.h"
#include "cli/terminal/order_views.h"
#include "trade/words.h"

namespace svc::cli {

void Call::carry(std::string text) {
  body = std::move(text);
  document.reset();
  if (auto parsed = parse_json(body)) document = std::move(*parsed);
}

std::vector<Json> bodies_in(const Json& document) {
  return document.is(Json::Kind::array) ? document.items() : std::vector{document};
}

std::vector<std::string> client_ids_of(const Call& call) {
  if (!call.client_ids.empty() || !call.document) return call.client_ids;
  std::vector<std::string> ids;
  for (const Json& order : bodies_in(*call.document)) {
    const auto id = order.string_at("client_id");
    if (!id) return {};
    ids.emplace_back(*id);
  }
  return ids;
}

bool has_idempotency_key(const Call& call) {
  return call.headers.contains("Idempotency-Key");
}

Call make_call(const api::Operation& operation, const api::TypeInfo& response, api::HttpRequest request) {
  Call call{.operation = &operation, .path = std::string(request.path()), .query = std::string(request.query())};
  call.carry(std::move(request.body));
  call.headers = std::move(request.headers);
  for (const std::string_view ours : {"Content-Type", "Accept"}) call.headers.remove(ours);
  call.response = &response;
  return call;
}

namespace {

// What a write's answer must tell is compared with what was sent; rows of a read are told from those of another read by
// their members. (D-598)
enum class UnknownMembers : std::uint8_t { any, minority };

bool is_about(const Json& value, const api::TypeInfo& type, UnknownMembers unknown);

// True if the value has at least one member of its record, all of the records within it, and, if that is asked for,
// fewer members that the record does not know.
bool is_about_record(const Json& value, const api::TypeInfo& type, UnknownMembers unknown) {
  if (const api::FieldInfo* whole = api::whole_body_of(type)) return is_about(value, whole->type(), unknown);
  if (!api::has_body_fields(type)) return true;
  if (type.as_array) return value.is(Json::Kind::array);
  if (!value.is(Json::Kind::object)) return false;
  bool names_something = false;
  std::size_t known = 0;
  for (const api::FieldInfo& field : type.fields) {
    const Json* member = value.find_value(field.name);
    const bool is_there = member != nullptr;
    names_something = names_something || is_there;
    if (value.find(field.name) != nullptr) ++known;
    const bool is_whole_record = field.type().kind == api::Kind::record && !api::may_be_absent(field);
    if (is_whole_record && !(is_there && is_about(*member, field.type(), unknown))) return false;
  }
  return names_something && (unknown == UnknownMembers::any || value.keys().size() - known < known);
}

bool is_about(const Json& value, const api::TypeInfo& type, UnknownMembers unknown) {
  switch (type.kind) {
    case api::Kind::optional: return value.is(Json::Kind::null) || is_about(value, type.element(), unknown);
    case api::Kind::list:
      return value.is(Json::Kind::array) && std::ranges::all_of(value.items(), [&](const Json& item) {
               return is_about(item, type.element(), unknown);
             });
    case api::Kind::map: return value.is(Json::Kind::object);
    case api::Kind::record: return is_about_record(value, type, unknown);
    default: return true;
  }
}

// What stands in the request's path for that parameter; empty if it has none.
std::string_view path_parameter(const Call& call, std::string_view placeholder) {
  std::string_view asked = call.path, pattern = call.operation->path;
  while (!pattern.empty() && !asked.empty()) {
    const auto segment = [](std::string_view& rest) {
      const std::string_view one = rest.substr(0, rest.find('/', 1));
      rest.remove_prefix(one.size());
      return one.substr(1);
    };
    const std::string_view named = segment(pattern), given = segment(asked);
    if (named == placeholder) return given;
  }
  return {};
}

// Whether a read tells of the market or the order that it was asked for, where it says so. Two kept connections whose
// answers are swapped make a price of one market that of another. A list may hold more than a filter asks for.
bool concerns(const Call& call, const Json& row, bool is_list) {
  std::string_view market = path_parameter(call, "{market_id}");
  if (market.empty() && !is_list) market = find_parameter(call.query, "market_id").value_or("");
  const auto agrees = [&](std::string_view key, std::string_view wanted) {
    const auto told = row.string_at(key);
    return wanted.empty() || !told || same_word(*told, wanted);
  };
  return agrees("market_id", market) && agrees("symbol", market) && agrees("id", path_parameter(call, "{order_id}"));
}

bool concerns(const Call& call, const Json& answer) {
  if (!answer.is(Json::Kind::array)) return concerns(call, answer, false);
  const bool lists_open_orders = call.operation == &api::ops::ListOrders::op;
  return std::ranges::all_of(answer.items(), [&](const Json& row) {
    return concerns(call, row, true) && !(lists_open_orders && trade::has_ended(row.text_at("status")));
  });
}

bool has_id(const Json& order) {
  return !order.string_at("id").value_or("").empty();
}

// An order that trails has a trigger of its own.
bool has_only_asked_terms(const Json& order, const Json& asked) {
  const auto is_unasked = [&](std::string_view term) {
    return order.find_value(term) != nullptr && asked.find_value(term) == nullptr;
  };
  if (is_unasked("trailing_offset_bps") || is_unasked("limit_offset_bps")) return false;
  const bool asks_trigger = asked.find_value("trigger_price") != nullptr || asked.find_value("stop_price") != nullptr ||
                            asked.find_value("trailing_offset_bps") != nullptr;
  return asks_trigger || !is_unasked("trigger_price");
}

// The order that was asked for, as it was placed: its client id, or the terms if none was sent, and what became of it.
bool is_placed(const Json& result, const Json& asked) {
  const Json* order = result.find("order");
  if (order == nullptr || !has_id(*order) || !has_asked_terms(*order, asked)) return false;
  if (order->text_at("status").empty() || !has_only_asked_terms(*order, asked)) return false;
  if (const auto sent = asked.string_at("client_id")) return order->string_at("client_id") == *sent;
  constexpr std::string_view terms[] = {"market_id", "side", "order_type", "quantity"};
  return std::ranges::all_of(terms, [&](std::string_view term) { return order->string_at(term).has_value(); });
}

// Each order is there, or refused for a reason.
bool are_placed(const Json& results, const Json& asked) {
  const std::vector<Json> orders = bodies_in(asked);
  if (results.items().size() != orders.size()) return false;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const Json& result = results.items()[i];
    const auto outcome = result.string_at("outcome");
    const bool is_told =
        outcome == "ok" ? is_placed(result, orders[i]) : outcome == "err" && result.string_at("error").has_value();
    if (!is_told) return false;
  }
  return true;
}

// Whether the order is in the market that the request names; true if it names none.
bool is_in_market(const Json& order, const Call& call) {
  const std::string_view named = find_parameter(call.query, "market_id").value_or("");
  return named.empty() || named == order.text_at("market_id");
}

// What the answer repeats of the request is the same: an amount, a market, a leverage. Times may be the service's own.
bool repeats(const Json& answer, const Json& asked, const api::TypeInfo& response) {
  return std::ranges::all_of(response.fields, [&](const api::FieldInfo& field) {
    const Json* wanted = asked.find_value(field.name);
    const Json* told = answer.find_value(field.name);
    if (wanted == nullptr || told == nullptr) return true;
    const api::TypeInfo& type = field.type().kind == api::Kind::optional ? field.type().element() : field.type();
    switch (type.kind) {
      case api::Kind::decimal: return same_number(wanted->text(), told->text());
      case api::Kind::boolean: return wanted->truth() == told->truth();
      case api::Kind::text:
      case api::Kind::market_id:
      case api::Kind::address:
      case api::Kind::enumeration:
      case api::Kind::uint32: return same_word(wanted->text(), told->text());
      default: return true;
    }
  });
}

// A service makes a reduce-only order as small as the position. Self-trade prevention that decrements makes both orders
// smaller.
bool may_shrink(const Json& order) {
  constexpr auto decrements = static_cast<std::size_t>(trade::StpMode::decrement_and_cancel);
  return order.truth_at("reduce_only") || order.string_at("stp") == trade::stp_mode_texts[decrements];
}

bool fits_size(bool may_be_smaller, std::string_view wanted, std::string_view shown) {
  const auto want = parse_decimal(wanted);
  const auto have = parse_decimal(shown);
  if (!want || !have) return false;
  const auto difference = compared(*have, *want);
  return difference == 0 || (difference == -1 && may_be_smaller);
}

Json record_with_extra(const Json& document, const api::TypeInfo& type) {
  if (!document.is(Json::Kind::object)) return document;
  Json result = Json::object();
  Json extra;
  for (const auto& [key, value] : document.members()) {
    const auto is_it = [&](const api::FieldInfo& field) { return field.in == api::In::body && field.name == key; };
    if (const api::FieldInfo* field = found_where(type.fields, is_it))
      result.append(std::string(key), with_extra(value, field->type()));
    else
      extra.set(key, value);
  }
  if (!extra.is(Json::Kind::null)) result.set("extra", std::move(extra));
  return result;
}

}  // namespace

bool answers(const Call& call, const Json& answer) {
  if (call.response == nullptr) return true;  // a read of svc api, or one that is not in the table
  const bool is_read = !call.operation->is_write();
  if (!is_about(answer, *call.response, is_read ? UnknownMembers::minority : UnknownMembers::any)) return false;
  if (is_read) return concerns(call, answer);
  static const Json nothing;
  const Json& asked = call.document ? *call.document : nothing;
  const bool is_list = answer.is(Json::Kind::array);
  const auto is_cancelled = [&](const Json& order) {
    return order.string_at("status") == "Cancelled" && is_in_market(order, call);
  };
  switch (call.operation->orders) {
    case api::OrderWrite::places: return is_list ? are_placed(answer, asked) : is_placed(answer, asked);
    case api::OrderWrite::amends:
      return has_id(answer) && is_in_market(answer, call) && has_amended_terms(answer, asked);
    case api::OrderWrite::cancels:
      if (is_list) return std::ranges::all_of(answer.items(), is_cancelled);
      return same_word(answer.text_at("id"), last_segment(call.path)) && is_cancelled(answer);
    case api::OrderWrite::none: break;
  }
  // A credit may be less than what was asked for: what is left of the day.
  return call.operation == &api::ops::ClaimCredit::op || repeats(answer, asked, *call.response);
}

bool same_number(std::string_view a, std::string_view b) {
  const auto x = parse_decimal(a);
  const auto y = parse_decimal(b);
  return x && y && *x == *y;
}

bool same_word(std::string_view a, std::string_view b) {
  return bare_word(a) == bare_word(b);
}

std::string_view size_key(const Json& order) {
  return order.find("quantity") != nullptr ? "quantity" : "size";
}

bool has_asked_terms(const Json& order, const Json& asked) {
  const auto agrees = [&](std::string_view wanted, std::string_view shown, const auto& same) {
    const Json* want = asked.find_value(wanted);
    const Json* have = order.find_value(shown);
    return want == nullptr || have == nullptr || same(want->text(), have->text());
  };
  // A market order is shown with price 0; the trigger may have its old name.
  const bool at_market = trades_at_market(asked.string_at("order_type").value_or(""));
  const auto same_price = [&](std::string_view want, std::string_view have) {
    return (at_market && same_number(have, "0")) || same_number(want, have);
  };
  const std::string_view trigger = asked.string_at("trigger_price") ? "trigger_price" : "stop_price";
  // The history does not say which orders may shrink.
  const auto same_size = [&](std::string_view want, std::string_view have) {
    return fits_size(may_shrink(order) || may_shrink(asked), want, have);
  };
  return agrees("market_id", "market_id", std::equal_to<std::string_view>()) && agrees("side", "side", same_word) &&
         agrees("order_type", "order_type", same_word) && agrees("quantity", size_key(order), same_size) &&
         agrees("price", "price", same_price) && agrees(trigger, "trigger_price", same_number) &&
         agrees("trailing_offset_bps", "trailing_offset_bps", same_number) &&
         agrees("limit_offset_bps", "limit_offset_bps", same_number) &&
         (order.find("reduce_only") == nullptr || order.truth_at("reduce_only") == asked.truth_at("reduce_only"));
}

bool has_amended_terms(const Json& order, const Json& asked) {
  const auto price = asked.string_at("price"), price_now = order.string_at("price");
  const auto size = asked.string_at("size"), size_now = order.string_at(size_key(order));
  return (!price || (price_now && same_number(*price, *price_now))) &&
         (!size || (size_now && fits_size(may_shrink(order), *size, *size_now)));
}

std::string last_segment(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return api::percent_decode(last, api::Plus::is_itself).value_or(std::string(last));
}

Json with_extra(const Json& document, const api::TypeInfo& type) {
  switch (type.kind) {
    case api::Kind::optional: return with_extra(document, type.element());
    case api::Kind::list:
    case api::Kind::map: {
      const auto element = [&](const Json& item) { return with_extra(item, type.element()); };
      if (document.is(Json::Kind::array)) return Json::list(document.items(), element);
      if (!document.is(Json::Kind::object)) return document;
      Json result = Json::object();
      for (const auto& [key, item] : document.members()) result.append(std::string(key), element(item));
      return result;
    }
    case api::Kind::record:
      if (const api::FieldInfo* whole = api::whole_body_of(type)) return with_extra(document, whole->type());
      return record_with_extra(document, type);
    default: return document;
  }
}

std::string query_at(std::string_view query, std::string_view cursor) {
  std::string out;
  while (!query.empty()) {
    const std::string_view part = take_line(query, '&');
    if (!part.starts_with("cursor=")) (out += out.empty() ? "" : "&") += part;
  }
  return out + (out.empty() ? "cursor=" : "&cursor=") + api::percent_encode(cursor, api::Plus::is_blank);
}

Result<bool> PageWalk::go_on(const Reply& page) {
  // A service that filters the rows of a page may leave none of a few.
  constexpr int empty_pages_max = 20;
  const auto next = page.headers.find("X-Next-Cursor");
  if (!next || next->empty()) return false;
  const bool is_empty = page.body.is(Json::Kind::array) && page.body.items().empty();
  empty_pages_ = is_empty ? empty_pages_ + 1 : 0;
  cursor_ = std::string(*next);
  const bool is_new = seen_.insert(std::hash<std::string>()(*cursor_)).second;
  if (is_new && empty_pages_ < empty_pages_max) return true;
  return unexpected(failed("unreadable_answer", "the list cannot be read: its pages ",
                           is_new ? "are empty and do not end" : "lead back to one that was read"));
}

}  // namespace svc::cli
