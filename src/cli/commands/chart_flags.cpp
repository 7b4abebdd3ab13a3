#include "cli/commands/chart_flags.h"

#include <unistd.h>

#include <algorithm>

#include "cli/terminal/terminal_screen.h"

namespace svc::cli {
namespace {

constexpr int columns_default = 80;
constexpr int columns_max = 240;

ChartFrame frame_of(Context& context) {
  const Environment& environment = context.environment();
  const auto value = [&](std::string_view name) { return environment.variable(name).value_or(""); };
  ChartFrame frame;
  const int columns = environment.out_is_terminal ? columns_of_terminal(STDOUT_FILENO) : 0;
  frame.columns = columns > 0 ? std::min(columns, columns_max) : columns_default;
  frame.glyphs = glyphs_of(value("LC_ALL"), value("LC_CTYPE"), value("LANG"));
  return frame;
}

bool wants_color(Context& context) {
  const auto& choice = context.globals().color;
  if (choice && *choice != "auto") return *choice == "always";
  return context.environment().out_is_terminal && !context.environment().variable("NO_COLOR");
}

std::string text_of(Context& context, const Canvas& canvas) {
  return wants_color(context) ? canvas.colored_text() : canvas.text();
}

std::string spark_text(const std::string& title, const std::vector<Decimal>& values, const ChartFrame& frame) {
  if (values.empty()) return title + "  nothing to draw\n";
  const std::string ends = format_decimal(values.front()) + " to " + format_decimal(values.back());
  const int room = frame.columns - static_cast<int>(title.size() + ends.size()) - 4;
  return title + "  " + spark_line(values, room, frame.glyphs) + "  " + ends + "\n";
}

}  // namespace

void ChartFlags::declare(Arguments& arguments) {
  arguments.flag("--chart", chart, "draw it");
  arguments.flag("--spark", spark, "draw it in one line");
}

void ChartFlags::draw(Context& context, Answer& answer, const std::string& title,
                      const std::vector<ChartPoint>& points) const {
  const ChartFrame frame = frame_of(context);
  if (chart) answer.text = text_of(context, area_chart(title, points, frame));
  if (!spark) return;
  std::vector<Decimal> values;
  for (const ChartPoint& point : points) values.push_back(point.value);
  answer.text = answer.text.value_or("") + spark_text(title, values, frame);
}

void ChartFlags::draw(Context& context, Answer& answer, const std::string& title,
                      const std::vector<ChartCandle>& candles) const {
  const ChartFrame frame = frame_of(context);
  if (chart) answer.text = text_of(context, candle_chart(title, candles, frame));
  if (!spark) return;
  std::vector<Decimal> values;
  for (const ChartCandle& candle : candles) values.push_back(candle.close);
  answer.text = answer.text.value_or("") + spark_text(title, values, frame);
}

}  // namespace svc::cli
