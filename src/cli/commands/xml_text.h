// Texts inside XML reports.
#pragma once

#include <string>
#include <string_view>

namespace svc::cli {

// For attributes and content alike; control characters as in tables.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace svc::cli
