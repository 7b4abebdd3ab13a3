// News of a stream as the lines of `svc watch`.
#pragma once

#include <string>

#include "api/stream_client.h"
#include "cli/json.h"

namespace svc::cli {

// {"type":"event"|"status"|"gap"|"resync"|"error", ...}; docs/streams.md has the members. `cursor` is left out when empty.
[[nodiscard]] Json watch_line(const api::StreamNews& news, const std::string& cursor);

// For people: one line without its line feed; "12:00:00.123  fills  BTC-USDX-PERP  buy 0.25 @ 60100  fee 0.75".
// The line fits `columns` (0: any number): ids are shortened first, then words are dropped from the end. Numbers stay
// whole.
struct LineRoom {
  std::size_t columns = 0;
  bool utf8 = false;
};
[[nodiscard]] std::string watch_text(const Json& line, LineRoom room = {});

}  // namespace svc::cli
