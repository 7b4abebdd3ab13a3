#include "cli/terminal/chart.h"

#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

constexpr int axis_columns_min = 13;  // for the prices at the right

bool less(const Decimal& a, const Decimal& b) {
  return subtract(b, a).coefficient > 0;
}

struct Range {
  Decimal low;
  Decimal high;

  void take(const Decimal& value, bool first) {
    if (first || less(value, low)) low = value;
    if (first || less(high, value)) high = value;
  }
  // From 0 for the lowest value to `steps` for the highest.
  [[nodiscard]] int step_of(const Decimal& value, int steps) const {
    const Decimal span = subtract(high, low);
    if (span.coefficient <= 0) return steps / 2;
    return static_cast<int>(share(subtract(value, low), span, steps));
  }
};

// A bar of so many eighths of a line; ASCII has three heights.
std::string_view height_glyph(int eighths, Glyphs glyphs) {
  static constexpr std::array<std::string_view, 9> fine = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 9> coarse = {" ", "_", "_", ".", "-", "-", "=", "=", "#"};
  return (glyphs == Glyphs::unicode ? fine : coarse)[static_cast<std::size_t>(std::clamp(eighths, 0, 8))];
}

// What stands at the right of a chart. No number of it is cut.
struct Axis {
  const Range& range;
  const Decimal& last;
  std::string note{};

  [[nodiscard]] int decimals() const { return std::max({range.low.scale, range.high.scale, last.scale}); }
  [[nodiscard]] int columns() const {
    std::size_t most = note.size();
    for (const Decimal* value : {&range.low, &range.high, &last})
      most = std::max(most, fixed_text(*value, decimals()).size());
    return std::max(axis_columns_min, static_cast<int>(most) + 2);
  }
};

void paint_axis(Canvas& canvas, const Axis& axis, int top, int bottom) {
  const auto& [range, last, note] = axis;
  const int decimals = axis.decimals();
  const int x = canvas.width() - axis.columns() + 1;
  const int lines = bottom - top;
  const Decimal span = subtract(range.high, range.low);
  constexpr int marks = 4;
  if (lines <= 0) return;
  for (int i = 0; i <= marks; ++i) {
    const int y = bottom - lines * i / marks;
    // low + span * i / marks, cut to the decimals that are shown
    Decimal part{.coefficient = span.coefficient * i * 1'000 / marks, .scale = span.scale + 3};
    canvas.put(x, y, fixed_text(add(range.low, part), decimals), Style::dim);
  }
  const int y = bottom - range.step_of(last, lines);
  canvas.put(x - 1, y, canvas.glyphs() == Glyphs::unicode ? "◂" : "<", Style::bold);
  canvas.put(x, y, std::string(static_cast<std::size_t>(axis.columns() - 1), ' '));
  canvas.put(x, y, fixed_text(last, decimals), Style::bold);
}

std::string short_time(TimestampMs at_ms) {
  const std::string text = rfc3339(at_ms);
  return text.size() > 16 ? text.substr(5, 11) : text;  // 09-21T12:00
}

// Below what is drawn, which takes the first `used` columns.
void paint_times(Canvas& canvas, int y, TimestampMs first_ms, TimestampMs last_ms, int used) {
  const std::string first = short_time(first_ms), last = short_time(last_ms);
  const bool has_room = used >= static_cast<int>(first.size() + last.size()) + 2;
  canvas.put(0, y, has_room || first == last ? first : first + " to " + last, Style::dim);
  if (has_room) canvas.put_right(used, y, last, Style::dim);
}

// The value shown in column `x` of `used` columns.
std::size_t place_in(std::size_t count, int x, int used) {
  return used == 1 ? 0 : static_cast<std::size_t>(x) * (count - 1) / static_cast<std::size_t>(used - 1);
}

Canvas empty_chart(const std::string& title, const ChartFrame& frame) {
  Canvas canvas(frame.columns, 2, frame.glyphs);
  canvas.put(0, 0, title, Style::bold);
  canvas.put(0, 1, "nothing to draw", Style::dim);
  return canvas;
}

}  // namespace

