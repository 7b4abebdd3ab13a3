// A WebSocket over the client's channels: TCP or TLS, optionally through a proxy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/http/dialler.h"
#include "api/message_codec.h"
#include "base/limits.h"
#include "base/result.h"

namespace svc::api {

struct WsOpening {
  DialOptions dial = {};
  std::string target = {};  // "/v1/ws?token=..."; in no error and no log
  std::string user_agent = "svc";
  std::string api_version = {};                       // empty: the handshake names none
  std::int64_t connect_ms = limits::http_connect_ms;  // name resolution, TCP, proxy and TLS together
  std::int64_t answer_ms = limits::http_answer_ms;    // from there to the 101
};

// Opens the connection. The error of a refused upgrade is the server's answer: status, code, and Retry-After.
[[nodiscard]] Result<std::unique_ptr<MessageLink>, LinkRefusal> open_websocket(WsOpening opening);

// The refusal expressed by an HTTP answer other than 101, or by a 101 that is no handshake.
[[nodiscard]] LinkRefusal refusal_of_upgrade(std::string_view head_and_body);

}  // namespace svc::api
