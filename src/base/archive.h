// A compact binary form of values for storage on disk: one description is used for writing and reading.
//
//   whole numbers, enums      varint, seven bits a byte, lowest first; signed ones zigzag; an enum is one of its
//                             enumerators
//   bool                      one byte, 0 or 1
//   128-bit numbers           low half, high half, each a varint
//   text, containers          size as a varint, then the elements; arrays of bytes as they are
//   optional                  a bool, then the value if there is one; variant: index, then the value
//   aggregates                their members in the order of declaration
//   other classes             what SVC_KEEPS lists, or their own `archive(Archive& archive)`
//
// So the order of declaration is the format: a change of a stored struct changes the format, and needs a new
// version where the format has one. (D-010)
//
// Reading does not trust its input: after invalid input the reader fails for good, and nothing is allocated for
// elements that cannot be there.
#pragma once

#include <algorithm>
#include <array>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <deque>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/containers.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/enumerators.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc {

class ArchiveWriter;
class ArchiveReader;

namespace archive_detail {

template <class T, template <class...> class Kind>
inline constexpr bool is_kind_of = false;
template <template <class...> class Kind, class... Parts>
inline constexpr bool is_kind_of<Kind<Parts...>, Kind> = true;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

template <class T>
concept Sequence = is_kind_of<T, std::vector> || is_kind_of<T, std::deque> || is_kind_of<T, boost::container::deque>;
template <class T>
concept Keyed = is_kind_of<T, std::map> || is_kind_of<T, std::set> || is_kind_of<T, std::multimap>;
// A variant, or a class that is one.
template <class... Types>
[[nodiscard]] std::variant<Types...> variant_of(const std::variant<Types...>& value);
template <class T>
concept Choice = requires(const T& value) {
  variant_of(value);
};
template <class T>
concept SelfDescribed = requires(T& value, ArchiveWriter& writer) {
  value.archive(writer);
};
// An empty element of a container, to be filled in: the key of a map is not const yet.
template <class T>
[[nodiscard]] auto empty_element() {
  if constexpr (requires { typename T::mapped_type; })
    return std::pair<typename T::key_type, typename T::mapped_type>{};
  else
    return typename T::value_type{};
}
// A byte of an array needs no varint.
template <class T>
concept HoldsBytes = is_array<T> &&
    (std::same_as<typename T::value_type, std::uint8_t> || std::same_as<typename T::value_type, char> ||
     std::same_as<typename T::value_type, std::byte>);

// Calls visit(part) for each part of a value that has parts: the elements of a container, both of a pair, the value of
// an optional, the alternative of a variant, the members of an aggregate.
template <class T, class Visit>
void for_each_part(T& value, const Visit& visit) {
  using Whole = std::remove_const_t<T>;
  if constexpr (is_array<Whole> || Sequence<Whole> || Keyed<Whole>) {
    for (auto&& element : value) visit(element);
  } else if constexpr (is_kind_of<Whole, std::pair>) {
    visit(value.first);
    visit(value.second);
  } else if constexpr (is_kind_of<Whole, std::optional>) {
    if (value) visit(*value);
  } else if constexpr (Choice<Whole>) {
    std::visit(visit, value);
  } else {
    static_assert(std::is_aggregate_v<Whole>, "a kept class lists its members in SVC_KEEPS");
    boost::pfr::for_each_field(value, visit);
  }
}

inline constexpr std::size_t enumerators_max = 128;

template <class E>
inline constexpr auto known_enumerators = []<std::size_t... number>(std::index_sequence<number...>) {
  // converts any other number to 0 or 1
  return std::array<bool, sizeof...(number)>{(!enumerator_name<static_cast<E>(number)>().empty() &&
                                              static_cast<std::uint64_t>(static_cast<E>(number)) == number)...};
}
(std::make_index_sequence<enumerators_max>{});

}  // namespace archive_detail

class ArchiveWriter {
 public:
  static constexpr bool reading = false;

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

  // What is written needs no check: see ArchiveReader::check().
  template <class IsSound>
  void check(const IsSound& /*is_sound*/) {}

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  // Ready for the next value; keeps the memory.
  void clear() { bytes_.clear(); }

