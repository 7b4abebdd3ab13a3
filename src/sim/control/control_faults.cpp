#include "sim/control/control_faults.h"

#include <charconv>

#include "base/limits.h"
#include "sim/control/control_body.h"
#include "sim/control/fault_body.h"

namespace svc::sim {

using api::ApiError;
using api::ErrorCode;

ControlAnswer ControlFaults::add(const api::HttpRequest& request) const {
  const auto body = ControlBody::parse(request.body);
  if (!body) return unexpected(ApiError(ErrorCode::invalid_json, body.error()));
  const auto rule = parse_fault(*body);
  if (!rule) return unexpected(ApiError(ErrorCode::invalid_json, rule.error()));
  const auto fault = faults_.add(*rule);
  if (!fault)
    return unexpected(
        ApiError(ErrorCode::unprocessable, "at most " + std::to_string(limits::fault_rules_max) + " rules at a time"));
  return to_json(*fault);
}

ControlAnswer ControlFaults::list(const api::HttpRequest&) const {
  std::string document = "{\"faults\":[";
  for (const SetFault& fault : faults_.list()) {
    if (document.back() == '}') document += ',';
    document += to_json(fault);
  }
  return document + "]}";
}

ControlAnswer ControlFaults::clear(const api::HttpRequest&) const {
  return "{\"removed\":" + std::to_string(faults_.clear()) + '}';
}

ControlAnswer ControlFaults::remove(const api::HttpRequest& request) const {
  const std::string_view path = request.path();
  const std::string_view digits = path.substr(path.rfind('/') + 1);
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  if (!is_number || !faults_.remove(id))
    return unexpected(ApiError(ErrorCode::not_found, "no fault " + std::string(digits)));
  return std::string("{\"removed\":1}");
}

}  // namespace svc::sim
