// Commands to type next.
#pragma once

#include <string>
#include <string_view>

#include "cli/context.h"

namespace svc::cli {

// "svc -n testnet --signer bob orders get --client-id ...": for the network of this run, and for whom it acts if that
// was said.
[[nodiscard]] std::string command_line(Context& context, std::string_view command);

}  // namespace svc::cli
