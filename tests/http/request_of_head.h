// A request's head as bytes, read as the server would: for tests that hand over upgrades without a socket.
#pragma once

#include <string_view>
#include <utility>

#include "api/http/http_parser.h"
#include "base/limits.h"

namespace svc::test {

inline api::HttpRequest request_of_head(std::string_view head) {
  api::RequestParser parser({.start_line_bytes_max = limits::http_request_line_bytes_max,
                             .header_bytes_max = limits::http_header_bytes_max,
                             .header_fields_max = limits::http_header_fields_max,
                             .body_bytes_max = 0});
  parser.feed(head);
  return std::move(parser.request());
}

}  // namespace svc::test
