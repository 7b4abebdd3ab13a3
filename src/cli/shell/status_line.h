// The line at the bottom of a shell: how the account stands and what may still be sent. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/config/network.h"
#include "cli/json.h"

namespace svc::cli {

struct Budget {
  std::string label;  // R, T, C, WS
  std::int64_t remaining = 0;
  std::int64_t limit = 0;
};

struct StatusFacts {
  std::optional<std::string> equity;           // USDX, digits as received
  std::optional<std::string> available;        // USDX
  std::optional<std::int64_t> margin_percent;  // initial margin over equity, rounded up
  std::optional<std::int64_t> open_orders;
  std::vector<Budget> budgets;
  std::optional<std::int64_t> skew_ms;
  std::optional<bool> cancels_on_disconnect;
  std::optional<TimestampMs> sandbox_now_ms;  // of a sandbox whose clock is its own
  std::optional<TimestampMs> read_ms;         // when the account was last read
  std::optional<TimestampMs> stream_ms;       // when the stream was last heard
};

// From the envelopes of `account state`, `limits` and `account cancel-on-disconnect get`; what an answer lacks stays as
// it was.
void take_account(StatusFacts& facts, const Json& envelope);
void take_limits(StatusFacts& facts, const Json& envelope);
void take_dead_man(StatusFacts& facts, const Json& envelope);

// At most that many columns; the parts of least interest go first.
[[nodiscard]] std::string status_text(const StatusFacts& facts, TimestampMs now_ms, std::size_t columns);

// "local 0x71c7...976f BTC> ", coloured by what is at stake: red for real funds, yellow for unknown, green for
// play, cyan for local.
enum class Colors : std::uint8_t { on, off };
struct PromptFacts {
  std::optional<std::string> account;
  std::optional<std::string> market;
  std::size_t staged = 0;
  bool locked = false;
};
[[nodiscard]] std::string prompt_text(const Network& network, const PromptFacts& facts, Colors colors);

}  // namespace svc::cli
