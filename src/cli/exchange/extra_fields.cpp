#include "cli/exchange/extra_fields.h"

#include <algorithm>

namespace svc::cli {
namespace {

const api::FieldInfo* body_field(const api::TypeInfo& record, std::string_view name) {
  const auto found = std::find_if(record.fields.begin(), record.fields.end(), [&](const api::FieldInfo& field) {
    return field.in == api::In::body && field.name == name;
  });
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
      if (!document.is(Json::Kind::array) && !document.is(Json::Kind::object)) return document;
      Json result = document.is(Json::Kind::array) ? Json::array() : Json::object();
      for (std::size_t i = 0; i < document.items().size(); ++i) {
        Json element = with_extra(document.items()[i], type.element());
        if (document.is(Json::Kind::array)) {
          result.push(std::move(element));
        } else {
          result.append(document.keys()[i], std::move(element));
        }
      }
      return result;
    }
    case api::Kind::record:
      if (const api::FieldInfo* whole = api::whole_body_of(type)) return with_extra(document, whole->type());
      return record_with_extra(document, type);
    default: return document;
  }
}

}  // namespace svc::cli
