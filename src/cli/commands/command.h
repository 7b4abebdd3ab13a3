// A command, its row in the table, and the rows of each file of this folder.
#pragma once

#include <memory>
#include <ranges>
#include <tuple>

#include "base/assert.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/terminal/answer.h"

namespace svc::cli {

// A command is three steps: declare what it takes, run, render. Rendering is the same for all: the answer carries the
// document and its columns.
class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Arguments&) {}
  virtual Result<Answer> run(Context& context) = 0;
};

// Whether --watch may run a command again and again: lists, and what else shows a state.
enum class Repeats : std::uint8_t { no, yes };

inline constexpr std::string_view no_field_text = "the service has no field for it";
[[nodiscard]] constexpr Argument no_field(std::string_view name) {
  return refused(name, no_field_text);
}

// A command that is one function, with a parameter for each argument of its row; a group of flags declares itself and
// has no row. What it takes by reference it may keep from one round of --watch to the next.
template <class... Given>
class FunctionCommand final : public Command {
 public:
  using Function = Result<Answer> (*)(Context&, Given...);
  FunctionCommand(Function function, std::vector<Argument> row) : function_(function), row_(std::move(row)) {}
  void declare(Arguments& arguments) override {
    std::erase_if(row_, [&](const Argument& one) {
      if (one.is_refused) arguments.refused(one.names, one.doc);
      return one.is_refused;
    });
    auto next = row_.begin();
    const auto add = [&](auto& into) {
      if constexpr (requires { into.declare(arguments); }) {
        into.declare(arguments);
      } else {
        SVC_ASSERT(next != row_.end());
        arguments.add(into, *next++);
      }
    };
    std::apply([&](auto&... into) { (add(into), ...); }, given_);
    SVC_ASSERT(next == row_.end());
  }
  Result<Answer> run(Context& context) override {
    return std::apply([&](auto&... given) { return function_(context, given...); }, given_);
  }

 private:
  Function function_;
  std::vector<Argument> row_;
  std::tuple<std::remove_cvref_t<Given>...> given_{};
};

// Whether the data comes in the envelope that all commands share.
enum class As : std::uint8_t {
  document,
  list,   // a document that is no array and is shown as the rows of one
  lines,  // printed while the command runs, in one form for all formats
};

// What a command prints.
struct Output {
  std::string_view shape;  // of its data; see output_shape.h
  // Words between blanks. "size" shows a member, "id=order.id" shows a place under another name, "at@at_ms" shows Unix
  // milliseconds as RFC 3339; the answer itself defines any other word. If empty, the columns are the members of the
  // record. "-" means that there are no rows.
  std::string_view columns{};
  std::string_view note{};  // what the shape alone does not say
  As as = As::document;
};

struct OperationRow;  // operation_command.h

// One row per command: dispatch, help, manual, completion, schemas and spelling suggestions read it.
struct CommandRow {
  using Made = std::function<std::unique_ptr<Command>()>;
  // Of a class, by make<>, or of a function, by calls().
  CommandRow(std::string_view name, std::string_view words, std::string_view line, std::string_view shown,
             Output printed, Made made, Repeats again = Repeats::no)
      : path(name),
        usage(words),
        summary(line),
        examples(shown),
        output(printed),
        repeats(again),
        made_(std::make_shared<const Made>(std::move(made))) {}
  // Of one operation: it prints the answer, and may be repeated if it reads. A function may stand in for its command:
  // the row has the columns.
  CommandRow(std::string_view name, std::string_view words, std::string_view line, std::string_view shown,
             std::shared_ptr<const OperationRow> one, Made made = {});

  std::string_view path;     // "orders place"
  std::string_view usage;    // what follows the path on the usage line, flags aside
  std::string_view summary;  // one line, imperative
  // A line each: what follows the path and "svc -n local" (or "svc", of commands that need no network), or else a whole
  // line; and what it does: "--market ETH-USDX-PERP  # what rests". A test runs them against a sandbox, in the order of
  // the help, with the variables ($ORDER, $ADDR, ...) set.
  std::string_view examples;
  Output output;
  Repeats repeats;
  std::shared_ptr<const OperationRow> operation{};  // null if the command is not one operation

  [[nodiscard]] std::unique_ptr<Command> make() const;

 private:
  std::shared_ptr<const Made> made_;  // shared: every start copies all rows into their groups
};

template <class T>
[[nodiscard]] std::unique_ptr<Command> make() {
  return std::make_unique<T>();
}
// A command that is this function, with a parameter for each of its own after the context.
template <class... Given>
[[nodiscard]] CommandRow::Made calls(Result<Answer> (*function)(Context&, Given...),
                                     std::vector<Argument> arguments = {}) {
  return [function, arguments = std::move(arguments)] {
    return std::make_unique<FunctionCommand<Given...>>(function, arguments);
  };
}

// What a dry run shows: the operation that it leaves out, and the members that describe it.
[[nodiscard]] inline Failure planned(std::string_view operation, const Json& members) {
  return dry_run(Json::object({{"dry_run", true}, {"operation", operation}}).set_all(members));
}

// The parts of a text between the separators.
[[nodiscard]] inline auto pieces_of(std::string_view text, std::string_view separator) {
  return text | std::views::split(separator) |
         std::views::transform([](const auto part) { return std::string_view(part.begin(), part.end()); });
}

// The commands of each file.
#define X(group) [[nodiscard]] std::vector<CommandRow> group##_commands();
#include "cli/commands/command_groups.def"
#undef X
// Those that the program starts by itself: in no list and no help.
[[nodiscard]] std::vector<CommandRow> hidden_commands();
[[nodiscard]] std::vector<CommandRow> guard_keeper_commands();  // hidden as well

}  // namespace svc::cli
