// Every reader of text that comes from outside: whatever the bytes are, it refuses them with a reason or takes them.
//
// One program for all. Under the name parser_fuzz.NAME, a link to it, it feeds one reader; under its own the first byte
// picks one. `parser_fuzz --list` prints the names.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/cpp17/ws_codec.h"
#include "api/http/dialler.h"
#include "api/http/http_message.h"
#include "api/http/http_parser.h"
#include "api/http/url.h"
#include "api/stream/live_book.h"
#include "api/stream/stream_client.h"
#include "api/stream/stream_message.h"
#include "api/version.h"
#include "base/assert.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/text_condition.h"
#include "cli/client/server_facts.h"
#include "cli/commands/admin.h"
#include "cli/commands/batch.h"
#include "cli/commands/desk.h"
#include "cli/store/toml.h"
#include "cli/terminal/json.h"
#include "fuzz/chosen_target.h"
#include "signing/json_document.h"
#include "signing/key.h"
#include "signing/mnemonic.h"
#include "signing/uint256.h"
#include "sim/control/control_handlers.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/market_spec.h"
#include "sim/sandbox_options.h"
#include "sim/scenario/scenario_file.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/sequencer/unit.h"

namespace svc {
namespace {

// What was taken is there, what was refused has a reason.
template <class R>
void judge(const R& result) {
  if constexpr (requires { result.error().message; })
    SVC_ASSERT(result || !result.error().message.empty());
  else if constexpr (requires { result.error().empty(); })
    SVC_ASSERT(result || !result.error().empty());
}

// In two pieces, as bytes come from a socket.
template <class Feed>
void feed_in_pieces(std::string_view text, Feed&& feed) {
  const std::size_t half = text.size() / 2;
  feed(text.substr(0, half));
  feed(text.substr(half));
}

const api::ParserLimits small{
    .start_line_bytes_max = 256, .header_bytes_max = 1024, .header_fields_max = 16, .body_bytes_max = 4096};

void http_request(std::string_view text) {
  api::RequestParser parser(small);
  std::string kept;
  feed_in_pieces(text, [&](std::string_view piece) {
    kept += piece;
    while (!kept.empty() && parser.state() != api::ParserState::failed) {
      const std::size_t taken = parser.feed(kept);
      SVC_ASSERT(taken <= kept.size());
      kept.erase(0, taken);
      if (parser.state() == api::ParserState::complete) {
        SVC_ASSERT(parser.request().body.size() <= small.body_bytes_max);
        parser.reset();
      } else if (taken == 0) {
        break;
      }
    }
  });
}

void http_response(std::string_view text) {
  for (const auto body : {api::ResponseParser::Body::as_framed, api::ResponseParser::Body::none}) {
    api::ResponseParser parser(small);
    parser.begin(body);
    std::string kept;
    feed_in_pieces(text, [&](std::string_view piece) {
      kept += piece;
      if (parser.state() == api::ParserState::failed || parser.state() == api::ParserState::complete) return;
      kept.erase(0, parser.feed(kept));
    });
    parser.end_of_bytes();
    SVC_ASSERT(parser.state() == api::ParserState::failed || parser.state() == api::ParserState::complete ||
               parser.state() == api::ParserState::empty);
  }
}

void websocket_frames(std::string_view text, api::WsCodec codec, std::string_view handshake) {
  codec.feed(handshake);
  static_cast<void>(codec.take_output());
  static_cast<void>(codec.take_events());
  feed_in_pieces(text, [&](std::string_view piece) {
    codec.feed(piece);
    for (const api::WsEvent& event : codec.take_events())
      if (event.kind == api::WsEvent::Kind::text) SVC_ASSERT(event.payload.size() <= 65'536);
    static_cast<void>(codec.take_output());
  });
  codec.eof();
  SVC_ASSERT(codec.finished());
}

void websocket_server(std::string_view text) {
  websocket_frames(text, api::WsCodec::server({}),
                   "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
}

void websocket_handshake(std::string_view text) {
  websocket_frames(text, api::WsCodec::server({}), {});
}

void websocket_client(std::string_view text) {
  websocket_frames(text, api::WsCodec::client({.uri = "ws://localhost/ws", .message_bytes_max = 65'536}), {});
}

void unit(std::string_view text) {
  if (const auto read = from_archive<sim::Unit>(text)) {
    ArchiveWriter writer;
    writer(*read);
    SVC_ASSERT(from_archive<sim::Unit>(writer.take()));
  }
}

void base64(std::string_view text) {
  if (const auto bytes = parse_base64(text)) SVC_ASSERT(*parse_base64(to_base64(*bytes)) == *bytes);
}

void fault(std::string_view text) {
  judge(sim::parse_fault(text));
  judge(sim::parse_fault_lines(text));
}

void batch(std::string_view text) {
  using enum cli::BatchFormat;
  for (const auto format : {ndjson, csv, json}) judge(cli::parse_batch(text, format));
}

constexpr std::array readers{
    ChosenTarget{"base64", base64},
    ChosenTarget{"batch", batch},
    ChosenTarget{"book_frame", [](std::string_view text) { judge(api::read_book(text)); }},
    ChosenTarget{"cli_json", [](std::string_view text) { judge(cli::parse_json(text)); }},
    ChosenTarget{"clock_pace", [](std::string_view text) { judge(sim::parse_clock_pace(text)); }},
    ChosenTarget{"condition", [](std::string_view text) { judge(TextConditions::parse(text)); }},
    ChosenTarget{"desk_file", [](std::string_view text) { judge(cli::parse_desk(text)); }},
    ChosenTarget{"fault", fault},
    ChosenTarget{"http_date", [](std::string_view text) { judge(cli::parse_http_date(text)); }},
    ChosenTarget{"http_request", http_request},
    ChosenTarget{"http_response", http_response},
    ChosenTarget{"json_document", [](std::string_view text) { judge(signing::parse_json_document(text)); }},
    ChosenTarget{"latency", [](std::string_view text) { judge(sim::parse_latency(text)); }},
    ChosenTarget{"limit_scale", [](std::string_view text) { judge(sim::parse_limit_scale(text)); }},
    ChosenTarget{"markets_file", [](std::string_view text) { judge(sim::parse_markets_file(text)); }},
    ChosenTarget{"mnemonic", [](std::string_view text) { judge(signing::mnemonic_seed(text)); }},
    ChosenTarget{"percent", [](std::string_view text) { judge(api::percent_decode(text, api::Plus::is_blank)); }},
    ChosenTarget{"proxy", [](std::string_view text) { judge(api::parse_proxy(text)); }},
    ChosenTarget{"rational", [](std::string_view text) { judge(engine::parse_rational(text)); }},
    ChosenTarget{"scenario", [](std::string_view text) { judge(sim::scenario::run_scenarios(text)); }},
    ChosenTarget{"settings", [](std::string_view text) { judge(cli::parse_toml(text)); }},
    ChosenTarget{"signature", [](std::string_view text) { judge(signing::parse_signature(text)); }},
    ChosenTarget{"state_document", [](std::string_view text) { judge(sim::parse_document(text)); }},
    ChosenTarget{"stream_frame", [](std::string_view text) { judge(api::read_stream_message(text)); }},
    ChosenTarget{"stream_marks", [](std::string_view text) { judge(api::parse_stream_marks(text)); }},
    ChosenTarget{"tiers", [](std::string_view text) { judge(cli::parse_tiers(text)); }},
    ChosenTarget{"uint256", [](std::string_view text) { judge(signing::parse_uint256(text)); }},
    ChosenTarget{"unit", unit},
    ChosenTarget{"url", [](std::string_view text) { judge(api::parse_url(text)); }},
    ChosenTarget{"version", [](std::string_view text) { judge(api::parse_version(text)); }},
    ChosenTarget{"websocket_client", websocket_client},
    ChosenTarget{"websocket_handshake", websocket_handshake},
    ChosenTarget{"websocket_server", websocket_server},
};

std::string chosen_reader;

}  // namespace
}  // namespace svc

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::vector<std::string> names;
  for (const auto& reader : svc::readers) names.emplace_back(reader.name);
  svc::chosen_reader = svc::chosen_target(*argc, *argv, names);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!svc::chosen_reader.empty()) {
    for (const auto& reader : svc::readers)
      if (reader.name == svc::chosen_reader) reader.run(text);
  } else if (!text.empty()) {
    svc::readers.at(data[0] % svc::readers.size()).run(text.substr(1));
  }
  return 0;
}
