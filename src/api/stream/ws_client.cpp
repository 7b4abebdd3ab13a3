#include "api/stream/ws_client.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "api/cpp17/ws_codec.h"
#include "api/header_names.h"
#include "api/http/http_parser.h"
#include "api/stream/stream_message.h"
#include "api/version.h"
#include "base/encoding.h"
#include "base/find.h"

namespace svc::api {
namespace {

constexpr std::size_t ws_read_bytes = 64 * 1024;

// What a 101 must say, or must not: no extension and no subprotocol is ever offered. (RFC 6455, 4.1)
struct HandshakeRule {
  std::string_view field;
  std::string_view value;  // in small letters; empty: none
  std::string_view fault;
};

constexpr HandshakeRule handshake_rules[] = {
    {"Upgrade", "websocket", "its Upgrade is not websocket"},
    {"Connection", "upgrade", "its Connection is not Upgrade"},
    {"Sec-WebSocket-Extensions", "", "it uses an extension that was not offered"},
    {"Sec-WebSocket-Protocol", "", "it uses a subprotocol that was not offered"},
};

bool holds(const HandshakeRule& rule, const Headers& headers) {
  std::string values;
  for (const Header& field : headers)
    if (same_header_name(field.name, rule.field)) values += lower_case(field.value) + ' ';
  return rule.value.empty() ? is_blank_text(values) : values.find(rule.value) != std::string::npos;
}

const HandshakeRule* broken_rule(const Headers& headers) {
  return found_where(handshake_rules, [&](const HandshakeRule& rule) { return !holds(rule, headers); });
}

std::optional<HttpResponse> parsed_answer(std::string_view head_and_body) {
  ResponseParser parser({.body_bytes_max = limits::http_response_header_bytes_max});
  static_cast<void>(parser.feed(head_and_body));
  if (parser.state() != ParserState::complete) return std::nullopt;
  return parser.response();
}

class WsLink final : public MessageLink {
 public:
  WsLink(std::unique_ptr<Dialler> dialler, std::unique_ptr<Channel> channel, WsCodec codec, std::int64_t write_ms)
      : dialler_(std::move(dialler)), channel_(std::move(channel)), codec_(std::move(codec)), write_ms_(write_ms) {}

  ~WsLink() override { close(); }

  // The handshake; if it fails, the refusal.
  Result<void, LinkRefusal> shake_hands(Deadline deadline) {
    if (!flush()) return unexpected(lost("the connection ended"));
    std::string answer;
    for (bool is_open = false; !is_open;) {
      std::array<char, ws_read_bytes> buffer;
      const auto count = channel_->read_some(buffer, deadline);
      if (!count) return unexpected(lost(count.error().reason));
      if (*count == 0) return unexpected(answer.empty() ? lost("the connection ended") : refusal_of_upgrade(answer));
      if (answer.size() < limits::http_response_header_bytes_max) answer.append(buffer.data(), *count);
      codec_.feed({buffer.data(), *count});
      for (WsEvent& event : codec_.take_events()) {
        if (event.kind == WsEvent::Kind::failed) return unexpected(refused(std::move(answer), deadline));
        if (event.kind == WsEvent::Kind::opened) is_open = true;
        keep(std::move(event));
      }
      if (!flush()) return unexpected(lost("the connection ended"));
    }
    // The codec has checked the rest of the 101.
    const auto parsed = parsed_answer(answer);
    if (!parsed || broken_rule(parsed->headers) == nullptr) return {};
    return unexpected(refusal_of_upgrade(answer));
  }

  bool send(std::string_view text) override { return !ended_ && codec_.send_text(text) && flush(); }
  bool ping() override { return !ended_ && codec_.ping("") && flush(); }

  void close() override {
    if (ended_ || !codec_.close(ws_close::normal, "")) return;
    static_cast<void>(flush());
  }

