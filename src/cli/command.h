// A command is three steps: declare what it takes, run, render. Rendering is the same for all: the
// answer carries the document and its columns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/answer.h"
#include "cli/failure.h"

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

}  // namespace svc::cli
