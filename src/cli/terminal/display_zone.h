// --tz: in which zone tables show times, and where the days begin that are typed. JSON is UTC whatever is said here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace svc::cli {

class DisplayZone {
 public:
  DisplayZone() = default;  // UTC
  // A name of the system's zone data ("Europe/Berlin"), "utc", or "local" for what `local_name` (the
  // variable TZ) or else the system says. The error says what was expected, without the flag's name.
  [[nodiscard]] static Result<DisplayZone, std::string> find(const std::string& name,
                                                             const std::optional<std::string>& local_name);

  // A cell that is a time as we write it ("2026-09-21T12:00:00.000Z", with or without the fraction) in
  // this zone, with the zone's offset ("2026-09-21T14:00:00.000+02:00"); anything else as it is.
  [[nodiscard]] std::string shown(std::string cell) const;

  // When the day began that holds the instant, or one so many days before it.
  [[nodiscard]] TimestampMs day_began_ms(TimestampMs at_ms, int days_back) const;
  // When that day begins; nullopt if the calendar has none.
  [[nodiscard]] std::optional<TimestampMs> date_began_ms(int year, int month, int day) const;

 private:
  struct Zone;
  explicit DisplayZone(std::shared_ptr<const Zone> zone) : zone_(std::move(zone)) {}
  std::shared_ptr<const Zone> zone_;  // null: UTC, nothing to do
};

}  // namespace svc::cli
