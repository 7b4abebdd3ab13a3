// JSON text, written straight into a string: no tree, members in the order they are added.
//
//   JsonWriter json(out);
//   json.begin_object().key("url").text(url).key("pid").integer(pid).end_object();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace svc::api {

// The text in quotes, with quotes, backslashes and control characters escaped.
void append_json_string(std::string& out, std::string_view text);

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
  // JSON that is already text.
  JsonWriter& raw(std::string_view json);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool comma_due_ = false;
};

}  // namespace svc::api