 private:
  void write_varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  template <class T>
  void write(const T& value) {
    using namespace archive_detail;
    if constexpr (std::same_as<T, bool>) {
      bytes_.push_back(value ? 1 : 0);
    } else if constexpr (std::same_as<T, i128>) {
      write_varint(static_cast<std::uint64_t>(value));
      write_varint(static_cast<std::uint64_t>(value >> 64));
    } else if constexpr (std::is_enum_v<T>) {
      write_varint(static_cast<std::uint64_t>(value));
    } else if constexpr (std::unsigned_integral<T>) {
      write_varint(value);
    } else if constexpr (std::signed_integral<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      write_varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    } else if constexpr (std::same_as<T, std::string>) {
      write_varint(value.size());
      bytes_.append(value);
    } else if constexpr (HoldsBytes<T>) {
      for (const auto byte : value) bytes_.push_back(static_cast<char>(byte));
    } else if constexpr (SelfDescribed<T>) {
      // One description serves both directions; writing changes nothing.
      const_cast<T&>(value).archive(*this);
    } else {
      if constexpr (Sequence<T> || Keyed<T>) write_varint(value.size());
      if constexpr (is_kind_of<T, std::optional>) write(value.has_value());
      if constexpr (Choice<T>) write_varint(value.index());
      for_each_part(value, [this](const auto& part) { write(part); });
    }
  }

  std::string bytes_;
};

