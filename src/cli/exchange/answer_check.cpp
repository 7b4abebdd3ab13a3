#include "cli/exchange/answer_check.h"

#include <algorithm>

namespace svc::cli {
namespace {

bool is_about(const Json& value, const api::TypeInfo& type);

bool is_list_of(const Json& value, const api::TypeInfo& element) {
  const auto& items = value.items();
  return value.is(Json::Kind::array) &&
         std::all_of(items.begin(), items.end(), [&](const Json& item) { return is_about(item, element); });
}

// A record names something of itself, and whole records within it are there.
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

}  // namespace

bool tells_what_happened(const Call& call, const Json& answer) {
  if (call.response == nullptr) return true;  // the user reads it himself
  if (!is_about(answer, *call.response)) return false;
  if (call.orders == 0) return call.client_ids.size() != 1 || !names_another_order(answer, call.client_ids.front());
  if (answer.items().size() != call.orders) return false;
  for (std::size_t i = 0; i < call.client_ids.size() && i < call.orders; ++i)
    if (names_another_order(answer.items()[i], call.client_ids[i])) return false;
  return true;
}

}  // namespace svc::cli
