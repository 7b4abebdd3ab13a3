#include "sim/gateway/signed_headers.h"

#include <charconv>
#include <optional>
#include <string>

#include "base/limits.h"
#include "sim/gateway/single_header.h"

namespace svc::sim {
namespace {

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, 10);
  if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

Result<std::string_view, AuthRefusal> required_header(const api::Headers& headers, std::string_view name) {
  const SingleHeader found = single_header(headers, name);
  switch (found.state) {
    case SingleHeader::State::present: return found.value;
    case SingleHeader::State::absent:
      return unexpected(AuthRefusal{AuthFault::missing_credential, "no " + std::string(name)});
    case SingleHeader::State::unusable: break;
  }
  return unexpected(AuthRefusal{AuthFault::repeated_or_empty_header, std::string(name)});
}

Result<TimestampMs, AuthRefusal> timestamp_in_window(const api::Headers& headers, std::string_view name,
                                                     std::optional<TimestampMs> now_ms) {
  const auto text = SVC_TRY(required_header(headers, name));
  const auto value = parse_unsigned(text);
  if (!value || *value > static_cast<std::uint64_t>(limits::clock_ms_max))
    return unexpected(AuthRefusal{AuthFault::malformed_timestamp, std::string(name)});
  const auto timestamp_ms = static_cast<TimestampMs>(*value);
  if (!now_ms) return timestamp_ms;
  const std::int64_t ahead_ms = timestamp_ms - *now_ms;
  if (ahead_ms > limits::auth_window_ms)
    return unexpected(
        AuthRefusal{AuthFault::timestamp_outside_window, std::to_string(ahead_ms) + " ms ahead of the server"});
  if (ahead_ms < -limits::auth_window_ms)
    return unexpected(
        AuthRefusal{AuthFault::timestamp_outside_window, std::to_string(-ahead_ms) + " ms behind the server"});
  return timestamp_ms;
}

Result<std::uint64_t, AuthRefusal> nonce_of(const api::Headers& headers, std::string_view name) {
  const auto text = SVC_TRY(required_header(headers, name));
  const auto value = parse_unsigned(text);
  if (!value) return unexpected(AuthRefusal{AuthFault::malformed_nonce, std::string(name)});
  return *value;
}

Result<signing::Signature, AuthRefusal> signature_of(const api::Headers& headers, std::string_view name) {
  const auto text = SVC_TRY(required_header(headers, name));
  const auto signature = signing::parse_signature(text);
  if (!signature) return unexpected(AuthRefusal{AuthFault::malformed_signature, std::string(name)});
  return *signature;
}

Result<std::string_view, AuthRefusal> bearer_token(const api::Headers& headers) {
  constexpr std::string_view scheme = "Bearer ";
  const SingleHeader found = single_header(headers, header::authorization);
  if (found.state == SingleHeader::State::absent) return std::string_view{};
  if (found.state == SingleHeader::State::unusable)
    return unexpected(AuthRefusal{AuthFault::repeated_or_empty_header, std::string(header::authorization)});
  if (!api::same_header_name(found.value.substr(0, scheme.size()), scheme)) return std::string_view{};
  std::string_view token = found.value.substr(scheme.size());
  while (token.starts_with(' ')) token.remove_prefix(1);
  if (token.empty() || token.find(' ') != std::string_view::npos)
    return unexpected(AuthRefusal{AuthFault::malformed_session_token, {}});
  return token;
}

}  // namespace svc::sim
