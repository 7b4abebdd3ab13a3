// The parts of the manual that no table holds.
#pragma once

#include "cli/manual/page.h"

namespace svc::cli {

[[nodiscard]] ManualPage networks_page();
[[nodiscard]] ManualPage sandbox_page();

}  // namespace svc::cli
