#include "api/codec.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "api/values.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/text.h"

namespace svc::api {
namespace {

using Next = JsonReader::Next;

// Each name of a map is compared with all names before it.
constexpr std::size_t map_members_max = 1'024;

constexpr FieldInfo no_field{};

bool is_field_of_body(const FieldInfo& field) {
  return field.in == In::body;
}

DecodeError not_json_error(const JsonReader& reader) {
  const std::string problem = reader.failed() ? reader.problem() : "text follows the value";
  return {
      DecodeFailure::not_json, {}, problem + " at byte " + std::to_string(reader.offset()), ErrorCode::invalid_json};
}

// Walks a JSON text and a value in parallel. `path_` is the current place, for errors.
class Decoder {
 public:
  Decoder(std::string_view json, const DecodeOptions& options, DecodeReport* report)
      : reader_(json, limits::record_json_depth_max), options_(options), report_(report) {}

  bool whole(const TypeInfo& type, void* value) {
    const FieldInfo* body = whole_body_of(type);
    judged_by_item_ = body != nullptr && body->type().kind == Kind::list;
    const bool done =
        body != nullptr ? read(body->type(), *body, member_of(*body, value)) : read(type, no_field, value);
    return done && (reader_.at_end() || not_json());
  }

  DecodeError error;

 private:
  bool fail(DecodeFailure failure, std::string expected, ErrorCode code = ErrorCode::invalid_json) {
    error = {failure, path(), std::move(expected), code};
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

  bool read(const TypeInfo& type, const FieldInfo& field, void* value) {
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

  bool read_record(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() != Next::object) return wrong_type(type, field);
    if (!reader_.open_object()) return not_json();
    SVC_ASSERT(type.fields.size() <= 64);
    std::uint64_t seen = 0;
    std::size_t expected = 0;  // members usually come in the order of the fields
    std::string name;
    const auto is_meant = [&name](const FieldInfo& one) { return one.name == name && is_field_of_body(one); };
    while (reader_.next_member(name)) {
      std::size_t index = expected;
      if (index >= type.fields.size() || !is_meant(type.fields[index]))
        index = static_cast<std::size_t>(std::ranges::find_if(type.fields, is_meant) - type.fields.begin());
      if (index == type.fields.size()) {
        if (!unknown_member(name)) return false;
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << index;
      if ((seen & bit) != 0) {
        path_.push_back({.name = name});
        return fail(DecodeFailure::duplicate_field, "each field once");
      }
      seen |= bit;
      expected = index + 1;
      if (!read_member(type, value, index)) return false;
    }
    if (reader_.failed()) return not_json();
    return check_missing(type, seen);
  }

  bool read_array_record(const TypeInfo& type, const FieldInfo& field, void* value) {
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

  bool read_list(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() != Next::array) return wrong_type(type, field);
    if (!reader_.open_array()) return not_json();
    type.container->clear(value);
    const TypeInfo& element = type.element();
    for (std::size_t index = 0; reader_.next_element(); ++index) {
      path_.push_back({.index = index});
      if (!read(element, field, type.container->emplace(value))) return false;
      path_.pop_back();
    }
    return !reader_.failed() || not_json();
  }

  bool read_map(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() != Next::object) return wrong_type(type, field);
    if (!reader_.open_object()) return not_json();
    type.container->clear(value);
    std::string key;
    for (std::size_t count = 1; reader_.next_member(key); ++count) {
      path_.push_back({.name = key});
      if (count > map_members_max)
        return fail(DecodeFailure::bad_value, "at most " + std::to_string(map_members_max) + " members", field.refusal);
      void* const element = type.container->insert(value, key);
      if (element == nullptr) return fail(DecodeFailure::duplicate_field, "each member once");
      if (!read(type.element(), field, element)) return false;
      path_.pop_back();
    }
    return !reader_.failed() || not_json();
  }

  bool read_optional(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() == Next::null) {
      type.container->clear(value);
      return reader_.null() || not_json();
    }
    const TypeInfo& element = type.element();
    void* const inside = type.container->emplace(value);
    if (!read(element, field, inside)) return false;
    if (element.kind == Kind::text && static_cast<std::string*>(inside)->empty() &&
        !options_.allow_empty_optional_text) {
      return fail(DecodeFailure::bad_value, "a text that is not empty, or nothing", field.refusal);
    }
    return true;
  }

