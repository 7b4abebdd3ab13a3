#include "cli/terminal/display_zone.h"

#include <absl/time/time.h>

#include <array>

#include "base/text.h"
#include "cli/terminal/text.h"

namespace svc::cli {

struct DisplayZone::Zone {
  absl::TimeZone zone;
};

TimestampMs DisplayZone::day_began_ms(TimestampMs at_ms, int days_back) const {
  const absl::TimeZone zone = zone_ == nullptr ? absl::UTCTimeZone() : zone_->zone;
  const absl::CivilDay day = absl::ToCivilDay(absl::FromUnixMillis(at_ms), zone);
  return absl::ToUnixMillis(absl::FromCivil(day - days_back, zone));
}

std::optional<TimestampMs> DisplayZone::date_began_ms(int year, int month, int day) const {
  const absl::TimeZone zone = zone_ == nullptr ? absl::UTCTimeZone() : zone_->zone;
  const absl::CivilDay civil(year, month, day);
  // A date that does not exist would become one of the next month.
  if (civil.year() != year || civil.month() != month || civil.day() != day) return std::nullopt;
  return absl::ToUnixMillis(absl::FromCivil(civil, zone));
}

namespace {

// A zone that TZ describes itself, as POSIX has it: "<+14>-14" or "XYZ-5:30", seconds east of UTC. nullopt for one with
// rules for summer.
std::optional<int> fixed_offset_s(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  std::size_t name = text.starts_with('<') ? text.find('>') : 0;
  if (name == std::string_view::npos) return std::nullopt;
  if (name > 0) ++name;
  while (!text.starts_with('<') && name < text.size() && is_letter(text[name])) ++name;
  if (name < 3) return std::nullopt;
  text.remove_prefix(name);
  const bool is_east = text.starts_with('-');  // POSIX counts west as positive
  if (is_east || text.starts_with('+')) text.remove_prefix(1);
  int offset_s = 0;
  constexpr std::array unit_s{3'600, 60, 1};
  std::size_t part = 0;
  for (; part < unit_s.size(); ++part) {
    const auto end = std::min(text.find(':'), text.size());
    const auto number = parse_integer<unsigned>(text.substr(0, end));
    if (!number || end > 2 || *number > (part == 0 ? 24u : 59u)) return std::nullopt;
    offset_s += static_cast<int>(*number) * unit_s[part];
    if (end == text.size()) return is_east ? offset_s : -offset_s;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

Result<DisplayZone, std::string> DisplayZone::find(const std::string& name,
                                                   const std::optional<std::string>& local_name) {
  if (name == "utc" || name == "UTC") return DisplayZone(nullptr);
  std::string wanted = name == "local" ? local_name.value_or("localtime") : name;
  if (wanted.starts_with(':')) wanted.erase(0, 1);
  auto zone = std::make_shared<Zone>();
  // A path is allowed only from the system's own setting.
  const bool a_path = wanted.starts_with('/') && name != "local";
  if (!a_path && !wanted.empty() && absl::LoadTimeZone(wanted, &zone->zone)) return DisplayZone(std::move(zone));
  if (name != "local")
    return unexpected("no time zone is called \"" + wanted + "\"; names are as in Europe/Berlin, or utc, or local");
  if (!local_name) return DisplayZone(nullptr);  // a machine without a zone
  if (const auto ahead_s = fixed_offset_s(wanted)) {
    zone->zone = absl::FixedTimeZone(*ahead_s);
    return DisplayZone(std::move(zone));
  }
  return unexpected("TZ is \"" + *local_name + "\", which names no zone of the time zone database; --tz names one");
}

std::string DisplayZone::shown(std::string cell) const {
  if (zone_ == nullptr) return cell;
  const bool with_ms = has_form(cell, "0000-00-00T00:00:00.000Z");
  if (!with_ms && !has_form(cell, "0000-00-00T00:00:00Z")) return cell;
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, cell, &time, nullptr)) return cell;
  return absl::FormatTime(with_ms ? "%E4Y-%m-%dT%H:%M:%E3S%Ez" : "%E4Y-%m-%dT%H:%M:%S%Ez", time, zone_->zone);
}

}  // namespace svc::cli
