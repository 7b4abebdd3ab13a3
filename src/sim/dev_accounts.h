// The accounts that a local sandbox starts with. Their keys are public knowledge.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/fixed.h"
#include "sim/control/ready_report.h"

namespace svc::sim {

// The phrase that development tools of this family share, so that their keys work here as well.
inline constexpr std::string_view dev_mnemonic = "test test test test test test test test test test test junk";

// Accounts 0 to count-1 at m/44'/60'/0'/0/index, each to be given `balance`.
[[nodiscard]] std::vector<DevAccount> dev_accounts(std::size_t count, Usdx balance);

}  // namespace svc::sim
