// Flags that a command takes for what it is, without declaring them: --watch of what shows how things stand, --sort of
// lists.
#pragma once

#include "cli/client/repeat.h"
#include "cli/commands/listing.h"

namespace svc::cli {

struct CommandRow;

struct SharedFlags {
  RepeatFlag repeat;
  SortFlag sort;  // unused where the command sorts by itself, before it cuts its rows

  // After the command has declared its own.
  void declare(const CommandRow& row, Arguments& arguments);
};

}  // namespace svc::cli
