// What a story says of a market: one table of fields, for JSON, for the text and for what a session writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/engine/market_spec.h"
#include "sim/scenario/text_lines.h"

namespace svc::sim::scenario {

// Bounds that the object leaves out are as wide as the steps need. Throws FieldError.
[[nodiscard]] engine::MarketSpec market_of(const nlohmann::json& object, const nlohmann::json& steps);

// "market ID NAME VALUE ..." as JSON; tiers as "0:0.1:0.05,20000:0.2:0.1". Throws LineError.
[[nodiscard]] nlohmann::json read_market(const TextLine& line);

// The same line, without what a story has anyway.
[[nodiscard]] std::string market_line(const engine::MarketSpec& spec);

// A mark or an index as the market holds it: the nearest tick, half up (rule 1.2).
[[nodiscard]] Ticks nearest_tick(const engine::MarketSpec& spec, const engine::Rational& price);

}  // namespace svc::sim::scenario
