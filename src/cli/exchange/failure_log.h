// The latest requests that failed, with everything that was signed, for `svc why`. No secrets: a signature is
// kept as its hash, so that it can be compared and not be used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"
#include "cli/json.h"

namespace svc::cli {

class FailureLog {
 public:
  FailureLog(const Paths& paths, std::string_view network) : folder_(paths.failures(network)) {}

  // `record` has an `id` that sorts by time. At most failures_kept stay; older ones go.
  [[nodiscard]] Result<void, Failure> keep(const Json& record) const;
  // By id, or the latest; nullopt if there is none.
  [[nodiscard]] Result<std::optional<Json>, Failure> find(const std::optional<std::string>& id) const;

 private:
  static constexpr std::size_t failures_kept = 32;

  std::filesystem::path folder_;
};

}  // namespace svc::cli
