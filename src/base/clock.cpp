#include "base/clock.h"

#include <chrono>
#include <ctime>

namespace svc {

TimestampMs SystemClock::now_ms() const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::int64_t uptime_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * second_ms + now.tv_nsec / 1'000'000;
}

std::string utc_text(TimestampMs at_ms) {
  const std::int64_t days = at_ms / day_ms;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  const std::int64_t of_day = at_ms - days * day_ms;
  std::string text = std::to_string(static_cast<int>(date.year())) + "-00-00T00:00:00.000Z";
  // Digits that end this far before the end of the text.
  const auto write = [&text](std::size_t before_end, int digits, std::int64_t value) {
    for (std::size_t at = text.size() - before_end; digits > 0; --digits, value /= 10)
      text[--at] = static_cast<char>('0' + value % 10);
  };
  write(17, 2, static_cast<unsigned>(date.month()));
  write(14, 2, static_cast<unsigned>(date.day()));
  write(11, 2, of_day / hour_ms);
  write(8, 2, of_day / minute_ms % 60);
  write(5, 2, of_day / second_ms % 60);
  write(1, 3, of_day % second_ms);
  return text;
}

}  // namespace svc
