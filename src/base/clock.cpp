#include "base/clock.h"

#include <chrono>

namespace svc {

TimestampMs SystemClock::now_ms() const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

namespace {

void append_digits(std::string& out, std::int64_t value, int width) {
  const std::string digits = std::to_string(value);
  for (int missing = width - static_cast<int>(digits.size()); missing > 0; --missing) out += '0';
  out += digits;
}

}  // namespace

std::string utc_text(TimestampMs at_ms) {
  const std::int64_t days = at_ms / day_ms;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  const std::int64_t of_day = at_ms - days * day_ms;
  std::string text;
  text.reserve(24);
  append_digits(text, static_cast<int>(date.year()), 4);
  text += '-';
  append_digits(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  append_digits(text, static_cast<unsigned>(date.day()), 2);
  text += 'T';
  append_digits(text, of_day / hour_ms, 2);
  text += ':';
  append_digits(text, of_day / minute_ms % 60, 2);
  text += ':';
  append_digits(text, of_day / second_ms % 60, 2);
  text += '.';
  append_digits(text, of_day % second_ms, 3);
  text += 'Z';
  return text;
}

}  // namespace svc
