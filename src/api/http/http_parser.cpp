#include "api/http/http_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <optional>
#include <string>
#include <utility>

#include "api/http/url.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/text.h"

namespace svc::api {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using BeastText = boost::beast::string_view;  // converts both ways, but overrides must name it

constexpr std::size_t ipv6_bytes = 16;
constexpr std::string_view last_chunk = "0\r\n\r\n";
constexpr std::size_t kept_bytes_max = 4 * 1024;     // of a body, or of header fields, for the next request
constexpr std::size_t body_reserve_max = 64 * 1024;  // an announced length alone reserves no more than this

// A registered name: unreserved characters, escapes and sub-delimiters.
bool is_registered_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_name_character(text[i]) || std::string_view(".~!$&'()*+,;=").find(text[i]) != std::string_view::npos)
      continue;
    if (text[i] != '%' || i + 2 >= text.size() || !from_hex_exact<1>(text.substr(i + 1, 2))) return false;
    i += 2;
  }
  return true;
}

// uri-host with an optional port (RFC 9110 section 7.2); empty for a request without authority.
bool is_host(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    // An IPv6 address (RFC 3986 section 3.2.2). IPvFuture is refused: nobody has such an address.
    if (end == std::string_view::npos || address_bytes(std::string(text.substr(1, end - 1))).size() != ipv6_bytes)
      return false;
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return false;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (!is_registered_name(text.substr(0, colon))) return false;
    port = text.substr(colon);
  }
  if (!port.empty()) port.remove_prefix(1);
  return port.empty() || parse_integer<std::uint16_t>(port).has_value();
}

// Whether `chunked` is followed by another transfer coding: the end of such a body cannot be determined.
bool goes_on_after_chunked(std::string_view codings) {
  const std::size_t last_comma = codings.rfind(',');
  if (last_comma == std::string_view::npos) return false;
  return lower_case(codings.substr(0, last_comma)).find("chunked") != std::string::npos;
}

// The common part of request and response parsers: bounds, fields, body.
template <bool is_request>
class Parser : public http::basic_parser<is_request>, public MessageGrammar {
  using Beast = http::basic_parser<is_request>;

 public:
  Parser(const ParserLimits& limits, Headers& headers, std::string& body)
      : limits_(limits), headers_(headers), body_(body) {
    this->eager(false);  // one step per call, so that the end of the header is known exactly
    this->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
    this->body_limit(limits.body_bytes_max);
  }

  std::size_t feed(std::string_view bytes) final {
    std::size_t taken = 0;
    if (!this->got_some()) {
      // Empty lines before a message are skipped (RFC 9112 section 2.2).
      while (bytes.substr(taken).starts_with("\r\n")) taken += 2;
      count_header_bytes(taken);
      if (!may_start(bytes.substr(taken))) return taken;
    }
    while (!failure_ && taken < bytes.size() && !this->is_done()) {
      const bool in_header = !this->is_header_done();
      error_code error;
      const std::string_view rest = bytes.substr(taken);
      // Beast 1.81 asserts if a first and last chunk is shorter.
      if (!in_header && this->chunked() && rest.front() == '0' && rest.size() < last_chunk.size()) break;
      const std::size_t step = this->put({rest.data(), rest.size()}, error);
      if (is_request && (in_header || in_trailer_) && has_folded_line(rest.substr(0, step))) {
        failure_ = ParseFailure::malformed;
        break;
      }
      taken += step;
      if (in_header) count_header_bytes(step);
      if (error == http::error::need_more) {
        check_waiting(rest.size() - step);
        break;
      }
      if (error && !failure_) failure_ = failure_of(error);
    }
    return taken;
  }

  void end_of_bytes() final {
    error_code error;
    if (this->got_some() && !this->is_done()) this->put_eof(error);
    if (!failure_ && !this->is_done()) failure_ = ParseFailure::malformed;
  }

  [[nodiscard]] ParserState state() const final {
    if (failure_) return ParserState::failed;
    if (this->is_done()) return ParserState::complete;
    if (!this->got_some()) return waiting_for_line_ ? ParserState::header : ParserState::empty;
    return this->is_header_done() ? ParserState::body : ParserState::header;
  }
  [[nodiscard]] ParseFailure failure() const final {
    SVC_ASSERT(failure_.has_value());
    return *failure_;
  }
  [[nodiscard]] int version() const final { return version_; }
  [[nodiscard]] bool keep_alive() const final { return Beast::keep_alive(); }
  [[nodiscard]] bool upgrade() const final { return Beast::upgrade(); }
  [[nodiscard]] bool expects_continue() const final { return expects_continue_; }

