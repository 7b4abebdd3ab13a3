// Runs of `orders batch`: a file that is started again before its run has ended continues that run. (D-626)
//
// The client ids of a run's orders derive from its id. So a run that was killed finds the orders it had placed, and a
// new run cannot meet the ids of another.
#pragma once

#include "base/clock.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

// A run that was not continued for so long is over.
inline constexpr std::int64_t batch_run_ms_max = 12 * hour_ms;

struct BatchRun {
  std::string id;
  // The previous run of the same file, if this run is new.
  struct Earlier {
    TimestampMs at_ms = 0;
    bool ended = false;  // all orders were accepted, and that was shown
  };
  std::optional<Earlier> earlier{};
};

// A file is named by its path, standard input or a pipe by the hash of its text.
struct BatchSource {
  std::string network, account, file;
};

// The run to continue, or a new one. That of a dry run is not recorded.
Result<BatchRun> begin_run(const Environment& environment, const Paths& paths, const BatchSource& source, bool anew,
                           bool is_plan);

// The next start of that file begins a new run.
Result<void> end_run(const Paths& paths, const BatchRun& run);

}  // namespace svc::cli
