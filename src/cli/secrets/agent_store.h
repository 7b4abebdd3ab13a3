// What is known here of agent keys: for which account they may trade, and until when. The keys themselves are wallets
// of the key store. One file per agent, filed per network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/failure.h"
#include "cli/files/paths.h"

namespace svc::cli {

struct AgentRecord {
  Address address;
  std::string wallet;                          // its name in the key store; empty if the key is elsewhere
  std::optional<Address> account{};            // once registered
  std::optional<TimestampMs> expires_at_ms{};  // once registered
  std::optional<std::int64_t> lifetime_ms{};   // wished for when the key was made
};

[[nodiscard]] Result<std::vector<AgentRecord>, Failure> list_agents(const Paths& paths, std::string_view network);
// Replaces what was kept of that address.
[[nodiscard]] Result<void, Failure> store_agent(const Paths& paths, std::string_view network,
                                                const AgentRecord& record);
// False if nothing was kept.
[[nodiscard]] Result<bool, Failure> forget_agent(const Paths& paths, std::string_view network, const Address& address);

}  // namespace svc::cli