 protected:
  [[nodiscard]] const ParserLimits& limits() const { return limits_; }
  void start_line(std::size_t bytes, int version, error_code& error) {
    version_ = version;
    if (bytes > limits_.start_line_bytes_max) fail(ParseFailure::start_line_too_long, error);
  }

  void fail(ParseFailure failure, error_code& error) {
    failure_ = failure;
    error = http::error::bad_value;
  }

  // A header field; not called for trailers.
  virtual void on_header_field(http::field, std::string_view /*name*/, std::string_view /*value*/, error_code&) {}

  bool expects_continue_ = false;  // of a request

 private:
  // Checks complete fields, because Beast joins folded lines.
  static bool has_folded_line(std::string_view fields) {
    while (!fields.empty()) {
      static_cast<void>(take_line(fields));
      if (fields.starts_with(' ') || fields.starts_with('\t')) return true;
    }
    return false;
  }

  void count_header_bytes(std::size_t bytes) {
    header_bytes_ += bytes;
    if (header_bytes_ > limits_.header_bytes_max) failure_ = ParseFailure::header_too_large;
  }

  // The grammar gets the first line as a whole: in pieces it would be checked only with the last field, and clients
  // of another protocol would wait for a timeout.
  bool may_start(std::string_view bytes) {
    const std::size_t end = bytes.find('\n');
    if (end != std::string_view::npos && end > 0 && bytes[end - 1] == '\r') return true;
    if (end != std::string_view::npos) failure_ = ParseFailure::malformed;
    const bool printable = bytes.empty() || bytes == "\r" || is_printable(bytes.front());
    if (!printable) failure_ = ParseFailure::malformed;
    if (bytes.size() > limits_.start_line_bytes_max) failure_ = ParseFailure::start_line_too_long;
    waiting_for_line_ = !bytes.empty();
    return false;
  }

  // Bytes that could not be used yet: an unfinished field, chunk size or trailer.
  void check_waiting(std::size_t bytes) {
    if (!this->is_header_done()) {
      if (header_bytes_ + bytes > limits_.header_bytes_max) failure_ = ParseFailure::header_too_large;
    } else if (bytes > limits_.header_bytes_max) {
      failure_ = ParseFailure::malformed;
    }
  }

  [[nodiscard]] ParseFailure failure_of(const error_code& error) const {
    if (error == http::error::header_limit) {
      return version_ != 0 ? ParseFailure::header_too_large : ParseFailure::start_line_too_long;
    }
    if (error == http::error::body_limit) return ParseFailure::body_too_large;
    return ParseFailure::malformed;
  }

  void on_field_impl(http::field field, BeastText name, BeastText value, error_code& error) final {
    if (++fields_ > limits_.header_fields_max) return fail(ParseFailure::header_too_large, error);
    if (this->is_header_done()) return;
    if (field == http::field::transfer_encoding) {
      const std::string_view codings(value.data(), value.size());
      if (std::exchange(codings_seen_, true) || goes_on_after_chunked(codings) || version_ < 11)
        return fail(ParseFailure::malformed, error);
      if (!boost::beast::iequals(value, "chunked")) return fail(ParseFailure::unknown_transfer_coding, error);
    }
    on_header_field(field, name, value, error);
    headers_.add(name, value);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) final {
    if (length) body_.reserve(std::min<std::size_t>(*length, body_reserve_max));
  }
  std::size_t on_body_impl(BeastText bytes, error_code&) final {
    body_.append(bytes);
    return bytes.size();
  }
  // Who ends a line at a bare LF would see other chunks. (D-150)
  void on_chunk_header_impl(std::uint64_t size, BeastText extensions, error_code& error) final {
    in_trailer_ = size == 0;
    const auto is_forbidden = [](char c) { return is_ascii_control(c) && c != '\t'; };
    if (std::ranges::any_of(extensions, is_forbidden)) fail(ParseFailure::malformed, error);
  }
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText bytes, error_code&) final {
    body_.append(bytes);
    return bytes.size();
  }
  void on_finish_impl(error_code&) final {}

  const ParserLimits& limits_;
  Headers& headers_;
  std::string& body_;
  std::size_t header_bytes_ = 0;
  std::size_t fields_ = 0;
  int version_ = 0;  // 0: the start line is not read yet
  bool codings_seen_ = false;
  bool waiting_for_line_ = false;
  bool in_trailer_ = false;
  std::optional<ParseFailure> failure_;
};

