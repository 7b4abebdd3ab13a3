#include "sim/control/control_body.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "sim/gateway/request_context.h"

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

namespace {

// A loopback name, or no name at all.
bool names_this_machine(const api::Headers& headers) {
  if (!headers.contains("Host")) return true;
  const std::string host = host_name(headers);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::string_view name = host;
  const bool bracketed = name.starts_with('[') && name.ends_with(']');
  return is_loopback(bracketed ? name.substr(1, name.size() - 2) : name);
}

// "none" is a user who typed the address.
bool is_from_web_page(const api::Headers& headers) {
  const SingleHeader site = single_header(headers, "Sec-Fetch-Site");
  const bool sent_by_page = site.state != SingleHeader::State::absent && site.value != "none";
  return sent_by_page || headers.contains("Origin");
}

}  // namespace

bool is_loopback(std::string_view address) {
  const auto normal = normal_address(address);
  return normal && (*normal == "::1" || normal->starts_with("127."));
}

bool ControlAccess::admits(const api::Headers& headers, std::string_view peer_address) const {
  if (!token.empty()) {
    constexpr std::string_view scheme = "Bearer ";
    const auto authorization = headers.find("Authorization");
    if (authorization && authorization->starts_with(scheme) &&
        equal_constant_time(authorization->substr(scheme.size()), token.reveal()))
      return true;
  }
  if (is_from_web_page(headers) || !is_loopback(peer_address) || !names_this_machine(headers)) return false;
  // Behind a proxy every peer is the proxy: the caller is whom the header names. No header, no proxy.
  if (client_ip_header.empty() || !headers.contains(client_ip_header)) return true;
  const auto client = client_address(headers, peer_address, client_ip_header);
  return client && is_loopback(*client);
}

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

// Paths are the client's bytes: control characters must not reach a terminal.
std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return shown;
}

}  // namespace

std::string json_line(const RequestLogEntry& entry) {
  const Json line{{"number", entry.number},
                  {"received_at_ms", entry.received_at_ms},
                  {"network", or_null(entry.network)},
                  {"method", entry.method},
                  {"path", entry.path},
                  {"operation", or_null(entry.operation)},
                  {"credential", or_null(entry.credential)},
                  {"account", or_null(entry.account)},
                  {"status", entry.status},
                  {"code", or_null(entry.code)},
                  {"rule", or_null(entry.rule)},
                  {"note", or_null(entry.note)},
                  {"bucket", or_null(entry.bucket)},
                  {"cost", entry.cost}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string pretty_line(const RequestLogEntry& entry) {
  // The time of day is enough beside a terminal's prompt.
  std::string line = utc_text(entry.received_at_ms).substr(11, 12);
  line += ' ' + std::to_string(entry.status) + ' ' + printable(entry.method) + ' ' + printable(entry.path);
  if (!entry.credential.empty() && entry.credential != "none") line += ' ' + entry.credential;
  if (!entry.account.empty()) line += ' ' + entry.account;
  if (!entry.code.empty()) line += ": " + entry.code;
  if (!entry.rule.empty()) line += (entry.code.empty() ? ": " : ", ") + entry.rule;
  if (!entry.note.empty()) line += " (" + printable(entry.note) + ")";
  return line;
}

std::string RequestFollower::new_lines() {
  if (style_ == LogStyle::none) return {};
  std::string lines;
  for (const RequestLogEntry& entry : log_.since(seen_)) {
    const std::uint64_t lost = entry.number - seen_ - 1;
    const bool shown = style_ != LogStyle::failed || entry.status >= 400 || entry.status == 0;
    seen_ = entry.number;
    if (!shown) continue;
    if (lost > 0 && style_ == LogStyle::pretty) lines += "... " + std::to_string(lost) + " requests not shown\n";
    if (lost > 0 && style_ == LogStyle::json) lines += Json{{"requests_not_shown", lost}}.dump() + '\n';
    lines += (style_ == LogStyle::json ? json_line(entry) : pretty_line(entry)) + '\n';
  }
  return lines;
}

}  // namespace svc::sim
