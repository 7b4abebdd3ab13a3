// API versions: the released tags of the interface description (API: Versioning).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace svc::api {

inline constexpr std::string_view version_header = "X-Svc-Api-Version";
inline constexpr std::string_view min_version_header = "X-Svc-Api-Min-Version";
inline constexpr std::string_view client_version = "0.9.0";  // sent by this program; the version it was written for

struct ApiVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;

  auto operator<=>(const ApiVersion&) const = default;
};

// "0.9.0" or "v0.9.0"; a pre-release suffix, from the first '-' or '+', is dropped, so a pre-release satisfies a
// minimum equal to its release. nullopt for anything else, which counts as no version.
[[nodiscard]] inline std::optional<ApiVersion> parse_version(std::string_view text) {
  text = text.substr(0, text.find_first_of("-+"));
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto major = parse_integer<std::uint32_t>(take_line(text, '.'));
  const auto minor = parse_integer<std::uint32_t>(take_line(text, '.'));
  const auto patch = parse_integer<std::uint32_t>(text);
  if (!major || !minor || !patch) return std::nullopt;
  return ApiVersion{*major, *minor, *patch};
}

[[nodiscard]] inline std::string to_string(const ApiVersion& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' + std::to_string(version.patch);
}

struct VersionPolicy {
  ApiVersion current{0, 9, 0};
  ApiVersion minimum{0, 8, 0};
  std::optional<ApiVersion> deprecated_below;  // still served, with Deprecation, Sunset and Link
};

enum class VersionVerdict : std::uint8_t {
  silent,  // no version, or an unreadable one: served
  served,
  deprecated,  // served, with a notice of its end
  refused,     // 426
};

[[nodiscard]] inline VersionVerdict judge(std::optional<std::string_view> header, const VersionPolicy& policy) {
  const auto version = header ? parse_version(*header) : std::nullopt;
  if (!version) return VersionVerdict::silent;
  if (*version < policy.minimum) return VersionVerdict::refused;
  if (policy.deprecated_below && *version < *policy.deprecated_below) return VersionVerdict::deprecated;
  return VersionVerdict::served;
}

}  // namespace svc::api
