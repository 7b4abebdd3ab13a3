// HTTP messages as values: what the client sends, the gateway answers, and tests write by hand.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoding.h"

namespace svc::api {

// Header names compare without case. The length is compared first: most names differ in it. Most of the same length are
// spelled the same.
[[nodiscard]] inline bool same_header_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a == b || std::ranges::equal(a, b, {}, lower_letter, lower_letter));
}

// A field, borrowed: from its Headers until these change, or from the texts that it is made of.
struct Header {
  std::string_view name;
  std::string_view value;
};

// Header fields in the order sent. Names compare without case. All fields share one text, so that a request
// needs one piece of memory for them.
class Headers {
  // Of a field in the text: its name, and then its value.
  struct Place {
    std::size_t begin = 0;
    std::size_t name_size = 0;
    std::size_t value_size = 0;
  };

 public:
  // Over the fields.
  class Iterator {
   public:
    using value_type = Header;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    [[nodiscard]] Header operator*() const {
      const char* const name = text_ + place_->begin;
      return {.name = {name, place_->name_size}, .value = {name + place_->name_size, place_->value_size}};
    }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator former = *this;
      ++place_;
      return former;
    }
    bool operator==(const Iterator&) const = default;

   private:
    friend class Headers;
    Iterator(const std::string& text, const Place* place) : text_(text.data()), place_(place) {}

    const char* text_ = nullptr;
    const Place* place_ = nullptr;
  };

  Headers() = default;
  Headers(std::initializer_list<Header> fields) {
    for (const Header& field : fields) add(field.name, field.value);
  }

  // The first value; nullopt if absent.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name).has_value(); }
  // Neither of them is from here.
  void add(std::string_view name, std::string_view value) {
    if (places_.empty()) text_.reserve(usual_bytes);
    places_.push_back({.begin = text_.size(), .name_size = name.size(), .value_size = value.size()});
    text_.append(name).append(value);
  }
  // Replaces every field of that name.
  void set(std::string_view name, std::string_view value) {
    remove(name);
    add(name, value);
  }
  void remove(std::string_view name);
  // Keeps memory for the next fields, unless it is so much.
  void clear(std::size_t bytes_kept_max);

  [[nodiscard]] Iterator begin() const { return {text_, places_.data()}; }
  [[nodiscard]] Iterator end() const { return {text_, places_.data() + places_.size()}; }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  // For messages that one node passes on to another. (base/archive.h)
  template <class Archive>
  void archive(Archive& archive) {
    std::vector<std::pair<std::string, std::string>> fields;  // name, value
    if constexpr (!Archive::reading)
      for (const Header& field : *this) fields.emplace_back(field.name, field.value);
    archive(fields);
    if constexpr (Archive::reading) {
      *this = {};
      for (const auto& [name, value] : fields) add(name, value);
    }
  }

 private:
  static constexpr std::size_t usual_fields = 8;
  static constexpr std::size_t usual_bytes = 240;

  boost::container::small_vector<Place, usual_fields> places_;
  std::string text_;  // what was removed stays in it
};

struct HttpRequest {
  std::string method;  // as on the wire: "GET"
  std::string target;  // origin form: path, and "?query" if there is one, still encoded
  Headers headers;
  std::string body;

  [[nodiscard]] bool is(std::string_view method_name) const { return method == method_name; }
  [[nodiscard]] std::string_view path() const;   // before '?'
  [[nodiscard]] std::string_view query() const;  // after '?', exact bytes; empty if none
};

struct HttpResponse {
  int status = 200;
  Headers headers;
  std::string body;
};

// Whether the sender has what bears this tag: If-None-Match names it, alone, in a list or as a weak one, or says "*".
// (RFC 9110, 13.1.2)
[[nodiscard]] bool has_tagged(const Headers& headers, std::string_view etag);

// What Retry-After asks to wait, at most a day; nullopt if it is absent or not a number of seconds.
[[nodiscard]] std::optional<std::int64_t> retry_after_ms(const Headers& headers);

// Query strings as forms, and percent escapes.

using svc::find_parameter;
using svc::percent_decode_bytes;
using svc::percent_encode;
using svc::Plus;

// nullopt if an escape is broken, or the bytes are not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

}  // namespace svc::api
