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
#include "base/limits.h"

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

// Those of an answer, where nothing else is said.
struct ParserLimits {
  std::size_t start_line_bytes_max = limits::http_request_line_bytes_max;
  std::size_t header_bytes_max = limits::http_response_header_bytes_max;  // start line included
  std::size_t header_fields_max = limits::http_response_header_fields_max;
  std::size_t body_bytes_max = 0;
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

// One message as the grammar reads it; only http_parser.cpp includes Beast.
class MessageGrammar {
 public:
  virtual ~MessageGrammar() = default;
  virtual std::size_t feed(std::string_view bytes) = 0;
  virtual void end_of_bytes() = 0;
  [[nodiscard]] virtual ParserState state() const = 0;
  [[nodiscard]] virtual ParseFailure failure() const = 0;
  [[nodiscard]] virtual int version() const = 0;  // 11 for HTTP/1.1
  [[nodiscard]] virtual bool keep_alive() const = 0;
  [[nodiscard]] virtual bool upgrade() const = 0;
  [[nodiscard]] virtual bool expects_continue() const = 0;
};

// What the parsers of requests and of answers have in common.
class MessageParser {
 public:
  explicit MessageParser(const ParserLimits& limits) : limits_(limits) {}
  MessageParser(const MessageParser&) = delete;
  MessageParser& operator=(const MessageParser&) = delete;

  std::size_t feed(std::string_view bytes) { return grammar_->feed(bytes); }
  [[nodiscard]] ParserState state() const { return grammar_->state(); }
  [[nodiscard]] ParseFailure failure() const { return grammar_->failure(); }  // when failed
  // What version and Connection ask for. False if the body of an answer ends with the connection.
  [[nodiscard]] bool keep_alive() const { return grammar_->keep_alive(); }

 protected:
  const ParserLimits limits_;
  std::unique_ptr<MessageGrammar> grammar_;  // of the limits, and of the message that a derived parser holds
};

class RequestParser : public MessageParser {
 public:
  explicit RequestParser(const ParserLimits& limits) : MessageParser(limits) { reset(); }
  // Ready for the next message.
  void reset();

  // From state body on. A target in absolute form has been converted to origin form and Host.
  [[nodiscard]] HttpRequest& request() { return request_; }
  [[nodiscard]] bool http_1_0() const { return grammar_->version() < 11; }
  [[nodiscard]] bool upgrade() const { return grammar_->upgrade(); }  // Connection: upgrade with an Upgrade field
  [[nodiscard]] bool expects_continue() const { return grammar_->expects_continue(); }  // Expect: 100-continue

 private:
  HttpRequest request_;
};

class ResponseParser : public MessageParser {
 public:
  enum class Body : std::uint8_t { as_framed, none };  // none: the answer to HEAD, or to CONNECT

  explicit ResponseParser(const ParserLimits& limits) : MessageParser(limits) { begin(Body::as_framed); }
  // Must be called before each answer.
  void begin(Body body);
  // The connection ended: completes a body delimited by that, fails any other message.
  void end_of_bytes() { grammar_->end_of_bytes(); }
  [[nodiscard]] HttpResponse& response() { return response_; }

 private:
  HttpResponse response_;
};

}  // namespace svc::api
