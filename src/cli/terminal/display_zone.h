// --tz: the time zone in which tables show times and in which typed days begin. JSON is always UTC.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace svc::cli {

class DisplayZone {
 public:
  DisplayZone() = default;  // UTC
  // A name of the system's zone data ("Europe/Berlin"), "utc", or "local" for the zone of `local_name` (the variable
  // TZ) or else of the system. The error tells what was expected, without the flag's name.
  static Result<DisplayZone, std::string> find(const std::string& name, const std::optional<std::string>& local_name);

  // A cell that is a time in our format ("2026-09-21T12:00:00.000Z", with or without the fraction), converted to this
  // zone with its offset ("2026-09-21T14:00:00.000+02:00"); any other cell unchanged.
  [[nodiscard]] std::string shown(std::string cell) const;

  // The beginning of the day of `at_ms`, or of the day that many days before.
  [[nodiscard]] TimestampMs day_began_ms(TimestampMs at_ms, int days_back) const;
  // The beginning of that date; nullopt if the calendar does not have it.
  [[nodiscard]] std::optional<TimestampMs> date_began_ms(int year, int month, int day) const;

 private:
  struct Zone;
  explicit DisplayZone(std::shared_ptr<const Zone> zone) : zone_(std::move(zone)) {}
  std::shared_ptr<const Zone> zone_;  // null: UTC, nothing to do
};

}  // namespace svc::cli