  std::optional<LinkEvent> next(std::int64_t wait_ms) override {
    if (events_.empty() && !ended_) receive(wait_ms);
    if (events_.empty()) return std::nullopt;
    LinkEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  static LinkRefusal lost(std::string reason) { return {.code = "no_connection", .reason = std::move(reason)}; }

  // Reads the rest of an answer other than 101: its body contains the refusal.
  LinkRefusal refused(std::string answer, Deadline deadline) {
    const Deadline patience = std::min(deadline, deadline_in(limits::stream_close_ms));
    for (LinkRefusal refusal = refusal_of_upgrade(answer);; refusal = refusal_of_upgrade(answer)) {
      if (!refusal.code.empty() || answer.size() >= limits::http_response_header_bytes_max) return refusal;
      std::array<char, 4096> buffer;
      const auto count = channel_->read_some(buffer, patience);
      if (!count || *count == 0) return refusal;
      answer.append(buffer.data(), *count);
    }
  }

  void receive(std::int64_t wait_ms) {
    std::array<char, ws_read_bytes> buffer;
    const auto count = channel_->read_some(buffer, deadline_in(wait_ms));
    if (!count) {
      if (count.error().kind != ChannelError::Kind::timed_out) end(count.error().reason, 0);
      return;
    }
    if (*count == 0) return end("the connection ended", 0);
    codec_.feed({buffer.data(), *count});
    for (WsEvent& event : codec_.take_events()) keep(std::move(event));
    if (!flush()) end("the connection ended", 0);
    if (codec_.finished()) end("the connection ended", 0);
  }

  void keep(WsEvent&& event) {
    switch (event.kind) {
      case WsEvent::Kind::opened:
      case WsEvent::Kind::ping: break;
      case WsEvent::Kind::text: events_.push_back({.text = std::move(event.payload)}); break;
      case WsEvent::Kind::pong: events_.push_back({.kind = LinkEvent::Kind::pong}); break;
      case WsEvent::Kind::binary: end("the server sent a binary message", 0); break;
      case WsEvent::Kind::closed:
        end(event.payload.empty() ? "closed with code " + std::to_string(event.close_code) : event.payload,
            event.close_code);
        break;
      case WsEvent::Kind::failed: end(std::move(event.payload), 0); break;
    }
  }

  void end(std::string why, std::uint16_t code) {
    if (std::exchange(ended_, true)) return;
    events_.push_back({.kind = LinkEvent::Kind::ended, .text = std::move(why), .close_code = code});
  }

  bool flush() {
    const std::string output = codec_.take_output();
    return output.empty() || channel_->write(output, deadline_in(write_ms_)).has_value();
  }

  std::unique_ptr<Dialler> dialler_;
  std::unique_ptr<Channel> channel_;  // uses dialler_
  WsCodec codec_;
  std::int64_t write_ms_;
  std::deque<LinkEvent> events_;
  bool ended_ = false;
};

}  // namespace

LinkRefusal refusal_of_upgrade(std::string_view head_and_body) {
  const auto parsed = parsed_answer(head_and_body);
  if (!parsed) return {.status = 0, .code = {}, .reason = "the answer to the upgrade is no HTTP, or was cut off"};
  const HttpResponse& answer = *parsed;
  LinkRefusal refusal{.status = answer.status, .code = string_member(answer.body, "code")};
  refusal.reason = "the upgrade was answered with " + std::to_string(answer.status);
  if (!refusal.code.empty()) refusal.reason += " " + refusal.code;
  if (answer.status == 101) {
    const HandshakeRule* const broken = broken_rule(answer.headers);
    refusal.reason += ", but ";
    refusal.reason += broken != nullptr ? broken->fault : "its Sec-WebSocket-Accept is not the answer to the key";
  }
  // A token may have expired; other client errors are permanent.
  refusal.permanent = answer.status / 100 == 4 && answer.status != 401 && answer.status != 408 && answer.status != 429;
  refusal.retry_after_ms = retry_after_ms(answer.headers).value_or(0);
  if (refusal.code.empty()) refusal.code = "upgrade_refused";
  return refusal;
}

Result<std::unique_ptr<MessageLink>, LinkRefusal> open_websocket(WsOpening opening) {
  auto dialler = std::make_unique<Dialler>(std::move(opening.dial), ProxyUse::tunnel);
  auto channel = dialler->dial(deadline_in(opening.connect_ms));
  if (!channel) return unexpected(LinkRefusal{.code = "no_connection", .reason = std::move(channel).error()});
  const bool tls = is_tls(dialler->options().origin.scheme);
  std::vector<std::pair<std::string, std::string>> headers;
  if (!opening.api_version.empty()) headers.emplace_back(version_header, std::move(opening.api_version));
  WsCodec codec = WsCodec::client({.uri = (tls ? "wss://" : "ws://") + dialler->host_field() + opening.target,
                                   .headers = std::move(headers),
                                   .user_agent = std::move(opening.user_agent)});
  auto link = std::make_unique<WsLink>(std::move(dialler), std::move(*channel), std::move(codec), opening.answer_ms);
  SVC_TRY(link->shake_hands(deadline_in(opening.answer_ms)));
  return std::unique_ptr<MessageLink>(std::move(link));
}

}  // namespace svc::api
