#pragma once

#include "api/contract/margin.h"
#include "api/values.h"
#include "base/address.h"
#include "cli/commands/plain_write.h"
#include "cli/store/api_key_store.h"

// How an account should be set up, as a file under version control:
//
//   [account]
//   cancel_on_disconnect = true
//
//   [markets.BTC-USDX-PERP]
//   margin_mode = "isolated"
//   leverage = 5
//
//   [agents.bot1]                  # a key stored here under that name,
//   address = "0x..."              # or the address of one stored elsewhere
//   expires = "30d"                # of a new registration, 1d to 90d

namespace svc::cli {

struct WantedMarket {
  api::MarketId market;
  std::optional<api::MarginMode> margin_mode{};
  std::optional<std::uint32_t> leverage{};
};

struct WantedAgent {
  std::string name;
  std::optional<Address> address{};  // nullopt: that of the key of this name
  std::optional<std::int64_t> lifetime_ms{};
};

struct WantedDesk {
  std::optional<bool> cancel_on_disconnect;
  std::vector<WantedMarket> markets;  // in the order of the file
  std::vector<WantedAgent> agents;
};

// The error names the line and what was expected there. Unknown keys are errors.
Result<WantedDesk> parse_desk(std::string_view toml);

// The agent of that name or address; exit 5 for a name that is not stored here.
Result<AgentRecord> known_agent(Context& context, const std::string& network, const std::string& name_or_address);

// Makes a key an agent of the account, which the owner's wallet signs, and stores that here: for so long, or as the key
// was made for. Asks for the owner's password if it is not given.
Result<Reply> register_agent(Context& context, Exchange& exchange, AgentRecord agent,
                             const std::optional<std::int64_t>& lifetime_ms, std::optional<std::string> label,
                             const PlainWrite& write);

}  // namespace svc::cli
