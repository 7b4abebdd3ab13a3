// How records are written without a text for each of their members, one of them or a long list. A `Row` has the members
// of its record; where the record has a text or a decimal, the row has what that is written from. The declaration of
// the record makes both.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/record.h"
#include "api/values.h"
#include "base/decimal.h"

namespace svc::api {

// A text of a row. It is either characters, which must outlive the row, or a number and the function that writes it, as
// for ids that are made from a counter.
class RowText {
 public:
  // Writes at `to` and returns where the text ends, which needs no escapes.
  using Maker = char* (*)(char* to, std::uint64_t number);
  static constexpr std::size_t made_chars_max = 64;

  RowText() = default;
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> RowText(const Text& text) : text_(text) {}
  RowText(std::string&&) = delete;
  RowText(Maker maker, std::uint64_t number) : maker_(maker), number_(number) {}

  [[nodiscard]] bool is_made() const { return maker_ != nullptr; }
  char* make(char* to) const { return maker_(to, number_); }
  [[nodiscard]] std::string_view text() const { return text_; }
  operator std::string() const {
    if (!is_made()) return std::string(text_);
    std::array<char, made_chars_max> made;
    return {made.data(), make(made.data())};
  }

 private:
  std::string_view text_{};
  Maker maker_ = nullptr;
  std::uint64_t number_ = 0;
};

template <class Member>
struct InRow {
  using Type = Member;
};
template <>
struct InRow<std::string> {
  using Type = RowText;
};
template <>
struct InRow<DecimalText> {
  using Type = Decimal;
};
template <class T>
struct InRow<std::optional<T>> {
  using Type = std::optional<typename InRow<T>::Type>;
};
template <class T>
concept Listed = requires {
  typename T::Row;
};
template <Listed T>
struct InRow<T> {
  using Type = typename T::Row;
};
template <Listed T>
struct InRow<std::vector<T>> {
  using Type = std::vector<typename T::Row>;
};

// As SVC_RECORD, with a Row.
#define SVC_LISTED_RECORD(Name, rows) \
  struct Name {                       \
    SVC_FIELDS(Name, fields, rows);   \
    struct Row {                      \
      using Record = Name;            \
      SVC_ROWS(SVC_ROW_MEMBER rows)   \
    };                                \
  }
#define SVC_ROW_MEMBER(type, name, value, ...) \
  ::svc::api::InRow<type>::Type name value;    \
  SVC_NEXT_ROW_MEMBER
#define SVC_NEXT_ROW_MEMBER(type, name, value, ...) \
  ::svc::api::InRow<type>::Type name value;         \
  SVC_ROW_MEMBER
#define SVC_ROW_MEMBER_END
#define SVC_NEXT_ROW_MEMBER_END

template <class T>
concept Row = requires {
  typename T::Record;
};

// What a list of these records is written from.
template <class T>
struct ListedAs {
  using Type = T;
};
template <Listed T>
struct ListedAs<T> {
  using Type = typename T::Row;
};

}  // namespace svc::api
