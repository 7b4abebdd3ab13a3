// Replies as bytes. One writer per I/O thread: it keeps the text of the current second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/http_message.h"
#include "base/clock.h"

namespace svc::sim {

[[nodiscard]] std::string_view reason_phrase(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
[[nodiscard]] std::string http_date(TimestampMs time_ms);

// What the connection knows and the reply does not.
struct ResponseShape {
  bool head = false;        // answers HEAD: no body
  bool close = false;       // the last reply of the connection
  bool keep_alive = false;  // said aloud: HTTP/1.0
};

class ResponseWriter {
 public:
  ResponseWriter(std::string_view server_name, std::function<TimestampMs()> now);

  // Appends the whole reply. Fields that are the server's are dropped from `response`; control
  // characters in other fields become blanks, so that no value can end its line. (D-154)
  void write(std::string& out, const api::HttpResponse& response, ResponseShape shape);

 private:
  void refresh_date();

  std::function<TimestampMs()> now_;
  std::string server_line_;
  std::int64_t date_second_ = -1;
  std::string date_line_;
};

// The reply asks for the end of the connection itself.
[[nodiscard]] bool asks_to_close(const api::HttpResponse& response);

}  // namespace svc::sim
