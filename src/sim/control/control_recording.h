// Sessions that are written down as scenarios.
#pragma once

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlRecording {
 public:
  explicit ControlRecording(ControlledVenue venue) : venue_(std::move(venue)) {}

  [[nodiscard]] ControlAnswer show(const api::HttpRequest& request) const;
  // From now on, with prices that stand where they are until somebody moves them by hand. (D-530)
  [[nodiscard]] ControlAnswer start(const api::HttpRequest& request) const;
  // The session as the text of a scenario file.
  [[nodiscard]] ControlAnswer stop(const api::HttpRequest& request) const;

 private:
  [[nodiscard]] Result<void, std::string> possible() const;
  [[nodiscard]] Result<void, api::ApiError> fix_prices() const;

  ControlledVenue venue_;
};

}  // namespace svc::sim
