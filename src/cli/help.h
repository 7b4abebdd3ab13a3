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

// One command: its usage, what it takes, examples, and the flags that every command takes.
[[nodiscard]] std::string command_help(const CommandRow& row);

// What a command itself takes, and what is left of the flags that every command takes.
struct Taken {
  std::vector<Declared> own;
  std::vector<Declared> shared;
};
[[nodiscard]] Taken taken_by(const CommandRow& row);

// What a declaration means, with the values it may have.
[[nodiscard]] std::string shown_doc(const Declared& one);

}  // namespace svc::cli
