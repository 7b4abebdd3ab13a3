// Records to JSON text and back. Nothing is converted silently: a decimal must be a string, an integer a plain
// number; unknown and repeated members are errors.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/record.h"
#include "base/address.h"
#include "base/result.h"

namespace svc::api {

// Why a text cannot be decoded.
enum class DecodeFailure : std::uint8_t {
  not_json,
  unknown_field,
  missing_field,
  duplicate_field,
  wrong_type,  // a number instead of a string, for example
  bad_value,   // right type, but not a decimal, a known name or an address
};

struct DecodeError {
  DecodeFailure failure{};
  std::string field;     // "orders[2].price"; empty: the whole
  std::string expected;  // "a decimal string"
  ErrorCode code = ErrorCode::invalid_json;
};

// One line that names the field and what was expected.
[[nodiscard]] std::string to_string(const DecodeError& error);

// Servers refuse unknown members; clients collect them, because a newer server may send more.
struct DecodeOptions {
  bool collect_unknown_fields = false;
  bool collect_missing_fields = false;
  bool allow_empty_optional_text = false;  // requests refuse "" where nothing is meant by absence
};

inline constexpr DecodeOptions strict{};
inline constexpr DecodeOptions lenient{
    .collect_unknown_fields = true, .collect_missing_fields = true, .allow_empty_optional_text = true};

struct DecodeReport {
  std::vector<std::string> unknown_fields;
  std::vector<std::string> missing_fields;
};

// `value` points to an object of the type; after a failure it is partly filled.
[[nodiscard]] Result<void, DecodeError> decode_json(const TypeInfo& type, void* value, std::string_view json,
                                                    const DecodeOptions& options, DecodeReport* report);
void encode_json(std::string& out, const TypeInfo& type, const void* value);

template <class T>
[[nodiscard]] Result<T, DecodeError> decode_json(std::string_view json, const DecodeOptions& options = strict,
                                                 DecodeReport* report = nullptr) {
  T value{};
  SVC_TRY(decode_json(type_of<T>(), &value, json, options, report));
  return value;
}

template <class T>
void encode_json(std::string& out, const T& value) {
  encode_json(out, type_of<T>(), &value);
}

// Writes values as JSON, one after another. Unlike those of a string its bytes are not cleared before they are written.
class Encoder {
 public:
  void write(const TypeInfo& type, const FieldInfo& field, const void* value);
  void write(const TypeInfo& type, const void* value);

  void add(char c) {
    *room(1) = c;
    ++at_;
  }
  // In quotes.
  void add_text(std::string_view text);
  // Ends what began at `start` and has a comma before each part: the first one becomes the opening bracket.
  void close(std::size_t start, const char (&brackets)[3]) {
    if (size() == start) add(brackets[0]);
    begin_[start] = brackets[0];
    add(brackets[1]);
  }

  // Where the next characters go; there is room for so many.
  char* room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
    return at_;
  }
  // They end there.
  void end_at(char* end) { at_ = end; }
  void clear() { at_ = begin_.get(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - begin_.get()); }
  [[nodiscard]] std::string_view text() const { return {begin_.get(), size()}; }

 private:
  void grow(std::size_t bytes);
  void write_record(const TypeInfo& type, const void* value);
  void write_list(const TypeInfo& type, const FieldInfo& field, const void* value);
  void write_map(const TypeInfo& type, const FieldInfo& field, const void* value);
  void write_custom(const TypeInfo& type, const void* value);
  void add(std::string_view text);
  template <std::size_t count>
  void add_word(const char (&word)[count]);
  void add_address(const Address& address);
  template <class Number>
  void add_number(Number value);
  void add_escaped(std::string_view text);

  std::unique_ptr<char[]> begin_;
  char* at_ = nullptr;   // the end of what is written
  char* end_ = nullptr;  // of the room
};

template <class T>
[[nodiscard]] std::string to_json(const T& value) {
  std::string out;
  encode_json(out, value);
  return out;
}

// Reads one value from the text of a parameter or header: decoded, without quotes. False if it is not of the type.
[[nodiscard]] bool read_text(const TypeInfo& type, const FieldInfo& field, std::string_view text, void* value);
[[nodiscard]] std::string write_text(const TypeInfo& type, const FieldInfo& field, const void* value);
[[nodiscard]] std::string expected_of(const TypeInfo& type, const FieldInfo& field);

[[nodiscard]] bool is_optional(const FieldInfo& field);
// The texts of an enumeration in this field.
[[nodiscard]] const EnumNames& names_of(const TypeInfo& type, const FieldInfo& field);
// The text of what a new record has there.
[[nodiscard]] std::string default_text(const FieldInfo& field, const TypeInfo& record);

}  // namespace svc::api
