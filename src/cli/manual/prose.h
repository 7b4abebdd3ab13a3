// The parts of the manual that no table holds.
#pragma once

#include "cli/manual/page.h"

namespace svc::cli {

[[nodiscard]] Page networks_page();
[[nodiscard]] Page sandbox_page();

}  // namespace svc::cli
