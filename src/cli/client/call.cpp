#include "cli/client/call.h"

#include <algorithm>

#include "api/contract/orders.h"

namespace svc::cli {

void Call::carry(std::string text) {
  body = std::move(text);
  document.reset();
  if (auto parsed = parse_json(body)) document = std::move(*parsed);
}

bool places_orders(std::string_view operation) {
  return operation == api::ops::PlaceOrder::op.name || operation == api::ops::PlaceOrders::op.name;
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

Call make_call(const api::Operation& operation, const api::TypeInfo& response, api::HttpRequest request) {
  Call call{.operation = &operation, .path = std::string(request.path()), .query = std::string(request.query())};
  call.carry(std::move(request.body));
  for (const api::Header& header : request.headers) {
    const bool ours =
        api::same_header_name(header.name, "Content-Type") || api::same_header_name(header.name, "Accept");
    if (!ours) call.headers.push_back(header);
  }
  call.response = &response;
  return call;
}

namespace {

bool is_about(const Json& value, const api::TypeInfo& type);

bool is_list_of(const Json& value, const api::TypeInfo& element) {
  return value.is(Json::Kind::array) &&
         std::ranges::all_of(value.items(), [&](const Json& item) { return is_about(item, element); });
}

// True if the value has at least one member of its record, and all of the records within it.
bool is_about_record(const Json& value, const api::TypeInfo& type) {
  if (const api::FieldInfo* whole = api::whole_body_of(type)) return is_about(value, whole->type());
  if (!api::has_body_fields(type)) return true;
  if (type.as_array) return value.is(Json::Kind::array);
  if (!value.is(Json::Kind::object)) return false;
  bool names_something = false;
  for (const api::FieldInfo& field : type.fields) {
    const Json* member = value.find(field.name);
    const bool is_there = member != nullptr && !member->is(Json::Kind::null);
    names_something = names_something || is_there;
    const bool is_whole_record = field.type().kind == api::Kind::record && !api::may_be_absent(field);
    if (is_whole_record && !(is_there && is_about(*member, field.type()))) return false;
  }
  return names_something;
}

bool is_about(const Json& value, const api::TypeInfo& type) {
  switch (type.kind) {
    case api::Kind::optional: return value.is(Json::Kind::null) || is_about(value, type.element());
    case api::Kind::list: return is_list_of(value, type.element());
    case api::Kind::map: return value.is(Json::Kind::object);
    case api::Kind::record: return is_about_record(value, type);
    default: return true;
  }
}

bool names_another_order(const Json& result, const std::string& client_id) {
  const auto named = result.string_at("order.client_id");
  return named && !client_id.empty() && *named != client_id;
}

// Of an order in a batch: it is there, or refused for a reason.
bool tells_outcome(const Json& result) {
  const auto outcome = result.string_at("outcome");
  return outcome == "ok" ? result.string_at("order.id").has_value()
                         : outcome == "err" && result.string_at("error").has_value();
}

}  // namespace

bool answers(const Call& call, const Json& answer) {
  if (call.response == nullptr) return true;  // svc api: the user reads the answer
  if (!is_about(answer, *call.response)) return false;
  if (call.orders == 0) return call.client_ids.size() != 1 || !names_another_order(answer, call.client_ids.front());
  if (answer.items().size() != call.orders) return false;
  for (std::size_t i = 0; i < call.client_ids.size() && i < call.orders; ++i)
    if (names_another_order(answer.items()[i], call.client_ids[i])) return false;
  return std::ranges::all_of(answer.items(), tells_outcome);
}

namespace {

const api::FieldInfo* body_field(const api::TypeInfo& record, std::string_view name) {
  const auto found = std::ranges::find_if(
      record.fields, [&](const api::FieldInfo& field) { return field.in == api::In::body && field.name == name; });
  return found == record.fields.end() ? nullptr : &*found;
}

Json record_with_extra(const Json& document, const api::TypeInfo& type) {
  if (!document.is(Json::Kind::object)) return document;
  Json result = Json::object();
  Json extra;
  for (std::size_t i = 0; i < document.keys().size(); ++i) {
    const std::string& key = document.keys()[i];
    const api::FieldInfo* field = body_field(type, key);
    if (field == nullptr) {
      extra.set(key, document.items()[i]);
    } else {
      result.append(key, with_extra(document.items()[i], field->type()));
    }
  }
  if (!extra.is(Json::Kind::null)) result.set("extra", std::move(extra));
  return result;
}

}  // namespace

Json with_extra(const Json& document, const api::TypeInfo& type) {
  switch (type.kind) {
    case api::Kind::optional: return with_extra(document, type.element());
    case api::Kind::list:
    case api::Kind::map: {
      const auto element = [&](const Json& item) { return with_extra(item, type.element()); };
      if (document.is(Json::Kind::array)) return Json::list(document.items(), element);
      if (!document.is(Json::Kind::object)) return document;
      Json result = Json::object();
      for (std::size_t i = 0; i < document.items().size(); ++i)
        result.append(document.keys()[i], element(document.items()[i]));
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
    const auto end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (!part.starts_with("cursor=")) (out += out.empty() ? "" : "&") += part;
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
  }
  return out + (out.empty() ? "cursor=" : "&cursor=") + api::percent_encode(cursor, api::Plus::is_blank);
}

std::optional<std::string> next_cursor(const Reply& page, const std::optional<std::string>& cursor) {
  const auto next = page.headers.find("X-Next-Cursor");
  // A cursor that points to itself would page forever.
  if (!next || next->empty() || cursor == std::string(*next)) return std::nullopt;
  return std::string(*next);
}

}  // namespace svc::cli