  bool read_member(const TypeInfo& record, void* value, std::size_t index) {
    const FieldInfo& field = record.fields[index];
    const TypeInfo& type = field.type();
    path_.push_back({.name = field.name});
    if (field.may_be_absent && type.kind != Kind::optional && reader_.peek() == Next::null) {
      if (!reader_.null()) return not_json();  // null counts as absent: the default stays
    } else if (!read(type, field, member_of(field, value))) {
      return false;
    }
    path_.pop_back();
    return true;
  }

  bool unknown_member(const std::string& name) {
    path_.push_back({.name = name});
    if (!options_.collect_unknown_fields) return fail(DecodeFailure::unknown_field, "no such field");
    std::string_view skipped;
    if (!reader_.any(skipped)) return not_json();
    if (report_ != nullptr) {
      if (!unknown_.insert(path()).second) return fail(DecodeFailure::duplicate_field, "each field once");
      report_->unknown_fields.push_back(path());
    }
    path_.pop_back();
    return true;
  }

  bool check_missing(const TypeInfo& record, std::uint64_t seen) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const FieldInfo& field = record.fields[i];
      if (!is_field_of_body(field) || (seen >> i & 1) != 0 || is_optional(field)) continue;
      path_.push_back({.name = field.name});
      if (!options_.collect_missing_fields) return fail(DecodeFailure::missing_field, expected_of(field.type(), field));
      if (report_ != nullptr) report_->missing_fields.push_back(path());
      path_.pop_back();
    }
    return true;
  }

  bool read_quoted(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() != Next::string) return wrong_type(type, field);
    if (!reader_.string(text_)) return not_json();
    if (read_text(type, field, text_, value)) return true;
    // A malformed market is the error of one item and must not refuse the others: it is passed on as sent.
    if (judged_by_item_ && type.kind == Kind::market_id) {
      static_cast<MarketId*>(value)->text = text_;
      return true;
    }
    return bad_value(type, field);
  }

  bool read_number(const TypeInfo& type, const FieldInfo& field, void* value) {
    if (reader_.peek() != Next::number) return wrong_type(type, field);
    std::string_view token;
    if (!reader_.number(token)) return not_json();
    return read_text(type, field, token, value) || bad_value(type, field);
  }

  // A member, or an element of a list.
  struct Place {
    std::string_view name{};
    std::optional<std::size_t> index{};
  };
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const Place& place : path_) {
      if (place.index)
        text += '[' + std::to_string(*place.index) + ']';
      else
        text.append(text.empty() ? "" : ".").append(place.name);
    }
    return text;
  }

  JsonReader reader_;
  const DecodeOptions& options_;
  DecodeReport* report_;
  bool judged_by_item_ = false;  // the body is a list whose items are answered one by one
  boost::container::small_vector<Place, 8> path_;
  std::unordered_set<std::string> unknown_;  // paths that the report has
  std::string text_;                         // kept for its memory
};

// An enumeration's value as it is spelled in this field.
std::string_view word_of(const TypeInfo& type, const FieldInfo& field, const void* value) {
  const std::size_t index = *static_cast<const std::uint8_t*>(value);
  const EnumNames& names = names_of(type, field);
  SVC_ASSERT(index < names.texts.size());
  return names.texts[index];
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Plain digits, without sign or leading zeros: the only spelling of a JSON integer.
template <class T>
bool read_integer(std::string_view text, T& value) {
  const std::string_view digits = std::is_signed_v<T> && text.starts_with('-') ? text.substr(1) : text;
  if (!is_digits(digits) || (digits.size() > 1 && digits.front() == '0')) return false;
  const auto number = parse_integer<T>(text);
  if (number) value = *number;
  return number.has_value();
}

// A page size; anything above the maximum, however large, counts as the maximum.
bool read_page_size(std::string_view text, std::uint32_t maximum, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!is_digits(text)) return false;
  if (!read_integer(text, wide)) {
    if (text.front() == '0') return false;
    wide = maximum;
  }
  if (wide == 0) return false;
  value = static_cast<std::uint32_t>(std::min<std::uint64_t>(wide, maximum));
  return true;
}

}  // namespace

