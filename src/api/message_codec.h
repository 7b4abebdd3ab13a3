// Records to HTTP messages and back: the declaration of a field says whether it travels in the body, the path, the
// query or a header.
//
// Queries are form encoded: '+' is a blank, other bytes may be percent-escaped, the first of several parameters
// with one name counts, and unknown parameters are ignored. Path parameters come decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/header_names.h"
#include "api/http/http_message.h"
#include "api/list_text.h"
#include "api/operation.h"

namespace svc::api {

struct RequestParts {
  using Parameters = std::span<const std::pair<std::string_view, std::string>>;  // name, decoded value

  Parameters path_parameters;
  std::string_view query;
  const Headers* headers = nullptr;
  std::string_view body;
};
// All of it is borrowed.
[[nodiscard]] inline RequestParts parts_of(const HttpRequest& request, RequestParts::Parameters path_parameters = {}) {
  return {
      .path_parameters = path_parameters, .query = request.query(), .headers = &request.headers, .body = request.body};
}

// Fills `request`, or returns the error to answer with. A blank body counts as empty; GET and DELETE ignore the
// body.
[[nodiscard]] Result<void, ApiError> decode_request(const Operation& operation, const TypeInfo& type, void* request,
                                                    const RequestParts& parts, const DecodeOptions& options,
                                                    DecodeReport* report);

[[nodiscard]] bool has_request_body(const Operation& operation, const TypeInfo& request);

// The code for a malformed path, query or header parameter. A missing one is invalid_parameter.
[[nodiscard]] ErrorCode parameter_refusal(const FieldInfo& field);

template <class Op>
[[nodiscard]] Result<typename Op::Request, ApiError> decode_request(const RequestParts& parts,
                                                                    const DecodeOptions& options = strict,
                                                                    DecodeReport* report = nullptr) {
  typename Op::Request request{};
  SVC_TRY(decode_request(Op::op, type_of<typename Op::Request>(), &request, parts, options, report));
  return request;
}

// Method, target (logical path and query), header fields of the record, and body with its content type.
[[nodiscard]] HttpRequest encode_request(const Operation& operation, const TypeInfo& type, const void* request);

template <class Op>
[[nodiscard]] HttpRequest encode_request(const typename Op::Request& request) {
  return encode_request(Op::op, type_of<typename Op::Request>(), &request);
}

// Body and header fields of a record; the caller sets status and content type.
void encode_response(HttpResponse& response, const TypeInfo& type, const void* record);

template <class T>
void encode_response(HttpResponse& response, const T& record) {
  encode_response(response, type_of<T>(), &record);
}

// Likewise a list whose rows were written as they were read.
template <class T>
struct WrittenList {
  ListText<T> rows;
  std::optional<std::string> next_cursor;
};

// Likewise one record.
template <Row R>
struct WrittenRecord {
  explicit WrittenRecord(const R& row = {}) { RowWriter<R>::write(text, row); }

  Encoder text{};
};

template <Row R>
void encode_response(HttpResponse& response, WrittenRecord<R>&& record) {
  response.body = record.text.text();
}

template <class T>
void encode_response(HttpResponse& response, WrittenList<T>&& list) {
  response.body = std::move(list.rows).text();
  if (list.next_cursor) response.headers.set(header::next_cursor, *list.next_cursor);
}

// A connection for whole text messages in both directions: a WebSocket in production, the exchange itself in tests.
// One thread at a time.

struct LinkEvent {
  enum class Kind : std::uint8_t {
    text,
    pong,
    ended,  // the last one; `text` says why
  };
  Kind kind = Kind::text;
  std::string text{};
  std::uint16_t close_code = 0;  // of ended, if the peer gave one
};

class MessageLink {
 public:
  virtual ~MessageLink() = default;

  // False: the link has ended, and next() says why.
  virtual bool send(std::string_view text) = 0;
  virtual bool ping() = 0;
  // Starts closing and does not wait for the answer.
  virtual void close() = 0;
  // The next event, waiting at most this long; nullopt: there was none.
  [[nodiscard]] virtual std::optional<LinkEvent> next(std::int64_t wait_ms) = 0;
};

// Why there is no link, or no answer to a question.
struct LinkRefusal {
  int status = 0;                   // HTTP; 0: there was no answer
  std::string code{};               // of the refusal's body; ours if it has none
  std::string reason{};             // one line, no secrets
  bool permanent = false;           // retrying would change nothing
  std::int64_t retry_after_ms = 0;  // the earliest useful retry; 0: not stated
};

}  // namespace svc::api
