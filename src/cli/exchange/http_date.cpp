#include "cli/exchange/http_date.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace svc::cli {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Days from 1970-01-01 in the Gregorian calendar; years count from March so that leap days come last.
std::int64_t days_since_epoch(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

}  // namespace

std::optional<TimestampMs> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::string_view shape = "Tue, 15 Nov 1994 08:12:31 GMT";
  if (text.size() != shape.size() || !text.ends_with(" GMT") || text[19] != ':' || text[22] != ':') return std::nullopt;
  const auto month = std::find(months.begin(), months.end(), text.substr(8, 3));
  const auto day = number(text.substr(5, 2));
  const auto year = number(text.substr(12, 4));
  const auto hour = number(text.substr(17, 2));
  const auto minute = number(text.substr(20, 2));
  const auto second = number(text.substr(23, 2));
  if (month == months.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  if (*day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::int64_t days = days_since_epoch(*year, static_cast<int>(month - months.begin()) + 1, *day);
  return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * second_ms;
}

}  // namespace svc::cli
