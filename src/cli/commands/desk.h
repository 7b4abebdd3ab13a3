#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/margin.h"
#include "api/values.h"
#include "base/address.h"
#include "base/result.h"
#include "cli/client/exchange.h"
#include "cli/terminal/failure.h"

// How an account should be set up, as a file under version control:
//
//   [account]
//   cancel_on_disconnect = true
//
//   [markets.BTC-USDX-PERP]
//   margin_mode = "isolated"
//   leverage = 5
//
//   [agents.bot1]                  # a key filed here under that name, or one elsewhere with
//   address = "0x..."
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

// The error names the line, and what was expected there; what the file may not say is an error.
[[nodiscard]] Result<WantedDesk, Failure> parse_desk(std::string_view toml);

// What differs between an account and how it should be set up.

struct DeskChange {
  std::string item;     // "BTC-USDX-PERP margin_mode", "agent bot1"
  std::string current;  // "-": the service does not tell
  std::string wanted;
  std::string action;  // "set", "register", "revoke"
  std::function<Result<void, Stop>(Context&, Exchange&)> apply;
};

// Reads what is, and lists what has to change, in the order in which it is best done. What an older service does not
// tell is set in any case: the leverage of a market without a position. `prune`: agents that the file does not name are
// revoked.
[[nodiscard]] Result<std::vector<DeskChange>, Stop> plan_desk(Context& context, Exchange& exchange,
                                                              const WantedDesk& wanted, bool prune,
                                                              ActionChoice action);

}  // namespace svc::cli
