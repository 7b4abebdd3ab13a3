// One WebSocket connection as a codec: bytes go in; bytes to send, messages and the end come out. It has no socket,
// no clock and no thread: the owner enforces deadlines for the handshake, for pongs and for closing (websocketpp's
// own timers do not run here).
//
// Included by C++20 code, implemented in C++17 (websocketpp 0.8 is not C++20), so: C++17 only. Not thread-safe.
// There are no callbacks: the owner feeds bytes, then takes events and output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace svc::api {

// RFC 6455 section 7.4.1, the codes in use here.
namespace ws_close {
inline constexpr std::uint16_t normal = 1000;
inline constexpr std::uint16_t going_away = 1001;
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t policy = 1008;
inline constexpr std::uint16_t service_restart = 1012;
}  // namespace ws_close

struct WsEvent {
  enum class Kind : std::uint8_t {
    opened,  // handshake done
    text,    // payload is a whole message, fragments joined, valid UTF-8
    binary,
    ping,    // it was answered
    pong,    // payload is the payload of our ping
    closed,  // the last event; close_code and payload (the reason) say why
    failed,  // the last event; no handshake, payload says why
  };
  Kind kind;
  std::string payload;
  std::uint16_t close_code = 0;
  // The number of output bytes (take_output()) before this event. An answer to it is sent after them and before the
  // rest, for example before a close that came with it.
  std::size_t output_before = 0;
};

struct WsClientOptions {
  std::string uri;  // ws://host:port/path?query; wss only sets the scheme, bytes must be decrypted
  std::vector<std::pair<std::string, std::string>> headers = {};               // fields added to the handshake
  std::string user_agent = {};                                                 // empty: none
  std::size_t message_bytes_max = limits::websocket_server_message_bytes_max;  // beyond: closes with 1009
};

struct WsServerOptions {
  std::string server_name = {};                                         // Server field of the 101; empty: none
  std::vector<std::pair<std::string, std::string>> headers = {};        // fields added to the 101
  std::size_t message_bytes_max = limits::websocket_message_bytes_max;  // beyond: closes with 1009
};

class WsCodec {
 public:
  // The server side is fed the request head first. Version 13 only: others get 426.
  [[nodiscard]] static WsCodec server(const WsServerOptions& options);
  // The client's handshake request is in take_output() immediately; a bad URI is a `failed` event.
  [[nodiscard]] static WsCodec client(const WsClientOptions& options);

  // Bytes from the peer. Pings are answered automatically. Ignored once finished().
  void feed(std::string_view bytes) { impl_->feed(bytes); }
  // The end of the peer's byte stream, or a broken one.
  void eof() { impl_->eof(); }

  // False if the connection is not open, or the text is not UTF-8.
  bool send_text(std::string_view text) { return impl_->send(text, WsEvent::Kind::text); }
  bool send_binary(std::string_view bytes) { return impl_->send(bytes, WsEvent::Kind::binary); }
  bool ping(std::string_view payload) { return impl_->ping(payload); }  // at most 125 bytes
  // Starts the closing handshake; `closed` comes after the peer's answer.
  bool close(std::uint16_t code, std::string_view reason) { return impl_->close(code, reason); }

  [[nodiscard]] std::string take_output() { return std::exchange(impl_->output, {}); }
  [[nodiscard]] std::vector<WsEvent> take_events() { return std::exchange(impl_->events, {}); }

  [[nodiscard]] bool open() const { return impl_->open(); }
  // The connection is over: send what take_output() returns, then close the socket.
  [[nodiscard]] bool finished() const { return impl_->finished; }

  // One side, as the library has it.
  struct Impl {
    virtual ~Impl() = default;
    virtual void feed(std::string_view bytes) = 0;
    virtual void eof() = 0;
    virtual bool send(std::string_view payload, WsEvent::Kind kind) = 0;
    virtual bool ping(std::string_view payload) = 0;
    virtual bool close(std::uint16_t code, std::string_view reason) = 0;
    [[nodiscard]] virtual bool open() const = 0;

    std::string output;
    std::vector<WsEvent> events;
    bool finished = false;
  };

 private:
  explicit WsCodec(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::api
