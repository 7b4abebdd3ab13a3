// Reads an answer into the record of its operation; svc itself shows answers as they came.
#pragma once

#include "api/message_codec.h"

namespace svc::api {

inline Result<void, DecodeError> decode_response(const TypeInfo& type, void* record, const HttpResponse& response,
                                                 DecodeReport* report) {
  for (const FieldInfo& field : type.fields) {
    if (field.in != In::header) continue;
    const auto text = response.headers.find(field.name);
    if (text && !read_text(field.type(), field, *text, member_of(field, record))) {
      return unexpected(DecodeError{DecodeFailure::bad_value, std::string(field.name), expected_of(field.type(), field),
                                    ErrorCode::invalid_json});
    }
  }
  return decode_json(type, record, response.body, lenient, report);
}

template <class T>
[[nodiscard]] Result<T, DecodeError> decode_response(const HttpResponse& response, DecodeReport* report = nullptr) {
  T record{};
  SVC_TRY(decode_response(type_of<T>(), &record, response, report));
  return record;
}

}  // namespace svc::api
