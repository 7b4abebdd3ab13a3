// What the control surface does with the market's own life: bots, drills, walks of a price.
#pragma once

#include <string_view>

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlFlow {
 public:
  explicit ControlFlow(ControlledVenue venue) : venue_(std::move(venue)) {}

  [[nodiscard]] ControlAnswer show(const api::HttpRequest& request) const;
  // Bots that go have left the book when this answers; bots that come get the prices back that were set by hand.
  [[nodiscard]] ControlAnswer change(const api::HttpRequest& request) const;
  // The market is the segment of the path before the last.
  [[nodiscard]] ControlAnswer walk(const api::HttpRequest& request) const;

 private:
  [[nodiscard]] Result<void, api::ApiError> set_bots(bool on) const;
  [[nodiscard]] Result<void, api::ApiError> start_drill(std::string_view name) const;

  ControlledVenue venue_;
};

}  // namespace svc::sim
