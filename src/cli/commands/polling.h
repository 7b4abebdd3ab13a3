// Asking again until something is so: --wait of commands that look at one thing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

struct WaitLimit {
  std::optional<std::string> seconds;

  void declare(Arguments& arguments);  // --wait-timeout
  [[nodiscard]] Result<std::int64_t, Failure> timeout_ms() const;
};

// Whether a record that passes through states has come to its last; true of one that has none.
[[nodiscard]] bool is_final(const Json& record);

// Asks once a second until `done` is true of the answer, which is then the answer. Exit 17 with what was seen last once
// the time is over, 130 if interrupted; every other failure is as it comes, but for one that `goes_on`: not there yet.
[[nodiscard]] Result<Reply, Stop> poll(Context& context, Exchange& exchange, const WaitLimit& limit,
                                       const std::function<Call()>& call, const std::function<bool(const Json&)>& done,
                                       const std::function<bool(const Failure&)>& goes_on = {});

}  // namespace svc::cli
