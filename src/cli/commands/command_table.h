// Every command of the program, in the order of the help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/answer.h"
#include "cli/terminal/failure.h"

// A command is three steps: declare what it takes, run, render. Rendering is the same for all: the
// answer carries the document and its columns.

namespace svc::cli {

class Arguments;
class Context;

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Arguments& arguments) = 0;
  [[nodiscard]] virtual Result<Answer, Stop> run(Context& context) = 0;
};

// Whether a command may be run again and again by --watch: lists, and what else shows how things stand.
enum class Repeats : std::uint8_t { no, yes };

// One row per command: dispatch, help, spelling suggestions and the schema name read it.
struct CommandRow {
  std::string_view path;     // "orders place"
  std::string_view usage;    // what follows the path on the usage line, flags aside
  std::string_view summary;  // one line, imperative
  std::unique_ptr<Command> (*make)();
  int schema_version = 1;
  Repeats repeats = Repeats::no;
};

template <class T>
[[nodiscard]] std::unique_ptr<Command> make() {
  return std::make_unique<T>();
}

// One array per file of commands/.
[[nodiscard]] std::span<const std::span<const CommandRow>> command_groups();

// The command named by the first words, the longest name that fits, and how many words it took. Singulars are
// understood as well ("order list", "bridge withdrawal get").
struct Found {
  const CommandRow* row = nullptr;
  std::size_t words = 0;
};
[[nodiscard]] std::optional<Found> find_command(const std::vector<std::string>& words);

// Takes risk away: cancels, closes, locks, or has --reduce-only among its words. Nothing that such a command can do
// without may stop it.
[[nodiscard]] bool is_way_out(const CommandRow& row, const std::vector<std::string>& words);

// True if some command's name begins with these words.
[[nodiscard]] bool begins_command(const std::vector<std::string>& words);

// Full names, for spelling suggestions.
[[nodiscard]] std::vector<std::string_view> command_paths();

}  // namespace svc::cli
