#include "cli/commands/shared_flags.h"

#include <algorithm>

#include "cli/commands/command_table.h"
#include "cli/commands/output_shape.h"

namespace svc::cli {

void SharedFlags::declare(const CommandRow& row, Arguments& arguments) {
  if (row.repeats != Repeats::yes) return RepeatFlag::refuse(arguments);
  const auto& declared = arguments.declared();
  const bool sorts_itself = std::ranges::any_of(declared, [](const Declared& one) { return one.names == "--sort"; });
  if (!sorts_itself && prints_list(row)) sort.declare(arguments);
  repeat.declare(arguments);
}

}  // namespace svc::cli
