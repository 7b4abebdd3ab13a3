// What the control surface tells: the sandbox, its time, its requests, its invariants.
#pragma once

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlReports {
 public:
  explicit ControlReports(ControlledVenue venue) : venue_(std::move(venue)), started_ms_(venue_.machine.now_ms()) {}

  [[nodiscard]] ControlAnswer status(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer time(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer requests(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer coverage(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer tag_coverage(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer invariants(const api::HttpRequest& request) const;

 private:
  ControlledVenue venue_;
  TimestampMs started_ms_;
};

}  // namespace svc::sim
