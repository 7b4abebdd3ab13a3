// --record FILE: what went over the wire, one JSON object per request, appended. Secrets, signatures and
// tokens are replaced as everywhere else, so the file may be shown to others.
#pragma once

#include <string>

#include "api/http_message.h"
#include "api/transport.h"
#include "base/clock.h"
#include "base/result.h"

namespace svc::cli {

class WireLog {
 public:
  // A file that cannot be appended to ends the command before anything is sent; the error says why.
  [[nodiscard]] static Result<WireLog, std::string> open(const std::string& file);
  WireLog(WireLog&& other) noexcept;
  WireLog& operator=(WireLog&&) = delete;
  ~WireLog();

  void add(const std::string& origin, const api::HttpRequest& request,
           const Result<api::HttpResponse, api::TransportError>& response, TimestampMs sent_at_ms,
           TimestampMs received_at_ms) const;

 private:
  explicit WireLog(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace svc::cli
