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
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/market_id.h"
#include "api/records/margin.h"
#include "base/address.h"
#include "base/result.h"
#include "cli/failure.h"

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

}  // namespace svc::cli
