// Charts drawn with characters. Pure: the same numbers and frame give the same picture.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "cli/terminal/canvas.h"
#include "cli/terminal/json.h"

namespace svc::cli {

struct ChartCandle {
  TimestampMs at_ms = 0;
  Decimal open, high, low, close, volume;
};

struct ChartPoint {
  TimestampMs at_ms = 0;
  Decimal value;
};

struct ChartFrame {
  int columns = 80;
  int lines = 22;
  Glyphs glyphs = Glyphs::unicode;
};

// The latest candles that fit: full bodies for rising prices, shaded ones for falling; volume along the bottom.
[[nodiscard]] Canvas candle_chart(const std::string& title, const std::vector<ChartCandle>& candles,
                                  const ChartFrame& frame);

// The series as an area between its minimum and maximum.
[[nodiscard]] Canvas area_chart(const std::string& title, const std::vector<ChartPoint>& points,
                                const ChartFrame& frame);

// One line of at most that many columns, with eight heights each.
[[nodiscard]] std::string spark_line(const std::vector<Decimal>& values, int columns, Glyphs glyphs);

// The rows as points, by the names of their members; rows that lack one are left out.
[[nodiscard]] std::vector<ChartPoint> points_of(const Json& rows, std::string_view time_ms, std::string_view value);
// Candles in the service's form: [open time, open, high, low, close, volume].
[[nodiscard]] std::vector<ChartCandle> candles_of(const Json& rows);

}  // namespace svc::cli
