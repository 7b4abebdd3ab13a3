// Help texts, made from the command table and from what a command declares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"

namespace svc::cli {

// All commands, one line each; or those whose name begins with `noun`.
[[nodiscard]] std::string overview(std::string_view noun = {});

// One command. The first `globals` declarations are the flags every command takes; they are left to a
// section of their own.
[[nodiscard]] std::string command_help(const CommandRow& row, const Arguments& arguments, std::size_t globals);

}  // namespace svc::cli
