#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.h"

// Reads JSON text value by value without a tree. Strict RFC 8259: valid UTF-8, no trailing commas, comments or
// duplicate top-level values, complete surrogate pairs, bounded depth.
//
// After a failure every call fails; `problem` and `offset` say what and where.

namespace svc {

class JsonReader {
 public:
  enum class Next : std::uint8_t { object, array, string, number, boolean, null, nothing };

  // depth_max: at most 64 open objects and arrays.
  JsonReader(std::string_view text, std::size_t depth_max);

  // The kind of the next value; `nothing` at the end of the text, before a closing bracket or an invalid character.
  [[nodiscard]] Next peek();

  // Each reads the next value if it is of that kind; otherwise fails.
  [[nodiscard]] bool string(std::string& value);
  [[nodiscard]] bool number(std::string_view& token);  // a view into the text, unchanged
  [[nodiscard]] bool boolean(bool& value);
  [[nodiscard]] bool null();
  // The content of a string, or a number unchanged. A value of another kind is not read, and is no failure.
  [[nodiscard]] bool text_or_number(std::string& value);

  // Call open, then next until it returns false; then check failed().
  [[nodiscard]] bool open_object();
  [[nodiscard]] bool next_member(std::string& name);
  [[nodiscard]] bool open_array();
  [[nodiscard]] bool next_element();

  // Reads the next value of any kind; `text` is a view of it.
  [[nodiscard]] bool any(std::string_view& text);

  // True if only blanks are left.
  [[nodiscard]] bool at_end();

  [[nodiscard]] bool failed() const { return problem_ != nullptr; }
  [[nodiscard]] const char* problem() const { return problem_; }
  [[nodiscard]] std::size_t offset() const { return position_; }

 private:
  bool fail(const char* problem);
  void skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  }
  [[nodiscard]] bool skip();
  [[nodiscard]] bool take(char due) {
    if (position_ == text_.size() || text_[position_] != due) return false;
    ++position_;
    return true;
  }
  [[nodiscard]] bool take(std::string_view literal);
  [[nodiscard]] bool open(char bracket);
  [[nodiscard]] bool next(char closing);
  // Reads a string, or a member's name and colon, from the quote on: use(some) for each part of it.
  template <class Use>
  [[nodiscard]] bool characters(Use use);
  template <class Use>
  [[nodiscard]] bool member(Use use);
  [[nodiscard]] std::uint64_t bit_of_depth() const { return std::uint64_t{1} << (depth_ - 1); }
  [[nodiscard]] bool escape(std::string& character);
  [[nodiscard]] bool hex4(std::uint32_t& unit);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  std::size_t depth_max_;
  std::uint64_t started_ = 0;  // bit per depth: an element was read, so a comma is due
  const char* problem_ = nullptr;
};

// The text behind its byte order mark, if it has one: some editors and spreadsheets write one.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

// Writes JSON text directly into a string: no tree, members in the order they are added.
//
//   JsonWriter json(out);
//   json.begin_object().key("url").text(url).key("pid").integer(pid).end_object();

// The text in quotes, with quotes, backslashes and control characters escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// Copies the text; false if it cannot stand in quotes as it is.
[[nodiscard]] bool copy_plain(char* to, std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) JsonWriter& integer(T value) {
    return raw(std::to_string(value));
  }
  // A value that is already JSON text.
  JsonWriter& raw(std::string_view json);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool comma_due_ = false;
};

}  // namespace svc
