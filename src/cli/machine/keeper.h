// A second process that cleans up if this one is killed: a killed guard cannot do that itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/machine/programs.h"

namespace svc::cli {

inline constexpr std::string_view keeper_dismissal = "done";  // the line that ends it normally

class Keeper {
 public:
  virtual ~Keeper() = default;
  // Tells it the process group to kill, once that runs.
  virtual void set_group(pid_t group) = 0;
  // Ends it normally, and waits for its end.
  virtual void dismiss() = 0;
};

// Starts this program again with these words in a session of its own; its standard input ends with this process.
[[nodiscard]] Result<std::unique_ptr<Keeper>, std::string> start_keeper(const std::vector<std::string>& words,
                                                                        const Variables& variables);

// The environment variable of a program under guard; everything that it starts inherits it.
inline constexpr std::string_view guard_mark = "SVC_GUARD";

// Kills every process of this user with that mark in its environment, repeatedly until none is found. A process that
// clears or hides its environment (svc hides it), or runs as another user, is not found.
void kill_marked(const std::string& mark);

}  // namespace svc::cli
