// Checks of the user's setting: what `status` and `doctor` show, one row each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/context.h"

namespace svc::cli {

enum class Finding : std::uint8_t {
  good,
  note,   // worth knowing, nothing to do
  warn,   // will hurt
  wrong,  // hurts now
};

struct Check {
  std::string name;
  Finding finding = Finding::good;
  std::string detail;
  std::optional<std::string> action{};  // a command that mends it
};

// Credentials of the network: session, API key, wallet; and what is unlocked. What ends within `within_ms` is a warning.
// `ahead_ms`: the server's clock minus ours, where it was measured; the server ends sessions by its own.
[[nodiscard]] Result<std::vector<Check>, Failure> check_credentials(Context& context, std::int64_t within_ms,
                                                                    std::optional<std::int64_t> ahead_ms);

// Files and folders; `fix` closes what others could read and removes what is left of dead sandboxes.
[[nodiscard]] Result<std::vector<Check>, Failure> check_files(Context& context, bool fix);

// The program's surroundings: libraries, environment variables that hold secrets, settings.
[[nodiscard]] std::vector<Check> check_surroundings(Context& context);

// What the network's server says; asks it.
struct ServerChecks {
  std::vector<Check> rows{};
  std::optional<std::int64_t> ahead_ms{};  // its clock minus ours; nullopt if it was not measured
  std::optional<Failure> mismatch{};       // it serves another network than the one that was meant
};
[[nodiscard]] ServerChecks check_server(Context& context);

[[nodiscard]] std::string_view to_string(Finding finding);
[[nodiscard]] Json rows_of(const std::vector<Check>& checks);

}  // namespace svc::cli
