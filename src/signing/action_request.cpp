#include "signing/action_request.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/limits.h"
#include "signing/json_document.h"

namespace svc::signing {
namespace {

using nlohmann::json;

template <class T>
using Read = Result<T, std::string>;

// Reads members of one JSON object; the first thing wrong is kept and everything after it is empty.
class Members {
 public:
  explicit Members(const json& object) : object_(object) {
    if (!object.is_object()) error_ = "expected a JSON object";
  }

  std::string required_text(const char* name) {
    const json* value = find(name);
    if (!value) return fail(name, "is required");
    return text_of(name, *value);
  }

  std::string optional_text(const char* name) {
    const json* value = find(name);
    return value ? text_of(name, *value) : std::string();
  }

  std::string optional_bps(const char* name) {
    const json* value = find(name);
    return value ? std::to_string(uint32_of(name, *value)) : std::string();
  }

  std::uint32_t required_uint32(const char* name) {
    const json* value = find(name);
    if (value) return uint32_of(name, *value);
    fail(name, "is required");
    return 0;
  }

  bool optional_flag(const char* name) {
    const json* value = find(name);
    if (!value) return false;
    if (value->is_boolean()) return value->get<bool>();
    fail(name, "must be true or false");
    return false;
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  const json* find(const char* name) {
    if (!error_.empty()) return nullptr;
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  std::string text_of(const char* name, const json& value) {
    if (!value.is_string()) return fail(name, "must be a string");
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty()) return fail(name, "must not be empty; leave it out instead");
    return text;
  }

  std::uint32_t uint32_of(const char* name, const json& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(number);
    }
    fail(name, "must be a whole number from 0 to 4294967295");
    return 0;
  }

  std::string fail(const char* name, const char* expected) {
    if (error_.empty()) error_ = std::string(name) + " " + expected;
    return {};
  }

  const json& object_;
  std::string error_;
};

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto byte = from_hex_exact<1>(text.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      out.push_back(static_cast<char>((*byte)[0]));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

// Rule A4.
Read<std::string> market_of_query(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
    const std::size_t equals = pair.find('=');
    if (percent_decode(pair.substr(0, equals), true) != "market_id") continue;
    const std::string_view encoded = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    auto market = percent_decode(encoded, true);
    if (!market) return unexpected("market_id of the query is not percent-encoded text");
    if (market->empty()) return unexpected("market_id of the query must not be empty; leave it out instead");
    return std::move(*market);
  }
  return std::string();
}

Read<OrderParams> order_of(const json& body) {
  Members members(body);
  OrderParams order;
  order.market_id = members.required_text("market_id");
  order.side = members.required_text("side");
  order.order_type = members.required_text("order_type");
  order.price = members.optional_text("price");
  order.quantity = members.required_text("quantity");
  order.time_in_force = members.required_text("time_in_force");
  order.reduce_only = members.optional_flag("reduce_only");
  order.stop_price = members.optional_text("stop_price");
  order.trigger_price = members.optional_text("trigger_price");
  order.trailing_offset_bps = members.optional_bps("trailing_offset_bps");
  order.limit_offset_bps = members.optional_bps("limit_offset_bps");
  order.stp = members.optional_text("stp");
  order.client_id = members.optional_text("client_id");
  order.max_slippage_bps = members.optional_bps("max_slippage_bps");
  if (!members.error().empty()) return unexpected(members.error());
  return order;
}

// What a request turns into; `order_id` is the encoded last segment of the path.
struct Source {
  const RequestParts& request;
  std::string_view order_id;
  ActionContext context;

