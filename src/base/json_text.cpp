#include "base/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"

namespace svc {
namespace {

// Characters that have an escape of their own, and its letter.
constexpr std::string_view escaped_characters = "\"\\\b\f\n\r\t";
constexpr std::string_view escape_letters = "\"\\bfnrt";

constexpr bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

constexpr bool is_plain(char c) {
  return static_cast<unsigned char>(c) < 0x80 && !needs_escape(c);
}

// Of eight characters the high bits of those that are not plain: exact up to the first of them.
[[gnu::always_inline]] inline std::uint64_t not_plain(std::uint64_t word) {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101;
  constexpr std::uint64_t high = each * 0x80;
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - each) & ~bytes & high; };
  const std::uint64_t controls = (word - each * 0x20) & ~word & high;
  return (word & high) | controls | has_zero(word ^ (each * '"')) | has_zero(word ^ (each * '\\'));
}

// How many characters at the beginning stand for themselves in a string.
std::size_t plain_length(std::string_view text) {
  constexpr std::size_t step = sizeof(std::uint64_t);
  const auto others_at = [&](std::size_t place) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + place, step);
    return not_plain(word);
  };
  std::size_t length = 0;
  for (; length + step <= text.size(); length += step)
    if (const std::uint64_t others = others_at(length); others != 0)
      return length + static_cast<std::size_t>(std::countr_zero(others)) / 8;
  // The last eight may overlap those before.
  if (length > 0 && length < text.size() && others_at(text.size() - step) == 0) return text.size();
  while (length < text.size() && is_plain(text[length])) ++length;
  return length;
}

void append_escaped(std::string& out, char c) {
  out += '\\';
  if (const auto at = escaped_characters.find(c); at != std::string_view::npos)
    out += escape_letters[at];
  else
    out += "u00" + to_hex(as_bytes({&c, 1}));
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::size_t depth_max) : text_(text), depth_max_(depth_max) {
  SVC_ASSERT(depth_max <= 64);
}

bool JsonReader::fail(const char* problem) {
  if (problem_ == nullptr) problem_ = problem;
  return false;
}

JsonReader::Next JsonReader::peek() {
  skip_blanks();
  if (failed() || position_ == text_.size()) return Next::nothing;
  const char c = text_[position_];
  switch (c) {
    case '"': return Next::string;
    case '{': return Next::object;
    case '[': return Next::array;
    case 't':
    case 'f': return Next::boolean;
    case 'n': return Next::null;
    default: return c == '-' || is_digit(c) ? Next::number : Next::nothing;
  }
}

bool JsonReader::take(std::string_view literal) {
  if (!text_.substr(position_).starts_with(literal)) return false;
  position_ += literal.size();
  return true;
}

bool JsonReader::null() {
  if (peek() != Next::null || !take("null")) return fail("null is due");
  return true;
}

bool JsonReader::boolean(bool& value) {
  if (peek() != Next::boolean) return fail("true or false is due");
  value = take("true");
  return value || take("false") || fail("true or false is due");
}

