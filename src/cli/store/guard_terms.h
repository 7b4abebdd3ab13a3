// The limits of a network's guards. On real funds all are on by default, on play funds only those configured.
//
//   [guards]            for all networks with real funds
//   [guards.NETWORK]    for one network; takes precedence
//   key = "off"         switches a guard off
#pragma once

#include <map>

#include "cli/store/toml.h"
#include "cli/terminal/failure.h"

namespace svc::cli::guards {

struct Terms {
  std::optional<std::int64_t> order_notional_micro_usdx_max;  // order_notional_max = "10000"
  std::optional<std::int64_t> price_band_bps;                 // price_band_bps = 500
  std::optional<std::int64_t> daily_loss_micro_usdx_max;      // daily_loss_max = "1000"
  std::optional<std::int64_t> daily_orders_max;               // daily_orders_max = 500
  std::optional<std::int64_t> duplicate_window_ms;            // duplicate_window = "30s"
  std::optional<std::int64_t> address_cooldown_ms;  // address_cooldown = "24h"; off: the address list is not used
  // shell_notional_max = "1000": up to this value the network's name, typed once, covers all orders of a shell
  std::optional<std::int64_t> shell_notional_micro_usdx_max;
};

// Key and value per network; an empty name stands for every network with real funds.
using Settings = std::map<std::string, PlacedValues, std::less<>>;

// The values of a guard of that network, the effective one first: its own, then, on real funds, the general one and the
// default, which has no line. None: the guard is off.
[[nodiscard]] std::vector<Placed> values_of(const Settings& settings, std::string_view network, bool real_funds,
                                            std::string_view key);

// Exit 2 names a key whose value is invalid: a guard is never off by mistake.
Result<Terms> terms_of(const Settings& settings, std::string_view network, bool real_funds);

// The keys above.
[[nodiscard]] std::span<const std::string_view> guard_keys();
// Whether the key takes the value; the error lists the keys if there is no such key.
Result<void> check_guard(std::string_view key, const std::string& value);

}  // namespace svc::cli::guards
