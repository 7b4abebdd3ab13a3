// Help texts, made from the command table and from what a command declares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/arguments.h"
#include "cli/commands/command.h"

namespace svc::cli {

// One screen: the commands by topic, in the order of a trader's day.
[[nodiscard]] std::string overview();

// The commands whose name begins with `noun`, a line each.
[[nodiscard]] std::string overview(std::string_view noun);

// All commands, a line each, by topic.
[[nodiscard]] std::string every_command();

// The flags that every command takes.
[[nodiscard]] std::string shared_flags_help();

// One command: its usage, what it takes and examples.
[[nodiscard]] std::string command_help(const CommandRow& row);

// The text in lines of at most 78 characters, each but the first behind `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

// What a command itself takes, and what is left of the flags that every command takes.
struct Taken {
  std::vector<Declared> own;
  std::vector<Declared> shared;
};
[[nodiscard]] Taken taken_by(const CommandRow& row);

// How a declaration is shown: the values it may have stand in one of the two, never in both.
struct ShownFlag {
  std::string value;
  std::string doc;
};
[[nodiscard]] ShownFlag shown_flag(const Declared& one);

}  // namespace svc::cli
