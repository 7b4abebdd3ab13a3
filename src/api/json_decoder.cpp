#include "api/codec.h"

#include <algorithm>
#include <cstdint>

#include "api/json_reader.h"
#include "api/market_id.h"
#include "api/values.h"
#include "base/assert.h"
#include "base/limits.h"

namespace svc::api {
namespace {

using Next = JsonReader::Next;

bool is_field_of_body(const FieldInfo& field) {
  return field.in == In::body;
}

bool is_optional(const FieldInfo& field) {
  return may_be_absent(field) || field.type().kind == Kind::optional;
}

DecodeError not_json_error(const JsonReader& reader) {
  const std::string problem = reader.failed() ? reader.problem() : "text follows the value";
  return {
      DecodeFailure::not_json, {}, problem + " at byte " + std::to_string(reader.offset()), ErrorCode::invalid_json};
}

// Walks one JSON text and one value in step. `path_` names where we are, for errors.
class Decoder {
 public:
  Decoder(std::string_view json, const DecodeOptions& options, DecodeReport* report)
      : reader_(json, limits::record_json_depth_max), options_(options), report_(report) {}

  bool whole(const TypeInfo& type, void* value) {
    static constexpr FieldInfo no_field{};
    const FieldInfo* body = type.kind == Kind::record ? whole_body_of(type) : nullptr;
    judged_by_item_ = body != nullptr && body->type().kind == Kind::list;
    const bool done =
        body != nullptr ? read(body->type(), *body, member_of(*body, value)) : read(type, no_field, value);
    return done && (reader_.at_end() || not_json());
  }

  DecodeError error;

 private:
  bool fail(DecodeFailure failure, std::string expected, ErrorCode code = ErrorCode::invalid_json) {
    error = {failure, path_, std::move(expected), code};
    return false;
  }

  bool not_json() {
    error = not_json_error(reader_);
    return false;
  }

  bool wrong_type(const TypeInfo& type, const FieldInfo& field) {
    return fail(DecodeFailure::wrong_type, expected_of(type, field));
  }

  bool bad_value(const TypeInfo& type, const FieldInfo& field) {
    const bool market = type.kind == Kind::market_id;
    return fail(DecodeFailure::bad_value, expected_of(type, field),
                market ? ErrorCode::invalid_market_id : field.refusal);
  }