bool JsonReader::number(std::string_view& token) {
  if (peek() != Next::number) return fail("a number is due");
  const std::size_t start = position_;
  const auto at = [this](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  std::size_t i = position_;
  const auto digits = [&] {
    const std::size_t first = i;
    while (is_digit(at(i))) ++i;
    return i > first;
  };
  if (at(i) == '-') ++i;
  if (at(i) == '0') {
    ++i;
  } else if (!digits()) {
    return fail("a number is malformed");
  }
  if (at(i) == '.') {
    ++i;
    if (!digits()) return fail("a number is malformed");
  }
  if (at(i) == 'e' || at(i) == 'E') {
    ++i;
    if (at(i) == '+' || at(i) == '-') ++i;
    if (!digits()) return fail("a number is malformed");
  }
  if (is_digit(at(i))) return fail("a number has a leading zero");
  position_ = i;
  token = text_.substr(start, i - start);
  return true;
}

template <class Use>
bool JsonReader::characters(Use use) {
  ++position_;
  while (true) {
    const std::string_view rest = text_.substr(position_);
    const std::string_view plain = rest.substr(0, plain_length(rest));
    use(plain);
    position_ += plain.size();
    if (take('"')) return true;
    if (position_ == text_.size()) return fail("a string does not end");
    const char c = text_[position_];
    if (c == '\\') {
      std::string character;
      if (!escape(character)) return false;
      use(std::string_view(character));
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) return fail("a string holds a control character");
    const Utf8Character character = first_character(text_.substr(position_));
    if (!character.is_sound()) return fail("a string is not UTF-8");
    use(character.bytes);
    position_ += character.bytes.size();
  }
}

bool JsonReader::string(std::string& value) {
  if (peek() != Next::string) return fail("a string is due");
  value.clear();
  return characters([&](std::string_view some) { value.append(some); });
}

bool JsonReader::text_or_number(std::string& value) {
  if (peek() == Next::string) return string(value);
  std::string_view token;
  if (peek() != Next::number || !number(token)) return false;
  value = token;
  return true;
}

bool JsonReader::hex4(std::uint32_t& unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i, ++position_) {
    const int digit = position_ < text_.size() ? hex_digit(text_[position_]) : -1;
    if (digit < 0) return fail("an escape is malformed");
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

bool JsonReader::escape(std::string& character) {
  ++position_;
  const char kind = position_ < text_.size() ? text_[position_++] : '\0';
  if (kind == '/' || escape_letters.find(kind) != std::string_view::npos) {
    character += kind == '/' ? kind : escaped_characters[escape_letters.find(kind)];
    return true;
  }
  if (kind != 'u') return fail("an escape is malformed");
  std::uint32_t unit = 0;
  if (!hex4(unit)) return false;
  if (unit >= 0xdc00 && unit <= 0xdfff) return fail("half a surrogate pair");
  if (unit >= 0xd800 && unit <= 0xdbff) {
    std::uint32_t low = 0;
    if (!take("\\u")) return fail("half a surrogate pair");
    if (!hex4(low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail("half a surrogate pair");
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(character, unit);
  return true;
}

bool JsonReader::open(char bracket) {
  if (depth_ == depth_max_) return fail("nested too deeply");
  SVC_ASSERT(text_[position_] == bracket);
  ++position_;
  ++depth_;
  started_ &= ~bit_of_depth();
  return true;
}

bool JsonReader::open_object() {
  if (peek() != Next::object) return fail("an object is due");
  return open('{');
}

bool JsonReader::open_array() {
  if (peek() != Next::array) return fail("an array is due");
  return open('[');
}

// True if an element follows; false at the closing bracket, which is consumed.
bool JsonReader::next(char closing) {
  if (failed()) return false;
  skip_blanks();
  if (position_ == text_.size()) return fail("the text ends early");
  const std::uint64_t bit = bit_of_depth();
  if (text_[position_] == closing) {
    ++position_;
    --depth_;
    return false;
  }
  if ((started_ & bit) != 0) {
    if (text_[position_] != ',') return fail("a comma or a closing bracket is due");
    ++position_;
    skip_blanks();
  }
  started_ |= bit;
  return true;
}

template <class Use>
bool JsonReader::member(Use use) {
  if (!next('}')) return false;
  if (position_ == text_.size() || text_[position_] != '"') return fail("a member name is due");
  if (!characters(use)) return false;
  skip_blanks();
  return take(':') || fail("a colon is due");
}

bool JsonReader::next_member(std::string& name) {
  name.clear();
  return member([&](std::string_view some) { name.append(some); });
}

bool JsonReader::next_element() {
  if (!next(']')) return false;
  if (peek() == Next::nothing) return fail("a value is due");
  return true;
}

// The bound on the depth bounds the recursion.
bool JsonReader::skip() {
  const auto ignore = [](std::string_view) {};
  std::string_view token;
  bool flag = false;
  switch (peek()) {
    case Next::object:
      if (!open_object()) return false;
      while (member(ignore))
        if (!skip()) return false;
      return !failed();
    case Next::array:
      if (!open_array()) return false;
      while (next_element())
        if (!skip()) return false;
      return !failed();
    case Next::string: return characters(ignore);
    case Next::number: return number(token);
    case Next::boolean: return boolean(flag);
    case Next::null: return null();
    case Next::nothing: break;
  }
  return fail("a value is due");
}

bool JsonReader::any(std::string_view& text) {
  skip_blanks();
  const std::size_t start = position_;
  if (!skip()) return false;
  text = text_.substr(start, position_ - start);
  return true;
}

bool JsonReader::at_end() {
  skip_blanks();
  return !failed() && position_ == text_.size();
}

bool copy_plain(char* to, std::string_view text) {
  text.copy(to, text.size());
  return plain_length(text) == text.size();
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Character first = first_character(text);
    const bool is_c1 = first.code_point >= 0x80 && first.code_point < 0xa0;  // a control character to some terminals
    if (!first.is_sound())
      out += "\xef\xbf\xbd";
    else if (is_c1 || needs_escape(text.front()))
      append_escaped(out, static_cast<char>(first.code_point));
    else
      out += first.bytes;
    text.remove_prefix(first.bytes.size());
  }
  out += '"';
}

void JsonWriter::separate() {
  if (comma_due_) out_ += ',';
  comma_due_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_due_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace svc