class RequestGrammar final : public Parser<true> {
 public:
  RequestGrammar(const ParserLimits& limits, HttpRequest& request)
      : Parser(limits, request.headers, request.body), request_(request) {}

 private:
  void on_request_impl(http::verb, BeastText method, BeastText raw_target, int version, error_code& error) override {
    const std::string_view target = raw_target;
    start_line(method.size() + target.size() + std::string_view("  HTTP/1.1\r\n").size(), version, error);
    if (error) return;
    request_.method = method;
    if (method == "CONNECT") return fail(ParseFailure::tunnel_asked_for, error);
    if (target.find('#') != std::string_view::npos) return fail(ParseFailure::malformed, error);  // a fragment
    if (target.starts_with('/') || (target == "*" && method == "OPTIONS")) {
      return take_target("", target);
    }
    // Absolute form, which a server must accept: its authority overrides Host (RFC 9112 section 3.2.2).
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!boost::beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
      const std::string_view rest = target.substr(scheme.size());
      const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
      if (end == 0 || !is_host(rest.substr(0, end))) break;
      authority_ = rest.substr(0, end);
      return take_target(rest.substr(end).starts_with('/') ? "" : "/", rest.substr(end));
    }
    fail(ParseFailure::malformed, error);
  }

  void take_target(std::string_view root, std::string_view path) {
    request_.target.assign(root).append(path);
    asks_for_room_ = limits().is_roomy && request_.target.starts_with(limits().roomy_below);
  }

  void on_response_impl(int, BeastText, int, error_code&) override {}

  void on_header_field(http::field field, std::string_view name, std::string_view value, error_code& error) override {
    if (asks_for_room_ && limits().is_roomy(request_.target, name, value))
      this->body_limit(limits().roomy_body_bytes_max);
    if (field == http::field::host) {
      ++hosts_;
      if (!is_host(value)) return fail(ParseFailure::malformed, error);
    }
    if (field == http::field::expect) {
      if (!boost::beast::iequals(value, "100-continue")) return fail(ParseFailure::unknown_expectation, error);
      expects_continue_ = version() >= 11;
    }
  }

  void on_header_impl(error_code& error) override {
    if (hosts_ > 1 || (hosts_ == 0 && version() >= 11)) return fail(ParseFailure::malformed, error);
    if (!authority_.empty()) request_.headers.set("Host", authority_);
  }

  HttpRequest& request_;
  std::string authority_;
  int hosts_ = 0;
  bool asks_for_room_ = false;
};

class ResponseGrammar final : public Parser<false> {
 public:
  ResponseGrammar(const ParserLimits& limits, HttpResponse& response, ResponseParser::Body body)
      : Parser(limits, response.headers, response.body), response_(response) {
    if (body == ResponseParser::Body::none) skip(true);
  }

 private:
  void on_request_impl(http::verb, BeastText, BeastText, int, error_code&) override {}
  void on_response_impl(int status, BeastText reason, int version, error_code& error) override {
    start_line(reason.size() + std::string_view("HTTP/1.1 200 \r\n").size(), version, error);
    response_.status = status;
  }
  void on_header_impl(error_code&) override {}

  HttpResponse& response_;
};

}  // namespace

// Short requests leave their memory to the next one, and so does the grammar.
void RequestParser::reset() {
  if (request_.body.capacity() > kept_bytes_max) request_.body = {};
  request_.method.clear();
  request_.target.clear();
  request_.headers.clear(kept_bytes_max);
  request_.body.clear();
  if (auto* const former = static_cast<RequestGrammar*>(grammar_.get())) {
    std::destroy_at(former);
    std::construct_at(former, limits_, request_);
  } else {
    grammar_ = std::make_unique<RequestGrammar>(limits_, request_);
  }
}

void ResponseParser::begin(Body body) {
  response_ = {};
  grammar_ = std::make_unique<ResponseGrammar>(limits_, response_, body);
}

}  // namespace svc::api
