// How markets are set for the account, with or without a position. (D-716)
#pragma once

#include <optional>
#include <string>

#include "api/market_id.h"
#include "cli/exchange/exchange.h"

namespace svc::cli {

// What the service does not tell is nullopt.
struct MarketSettingTexts {
  std::optional<std::string> margin_mode{};
  std::optional<std::string> leverage{};
};

// Reads the account's state once for all markets; agents may read it. Services that do not tell settings there are asked
// for the margin mode of each market, and tell the leverage of a position at least.
class MarketSettings {
 public:
  explicit MarketSettings(Exchange& exchange) : exchange_(exchange) {}

  [[nodiscard]] Result<MarketSettingTexts, Stop> of(const api::MarketId& market);

 private:
  Exchange& exchange_;
  std::optional<Json> state_;
};

}  // namespace svc::cli
