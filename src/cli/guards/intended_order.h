// The orders that a request would bring about, as far as the guards look at them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/result.h"
#include "cli/exchange/call.h"
#include "cli/failure.h"

namespace svc::cli {
class Exchange;
}

namespace svc::cli::guards {

struct IntendedOrder {
  std::string market;
  bool buys = false;
  bool reduces = false;
  std::optional<Decimal> quantity;
  std::optional<Decimal> price;  // nullopt: at market
};

// Of placing, of a batch, and of an amendment, whose missing terms are read from the open order. Empty for
// everything else.
[[nodiscard]] Result<std::vector<IntendedOrder>, Stop> intended_orders(Exchange& exchange, const Call& call);

// quantity x price in 1e-6 USDX, rounded up; nullopt beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> notional_micro_usdx(const Decimal& quantity, const Decimal& price);

// True if a buy above mark, or a sell below it, is further away than the band.
[[nodiscard]] bool beyond_band(const IntendedOrder& order, const Decimal& mark, std::int64_t band_bps);

}  // namespace svc::cli::guards
