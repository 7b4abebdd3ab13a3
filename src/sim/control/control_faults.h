// Faults, as the control surface sets, lists and lifts them.
#pragma once

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlFaults {
 public:
  explicit ControlFaults(const ControlledVenue& venue) : faults_(venue.faults) {}

  [[nodiscard]] ControlAnswer add(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer list(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer clear(const api::HttpRequest& request) const;
  // The number is the last segment of the path.
  [[nodiscard]] ControlAnswer remove(const api::HttpRequest& request) const;

 private:
  FaultBook& faults_;
};

}  // namespace svc::sim
