#include "signing/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace svc::signing {
namespace {

using nlohmann::json;

// Builds the document value by value. Every callback returns whether to continue. The library's parser with a callback
// would look through the whole parent at each end of an object: a large array of objects would cost the square of it.
class Builder final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return add(value) != nullptr; }
  bool string(string_t& value) override { return add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      error_ = "member `" + name + "` occurs twice";
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  // Of the parser's message only the place: the rest shows what was read, which may be a secret.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string what = error.what();
    const std::size_t place = std::min(what.find("line "), what.size());
    error_ = "not JSON at " + what.substr(place, what.find(": ", place) - place);
    return false;
  }

  [[nodiscard]] json take_root() { return std::move(root_); }
  [[nodiscard]] std::string take_error() { return std::move(error_); }

 private:
  json* add(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  bool open(json container) {
    if (open_.size() == limits::signing_json_depth_max) {
      error_ = "nested deeper than " + std::to_string(limits::signing_json_depth_max) + " levels";
      return false;
    }
    open_.push_back(add(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*> open_;  // containers not yet closed, outermost first
  std::string key_;          // of the member whose value comes next
  std::string error_;
};

}  // namespace

Result<json, std::string> parse_json_document(std::string_view text) {
  Builder builder;
  if (!json::sax_parse(text.begin(), text.end(), &builder)) return unexpected(builder.take_error());
  return builder.take_root();
}

}  // namespace svc::signing
