// Named snapshots of the whole venue, and its state as a document.
#pragma once

#include <string>

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlSnapshots {
 public:
  explicit ControlSnapshots(ControlledVenue venue) : venue_(std::move(venue)) {}

  [[nodiscard]] ControlAnswer take(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer list(const api::HttpRequest& request) const;
  // The name is the segment of the path after "snapshots".
  [[nodiscard]] ControlAnswer revert(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer remove(const api::HttpRequest& request) const;

  [[nodiscard]] ControlAnswer dump(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer load(const api::HttpRequest& request) const;
  // {} or {"keep_prices":true}.
  [[nodiscard]] ControlAnswer reset(const api::HttpRequest& request) const;

 private:
  [[nodiscard]] std::string moment(const std::string& name) const;
  [[nodiscard]] ControlAnswer go_to(const VenueImage& image, const std::string& name) const;

  ControlledVenue venue_;
};

}  // namespace svc::sim
