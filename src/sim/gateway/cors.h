// Cross-origin access for pages in a browser. Every origin may call: credentials travel in headers that a
// page must set itself, never in cookies, so there is nothing to protect by origin. (D-230)
#pragma once

#include <string>
#include <string_view>

#include "api/http_message.h"

namespace svc::sim {

// The answer to OPTIONS on a path that exists; `allow` lists its methods.
[[nodiscard]] api::HttpResponse preflight_response(const std::string& allow);

// Lets the page read the answer, our headers included. Does nothing for requests that no page sent.
void allow_origin(const api::Headers& request_headers, api::HttpResponse& response);

}  // namespace svc::sim