const FieldInfo* whole_body_of(const TypeInfo& record) {
  return found_in(record.fields, In::whole_body, &FieldInfo::in);
}

bool has_body_fields(const TypeInfo& record) {
  return std::ranges::any_of(record.fields, is_field_of_body);
}

bool is_optional(const FieldInfo& field) {
  return may_be_absent(field) || field.type().kind == Kind::optional;
}

const EnumNames& names_of(const TypeInfo& type, const FieldInfo& field) {
  return field.spelling != nullptr ? *field.spelling : *type.names;
}

std::string default_text(const FieldInfo& field, const TypeInfo& record) {
  return write_text(field.type(), field, member_of(field, record.fresh()));
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
  // If the rest of the text is not JSON, that is the error to report.
  if (decoder.error.failure != DecodeFailure::not_json) {
    JsonReader syntax(json, limits::record_json_depth_max);
    std::string_view text;
    if (!syntax.any(text) || !syntax.at_end()) return unexpected(not_json_error(syntax));
  }
  return unexpected(std::move(decoder.error));
}

std::vector<WrittenField> written_fields(const TypeInfo& record) {
  const void* const instance = record.fresh();  // any instance shows where the members are
  std::vector<WrittenField> fields;
  for (const FieldInfo& field : record.fields) {
    if (field.in != In::body) continue;
    const auto at = static_cast<const char*>(member_of(field, instance)) - static_cast<const char*>(instance);
    std::string lead = ",";
    if (!record.as_array) {
      append_json_string(lead, field.name);
      lead += ':';
    }
    SVC_ASSERT(lead.size() <= WrittenField::lead_max);
    WrittenField& written = fields.emplace_back();
    std::ranges::copy(lead, written.lead.begin());
    written.lead_size = lead.size();
    written.offset = static_cast<std::size_t>(at);
    written.type = &field.type();
    written.field = &field;
  }
  return fields;
}

void Encoder::grow(std::size_t bytes) {
  constexpr std::size_t spare_bytes = 512;  // most records are shorter
  const std::size_t written = size();
  const std::size_t room = std::max(2 * static_cast<std::size_t>(end_ - begin_.get()), written + bytes + spare_bytes);
  auto larger = std::make_unique_for_overwrite<char[]>(room);
  std::copy_n(begin_.get(), written, larger.get());
  begin_ = std::move(larger);
  at_ = begin_.get() + written;
  end_ = begin_.get() + room;
}

void Encoder::write(const TypeInfo& type, const void* value) {
  write(type, no_field, value);
}

void Encoder::write(const TypeInfo& type, const FieldInfo& field, const void* value) {
  switch (type.kind) {
    case Kind::record: return write_record(type, value);
    case Kind::list: return write_list(type, field, value);
    case Kind::map: return write_map(type, field, value);
    case Kind::optional:
      if (type.container->size(value) == 0) return add_word("null");
      return write(type.element(), field, type.container->at(value, 0));
    case Kind::custom: return write_custom(type, value);
    case Kind::boolean: return *static_cast<const bool*>(value) ? add_word("true") : add_word("false");
    case Kind::int64: return add_number(*static_cast<const std::int64_t*>(value));
    case Kind::uint64: return add_number(*static_cast<const std::uint64_t*>(value));
    case Kind::uint32: return add_number(*static_cast<const std::uint32_t*>(value));
    case Kind::number: return add(static_cast<const NumberText*>(value)->text);
    case Kind::json_object: return add(static_cast<const JsonObjectText*>(value)->text);
    case Kind::text: return add_text(*static_cast<const std::string*>(value));
    case Kind::secret: return add_text(static_cast<const Secret*>(value)->reveal());
    case Kind::decimal: return add_text(static_cast<const DecimalText*>(value)->text);
    case Kind::market_id: return add_text(static_cast<const MarketId*>(value)->text);
    case Kind::address: return add_address(*static_cast<const Address*>(value));
    case Kind::enumeration: return add_text(word_of(type, field, value));
  }
  SVC_ASSERT(false);
}

