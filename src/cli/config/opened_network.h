// A network that was opened before, for who stays on it.
#pragma once

#include "cli/config/network.h"

namespace svc::cli {

// What is known of it now; exit 14 if it is gone from where it was, or another one is there.
[[nodiscard]] Result<Network, Failure> find_again(const Network& opened, const Config& config, const Paths& paths,
                                                  const Environment& environment);

}  // namespace svc::cli
