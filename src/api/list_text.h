// Records and lists on the wire that are written from rows: none of them is kept.
#pragma once

#include <array>
#include <boost/pfr/core.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "api/codec.h"
#include "api/row.h"
#include "base/assert.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/json_text.h"
#include "base/text.h"

namespace svc::api {

// Writes one kind of row. The compiler knows what stands before each value, and that a row has room: only texts of any
// length ask for more.
template <Row R>
class RowWriter {
 public:
  [[gnu::flatten]] static void write(Encoder& to, const R& row) {
    char* at = to.room(chars_max);
    boost::pfr::for_each_field(
        row, [&]<class Member, std::size_t i>(const Member& member, std::integral_constant<std::size_t, i>) {
          if constexpr (field<i>.omitted_if_empty)
            if (!member) return;
          at = put_value<i>(to, put(at, lead<i>), member);
        });
    to.end_at(put(at, std::array{'}'}));
  }

 private:
  static constexpr std::size_t value_chars_max = decimal_chars_max + 2;  // of the longest that has a bound
  static constexpr std::size_t chars_max =
      std::size(R::Record::fields) * (WrittenField::lead_max + value_chars_max) + sizeof '}';
  static_assert(RowText::made_chars_max + 2 <= value_chars_max && number_chars_max < value_chars_max);

  template <std::size_t i>
  static constexpr const FieldInfo& field = R::Record::fields[i];

  template <std::size_t i>
  static constexpr auto lead = [] {
    constexpr std::string_view name = field<i>.name;
    static_assert(field<i>.in == In::body && is_plain_word(name, WrittenField::lead_max - 4));
    static_assert(i > 0 || !field<i>.omitted_if_empty);
    std::array<char, name.size() + 4> text{i == 0 ? '{' : ',', '"'};
    std::ranges::copy(name, text.begin() + 2);
    text[name.size() + 2] = '"';
    text[name.size() + 3] = ':';
    return text;
  }();

  // A name of an enumeration in its quotes. It is copied whole.
  struct Word {
    std::array<char, 31> text{};
    std::uint8_t size = 0;
  };
  template <std::size_t i, class E>
  static constexpr auto words = [] {
    constexpr EnumNames names = field<i>.spelling != nullptr ? *field<i>.spelling : enum_names(E{});
    std::array<Word, names.texts.size()> all{};
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k].text[0] = '"';
      *std::ranges::copy(names.texts[k], all[k].text.begin() + 1).out = '"';
      all[k].size = static_cast<std::uint8_t>(names.texts[k].size() + 2);
    }
    return all;
  }();

  template <std::size_t size>
  static char* put(char* at, const std::array<char, size>& text) {
    std::memcpy(at, text.data(), size);
    return at + size;
  }

  template <std::size_t i, class Value>
  static char* put_value(Encoder& to, char* at, const Value& value) {
    if constexpr (requires { value.has_value(); }) {
      return value ? put_value<i>(to, at, *value) : put(at, std::array{'n', 'u', 'l', 'l'});
    } else if constexpr (WireEnum<Value>) {
      const auto index = static_cast<std::size_t>(value);
      SVC_ASSERT(index < (words<i, Value>.size()));
      const Word& word = words<i, Value>[index];
      std::memcpy(at, &word, sizeof word);
      return at + word.size;
    } else if constexpr (std::same_as<Value, bool>) {
      return value ? put(at, std::array{'t', 'r', 'u', 'e'}) : put(at, std::array{'f', 'a', 'l', 's', 'e'});
    } else if constexpr (std::integral<Value>) {
      return write_number(at, value);
    } else if constexpr (std::same_as<Value, Decimal>) {
      *at = '"';
      at = write_decimal(at + 1, value);
      *at = '"';
      return at + 1;
    } else if constexpr (std::same_as<Value, Address>) {
      at = put(at, std::array{'"', '0', 'x'});
      at = write_hex(at, value.bytes);
      *at = '"';
      return at + 1;
    } else if constexpr (std::same_as<Value, RowText>) {
      *at = '"';
      if (value.is_made()) {
        at = value.make(at + 1);
        *at = '"';
        return at + 1;
      }
      const std::string_view text = value.text();
      if (text.size() + 2 <= value_chars_max && copy_plain(at + 1, text)) {
        at[text.size() + 1] = '"';
        return at + text.size() + 2;
      }
      to.end_at(at);
      to.add_text(text);
      return to.room(chars_max);
    } else {
      to.end_at(at);
      if constexpr (Row<Value>)
        RowWriter<Value>::write(to, value);
      else if constexpr (requires { RowWriter<typename Value::value_type>(); })
        write_rows(to, value);
      else
        to.write(type_of<Value>(), field<i>, &value);
      return to.room(chars_max);
    }
  }

  template <class Other>
  static void write_rows(Encoder& to, const std::vector<Other>& rows) {
    const std::size_t start = to.size();
    for (const Other& row : rows) {
      to.add(',');
      RowWriter<Other>::write(to, row);
    }
    to.close(start, "[]");
  }
};

template <class T>
class ListText {
 public:
  // So many rows are likely to come; they are about as long as the first.
  void expect(std::size_t rows) { expected_ = rows; }
  void add(const T& row) {
    row_.clear();
    row_.add(text_.empty() ? '[' : ',');
    if constexpr (Row<T>)
      RowWriter<T>::write(row_, row);
    else
      row_.write(type_of<T>(), &row);
    if (expected_ != 0) text_.reserve((row_.size() + spare_chars) * std::exchange(expected_, 0));
    text_.append(row_.text());
  }
  [[nodiscard]] std::string text() && {
    if (text_.empty()) return "[]";
    text_ += ']';
    return std::move(text_);
  }

 private:
  static constexpr std::size_t spare_chars = 16;  // of a row, beyond those of the first

  Encoder row_;  // kept for its memory
  std::string text_;
  std::size_t expected_ = 0;
};

}  // namespace svc::api
