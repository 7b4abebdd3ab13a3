// Which program this is.
#pragma once

#include <string_view>

namespace svc::cli {

// SVC_VERSION is the project's version as the build states it.
inline constexpr std::string_view program_version = SVC_VERSION;

}  // namespace svc::cli