  // The body as JSON; `if_none` stands for a request without one.
  [[nodiscard]] Read<json> body(const char* if_none = "") const {
    return parse_json_document(request.body.empty() ? std::string_view(if_none) : request.body);
  }
};

Read<ActionStruct> finish(const Members& members, ActionStruct action) {
  if (!members.error().empty()) return unexpected(members.error());
  return action;
}

Read<ActionStruct> place_order(Source source) {
  const auto body = SVC_TRY(source.body());
  auto order = SVC_TRY(order_of(body));
  return ActionStruct(PlaceOrder{std::move(source.context), std::move(order)});
}

Read<ActionStruct> place_orders(Source source) {
  const auto body = SVC_TRY(source.body());
  if (!body.is_array()) return unexpected("expected a JSON array of orders");
  PlaceOrders action{std::move(source.context), {}};
  action.orders.reserve(body.size());
  for (const json& item : body) {
    auto order = order_of(item);
    if (!order) return unexpected("order " + std::to_string(action.orders.size()) + ": " + order.error());
    action.orders.push_back(std::move(*order));
  }
  return ActionStruct(std::move(action));
}

// The market and order that amend and cancel name.
Read<CancelOrder> named_order(Source& source) {
  auto market = SVC_TRY(market_of_query(source.request.query));
  auto order_id = percent_decode(source.order_id, false);
  if (!order_id || order_id->empty()) return unexpected("the path does not end in an order id");
  return CancelOrder{std::move(source.context), std::move(market), std::move(*order_id)};
}

Read<ActionStruct> amend_order(Source source) {
  const auto body = SVC_TRY(source.body("{}"));
  auto named = SVC_TRY(named_order(source));
  Members members(body);
  AmendOrder action{std::move(named.context), std::move(named.market_id), std::move(named.order_id), {}, {}};
  action.price = members.optional_text("price");
  action.size = members.optional_text("size");
  return finish(members, std::move(action));
}

Read<ActionStruct> cancel_order(Source source) {
  auto named = SVC_TRY(named_order(source));
  return ActionStruct(std::move(named));
}

Read<ActionStruct> cancel_all_orders(Source source) {
  auto market = SVC_TRY(market_of_query(source.request.query));
  return ActionStruct(CancelAllOrders{std::move(source.context), std::move(market)});
}

Read<ActionStruct> adjust_margin(Source source) {
  const auto body = SVC_TRY(source.body());
  Members members(body);
  AdjustMargin action{std::move(source.context), {}, {}, {}};
  action.market_id = members.required_text("market_id");
  action.amount = members.required_text("amount");
  action.direction = members.required_text("direction");
  return finish(members, std::move(action));
}

Read<ActionStruct> set_margin_mode(Source source) {
  const auto body = SVC_TRY(source.body());
  Members members(body);
  SetMarginMode action{std::move(source.context), {}, {}};
  action.market_id = members.required_text("market_id");
  action.margin_mode = members.required_text("margin_mode");
  return finish(members, std::move(action));
}

Read<ActionStruct> set_leverage(Source source) {
  const auto body = SVC_TRY(source.body());
  Members members(body);
  SetLeverage action{std::move(source.context), {}, 0};
  action.market_id = members.required_text("market_id");
  action.leverage = members.required_uint32("leverage");
  return finish(members, std::move(action));
}

struct Route {
  std::string_view method;
  std::string_view ending;  // a last "*" stands for one segment
  Read<ActionStruct> (*read)(Source);
};

// Tried in order: a fixed ending before one with an id.
constexpr std::array routes = {
    Route{"POST", "/orders", place_order},
    Route{"POST", "/orders/batch", place_orders},
    Route{"PATCH", "/orders/*", amend_order},
    Route{"DELETE", "/orders/*", cancel_order},
    Route{"DELETE", "/orders", cancel_all_orders},
    Route{"POST", "/account/margin", adjust_margin},
    Route{"POST", "/account/margin-mode", set_margin_mode},
    Route{"POST", "/leverage", set_leverage},
};

struct Match {
  const Route* route;
  std::string_view last_segment;
};

// Rule A6.
std::optional<Match> match(const RequestParts& request) {
  const std::size_t slash = request.path.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view last = request.path.substr(slash + 1);
  for (const Route& route : routes) {
    if (request.method != route.method) continue;
    if (route.ending.ends_with('*')) {
      const std::string_view before = route.ending.substr(0, route.ending.size() - 2);
      if (!last.empty() && request.path.substr(0, slash).ends_with(before)) return Match{&route, last};
    } else if (request.path.ends_with(route.ending)) {
      return Match{&route, last};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ActionStruct, std::string> action_of(const RequestParts& request, ActionContext context) {
  const auto matched = match(request);
  if (!matched) {
    return unexpected(std::string(request.method) + " " + std::string(request.path) + " is not a trading action");
  }
  return matched->route->read(Source{request, matched->last_segment, std::move(context)});
}

bool carries_action(const RequestParts& request) {
  return match(request).has_value();
}

}  // namespace svc::signing