// The rarer ways are functions of their own: what they keep on the stack would slow down the others.
void Encoder::write_custom(const TypeInfo& type, const void* value) {
  std::string text;
  type.custom->write(text, value);
  add(text);
}

void Encoder::write_record(const TypeInfo& type, const void* value) {
  const std::size_t start = size();
  for (const WrittenField& written : type.written()) {
    const void* const member = static_cast<const char*>(value) + written.offset;
    const ContainerAccess* const container = written.type->container;
    if (written.field->omitted_if_empty && container != nullptr && container->size(member) == 0) continue;
    std::memcpy(room(written.lead.size()), written.lead.data(), written.lead.size());
    at_ += written.lead_size;
    write(*written.type, *written.field, member);
  }
  if (type.as_array)
    close(start, "[]");
  else
    close(start, "{}");
}

void Encoder::write_list(const TypeInfo& type, const FieldInfo& field, const void* value) {
  const std::size_t start = size();
  const std::size_t rows = type.container->size(value);
  const TypeInfo& element = type.element();
  for (std::size_t i = 0; i < rows; ++i) {
    add(',');
    if (i == 1) (void)room((size() - start) * rows);  // rows are about as long as the first
    write(element, field, type.container->at(value, i));
  }
  close(start, "[]");
}

void Encoder::write_map(const TypeInfo& type, const FieldInfo& field, const void* value) {
  struct Context {
    Encoder& encoder;
    const TypeInfo& element;
    const FieldInfo& field;
  } context{*this, type.element(), field};
  const std::size_t start = size();
  type.container->each(value, &context, [](void* opaque, const std::string& key, const void* element) {
    auto& c = *static_cast<Context*>(opaque);
    c.encoder.add(',');
    c.encoder.add_text(key);
    c.encoder.add(':');
    c.encoder.write(c.element, c.field, element);
  });
  close(start, "{}");
}

void Encoder::add(std::string_view text) {
  std::ranges::copy(text, room(text.size()));
  at_ += text.size();
}

template <std::size_t count>
void Encoder::add_word(const char (&word)[count]) {
  std::memcpy(room(count), word, count);
  at_ += count - 1;  // without the zero that ends the literal
}

void Encoder::add_address(const Address& address) {
  constexpr std::string_view before = "\"0x";
  char* const at = room(before.size() + 2 * address.bytes.size() + 1);
  at_ = write_hex(std::ranges::copy(before, at).out, address.bytes);
  *at_++ = '"';
}

template <class Number>
void Encoder::add_number(Number value) {
  at_ = write_number(room(number_chars_max), value);
}

void Encoder::add_text(std::string_view text) {
  char* const at = room(text.size() + 2);
  if (!copy_plain(at + 1, text)) return add_escaped(text);
  at[0] = at[text.size() + 1] = '"';
  at_ += text.size() + 2;
}

void Encoder::add_escaped(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  add(quoted);
}

void encode_json(std::string& out, const TypeInfo& type, const void* value) {
  Encoder encoder;
  if (const FieldInfo* body = whole_body_of(type))
    encoder.write(body->type(), *body, member_of(*body, value));
  else
    encoder.write(type, value);
  out += encoder.text();
}

// Values as plain text: the content of a string without quotes, in a query, a path or a header.

