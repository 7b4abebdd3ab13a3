// Runs of `orders batch`: a file that is started again before its run has ended goes on with it. (D-626)
//
// The client ids of a run's orders follow from its id. So a run that was killed finds in the service what it had
// placed, and one that begins anew cannot meet the ids of another.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli {

// A run that nobody went on with for so long is over, ended or not.
inline constexpr std::int64_t batch_run_ms_max = 12 * hour_ms;
inline constexpr std::size_t batch_runs_kept_max = 1'000;  // the latest ones

struct BatchRun {
  std::string id;
  // Of the run of the same file before this one, if this one is new.
  struct Earlier {
    TimestampMs at_ms = 0;
    bool ended = false;  // each of its orders was accepted, and that was shown
  };
  std::optional<Earlier> earlier{};
};

enum class BatchStart : std::uint8_t { go_on, anew };

// What is ordered from where: on one network, for one account, a file by its path or standard input by its text.
struct BatchSource {
  std::string network, account, file;
};

// The run to go on with, or a new one, noted down.
[[nodiscard]] Result<BatchRun, Failure> start_batch_run(const Environment& environment, const Paths& paths,
                                                        const BatchSource& source, BatchStart start);
// The same without noting anything down.
[[nodiscard]] Result<BatchRun, Failure> peek_batch_run(const Environment& environment, const Paths& paths,
                                                       const BatchSource& source, BatchStart start);
// The next start of that file begins a new run.
[[nodiscard]] Result<void, Failure> end_batch_run(const Paths& paths, const BatchRun& run);

}  // namespace svc::cli
