// What a shell has to be told so that it asks `svc __complete` while a command is typed.
#pragma once

#include <array>
#include <string_view>

namespace svc::cli {

inline constexpr std::array<std::string_view, 3> completion_shells{"bash", "zsh", "fish"};

// The script for one of completion_shells.
[[nodiscard]] std::string_view completion_script(std::string_view shell);

}  // namespace svc::cli
