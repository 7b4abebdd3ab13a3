// Making a key an agent of the account: the owner's wallet signs the registration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/client/exchange.h"
#include "cli/commands/plain_write.h"
#include "cli/store/api_key_store.h"

namespace svc::cli {

// The agent of that name or address, as far as it is known here; exit 5 for a name that is not.
[[nodiscard]] Result<AgentRecord, Failure> known_agent(Context& context, const std::string& network,
                                                       const std::string& name_or_address);

// Registers it for the owner and remembers that here. Asks for the owner's password if it is not given.
[[nodiscard]] Result<Reply, Stop> register_agent(Context& context, Exchange& exchange, AgentRecord agent,
                                                 std::int64_t lifetime_ms, std::optional<std::string> label,
                                                 const PlainWrite& write);

}  // namespace svc::cli
