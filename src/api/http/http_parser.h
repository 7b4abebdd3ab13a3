// Parses HTTP/1 messages from bytes incrementally, within bounds. Beast parses grammar and framing; what it accepts
// but must not pass is refused here: (D-150)
//   - a Transfer-Encoding other than exactly "chunked", or any in HTTP/1.0
//   - an HTTP/1.1 request without exactly one Host, and a Host that is no name or address with an optional port
//   - CONNECT, and a request field that continues on a second line (RFC 9112 section 5.2)
//   - trailer fields are read and dropped: they never become header fields
//
// Both parsers consume bytes from the front and return how many; the caller passes the rest again, before the next
// bytes. Nothing beyond the end of a message is consumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "api/http/http_message.h"

namespace svc::api {

enum class ParseFailure : std::uint8_t {
  malformed,
  start_line_too_long,
  header_too_large,  // in bytes or in fields
  body_too_large,
  unknown_transfer_coding,
  unknown_expectation,
  tunnel_asked_for,  // CONNECT
};

struct ParserLimits {
  std::size_t start_line_bytes_max;
  std::size_t header_bytes_max;  // start line included
  std::size_t header_fields_max;
  std::size_t body_bytes_max;
  // A request may have a larger body if this holds for its target and a field of its header; empty: none may. Asked
  // only for targets that begin like that.
  std::string_view roomy_below{};
  std::function<bool(std::string_view target, std::string_view name, std::string_view value)> is_roomy{};
  std::size_t roomy_body_bytes_max = 0;
};

enum class ParserState : std::uint8_t {
  empty,   // nothing of a message yet
  header,  // part of the header
  body,    // the whole header, part of the body
  complete,
  failed,
};

class RequestParser {
 public:
  explicit RequestParser(const ParserLimits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  std::size_t feed(std::string_view bytes);
  // Ready for the next message.
  void reset();

  [[nodiscard]] ParserState state() const;
  [[nodiscard]] ParseFailure failure() const;  // when failed

  // From state body on. A target in absolute form has been converted to origin form and Host.
  [[nodiscard]] HttpRequest& request();
  [[nodiscard]] bool http_1_0() const;
  [[nodiscard]] bool keep_alive() const;        // what version and Connection request
  [[nodiscard]] bool upgrade() const;           // Connection: upgrade with an Upgrade field
  [[nodiscard]] bool expects_continue() const;  // Expect: 100-continue

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class ResponseParser {
 public:
  explicit ResponseParser(const ParserLimits& limits);
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  enum class Body : std::uint8_t { as_framed, none };  // none: the answer to HEAD, or to CONNECT

  // Must be called before each answer.
  void begin(Body body);
  std::size_t feed(std::string_view bytes);
  // The connection ended: completes a body delimited by that, fails any other message.
  void end_of_bytes();

  [[nodiscard]] ParserState state() const;
  [[nodiscard]] ParseFailure failure() const;

  [[nodiscard]] HttpResponse& response();
  [[nodiscard]] bool keep_alive() const;  // also false if the body ends with the connection

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::api
