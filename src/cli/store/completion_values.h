// What completion knows of a network without asking it: markets and open orders from the latest read, and the names of
// local files. Nothing here waits for a server.
#pragma once

#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"

namespace svc::cli {

// Values that are not part of the program itself.
enum class ValueKind : std::uint8_t {
  market,
  order,      // open orders of the account, by id
  client_id,  // the same, by client id
  key,        // API keys stored here
  network,
  wallet,
  agent,
  account,  // those whose wallets are stored here
  profile,
  alias,
  address,  // labels of allowed addresses
  sandbox,  // names of those that run
};

struct Candidate {
  std::string text;
  std::string about{};  // one line; may be empty
};

using ValueSource = std::function<std::vector<Candidate>(ValueKind)>;

inline constexpr std::int64_t completion_markets_ms_max = 600'000;  // how long a list of markets is valid
inline constexpr std::int64_t completion_orders_ms_max = 15'000;    // and a list of open orders
inline constexpr std::int64_t completion_refresh_ms_min = 5'000;    // between two requests to the server
inline constexpr std::size_t completion_rows_max = 500;             // of either list

// The flags of a line that decide whose orders it is about, as typed: "--signer bob".
[[nodiscard]] std::vector<std::string> account_flags(const std::vector<std::string>& words);

// Values for `network` (empty: no network is named), and orders of the account that those flags name. Another process,
// which this one does not wait for, refreshes what is missing or old; until then old values are offered.
[[nodiscard]] ValueSource cached_values(Environment& environment, const Paths& paths, const Config& config,
                                        std::string network, std::vector<std::string> flags = {});

// The markets of the last list if it is still valid; empty otherwise.
[[nodiscard]] std::vector<std::string> kept_markets(const Paths& paths, std::string_view network, TimestampMs now_ms);

// Keeps the answers of `markets list` and, for the account that the flags name, `orders list`; null: not read.
Result<void> keep_for_completion(const Paths& paths, std::string_view network, const Json& markets, const Json& orders,
                                 TimestampMs now_ms, const std::vector<std::string>& flags = {});

}  // namespace svc::cli
