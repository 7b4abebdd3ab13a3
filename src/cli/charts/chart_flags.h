// --chart and --spark of commands that show a series.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/charts/chart.h"
#include "cli/context.h"

namespace svc::cli {

struct ChartFlags {
  bool chart = false;
  bool spark = false;

  void declare(Arguments& arguments);
  // A picture in place of rows; JSON and raw output stay as they are.
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartPoint>& points) const;
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartCandle>& candles) const;
};

// Rows as points, by the names of their members; rows without both are left out.
[[nodiscard]] std::vector<ChartPoint> points_of(const Json& rows, std::string_view time_ms, std::string_view value);
// Candles as the service writes them: [open time, open, high, low, close, volume].
[[nodiscard]] std::vector<ChartCandle> candles_of(const Json& rows);

}  // namespace svc::cli