  bool read(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_record(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_array_record(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_list(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_map(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_optional(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_member(const TypeInfo& record, void* value, std::size_t index);
  bool unknown_member(const std::string& name);
  bool check_missing(const TypeInfo& record, std::uint64_t seen);
  bool read_quoted(const TypeInfo& type, const FieldInfo& field, void* value);
  bool read_number(const TypeInfo& type, const FieldInfo& field, void* value);

  std::size_t enter(std::string_view name) {
    const std::size_t length = path_.size();
    if (length != 0) path_ += '.';
    path_ += name;
    return length;
  }
  std::size_t enter(std::size_t index) {
    const std::size_t length = path_.size();
    path_ += '[' + std::to_string(index) + ']';
    return length;
  }

  JsonReader reader_;
  const DecodeOptions& options_;
  DecodeReport* report_;
  bool judged_by_item_ = false;  // the body is a list whose items are answered one by one
  std::string path_;
  std::string text_;  // reused
};

bool Decoder::read(const TypeInfo& type, const FieldInfo& field, void* value) {
  switch (type.kind) {
    case Kind::record: return type.as_array ? read_array_record(type, field, value) : read_record(type, field, value);
    case Kind::list: return read_list(type, field, value);
    case Kind::map: return read_map(type, field, value);
    case Kind::optional: return read_optional(type, field, value);
    case Kind::boolean:
      if (reader_.peek() != Next::boolean) return wrong_type(type, field);
      return reader_.boolean(*static_cast<bool*>(value)) || not_json();
    case Kind::int64:
    case Kind::uint64:
    case Kind::uint32:
    case Kind::number: return read_number(type, field, value);
    case Kind::json_object: {
      if (reader_.peek() != Next::object) return wrong_type(type, field);
      std::string_view json;
      if (!reader_.any(json)) return not_json();
      static_cast<JsonObjectText*>(value)->text = json;
      return true;
    }
    case Kind::custom:
      if (type.custom->read(reader_, value)) return true;
      return reader_.failed() ? not_json() : wrong_type(type, field);
    case Kind::text:
    case Kind::secret:
    case Kind::decimal:
    case Kind::address:
    case Kind::market_id:
    case Kind::enumeration: return read_quoted(type, field, value);
  }
  SVC_ASSERT(false);
}

bool Decoder::read_quoted(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::string) return wrong_type(type, field);
  if (!reader_.string(text_)) return not_json();
  if (read_text(type, field, text_, value)) return true;
  // A malformed market is the mistake of one item and must not refuse its neighbours: it is carried as sent.
  if (judged_by_item_ && type.kind == Kind::market_id) {
    static_cast<MarketId*>(value)->text = text_;
    return true;
  }
  return bad_value(type, field);
}

bool Decoder::read_number(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::number) return wrong_type(type, field);
  std::string_view token;
  if (!reader_.number(token)) return not_json();
  return read_text(type, field, token, value) || bad_value(type, field);
}

bool Decoder::read_optional(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() == Next::null) {
    type.container->clear(value);
    return reader_.null() || not_json();
  }
  const TypeInfo& element = type.element();
  void* const inside = type.container->emplace(value);
  if (!read(element, field, inside)) return false;
  if (element.kind == Kind::text && static_cast<std::string*>(inside)->empty() && !options_.allow_empty_optional_text) {
    return fail(DecodeFailure::bad_value, "a text that is not empty, or nothing", field.refusal);
  }
  return true;
}

bool Decoder::read_list(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::array) return wrong_type(type, field);
  if (!reader_.open_array()) return not_json();
  type.container->clear(value);
  const TypeInfo& element = type.element();
  for (std::size_t index = 0; reader_.next_element(); ++index) {
    const std::size_t outside = enter(index);
    if (!read(element, field, type.container->emplace(value))) return false;
    path_.resize(outside);
  }
  return !reader_.failed() || not_json();
}

bool Decoder::read_map(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::object) return wrong_type(type, field);
  if (!reader_.open_object()) return not_json();
  type.container->clear(value);
  std::string key;
  while (reader_.next_member(key)) {
    const std::size_t outside = enter(key);
    void* const element = type.container->insert(value, key);
    if (element == nullptr) return fail(DecodeFailure::duplicate_field, "each member once");
    if (!read(type.element(), field, element)) return false;
    path_.resize(outside);
  }
  return !reader_.failed() || not_json();
}

bool Decoder::read_array_record(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::array) return wrong_type(type, field);
  if (!reader_.open_array()) return not_json();
  std::size_t index = 0;
  while (reader_.next_element()) {
    if (index == type.fields.size()) return fail(DecodeFailure::wrong_type, expected_of(type, field));
    if (!read_member(type, value, index++)) return false;
  }
  if (reader_.failed()) return not_json();
  if (index != type.fields.size()) return fail(DecodeFailure::wrong_type, expected_of(type, field));
  return true;
}

bool Decoder::read_record(const TypeInfo& type, const FieldInfo& field, void* value) {
  if (reader_.peek() != Next::object) return wrong_type(type, field);
  if (!reader_.open_object()) return not_json();
  SVC_ASSERT(type.fields.size() <= 64);
  std::uint64_t seen = 0;
  std::size_t expected = 0;  // members usually come in the order of the fields
  std::string name;
  while (reader_.next_member(name)) {
    std::size_t index = expected;
    if (index >= type.fields.size() || type.fields[index].name != name || !is_field_of_body(type.fields[index])) {
      index = 0;
      while (index < type.fields.size() && (type.fields[index].name != name || !is_field_of_body(type.fields[index])))
        ++index;
    }
    if (index == type.fields.size()) {
      if (!unknown_member(name)) return false;
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << index;
    if ((seen & bit) != 0) {
      enter(name);
      return fail(DecodeFailure::duplicate_field, "each field once");
    }
    seen |= bit;
    expected = index + 1;
    if (!read_member(type, value, index)) return false;
  }
  if (reader_.failed()) return not_json();
  return check_missing(type, seen);
}

bool Decoder::read_member(const TypeInfo& record, void* value, std::size_t index) {
  const FieldInfo& field = record.fields[index];
  const std::size_t outside = enter(field.name);
  const TypeInfo& type = field.type();
  if (field.may_be_absent && type.kind != Kind::optional && reader_.peek() == Next::null) {
    if (!reader_.null()) return not_json();  // null is absence: the default stays
  } else if (!read(type, field, member_of(field, value))) {
    return false;
  }
  path_.resize(outside);
  return true;
}

bool Decoder::unknown_member(const std::string& name) {
  const std::size_t outside = enter(name);
  if (!options_.collect_unknown_fields) return fail(DecodeFailure::unknown_field, "no such field");
  std::string_view skipped;
  if (!reader_.any(skipped)) return not_json();
  if (report_ != nullptr) {
    auto& unknown = report_->unknown_fields;
    if (std::find(unknown.begin(), unknown.end(), path_) != unknown.end()) {
      return fail(DecodeFailure::duplicate_field, "each field once");
    }
    unknown.push_back(path_);
  }
  path_.resize(outside);
  return true;
}

bool Decoder::check_missing(const TypeInfo& record, std::uint64_t seen) {
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const FieldInfo& field = record.fields[i];
    if (!is_field_of_body(field) || (seen >> i & 1) != 0 || is_optional(field)) continue;
    const std::size_t outside = enter(field.name);
    if (!options_.collect_missing_fields) return fail(DecodeFailure::missing_field, expected_of(field.type(), field));
    if (report_ != nullptr) report_->missing_fields.push_back(path_);
    path_.resize(outside);
  }
  return true;
}

}  // namespace

const FieldInfo* whole_body_of(const TypeInfo& record) {
  for (const FieldInfo& field : record.fields) {
    if (field.in == In::whole_body) return &field;
  }
  return nullptr;
}

bool has_body_fields(const TypeInfo& record) {
  return std::any_of(record.fields.begin(), record.fields.end(), is_field_of_body);
}

std::string to_string(const DecodeError& error) {
  switch (error.failure) {
    case DecodeFailure::not_json: return "the body is not JSON: " + error.expected;
    case DecodeFailure::unknown_field: return "unknown field " + error.field;
    case DecodeFailure::missing_field: return "missing " + error.field + ": expected " + error.expected;
    case DecodeFailure::duplicate_field: return "duplicate field " + error.field;
    case DecodeFailure::wrong_type:
    case DecodeFailure::bad_value: break;
  }
  return (error.field.empty() ? std::string("the body") : error.field) + ": expected " + error.expected;
}

Result<void, DecodeError> decode_json(const TypeInfo& type, void* value, std::string_view json,
                                      const DecodeOptions& options, DecodeReport* report) {
  Decoder decoder(json, options, report);
  if (decoder.whole(type, value)) return {};
  // A text that is not JSON further on is not JSON, whatever its fields are called.
  if (decoder.error.failure != DecodeFailure::not_json) {
    JsonReader syntax(json, limits::record_json_depth_max);
    std::string_view text;
    if (!syntax.any(text) || !syntax.at_end()) return unexpected(not_json_error(syntax));
  }
  return unexpected(std::move(decoder.error));
}

}  // namespace svc::api