class ArchiveReader {
 public:
  static constexpr bool reading = true;

  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }

  // For descriptions that find a value invalid.
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  // Fails unless `is_sound()`, which looks at what was just read.
  template <class IsSound>
  void check(const IsSound& is_sound) {
    if (!is_sound()) fail();
  }

  [[nodiscard]] bool failed() const { return failed_; }
  // True if everything was read and valid.
  [[nodiscard]] bool done() const { return !failed_ && rest_.empty(); }

 private:
  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  // The size of a container: every element takes at least one byte.
  std::size_t read_size() {
    const std::uint64_t size = read_varint();
    if (size > rest_.size()) fail();
    return failed_ ? 0 : static_cast<std::size_t>(size);
  }

  template <class T>
  void read(T& value) {
    using namespace archive_detail;
    if constexpr (std::same_as<T, bool>) {
      const std::uint64_t bits = read_varint();
      if (bits > 1) fail();
      value = bits == 1;
    } else if constexpr (std::same_as<T, i128>) {
      const std::uint64_t low = read_varint();
      const std::uint64_t high = read_varint();
      value = (static_cast<i128>(static_cast<std::int64_t>(high)) << 64) | static_cast<i128>(low);
    } else if constexpr (std::is_enum_v<T>) {
      const std::uint64_t number = read_varint();
      if (number >= enumerators_max || !known_enumerators<T>[number]) return fail();
      value = static_cast<T>(number);
    } else if constexpr (std::unsigned_integral<T>) {
      const std::uint64_t bits = read_varint();
      value = static_cast<T>(bits);
      if (static_cast<std::uint64_t>(value) != bits) fail();
    } else if constexpr (std::signed_integral<T>) {
      const std::uint64_t bits = read_varint();
      const auto wide = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
      value = static_cast<T>(wide);
      if (value != wide) fail();
    } else if constexpr (std::same_as<T, std::string>) {
      const std::size_t size = read_size();
      value.assign(rest_.substr(0, size));
      rest_.remove_prefix(size);
    } else if constexpr (HoldsBytes<T>) {
      if (rest_.size() < value.size()) return fail();
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<typename T::value_type>(rest_[i]);
      rest_.remove_prefix(value.size());
    } else if constexpr (Sequence<T> || Keyed<T>) {
      value.clear();
      const std::size_t size = read_size();
      for (std::size_t i = 0; i < size && !failed_; ++i) {
        auto element = empty_element<T>();
        read(element);
        value.insert(value.end(), std::move(element));
      }
    } else if constexpr (is_kind_of<T, std::optional>) {
      bool there = false;
      read(there);
      value.reset();
      if (there) read(value.emplace());
    } else if constexpr (Choice<T>) {
      read_alternative(value, read_varint(),
                       std::make_index_sequence<std::variant_size_v<decltype(variant_of(value))>>{});
    } else if constexpr (SelfDescribed<T>) {
      value.archive(*this);
    } else {
      for_each_part(value, [this](auto& part) { read(part); });
    }
  }

  template <class Variant, std::size_t... index>
  void read_alternative(Variant& value, std::uint64_t wanted, std::index_sequence<index...>) {
    const bool known = ((wanted == index ? (read(value.template emplace<index>()), true) : false) || ...);
    if (!known) fail();
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Visits what an archive would hold: calls `look(part)` for every part whose type it accepts, and visits the parts
// of all others. If a look returns true, the parts of that part are visited as well.
template <class Look>
class ArchiveWalk {
 public:
  static constexpr bool reading = false;

  explicit ArchiveWalk(Look& look) : look_(look) {}

  template <class... T>
  void operator()(const T&... values) {
    (walk(values), ...);
  }
  template <class IsSound>
  void check(const IsSound& /*is_sound*/) {}

 private:
  template <class T>
  void walk(const T& value) {
    if constexpr (requires { look_(value); }) {
      if constexpr (requires { static_cast<bool>(look_(value)); }) {
        if (look_(value)) walk_parts(value);
      } else {
        look_(value);
      }
    } else {
      walk_parts(value);
    }
  }

  template <class T>
  void walk_parts(const T& value) {
    using namespace archive_detail;
    if constexpr (SelfDescribed<T>) {
      // One description serves all directions; visiting changes nothing.
      const_cast<T&>(value).archive(*this);
    } else if constexpr (std::is_class_v<T> && !std::same_as<T, std::string> && !HoldsBytes<T>) {
      for_each_part(value, [this](const auto& part) { walk(part); });
    }
  }

  Look& look_;
};

// The bytes of these values.
template <class... T>
[[nodiscard]] std::string to_archive(const T&... values) {
  ArchiveWriter writer;
  writer(values...);
  return writer.take();
}

// Back: false unless the bytes hold exactly such values, which may be half read then.
template <class... T>
[[nodiscard]] bool read_archive(std::string_view bytes, T&... values) {
  ArchiveReader reader(bytes);
  reader(values...);
  return reader.done();
}
template <class T>
[[nodiscard]] std::optional<T> from_archive(std::string_view bytes) {
  std::optional<T> value(std::in_place);
  if (!read_archive(bytes, *value)) value.reset();
  return value;
}

// What an archive holds of a class: these members; and what has to be true of them once they are read.
#define SVC_KEEPS(...) SVC_KEEPS_IF(true, __VA_ARGS__)
#define SVC_KEEPS_IF(is_sound, ...)            \
  template <class Archive>                     \
  void archive(Archive& archive) {             \
    archive(__VA_ARGS__);                      \
    archive.check([&] { return (is_sound); }); \
  }                                            \
  static_assert(true, "ends in a semicolon")

// Checks for rows read back from a log or a state, which come from outside: numbers small enough for later sums and
// times, and texts that can be sent out. (D-657)
[[nodiscard]] constexpr bool is_clock_time(TimestampMs at_ms) {
  return at_ms >= 0 && at_ms <= limits::clock_ms_max + limits::clock_jump_ms_max;
}
[[nodiscard]] constexpr bool is_sum(Usdx amount) {
  return amount >= Usdx{} && amount.value <= limits::order_value_max;
}
// For ids: printable and without spaces.
[[nodiscard]] inline bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_printable);
}

// The same checks of every part: 64-bit numbers are times and durations, or counters without a sign.
class PartsCheck {
 public:
  void operator()(std::int64_t at_ms) { expect(is_clock_time(at_ms)); }
  void operator()(std::uint64_t counter) { expect(counter <= limits::counter_max); }
  void operator()(Usdx amount) { expect(is_sum(amount)); }
  void operator()(const std::string& text) { expect(is_utf8(text)); }

  [[nodiscard]] bool passed() const { return passed_; }

 protected:
  void expect(bool holds) { passed_ = passed_ && holds; }
  template <class Number>
  void expect_within(Number number, Number most) {
    expect(number >= -most && number <= most);
  }

 private:
  bool passed_ = true;
};
template <class Check = PartsCheck, class... Rows>
[[nodiscard]] bool are_sound(const Rows&... rows) {
  Check check;
  ArchiveWalk walk(check);
  walk(rows...);
  return check.passed();
}

}  // namespace svc
