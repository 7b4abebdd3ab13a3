#include "cli/exchange/call.h"

namespace svc::cli {

Call make_call(const api::Operation& operation, const api::TypeInfo& response, api::HttpRequest request) {
  Call call{.operation = &operation,
            .path = std::string(request.path()),
            .query = std::string(request.query()),
            .body = std::move(request.body)};
  for (const api::Header& header : request.headers) {
    const bool ours =
        api::same_header_name(header.name, "Content-Type") || api::same_header_name(header.name, "Accept");
    if (!ours) call.headers.push_back(header);
  }
  call.response = &response;
  return call;
}

}  // namespace svc::cli