Canvas candle_chart(const std::string& title, const std::vector<ChartCandle>& candles, const ChartFrame& frame) {
  if (candles.empty()) return empty_chart(title, frame);
  Canvas canvas(frame.columns, frame.lines, frame.glyphs);
  // What fits beside the labels decides which candles are shown, and those decide the labels.
  Range range;
  Decimal most;
  std::span<const ChartCandle> shown;
  int columns = 0, step = 1, fit = 0;
  Axis axis{range, candles.back().close};
  for (int axis_columns = 0; axis.columns() > axis_columns;) {
    axis_columns = axis.columns();
    columns = std::max(frame.columns - axis_columns, 1);
    step = static_cast<int>(candles.size()) * 2 <= columns ? 2 : 1;
    fit = std::min(columns / step, static_cast<int>(candles.size()));
    shown = std::span(candles).last(static_cast<std::size_t>(fit));
    most = {};
    for (const ChartCandle& candle : shown) {
      range.take(candle.low, &candle == &shown.front());
      range.take(candle.high, false);
      if (less(most, candle.volume)) most = candle.volume;
    }
    axis.note = "vol " + fixed_text(most, most.scale);
  }
  const int top = 1;
  const int bottom = std::max(frame.lines - 4, top);
  const int lines = bottom - top;
  canvas.put(0, 0, title, Style::bold);
  const bool fine = frame.glyphs == Glyphs::unicode;
  for (int i = 0; i < fit; ++i) {
    const ChartCandle& candle = shown[static_cast<std::size_t>(i)];
    const bool rose = !less(candle.close, candle.open);
    const Style style = rose ? Style::good : Style::bad;
    const auto line_of = [&](const Decimal& value) { return bottom - range.step_of(value, lines); };
    for (int y = line_of(candle.high); y <= line_of(candle.low); ++y) canvas.put(i * step, y, fine ? "│" : "|", style);
    const int upper = line_of(rose ? candle.close : candle.open);
    const int lower = line_of(rose ? candle.open : candle.close);
    const std::string_view body = rose ? (fine ? "█" : "#") : (fine ? "▒" : "%");
    for (int y = upper; y <= lower; ++y) canvas.put(i * step, y, body, style);
    const int eighths = static_cast<int>(share(candle.volume, most, 8));
    if (candle.volume.coefficient > 0)
      canvas.put(i * step, bottom + 2, height_glyph(std::max(eighths, 1), frame.glyphs), Style::dim);
  }
  paint_axis(canvas, axis, top, bottom);
  canvas.put(canvas.width() - axis.columns() + 1, bottom + 2, axis.note, Style::dim);
  paint_times(canvas, bottom + 3, shown.front().at_ms, shown.back().at_ms, (fit - 1) * step + 1);
  return canvas;
}

Canvas area_chart(const std::string& title, const std::vector<ChartPoint>& points, const ChartFrame& frame) {
  if (points.empty()) return empty_chart(title, frame);
  Canvas canvas(frame.columns, frame.lines, frame.glyphs);
  Range range;
  for (const ChartPoint& point : points) range.take(point.value, &point == &points.front());
  const Axis axis{range, points.back().value};
  const int columns = std::max(frame.columns - axis.columns(), 1);
  const int used = std::min(columns, static_cast<int>(points.size()));
  const int top = 1;
  const int bottom = std::max(frame.lines - 2, top);
  const int lines = bottom - top;
  canvas.put(0, 0, title, Style::bold);
  for (int x = 0; x < used; ++x) {
    const Decimal& value = points[place_in(points.size(), x, used)].value;
    int eighths = 1 + range.step_of(value, lines * 8 + 7);
    const bool rose = !less(value, points.front().value);
    for (int y = bottom; y >= top && eighths > 0; --y, eighths -= 8)
      canvas.put(x, y, height_glyph(eighths, frame.glyphs), rose ? Style::good : Style::bad);
  }
  paint_axis(canvas, axis, top, bottom);
  paint_times(canvas, bottom + 1, points.front().at_ms, points.back().at_ms, used);
  return canvas;
}

std::string spark_line(const std::vector<Decimal>& values, int columns, Glyphs glyphs) {
  std::string line;
  if (values.empty() || columns <= 0) return line;
  Range range;
  for (const Decimal& value : values) range.take(value, &value == &values.front());
  const int used = std::min(columns, static_cast<int>(values.size()));
  for (int x = 0; x < used; ++x)
    line += height_glyph(1 + range.step_of(values[place_in(values.size(), x, used)], 7), glyphs);
  return line;
}

std::vector<ChartPoint> points_of(const Json& rows, std::string_view time_ms, std::string_view value) {
  std::vector<ChartPoint> points;
  for (const Json& row : rows.items()) {
    const auto at_ms = row.integer_at(time_ms);
    const auto number = number_of(row.value_at(value).text());
    if (at_ms && number) points.push_back({*at_ms, *number});
  }
  return points;
}

std::vector<ChartCandle> candles_of(const Json& rows) {
  std::vector<ChartCandle> candles;
  for (const Json& row : rows.items()) {
    constexpr std::size_t size = 6;
    std::vector<Decimal> numbers;
    for (std::size_t i = 0; i < std::min(size, row.items().size()); ++i)
      if (const auto number = number_of(row.items()[i].text())) numbers.push_back(*number);
    if (numbers.size() < size || numbers.front().scale != 0) continue;
    candles.push_back(
        {static_cast<TimestampMs>(numbers[0].coefficient), numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]});
  }
  return candles;
}

}  // namespace svc::cli
