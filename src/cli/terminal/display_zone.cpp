#include "cli/terminal/display_zone.h"

#include <absl/time/time.h>

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

Result<DisplayZone, std::string> DisplayZone::find(const std::string& name,
                                                   const std::optional<std::string>& local_name) {
  if (name == "utc" || name == "UTC") return DisplayZone(nullptr);
  std::string wanted = name == "local" ? local_name.value_or("localtime") : name;
  if (wanted.starts_with(':')) wanted.erase(0, 1);
  auto zone = std::make_shared<Zone>();
  // A path is allowed only from the system's own setting.
  const bool a_path = wanted.starts_with('/') && name != "local";
  if (a_path || wanted.empty() || !absl::LoadTimeZone(wanted, &zone->zone)) {
    // An unknown zone in TZ means UTC, as for every other program.
    if (name == "local") return DisplayZone(nullptr);
    return unexpected("no time zone is called \"" + wanted + "\"; names are as in Europe/Berlin, or utc, or local");
  }
  return DisplayZone(std::move(zone));
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
