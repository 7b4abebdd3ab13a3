// What the control surface does about money on its way: it plays the chain behind the bridge, and the operator
// who switches services off or freezes an account.
#pragma once

#include "api/http_message.h"
#include "sim/control/controlled_venue.h"

namespace svc::sim {

class ControlMoney {
 public:
  explicit ControlMoney(ControlledVenue venue) : venue_(std::move(venue)) {}

  // A transaction on the chain that pays an account's deposit address.
  [[nodiscard]] ControlAnswer send_deposit(const api::HttpRequest& request) const;
  // Of a bridge deposit, bridge withdrawal or withdrawal: the id is the segment of the path before the last.
  // Settling brings its last confirmation forward to now; failing pays a withdrawal back.
  [[nodiscard]] ControlAnswer settle(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer fail(const api::HttpRequest& request) const;

  [[nodiscard]] ControlAnswer switches(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer turn_switches(const api::HttpRequest& request) const;
  // The account is the segment of the path before the last.
  [[nodiscard]] ControlAnswer freeze(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer unfreeze(const api::HttpRequest& request) const;

 private:
  struct Movement;
  [[nodiscard]] Result<Movement, api::ApiError> movement_of(const api::HttpRequest& request) const;
  [[nodiscard]] ControlAnswer report(const Movement& before, const Applied& applied) const;
  [[nodiscard]] ControlAnswer set_frozen(const api::HttpRequest& request, Freeze freeze) const;

  ControlledVenue venue_;
};

}  // namespace svc::sim
