// Stream events as the lines of `svc watch`.
#pragma once

#include <cstddef>
#include <string>

#include "api/stream/stream_client.h"
#include "cli/terminal/display_zone.h"
#include "cli/terminal/json.h"

namespace svc::cli {

// {"type":"event"|"status"|"gap"|"resync"|"error", ...}; docs/streams.md lists the members. `cursor` is left out if
// empty.
[[nodiscard]] Json watch_line(const api::StreamNews& news, const std::string& cursor);

// For people, without the line feed: "12:00:00.123  fills  BTC-USDX-PERP  buy 0.25 @ 60100  fee 0.75". To fit `columns`
// (0: no limit), ids are shortened first, then words are dropped from the end. Numbers are never cut.
struct LineRoom {
  std::size_t columns = 0;
  bool utf8 = false;
  DisplayZone zone{};  // of the time
};
[[nodiscard]] std::string watch_text(const Json& line, const LineRoom& room = {});

}  // namespace svc::cli
