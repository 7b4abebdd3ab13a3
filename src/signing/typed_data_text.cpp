#include "signing/typed_data_text.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/hex.h"

namespace svc::signing {
namespace {

using Json = nlohmann::ordered_json;

// Members of one struct in order: type and name. Types are hashed as text, and that text names everything.
struct Struct {
  std::string name;
  std::vector<std::pair<std::string, std::string>> members;
};

std::vector<Struct> structs_in(std::string_view type_string) {
  std::vector<Struct> all;
  while (!type_string.empty()) {
    const auto open = type_string.find('(');
    const auto close = type_string.find(')');
    Struct one{.name = std::string(type_string.substr(0, open)), .members = {}};
    std::string_view members = type_string.substr(open + 1, close - open - 1);
    while (!members.empty()) {
      const auto comma = members.find(',');
      const std::string_view member = members.substr(0, comma);
      const auto blank = member.find(' ');
      one.members.emplace_back(member.substr(0, blank), member.substr(blank + 1));
      members = comma == std::string_view::npos ? std::string_view{} : members.substr(comma + 1);
    }
    all.push_back(std::move(one));
    type_string = type_string.substr(close + 1);
  }
  return all;
}

// `values` in the order of the members; a struct is an array of its own values.
Json named(const std::vector<Struct>& all, std::string_view type, const Json& values) {
  const bool list = type.ends_with("[]");
  const std::string_view base = list ? type.substr(0, type.size() - 2) : type;
  if (list) {
    Json items = Json::array();
    for (const Json& value : values) items.push_back(named(all, base, value));
    return items;
  }
  for (const Struct& one : all) {
    if (one.name != base) continue;
    SVC_ASSERT(values.size() == one.members.size());
    Json object = Json::object();
    for (std::size_t i = 0; i < one.members.size(); ++i) {
      object[one.members[i].second] = named(all, one.members[i].first, values[i]);
    }
    return object;
  }
  return values;
}

Json member_types(const Struct& one) {
  Json members = Json::array();
  for (const auto& [type, name] : one.members) members.push_back({{"name", name}, {"type", type}});
  return members;
}

std::string document(const Domain& domain, std::string_view type_string, const Json& values) {
  const auto all = structs_in(type_string);
  Json types = Json::object();
  types["EIP712Domain"] = member_types(structs_in(signing::type_string(domain)).front());
  for (const Struct& one : all) types[one.name] = member_types(one);
  Json shown = {{"name", domain.name}, {"version", domain.version}, {"chainId", domain.chain_id}};
  if (domain.salt) shown["salt"] = to_hex_0x(*domain.salt);
  const Json whole = {{"types", std::move(types)},
                      {"primaryType", all.front().name},
                      {"domain", std::move(shown)},
                      {"message", named(all, all.front().name, values)}};
  return whole.dump();
}

// Text, because a number of 64 bits does not survive every JSON reader.
std::string digits(std::uint64_t value) {
  return std::to_string(value);
}

Json values_of(const OrderParams& order) {
  return Json::array({order.market_id, order.side, order.order_type, order.price, order.quantity, order.time_in_force,
                      order.reduce_only, order.stop_price, order.trigger_price, order.trailing_offset_bps,
                      order.limit_offset_bps, order.stp, order.client_id, order.max_slippage_bps});
}

Json body_of(const PlaceOrder& action) {
  return Json::array({values_of(action.order)});
}
Json body_of(const PlaceOrders& action) {
  Json orders = Json::array();
  for (const OrderParams& order : action.orders) orders.push_back(values_of(order));
  Json body = Json::array();
  body.push_back(std::move(orders));
  return body;
}
Json body_of(const AmendOrder& action) {
  return Json::array({action.market_id, action.order_id, action.price, action.size});
}
Json body_of(const CancelOrder& action) {
  return Json::array({action.market_id, action.order_id});
}
Json body_of(const CancelAllOrders& action) {
  return Json::array({action.market_id});
}
Json body_of(const AdjustMargin& action) {
  return Json::array({action.market_id, action.amount, action.direction});
}
Json body_of(const SetMarginMode& action) {
  return Json::array({action.market_id, action.margin_mode});
}
Json body_of(const SetLeverage& action) {
  return Json::array({action.market_id, action.leverage});
}

}  // namespace

std::string typed_data_text(const Domain& domain, const ActionStruct& action) {
  const ActionContext& context = context_of(action);
  Json values = Json::array({to_string(context.account), context.domain});
  for (Json& value : std::visit([](const auto& one) { return body_of(one); }, action))
    values.push_back(std::move(value));
  values.push_back(digits(context.timestamp_ms));
  values.push_back(digits(context.nonce));
  return document(domain, type_string(action), values);
}

std::string typed_data_text(const Domain& domain, const EnrollTransferAccount& enrolment) {
  return document(domain, EnrollTransferAccount::type,
                  Json::array({to_string(enrolment.account), enrolment.domain, digits(enrolment.timestamp_ms),
                               digits(enrolment.nonce)}));
}

std::string typed_data_text(const Domain& domain, const TransferIntent& intent) {
  return document(domain, TransferIntent::type,
                  Json::array({to_string(intent.account), intent.domain, to_string(intent.recipient), intent.amount,
                               intent.client_transfer_id, digits(intent.timestamp_ms), digits(intent.nonce)}));
}

std::string typed_data_text(const Domain& domain, const ListTransfers& request) {
  return document(domain, ListTransfers::type,
                  Json::array({to_string(request.account), request.domain, request.limit, request.cursor,
                               digits(request.timestamp_ms)}));
}

std::string typed_data_text(const Domain& domain, const ReadTransfer& request) {
  return document(
      domain, ReadTransfer::type,
      Json::array({to_string(request.account), request.domain, request.transfer_id, digits(request.timestamp_ms)}));
}

std::string typed_data_text(const Domain& domain, const WithdrawIntent& intent) {
  return document(domain, WithdrawIntent::type,
                  Json::array({to_string(intent.amount), to_string(intent.asset), digits(intent.nonce)}));
}

std::string typed_data_text(const Domain& domain, const RegisterAgent& registration) {
  return document(
      domain, RegisterAgent::type,
      Json::array({to_string(registration.agent), digits(registration.expires_at_ms), digits(registration.nonce)}));
}

}  // namespace svc::signing
