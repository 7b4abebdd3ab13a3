// A command, its row in the table, and the rows of each file of this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
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
  [[nodiscard]] virtual Result<Answer, Stop> run(Context& context) = 0;
};

// Whether --watch may run a command again and again: lists, and what else shows a state.
enum class Repeats : std::uint8_t { no, yes };

// The only argument of a command.
struct Positional {
  std::string_view name, doc;
};

// A command that is one function of its positional: a std::string, or a std::optional of one that may be left out.
template <class Word>
class WordCommand final : public Command {
 public:
  using Function = Result<Answer, Stop> (*)(Context&, const Word&);
  WordCommand(Positional takes, Function function) : takes_(takes), function_(function) {}
  void declare(Arguments& arguments) override { arguments.positional(takes_.name, word_, takes_.doc); }
  Result<Answer, Stop> run(Context& context) override { return function_(context, word_); }

 private:
  Positional takes_;
  Function function_;
  Word word_;
};

// A command that is one function and takes nothing.
template <Result<Answer, Stop> (*function)(Context&)>
class PlainCommand final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override { return function(context); }
};

struct OperationRow;  // operation_command.h

// One row per command: dispatch, help, spelling suggestions and the schema name read it.
struct CommandRow {
  // Of a class.
  CommandRow(std::string_view name, std::string_view words, std::string_view line, std::unique_ptr<Command> (*made)(),
             Repeats again = Repeats::no)
      : path(name), usage(words), summary(line), repeats(again), made_(made) {}
  // Of a function that takes one word.
  template <class Word>
  CommandRow(std::string_view name, std::string_view words, std::string_view line, Positional takes,
             Result<Answer, Stop> (*function)(Context&, const Word&), Repeats again = Repeats::no)
      : path(name), usage(words), summary(line), repeats(again), made_([=] {
          return std::make_unique<WordCommand<Word>>(takes, function);
        }) {}
  // Of one operation: it may be repeated if it reads.
  CommandRow(std::string_view name, std::string_view words, std::string_view line,
             std::shared_ptr<const OperationRow> one);

  std::string_view path;     // "orders place"
  std::string_view usage;    // what follows the path on the usage line, flags aside
  std::string_view summary;  // one line, imperative
  Repeats repeats;
  int schema_version = 1;
  std::shared_ptr<const OperationRow> operation{};  // null if the command is not one operation

  [[nodiscard]] std::unique_ptr<Command> make() const;

 private:
  std::function<std::unique_ptr<Command>()> made_{};
};

template <class T>
[[nodiscard]] std::unique_ptr<Command> make() {
  return std::make_unique<T>();
}
template <Result<Answer, Stop> (*function)(Context&)>
[[nodiscard]] std::unique_ptr<Command> make() {
  return std::make_unique<PlainCommand<function>>();
}

// What a dry run shows: the operation that it leaves out, and the members that describe it.
[[nodiscard]] inline Stop planned(std::string_view operation, const Json& members) {
  Json plan = Json::object({{"dry_run", true}, {"operation", operation}});
  for (std::size_t i = 0; i < members.keys().size(); ++i) plan.set(members.keys()[i], members.items()[i]);
  return DryRun{std::move(plan)};
}

// "a, b, c"
template <class Texts>
[[nodiscard]] std::string comma_list(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list.append(list.empty() ? "" : ", ").append(text);
  return list;
}

// The commands of each file.
#define X(group) [[nodiscard]] std::span<const CommandRow> group##_commands();
#include "cli/commands/command_groups.def"
#undef X
// Those that the program starts by itself: in no list and no help.
[[nodiscard]] std::span<const CommandRow> hidden_commands();
[[nodiscard]] std::span<const CommandRow> guard_keeper_commands();  // hidden as well

}  // namespace svc::cli
