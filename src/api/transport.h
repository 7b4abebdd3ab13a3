// The way to a server: sockets in production, the gateway itself in tests.
#pragma once

#include <cstdint>
#include <string>

#include "api/http_message.h"
#include "base/result.h"

namespace svc::api {

// What is known about a request that got no answer decides whether it may be sent again.
enum class Delivery : std::uint8_t {
  not_sent,  // no byte of the request left: nothing can have happened
  unknown,   // some or all bytes left, and no complete answer came back
};

struct TransportError {
  Delivery delivery = Delivery::unknown;
  std::string reason;  // one line, no secrets: "connect 127.0.0.1:9090: connection refused"
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Sends one request and waits for its whole answer. Follows no redirects.
  [[nodiscard]] virtual Result<HttpResponse, TransportError> send(const HttpRequest& request) = 0;
};

}  // namespace svc::api
