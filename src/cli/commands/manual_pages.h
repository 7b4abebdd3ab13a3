// The manual: svc(1), a page per first word of the commands, and three pages about what is around them. All of
// it is derived from the tables that the program itself works by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/manual_page.h"

namespace svc::cli {

[[nodiscard]] std::vector<ManualPage> manual_pages();
// One of them by its name, "svc-orders"; nullopt if there is none.
[[nodiscard]] std::optional<ManualPage> manual_page(const std::string& name);

}  // namespace svc::cli
