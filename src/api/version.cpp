#include "api/version.h"

#include "base/integer_text.h"
#include "base/text.h"

namespace svc::api {

std::optional<ApiVersion> parse_version(std::string_view text) {
  text = text.substr(0, text.find_first_of("-+"));
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto major = parse_integer<std::uint32_t>(take_line(text, '.'));
  const auto minor = parse_integer<std::uint32_t>(take_line(text, '.'));
  const auto patch = parse_integer<std::uint32_t>(text);
  if (!major || !minor || !patch) return std::nullopt;
  return ApiVersion{*major, *minor, *patch};
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
