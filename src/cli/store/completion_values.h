// What completion knows of a network without asking it: markets and open orders as they were when somebody
// last asked, names of files otherwise. Nothing here waits for a server.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
#include "cli/store/config.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// What is not written in the program itself.
enum class ValueKind : std::uint8_t {
  market,
  order,      // open orders of the account, by id
  client_id,  // the same, by the id we gave them
  key,        // API keys stored here
  network,
  wallet,
  agent,
  account,  // those whose wallets are stored here
  profile,
  alias,
};

struct Candidate {
  std::string text;
  std::string about{};  // one line; may be empty
};

using ValueSource = std::function<std::vector<Candidate>(ValueKind)>;

inline constexpr std::int64_t completion_markets_ms_max = 600'000;  // how long a list of markets is good
inline constexpr std::int64_t completion_orders_ms_max = 15'000;    // and one of open orders
inline constexpr std::int64_t completion_refresh_ms_min = 5'000;    // between two questions to the server
inline constexpr std::size_t completion_rows_max = 500;             // of either

// Values for `network` (empty: none is named). What is missing or old is asked for by another process that this
// one does not wait for; until then what is old is shown.
[[nodiscard]] ValueSource cached_values(Environment& environment, const Paths& paths, const Config& config,
                                        std::string network);

// The markets of the last list that is still good; empty if there is none.
[[nodiscard]] std::vector<std::string> kept_markets(const Paths& paths, std::string_view network, TimestampMs now_ms);

// Keeps what `markets list` and `orders list` answered; null for a list that could not be had.
[[nodiscard]] Result<void, Failure> keep_for_completion(const Paths& paths, std::string_view network,
                                                        const Json& markets, const Json& orders, TimestampMs now_ms);

}  // namespace svc::cli
