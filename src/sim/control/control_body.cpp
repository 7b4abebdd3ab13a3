#include "sim/control/control_body.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace svc::sim {
namespace {

// Takes the members of one flat object as the parser meets them.
class FlatObjectReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put({ControlBody::Kind::null, "null"}); }
  bool boolean(bool value) override { return put({ControlBody::Kind::boolean, value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) override {
    return put({ControlBody::Kind::number, std::to_string(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put({ControlBody::Kind::number, std::to_string(value)});
  }
  bool number_float(number_float_t, const string_t& spelling) override {
    return put({ControlBody::Kind::number, spelling});
  }
  bool string(string_t& value) override { return put({ControlBody::Kind::text, value}); }
  bool binary(binary_t&) override { return fail("the body holds binary data"); }
  bool start_object(std::size_t) override {
    if (is_open_) return fail("member \"" + name_ + "\" must not be an object");
    is_open_ = true;
    return true;
  }
  bool key(string_t& name) override {
    for (const auto& [taken, value] : members)
      if (taken == name) return fail("member \"" + name + "\" occurs twice");
    name_ = name;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    return fail(is_open_ ? "member \"" + name_ + "\" must not be an array" : "the body must be a JSON object");
  }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return fail("the body is not JSON (at byte " + std::to_string(position) + ")");
  }

  std::vector<ControlBody::Member> members;
  std::string error;

 private:
  bool put(ControlBody::Value value) {
    if (!is_open_) return fail("the body must be a JSON object");
    members.emplace_back(name_, std::move(value));
    return true;
  }
  bool fail(std::string why) {
    if (error.empty()) error = std::move(why);
    return false;
  }

  bool is_open_ = false;
  std::string name_;
};

}  // namespace

Result<ControlBody, std::string> ControlBody::parse(std::string_view json) {
  FlatObjectReader reader;
  if (!nlohmann::json::sax_parse(json, &reader)) return unexpected(std::move(reader.error));
  ControlBody body;
  body.members_ = std::move(reader.members);
  return body;
}

Result<void, std::string> ControlBody::only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : members_) {
    bool is_known = false;
    for (const std::string_view known : names) is_known = is_known || known == name;
    if (!is_known) return unexpected("unknown member \"" + name + "\"");
  }
  return {};
}

Result<std::string, std::string> ControlBody::text(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr || value->kind != Kind::text)
    return unexpected("member \"" + std::string(name) + "\" must be a string");
  return value->text;
}

Result<std::int64_t, std::string> ControlBody::integer(std::string_view name) const {
  const Value* value = find(name);
  std::int64_t number = 0;
  if (value != nullptr && value->kind == Kind::number) {
    const char* end = value->text.data() + value->text.size();
    const auto [stop, error] = std::from_chars(value->text.data(), end, number);
    if (error == std::errc{} && stop == end) return number;
  }
  return unexpected("member \"" + std::string(name) + "\" must be an integer");
}

Result<bool, std::string> ControlBody::flag(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr || value->kind != Kind::boolean)
    return unexpected("member \"" + std::string(name) + "\" must be true or false");
  return value->text == "true";
}

Result<std::string, std::string> ControlBody::decimal(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr || (value->kind != Kind::text && value->kind != Kind::number))
    return unexpected("member \"" + std::string(name) + "\" must be a decimal, as a string or a number");
  return value->text;
}

const ControlBody::Value* ControlBody::find(std::string_view name) const {
  for (const auto& [known, value] : members_)
    if (known == name) return &value;
  return nullptr;
}

}  // namespace svc::sim
