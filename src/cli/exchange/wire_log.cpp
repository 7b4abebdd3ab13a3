#include "cli/exchange/wire_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/utc_text.h"
#include "cli/exchange/redaction.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

Json shown_headers(const api::Headers& headers) {
  Json all = Json::object();
  for (const api::Header& header : headers) {
    all.append(header.name, shown_header(header.name, header.value, Stand::size));
  }
  return all;
}

Json body_text(const std::string& body) {
  return body.empty() ? Json() : Json(shown_body(body, Stand::size));
}

}  // namespace

Result<WireLog, std::string> WireLog::open(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
  if (descriptor < 0) return unexpected("--record: cannot append to " + file + ": " + std::strerror(errno));
  return WireLog(descriptor);
}

WireLog::WireLog(WireLog&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WireLog::~WireLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WireLog::add(const std::string& origin, const api::HttpRequest& request,
                  const Result<api::HttpResponse, api::TransportError>& response, TimestampMs sent_at_ms,
                  TimestampMs received_at_ms) const {
  Json line = Json::object(
      {{"version", 1},
       {"time", utc_text(sent_at_ms)},
       {"time_ms", sent_at_ms},
       {"ms", received_at_ms - sent_at_ms},
       {"method", request.method},
       {"url", origin + request.target},
       {"request", Json::object({{"headers", shown_headers(request.headers)}, {"body", body_text(request.body)}})}});
  line.set("status", response ? Json(response->status) : Json());
  line.set("response",
           response ? Json::object({{"headers", shown_headers(response->headers)}, {"body", body_text(response->body)}})
                    : Json());
  line.set("no_answer", response ? Json() : Json(response.error().reason));
  // One write, so that lines of several processes do not mix. A full disk loses the record, not the request.
  const std::string text = line.dump() + "\n";
  static_cast<void>(!::write(descriptor_, text.data(), text.size()));
}

}  // namespace svc::cli
