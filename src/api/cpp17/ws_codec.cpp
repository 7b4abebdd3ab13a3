#include "api/cpp17/ws_codec.h"

#include <algorithm>
#include <exception>
#include <websocketpp/client.hpp>
#include <websocketpp/concurrency/none.hpp>
#include <websocketpp/config/core.hpp>
#include <websocketpp/config/core_client.hpp>
#include <websocketpp/logger/stub.hpp>
#include <websocketpp/server.hpp>
#include <websocketpp/utf8_validator.hpp>

namespace svc::api {

namespace {

constexpr std::size_t read_buffer_bytes = 4096;  // per connection

// The library finds the byte order at its first call, without a lock. This call comes before there are threads.
[[maybe_unused]] const std::uint64_t byte_order_is_known = websocketpp::lib::net::_htonll(1);

// Single-threaded, without logs, with masks from the system's randomness; otherwise the library's defaults.
template <class Base>
struct Config : Base {
  using type = Config;
  using concurrency_type = websocketpp::concurrency::none;
  using request_type = typename Base::request_type;
  using response_type = typename Base::response_type;
  using message_type = typename Base::message_type;
  using con_msg_manager_type = typename Base::con_msg_manager_type;
  using endpoint_msg_manager_type = typename Base::endpoint_msg_manager_type;
  using elog_type = websocketpp::log::stub;
  using alog_type = websocketpp::log::stub;
  using rng_type = websocketpp::random::random_device::int_generator<std::uint32_t, concurrency_type>;

  struct transport_config : Base::transport_config {
    using concurrency_type = Config::concurrency_type;
    using elog_type = Config::elog_type;
    using alog_type = Config::alog_type;
    using request_type = Config::request_type;
    using response_type = Config::response_type;
  };
  using transport_type = websocketpp::transport::iostream::endpoint<transport_config>;

  static constexpr std::size_t connection_read_buffer_size = read_buffer_bytes;
};

// Finds lengths in an overlong encoding (RFC 6455 section 5.2): websocketpp closes these with 1011, as if the fault
// were its own.
class FrameLengths {
 public:
  // How many of the bytes to pass to the library: all of them, or those before the end of such a length.
  std::size_t sound(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
      if (head_end_ < end_of_head.size()) {
        head_end_ = bytes[i] == end_of_head[head_end_] ? head_end_ + 1 : bytes[i] == '\r' ? 1 : 0;
        ++i;
      } else if (payload_left_ > 0) {
        const auto step = std::min<std::uint64_t>(payload_left_, bytes.size() - i);
        payload_left_ -= step;
        i += static_cast<std::size_t>(step);
      } else if (!take_header_byte(static_cast<unsigned char>(bytes[i]))) {
        return i;
      } else {
        ++i;
      }
    }
    return bytes.size();
  }

 private:
  static constexpr std::string_view end_of_head = "\r\n\r\n";

  // False: the byte ends a length that has a shorter encoding.
  bool take_header_byte(unsigned char byte) {
    ++header_bytes_;
    if (header_bytes_ == 1) return true;
    if (header_bytes_ == 2) {
      const unsigned form = byte & 0x7fU;
      length_bytes_ = form == 126 ? 2 : form == 127 ? 8 : 0;
      mask_bytes_ = (byte & 0x80U) != 0 ? 4 : 0;
      length_ = length_bytes_ == 0 ? form : 0;
    } else if (header_bytes_ <= 2 + length_bytes_) {
      length_ = length_ << 8U | byte;
      const bool is_last = header_bytes_ == 2 + length_bytes_;
      if (is_last && length_ <= (length_bytes_ == 2 ? 125U : 0xffffU)) return false;
    }
    if (header_bytes_ == 2 + length_bytes_ + mask_bytes_) {
      payload_left_ = length_;
      header_bytes_ = 0;
    }
    return true;
  }

  std::size_t head_end_ = 0;      // matched so far
  std::size_t header_bytes_ = 0;  // of the current frame
  std::size_t length_bytes_ = 0;
  std::size_t mask_bytes_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t payload_left_ = 0;
};

template <class Endpoint>
struct Codec : WsCodec::Impl {
  using Connection = typename Endpoint::connection_ptr;

  Codec() {
    endpoint.set_write_handler([this](websocketpp::connection_hdl, const char* bytes, std::size_t size) {
      output.append(bytes, size);
      return websocketpp::lib::error_code();
    });
    endpoint.set_open_handler([this](websocketpp::connection_hdl) { push(WsEvent::Kind::opened); });
    endpoint.set_message_handler([this](websocketpp::connection_hdl, typename Endpoint::message_ptr message) {
      const bool text = message->get_opcode() == websocketpp::frame::opcode::text;
      push(text ? WsEvent::Kind::text : WsEvent::Kind::binary, std::move(message->get_raw_payload()));
    });
    endpoint.set_ping_handler([this](websocketpp::connection_hdl, std::string) {
      push(WsEvent::Kind::ping);
      return true;
    });
    endpoint.set_pong_handler(
        [this](websocketpp::connection_hdl, std::string payload) { push(WsEvent::Kind::pong, std::move(payload)); });
  }

