// What may stand where a command line is being typed. Shells and the interactive shell ask the same question;
// values that change (markets, open orders) come from whoever asks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

struct Candidates {
  std::vector<Candidate> all{};  // those that begin with what is typed, in the order they should be shown
  bool files = false;            // names of files fit as well
};

// `words` are those after the program's name; the last one is being typed and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& words, const ValueSource& values);

// What completion knows of a network without asking it: markets and open orders as they were when somebody
// last asked, names of files otherwise. Nothing here waits for a server.

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

// `svc __complete -- WORDS...`: what shells ask while a command line is typed. Reads files, waits for nobody.

inline constexpr std::string_view complete_word = "__complete";

// `words` are all words after the program's name. Returns the exit code of the process.
[[nodiscard]] int complete(const std::vector<std::string>& words, Environment& environment);

}  // namespace svc::cli
