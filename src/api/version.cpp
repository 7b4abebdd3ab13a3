#include "api/version.h"

#include <charconv>

namespace svc::api {
namespace {

// Consumes the digits at the front of the text.
bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_point(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<ApiVersion> parse_version(std::string_view text) {
  text = text.substr(0, text.find_first_of("-+"));
  if (text.starts_with('v')) text.remove_prefix(1);
  ApiVersion version;
  const bool whole = take_number(text, version.major) && take_point(text) && take_number(text, version.minor) &&
                     take_point(text) && take_number(text, version.patch) && text.empty();
  if (!whole) return std::nullopt;
  return version;
}

std::string to_string(const ApiVersion& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' + std::to_string(version.patch);
}

VersionVerdict judge(std::optional<std::string_view> header, const VersionPolicy& policy) {
  const auto version = header ? parse_version(*header) : std::nullopt;
  if (!version) return VersionVerdict::silent;
  if (*version < policy.minimum) return VersionVerdict::refused;
  if (policy.deprecated_below && *version < *policy.deprecated_below) return VersionVerdict::deprecated;
  return VersionVerdict::served;
}

}  // namespace svc::api
