// A process beside ours that acts if we end without a word: a guard that is killed cannot clean up itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/machine/programs.h"

namespace svc::cli {

inline constexpr std::string_view keeper_dismissal = "done";  // the line that it reads when all is well

class Keeper {
 public:
  virtual ~Keeper() = default;
  // The process group that it ends, once that runs.
  virtual void set_group(pid_t group) = 0;
  // All is well: it ends, and this waits for that.
  virtual void dismiss() = 0;
};

// Starts this program once more with these words, in a session of its own; its standard input ends with us.
[[nodiscard]] Result<std::unique_ptr<Keeper>, std::string> start_keeper(const std::vector<std::string>& words,
                                                                        const Variables& variables);

// Of a program under guard, inherited by all that it starts.
inline constexpr std::string_view guard_mark = "SVC_GUARD";

// Kills every process of this user that has the mark in its environment, until a look finds none. What clears its
// environment, hides it (a svc does) or runs as another user is not found.
void kill_marked(const std::string& mark);

}  // namespace svc::cli
