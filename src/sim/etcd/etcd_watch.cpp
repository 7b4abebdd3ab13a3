#include "sim/etcd/etcd_watch.h"

#include <array>
#include <limits>

#include "base/limits.h"
#include "sim/etcd/etcd_json.h"

namespace svc::sim {

namespace {

constexpr std::string_view path = "/v3/watch";

EtcdError lost(const api::ChannelError& error) {
  return {.kind = EtcdError::Kind::unknown, .reason = "etcd: watch: " + error.reason};
}

}  // namespace

Result<std::unique_ptr<EtcdWatch>, EtcdError> EtcdWatch::open(const api::HostPort& member, const EtcdRange& range,
                                                              std::int64_t from_revision) {
  auto channel = api::TcpChannel::connect(member, api::deadline_in(limits::etcd_connect_ms));
  if (!channel)
    return unexpected(EtcdError{.kind = EtcdError::Kind::not_sent, .reason = "etcd: watch: " + channel.error().reason});
  std::string body = "{\"create_request\":{";
  etcd_json::add_range(body, range);
  body += ",\"start_revision\":\"" + std::to_string(from_revision) + "\"}}";
  const std::string request = "POST " + std::string(path) + " HTTP/1.1\r\nHost: " + api::to_string(member) +
                              "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                              "\r\n\r\n" + body;
  if (const auto written = (*channel)->write(request, api::deadline_in(limits::etcd_answer_ms)); !written)
    return unexpected(lost(written.error()));
  return std::make_unique<EtcdWatch>(std::move(*channel));
}

EtcdWatch::EtcdWatch(std::unique_ptr<api::Channel> channel)
    : channel_(std::move(channel)),
      parser_({.start_line_bytes_max = limits::http_request_line_bytes_max,
               .header_bytes_max = limits::http_response_header_bytes_max,
               .header_fields_max = limits::http_response_header_fields_max,
               .body_bytes_max = std::numeric_limits<std::int64_t>::max()}) {
  parser_.begin(api::ResponseParser::Body::as_framed);
}

// One message per line; a line that is not complete yet stays in the parser's body.
Result<std::vector<EtcdChange>, EtcdError> EtcdWatch::next(std::int64_t wait_ms) {
  std::vector<EtcdChange> changes;
  std::array<char, 16 * 1024> buffer;
  const api::Deadline deadline = api::deadline_in(wait_ms);
  while (changes.empty()) {
    const auto count = channel_->read_some(buffer, deadline);
    if (!count && count.error().kind == api::ChannelError::Kind::timed_out) break;
    if (!count) return unexpected(lost(count.error()));
    if (*count == 0) return unexpected(lost({.reason = "the connection was closed"}));
    input_.append(buffer.data(), *count);
    input_.erase(0, parser_.feed(input_));
    std::string& body = parser_.response().body;
    if (body.size() > limits::etcd_answer_bytes_max) return unexpected(etcd_json::unclear(path));
    for (std::size_t end = body.find('\n'); end != std::string::npos; end = body.find('\n')) {
      const auto message = nlohmann::json::parse(body.substr(0, end), nullptr, false);
      if (!message.is_object()) return unexpected(etcd_json::unclear(path));
      if (const auto error = message.find("error"); error != message.end())
        return unexpected(etcd_json::error(*error, body.substr(0, end)));
      body.erase(0, end + 1);
      const auto result = message.find("result");
      if (result == message.end() || !result->is_object()) return unexpected(etcd_json::unclear(path));
      if (result->contains("canceled"))
        return unexpected(
            EtcdError{.kind = EtcdError::Kind::refused, .reason = "etcd: watch: what happened then was compacted"});
      const auto events = result->find("events");
      if (events == result->end()) continue;
      bool is_valid = events->is_array();
      for (const auto& event : *events) {
        is_valid = is_valid && event.is_object() && event.contains("kv");
        if (!is_valid) break;
        const bool is_put = !event.contains("type") || event["type"] == "PUT";
        changes.push_back({.kind = is_put ? EtcdChange::Kind::put : EtcdChange::Kind::removed,
                           .row = etcd_json::row(event["kv"], is_valid)});
      }
      if (!is_valid) return unexpected(etcd_json::unclear(path));
    }
    const api::ParserState state = parser_.state();
    if (state == api::ParserState::failed || state == api::ParserState::complete)
      return unexpected(lost({.reason = "etcd ended it"}));
  }
  return changes;
}

}  // namespace svc::sim
