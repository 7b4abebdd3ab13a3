// One origin over HTTP/1.1: keep-alive, deadlines, TLS, proxies. Synchronous; one thread at a time.
//
// Promises
//   - TransportError::delivery is not_sent only if no byte of the request left this process.
//   - A kept connection that the server closed meanwhile is replaced silently if no byte of the request
//     was written, or if the method is GET or HEAD and no byte of an answer came; nothing else is ever
//     sent twice. (D-152)
//   - The TLS library is not used before an https address is dialled.
//   - Redirects are ordinary answers: a 3xx is returned unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/http/dialler.h"
#include "api/http/http_message.h"
#include "api/http/http_parser.h"
#include "base/limits.h"
#include "base/result.h"

// The way to a server: sockets in production, the gateway itself in tests.

namespace svc::api {

// Decides whether an unanswered request may be sent again.
enum class Delivery : std::uint8_t {
  not_sent,  // no byte of the request was sent: nothing can have happened
  unknown,   // some or all bytes were sent, and no complete answer came back
};

struct TransportError {
  Delivery delivery = Delivery::unknown;
  std::string reason;           // one line, no secrets: "connect 127.0.0.1:9090: connection refused"
  bool is_interrupted = false;  // whoever asked gave up waiting
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Sends one request and waits for the complete answer.
  [[nodiscard]] virtual Result<HttpResponse, TransportError> send(const HttpRequest& request) = 0;
};

struct HttpClientOptions {
  DialOptions dial = {};  // http or https
  std::string user_agent = "svc";

  std::int64_t connect_ms = limits::http_connect_ms;  // name resolution, TCP, proxy and TLS together
  std::int64_t answer_ms = limits::http_answer_ms;    // from the first byte written to the last one read
  std::size_t header_bytes_max = limits::http_response_header_bytes_max;
  std::size_t body_bytes_max = limits::http_response_body_bytes_max;
};

// Whether the request changes nothing: GET and HEAD.
[[nodiscard]] bool is_idempotent_read(const HttpRequest& request);
// Whether the client writes that header field itself, whatever the request says.
[[nodiscard]] bool is_client_field(std::string_view name);
// Why the request cannot be sent as one message, whoever gets it; empty if it can.
[[nodiscard]] std::string fault_of(const HttpRequest& request);

class HttpClient final : public Transport {
 public:
  explicit HttpClient(HttpClientOptions options);

  // The caller provides method, target (origin form), its own fields and the body; Host, User-Agent (if absent),
  // Content-Length and Connection are added. Input that could split the message (a line break in a name, value,
  // method or target) is refused as not_sent.
  [[nodiscard]] Result<HttpResponse, TransportError> send(const HttpRequest& request) override;

  // Connections opened so far: more than one means that keep-alive failed.
  [[nodiscard]] std::size_t connections_opened() const { return dialler_.connections_opened(); }

 private:
  [[nodiscard]] std::string written_out(const HttpRequest& request) const;
  [[nodiscard]] Result<HttpResponse, TransportError> exchange(const HttpRequest& request, std::string_view bytes);
  [[nodiscard]] std::optional<ChannelError> read_answer(ResponseParser::Body expected, Deadline deadline);

  HttpClientOptions options_;
  Dialler dialler_;
  ResponseParser parser_;
  std::unique_ptr<Channel> channel_;  // uses dialler_
  bool answer_began_ = false;
  bool left_over_ = false;
  bool may_be_stale_ = false;  // the server may have closed the kept connection before the request arrived (D-152)
};

}  // namespace svc::api
