// The only file of the command line that sees the JSON library.
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t, const string_t& digits) override { return add(Json::number(digits)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_ = "malformed JSON at byte " + std::to_string(position);
    return false;
  }

  Result<Json, std::string> finish(bool complete) {
    if (!complete) return unexpected(error_.empty() ? std::string("malformed JSON") : std::move(error_));
    return std::move(root_);
  }

 private:
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is(Json::Kind::array)) {
      open_.back().push(std::move(value));
    } else {
      open_.back().append(std::move(keys_.back()), std::move(value));
    }
    return true;
  }
  bool open(Json container) {
    if (open_.size() == limits::json_depth_max) {
      error_ = "JSON nested deeper than " + std::to_string(limits::json_depth_max) + " levels";
      return false;
    }
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }

  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;
  std::string error_;
};

}  // namespace

Result<Json, std::string> parse_json(std::string_view text) {
  Builder builder;
  return builder.finish(nlohmann::json::sax_parse(text, &builder));
}

}  // namespace svc::cli
