// --chart and --spark of commands that show a series.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/terminal/chart.h"

namespace svc::cli {

struct ChartFlags {
  bool chart = false;
  bool spark = false;

  void declare(Arguments& arguments);
  // A picture in place of rows; JSON and raw output stay as they are.
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartPoint>& points) const;
  void draw(Context& context, Answer& answer, const std::string& title, const std::vector<ChartCandle>& candles) const;
};

}  // namespace svc::cli
