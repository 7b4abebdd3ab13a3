// HTTP messages as values: what the client sends, the gateway answers, and tests write by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoding.h"

namespace svc::api {

// Header names compare without case. The length is compared first: most names differ in it.
[[nodiscard]] inline bool same_header_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

struct Header {
  std::string name;
  std::string value;
};

// Header fields in the order sent. Names compare without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> fields) : fields_(fields) {}

  // The first value; nullopt if absent.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name).has_value(); }
  void add(std::string name, std::string value) { fields_.push_back({std::move(name), std::move(value)}); }
  void reserve(std::size_t count) { fields_.reserve(count); }
  // Replaces every field of that name.
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);

  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }

  // For messages that one node passes on to another. (base/archive.h)
  template <class Archive>
  void archive(Archive& archive) {
    archive(fields_);
  }

 private:
  std::vector<Header> fields_;
};

struct HttpRequest {
  std::string method;  // as on the wire: "GET"
  std::string target;  // origin form: path, and "?query" if there is one, still encoded
  Headers headers;
  std::string body;

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
