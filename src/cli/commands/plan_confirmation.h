// A yes before a plan of several changes is carried out.
#pragma once

#include <cstddef>

#include "cli/context.h"

namespace svc::cli {

// --yes, or on real funds --confirm, or a person's answer; exit 3 otherwise.
[[nodiscard]] Result<void, Failure> confirm_changes(Context& context, std::size_t count);

}  // namespace svc::cli