bool read_text(const TypeInfo& type, const FieldInfo& field, std::string_view text, void* value) {
  switch (type.kind) {
    case Kind::text: *static_cast<std::string*>(value) = text; return true;
    case Kind::secret: *static_cast<Secret*>(value) = Secret(std::string(text)); return true;
    case Kind::boolean:
      if (text != "true" && text != "false") return false;
      *static_cast<bool*>(value) = text == "true";
      return true;
    case Kind::int64: return read_integer(text, *static_cast<std::int64_t*>(value));
    case Kind::uint64: return read_integer(text, *static_cast<std::uint64_t*>(value));
    case Kind::uint32:
      return field.maximum != 0 ? read_page_size(text, field.maximum, *static_cast<std::uint32_t*>(value))
                                : read_integer(text, *static_cast<std::uint32_t*>(value));
    case Kind::number: *static_cast<NumberText*>(value) = NumberText(std::string(text)); return true;
    case Kind::decimal:
      if (!parse_decimal(text)) return false;
      static_cast<DecimalText*>(value)->text = text;
      return true;
    case Kind::address: {
      const auto address = parse_address(text);
      if (address) *static_cast<Address*>(value) = *address;
      return address.has_value();
    }
    case Kind::market_id:
      if (!is_market_id(text)) return false;
      static_cast<MarketId*>(value)->text = text;
      return true;
    case Kind::enumeration: {
      const auto number = names_of(type, field).find(text);
      if (number) *static_cast<std::uint8_t*>(value) = static_cast<std::uint8_t>(*number);
      return number.has_value();
    }
    case Kind::optional: return read_text(type.element(), field, text, type.container->emplace(value));
    default: SVC_ASSERT(false);  // such fields occur in bodies only
  }
}

std::string write_text(const TypeInfo& type, const FieldInfo& field, const void* value) {
  switch (type.kind) {
    case Kind::text: return *static_cast<const std::string*>(value);
    case Kind::secret: return std::string(static_cast<const Secret*>(value)->reveal());
    case Kind::boolean: return *static_cast<const bool*>(value) ? "true" : "false";
    case Kind::int64: return std::to_string(*static_cast<const std::int64_t*>(value));
    case Kind::uint64: return std::to_string(*static_cast<const std::uint64_t*>(value));
    case Kind::uint32: return std::to_string(*static_cast<const std::uint32_t*>(value));
    case Kind::number: return static_cast<const NumberText*>(value)->text;
    case Kind::decimal: return static_cast<const DecimalText*>(value)->text;
    case Kind::address: return to_string(*static_cast<const Address*>(value));
    case Kind::market_id: return static_cast<const MarketId*>(value)->text;
    case Kind::enumeration: return std::string(word_of(type, field, value));
    case Kind::optional:
      SVC_ASSERT(type.container->size(value) == 1);
      return write_text(type.element(), field, type.container->at(value, 0));
    default: SVC_ASSERT(false);
  }
}

std::string expected_of(const TypeInfo& type, const FieldInfo& field) {
  switch (type.kind) {
    case Kind::text:
    case Kind::secret: return "a string";
    case Kind::boolean: return "true or false";
    case Kind::int64: return "an integer of 64 bits";
    case Kind::uint64: return "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max());
    case Kind::uint32:
      return field.maximum != 0 ? "an integer from 1 to " + std::to_string(field.maximum)
                                : "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint32_t>::max());
    case Kind::number: return "a number";
    case Kind::decimal: return "a decimal as a string, such as \"0.5\"";
    case Kind::address: return "an address: 0x and 40 hex digits";
    case Kind::market_id: return "a market id: upper-case segments joined by single hyphens, at most 64 characters";
    case Kind::enumeration: {
      const auto& texts = names_of(type, field).texts;
      return (texts.size() == 1 ? "" : "one of ") + svc::joined(texts);
    }
    case Kind::optional: return expected_of(type.element(), field);
    case Kind::json_object: return "an object";
    case Kind::custom: return std::string(type.custom->expected);
    case Kind::list: return "an array";
    case Kind::map: return "an object";
    case Kind::record: return type.as_array ? "an array of " + std::to_string(type.fields.size()) : "an object";
  }
  SVC_ASSERT(false);
}

}  // namespace svc::api
