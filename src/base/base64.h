// Bytes as text that every tool can carry: the alphabet of RFC 4648, with padding, on one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc {

[[nodiscard]] std::string to_base64(std::string_view bytes);
// nullopt unless the text is exactly what to_base64 writes.
[[nodiscard]] std::optional<std::string> parse_base64(std::string_view text);

}  // namespace svc
