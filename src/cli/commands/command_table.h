// Every command of the program, in the order of the help.
#pragma once

#include "cli/commands/listing.h"

namespace svc::cli {

[[nodiscard]] std::span<const std::vector<CommandRow>> command_groups();
[[nodiscard]] inline auto command_rows() {
  return command_groups() | std::views::join;
}
// Flags that a command has without declaring them: --watch if it may be repeated, --sort if it prints a list.
struct SharedFlags {
  std::optional<std::string> repeat;  // --watch[=S]: run it again and again
  SortFlag sort;                      // unused if the command sorts before it limits its rows

  // To be called after the command has declared its own. --watch is refused if the command cannot be repeated.
  void declare(const CommandRow& row, Arguments& arguments);
  // Milliseconds between two runs; exit 2 with one JSON document, which cannot be printed twice.
  Result<std::int64_t> pause_ms(const Globals& globals) const;
};

// The flags of every line, and what its command takes.
struct CommandFlags : LineFlags {
  explicit CommandFlags(const CommandRow& row) : command(row.make()) {
    command->declare(arguments);
    shared.declare(row, arguments);
  }

  std::unique_ptr<Command> command;
  SharedFlags shared;
};

// Full names, for spelling suggestions.
[[nodiscard]] std::vector<std::string_view> command_paths();

// The command of this full name; null if there is none. Hidden ones are found as well.
[[nodiscard]] const CommandRow* find_row(std::string_view path);

// The command named by the first words, the longest name that fits, and how many words it took. Singulars are
// understood as well ("order list", "bridge withdrawal get").
struct Found {
  const CommandRow* row = nullptr;
  std::size_t words = 0;
};
[[nodiscard]] std::optional<Found> find_command(const std::vector<std::string>& words);

// True if some command's name begins with these words and goes on.
[[nodiscard]] bool begins_command(const std::vector<std::string>& words);

// Of the documents that it prints: "svc.orders.place/1".
[[nodiscard]] std::string schema_name(const CommandRow& row);

// Reduces risk: cancels, closes, locks, or has --reduce-only among its words. Nothing that such a command can do
// without may stop it.
[[nodiscard]] bool is_way_out(const CommandRow& row, const std::vector<std::string>& words);

}  // namespace svc::cli
