#include "sim/actors/drills.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace svc::sim {
namespace {

// Logarithms of the remaining fraction of the price.
constexpr std::int64_t minus_25_percent = -287'682'072;
constexpr std::int64_t plus_20_percent = 182'321'557;
constexpr std::int64_t minus_8_percent = -83'381'609;
constexpr std::int64_t minus_15_percent = -162'518'929;

constexpr std::array crash_glides{
    Glide{.market = {}, .begin_ms = 0, .over_ms = minute_ms, .log_ppb = minus_25_percent},
    Glide{.market = {}, .begin_ms = 4 * minute_ms, .over_ms = 15 * minute_ms, .log_ppb = plus_20_percent},
};
// The first two markets, in one oracle batch, once the cast has its positions.
constexpr std::array gap_glides{
    Glide{.market = 0, .begin_ms = 15 * second_ms, .over_ms = 0, .log_ppb = minus_8_percent},
    Glide{.market = 1, .begin_ms = 15 * second_ms, .over_ms = 0, .log_ppb = minus_15_percent},
};

constexpr std::array table{
    Drill{
        .name = "flash-crash",
        .summary = "every index falls by 25 % within a minute, makers step back; after four minutes most of it returns",
        .lasts_ms = 20 * minute_ms,
        .glides = crash_glides,
        .conditions = {.maker_size_ppm = 150'000, .maker_width_ppm = 6 * ppm_one, .taker_rate_ppm = 2 * ppm_one},
        .conditions_last_ms = 4 * minute_ms},
    Drill{.name = "two-market-gap",
          .summary = "the first two markets gap together, and nobody is left to take a position over: the first halts",
          .lasts_ms = minute_ms,
          .glides = gap_glides,
          .conditions = {.quotes = false},
          .conditions_last_ms = 30 * second_ms,
          .has_cast = true},
    Drill{.name = "thin-book",
          .summary = "for ten minutes makers show a thirtieth of their sizes, eight times as far from the price",
          .lasts_ms = 10 * minute_ms,
          .conditions = {.maker_size_ppm = 30'000, .maker_width_ppm = 8 * ppm_one}},
    Drill{.name = "stale-oracle",
          .summary = "no index price for 45 seconds: markets only cancel once the last one is 10 seconds old",
          .lasts_ms = 45 * second_ms,
          .conditions = {.oracle = false}},
    // A premium of 1.2 % of the index over a whole funding interval exceeds the cap of a settlement.
    Drill{.name = "funding-extreme",
          .summary = "for 130 minutes the book stands 1.2 % above the index: a settlement reaches its cap",
          .lasts_ms = 130 * minute_ms,
          .conditions = {.fair_shift_ppb = 120 * 100'000, .speculators = false}},
    Drill{.name = "quiet",
          .summary = "for ten minutes no taker opens a position, and the index hardly moves",
          .lasts_ms = 10 * minute_ms,
          .conditions = {.taker_rate_ppm = 0, .volatility_ppm = 20'000, .speculators = false}},
};

}  // namespace

std::span<const Drill> drills() {
  return table;
}

const Drill* find_drill(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Drill::name);
  return found == std::end(table) ? nullptr : found;
}

std::string drill_list() {
  return svc::joined(table, &Drill::name);
}

}  // namespace svc::sim
