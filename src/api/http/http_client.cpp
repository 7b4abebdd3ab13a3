#include "api/http/http_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "base/text.h"

namespace svc::api {
namespace {

constexpr std::size_t read_bytes = 16 * 1024;

constexpr std::array<std::string_view, 6> client_fields = {"host",       "content-length",    "connection",
                                                           "keep-alive", "transfer-encoding", "proxy-authorization"};

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_ascii_control(c) && c != '\t'; });
}

bool is_token(std::string_view text) {
  return is_plain_word(text, text.npos, "!#$%&'*+.^`|~");
}

bool needs_content_length(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
}

std::string reason_of(ParseFailure failure) {
  switch (failure) {
    case ParseFailure::start_line_too_long:
    case ParseFailure::header_too_large: return "its header is too large";
    case ParseFailure::body_too_large: return "its body is too large";
    case ParseFailure::malformed:
    case ParseFailure::unknown_transfer_coding:
    case ParseFailure::unknown_expectation:
    case ParseFailure::tunnel_asked_for: return "it is not well-formed HTTP, or cut off";
  }
  SVC_ASSERT(false);
}

}  // namespace

bool is_idempotent_read(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

bool is_client_field(std::string_view name) {
  return std::any_of(client_fields.begin(), client_fields.end(),
                     [&](std::string_view field) { return same_header_name(name, field); });
}

std::string fault_of(const HttpRequest& request) {
  if (!is_token(request.method)) return "the method is not a token";
  const std::string_view target = request.target;
  if (!target.starts_with('/') || has_control(target) || target.find_first_of(" \t") != std::string_view::npos) {
    return "the target is not a path without blanks";
  }
  for (const Header& field : request.headers) {
    if (!is_token(field.name)) return "a header field has no proper name";
    if (has_control(field.value)) return "header field " + std::string(field.name) + " holds a control character";
  }
  return {};
}

HttpClient::HttpClient(HttpClientOptions options)
    : options_(std::move(options)),
      dialler_(options_.dial, ProxyUse::forward),
      parser_({.header_bytes_max = options_.header_bytes_max, .body_bytes_max = options_.body_bytes_max}) {
  SVC_ASSERT(options_.dial.origin.scheme == Scheme::http || options_.dial.origin.scheme == Scheme::https);
}

Result<HttpResponse, TransportError> HttpClient::send(const HttpRequest& request) {
  if (const std::string fault = fault_of(request); !fault.empty()) {
    return unexpected(TransportError{Delivery::not_sent, "request: " + fault});
  }
  const std::string bytes = written_out(request);
  const bool reused = channel_ && channel_->quiet();
  if (!reused) channel_.reset();
  auto answer = exchange(request, bytes);
  if (!answer && reused && may_be_stale_) answer = exchange(request, bytes);
  return answer;
}

std::string HttpClient::written_out(const HttpRequest& request) const {
  std::string out;
  out.reserve(512 + request.target.size() + request.body.size());
  out += request.method;
  out += ' ';
  if (dialler_.forwards()) out += "http://" + dialler_.host_field();
  out += request.target;
  out += " HTTP/1.1\r\nHost: " + dialler_.host_field() + "\r\n";
  if (!options_.user_agent.empty() && !request.headers.contains("user-agent")) {
    out += "User-Agent: " + options_.user_agent + "\r\n";
  }
  for (const Header& field : request.headers) {
    if (is_client_field(field.name)) continue;
    out += field.name;
    out += ": ";
    out += field.value;
    out += "\r\n";
  }
  if (dialler_.forwards()) out += authorization_line(*options_.dial.proxy);
  if (needs_content_length(request)) out += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  out += "\r\n";
  out += request.body;
  return out;
}

Result<HttpResponse, TransportError> HttpClient::exchange(const HttpRequest& request, std::string_view bytes) {
  if (!channel_) {
    auto dialled = dialler_.dial(deadline_in(options_.connect_ms));
    if (!dialled) return unexpected(TransportError{Delivery::not_sent, std::move(dialled).error()});
    channel_ = std::move(*dialled);
  }
  const std::uint64_t sent_before = channel_->bytes_sent();
  const Deadline deadline = deadline_in(options_.answer_ms);
  answer_began_ = false;

  const auto written = channel_->write(bytes, deadline);
  // A server may answer and hang up before it has read everything; the answer is still readable.
  auto problem =
      read_answer(request.method == "HEAD" ? ResponseParser::Body::none : ResponseParser::Body::as_framed, deadline);
  if (!written && problem) problem = written.error();
  if (!problem) {
    // A connection with unexpected bytes, or with an incomplete request, is not reused.
    if (!parser_.keep_alive() || !written || left_over_) channel_.reset();
    return std::move(parser_.response());
  }
  const bool is_sent = channel_->bytes_sent() != sent_before;
  may_be_stale_ =
      problem->kind == ChannelError::Kind::ended && !answer_began_ && (!is_sent || is_idempotent_read(request));
  channel_.reset();
  return unexpected(TransportError{is_sent ? Delivery::unknown : Delivery::not_sent,
                                   "answer of " + dialler_.host_field() + ": " + problem->reason});
}

// Feeds the parser until the answer is complete; nullopt if it is.
std::optional<ChannelError> HttpClient::read_answer(ResponseParser::Body expected, Deadline deadline) {
  std::array<char, read_bytes> buffer;
  std::string input;
  int interim = 0;
  std::size_t late_bytes = 0;
  left_over_ = false;
  parser_.begin(expected);
  while (true) {
    input.erase(0, parser_.feed(input));
    if (parser_.state() == ParserState::failed) {
      return ChannelError{ChannelError::Kind::other, reason_of(parser_.failure())};
    }
    if (parser_.state() == ParserState::complete) {
      if (parser_.response().status / 100 != 1) {
        left_over_ = !input.empty();
        return std::nullopt;
      }
      if (++interim > limits::http_interim_responses_max || parser_.response().status == 101) {
        return ChannelError{ChannelError::Kind::other, "an interim answer that was not asked for"};
      }
      parser_.begin(expected);
      continue;
    }
    auto count = channel_->read_some(buffer, deadline);
    if (!count) return std::move(count).error();
    if (*count == 0) {
      parser_.end_of_bytes();
      if (parser_.state() == ParserState::complete) return std::nullopt;
      return ChannelError{ChannelError::Kind::ended, "the connection was closed before it was complete"};
    }
    answer_began_ = true;
    input.append(buffer.data(), *count);
    // What has arrived is read late as well: this process may have been stopped. But the sender must come to an end.
    if (remaining_ms(deadline) == 0) late_bytes += *count;
    if (late_bytes > limits::late_answer_bytes_max) return ChannelError{ChannelError::Kind::timed_out, "timed out"};
  }
}

}  // namespace svc::api