  ~Codec() override {
    // A pending read's handler keeps the connection alive; this ends it.
    if (connection) connection->eof();
  }

  void feed(std::string_view bytes) override {
    if (finished || !connection) return;
    try {
      // A short count means that the library stopped reading: protocol error, oversize or close.
      const std::size_t sound = lengths.sound(bytes);
      const std::size_t taken = connection->read_all(bytes.data(), sound);
      if (taken == sound && sound < bytes.size() && open()) {
        websocketpp::lib::error_code error;
        connection->close(ws_close::protocol_error, "a length is written longer than it needs to be", error);
      }
      notice_end(taken < bytes.size());
    } catch (const std::exception& error) {
      end(error.what());
    }
  }

  void eof() override {
    if (finished || !connection) return;
    connection->eof();
    notice_end(true);
  }

  bool send(std::string_view payload, WsEvent::Kind kind) override {
    if (!open()) return false;
    const bool text = kind == WsEvent::Kind::text;
    if (text && !websocketpp::utf8_validator::validate(std::string(payload))) return false;
    return !connection->send(payload.data(), payload.size(),
                             text ? websocketpp::frame::opcode::text : websocketpp::frame::opcode::binary);
  }

  bool ping(std::string_view payload) override {
    if (!open()) return false;
    websocketpp::lib::error_code error;
    connection->ping(std::string(payload), error);
    return !error;
  }

  bool close(std::uint16_t code, std::string_view reason) override {
    if (!open()) return false;
    websocketpp::lib::error_code error;
    connection->close(code, std::string(reason), error);
    closing_by_us = !error;
    return !error;
  }

  [[nodiscard]] bool open() const override {
    return !finished && connection && connection->get_state() == websocketpp::session::state::open;
  }

  void push(WsEvent::Kind kind, std::string payload = {}, std::uint16_t code = 0) {
    events.push_back(WsEvent{kind, std::move(payload), code, output.size()});
    if (kind == WsEvent::Kind::opened) was_open = true;
  }

  // The library does not call the close handler in every case (a protocol error waits for a timer that does not
  // exist here), so the end is detected from its state.
  void notice_end(bool stopped) {
    namespace state = websocketpp::session::state;
    const auto now = connection->get_state();
    const bool peer_closed = connection->get_remote_close_code() != websocketpp::close::status::abnormal_close;
    const bool ended = stopped || now == state::closed || (now == state::closing && (peer_closed || !closing_by_us));
    if (ended) end(connection->get_ec().message());
  }

  void end(std::string why) {
    if (finished) return;
    finished = true;
    if (!was_open) return push(WsEvent::Kind::failed, std::move(why));
    const auto remote = connection->get_remote_close_code();
    const auto local = connection->get_local_close_code();
    const bool peer_closed = remote != websocketpp::close::status::abnormal_close;
    push(WsEvent::Kind::closed,
         peer_closed ? connection->get_remote_close_reason() : connection->get_local_close_reason(),
         peer_closed ? remote : local);
  }

  Endpoint endpoint;
  Connection connection;
  FrameLengths lengths;
  bool was_open = false;
  bool closing_by_us = false;
};

struct ServerCodec final : Codec<websocketpp::server<Config<websocketpp::config::core>>> {
  explicit ServerCodec(const WsServerOptions& options) {
    endpoint.set_user_agent(options.server_name);
    endpoint.set_max_message_size(options.message_bytes_max);
    endpoint.set_validate_handler([this, headers = options.headers](websocketpp::connection_hdl) {
      for (const auto& [name, value] : headers) connection->replace_header(name, value);
      // The library would also accept the drafts before the standard.
      if (connection->get_request_header("Sec-WebSocket-Version") == "13") return true;
      connection->set_status(websocketpp::http::status_code::upgrade_required);
      connection->replace_header("Sec-WebSocket-Version", "13");
      return false;
    });
    connection = endpoint.get_connection();
    connection->start();
  }
};

struct ClientCodec final : Codec<websocketpp::client<Config<websocketpp::config::core_client>>> {
  explicit ClientCodec(const WsClientOptions& options) {
    endpoint.set_user_agent(options.user_agent);
    endpoint.set_max_message_size(options.message_bytes_max);
    websocketpp::lib::error_code error;
    connection = endpoint.get_connection(options.uri, error);
    if (error) {
      end(error.message());
      return;
    }
    for (const auto& [name, value] : options.headers) connection->replace_header(name, value);
    endpoint.connect(connection);
  }
};

}  // namespace

WsCodec WsCodec::server(const WsServerOptions& options) {
  return WsCodec(std::make_unique<ServerCodec>(options));
}
WsCodec WsCodec::client(const WsClientOptions& options) {
  return WsCodec(std::make_unique<ClientCodec>(options));
}

}  // namespace svc::api
